"""Journal entries: the user's changes, delivered, pending or rejected."""

import time
from collections.abc import Callable, Collection, Mapping
from datetime import UTC, datetime
from enum import StrEnum

from msgspec import Struct, field
from msgspec.structs import replace

from backlit.model.planning import EVENT_KEYS, IterationEvent
from backlit.model.trees import ROOT_PARENT
from backlit.store.records.entry_values import TEMPORARY_IDS, UNDELIVERED_STATES


class EntryKind(StrEnum):
    """The kind of change, to an item or to a node of a tree."""

    EDIT = "edit"
    ADD = "add"
    COMMENT = "comment"
    DELETE = "delete"
    CONVERT = "convert"
    MOVE = "move"
    MOVE_ALONG = "move along"
    MOVE_TASK = "move task"
    DELETE_COMMENT = "delete comment"
    RANK = "rank"
    NODE_ADD = "add node"
    NODE_EDIT = "edit node"
    NODE_DELETE = "delete node"
    RELATE = "relate"
    MOVE_PARENT = "move parent"
    UNRELATE = "unrelate"
    ADD_CRITERION = "add criterion"
    EDIT_CRITERION = "edit criterion"
    DELETE_CRITERION = "delete criterion"
    ADD_LINK = "add link"
    EDIT_LINK = "edit link"
    DELETE_LINK = "delete link"
    LOG_TIME = "log time"
    EDIT_TIME = "edit time"
    DELETE_TIME = "delete time"
    RECALL = "recall"
    NODE_RECALL = "recall node"


class EntryState(StrEnum):
    """The delivery state of an entry. The first four are undelivered."""

    WAITING = "waiting"
    SENDING = "sending"
    REFUSED = "refused"
    CONFLICT = "conflict"
    SENT = "sent"
    DISCARDED = "discarded"
    KEPT = "kept"
    """Done on this machine only and never sent."""


class EntryCause(StrEnum):
    """Why a change was made, as the service's history names it; ordinary changes name nothing."""

    ASKED = ""
    UNDO = "undo"
    RESTORE = "restore"
    IMPORT = "import"


OBJECT_DELETION_BY_CREATION = {
    EntryKind.COMMENT: EntryKind.DELETE_COMMENT,
    EntryKind.RELATE: EntryKind.UNRELATE,
    EntryKind.ADD_CRITERION: EntryKind.DELETE_CRITERION,
    EntryKind.ADD_LINK: EntryKind.DELETE_LINK,
    EntryKind.LOG_TIME: EntryKind.DELETE_TIME,
}
"""The kinds that create an object below an item, and those that delete it, whose payload's `id` is the object's."""
OBJECT_CREATION_BY_DELETION = {deletion: creation for creation, deletion in OBJECT_DELETION_BY_CREATION.items()}
OBJECT_EDIT_BY_CREATION = {
    EntryKind.RELATE: EntryKind.MOVE_PARENT,
    EntryKind.ADD_CRITERION: EntryKind.EDIT_CRITERION,
    EntryKind.ADD_LINK: EntryKind.EDIT_LINK,
    EntryKind.LOG_TIME: EntryKind.EDIT_TIME,
}
"""The kinds that change values of an object below an item."""

OBJECT_CREATION_BY_CHANGE = {
    **{creation: creation for creation in OBJECT_DELETION_BY_CREATION},
    **{edit: creation for creation, edit in OBJECT_EDIT_BY_CREATION.items()},
    **OBJECT_CREATION_BY_DELETION,
}

OBJECT_CREATIONS = frozenset(OBJECT_DELETION_BY_CREATION)
OBJECT_DELETIONS = frozenset(OBJECT_DELETION_BY_CREATION.values())
OBJECT_EDITS = frozenset(OBJECT_EDIT_BY_CREATION.values())

CREATES = OBJECT_CREATIONS | {EntryKind.ADD, EntryKind.NODE_ADD}
"""Kinds that create an object with an id from the service."""

