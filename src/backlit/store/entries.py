"""The journal's entries: changes of the user that the service has, has not, or will not take."""

import time
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum

from backlit.model.trees import ROOT_PARENT

TEMPORARY_IDS = -1_000_000_000
"""Temporary ids grow from here, so that they order as they were made and are never the service's."""


class EntryKind(StrEnum):
    """What is done to an item, or to a node of a tree."""

    EDIT = "edit"
    ADD = "add"
    COMMENT = "comment"
    DELETE = "delete"
    DELETE_COMMENT = "delete comment"
    RANK = "rank"
    NODE_ADD = "add node"
    NODE_EDIT = "edit node"
    NODE_DELETE = "delete node"
    RECALL = "recall"
    NODE_RECALL = "recall node"


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


CREATES = frozenset({EntryKind.ADD, EntryKind.COMMENT, EntryKind.NODE_ADD})
"""What makes something that gets an id of the service's."""

DELETES = frozenset({EntryKind.DELETE, EntryKind.DELETE_COMMENT})
"""What takes something away for good."""

ON_COMMENTS = frozenset({EntryKind.COMMENT, EntryKind.DELETE_COMMENT})
"""What is done to a comment; it neither changes nor marks the item."""

FOR_CUSTOMERS = "Feedback"
"""The type of comments and files that customers see."""

ON_NODES = frozenset({EntryKind.NODE_ADD, EntryKind.NODE_EDIT, EntryKind.NODE_DELETE, EntryKind.NODE_RECALL})
"""What is done to an area or iteration; its item id is 0, which no item has."""

RECALLED = DELETES | {EntryKind.NODE_DELETE}
"""What is looked for where it is not clear whether it was done, before it is said to be taken back."""

RECALLS = frozenset({EntryKind.RECALL, EntryKind.NODE_RECALL})
"""What takes back a deletion that may have been done: it looks, and makes again what is gone."""

PLACE_KEYS = {"areas": "AreaID", "iterations": "IterationID"}
"""Under what keys items name the nodes of the two trees."""
PLACE_COLUMNS = {"AreaID": "area_id", "IterationID": "iteration_id"}
"""Under what columns the mirror has them."""
ITEM_PLACES = tuple(PLACE_KEYS.values())
_NODES = frozenset({"id", "parentId", "reassignmentId", "after", "below"})
_REFERENCES = frozenset({*ITEM_PLACES, *_NODES})
"""Under what keys an entry may name something that has a temporary id."""

UNDELIVERED = (EntryState.WAITING, EntryState.SENDING, EntryState.REFUSED, EntryState.CONFLICT)


BUSY = frozenset({EntryState.WAITING, EntryState.SENDING})
"""What is still on its way, as far as anybody knows."""


