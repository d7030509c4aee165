"""Dialogs that find one of many offers by typing a part of it."""

import re
from collections.abc import Iterator, Sequence
from typing import ClassVar, TypeVar

from msgspec import Struct
from rich.cells import cell_len
from rich.segment import Segment
from textual import on
from textual.app import ComposeResult
from textual.strip import Strip
from textual.widgets import Input

from backlit.model.settings.key_sequences import spelled
from backlit.tui.commands.command import Command
from backlit.tui.commands.table import COMMAND_BY_ID
from backlit.tui.dialogs.dialog import STYLES, Dialog, LineInput
from backlit.tui.dialogs.ranking import ranked, searchable
from backlit.tui.drawing.text import fit, literal
from backlit.tui.drawing.themes import CURSOR_BAR
from backlit.tui.fields.choices import NO_MATCHES
from backlit.tui.shell.input_queue import AnswerRefused
from backlit.tui.widgets.line_list import LineList

KEYS_WIDTH = 13
KEY_GAP = "   "
"""Between two keys of a command."""
LABEL_WIDTH = 20
LEAD = 2
MIN_WIDTH_WITH_HELP = 64
"""Cells from which a list shows helps beside labels; the frame shows the help of the current row."""
_CLAUSE_ENDS = re.compile(r"; |: | \(")
_KEYS = re.compile(r"\S+(?: \S+)*")
"""One of several keys of a command, or one of its words as in `:view share`."""
FRAME_LINES = 4
"""The frame, the input, and a blank."""

Result = TypeVar("Result")


class Offer(Struct, frozen=True):
    """Something to run or open; a heading without a value.

    `keys` and `label` stand in columns of their own. `also` holds further words that find the offer. A dim offer cannot
    run here.
    """

    value: object
    keys: str
    label: str
    help: str = ""
    also: str = ""
    is_dim: bool = False

    @property
    def is_heading(self) -> bool:
        return self.value is None


def offer_of(command: Command) -> Offer:
    keys = [*(spelled(sequence) for sequence in command.keys), *(f":{word}" for word in command.words)]
    whole = COMMAND_BY_ID.get(command.id, command)
    return Offer(whole, KEY_GAP.join(keys), command.label, command.help.removesuffix("."), command.also)


