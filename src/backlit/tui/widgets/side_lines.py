"""Single lines around the panes: title, status with key hints, rules, tabs, and notes about keys."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from types import MappingProxyType
from typing import ClassVar

from rich.cells import cell_len
from rich.segment import Segment
from rich.style import Style
from textual import events
from textual.app import App
from textual.content import Content
from textual.message import Message
from textual.screen import ModalScreen
from textual.strip import Strip
from textual.timer import Timer
from textual.widget import Widget
from textual.widgets import Static

from backlit.model.amounts import counted
from backlit.tui.commands.command import DIGITS, Command, spelled
from backlit.tui.commands.table import COMMAND_BY_ID, WRITER_COMMANDS
from backlit.tui.drawing.framed_app import refresh
from backlit.tui.drawing.text import fit, safe
from backlit.tui.drawing.themes import ThemeStyles

Part = tuple[str, str]
"""A text and the theme variable that colours it."""
Word = Part | tuple[str, str, str]
"""A part, which may name the command that a click on it runs."""
Drawn = tuple[str, str, str]
"""A text, its colour, and the command of a click; empty without one."""

EDGE = " "
"""The blank at the right end of title and footer."""
MIN_RULE_WIDTH = 4
"""Cells of a rule between a heading and muted figures at its right."""
MIN_CUT_WIDTH = 12
"""Cells of a left part below which it is dropped, unless it is shorter."""


class TwoSidedLine(Widget):
    """A line with words on the left and on the right; words are dropped where it is tight."""

    DEFAULT_CSS = "TwoSidedLine { height: 1; }"
    refresh = refresh
    DROPS_MUTED: ClassVar[bool] = False
    """True where muted words of the right go before the left is cut, but not the labels of keys."""

    class Asked(Message):
        """A word with a command, or with the first key of a chord, was clicked."""

        def __init__(self, command_id: str) -> None:
            super().__init__()
            self.command_id = command_id

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002 - Textual's name
        super().__init__(id=id)
        self._left: tuple[Drawn, ...] = ()
        self._right: tuple[Drawn, ...] = ()

    def say(self, left: Sequence[Word], right: Sequence[Word] = ()) -> None:
        shown = tuple(map(_drawn, left)), tuple(map(_drawn, right))
        if (self._left, self._right) != shown:
            self._left, self._right = shown
            self.refresh()

    def render_line(self, y: int) -> Strip:  # noqa: ARG002 - there is one
        theme = ThemeStyles.of(self.app)
        segments = [each for word in self.across() for each in _segments(word, theme)]
        return Strip(segments).adjust_cell_length(self.size.width, theme.style())

    def on_click(self, event: events.Click) -> None:
        end = 0
        for text, _, command_id in self.across():
            end += cell_len(text)
            if event.x < end:
                if command_id:
                    self.clicked(command_id)
                return

    def clicked(self, command_id: str) -> None:
        self.post_message(self.Asked(command_id))

    def across(self) -> list[Drawn]:
        width = self.size.width
        left, right = self.fitted(width)
        return [*left, (" " * (width - length(left) - length(right)), "foreground", ""), *right]

    def fitted(self, width: int) -> tuple[list[Drawn], list[Drawn]]:
        """Return the words of both sides that fit: the first ones of the left, and the last ones of the right.

        Of tabs on the left, those around the current one fit.
        """
        right = list(self._right)
        if self.DROPS_MUTED and length(self._left) + length(right) > width - MIN_RULE_WIDTH:
            right = [each for each in right if each[1] != "muted" or each[2]]  # no key without its label
        while right and length(right) > width - min(width // 2, length(self._left) + 1):
            right.pop(0)
        room, left = width - length(right), list[Drawn]()
        if any(colour == CURRENT_TAB_COLOUR for _, colour, _ in self._left):
            return tabs_within(self._left, room), right
        for text, colour, command_id in self._left:
            rest = room - length(left)
            if left and rest < min(cell_len(text), MIN_CUT_WIDTH):
                if (command_id and left[-1][1] == "accent") or left[-1][0] == " · ":
                    left.pop()  # no key without its label, and no separator before nothing
                break
            left.append((fit(text, max(0, min(cell_len(text), rest))), colour, command_id))
        return left, right


def _segments(word: Drawn, theme: ThemeStyles) -> list[Segment]:
    text, colour, _ = word
    if colour not in {HEADING, CURRENT_TAB_COLOUR}:
        return [Segment(text, theme.style(colour))]
    bold = theme.style("foreground", bold=True)
    if colour == HEADING:
        return [Segment(text, bold)]
    before, after = (Segment(" " * (len(text) - len(cut)), bold) for cut in (text.lstrip(), text.rstrip()))
    return [before, Segment(text.strip(), bold + Style(underline=True)), after]


def _drawn(word: Word) -> Drawn:
    text, colour, *command = word
    return safe(text), colour, command[0] if command else ""


def length(words: Iterable[Word]) -> int:
    """Return the cells of some words."""
    return sum(cell_len(word[0]) for word in words)


Hint = tuple[str, str, str]
"""A key, its label, and the command that it runs; empty for a dialog's own key."""


