"""Dialogs: a thin frame over the screen that loses no key while it opens, and the one that asks for an answer."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import ClassVar, TypeVar

from msgspec import Struct
from rich.cells import cell_len
from rich.console import Console, ConsoleOptions, RenderableType
from rich.segment import Segment
from rich.style import Style
from textual import events, on
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.content import Content
from textual.renderables.background_screen import BackgroundScreen
from textual.screen import ModalScreen
from textual.widgets import Static

from backlit.tui.drawing.text import SHADES, literal, safe
from backlit.tui.drawing.textual_private import BatchScreen
from backlit.tui.drawing.themes import ThemeStyles, cap_words
from backlit.tui.shell.drafts import StoredDraft
from backlit.tui.widgets.footer_line import FooterLine
from backlit.tui.widgets.inputs import LineInput

__all__ = ["AIR_LINES", "FRAME_LINES", "AnswerKey", "ConfirmDialog", "Dialog", "LineInput", "Result"]

Result = TypeVar("Result")

STYLES = Path(__file__).parent.parent / "styles" / "dialogs.tcss"


RULE_CHARACTERS = frozenset("─│┬┴ ")
MARKED_STYLE = Style(underline=True)
FRAME_LINES, AIR_LINES = 2, 2
"""The lines of the frame, and the blank ones inside it, where there is room for them."""
BORDER_CELLS_WITHOUT_KEYS = 6
"""Cells of the lower border that hold no keys."""


class DimmedBackdrop:
    """The screen behind a dialog in one colour, which costs few bytes; rules keep theirs, its tab its line."""

    def __init__(self, ground: BackgroundScreen, text: Style, rule: Style) -> None:
        self._ground = ground
        self._text = text
        self._rule = rule

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> Iterator[Segment]:
        for text, style, control in console.render(self._ground, options):
            look = self._rule if RULE_CHARACTERS.issuperset(text) else self._text
            is_solid = style and style.color and style.color == style.bgcolor and not style.color.is_default
            is_scroll_bar = is_solid and SHADES.isdisjoint(text)  # shades are bars of a chart
            words = " " * len(text) if is_scroll_bar else text
            yield Segment(
                words, None if control else look + MARKED_STYLE if style and style.underline else look, control
            )


class Dialog(BatchScreen[Result], ModalScreen[Result]):
    """A frame with a title, on a ground above the screen; subclasses put their widgets into it and name its keys."""

    CSS_PATH = [STYLES]
    VERTICAL_BREAKPOINTS = [(0, "-low"), (24, "-tall")]
    DIMS: ClassVar[bool] = True
    """Whether the screen behind it is dimmed."""

    def __init__(self, title: str) -> None:
        super().__init__()
        self.draft: StoredDraft | None = None
        """The draft of what is typed, for subclasses that keep one."""
        self.frame = Vertical(classes="frame")
        self._named_keys: Sequence[tuple[str, str]] = ()
        self._about_named = ""
        self.frame.border_title = literal(title)

    def name_keys(self, *keys: tuple[str, str], about: str = "") -> None:
        """Name keys in the lower border, the most important first and the way out last, and words after them.

        In a narrow terminal the less important keys are left out.
        """
        self._named_keys, self._about_named = keys, f"  {about}" if about else ""
        self._show_keys()

    @on(events.Resize)
    def _show_keys(self) -> None:
        has_caps = self.is_attached and ThemeStyles.of(self.app).has_frames
        room = (
            self.app.size.width - BORDER_CELLS_WITHOUT_KEYS - cell_len(self._about_named) if self.is_attached else None
        )
        shown = [(cap_words(safe(key), has_caps=has_caps), safe(f" {label}")) for key, label in self._named_keys]
        while room and len(shown) > 2 and sum(cell_len(f"  {cap[0]}{label}") for cap, label in shown) > room + 2:
            del shown[-2]
        parts = [part for cap, label in shown for part in ("  ", cap, label)]
        self.frame.border_subtitle = Content.assemble(*parts[1:], safe(self._about_named))

    def render(self) -> RenderableType:
        ground = super().render()
        if self.DIMS and isinstance(ground, BackgroundScreen):
            theme = ThemeStyles.of(self.app)
            return DimmedBackdrop(ground, theme.style("behind-dialog"), theme.style("rule"))
        return ground

    @on(events.Mount)
    @on(events.Unmount)
    def _turn_hints(self) -> None:
        """Have the footers below hide their hints while it is open, and show them again."""
        for screen in self.app.screen_stack:
            for footer in screen.query(FooterLine):
                footer.refresh()

    async def on_unmount(self) -> None:
        """Write what is not written yet, for an application that ends."""
        if self.draft is not None:
            await self.draft.flush()

    def compose(self) -> ComposeResult:
        with self.frame:
            yield from self.content()

    def content(self) -> ComposeResult:
        yield from ()

    def press(self, key: str) -> bool:
        """Act on a key that is not text; whether it was one of this dialog's."""
        if key != "escape":
            return False
        self.dismiss(None)
        return True

    def type_early(self, character: str) -> None:
        """Take a letter that was typed before the input had the focus."""

    def on_key(self, event: events.Key) -> None:
        if not self.is_current:
            pass  # it was closed by a key that ended a wait
        elif event.is_printable and event.character:
            self.type_early(event.character)
        elif not self.press(event.key):
            return
        event.stop()
        event.prevent_default()


class AnswerKey(Struct, frozen=True):
    """An answer: its key, or several with blanks between them, and its effect."""

    key: str
    label: str


class ConfirmDialog(Dialog[str | None]):
    """Says a sentence and waits for the key of an answer; the result is that key.

    Enter and esc mean none of them, which `stay` puts into words. Where nothing is lost by an answer, enter may be
    another key of it.
    """

    def __init__(self, title: str, sentence: str | Content, answers: Sequence[AnswerKey], stay: str = "stay") -> None:
        super().__init__(title)
        self._sentence: Content = literal(sentence) if isinstance(sentence, str) else sentence
        self._answers = tuple(answers)
        self._stay = stay

    def content(self) -> ComposeResult:
        yield Static(self._sentence, classes="sentence")
        lines = [*((answer.key, answer.label) for answer in self._answers), ("esc", self._stay)]
        width = max(len(key) for key, _ in lines)
        rows = [Content.assemble((f"  {key:>{width}} ", "bold"), safe(label)) for key, label in lines]
        yield Static(Content("\n").join(rows))

    def type_early(self, character: str) -> None:
        """Give the answer of the key; n and q stay where they are no answer, and any other key does nothing."""
        if any(character in answer.key.split() for answer in self._answers):
            self.dismiss(character)
        elif character in "nq":
            self.dismiss(None)

    def press(self, key: str) -> bool:
        for first, *others in (answer.key.split() for answer in self._answers):
            if key in others:
                self.dismiss(first)
                return True
        return super().press("escape" if key == "enter" else key)
