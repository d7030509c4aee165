"""Single lines around the panes: title, status with key hints, rules, tabs, and notes about keys."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby, takewhile
from typing import ClassVar

from rich.cells import cell_len
from rich.segment import Segment
from rich.style import Style
from textual import events
from textual.content import Content
from textual.message import Message
from textual.strip import Strip
from textual.widget import Widget
from textual.widgets import Static

from backlit.model.amounts import counted
from backlit.tui.drawing.framed_app import refresh
from backlit.tui.drawing.text import fit, safe
from backlit.tui.drawing.themes import (
    CURRENT_ITERATION,
    CURRENT_PLACE,
    FOCUSED_HEAD,
    KEY,
    WORDMARK,
    ThemeStyles,
)

Part = tuple[str, str]
"""A text and the theme variable that colours it, with that of its ground as in `bar on bar-band`, if it has one."""
Word = Part | tuple[str, str, str]
"""A part, which may name the command that a click on it runs."""
Drawn = tuple[str, str, str]
"""A text, its colour, and the command of a click; empty without one."""

HEADING = "heading"
FIGURE = "figure"
CURRENT_TAB_COLOUR, PLACE_COLOUR = "current", "place"
"""The colours of a current tab, and of the current one among the places, which is a block of light."""
CURRENT_COLOURS = frozenset({CURRENT_TAB_COLOUR, PLACE_COLOUR})
BOLD: Mapping[str, str] = {
    HEADING: "foreground",
    FIGURE: "foreground",
    FOCUSED_HEAD: FOCUSED_HEAD,
    WORDMARK: WORDMARK,
    "wordmark-start": "muted",
    CURRENT_ITERATION: CURRENT_ITERATION,
}
"""Colours of words that are bold, and the theme variables that colour them."""

EDGE = " "
"""The blank at the right end of title and footer."""
MIN_RULE_WIDTH = 4
"""Cells of a rule between a heading and muted figures at its right."""
MIN_CUT_WIDTH, APART, SEPARATOR = 12, "   ", " · "
"""Cells of a left part that is cut, at least; how words begin that are never cut, and how those that are if long."""


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
        self._said: tuple[tuple[Drawn, ...], tuple[Drawn, ...]] = ((), ())

    def say(self, left: Sequence[Word], right: Sequence[Word] = ()) -> None:
        said = tuple(map(drawn_word, left)), tuple(map(drawn_word, right))
        if self._said != said:
            self._said = said
            self.refresh()

    @property
    def _left(self) -> Sequence[Drawn]:
        return self._with_caps(self._said[0])

    @property
    def _right(self) -> Sequence[Drawn]:
        return self._with_caps(self._said[1])

    def _with_caps(self, words: Iterable[Drawn]) -> Sequence[Drawn]:
        return capped(words, has_caps=ThemeStyles.of(self.app).has_frames)

    def render_line(self, y: int) -> Strip:  # noqa: ARG002 - there is one
        theme = ThemeStyles.of(self.app)
        segments = [each for word in self.across() for each in segments_of(word, theme)]
        return Strip(segments).adjust_cell_length(self.size.width, theme.style())

    def on_click(self, event: events.Click) -> None:
        if command_id := command_at(self.across(), event.x):
            self.clicked(command_id)

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
        return fitted_sides(self._left, self._right, width, drops_muted=self.DROPS_MUTED)


def fitted_sides(
    left: Sequence[Drawn], right: Sequence[Drawn], width: int, *, drops_muted: bool
) -> tuple[list[Drawn], list[Drawn]]:
    """Return the words of two sides that fit: the first ones of the left, and the last ones of the right.

    Words of one command at the right go together. With `drops_muted` faint words at the end of the left go first, then
    muted ones of the right, but not labels of keys. Figures of the left stay: the right, then the end of the first word
    give way to them.
    """
    while drops_muted and left and left[-1][1] == "faint" and length(left) + length(right) > width - MIN_RULE_WIDTH:
        left = left[:-1]
    if drops_muted and any(colour == FIGURE for _, colour, _ in left):
        left, right = _sides_with_figures(left, right, width)
    ends = list(right)
    if drops_muted and length(left) + length(ends) > width - MIN_RULE_WIDTH:
        ends = _without_muted(ends)
    while ends and (ends[0][0] == SEPARATOR or length(ends) > width - min(width // 2, length(left) + 1)):
        _, _, gone = ends.pop(0)
        while gone and ends and ends[0][2] == gone:
            ends.pop(0)
    room, starts = width - length(ends), list[Drawn]()
    if any(colour in CURRENT_COLOURS for _, colour, _ in left):
        return tabs_within(left, room), ends
    for text, colour, command_id in left:
        rest = room - length(starts)
        is_whole = text.startswith(APART) or (text.startswith(SEPARATOR) and cell_len(text) < 2 * MIN_CUT_WIDTH)
        if starts and rest < min(cell_len(text), cell_len(text) if is_whole else MIN_CUT_WIDTH):
            while len(starts) > 1 and (starts[-1][1] in {KEY, FIGURE} or starts[-1][0] == SEPARATOR):
                starts.pop()  # no key without its label, no figure without its unit, no separator before nothing
            break
        starts.append((fit(text, max(0, min(cell_len(text), rest))), colour, command_id))
    return starts, ends


def _sides_with_figures(
    left: Sequence[Drawn], right: Sequence[Drawn], width: int
) -> tuple[Sequence[Drawn], Sequence[Drawn]]:
    without_hints = list(takewhile(lambda word: word[1] != KEY, right))
    for end in (right, without_hints, _without_muted(without_hints)):
        if length(left) + length(end) <= width - MIN_RULE_WIDTH:
            return left, end
    text, colour, command_id = left[0]
    room = max(MIN_CUT_WIDTH, cell_len(text) - max(0, length(left) - width))
    return [(fit(text, min(cell_len(text), room)), colour, command_id), *left[1:]], ()


def _without_muted(words: Iterable[Drawn]) -> list[Drawn]:
    return [each for each in words if each[1] != "muted" or each[2] or each[0] == SEPARATOR]


def command_at(words: Iterable[Drawn], x: int) -> str:
    """Return the command of the word at a cell; empty without one."""
    end = 0
    for text, _, command_id in words:
        end += cell_len(text)
        if x < end:
            return command_id
    return ""


def capped(words: Iterable[Drawn], *, has_caps: bool) -> tuple[Drawn, ...]:
    """Return words whose keys have the blanks of their ground, if they have one."""
    return tuple(
        (_with_cap(text) if has_caps and colour == KEY else text, colour, name) for text, colour, name in words
    )


def _with_cap(text: str) -> str:
    key = text.strip()
    return text.replace(key, f" {key} ", 1) if key else text


def segments_of(word: Drawn, theme: ThemeStyles) -> list[Segment]:
    text, colour, _ = word
    if colour in BOLD:
        return [Segment(text, theme.style(BOLD[colour], bold=True))]
    if colour == PLACE_COLOUR:
        return [Segment(text, theme.style("lamp-foreground", on=CURRENT_PLACE, bold=True))]
    if colour not in {KEY, CURRENT_TAB_COLOUR}:
        name, _, ground = colour.partition(" on ")
        return [Segment(text, theme.style(name, on=ground or None))]
    style, plain = theme.style(colour), theme.style()
    if colour == CURRENT_TAB_COLOUR:
        style = theme.style(CURRENT_PLACE, bold=True) + Style(underline=True)
    blanks = int(colour == KEY and theme.has_frames)
    start, end = len(text) - len(text.lstrip()) - blanks, len(text.rstrip()) + blanks
    return [Segment(text[:start], plain), Segment(text[start:end], style), Segment(text[end:], plain)]


def drawn_word(word: Word) -> Drawn:
    text, colour, *command = word
    return safe(text), colour, command[0] if command else ""


def length(words: Iterable[Word]) -> int:
    """Return the cells of some words."""
    return sum(cell_len(word[0]) for word in words)


class RuleLine(TwoSidedLine):
    """A thin rule, with a junction where a vertical line meets it; above panes its words are their heading.

    With `is_of_first` both sides are words about the pane left of the junction, and stand over it if they fit there;
    with titles of other panes they always do.
    """

    DROPS_MUTED = True

    def __init__(
        self,
        sign: str,
        *,
        id: str | None = None,  # noqa: A002 - Textual's name
        is_of_first: bool = False,
        line: str = "─",
    ) -> None:
        super().__init__(id=id)
        self._sign = sign
        self._line = line
        self._is_of_first = is_of_first
        self._junction: int | None = None
        self._share = 0.0
        self._bright: tuple[int, int] | None = None
        self._titles: Sequence[tuple[int, Sequence[Drawn]]] = ()

    def highlight(self, cells: tuple[int, int] | None, titles: Sequence[tuple[int, Sequence[Word]]] = ()) -> None:
        """Draw a stretch of the rule brighter and thicker, None for no stretch, and titles of panes at their cells."""
        drawn = [(x, spaced([*map(drawn_word, words)])) for x, words in titles]
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
        titles = self._titles
        if self._is_of_first and not ThemeStyles.of(self.app).has_frames:
            left, titles = _lit(left), [(x, _lit(words)) for x, words in titles]
        left, right = spaced(left), spaced(right)
        start, end = length(left), edge - length(right)
        filled = start + round(self._share * (end - start))
        drawn = left
        for x, words in ((end, right), *titles, (width, ())):
            drawn += [*self._rule(length(drawn), x, filled), *words]
        return drawn

    def _rule(self, start: int, end: int, filled: int) -> Iterator[Drawn]:
        first, last = self._bright or (end, end)
        looks = ["mark" if x < filled else "muted" if first <= x < last else "rule" for x in range(start, end)]
        for look, cells in groupby(looks):
            signs = "".join(self._sign if x == self._junction else self._line for x, _ in enumerate(cells, start))
            yield signs if look == "rule" else signs.replace("─", "━").replace("┬", "┯"), look, ""
            start += len(signs)


def _lit(words: Iterable[Drawn]) -> list[Drawn]:
    """Return the words of a head, as those of the pane with the focus where there is no frame that says so."""
    return [(text, FOCUSED_HEAD if colour == HEADING else colour, name) for text, colour, name in words]


def _needed(words: Sequence[Drawn]) -> Sequence[Drawn]:
    return [each for each in words if each[1] != "muted"]


def spaced(words: Sequence[Drawn]) -> list[Drawn]:
    """Return words between two blanks in place of their own ones; those of a key are its ground."""
    if not words:
        return []
    text, colour, command_id = words[0]
    trimmed = [(text if colour == KEY else text.lstrip(), colour, command_id), *words[1:]]
    text, colour, command_id = trimmed[-1]
    blank: Drawn = (" ", "rule", "")
    return [blank, *trimmed[:-1], (text if colour == KEY else text.rstrip(), colour, command_id), blank]


ELLIPSIS = "…"


def tab_of(
    name: str, command_id: str, *, is_current: bool, colour: str = "muted", current: str = CURRENT_TAB_COLOUR
) -> Drawn:
    text = f" {safe(name)} "
    return (text, current, "") if is_current else (text, colour, command_id)


def tabs_within(tabs: Sequence[Drawn], width: int) -> list[Drawn]:
    """Return the tabs that fit around the current one, with signs for the rest."""
    if length(tabs) <= width:
        return list(tabs)
    before, after = (f" {ELLIPSIS}", "muted", ""), (ELLIPSIS, "muted", "")
    current = next((at for at, tab in enumerate(tabs) if tab[1] in CURRENT_COLOURS), 0)
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