EDITS = OBJECT_EDITS | {EntryKind.EDIT, EntryKind.NODE_EDIT}
"""Kinds that change values of an object."""

DELETES = OBJECT_DELETIONS | {EntryKind.DELETE, EntryKind.NODE_DELETE}
"""Kinds that delete permanently. Their undo looks on the service first if the outcome is unclear."""

ON_ITEMS = frozenset({EntryKind.ADD, EntryKind.EDIT, EntryKind.DELETE})
"""Kinds of changes to items."""

TRANSFORMS = frozenset({EntryKind.CONVERT, EntryKind.MOVE, EntryKind.MOVE_ALONG, EntryKind.MOVE_TASK})
"""Kinds that give an item another type, project or parent. A MOVE_ALONG is sent with the MOVE of its target."""

NEED_ITEM = OBJECT_CREATIONS | TRANSFORMS | {EntryKind.EDIT}
"""Kinds of changes that are lost with their item, unless it is created again."""

ON_OBJECTS = OBJECT_CREATIONS | OBJECT_EDITS | OBJECT_DELETIONS
"""Kinds of changes to objects below items. They neither change nor mark the item."""

ON_RELATIONS = frozenset({EntryKind.RELATE, EntryKind.MOVE_PARENT, EntryKind.UNRELATE})
"""Kinds of changes of relations, which are sent one after another for each type."""

FOR_CUSTOMERS = "Feedback"
"""The type of comments and files that customers see."""

ON_NODES = frozenset({EntryKind.NODE_ADD, EntryKind.NODE_EDIT, EntryKind.NODE_DELETE, EntryKind.NODE_RECALL})
"""Kinds of changes to areas and iterations. Their item id is 0, which no item has."""

RECALLS = frozenset({EntryKind.RECALL, EntryKind.NODE_RECALL})
"""Kinds that undo a deletion of unclear outcome: they look, and restore a deleted object."""

PLACE_KEYS = {"areas": "AreaID", "iterations": "IterationID"}
"""The item field that refers to each tree."""
PLACE_COLUMNS = {"AreaID": "area_id", "IterationID": "iteration_id"}
"""The mirror's column of each of these fields."""
ITEM_PLACES = tuple(PLACE_KEYS.values())
SPLIT_KEY = "splitFrom"
"""The key of an ADD that names the item whose part it creates."""
_NODES = frozenset({"id", "parentId", "reassignmentId", "after", "below"})
TARGET_KEY = "targetId"
"""The key of the item at the other end of a relation."""
_REFERENCES = frozenset({*ITEM_PLACES, *_NODES, TARGET_KEY})
"""The payload keys that may hold a temporary id."""

UNDELIVERED = tuple(map(EntryState, UNDELIVERED_STATES))


BUSY = frozenset({EntryState.WAITING, EntryState.SENDING})
"""States of entries that may still be in transit."""


