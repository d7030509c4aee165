"""Pure: the journal's pending values laid over what the service sent."""

from collections.abc import Iterable

from backlit.store.entries import ON_COMMENTS, EntryKind, EntryState, OutboxEntry
from backlit.store.rows import Document, RowSign, fields_in

_SIGNS = {EntryState.REFUSED: RowSign.REFUSED, EntryState.CONFLICT: RowSign.CONFLICT}


def laid_over(received: Document, entries: Iterable[OutboxEntry]) -> tuple[Document, RowSign]:
    """What the user sees of an item, and the gravest of the reasons why it differs from the service's.

    Comments neither change nor mark their item.
    """
    fields = fields_in(received)
    sign = RowSign.NONE
    for entry in entries:
        if entry.kind is EntryKind.EDIT:
            fields = {**fields, **entry.payload}
        if entry.kind not in ON_COMMENTS:
            sign = max(sign, _SIGNS.get(entry.state, RowSign.PENDING))
    return (received if sign is RowSign.NONE else {**received, "fields": fields}), sign


def made_by(entry: OutboxEntry) -> Document:
    """The document of an item that the service does not have yet."""
    return {
        "id": entry.item_id,
        "type": entry.payload["type"],
        "projectId": entry.project_id,
        "fields": entry.payload["fields"],
    }
