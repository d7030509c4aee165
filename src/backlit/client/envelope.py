"""The envelope around every list."""

from typing import Any, Generic, TypeVar

from pydantic import BaseModel, ConfigDict
from pydantic.alias_generators import to_camel

from backlit.model.resources import Resource

ResourceT = TypeVar("ResourceT", bound=Resource)


class Envelope(BaseModel, Generic[ResourceT]):
    """A page of a list; `top` is the requested or the returned count, and `total_results` may change."""

    model_config = ConfigDict(frozen=True, alias_generator=to_camel, populate_by_name=True, extra="allow")

    total_results: int
    top: int | None = None
    skip: int | None = None
    results: list[ResourceT]

    def wire(self) -> dict[str, Any]:
        """Write the JSON object; `skip` only in lists of work items."""
        document: dict[str, Any] = {"totalResults": self.total_results, "top": self.top}
        if self.skip is not None:
            document["skip"] = self.skip
        return document | {"results": [resource.wire() for resource in self.results]}
