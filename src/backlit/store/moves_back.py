"""The moves that taking an act back, or doing it again, is made of."""

from collections.abc import Mapping
from dataclasses import dataclass

from backlit.store.entries import OutboxEntry
from backlit.store.trash import Copy


@dataclass(frozen=True, slots=True)
class FieldChange:
    """A field that is written: as it is now, and as it will be; contested where somebody changed it since."""

    item_id: int
    key: str
    before: object
    after: object
    is_contested: bool = False


@dataclass(frozen=True, slots=True)
class Named:
    """An item by what people know it by; it may not be there any more."""

    id: int
    type: str
    name: str


@dataclass(frozen=True, slots=True)
class Withdraw:
    """Give up an entry that has not been sent."""

    entry: OutboxEntry

    @property
    def item_id(self) -> int:
        """The item that it is about."""
        return self.entry.item_id


@dataclass(frozen=True, slots=True)
class Return:
    """Take up again an entry that was withdrawn."""

    entry: OutboxEntry

    @property
    def item_id(self) -> int:
        """The item that it is about."""
        return self.entry.item_id


@dataclass(frozen=True, slots=True)
class Write:
    """Edit an item; `base` is what the service is expected to have.

    `stands_for` is the entry that it writes again, 0 for none: it belongs to what that one belonged to.
    """

    item_id: int
    payload: Mapping[str, object]
    base: Mapping[str, object]
    stands_for: int = 0


@dataclass(frozen=True, slots=True)
class Delete:
    """Delete an item for good."""

    item_id: int
    stands_for: int = 0


@dataclass(frozen=True, slots=True)
class Restore:
    """Make a deleted item again, under a new id."""

    copy: Copy

    @property
    def item_id(self) -> int:
        """The id that it had."""
        return self.copy.item_id


@dataclass(frozen=True, slots=True)
class Recall:
    """Give up a deletion of which it is not clear whether it was done: it is looked for, and made again if need be."""

    entry: OutboxEntry

    @property
    def item_id(self) -> int:
        """The item that it is about."""
        return self.entry.item_id


@dataclass(frozen=True, slots=True)
class DeleteComment:
    """Delete a comment."""

    item_id: int
    comment_id: int
    text: str
    stands_for: int = 0


@dataclass(frozen=True, slots=True)
class WriteComment:
    """Write a comment again, for those who saw it."""

    item_id: int
    text: str
    for_customers: bool = False


@dataclass(frozen=True, slots=True)
class Missing:
    """Nothing can be done: the item is gone."""

    item_id: int


@dataclass(frozen=True, slots=True)
class Rerank:
    """Move items back to where they stood before they were moved."""

    entries: tuple[OutboxEntry, ...]


@dataclass(frozen=True, slots=True)
class WriteNode:
    """Change a node of a tree back, by an entry that does the opposite of the one that was sent."""

    entry: OutboxEntry
    item_id: int = 0


@dataclass(frozen=True, slots=True)
class DeleteNode:
    """Delete a node that the service has by the act, by an entry; its items go to another."""

    entry: OutboxEntry
    target: str
    items: int = 0
    is_changed: bool = False
    """Whether somebody has given it other values since."""
    item_id: int = 0


@dataclass(frozen=True, slots=True)
class RestoreNode:
    """Make again what an entry deleted of a tree, under new ids, and put back the items that lie where they went."""

    entry: OutboxEntry
    item_ids: tuple[int, ...] = ()
    stay: int = 0
    """How many items stay where they are now."""
    item_id: int = 0


@dataclass(frozen=True, slots=True)
class Final:
    """Nothing can be done about a node, for a reason that ends a sentence."""

    entry: OutboxEntry
    reason: str
    item_id: int = 0


Written = (
    Withdraw
    | Return
    | Restore
    | Recall
    | Write
    | Delete
    | DeleteComment
    | WriteComment
    | WriteNode
    | DeleteNode
    | RestoreNode
)
"""What does something to one item, or to a node."""
Move = Written | Rerank | Missing | Final
Told = tuple[Move, tuple[FieldChange, ...]]
"""A move, and the fields that it changes in the eyes of the user."""