@dataclass(frozen=True, slots=True)
class OutboxEntry:
    """One journalled change.

    `payload` is what the user wants: fields of an EDIT, `{type, projectId, fields}` of an ADD, `{text}` of a COMMENT,
    `{id, text}` of a DELETE_COMMENT (both with the `type` of what customers see), nothing for a DELETE; `{beside}` of a
    RANK: where it is to stand, the best first.
    Those on nodes hold `tree` and `name`, then: a NODE_ADD `values` and `place`, a NODE_EDIT `id`, `values` and, where
    it is moved, `place`; a NODE_DELETE `id`, `reassignmentId` and `below`, the ids of all that goes. A place is
    `{parentId, after}`: the sibling before it, 0 at the top. A NODE_DELETE keeps in `nodes` what it takes to make all
    of it again. A RECALL and a NODE_RECALL hold in `of` the entry whose deletion they take back.
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
        if self.kind in RECALLS:
            return self.state is EntryState.SENT
        is_untouched = self.state is EntryState.WAITING and self.known_id is None
        return not is_untouched and self.state not in {EntryState.REFUSED, EntryState.CONFLICT}

    @property
    def touched(self) -> frozenset[str]:
        """The keys of the fields it sets; empty for comments."""
        if self.kind is EntryKind.EDIT:
            return frozenset(self.payload)
        if self.kind is EntryKind.NODE_EDIT:
            return frozenset(self.base)
        fields = self.payload.get("fields")
        return frozenset(fields) if isinstance(fields, dict) else frozenset()

    @property
    def parent_id(self) -> int | None:
        """The item a new task belongs to; it may itself still be temporary."""
        fields = self.payload.get("fields")
        parent = fields.get("ParentID") if isinstance(fields, dict) else None
        return parent if isinstance(parent, int) else None

    @property
    def node_id(self) -> int:
        """The node an entry is about; temporary while the service does not have it."""
        if self.kind is EntryKind.NODE_ADD:
            return self.temporary_id
        found = self.payload.get("id")
        return found if isinstance(found, int) else 0

    @property
    def places(self) -> frozenset[int]:
        """The areas and iterations that an entry on an item puts it in."""
        fields = self.payload if self.kind is EntryKind.EDIT else self.payload.get("fields")
        if self.kind in ON_NODES or not isinstance(fields, dict):
            return frozenset()
        return frozenset(each for key in ITEM_PLACES if isinstance(each := fields.get(key), int))

    @property
    def needs(self) -> frozenset[int]:
        """What it names and cannot be sent without: nodes, or the comment that it deletes."""
        if self.kind not in ON_NODES:
            comment_id = self.payload.get("id") if self.kind is EntryKind.DELETE_COMMENT else None
            return self.places | ({comment_id} if isinstance(comment_id, int) else set())
        place = self.payload.get("place")
        ids = [self.payload.get("id"), self.payload.get("reassignmentId")]
        ids += [place.get("parentId")] if isinstance(place, dict) else []
        return frozenset(each for each in ids if isinstance(each, int))


def with_real_ids(entry: OutboxEntry, real_id: Callable[[int], int]) -> OutboxEntry:
    """The entry with the ids that the places, nodes and parents it names have by now."""
    return _with_ids(entry, _REFERENCES, lambda value: real_id(value) if value < ROOT_PARENT else value)


def with_nodes_as(entry: OutboxEntry, tree: str, new_ids: Mapping[int, int]) -> OutboxEntry:
    """The entry with other ids for nodes of a tree, where it names them."""
    keys = frozenset({PLACE_KEYS[tree]})
    if entry.kind in ON_NODES:
        keys = _NODES if entry.payload.get("tree") == tree else frozenset()
    return _with_ids(entry, keys, lambda value: new_ids.get(value, value))


def _with_ids(entry: OutboxEntry, keys: Collection[str], id_of: Callable[[int], int]) -> OutboxEntry:
    payload, base, theirs = (_renamed(each, keys, id_of) for each in (entry.payload, entry.base, entry.theirs))
    return replace(entry, payload=payload, base=base, theirs=theirs)


def _renamed(document: Mapping[str, object], keys: Collection[str], id_of: Callable[[int], int]) -> dict[str, object]:
    return {key: _resolved(value, keys, id_of, is_id=key in keys) for key, value in document.items()}


def _resolved(value: object, keys: Collection[str], id_of: Callable[[int], int], *, is_id: bool) -> object:
    if isinstance(value, dict):
        return _renamed(value, keys, id_of)
    if isinstance(value, list):
        return [_resolved(each, keys, id_of, is_id=is_id) for each in value]
    return id_of(value) if is_id and isinstance(value, int) else value


def payload_of(text: str, *, for_customers: bool) -> dict[str, object]:
    """What a COMMENT holds; its type is only there where customers see it (FEATURES rule 44)."""
    return {"text": text, "type": FOR_CUSTOMERS} if for_customers else {"text": text}


def is_for_customers(payload: Mapping[str, object]) -> bool:
    """Whether customers see what a COMMENT makes, or saw what a DELETE_COMMENT takes away."""
    return payload.get("type") == FOR_CUSTOMERS


def recall_of(deletion: OutboxEntry) -> OutboxEntry:
    """The entry that takes a deletion back."""
    kept = {key: deletion.payload.get(key) for key in ("tree", "id", "name", "type", "text") if key in deletion.payload}
    kind = EntryKind.NODE_RECALL if deletion.kind is EntryKind.NODE_DELETE else EntryKind.RECALL
    payload = {"of": deletion.id, **kept}
    return OutboxEntry(0, time.time(), deletion.project_id, deletion.item_id, kind, payload)
