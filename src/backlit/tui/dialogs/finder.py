"""Dialogs that find one of many offers by typing a part of it."""

import re
from collections.abc import Iterator, Sequence
from typing import ClassVar, TypeVar

from msgspec import Struct
from msgspec.structs import replace
from rich.cells import cell_len
from rich.segment import Segment
from rich.style import Style
from textual import events, on
from textual.app import ComposeResult
from textual.geometry import Region
from textual.strip import Strip
from textual.widgets import Input, Static

from backlit.model.settings.key_sequences import spelled
from backlit.tui.commands.command import Command
from backlit.tui.commands.table import COMMAND_BY_ID
from backlit.tui.dialogs.dialog import STYLES, Dialog, LineInput
from backlit.tui.dialogs.ranking import ranked, searchable
from backlit.tui.drawing.text import fit, fit_right, literal
from backlit.tui.drawing.themes import CURSOR_BAR, KEY, ThemeStyles
from backlit.tui.fields.choices import NO_MATCHES
from backlit.tui.shell.input_queue import AnswerRefused
from backlit.tui.widgets.line_list import LineList

KEYS_WIDTH, MORE_KEYS_WIDTH = 13, 2
"""Cells of keys, and those added in a brief list, which has no labels."""
KEY_GAP = "   "
"""Between two keys of a command: the ground of each has a blank on either side."""
LABEL_WIDTH = 20
LEAD = 2
MIN_WIDTH_OF_WHOLE_HELP = 84
"""Cells from which the longest help is shown whole beside a label."""
MIN_WIDTH_WITH_HELP = 64
"""Cells from which a list shows helps beside labels; the frame shows the help of the current row."""
MIN_WIDTHS_OF_COLUMNS = (104, 144)
"""Cells from which long lists are shown in two columns, and in three."""
COLUMN_GAP, NARROW_KEY_GAP, OR = 3, "  ", "or "
FRAME_SIDES = 2
"""Cells of the two sides of a framed block."""
_CLAUSE_ENDS = re.compile(r"; |: | \(")
_KEYS = re.compile(r"\S+(?: \S+)*")
"""One of several keys of a command, or one of its words as in `:view share`."""
SIGN_WIDTH = 15
"""Cells of the words after a sign."""
FRAME_LINES, WHOLE_HELP_LINES = 4, 3
"""The frame, the input, and a blank; the whole help of the current row below a brief list, with its rule."""

Result = TypeVar("Result")


class Offer(Struct, frozen=True):
    """Something to run or open; without a value a heading, or more lines of the offer above it.

    `keys` and `label` stand in columns of their own. `also` holds further words that find the offer. A dim offer cannot
    run here. `signs` are coloured words, one after another in columns of their own.
    """

    value: object
    keys: str
    label: str
    help: str = ""
    also: str = ""
    is_dim: bool = False
    signs: Sequence[tuple[str, str, str]] = ()
    is_text: bool = False
    """True for a line of a text that stands where a heading would."""
    is_framed: bool = False
    """True for the rows of a block with a frame, from its heading to the blank after it."""
    typed: str = ""
    """Its words as `:filter`, where they stand at the right, if there is room for them, and not among the keys."""

    @property
    def is_heading(self) -> bool:
        """True for a heading over other offers, and for the lines of an offer after its first."""
        return self.value is None

    @property
    def is_continued(self) -> bool:
        """True for the lines of an offer after its first."""
        return self.value is None and bool(self.keys or self.help)


def offer_of(command: Command) -> Offer:
    keys = [*(spelled(sequence) for sequence in command.keys), *(f":{word}" for word in command.words)]
    whole = COMMAND_BY_ID.get(command.id, command)
    return Offer(whole, KEY_GAP.join(keys), command.label, command.help.removesuffix("."), command.also)


