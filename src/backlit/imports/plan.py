"""The effect of an import: new items, changes, faults and warnings."""

from collections import Counter

from msgspec import Struct, field

from backlit.imports.drafts.draft import Draft
from backlit.imports.faults import Remark
from backlit.store.edits.imports import ImportedChange, NewItem, NewPlace


class ImportPlan(Struct):
    """The effect of an import, and what is told of it."""

    source: str = ""
    label: str = ""
    items: list[NewItem] = field(default_factory=list)
    changes: list[ImportedChange] = field(default_factory=list)
    places: list[NewPlace] = field(default_factory=list)
    existing: list[int] = field(default_factory=list)
    """The items of the file that are there; those that the service does not have yet are negative."""
    unchanged: int = 0
    deleted_here: int = 0
    faults: list[Remark] = field(default_factory=list)
    warnings: list[Remark] = field(default_factory=list)
    to_check: list[str] = field(default_factory=list)
    types: Counter[tuple[str, str]] = field(default_factory=Counter)
    statuses: Counter[tuple[str, str]] = field(default_factory=Counter)
    priorities: Counter[tuple[str, int]] = field(default_factory=Counter)
    unknown_statuses: dict[str, tuple[int, str]] = field(default_factory=dict)
    people_found: Counter[str] = field(default_factory=Counter)
    people_unknown: Counter[str] = field(default_factory=Counter)
    iterations: Counter[str] = field(default_factory=Counter)
    comments: int = 0
    files: int = 0
    left_out: dict[str, int] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)

    @property
    def new(self) -> int:
        return sum(1 + len(item.tasks) for item in self.items)

    @property
    def is_empty(self) -> bool:
        return not (self.items or self.changes)

    def fault(self, draft: Draft, sentence: str, column: str = "", value: str = "") -> None:
        self.faults.append(Remark(draft.line, sentence, draft.key, column, value))

    def warn(self, draft: Draft, sentence: str, column: str = "", value: str = "") -> None:
        self.warnings.append(Remark(draft.line, sentence, draft.key, column, value))
