"""The document of a plan, which `plan apply` reads too."""

from pydantic import Field

from backlit.cli.documents.base import Day, Document


class PlannedBefore(Document):
    """The server's values at the time of the export; they tell the changes of others from the plan's."""

    iteration: int | None
    points: str | None
    owner: str | None


class PlannedItem(Document):
    """An item in an iteration, with its points and its owner's user name."""

    id: int
    points: str | float | None = None
    owner: str | None = None
    name: str | None = Field(default=None, description="For people; plan apply does not read it.")
    was: PlannedBefore | None = None


class PlannedIteration(Document):
    """An iteration with its items in their order; `id` is null for the backlog, and for one that is named."""

    id: int | None = None
    name: str
    start: Day | None = None
    end: Day | None = None
    min: float | None = None
    max: float | None = None
    items: list[PlannedItem]


class PlanDocument(Document):
    """The upcoming iterations with the planning draft, and the backlog. Items that are not listed stay as they are."""

    project: str | None = None
    iterations: list[PlannedIteration]