class OfferList(LineList, can_focus=False):
    """Draws the offers in sight; the cursor rests on those that are not headings.

    A brief list leaves labels out beside the help where room is scarce, and flows in columns where it is wide. It shows
    all keys of each offer, in as many lines as they need, and the first clause of its help. Another list can have its
    keys at the right.
    """

    IS_PLAIN = False

    def __init__(self, *, is_brief: bool = False, has_keys_at_right: bool = False) -> None:
        super().__init__()
        self._has_keys_at_right = has_keys_at_right
        self._shown: Sequence[Offer] = ()
        self.lines: Sequence[Offer] = ()
        """The shown offers, line by line."""
        self._is_brief = is_brief
        self.empty_text = NO_MATCHES

    def show(self, offers: Sequence[Offer], value: object = None) -> None:
        self._shown = offers
        self._lay_out()
        offers = self.lines
        at = next((index for index, offer in enumerate(offers) if offer.value == value and value is not None), 0)
        self.rows_replaced(at)
        self.step(0)
        self.post_message(self.Highlighted(self, self.cursor))

    def on_resize(self) -> None:
        current = self.current
        if self._is_brief:
            self.show(self._shown, current.value if current else None)

    def _lay_out(self) -> None:
        self.lines = self._shown
        if not self._is_brief or not self.size.width:
            return
        width = 0
        while width != self._row_width:  # more lines may need a second column or a scroll bar, never less
            width = self._row_width
            self.lines = [line for offer in self._shown for line in self._lines(offer)]

    def _lines(self, offer: Offer) -> Iterator[Offer]:
        if offer.signs:
            number = max(1, (self._row_width - LEAD) // (SIGN_WIDTH + 2))
            for at in range(0, len(offer.signs), number):
                yield replace(offer, signs=offer.signs[at : at + number])
            return
        if offer.is_heading:
            yield offer
            return
        _, room, _ = self._widths(offer)
        parts = offer.keys.split(KEY_GAP)
        typed = KEY_GAP.join(each for each in parts if each.startswith(":"))
        pressed = [each for each in parts if not each.startswith(":")]
        parts = pressed or parts
        typed = typed if pressed else ""
        keys, *more = joined_to(parts, room - 2)
        yield replace(offer, keys=keys, typed=typed)
        yield from (Offer(None, each, "", is_framed=offer.is_framed) for each in more)

    def _owner(self, index: int) -> int:
        """Return the first line of the offer on a line."""
        while index > 0 and self.lines[index].is_continued:
            index -= 1
        return index

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
        end = next((at for at in range(self.cursor + 1, len(self.lines)) if not self.lines[at].is_continued), -1)
        last = (end if end >= 0 else len(self.lines)) - 1
        if last >= self.top + self.page:
            self.top = last - self.page + 1
            self.refresh()
        if self.cursor == places[0]:
            self.top = 0
            self.refresh()

    def row_count(self) -> int:
        return len(self.lines)

    @property
    def _columns(self) -> int:
        most = 1 + sum(self._is_brief and self.size.width >= each for each in MIN_WIDTHS_OF_COLUMNS)
        return next((each for each in range(1, most) if len(self.lines) <= self._rows_in(each)), most)

    def _rows_in(self, columns: int) -> int:
        """Return the number of rows in some columns; each goes on below a heading where the one before it ends."""
        return max(1, self.size.height * columns - (columns - 1))

    @property
    def page(self) -> int:
        """Return the number of rows in all columns."""
        return self._rows_in(self._columns)

    @property
    def _row_width(self) -> int:
        bar = 2 * (self.row_count() > self.page)
        return (self.size.width - bar - COLUMN_GAP * (self._columns - 1)) // self._columns

    def render_line(self, y: int) -> Strip:
        theme, height = ThemeStyles.of(self.app), self.size.height
        if not self.lines:
            return self.render_blank(y)
        gap = Strip([Segment(" " * COLUMN_GAP, theme.style())])
        parts: list[Strip] = []
        for column in range(self._columns):
            parts += [gap] if parts else []
            index = self.top + self._rows_in(column) + y - 1 if column else self.top + y
            if column and not y:
                row = self._continued(index + 1)
            else:
                is_row = index < len(self.lines)
                row = self.render_row(index, is_cursor=self._owner(index) == self.cursor) if is_row else Strip([])
            parts.append(row.adjust_cell_length(self._row_width, theme.style()))
        joined = Strip.join(parts).adjust_cell_length(self.size.width, theme.style())
        if self.row_count() <= self.page:
            return joined
        first = self.top * height // self.row_count()
        last = (self.top + self.page) * height // self.row_count()
        bar = Segment("┃", theme.style("muted")) if first <= y <= last else Segment("│", theme.style("rule"))
        return Strip.join([joined.crop(0, self.size.width - 1), Strip([bar])])

    def _continued(self, index: int) -> Strip:
        """Draw the heading of a column that begins inside a section."""
        if index >= len(self.lines) or (self.lines[index].is_heading and not self.lines[index].is_continued):
            return Strip([])
        heading = next((each.label for each in reversed(self.lines[:index]) if each.is_heading and each.label), "")
        return self._ruled(f"{heading}, continued", self._row_width, ThemeStyles.of(self.app).heading("muted"))

    def refresh_row(self, index: int) -> None:
        height, is_first = max(1, self.size.height), True
        while is_first or (index < len(self.lines) and self.lines[index].is_continued):
            offset, is_first = index - self.top, False
            if 0 <= offset < self.page:
                line = offset if offset < height else (offset - height) % max(1, height - 1) + 1
                self.refresh(Region(0, line, self.size.width, 1))
            index += 1

    def on_click(self, event: events.Click) -> None:
        column = min(self._columns - 1, event.x // (self._row_width + COLUMN_GAP))
        index = self.top + column * (self.size.height - 1) + event.y
        if column and not event.y:
            return
        if index < self.row_count():
            self.clicked(self._owner(index), event)

    def cuts_help(self) -> bool:
        """Return whether the row of the current offer says less than its help."""
        offer = self.current
        if offer is None:
            return False
        if self._is_brief and self._said_of(offer) != offer.help:
            return True
        keys = self._keys_width(offer) if self._has_keys_at_right else 0
        return cell_len(offer.help) > self._row_width - sum(self._widths(offer)) - keys

    def _said_of(self, offer: Offer) -> str:
        """Return the help of an offer, its first clause in a brief list."""
        return _CLAUSE_ENDS.split(offer.help, maxsplit=1)[0] if self._is_brief else offer.help

    @staticmethod
    def _keys_width(offer: Offer) -> int:
        return cell_len(offer.keys) + 2 if offer.keys else 0

    def _widths(self, offer: Offer) -> tuple[int, int, int]:
        """Return the cells of the cursor, the keys and the label; none of a label that is left out."""
        width = self._row_width - FRAME_SIDES * offer.is_framed
        keys = min(KEYS_WIDTH + MORE_KEYS_WIDTH * self._is_brief, width // 3)
        keys = 0 if self._has_keys_at_right else keys
        if self._is_brief and offer.help and width < MIN_WIDTH_OF_WHOLE_HELP:
            return LEAD, keys, 0
        has_help = offer.help and width >= MIN_WIDTH_WITH_HELP
        return LEAD, keys, min(LABEL_WIDTH, width // 3) if has_help else width - LEAD - keys

    def render_row(self, index: int, *, is_cursor: bool) -> Strip:
        offer, theme, width = self.lines[index], ThemeStyles.of(self.app), self._row_width
        if offer.is_heading and not offer.is_continued:
            return self._heading(offer, width)
        if offer.is_framed:
            side = Strip([Segment("│", theme.style("focus"))])
            return Strip.join([side, self._offer(index, width - FRAME_SIDES, is_cursor=is_cursor), side])
        return self._offer(index, width, is_cursor=is_cursor)

    def _heading(self, offer: Offer, width: int) -> Strip:
        theme = ThemeStyles.of(self.app)
        if offer.is_framed:
            line, (start, end) = theme.style("focus"), "╭╮" if offer.label else "╰╯"
            word = [Segment(f" {offer.label} ", theme.heading())] if offer.label else []
            rule = "─" * (width - 3 - Segment.get_line_length(word))
            return Strip([Segment(f"{start}─", line), *word, Segment(f"{rule}{end}", line)])
        if offer.signs:
            signs = [
                Segment(part, theme.style(name))
                for sign, colour, words in offer.signs
                for part, name in ((f"{sign} ", colour), (fit(words, SIGN_WIDTH), "muted"))
            ]
            return Strip([Segment(" " * LEAD, theme.style()), *signs])
        if offer.is_text:
            return Strip([Segment(fit(offer.label, width), theme.style("foreground"))])
        if self._has_keys_at_right:
            return Strip([Segment(fit(offer.label, width), theme.heading("muted"))])
        return self._ruled(offer.label, width, theme.heading())

    def _ruled(self, words: str, width: int, style: Style) -> Strip:
        """Draw words with a rule behind them up to the end of the row; a blank line without words."""
        label = fit(words, min(cell_len(words), width - 1))
        rule = "─" * (width - cell_len(label) - 1) if label else ""
        return Strip([Segment(f"{label} ", style), Segment(rule, ThemeStyles.of(self.app).style("rule"))])

    def _offer(self, index: int, width: int, *, is_cursor: bool) -> Strip:
        offer, theme = self.lines[index], ThemeStyles.of(self.app)
        on = "cursor-background" if is_cursor else None
        _, keys, label = self._widths(self.lines[self._owner(index)])
        is_column = self._is_brief
        if offer.is_continued and not offer.help and cell_len(offer.keys) >= keys > 0:
            keys, label, is_column = width - LEAD, 0, False  # long words to type have the line to themselves
        label_colour = "muted" if offer.is_dim else "foreground"
        help_colour = label_colour if not label else "muted"
        at_right = self._keys_width(offer) if self._has_keys_at_right else 0
        cells = fit(offer.keys, keys - 1 - self._is_brief) if keys else ""
        label_cells = min(label, width - LEAD - at_right)
        name = fit(offer.label, label_cells - 1) + " " if label else ""
        room = width - LEAD - keys - label_cells - at_right
        draw_keys = self._key_column if is_column else self._caps
        segments = [
            Segment("▌" if is_cursor else " ", theme.style(CURSOR_BAR, on=on)),
            *(draw_keys(cells, offer, on) if keys else [Segment(" ", theme.style(on=on))]),
            Segment(name, theme.style(label_colour, on=on, bold=is_cursor)),
            Segment(_fitted_clauses(self._said_of(offer), room) if room > 0 else "", theme.style(help_colour, on=on)),
        ]
        blank = width - Segment.get_line_length(segments) - at_right
        if at_right:
            segments += [Segment(" " * blank, theme.style(on=on)), *self._caps(offer.keys, offer, on)]
        if offer.typed and cell_len(offer.typed) + 2 <= blank:
            segments.append(Segment(fit_right(offer.typed, blank), theme.style("muted", on=on)))
        return Strip(segments).adjust_cell_length(width, theme.style(on=on))

    def _key_column(self, keys: str, offer: Offer, on: str | None) -> Iterator[Segment]:
        """Yield keys without grounds, which side by side would be one heavy block; words to type are muted."""
        theme = ThemeStyles.of(self.app)
        is_typed = keys.lstrip().startswith(":") or offer.is_dim
        style = theme.style("muted", on=on) if is_typed else theme.style("foreground", on=on, bold=True)
        yield Segment(f" {keys} ", style)
        yield Segment(" ", theme.style(on=on))

    def _caps(self, keys: str, offer: Offer, on: str | None) -> Iterator[Segment]:
        """Yield keys with a blank on either side, each on a cap; words to type have none, nor has what cannot run."""
        theme, text, at = ThemeStyles.of(self.app), f" {keys} ", 0
        is_command = isinstance(offer.value, Command) or offer.is_continued
        for key in _KEYS.finditer(text):
            if is_command and not offer.is_dim and not key[0].startswith(":"):
                yield Segment(text[at : key.start() - 1], theme.style(on=on))
                yield Segment(text[key.start() - 1 : key.end() + 1], theme.style(KEY, on=on))
                at = key.end() + 1
        yield Segment(text[at:], theme.style("muted", on=on))


def joined_to(parts: Sequence[str], width: int) -> list[str]:
    """Return parts in lines of a width; a part that is longer has a line of its own."""
    lines = [""]
    for part in parts:
        gap = " " if part.startswith(OR) else NARROW_KEY_GAP
        line = f"{lines[-1]}{gap}{part}" if lines[-1] else part
        if cell_len(line) <= width or not lines[-1]:
            lines[-1] = line
        else:
            lines.append(part)
    return lines


def _fitted_clauses(text: str, width: int) -> str:
    """Return a help, or as many of its clauses as fit a row; the frame shows the whole help of the current row."""
    ends = [] if cell_len(text) <= width else [match.start() for match in _CLAUSE_ENDS.finditer(text)]
    return fit(next((text[:end] for end in reversed(ends) if end <= width), text), width)


class OffersDialog(Dialog[Result]):
    """An input over offers; the answer is the value of the one chosen, None when it was left."""

    CSS_PATH = [STYLES, STYLES.with_name("offers.tcss")]
    IS_BRIEF: ClassVar[bool] = False
    """Whether the help says enough without the label."""
    HAS_KEYS_AT_RIGHT: ClassVar[bool] = False

    def __init__(self, title: str, placeholder: str, offers: Sequence[Offer]) -> None:
        super().__init__(title)
        self._title = title
        self.input = LineInput(placeholder=placeholder)
        self.list = OfferList(is_brief=self.IS_BRIEF, has_keys_at_right=self.HAS_KEYS_AT_RIGHT)
        self._whole_help = Static(classes="whole-help", markup=False)
        self._offers = [offer for offer in offers if not offer.is_heading]
        self._grouped = self.grouped(offers)
        self._texts = [searchable(offer.label, f"{offer.keys} {offer.help}", offer.also) for offer in self._offers]

    def content(self) -> ComposeResult:
        yield self.input
        yield self.list
        if self.IS_BRIEF:
            yield self._whole_help

    def on_mount(self) -> None:
        self._set_height()
        self.list.show(self._grouped)

    def on_resize(self) -> None:
        self._set_height()

    def _set_height(self) -> None:
        rows = max(len(self._grouped), self.list.row_count())  # the same height for a few matches
        around = FRAME_LINES + WHOLE_HELP_LINES * self.IS_BRIEF
        self.list.styles.height = max(1, min(rows, self.app.size.height - around))

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
                self.list.step(self.list.page)
            case "pageup":
                self.list.step(-self.list.page)
            case "enter":
                self.accept()
            case _:
                return super().press(key)
        return True

    def accept(self) -> None:
        offer = self.list.current
        if offer is None:
            self.post_message(AnswerRefused(NO_MATCHES))
        else:
            self.dismiss(offer.value)  # type: ignore[arg-type] # subclasses offer what they answer with

    def type_early(self, character: str) -> None:
        self.input.insert_text_at_cursor(character)

    def on_input_changed(self, event: Input.Changed) -> None:
        event.stop()
        self.narrow(event.value.strip())

    def narrow(self, query: str) -> None:
        self.list.show(self.fitting(query) if query else self._grouped)

    @on(LineList.Highlighted)
    def _cursor_moved(self, message: LineList.Highlighted) -> None:
        """Show the position in the frame, and a cut help below the list, beside the title, or in its place."""
        message.stop()
        self._set_height()
        offer = self.list.current
        self.name_keys(("esc", "close"), about=f"{self.list.place:,} of {self.list.count:,}" if offer else "")
        help_words = offer.help if offer and self.list.cuts_help() else ""
        if self.IS_BRIEF:
            self._whole_help.update(self._more_about(offer) if offer else "")
            return
        whole = f"{self._title} · {help_words}" if help_words else self._title
        self.frame.border_title = literal(whole if cell_len(whole) <= self.list.size.width else help_words)

    def _more_about(self, offer: Offer) -> str:
        """Return what the row of an offer does not say: the rest of its help, and other words that run and find it."""
        whole = offer.help if self.list.cuts_help() else ""
        also = f"Also called: {', '.join(offer.also.split())}" if offer.also else ""
        return "   ".join(filter(None, (whole, offer.typed, also)))

    @on(LineList.Chosen)
    def _double_clicked(self, message: LineList.Chosen) -> None:
        message.stop()
        self.accept()
