"""The dialog in which a comment is written, for the team or for customers too."""

from typing import TYPE_CHECKING, cast

from textual.app import ComposeResult
from textual.content import Content
from textual.widgets import Static

from backlit.store.records.entry import FOR_CUSTOMERS
from backlit.tui.dialogs.compose import ComposeDialog, Send
from backlit.tui.dialogs.confirm import Answer, ConfirmDialog
from backlit.tui.drawing.text import literal
from backlit.tui.shell.chord_app import ChordApp
from backlit.tui.shell.workers import COMMANDS_GROUP, work

if TYPE_CHECKING:
    from backlit.store.store import Store


class CommentDialog(ComposeDialog):
    """Asks for a comment; `for_customers` says who may see it, and is kept with the draft under `key`."""

    def __init__(
        self, store: "Store", key: str, title: str, send: Send, text: str = "", *, for_customers: bool = False
    ) -> None:
        kept = store.drafts.find(key)
        self.for_customers = kept.get("type") == FOR_CUSTOMERS if kept else for_customers
        self._seen_by = Static(classes="note")
        super().__init__(store, key, title, text, send=send)
        self.frame.border_subtitle = literal("ctrl+s send  ctrl+t who sees it  esc keep for later")

    def content(self) -> ComposeResult:
        """The text, and below it who will see it."""
        yield from super().content()
        yield self._seen_by

    def on_mount(self) -> None:
        """Say who will see it."""
        self._say_who()

    def press(self, key: str) -> bool:
        """Choose who sees it; ask once before customers do."""
        if key == "ctrl+t":
            self.for_customers = not self.for_customers
            self._say_who()
            self._save()
            return True
        if key in {"ctrl+s", "ctrl+o"} and self.for_customers and self.area.text.strip():
            self._save()
            self.run_worker(work(self._ask), group=COMMANDS_GROUP)
            return True
        return super().press(key)

    async def _ask(self) -> None:
        sentence = "Customers will see this comment, and it cannot be changed later."
        question = ConfirmDialog("For customers", sentence, [Answer("y", "send it")], "go on")
        if await cast("ChordApp", self.app).ask(question) == "y":
            self.take()

    def _say_who(self) -> None:
        seen = Content.styled("» customers will see it", "$type-feedback")
        self._seen_by.update(seen if self.for_customers else Content("internal: customers do not see it"))

    def _content(self) -> dict[str, object]:
        return super()._content() | ({"type": FOR_CUSTOMERS} if self.for_customers else {})
