"""The operations of an undo or redo."""

from collections.abc import Mapping

from msgspec import Struct

from backlit.model.trees import NO_TOTALS, NodeTotals
from backlit.store.journal.undo_log import ItemCopy
from backlit.store.records.entry import OutboxEntry


class FieldChange(Struct, frozen=True):
    """A written field: its current and its new value. It is contested if another user changed it since."""

    item_id: int
    key: str
    before: object
    after: object
    is_contested: bool = False


class NamedItem(Struct, frozen=True):
    """An item by number, type and name. It may be deleted."""

    id: int
    type: str
    name: str


class NamedObject(Struct, frozen=True):
    """An object below an item in words: its noun, its text, and what an undo does to it, after "is".

    `redone` is what a redo does, where that is another word.
    """

    noun: str
    text: str
    again: str
    redone: str = ""
    item_id: int = 0
    nouns: str = ""


class _EntryOperation(Struct, frozen=True):
    """An operation on a whole entry."""

    entry: OutboxEntry

    @property
    def item_id(self) -> int:
        return self.entry.item_id


class DiscardEntryOperation(_EntryOperation, frozen=True):
    """The discard of an unsent entry."""


class RestoreEntryOperation(_EntryOperation, frozen=True):
    """The return of a discarded entry."""


class EditItemOperation(Struct, frozen=True):
    """An edit of an item. `base` holds the expected values on the service.

    `stands_for` is the repeated entry, 0 for none. The edit belongs to that entry's acts.
    """

    item_id: int
    payload: Mapping[str, object]
    base: Mapping[str, object]
    stands_for: int = 0


class DeleteItemOperation(Struct, frozen=True):
    """The permanent deletion of an item."""

    item_id: int
    stands_for: int = 0


class RecreateItemOperation(Struct, frozen=True):
    """The creation of a deleted item, under a new id."""

    copy: ItemCopy

    @property
    def item_id(self) -> int:
        return self.copy.item_id


class RecallDeletionOperation(_EntryOperation, frozen=True):
    """The discard of a deletion with an unclear outcome. The service is asked, and a deleted object is restored."""


class DeleteObjectOperation(_EntryOperation, frozen=True):
    """The deletion of an object below an item: a new entry, in the place of a repeated one, 0 for none."""

    stands_for: int = 0


class RecreateObjectOperation(_EntryOperation, frozen=True):
    """The new entry that makes a deleted object below an item again, or gives it its former values."""


class TransformBackOperation(Struct, frozen=True):
    """The entries that give an item its former type, project or parent, and then what it lost by that."""

    item_id: int
    entries: tuple[OutboxEntry, ...]
    ranks: tuple[OutboxEntry, ...] = ()
    """The former places in the order, which are found once the items are back."""


class MissingItem(Struct, frozen=True):
    """A deleted item that cannot be changed any more."""

    item_id: int


class RestoreRanksOperation(Struct, frozen=True):
    """The return of items to their former positions."""

    entries: tuple[OutboxEntry, ...]


class EditNodeOperation(Struct, frozen=True):
    """The entry that reverts a sent change of a node."""

    entry: OutboxEntry
    item_id: int = 0


class DeleteNodeOperation(Struct, frozen=True):
    """The entry that deletes a node which the act created. Its items move to another node."""

    entry: OutboxEntry
    target: str
    moved: NodeTotals = NO_TOTALS
    is_changed: bool = False
    """True if the node's values changed since its creation."""
    item_id: int = 0


class RecreateNodesOperation(Struct, frozen=True):
    """The creation of a deleted subtree under new ids, and the return of its items from the deletion's target."""

    entry: OutboxEntry
    item_ids: tuple[int, ...] = ()
    stay: int = 0
    """The number of items that keep their current place."""
    item_id: int = 0


class IrreversibleNodeChange(Struct, frozen=True):
    """A node's change that cannot be undone. The reason ends a sentence."""

    entry: OutboxEntry
    reason: str
    item_id: int = 0


WritingOperation = (
    DiscardEntryOperation
    | RestoreEntryOperation
    | RecreateItemOperation
    | RecallDeletionOperation
    | EditItemOperation
    | DeleteItemOperation
    | DeleteObjectOperation
    | RecreateObjectOperation
    | TransformBackOperation
    | EditNodeOperation
    | DeleteNodeOperation
    | RecreateNodesOperation
)
"""The operations that change an item or node."""
UndoOperation = WritingOperation | RestoreRanksOperation | MissingItem | IrreversibleNodeChange
UndoEffect = tuple[UndoOperation, tuple[FieldChange, ...]]
"""An operation, and the field changes that the user sees."""
