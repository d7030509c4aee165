"""What other users do with items, as the service tells it."""

from enum import StrEnum

from msgspec import Struct


class OthersAct(StrEnum):
    """What was done with an item, by weight; the word is that of a sentence."""

    MOVED = "moved"
    CHANGED = "changed"
    CREATED = "added"
    REMOVED = "deleted"


class OthersEdit(Struct, frozen=True):
    """An act of another user; `fields` are those of a change."""

    item_id: int
    user_id: int
    act: OthersAct
    fields: frozenset[str] = frozenset()

    def followed_by(self, later: "OthersEdit") -> "OthersEdit":
        """Return both as one edit: the later author, all fields, and what weighs more."""
        act = max(self.act, later.act, key=list(OthersAct).index)
        return OthersEdit(self.item_id, later.user_id, act, self.fields | later.fields)


class ItemEditing(Struct, frozen=True):
    """An item that somebody edits, with the label of the field."""

    item_id: int
    field: str = ""