class OutboxEntry(Struct, frozen=True):
    """A journalled change.

    `payload` is the requested change: fields of an EDIT, `{type, projectId, fields}` of an ADD, `{text}` of a
    COMMENT, `{id, text}` of a DELETE_COMMENT (both with `type` if customers see it), nothing for a DELETE, the values
    of a new object below an item, `{id, values}` of a changed one, `{id}` and the values of a deleted one,
    `{beside}` of a RANK: target positions, the best first. TRANSFORMS hold `values`, what the item has after them with
    `type` and `projectId` among the fields, and `fields`, what is asked for of these; `targetId` is the new parent of a
    task, of a MOVE_ALONG the item that it moves with. What moves to another project holds what it stands `beside`, and
    where `at` among what moves with it.

    Entries on nodes hold `tree` and `name`, and in addition: a NODE_ADD `values` and `place`, a NODE_EDIT `id`,
    `values` and for a move `place`, a NODE_DELETE `id`, `reassignmentId`, `below`, the ids of all deleted nodes,
    and `nodes`, their copies. A NODE_EDIT of an `event` has its time as the only value. A place is
    `{parentId, after}`: the preceding sibling, 0 at the top. A RECALL and a NODE_RECALL hold in `of` the entry of
    the deletion to undo.

    `base` holds the previous values of the touched fields, for a DELETE those of all settable fields, for a RANK
    the previous position. `theirs` holds the service's values in a conflict. `known_id` is the largest id known
    when an entry that creates was first sent: a created object has a larger one. For other kinds it is 0 once the entry
    may have been sent.

    `step` is shared by the entries of an act. Undo of an act is a step of its own.
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
    cause: EntryCause = EntryCause.ASKED

    @property
    def note(self) -> str:
        """What the service is told about the change beside its values: the cause, and when it was made here."""
        at = datetime.fromtimestamp(self.created_at, UTC).replace(microsecond=0, tzinfo=None)
        parts = [f"cause={self.cause}"] if self.cause else []
        return "; ".join([*parts, f"at={at.isoformat()}Z"])

    @property
    def temporary_id(self) -> int:
        return TEMPORARY_IDS + self.id

    @property
    def may_have_been_sent(self) -> bool:
        """True if the entry may have taken effect on the service: it was sent, or its outcome is unclear."""
        if self.kind in RECALLS:
            return self.state is EntryState.SENT
        is_untouched = self.state is EntryState.WAITING and self.known_id is None
        return not is_untouched and self.state not in {EntryState.REFUSED, EntryState.CONFLICT}

    @property
    def split_from(self) -> int | None:
        """The item whose done part an ADD creates."""
        source = self.payload.get(SPLIT_KEY) if self.kind is EntryKind.ADD else None
        return source if isinstance(source, int) else None

    @property
    def fields(self) -> Mapping[str, object]:
        """The fields of an item that the entry sets, none for objects below items and nodes."""
        fields = self.payload if self.kind is EntryKind.EDIT else self.payload.get("fields")
        return fields if isinstance(fields, Mapping) else {}

    @property
    def touched(self) -> frozenset[str]:
        return frozenset(self.base if self.kind is EntryKind.NODE_EDIT else self.fields)

    @property
    def transformed_values(self) -> Mapping[str, object]:
        """What an item has after one of TRANSFORMS, with `type` and `projectId` among the fields."""
        values = self.payload.get("values") if self.kind in TRANSFORMS else None
        found = dict(values) if isinstance(values, Mapping) else {}
        is_below = TARGET_KEY in self.payload and self.kind is not EntryKind.MOVE_ALONG
        return {**found, "ParentID": self.payload[TARGET_KEY]} if is_below else found

    @property
    def parent_id(self) -> int | None:
        parent = self.fields.get("ParentID") if self.kind is EntryKind.ADD else None
        return parent if isinstance(parent, int) else None

    @property
    def node_id(self) -> int:
        if self.kind is EntryKind.NODE_ADD:
            return self.temporary_id
        found = self.payload.get("id")
        return found if isinstance(found, int) else 0

    @property
    def event(self) -> IterationEvent | None:
        """The start or close of an iteration that a NODE_EDIT records, or withdraws by the value None."""
        values = self.payload.get("values") if self.kind is EntryKind.NODE_EDIT else None
        return next((event for event, key in EVENT_KEYS.items() if isinstance(values, Mapping) and key in values), None)

    @property
    def places(self) -> frozenset[int]:
        return _places_in(self.fields)

    @property
    def places_of_deleted(self) -> frozenset[int]:
        """The nodes that hold a deleted item. They go after it: the deletion expects its fields as they were."""
        return _places_in(self.base) if self.kind is EntryKind.DELETE else frozenset()

    @property
    def needs(self) -> frozenset[int]:
        """The nodes, the object below an item and the other end of a relation that must exist on the service first."""
        if self.kind in TRANSFORMS:
            return self.targets | self.places
        if self.kind in ON_OBJECTS:
            object_id = self.payload.get("id")
            return self.targets | ({object_id} if isinstance(object_id, int) else set())
        if self.kind not in ON_NODES:
            return self.places
        place = self.payload.get("place")
        ids = [self.payload.get("id"), self.payload.get("reassignmentId")]
        ids += [place.get("parentId")] if isinstance(place, dict) else []
        return frozenset(each for each in ids if isinstance(each, int))

    @property
    def targets(self) -> frozenset[int]:
        """The items at the other end of a relation: that of now, and another one."""
        values = self.payload.get("values")
        ends = (self.payload, values if isinstance(values, Mapping) else {})
        return frozenset(each for end in ends if isinstance(each := end.get(TARGET_KEY), int))

    def with_targets(self, new_ids: Mapping[int, int]) -> "OutboxEntry":
        return self._with_ids({TARGET_KEY}, lambda value: new_ids.get(value, value))

    def with_real_ids(self, real_id: Callable[[int], int]) -> "OutboxEntry":
        return self._with_ids(_REFERENCES, lambda value: real_id(value) if value < ROOT_PARENT else value)

    def with_nodes_as(self, tree: str, new_ids: Mapping[int, int]) -> "OutboxEntry":
        keys = frozenset({PLACE_KEYS[tree]})
        if self.kind in ON_NODES:
            keys = _NODES if self.payload.get("tree") == tree else frozenset()
        return self._with_ids(keys, lambda value: new_ids.get(value, value))

    def _with_ids(self, keys: Collection[str], id_of: Callable[[int], int]) -> "OutboxEntry":
        payload, base, theirs = (_renamed(each, keys, id_of) for each in (self.payload, self.base, self.theirs))
        return replace(self, payload=payload, base=base, theirs=theirs)

    def recall(self) -> "OutboxEntry":
        kept = {key: self.payload.get(key) for key in ("tree", "id", "name", "type", "text") if key in self.payload}
        kind = EntryKind.NODE_RECALL if self.kind is EntryKind.NODE_DELETE else EntryKind.RECALL
        payload = {"of": self.id, **kept}
        return new_entry(kind, self.project_id, payload, self.item_id)


def _places_in(fields: Mapping[str, object]) -> frozenset[int]:
    """Return the nodes that hold an item."""
    return frozenset(each for key in ITEM_PLACES if isinstance(each := fields.get(key), int))


def _renamed(document: Mapping[str, object], keys: Collection[str], id_of: Callable[[int], int]) -> dict[str, object]:
    return {key: _resolved(value, keys, id_of, is_id=key in keys) for key, value in document.items()}


def _resolved(value: object, keys: Collection[str], id_of: Callable[[int], int], *, is_id: bool) -> object:
    if isinstance(value, dict):
        return _renamed(value, keys, id_of)
    if isinstance(value, list):
        return [_resolved(each, keys, id_of, is_id=is_id) for each in value]
    return id_of(value) if is_id and isinstance(value, int) else value


def new_entry(
    kind: EntryKind,
    project_id: int,
    payload: Mapping[str, object],
    item_id: int = 0,
    base: Mapping[str, object] | None = None,
) -> OutboxEntry:
    """Return an entry of this moment. The journal assigns its id, and the item id of an ADD."""
    return OutboxEntry(0, time.time(), project_id, item_id, kind, payload, base or {})


def new_comment(project_id: int, item_id: int, text: str, *, for_customers: bool = False) -> OutboxEntry:
    payload = {"text": text, "type": FOR_CUSTOMERS} if for_customers else {"text": text}
    return new_entry(EntryKind.COMMENT, project_id, payload, item_id)


def is_for_customers(payload: Mapping[str, object]) -> bool:
    return payload.get("type") == FOR_CUSTOMERS
