"""What the service says was changed, sorted by how it is read."""

from collections.abc import Iterable
from enum import Enum, auto
from typing import Any, Self

from msgspec import Struct

from backlit.store.records.item import whole
from backlit.store.records.others import OthersAct, OthersEdit
from backlit.store.sync.order import RANK

MOST_ITEMS = 500
"""Changed items beyond which a sync reads them by their stamps."""
_GONE = frozenset({"removed", "left"})
_OF_ITEMS = frozenset({"relation", "link", "criterion", "timeEntry"})
_ACTS = {"created": OthersAct.CREATED, "came": OthersAct.CREATED, "removed": OthersAct.REMOVED}


class ReadBy(Enum):
    """How a change is read."""

    ITEM = auto()
    RANK = auto()
    LISTS = auto()
    """With the comments and files of its item."""
    COMMENTS = auto()
    FILES = auto()
    TREES = auto()
    VIEWS = auto()
    SYNC = auto()
    NOTHING = auto()


_ADDED = {"comment": ReadBy.COMMENTS, "file": ReadBy.FILES}
_OF_PROJECTS = {"area": ReadBy.TREES, "iteration": ReadBy.TREES, "view": ReadBy.VIEWS}


class FollowedRow(Struct, frozen=True):
    """A change: its revision, its object, and who did what."""

    revision: int
    project_id: int | None
    kind: str
    act: str
    object_id: int
    item_id: int | None
    user_id: int | None
    cause: str | None
    fields: frozenset[str]

    @classmethod
    def read(cls, row: Any) -> Self | None:
        """Read a row of the stream; None for one that cannot be read."""
        if not isinstance(row, dict):
            return None
        revision, object_id, kind, act = whole(row.get("r")), whole(row.get("id")), row.get("k"), row.get("a")
        if revision is None or object_id is None or not isinstance(kind, str) or not isinstance(act, str):
            return None
        cause, fields = row.get("c"), row.get("f")
        return cls(
            revision,
            whole(row.get("p")),
            kind,
            act,
            object_id,
            object_id if kind == "item" else whole(row.get("item")),
            whole(row.get("by")),
            cause if isinstance(cause, str) else None,
            frozenset(map(str, fields)) if isinstance(fields, list) else frozenset(),
        )

    @property
    def key(self) -> tuple[str, int]:
        return self.kind, self.object_id

    def is_of(self, project_id: int) -> bool:
        """Report whether it concerns a project, as changes of the workspace do."""
        return self.project_id in (None, project_id)

    @property
    def is_rank(self) -> bool:
        return self.kind == "item" and self.fields == {RANK}

    def others_edit(self, user_id: int | None) -> OthersEdit | None:
        """Return what another user than `user_id` did on purpose; rows that only made room for a rank are none."""
        if self.kind != "item" or self.user_id in (None, user_id) or self.cause in _BESIDE:
            return None
        act = OthersAct.MOVED if self.is_rank else _ACTS.get(self.act, OthersAct.CHANGED)
        return OthersEdit(self.object_id, self.user_id or 0, act, self.fields)

    def read_by(self) -> tuple[ReadBy, int]:
        """Return how the change is read, and of which object."""
        if self.kind == "item":
            how = ReadBy.NOTHING if self.act in _GONE else ReadBy.RANK if self.is_rank else ReadBy.ITEM
            return how, self.object_id
        if self.kind in _ADDED and self.act == "created":
            return _ADDED[self.kind], self.object_id
        if self.item_id is not None and (self.kind in _ADDED or self.kind in _OF_ITEMS):
            return (ReadBy.LISTS if self.kind in _ADDED else ReadBy.ITEM), self.item_id
        return _OF_PROJECTS.get(self.kind, ReadBy.SYNC), self.object_id


_BESIDE = frozenset({"rollUp", "renumbered", "removedWithAnother"})


class FollowedChanges(Struct, frozen=True):
    """The changes of one project, by how they are read: ids of items, and whether there are others."""

    changed: frozenset[int] = frozenset()
    ranked: frozenset[int] = frozenset()
    gone: frozenset[int] = frozenset()
    created: frozenset[int] = frozenset()
    """Items that are new, and have nothing below them yet."""
    below: frozenset[int] = frozenset()
    """Items whose comments or files were changed or removed."""
    has_comments: bool = False
    has_files: bool = False
    """Comments or files were added."""
    has_trees: bool = False
    has_views: bool = False
    is_more: bool = False
    """Something else was changed: settings, users, or too much."""
    edits: tuple[OthersEdit, ...] = ()

    @classmethod
    def of(cls, rows: Iterable[FollowedRow | None], user_id: int | None = None) -> Self:
        """Sort the rows of a project, None is an unknown one; `user_id` is the user of this program."""
        groups: dict[ReadBy, set[int]] = {each: set() for each in ReadBy}
        edits: dict[int, OthersEdit] = {}
        created: set[int] = set()
        with_objects: set[int | None] = set()
        for row in rows:
            if row is not None and row.kind == "item" and row.act == "created":
                created.add(row.object_id)
            elif row is not None and row.kind in _OF_ITEMS:
                with_objects.add(row.item_id)
            read_by, identity = (ReadBy.SYNC, 0) if row is None else row.read_by()
            groups[read_by].add(identity)
            edit = None if row is None else row.others_edit(user_id)
            if edit is not None:
                before = edits.get(edit.item_id)
                edits[edit.item_id] = edit if before is None else before.followed_by(edit)
        gone, many = groups[ReadBy.NOTHING], groups[ReadBy.ITEM] | groups[ReadBy.RANK] | groups[ReadBy.LISTS]
        return cls(
            frozenset(groups[ReadBy.ITEM] - gone),
            frozenset(groups[ReadBy.RANK] - gone),
            frozenset(gone),
            frozenset(created - with_objects),
            frozenset(groups[ReadBy.LISTS] - gone),
            has_comments=bool(groups[ReadBy.COMMENTS]),
            has_files=bool(groups[ReadBy.FILES]),
            has_trees=bool(groups[ReadBy.TREES]),
            has_views=bool(groups[ReadBy.VIEWS]),
            is_more=bool(groups[ReadBy.SYNC]) or len(many) > MOST_ITEMS,
            edits=tuple(edits.values()),
        )
