"""The journal's entries: changes of the user that the service has, has not, or will not take."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

TEMPORARY_IDS = -1_000_000_000
"""Temporary ids grow from here, so that they order as they were made and are never the service's."""


class EntryKind(StrEnum):
    """What is done to the item."""

    EDIT = "edit"
    ADD = "add"
    COMMENT = "comment"
    DELETE = "delete"
    DELETE_COMMENT = "delete comment"
    RANK = "rank"


class EntryState(StrEnum):
    """How far an entry has come; the first four are not delivered."""

    WAITING = "waiting"
    SENDING = "sending"
    REFUSED = "refused"
    CONFLICT = "conflict"
    SENT = "sent"
    DISCARDED = "discarded"
    KEPT = "kept"
    """Done on this machine only: it is never sent."""


CREATES = frozenset({EntryKind.ADD, EntryKind.COMMENT})
"""What makes something that gets an id of the service's."""

DELETES = frozenset({EntryKind.DELETE, EntryKind.DELETE_COMMENT})
"""What takes something away for good."""

ON_COMMENTS = frozenset({EntryKind.COMMENT, EntryKind.DELETE_COMMENT})
"""What is done to a comment; it neither changes nor marks the item."""

FOR_CUSTOMERS = "Feedback"
"""The type of comments and files that customers see."""

UNDELIVERED = (EntryState.WAITING, EntryState.SENDING, EntryState.REFUSED, EntryState.CONFLICT)


BUSY = frozenset({EntryState.WAITING, EntryState.SENDING})
"""What is still on its way, as far as anybody knows."""


@dataclass(frozen=True, slots=True)
class OutboxEntry:
    """One journalled change.

    `payload` is what the user wants: fields of an EDIT, `{type, projectId, fields}` of an ADD, `{text}` of a COMMENT,
    `{id, text}` of a DELETE_COMMENT (both with the `type` of what customers see), nothing for a DELETE; `{beside}` of a
    RANK: where it is to stand, the best first.
    `base` is what the touched fields were before, for a DELETE all that may be set, for a RANK where it
    stood; `theirs` what the service has for them, in a conflict.
    `known_id` is the largest id known when an ADD or COMMENT was first sent: what it made has a larger one. For what
    makes nothing it is 0 from when it may first have been sent.
    `step` is shared by the entries of one act on many items; taking an act back is a step of its own (`steps.py`).
    """

    id: int
    created_at: float
    project_id: int
    item_id: int
    kind: EntryKind
    payload: Mapping[str, object]
    base: Mapping[str, object] = field(default_factory=dict)
    base_modified_at: str | None = None
    state: EntryState = EntryState.WAITING
    reason: str = ""
    attempts: int = 0
    step: int = 0
    known_id: int | None = None
    theirs: Mapping[str, object] = field(default_factory=dict)

    @property
    def temporary_id(self) -> int:
        """The id that what an ADD or COMMENT makes has until the service gives one."""
        return TEMPORARY_IDS + self.id

    @property
    def has_left(self) -> bool:
        """Whether it may have taken effect on the service: it was sent, or it is not clear whether it was."""
        is_untouched = self.state is EntryState.WAITING and self.known_id is None
        return not is_untouched and self.state not in {EntryState.REFUSED, EntryState.CONFLICT}

    @property
    def touched(self) -> frozenset[str]:
        """The keys of the fields it sets; empty for comments."""
        if self.kind is EntryKind.EDIT:
            return frozenset(self.payload)
        fields = self.payload.get("fields")
        return frozenset(fields) if isinstance(fields, dict) else frozenset()

    @property
    def parent_id(self) -> int | None:
        """The item a new task belongs to; it may itself still be temporary."""
        fields = self.payload.get("fields")
        parent = fields.get("ParentID") if isinstance(fields, dict) else None
        return parent if isinstance(parent, int) else None


def payload_of(text: str, *, for_customers: bool) -> dict[str, object]:
    """What a COMMENT holds; its type is only there where customers see it (FEATURES rule 44)."""
    return {"text": text, "type": FOR_CUSTOMERS} if for_customers else {"text": text}


def is_for_customers(payload: Mapping[str, object]) -> bool:
    """Whether customers see what a COMMENT makes, or saw what a DELETE_COMMENT takes away."""
    return payload.get("type") == FOR_CUSTOMERS
