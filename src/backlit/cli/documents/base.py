"""The base of the published documents, and the kinds of values in them."""

from typing import Annotated, TypeAlias

from pydantic import BaseModel, ConfigDict, Field
from pydantic.alias_generators import to_camel

ItemKey: TypeAlias = Annotated[int | str, Field(description="A number, or new-N of an item that has none yet.")]
Moment: TypeAlias = Annotated[str, Field(description="A time in UTC, in the form of ISO 8601.")]
Day: TypeAlias = Annotated[str, Field(description="A day, such as 2026-03-11.", pattern=r"^\d{4}-\d\d-\d\d$")]


class Document(BaseModel):
    """A JSON object whose keys are all named here."""

    model_config = ConfigDict(alias_generator=to_camel, extra="forbid", strict=True)
