"""Changes of the objects that the mirror has as rows. A kind of object names its keys and its words."""

from abc import abstractmethod
from collections.abc import Mapping
from typing import ClassVar

from backlit.store.object_changes.object_change import ObjectChange, ObjectCreation, ObjectDeletion, ObjectEdit
from backlit.store.records.entry import OBJECT_CREATION_BY_DELETION, EntryKind, OutboxEntry, new_entry
from backlit.store.records.item import Document, id_in
from backlit.store.records.merge import is_same
from backlit.store.records.object_kinds import ObjectKind

SEQUENCE = "sequence"
"""The key of a place among siblings, which the service counts anew with each change."""
RESTORES = "restores"
"""The key of a creation with the id that the object had before it was deleted."""
LAST_PLACE = 1_000_000
"""A sequence that the service makes the last one."""


class RowChange(ObjectChange):
    """A change of an object that is a row of `OBJECT_KINDS`."""

    row: ClassVar[ObjectKind]
    keys: ClassVar[tuple[str, ...]]
    """The keys of an object's values."""
    labels: ClassVar[Mapping[str, str]] = {}
    """The names of values for people."""

    @classmethod
    @abstractmethod
    def words(cls, values: Mapping[str, object]) -> str:
        """Return an object in a line."""

    @property
    def text(self) -> str:
        return self.words(self.entry.payload)

    def _document(self, object_id: int, item_id: int) -> Document:
        ids = {"id": object_id, self.row.item_key: item_id, "projectId": self.entry.project_id}
        return {**ids, **{key: self.entry.payload.get(key) for key in self.keys}}


class RowCreation(RowChange, ObjectCreation):
    """A new object; the payload has its values."""

    def body(self) -> Mapping[str, object]:
        values = {key: value for key, value in self.entry.payload.items() if value is not None and key != RESTORES}
        return {self.row.item_key: self.entry.item_id, "projectId": self.entry.project_id, **values}

    def is_made(self, answer: Document) -> bool:
        return answer.get(self.row.item_key) == self.entry.item_id and id_in(answer) > 0

    def is_like(self, document: Document) -> bool:
        keys = [key for key in self.keys if key != SEQUENCE and key in self.entry.payload]
        return all(is_same(document.get(key), self.entry.payload[key]) for key in keys)

    def document(self, object_id: int) -> Document:
        return self._document(object_id, self.entry.item_id)

    def laid_over(self, _before: Document | None) -> Document | None:
        return _placed(self.document(self.object_id), None)

    def summary(self) -> str:
        return f"{self.noun}: {self.text}"


class RowEdit(RowChange, ObjectEdit):
    """New values of an object: `{id, values}`, and in `base` those of before."""

    again, redone = "changed back", "changed again"

    @classmethod
    def of(cls, kind: EntryKind, document: Document, values: Mapping[str, object]) -> OutboxEntry:
        """Return the entry that changes an object, which is given with its pending values."""
        base = {key: document.get(key) for key in values}
        payload = {"id": id_in(document), "values": values, **{key: document.get(key) for key in cls.keys}}
        return new_entry(kind, id_in(document, "projectId"), payload, id_in(document, cls.row.item_key), base)

    def laid_over(self, before: Document | None) -> Document | None:
        return None if before is None else _placed({**before, **self.values}, before)

    def label(self, key: str) -> str:
        return self.labels.get(key, key)

    def summary(self) -> str:
        return f"{self.noun}: {', '.join(map(self.label, self.values))}"


class RowDeletion(RowChange, ObjectDeletion):
    """The deletion of an object; the payload has its id and its values."""

    deletion_kind: ClassVar[EntryKind]

    @classmethod
    def of(cls, document: Document) -> OutboxEntry:
        payload = {"id": id_in(document), **{key: document.get(key) for key in cls.keys}}
        return new_entry(cls.deletion_kind, id_in(document, "projectId"), payload, id_in(document, cls.row.item_key))

    def document(self, item_id: int) -> Document:
        return self._document(self.object_id, item_id)

    def creation(self, item_id: int) -> OutboxEntry:
        values = {key: self.entry.payload.get(key) for key in self.keys}
        kind = OBJECT_CREATION_BY_DELETION[self.entry.kind]
        return new_entry(kind, self.entry.project_id, {**values, RESTORES: self.object_id}, item_id)

    def summary(self) -> str:
        return f"delete {self.noun}: {self.text}"


def _placed(document: Document, before: Document | None) -> Document:
    """Put an object between its siblings, which have whole numbers, as the service will when it counts them anew."""
    if SEQUENCE not in document or (before is not None and before.get(SEQUENCE) == document[SEQUENCE]):
        return document
    is_down = before is not None and id_in(before, SEQUENCE) < id_in(document, SEQUENCE)
    return {**document, SEQUENCE: id_in(document, SEQUENCE) + (0.5 if is_down else -0.5)}
