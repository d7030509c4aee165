"""Dialogs that ask for a text of several lines, which a draft keeps while it is written."""

from collections.abc import Awaitable, Callable, Sequence
from typing import NamedTuple, TypeVar

from textual.app import ComposeResult
from textual.content import Content
from textual.widgets import Static, TextArea

from backlit.model.errors import BacklitError
from backlit.store.records.entry import FOR_CUSTOMERS
from backlit.tui.dialogs.dialog import Dialog
from backlit.tui.drawing.text import literal
from backlit.tui.shell.drafts import StoredDraft
from backlit.tui.shell.target import StoreCommandTarget
from backlit.tui.widgets.multiline_input import MultilineInput

Answer = TypeVar("Answer")


class WrittenText(NamedTuple):
    """A text, and the text that its draft was made from."""

    text: str
    made_from: str


class ComposedComment(NamedTuple):
    """A comment, for the team only or for customers too."""

    text: str
    for_customers: bool


class TextDialog(Dialog[Answer | None]):
    """Asks for a text, beginning with `text` or with the draft; the caller discards the draft once the text is saved.

    The answer is None when the dialog was left. A caller that could not save the answer asks with `is_again`, which
    takes `text` over the draft, and says why in `fault`. `names` are those of the people who may be mentioned.
    """

    draft: StoredDraft

    def __init__(
        self,
        title: str,
        text: str,
        draft: StoredDraft,
        *,
        act: str,
        names: Sequence[str] = (),
        is_again: bool = False,
        fault: str = "",
    ) -> None:
        super().__init__(title)
        self.draft = draft
        draft.begin(self, self.content_to_keep)
        self.kept = {} if is_again else draft.found()
        kept = self.kept.get("text")
        self._is_restored = isinstance(kept, str) and bool(kept.strip())
        self.made_from = str(self.kept.get("base", "")) if self._is_restored or is_again else text
        self.area = MultilineInput(str(kept) if self._is_restored else text, names=names)
        self.area.move_cursor(self.area.document.end)
        self._saved = {} if is_again else self.content_to_keep()
        self._fault = Static(literal(fault), classes="fault")
        self.name_keys(("ctrl+s", act), ("esc", "keep for later"))

    def content(self) -> ComposeResult:
        if self._is_restored:
            yield Static(literal("Restored your draft. It has not been sent."), classes="note")
        yield self.area
        yield self._fault

    def answer(self) -> Answer:
        raise NotImplementedError

    def content_to_keep(self) -> dict[str, object]:
        base: dict[str, object] = {"base": self.made_from} if self.made_from else {}
        return {"text": self.area.text, **base}

    def save_draft(self) -> None:
        content = self.content_to_keep()
        if content != self._saved:
            self._saved = content
            self.draft.write()

    def type_early(self, character: str) -> None:
        self.area.insert(character)

    def press(self, key: str) -> bool:
        match key:
            case "ctrl+s" | "ctrl+o":
                self.save_draft()
                self.dismiss(self.answer())
            case "escape":
                self.save_draft()
                self.dismiss(None)
            case "enter":
                self.area.insert("\n")
            case _:
                return False
        return True

    def on_text_area_changed(self, event: TextArea.Changed) -> None:
        """Write the draft a moment after the first change, even while typing goes on."""
        event.stop()
        if self.content_to_keep() != self._saved:
            self.draft.write_soon()


class ComposeDialog(TextDialog[WrittenText]):
    """Asks for a text."""

    def answer(self) -> WrittenText:
        return WrittenText(self.area.text, self.made_from)


class CommentDialog(TextDialog[ComposedComment]):
    """Asks for a comment; ctrl+t turns between internal and visible to customers, which the draft keeps too."""

    def __init__(
        self,
        title: str,
        comment: ComposedComment,
        draft: StoredDraft,
        *,
        act: str,
        names: Sequence[str] = (),
        is_again: bool = False,
        fault: str = "",
    ) -> None:
        self.for_customers = comment.for_customers
        self._visible_to = Static(classes="note")
        super().__init__(title, comment.text, draft, act=act, names=names, is_again=is_again, fault=fault)
        if self.kept:
            self.for_customers = self.kept.get("type") == FOR_CUSTOMERS
        self.name_keys(("ctrl+s", act), ("ctrl+t", "who sees it"), ("esc", "keep for later"))

    def content(self) -> ComposeResult:
        yield from super().content()
        yield self._visible_to

    def on_mount(self) -> None:
        self._show_visibility()

    def answer(self) -> ComposedComment:
        return ComposedComment(self.area.text, self.for_customers)

    def content_to_keep(self) -> dict[str, object]:
        return super().content_to_keep() | ({"type": FOR_CUSTOMERS} if self.for_customers else {})

    def press(self, key: str) -> bool:
        """Choose who sees the comment, or send it; a blank one is not sent."""
        if key != "ctrl+t":
            is_blank = not self.area.text.strip()
            return super().press("escape" if is_blank and key in {"ctrl+s", "ctrl+o"} else key)
        self.for_customers = not self.for_customers
        self._show_visibility()
        self.save_draft()
        return True

    def _show_visibility(self) -> None:
        visible = Content.styled("» visible to customers", "$type-feedback")
        self._visible_to.update(visible if self.for_customers else Content("internal: not visible to customers"))


async def ask_until_saved(
    target: StoreCommandTarget,
    make: Callable[[Answer | None, str], TextDialog[Answer]],
    save: Callable[[Answer], Awaitable[bool]],
) -> bool:
    """Ask for a text until it is saved; return False when the dialog was left.

    `make` makes the dialog of the answer before, None at first, and of the reason why that could not be saved. `save`
    returns False where the text is to be asked for again.
    """
    answer: Answer | None = None
    fault = ""
    while (answer := await target.ask(make(answer, fault))) is not None:
        try:
            if await save(answer):
                return True
            fault = ""
        except BacklitError as error:
            fault = f"{error} Your text is kept."
    return False