class OfferList(LineList, can_focus=False):
    """Draws the offers in sight; the cursor rests on those that are not headings."""

    IS_PLAIN = False
    IS_IN_DIALOG = True

    def __init__(self, *, has_keys_at_right: bool = False) -> None:
        super().__init__()
        self._has_keys_at_right = has_keys_at_right
        self.lines: Sequence[Offer] = ()
        self.empty_text = NO_MATCHES

    def show(self, offers: Sequence[Offer], value: object = None) -> None:
        self.lines = offers
        at = next((index for index, offer in enumerate(offers) if offer.value == value and value is not None), 0)
        self.rows_replaced(at)
        self.step(0)
        self.post_message(self.Highlighted(self, self.cursor))

    @property
    def current(self) -> Offer | None:
        offer = self.lines[self.cursor] if self.cursor < len(self.lines) else None
        return None if offer is None or offer.is_heading else offer

    @property
    def place(self) -> int:
        """The number of the offer under the cursor, from 1."""
        return sum(not offer.is_heading for offer in self.lines[: self.cursor + 1])

    @property
    def count(self) -> int:
        return sum(not offer.is_heading for offer in self.lines)

    @property
    def is_at_first(self) -> bool:
        return self.current == next((offer for offer in self.lines if not offer.is_heading), None)

    def step(self, rows: int) -> None:
        """Move, over headings, as far as there are offers; at the top show the heading too."""
        places = [index for index, offer in enumerate(self.lines) if not offer.is_heading]
        if not places:
            return
        wanted = self.cursor + rows
        ahead = [index for index in places if index >= wanted] if rows >= 0 else []
        behind = [index for index in places if index <= wanted]
        self.move_to(ahead[0] if ahead else behind[-1] if behind else places[0])
        if self.cursor == places[0]:
            self.top = 0
            self.refresh()

    def row_count(self) -> int:
        return len(self.lines)

    def turn(self, pages: int) -> None:
        self.step(pages * self.page)

    @property
    def _row_width(self) -> int:
        return self.size.width - 2 * (self.row_count() > self.page)

    def render_line(self, y: int) -> Strip:
        theme = self.theme_styles
        row = super().render_line(y).adjust_cell_length(self.size.width, theme.style())
        return self.with_bar(row, y, self.row_count()) if self.lines else row

    def with_bar(self, row: Strip, y: int, lines: int) -> Strip:
        """Draw the scroll bar of so many lines at the end of a line, where they are more than a page."""
        theme, height = self.theme_styles, self.size.height
        if lines <= height:
            return row
        is_thumb = self.top * height // lines <= y <= (self.top + height) * height // lines
        bar = Segment("┃", theme.style("muted")) if is_thumb else Segment("│", theme.style("rule"))
        return Strip.join([row.crop(0, self.size.width - 1), Strip([bar])])

    def cuts_help(self) -> bool:
        """Return whether the row of the current offer says less than its help."""
        offer = self.current
        if offer is None:
            return False
        keys = self._keys_width(offer) if self._has_keys_at_right else 0
        return cell_len(offer.help) > self._row_width - LEAD - sum(self._widths(offer)) - keys

    @staticmethod
    def _keys_width(offer: Offer) -> int:
        return cell_len(offer.keys) + 2 if offer.keys else 0

    def _widths(self, offer: Offer) -> tuple[int, int]:
        """Return the cells of the keys and the label."""
        width = self._row_width
        keys = 0 if self._has_keys_at_right else min(KEYS_WIDTH, width // 3)
        has_help = offer.help and width >= MIN_WIDTH_WITH_HELP
        return keys, min(LABEL_WIDTH, width // 3) if has_help else width - LEAD - keys

    def render_row(self, index: int, *, is_cursor: bool) -> Strip:
        offer, theme, width = self.lines[index], self.theme_styles, self._row_width
        if offer.is_heading:
            return Strip([Segment(fit(offer.label, width), theme.heading("muted"))])
        on = "cursor-background" if is_cursor else None
        keys, label = self._widths(offer)
        label_colour = "muted" if offer.is_dim else "foreground"
        at_right = self._keys_width(offer) if self._has_keys_at_right else 0
        label_cells = min(label, width - LEAD - at_right)
        room = width - LEAD - keys - label_cells - at_right
        segments = [
            Segment("▌" if is_cursor else " ", theme.style(CURSOR_BAR, on=on)),
            *(self._keys(fit(offer.keys, keys - 1), offer, on) if keys else [Segment(" ", theme.style(on=on))]),
            Segment(fit(offer.label, label_cells - 1) + " ", theme.style(label_colour, on=on, bold=is_cursor)),
            Segment(fitted_clauses(offer.help, room) if room > 0 else "", theme.style("muted", on=on)),
        ]
        if at_right:
            blank = width - Segment.get_line_length(segments) - at_right
            segments += [Segment(" " * blank, theme.style(on=on)), *self._keys(offer.keys, offer, on)]
        return Strip(segments).adjust_cell_length(width, theme.style(on=on))

    def _keys(self, keys: str, offer: Offer, on: str | None) -> Iterator[Segment]:
        """Yield keys with a blank on either side, bold; words to type are not, nor are keys of what cannot run.

        They have no ground: the caps of rows below one another would be one block.
        """
        theme, text, at = self.theme_styles, f" {keys} ", 0
        for key in _KEYS.finditer(text):
            if isinstance(offer.value, Command) and not offer.is_dim and not key[0].startswith(":"):
                yield Segment(text[at : key.start()], theme.style(on=on))
                yield Segment(key[0], theme.style(on=on, bold=True))
                at = key.end()
        yield Segment(text[at:], theme.style("muted", on=on))


def first_clause(text: str) -> str:
    return _CLAUSE_ENDS.split(text, maxsplit=1)[0]


def fitted_clauses(text: str, width: int) -> str:
    """Return a help, or as many of its clauses as fit a row; the frame shows the whole help of the current row."""
    ends = [] if cell_len(text) <= width else [match.start() for match in _CLAUSE_ENDS.finditer(text)]
    return fit(next((text[:end] for end in reversed(ends) if end <= width), text), width)


class OffersDialog(Dialog[Result]):
    """An input over offers; the answer is the value of the one chosen, None when it was left."""

    CSS_PATH = [STYLES, STYLES.with_name("offers.tcss")]
    HAS_KEYS_AT_RIGHT: ClassVar[bool] = False
    KEYS: ClassVar[Sequence[tuple[str, str]]] = (("esc", "close"),)
    """The keys that the frame names."""

    def __init__(self, title: str, placeholder: str, offers: Sequence[Offer]) -> None:
        super().__init__(title)
        self._title = title
        self.input = LineInput(placeholder=placeholder)
        self.list = self.new_list()
        self._offers = [offer for offer in offers if not offer.is_heading]
        self._grouped = self.grouped(offers)
        self._texts = [searchable(offer.label, f"{offer.keys} {offer.help}", offer.also) for offer in self._offers]

    def content(self) -> ComposeResult:
        yield self.input
        yield self.list

    def new_list(self) -> OfferList:
        return OfferList(has_keys_at_right=self.HAS_KEYS_AT_RIGHT)

    def on_mount(self) -> None:
        self._set_height()
        self.list.show(self._grouped)

    def on_resize(self) -> None:
        self._set_height()

    def _set_height(self) -> None:
        rows = max(len(self._grouped), self.list.row_count())  # the same height for a few matches
        self.list.styles.height = max(1, min(rows, self.app.size.height - FRAME_LINES))

    def grouped(self, offers: Sequence[Offer]) -> Sequence[Offer]:
        """Return the rows of a dialog in which nothing is typed."""
        return offers

    def fitting(self, query: str) -> list[Offer]:
        """Return the matching offers, the best first; before all, the ones with exactly these keys."""
        found = [self._offers[index] for index in ranked(query, self._texts)]
        return sorted(found, key=lambda offer: query not in offer.keys.split(KEY_GAP))

    def press(self, key: str) -> bool:
        match key:
            case "down" | "ctrl+n":
                self.list.step(1)
            case "up" | "ctrl+p":
                self.list.step(-1)
            case "pagedown":
                self.list.turn(1)
            case "pageup":
                self.list.turn(-1)
            case "enter":
                self.accept()
            case _:
                return super().press(key)
        return True

    def accept(self) -> None:
        offer = self.list.current
        if offer is None:
            self.list.empty_text = f"! {self.refusal()}"
            self.post_message(AnswerRefused(self.refusal()))
        else:
            self.dismiss(offer.value)  # type: ignore[arg-type] # subclasses offer what they answer with

    def refusal(self) -> str:
        """Return why there is nothing to answer with."""
        return f"{NO_MATCHES}."

    def type_early(self, character: str) -> None:
        self.input.insert_text_at_cursor(character)

    def on_input_changed(self, event: Input.Changed) -> None:
        event.stop()
        self.narrow(event.value.strip())

    def narrow(self, query: str) -> None:
        self.list.show(self.fitting(query) if query else self._grouped)

    @on(LineList.Highlighted)
    def _cursor_moved(self, message: LineList.Highlighted) -> None:
        """Show the position in the frame, and a cut help."""
        message.stop()
        self._set_height()
        offer = self.list.current
        self.name_keys(*self.KEYS, about=f"{self.list.place:,} of {self.list.count:,}" if offer else "")
        self.say_help(offer if offer and self.list.cuts_help() else None)

    def say_help(self, offer: Offer | None) -> None:
        """Show the help of the current offer, which its row cuts, beside the title or in its place."""
        help_words = offer.help if offer else ""
        whole = f"{self._title} · {help_words}" if help_words else self._title
        self.frame.border_title = literal(whole if cell_len(whole) <= self.list.size.width else help_words)

    @on(LineList.Chosen)
    def _double_clicked(self, message: LineList.Chosen) -> None:
        message.stop()
        self.accept()
