"""Documents of changes, and of the outbox that they wait in."""

from typing import Literal

from pydantic import Field

from backlit.cli.documents.base import Document, ItemKey, Moment


class FieldChangeDocument(Document):
    """A changed field with both values as people read them."""

    field: str
    before: str
    after: str


class ChangedDocument(Document):
    """What became of the change of an item, an area or an iteration."""

    id: int | None
    local: str | None = Field(default=None, description="Stands for an id that the server has not given yet.")
    state: Literal["planned", "saved", "queued", "refused", "conflict", "unchanged"]
    reason: str | None = None
    changes: list[FieldChangeDocument]


class ChangeListDocument(Document):
    """The changes of a command; with dryRun none was made. `undo` is the step that `backlit undo` takes back."""

    project: str | None
    dry_run: bool | None = None
    items: list[ChangedDocument]
    undo: int | None = None


class OutboxEntryDocument(Document):
    """A change that the server does not have yet; `item` is the name of an area or iteration, else an item's number."""

    n: int
    item: ItemKey
    change: str
    fields: list[str]
    state: str
    at: Moment
    reason: str | None


class StepDocument(Document):
    """A step that `backlit undo` undoes, or `backlit redo` makes again; `n` steps from now."""

    n: int
    at: Moment
    change: str
    items: list[str]
    fields: list[str]
    name: str | None


class OutboxValueDocument(Document):
    """A field of a change in the outbox, with the value before, this machine's and the server's."""

    field: str
    before: str | None
    mine: str | None
    theirs: str | None


class DecisionDocument(Document):
    """A decided field of a conflict; `mine` tells whose value is kept."""

    field: str
    mine: bool


class SyncDocument(Document):
    """What a sync left; counts of changes that are not sent."""

    project: str | None
    seconds: float
    unsent: int
    refused: int
    conflicts: int