class FooterLine(TwoSidedLine):
    """The last line of a screen: hints about keys at the left, the state at the right.

    Hints are given by importance. The key that leads back is before the last one; both stay in a narrow terminal.
    """

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002 - Textual's name
        super().__init__(id=id)
        self._confirmed: Sequence[Drawn] = ()
        self._timer: Timer | None = None

    def show(
        self,
        hints: Sequence[Hint | str],
        status: Sequence[Word] = (),
        labels: Mapping[str, str] = MappingProxyType({}),
        *,
        is_reader: bool = False,
    ) -> None:
        """Show hints, each of them or the id of its command or the key of its chord, and a state.

        `labels` replaces the labels of commands by id. A reader gets no hints for writers.
        """
        left: list[Word] = []
        shown = [_hint_of(hint) if isinstance(hint, str) else hint for hint in hints]
        for key, label, command_id in sorted(shown, key=lambda each: (each is shown[-1], each[0] == BACK_KEY)):
            if is_reader and command_id in WRITER_COMMANDS:
                continue
            words = f" {labels.get(command_id, label)} "
            left += [(f" {key}", "accent", command_id), (words, "muted", command_id)]
        self.say(left, status)

    @property
    def command_ids(self) -> Sequence[str]:
        return tuple(dict.fromkeys(command_id for _, _, command_id in self._left))

    def confirm(self, sentence: str) -> bool:
        """Show a confirmation instead of the state for a while; return False where it does not fit."""
        words = _confirmation(sentence)
        if length(words) + len(EDGE) > self.size.width:
            self._forget()
            return False
        self._confirmed = words
        if self._timer is not None:
            self._timer.stop()
        self._timer = self.set_timer(TOAST_SECONDS, self._forget)
        self.refresh()
        return True

    @property
    def confirmed(self) -> str:
        return "".join(text for text, _, _ in self._confirmed).strip()

    def _forget(self) -> None:
        self._confirmed = ()
        self.refresh()

    def fitted(self, width: int) -> tuple[list[Drawn], list[Drawn]]:
        """Return the hints that fit beside the state; the last hints and the end of the state go last.

        Below a dialog, which names its own keys, only a confirmation is shown, and what is wrong.
        """
        left, state = self._left, self._right
        if isinstance(self.app.screen, ModalScreen):
            left, state = (), tuple(each for each in state if each[1] == "conflict")
        pairs = [left[at : at + 2] for at in range(0, len(left), 2)]
        kept = 1 + (len(pairs) > 1 and pairs[-2][0][0].strip() == BACK_KEY)
        if width <= NARROW_WIDTH:
            place = " " * min(2, len(state)) + r"\1/\2"
            state = tuple(
                (GROUP_IN_POSITION.sub("  ", POSITION_WORDS.sub(place, text)), look, name) for text, look, name in state
            )
        least = 0 if self._confirmed else sum(map(length, pairs[-kept:]))
        right: list[Drawn] = [(EDGE, "muted", "")]
        for text, colour, command_id in reversed(self._confirmed or state):
            rest = width - least - length(right)
            if rest < min(cell_len(text), MIN_CUT_WIDTH):
                break
            right.insert(0, (fit(text, min(cell_len(text), rest)), colour, command_id))
        room = width - length(right)
        while pairs and sum(map(length, pairs)) > room:
            pairs.pop(max(0, len(pairs) - kept - 1))
        return [word for pair in pairs for word in pair], right


BACK_KEY = "q"
"""The key that leads back."""
NARROW_WIDTH = 80
POSITION_WORDS = re.compile(r"^  (?!group)\w+ ([\d,]+) of ([\d,]+)$")
GROUP_IN_POSITION = re.compile(r"^  .* · (?=row [\d,]+ of [\d,]+$)")
"""A place among rows, and the name of its group; both are shorter in a terminal that is not wider than NARROW."""
TOAST_SECONDS = 6
"""Seconds that a confirmation or a toast is shown."""


