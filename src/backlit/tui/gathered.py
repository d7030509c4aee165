"""What the store said since the screens last looked, gathered so that they draw once a frame."""

from collections.abc import Iterable

from backlit.store.changes import Change, Subject


class Gathered:
    """Changes of the store added up; `ids` of a subject are None where all of it may have changed."""

    def __init__(self) -> None:
        self._ids: dict[Subject, set[int] | None] = {}
        self.fields: set[str] = set()
        self.renamed: dict[int, int] = {}

    def __bool__(self) -> bool:
        return bool(self._ids)

    def __contains__(self, subject: Subject) -> bool:
        return subject in self._ids

    def ids(self, subject: Subject) -> set[int] | None:
        """The ids that changed; None where it may be any."""
        return self._ids.get(subject, set())

    def touches(self, subject: Subject, item_id: int) -> bool:
        """Whether one thing of the subject may have changed."""
        ids = self.ids(subject)
        return ids is None or item_id in ids

    def add(self, change: Change) -> None:
        """Add one change."""
        self._add_ids(change.kind, change.ids or None)
        self.fields |= change.fields
        self.renamed |= change.renamed

    def merge(self, other: "Gathered") -> None:
        """Add what another gathering holds; used by screens that were hidden."""
        for subject, ids in other._ids.items():  # noqa: SLF001 - same class
            self._add_ids(subject, ids)
        self.fields |= other.fields
        self.renamed |= other.renamed

    def _add_ids(self, subject: Subject, ids: Iterable[int] | None) -> None:
        known = self._ids.get(subject, set())
        self._ids[subject] = None if ids is None or known is None else known | set(ids)
