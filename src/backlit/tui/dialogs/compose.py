"""A text of several lines, kept as a draft while it is written."""

from typing import TYPE_CHECKING

from textual.app import ComposeResult
from textual.timer import Timer
from textual.widgets import Static, TextArea

from backlit.tui.dialogs.dialog import Dialog
from backlit.tui.text import literal
from backlit.tui.widgets.inputs import TextInput
from backlit.tui.work import work

if TYPE_CHECKING:
    from backlit.store.store import Store

SAVE_DELAY = 0.3
"""Seconds from a key until the draft is written."""


class ComposeDialog(Dialog[str | None]):
    """Asks for a text; what is typed outlives the dialog under `key` until its caller discards the draft.

    The answer is the text; None when it was left, and then the draft stays. `text` is what a new draft starts with, and
    `made_from` what the one that is shown has started with.
    """

    def __init__(self, store: "Store", key: str, title: str, text: str = "", act: str = "send") -> None:
        super().__init__(title)
        self._store = store
        self._key = key
        draft = store.draft(key) or {}
        kept = draft.get("text")
        self._kept = kept if isinstance(kept, str) and kept.strip() else None
        self.made_from = str(draft.get("base", "")) if self._kept is not None else text
        self.area = TextInput(self._kept or text)
        self.area.move_cursor(self.area.document.end)
        self._saved = self._content()
        self._timer: Timer | None = None
        self.frame.border_subtitle = literal(f"ctrl+s {act}  esc keep for later")

    def content(self) -> ComposeResult:
        """The text, over it where it comes from."""
        if self._kept is not None:
            yield Static(literal("This was kept from before; it has not been sent."), classes="note")
        yield self.area

    def type_early(self, character: str) -> None:
        """Type into the text."""
        self.area.insert(character)

    def press(self, key: str) -> bool:
        """Send, or leave and keep the draft."""
        match key:
            case "ctrl+s" | "ctrl+o":
                self._save()
                self.dismiss(self.area.text)
            case "escape":
                self._save()
                self.dismiss(None)
            case "enter":
                self.area.insert("\n")
            case _:
                return False
        return True

    def on_text_area_changed(self, event: TextArea.Changed) -> None:
        """Keep what is typed in a moment, also while somebody goes on typing."""
        event.stop()
        if self._timer is None:
            self._timer = self.set_timer(SAVE_DELAY, self._save)

    def _save(self) -> None:
        """Write the draft; the app's worker outlives the dialog, and writes keep their order."""
        if self._timer is not None:
            self._timer.stop()
            self._timer = None
        content = self._content()
        if content != self._saved:
            self._saved = content
            self.app.run_worker(work(self._store.save_draft, self._key, content), group="drafts")

    def _content(self) -> dict[str, object]:
        """What is kept."""
        base = {"base": self.made_from} if self.made_from else {}
        return {"text": self.area.text, **base}
