"""Text inputs that take keys in the order in which they were typed.

Textual runs a widget's bindings only after a key has travelled up to the application, so that in a burst (a slow
line, a pasted or replayed sequence) a backspace or an enter acts after the letters that were typed behind it. These
inputs act at once, and ask the nearest node above that has `press(key) -> bool` first.
"""

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, ClassVar

from textual import events
from textual.binding import Binding, BindingType
from textual.geometry import Size
from textual.reactive import Reactive
from textual.widgets import Input, TextArea

if TYPE_CHECKING:
    from textual.widget import Widget

    Base = Widget
else:
    Base = object


def _actions(bindings: Iterable[BindingType]) -> Mapping[str, str]:
    """Actions by key, of bindings that may name several keys; enter and ctrl+c are for those above."""
    found = {
        key.strip(): binding.action
        for binding in bindings
        if isinstance(binding, Binding)
        for key in binding.key.split(",")
    }
    return {key: action for key, action in found.items() if key not in {"enter", "ctrl+c", "super+c"}}


class InOrder(Base):
    """Goes in front of a text widget of Textual's."""

    ACTIONS: ClassVar[Mapping[str, str]] = {}

    async def _on_key(self, event: events.Key) -> None:
        if not self.screen.is_current or (not event.is_printable and await self._press(event.key)):
            event.stop()
            event.prevent_default()

    async def _press(self, key: str) -> bool:
        for node in self.ancestors:
            press = getattr(node, "press", None)
            if press is not None and press(key):
                return True
        if key in self.ACTIONS:
            await self.run_action(self.ACTIONS[key])
            return True
        return False


class LineInput(InOrder, Input):
    """One line with readline's keys and a steady cursor; a letter moves nothing else, so the screen is not laid out."""

    ACTIONS = _actions(Input.BINDINGS)
    virtual_size = Reactive(Size(0, 0), layout=False)

    def __init__(self, value: str = "", *, placeholder: str = "", password: bool = False) -> None:
        super().__init__(value, placeholder=placeholder, password=password, select_on_focus=False, compact=True)
        self.cursor_blink = False

    def put(self, text: str) -> None:
        """Put text where the cursor is, in the place of what is selected."""
        self.replace(text, *self.selection)

    def _on_paste(self, event: events.Paste) -> None:
        """Take all of it; several lines become one, where Textual would drop all but the first."""
        event.stop()
        event.prevent_default()
        self.put(" ".join(event.text.splitlines()))


class TextInput(InOrder, TextArea):
    """Several lines, wrapped, with a steady cursor; tab leaves it."""

    ACTIONS = _actions(TextArea.BINDINGS)

    def __init__(self, text: str = "", *, id: str | None = None) -> None:  # noqa: A002 - Textual's name
        super().__init__(text, compact=True, soft_wrap=True, tab_behavior="focus", id=id)
        self.cursor_blink = False
