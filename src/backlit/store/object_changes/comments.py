"""Comments: written and deleted."""

from collections.abc import Mapping

from backlit.store.object_changes.object_change import ObjectChange, ObjectCreation, ObjectDeletion
from backlit.store.records.changes import Subject
from backlit.store.records.entry import FOR_CUSTOMERS, EntryKind, OutboxEntry, is_for_customers, new_comment, new_entry
from backlit.store.records.item import Document, id_in


class _CommentChange(ObjectChange):
    subject = Subject.COMMENTS
    resource = "comments"
    noun = "comment"
    again = "posted again"

    @property
    def text(self) -> str:
        return str(self.entry.payload.get("text") or "")

    def _line(self) -> str:
        return " ".join(self.text.split())


class CommentCreation(_CommentChange, ObjectCreation):
    """A COMMENT: `{text}`, with `type` if customers see it."""

    def body(self) -> Mapping[str, object]:
        body = {
            "projectId": self.entry.project_id,
            "workItemId": self.entry.item_id,
            "description": self.entry.payload["text"],
        }
        return {**body, "type": FOR_CUSTOMERS} if is_for_customers(self.entry.payload) else body

    def is_like(self, document: Document) -> bool:
        return str(document.get("description") or "").split() == self.text.split()

    def document(self, object_id: int) -> Document:
        return _document(self.entry, object_id, self.entry.item_id)

    def summary(self) -> str:
        whose = "comment for customers: " if is_for_customers(self.entry.payload) else "comment: "
        return whose + self._line()


class CommentDeletion(_CommentChange, ObjectDeletion):
    """A DELETE_COMMENT: `{id, text, by}`, with `type` if customers saw it."""

    @classmethod
    def of(cls, document: Document) -> OutboxEntry:
        kept = {"id": document.get("id"), "text": document.get("description"), "by": document.get("createdBy")}
        if is_for_customers(document):
            kept["type"] = FOR_CUSTOMERS
        project_id, item_id = id_in(document, "projectId"), id_in(document, "workItemId")
        return new_entry(EntryKind.DELETE_COMMENT, project_id, kept, item_id)

    def document(self, item_id: int) -> Document:
        return _document(self.entry, self.object_id, item_id)

    def creation(self, item_id: int) -> OutboxEntry:
        for_customers = is_for_customers(self.entry.payload)
        return new_comment(self.entry.project_id, item_id, self.text, for_customers=for_customers)

    def summary(self) -> str:
        return f"delete comment: {self._line()}"


def _document(entry: OutboxEntry, comment_id: int, item_id: int) -> Document:
    ids = {"id": comment_id, "workItemId": item_id, "projectId": entry.project_id}
    return {**ids, "description": entry.payload.get("text"), "type": entry.payload.get("type")}
