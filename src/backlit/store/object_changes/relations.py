"""Relations of items: related, related no more, and given another Feature."""

from collections.abc import Mapping
from typing import ClassVar

from backlit.model.relations import RelationType
from backlit.store.object_changes.rows import RowChange, RowCreation, RowDeletion, RowEdit
from backlit.store.records.entry import EntryKind
from backlit.store.records.item import Document, id_in, number_of
from backlit.store.records.object_kinds import RELATIONS

PARENT_FIELDS = frozenset({"ParentID"})


class _RelationChange(RowChange):
    row = RELATIONS
    subject = RELATIONS.subject
    resource = RELATIONS.resource
    noun = "relation"
    again = "made again"
    keys = ("type", "targetId", "targetProjectId")
    labels: ClassVar[Mapping[str, str]] = {"targetId": "Feature"}

    @classmethod
    def words(cls, values: Mapping[str, object]) -> str:
        kind, other = str(values.get("type")), number_of(id_in(values, "targetId"))
        return f"Feature {other}" if kind == RelationType.PARENT else f"{kind} {other}"

    @property
    def text_with_item(self) -> str:
        number = number_of(self.entry.item_id)
        is_parent = self.item_fields == PARENT_FIELDS
        return f"{self.text} of {number}" if is_parent else f"{number} {self.text}"

    @property
    def items(self) -> frozenset[int]:
        ends = (self.entry.payload, self.entry.base, self.entry.payload.get("values"))
        targets = {id_in(each, "targetId") for each in ends if isinstance(each, Mapping)} - {0}
        return frozenset({self.entry.item_id, *targets})

    @property
    def item_fields(self) -> frozenset[str]:
        return PARENT_FIELDS if self.entry.payload.get("type") == RelationType.PARENT else frozenset()


class RelationCreation(_RelationChange, RowCreation):
    """A RELATE: `{type, targetId, targetProjectId}`, in the direction in which relations are kept."""

    is_unique = True

    def is_made(self, answer: Document) -> bool:
        # Related has no direction: the service puts the item with the smaller id first.
        ends = {self.entry.item_id, id_in(self.entry.payload, "targetId")}
        is_same = {answer.get("workItemId"), answer.get("targetId")} == ends
        return is_same and answer.get("type") == self.entry.payload["type"] and id_in(answer) > 0

    def is_like(self, document: Document) -> bool:
        return self.is_made(document)


class ParentChange(RowEdit, _RelationChange):
    """A MOVE_PARENT: another target."""


class RelationDeletion(_RelationChange, RowDeletion):
    """An UNRELATE."""

    deletion_kind = EntryKind.UNRELATE
