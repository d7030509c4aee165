"""The part of a dialog that scrolls a text longer than the screen."""

from textual.containers import VerticalScroll
from textual.message import Message


class ScrolledText(VerticalScroll, inherit_bindings=False):
    """A text that each key scrolls at once.

    Textual's own keys for the top and the end scroll after the next drawing, so that keys pressed meanwhile would
    scroll before them.
    """

    class Measured(Message):
        """The text has its size, or another one."""

    def on_resize(self) -> None:
        self.post_message(self.Measured())

    def press(self, key: str) -> bool:
        """Scroll by a key; return whether it is one that scrolls."""
        page, whole = max(1, self.size.height), self.virtual_size.height
        half = max(1, page // 2)
        steps = {"down": 1, "up": -1, "ctrl+d": half, "ctrl+u": -half, "pagedown": page, "pageup": -page}
        steps |= {"home": -whole, "end": whole}
        if key not in steps:
            return False
        self.scroll_relative(y=steps[key], animate=False, immediate=True)
        return True
