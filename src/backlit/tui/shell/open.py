"""Open: the one message with which a screen asks for another place of an item."""

from enum import StrEnum

from textual.message import Message


class ItemPlace(StrEnum):
    """A place where an item can be looked at."""

    EDITOR = "editor"
    COMMENTS = "comments"
    ATTACHMENTS = "attachments"
    BACKLOG = "backlog"


class Open(Message):
    """Asks the application to show an item at a place; `comment_id` narrows attachments to those of a comment."""

    def __init__(self, item_id: int, place: ItemPlace, comment_id: int | None = None) -> None:
        super().__init__()
        self.item_id = item_id
        self.place = place
        self.comment_id = comment_id
