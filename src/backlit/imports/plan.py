"""The effect of an import: new items, changes, faults and warnings."""

from collections import Counter

from msgspec import Struct, field

from backlit.imports.drafts.draft import Draft
from backlit.imports.faults import Remark
from backlit.store.edits.imports import ImportedChange, ImportedRelation, NewItem, NewPlace

WITHOUT_TYPE = "without a type"
"""The word for items of a file whose type is empty."""


class ImportPlan(Struct):
    """The effect of an import, and what is told of it."""

    source: str = ""
    label: str = ""
    items: list[NewItem] = field(default_factory=list)
    changes: list[ImportedChange] = field(default_factory=list)
    places: list[NewPlace] = field(default_factory=list)
    relations: list[ImportedRelation] = field(default_factory=list)
    """Relations to make; the ids of new items are those of the file (`imports/relations.py`)."""
    places_of_new: dict[int, tuple[int, int | None]] = field(default_factory=dict)
    """The index in `items` of new items by their ids of the file, and of tasks the index among its tasks."""
    existing: list[int] = field(default_factory=list)
    """The items of the file that are there; those that the service does not have yet are negative."""
    unchanged: int = 0
    deleted_here: int = 0
    faults: list[Remark] = field(default_factory=list)
    warnings: list[Remark] = field(default_factory=list)
    to_check: list[str] = field(default_factory=list)
    types: Counter[tuple[str, str]] = field(default_factory=Counter)
    statuses: Counter[tuple[str, str, str]] = field(default_factory=Counter)
    """Statuses by type, name in the file, and status here."""
    priorities: Counter[tuple[str, int | None]] = field(default_factory=Counter)
    unknown_statuses: dict[str, tuple[int, str]] = field(default_factory=dict)
    people: Counter[tuple[str, str]] = field(default_factory=Counter)
    """Owners by their name in the file and the user name here, which is empty for nobody."""
    iterations: Counter[tuple[str, str]] = field(default_factory=Counter)
    """Iterations by their name in the file and the path here."""
    comments: int = 0
    files: int = 0
    left_out: dict[str, int] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)

    @property
    def new(self) -> int:
        return sum(1 + len(item.tasks) for item in self.items)

    @property
    def is_empty(self) -> bool:
        return not (self.items or self.changes or self.relations)

    def fault(self, draft: Draft, sentence: str, column: str = "", value: str = "") -> None:
        self.faults.append(Remark(draft.line, sentence, draft.key, column, value))

    def warn(self, draft: Draft, sentence: str, column: str = "", value: str = "") -> None:
        self.warnings.append(Remark(draft.line, sentence, draft.key, column, value))
