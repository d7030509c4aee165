"""A text of several lines, kept as a draft while it is written."""

from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING

from textual.app import ComposeResult
from textual.widgets import Static, TextArea

from backlit.model.errors import BacklitError
from backlit.tui.dialogs.dialog import Dialog
from backlit.tui.drawing.text import literal
from backlit.tui.shell.drafts import StoredDraft
from backlit.tui.shell.workers import work
from backlit.tui.widgets.inputs import TextInput

if TYPE_CHECKING:
    from backlit.store.store import Store

Send = Callable[[str], Awaitable[None]]
"""Takes a text over; raises BacklitError where it cannot."""


class ComposeDialog(Dialog[str | None]):
    """Asks for a text; what is typed outlives the dialog under `key` until its caller discards the draft.

    The answer is the text; None when it was left, and then the draft stays. `text` is what a new draft starts with, and
    `made_from` what the one that is shown has started with. With `send` the dialog stays until that has taken the text.
    """

    def __init__(
        self, store: "Store", key: str, title: str, text: str = "", *, act: str = "send", send: Send | None = None
    ) -> None:
        super().__init__(title)
        self._keeping = StoredDraft(store, key)
        self._keeping.begin(self, self._content)
        self._send = send
        self._is_sending = False
        self._fault = Static(literal(""), classes="fault")
        draft = self._keeping.found()
        kept = draft.get("text")
        self._kept = kept if isinstance(kept, str) and kept.strip() else None
        self.made_from = str(draft.get("base", "")) if self._kept is not None else text
        self.area = TextInput(self._kept or text)
        self.area.move_cursor(self.area.document.end)
        self._saved = self._content()
        self.frame.border_subtitle = literal(f"ctrl+s {act}  esc keep for later")

    def content(self) -> ComposeResult:
        """The text, over it where it comes from."""
        if self._kept is not None:
            yield Static(literal("This was kept from before; it has not been sent."), classes="note")
        yield self.area
        yield self._fault

    def type_early(self, character: str) -> None:
        """Type into the text."""
        self.area.insert(character)

    def press(self, key: str) -> bool:
        """Send, or leave and keep the draft."""
        match key:
            case "ctrl+s" | "ctrl+o":
                self._save()
                self.take()
            case "escape":
                self._save()
                self.dismiss(None)
            case "enter":
                self.area.insert("\n")
            case _:
                return False
        return True

    def take(self) -> None:
        """Answer with the text, once it was taken over where that is to be awaited."""
        if self._send is None or not self.area.text.strip():
            self.dismiss(self.area.text)
        elif not self._is_sending:
            self._is_sending = True
            self.run_worker(work(self._taken, self._send, self.area.text), group="writes")

    async def _taken(self, send: Send, text: str) -> None:
        try:
            await send(text)
        except BacklitError as error:
            self._fault.update(literal(f"{error} What you wrote stays here."))
            self._is_sending = False
            return
        self._keeping.answered()
        self.dismiss(text)

    async def on_unmount(self) -> None:
        """Write what is not written yet, for an application that ends."""
        await self._keeping.flush()

    def on_text_area_changed(self, event: TextArea.Changed) -> None:
        """Keep what is typed in a moment, also while somebody goes on typing."""
        event.stop()
        if self._content() != self._saved:
            self._keeping.write_soon()

    def _save(self) -> None:
        """Write the draft, if it is another than at the beginning."""
        content = self._content()
        if content != self._saved:
            self._saved = content
            self._keeping.write()

    def _content(self) -> dict[str, object]:
        """What is kept."""
        base: dict[str, object] = {"base": self.made_from} if self.made_from else {}
        return {"text": self.area.text, **base}