def _confirmation(sentence: str) -> Sequence[Drawn]:
    text = safe(sentence)
    if not text.endswith("u to undo."):
        return [(f" {text}", "foreground", "")]
    said = text.removesuffix("u to undo.").rstrip()
    return [(f" {said}  ", "foreground", ""), ("u", "accent", "app.undo"), (" undo", "muted", "app.undo")]


CHORD_HINTS: Mapping[str, str] = {"g": "go to…", "c": "change…", "f": "filter by…", "m": "move…", "t": "show…"}
"""First keys of chords, and hints for the popup that follows them; the key is the id of the hint."""


def _hint_of(command_id: str) -> Hint:
    if command_id in CHORD_HINTS:
        return command_id, CHORD_HINTS[command_id], command_id
    command = COMMAND_BY_ID[command_id]
    return spelled(command.keys[0]).replace(DIGITS, DIGITS.strip("{}")), command.label, command_id


class RuleLine(TwoSidedLine):
    """A thin rule, with a junction where a vertical line meets it; above panes its words are their heading.

    With `is_of_first` both sides are words about the pane left of the junction, and stand over it if they fit there;
    with titles of other panes they always do.
    """

    DROPS_MUTED = True

    def __init__(self, sign: str, *, id: str | None = None, is_of_first: bool = False) -> None:  # noqa: A002 - Textual's name
        super().__init__(id=id)
        self._sign = sign
        self._is_of_first = is_of_first
        self._junction: int | None = None
        self._share = 0.0
        self._bright: tuple[int, int] | None = None
        self._titles: Sequence[tuple[int, Sequence[Drawn]]] = ()

    def highlight(self, cells: tuple[int, int] | None, titles: Sequence[tuple[int, Sequence[Part]]] = ()) -> None:
        """Draw a stretch of the rule brighter and thicker, None for no stretch, and titles of panes at their cells."""
        drawn = [(x, _spaced([*map(_drawn, words)])) for x, words in titles]
        if (cells, drawn) != (self._bright, self._titles):
            self._bright, self._titles = cells, drawn
            self.refresh()

    def join_at(self, column: int | None) -> None:
        if column != self._junction:
            self._junction = column
            self.refresh()

    def fill(self, share: float) -> None:
        """Draw a share of the rule from the left as a bar of progress."""
        if share != self._share:
            self._share = share
            self.refresh()

    def across(self) -> list[Drawn]:
        width, at = self.size.width, self._junction
        left, right, edge = *self.fitted(width - 4), width
        if self._is_of_first and at is not None:
            near, figures = self.fitted(at - 4)
            if self._titles or (near, _needed(figures)) == (left, _needed(right)):
                left, right, edge = near, figures, at
        left, right = _spaced(left), _spaced(right)
        start, end = length(left), edge - length(right)
        filled = start + round(self._share * (end - start))
        drawn = left
        for x, words in ((end, right), *self._titles, (width, ())):
            drawn += [*self._rule(length(drawn), x, filled), *words]
        return drawn

    def _rule(self, start: int, end: int, filled: int) -> Iterator[Drawn]:
        first, last = self._bright or (end, end)
        looks = ["mark" if x < filled else "muted" if first <= x < last else "rule" for x in range(start, end)]
        for look, cells in groupby(looks):
            signs = "".join(self._sign if x == self._junction else "─" for x, _ in enumerate(cells, start))
            yield signs if look == "rule" else signs.replace("─", "━").replace("┬", "┯"), look, ""
            start += len(signs)


HEADING = "heading"


def _needed(words: Sequence[Drawn]) -> Sequence[Drawn]:
    return [each for each in words if each[1] != "muted"]


def _spaced(words: Sequence[Drawn]) -> list[Drawn]:
    if not words:
        return []
    text, colour, command_id = words[0]
    trimmed = [(text.lstrip(), colour, command_id), *words[1:]]
    text, colour, command_id = trimmed[-1]
    blank: Drawn = (" ", "rule", "")
    return [blank, *trimmed[:-1], (text.rstrip(), colour, command_id), blank]


CURRENT_TAB_COLOUR = "current"
"""The colour of the current tab."""
ELLIPSIS = "…"


def tab_of(name: str, command_id: str, *, is_current: bool, colour: str = "muted") -> Drawn:
    text = f" {safe(name)} "
    return (text, CURRENT_TAB_COLOUR, "") if is_current else (text, colour, command_id)


