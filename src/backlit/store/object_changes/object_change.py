"""A change of an object below an item: what its entry says, without the store around it."""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import ClassVar

from backlit.store.records.changes import Subject
from backlit.store.records.entry import (
    OBJECT_CREATION_BY_CHANGE,
    OBJECT_DELETION_BY_CREATION,
    EntryKind,
    OutboxEntry,
    new_entry,
)
from backlit.store.records.item import Document, id_in


class ObjectChange(ABC):
    """A journalled change of an object below an item. It reads nothing but its entry, and raises nothing."""

    subject: ClassVar[Subject]
    """What is announced with the item; the key of the mirror's table."""
    resource: ClassVar[str]
    """The service's list: `POST /comments`, `DELETE /comments/{id}` and `GET /workitems/{id}/comments`."""
    items_resource: ClassVar[str] = "workitems"
    """The service's noun of the items that have such objects."""
    noun: ClassVar[str]
    nouns: ClassVar[str] = ""
    """The plural, where it is not the noun with an s."""
    labels: ClassVar[Mapping[str, str]] = {}
    """The names of values for people."""
    again: ClassVar[str]
    """What an undo of the deletion does to the object, after "is": "posted again"."""
    redone: ClassVar[str] = ""
    """What a redo does to it, where other words are needed."""

    def __init__(self, entry: OutboxEntry) -> None:
        self.entry = entry

    @property
    def creation_kind(self) -> EntryKind:
        return OBJECT_CREATION_BY_CHANGE[self.entry.kind]

    @property
    @abstractmethod
    def object_id(self) -> int: ...

    @property
    def items(self) -> frozenset[int]:
        """The items that the object belongs to."""
        return frozenset({self.entry.item_id})

    @property
    def item_fields(self) -> frozenset[str]:
        """The fields that lists show of the items, and that change with the object."""
        return frozenset()

    @property
    @abstractmethod
    def text(self) -> str:
        """The object in words, to be read or copied."""

    @property
    def text_with_item(self) -> str:
        """The object in words that name its item too, where they would be read on the page of another one."""
        return self.text

    @abstractmethod
    def laid_over(self, before: Document | None) -> Document | None:
        """Return the object with the change, given it as it is without; None where it is gone, or was not there."""

    @abstractmethod
    def summary(self) -> str:
        """Return the change in one line, for the outbox."""


class ObjectCreation(ObjectChange):
    """A new object. Until the service has confirmed it, its id is temporary."""

    is_unique: ClassVar[bool] = False
    """Whether the service refuses a second object like it, so that one that is there already is what was asked for."""

    @property
    def object_id(self) -> int:
        return self.entry.temporary_id

    def laid_over(self, _before: Document | None) -> Document | None:
        return self.document(self.object_id)

    @property
    def deletion_kind(self) -> EntryKind:
        return OBJECT_DELETION_BY_CREATION[self.entry.kind]

    def is_made(self, answer: Document) -> bool:
        """Report whether a response to the request is the object. A service may have changed its text."""
        return answer.get("workItemId") == self.entry.item_id and id_in(answer) > 0

    @abstractmethod
    def body(self) -> Mapping[str, object]:
        """Return the body of the request that creates the object."""

    @abstractmethod
    def is_like(self, document: Document) -> bool:
        """Report whether an object holds what an unconfirmed request asked for."""

    @abstractmethod
    def document(self, object_id: int) -> Document:
        """Return the object under an id, for a mirror that does not have it. Author and time are missing."""

    def on_item(self, item_id: int) -> OutboxEntry:
        """Return a new entry that creates the object on another item."""
        return new_entry(self.entry.kind, self.entry.project_id, self.entry.payload, item_id)


class ObjectEdit(ObjectChange):
    """New values of an object: `{id, values}`, and in `base` those of before."""

    @property
    def object_id(self) -> int:
        return id_in(self.entry.payload)

    @property
    def values(self) -> Mapping[str, object]:
        values = self.entry.payload.get("values")
        return values if isinstance(values, Mapping) else {}

    @classmethod
    @abstractmethod
    def of(cls, kind: EntryKind, document: Document, values: Mapping[str, object]) -> OutboxEntry: ...

    @abstractmethod
    def label(self, key: str) -> str:
        """Return the name of a value for people."""

    def inverse(self, item_id: int, object_id: int) -> OutboxEntry:
        """Return the entry that gives the object its former values again."""
        payload = {**self.entry.payload, "id": object_id, "values": dict(self.entry.base)}
        return new_entry(self.entry.kind, self.entry.project_id, payload, item_id, dict(self.values))


class ObjectDeletion(ObjectChange):
    """The deletion of an object, whose payload keeps what makes it again."""

    @property
    def object_id(self) -> int:
        return id_in(self.entry.payload)

    def laid_over(self, _before: Document | None) -> Document | None:
        return None

    @classmethod
    @abstractmethod
    def of(cls, document: Document) -> OutboxEntry:
        """Return the entry that deletes an object. Its payload keeps what an undo needs."""

    @abstractmethod
    def document(self, item_id: int) -> Document:
        """Return the object on its item as far as the payload has it."""

    @abstractmethod
    def creation(self, item_id: int) -> OutboxEntry:
        """Return the entry that makes the object again."""
