"""The questions of the groom queue and the item, beside each other where there is room, else below."""

from textual.containers import Container
from textual.message import Message

WIDE = 110
"""Cells from which the item stands beside the questions."""
SHARE = 45
"""Per cent of the width that the questions then have; the style sheet says the same."""


class GroomPanes(Container):
    """Places what is in it."""

    class Placed(Message):
        """They lie otherwise; `line` is the column of the line between them, None where there is none."""

        def __init__(self, line: int | None) -> None:
            super().__init__()
            self.line = line

    def on_resize(self) -> None:
        """Place them by the room there is."""
        is_below = self.size.width < WIDE
        self.set_class(is_below, "-below")
        self.post_message(self.Placed(None if is_below else self.size.width * SHARE // 100))