def tabs_within(tabs: Sequence[Drawn], width: int) -> list[Drawn]:
    """Return the tabs that fit around the current one, with signs for the rest."""
    if length(tabs) <= width:
        return list(tabs)
    before, after = (f" {ELLIPSIS}", "muted", ""), (ELLIPSIS, "muted", "")
    current = next((at for at, tab in enumerate(tabs) if tab[1] == CURRENT_TAB_COLOUR), 0)
    signs = [before, after] if current else [after]
    room = width - length(signs)
    sight = indices_around([cell_len(text) for text, _, _ in tabs], current, room)
    shown = [tabs[at] for at in sight]
    if len(shown) == 1:
        text, colour, command_id = shown[0]
        shown = [(fit(text, max(1, min(cell_len(text), room))), colour, command_id)]
    if sight.start:
        shown.insert(0, before)
    if sight.stop < len(tabs):
        shown.append(after)
    return shown


class TabLine(TwoSidedLine):
    """Tabs by name; hidden with only one."""

    DEFAULT_CSS = "TabLine { height: 1; display: none; }"

    class Chosen(Message):
        """A tab was clicked."""

        def __init__(self, index: int) -> None:
            super().__init__()
            self.index = index

    def show(self, names: Sequence[str], current: int) -> None:
        self.display = len(names) > 1
        self.say([tab_of(name, str(at), is_current=at == current) for at, name in enumerate(names)])

    def clicked(self, command_id: str) -> None:
        self.post_message(self.Chosen(int(command_id)))


def indices_around(widths: Sequence[int], current: int, room: int) -> range:
    """Return the tabs around the current one that fit into some cells; always the current one."""
    first = last = current
    while True:
        fits = [
            (low, high)
            for low, high in ((first - 1, last), (first, last + 1))
            if low >= 0 and high < len(widths) and sum(widths[low : high + 1]) <= room
        ]
        if not fits:
            return range(first, last + 1)
        first, last = fits[-1] if last - current <= current - first else fits[0]


class WaitingKeys(Static):
    """A note that a command works, with the number of keys that wait for its end."""

    def __init__(self, count: int) -> None:
        super().__init__(_words(count))

    def say(self, count: int) -> None:
        self.update(_words(count), layout=False)


def _words(count: int) -> Content:
    if not count:
        return Content(" Working … ")
    return Content(f" {counted(count, 'key')} waiting · esc to drop ")


# Keys that can follow

COLUMNS = 4
PADDING = 2
"""Cells at each side of the popup."""
WHICH_KEY_DELAY = 0.4
"""Seconds after the last key of an unfinished chord."""


class WhichKey(Static):
    """The popup of keys that can follow, in as many columns as fit into some cells; the next key closes it."""

    def __init__(self, chord: Sequence[str], continuations: Sequence[tuple[str, Command]], room: int) -> None:
        entries = [(f"{spelled(' '.join(chord))}{spelled(rest)}", command.label) for rest, command in continuations]
        for count in range(COLUMNS, 0, -1):
            rows = -(-len(entries) // count)
            columns = [entries[start : start + rows] for start in range(0, len(entries), rows)]
            widths = [max(len(key) + len(label) for key, label in column) + 4 for column in columns]
            if sum(widths) <= room:
                break
        cells = [
            [Content.assemble((f"{key} ", "bold $accent"), label.ljust(width - len(key))) for key, label in column]
            for column, width in zip(columns, widths, strict=True)
        ]
        lines = [Content("").join(column[row] for column in cells if row < len(column)) for row in range(rows)]
        super().__init__(Content("\n").join(lines))


class WhichKeyHint:
    """Shows the popup over an application after a pause inside a chord."""

    def __init__(self, app: App[None]) -> None:
        self._app = app
        self._timer: Timer | None = None

    def show_soon(self, chord: Sequence[str], continuations: Sequence[tuple[str, Command]]) -> None:
        if continuations:
            timer: Timer = self._app.set_timer(WHICH_KEY_DELAY, lambda: self._show(chord, continuations, timer))
            self._timer = timer

    def hide(self) -> None:
        if self._timer is not None:
            self._timer.stop()
            self._timer = None
            self._app.screen.query(WhichKey).remove()

    def _show(self, chord: Sequence[str], continuations: Sequence[tuple[str, Command]], timer: Timer) -> None:
        if timer is not self._timer or not self._app.screen_stack:
            return  # the next key came between the timer and this call, or the application's end
        self._app.clear_notifications()
        self._app.screen.mount(WhichKey(chord, continuations, self._app.size.width - 2 * PADDING))
