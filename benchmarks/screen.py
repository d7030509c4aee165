"""The terminal's side: a screen that is drawn by pyte, and the answers a program gets to its questions."""

import re
from collections import deque
from collections.abc import Iterator

import pyte

SYNCHRONIZED = 2026
KNOWN_MODES = {1, 7, 25, 1000, 1002, 1003, 1004, 1006, 1049, 2004, SYNCHRONIZED}
# What pyte would misread, as text or as something else.
FOREIGN = re.compile(
    rb"\x1b\[[<=>][\x30-\x3f]*[\x40-\x7e]"  # kitty keys, xterm's modifyOtherKeys
    rb"|\x1b\[\?[\d;]*(?![hlJK])[\x40-\x7e]"  # private, but neither a mode nor erasing
    rb"|\x1b\[[\x30-\x3f]*[\x20-\x2f]+[\x40-\x7e]"  # with intermediate characters: DECRQM, cursor shapes
    rb"|\x1b[P_^X][^\x1b]*\x1b\\"  # DCS, APC, PM and SOS strings
)
UNFINISHED = re.compile(rb"\x1b(?:\[[\x20-\x3f]*|\][^\x07\x1b]*\x1b?|[P_^X][^\x1b]*\x1b?|[ -/])?\Z")
QUESTION = re.compile(
    rb"\x1b\[(?:(?P<primary>0?c)|(?P<secondary>>0?c)|(?P<status>5n)|(?P<cursor>6n)|(?P<keys>\?u)"
    rb"|\?(?P<mode>\d+)\$p|\?(?P<modes>[\d;]+)(?P<switch>[hl]))"
)


class ScrollingScreen(pyte.Screen):
    """pyte's screen with the two scrolling sequences that it lacks."""

    def scroll_up(self, count: int = 0) -> None:
        """SU: the lines between the margins move up."""
        self._at_top(self.delete_lines, count)

    def scroll_down(self, count: int = 0) -> None:
        """SD: the lines between the margins move down."""
        self._at_top(self.insert_lines, count)

    def _at_top(self, act, count: int) -> None:  # type: ignore[no-untyped-def]  # pyte has no types
        column, line = self.cursor.x, self.cursor.y
        self.cursor.y = self.margins.top if self.margins else 0
        act(count or 1)
        self.cursor.x, self.cursor.y = column, line


class ScrollingStream(pyte.ByteStream):
    """The parser for them."""

    csi = pyte.ByteStream.csi | {"S": "scroll_up", "T": "scroll_down", "s": "save_cursor", "u": "restore_cursor"}
    events = pyte.ByteStream.events | {"scroll_up", "scroll_down"}


class Terminal:
    """Takes what a program writes; drawing waits until `draw`, because pyte is slow and the clock runs."""

    def __init__(self, columns: int, lines: int) -> None:
        self.screen = ScrollingScreen(columns, lines)
        self.modes: set[int] = set()
        self._stream = ScrollingStream(self.screen)
        self._undrawn: deque[tuple[float, bytes]] = deque()
        self._cut_question = b""
        self._cut_drawing = b""
        self._seen = 0
        self.changed_at: float | None = None
        self.shown_at = 0.0

    def receive(self, data: bytes, moment: float) -> bytes:
        """Keep output for `draw`; return the answers to the questions in it."""
        self._undrawn.append((moment, data))
        whole, self._cut_question = _whole(self._cut_question + data)
        return b"".join(self._answer(question) for question in QUESTION.finditer(whole))

    def draw_each(self) -> Iterator[float]:
        """Draw output piece by piece as it came, giving the moment of each; the rest stays for later."""
        while self._undrawn:
            moment, data = self._undrawn.popleft()
            whole, self._cut_drawing = _whole(self._cut_drawing + data)
            self._stream.feed(FOREIGN.sub(b"", whole))
            if SYNCHRONIZED << 5 not in self.screen.mode:  # pyte shifts private modes; inside an update nothing shows
                seen = self._look()
                if seen != self._seen:
                    self._seen, self.shown_at = seen, moment
                    self.changed_at = self.changed_at or moment
            yield moment

    def draw(self) -> None:
        """Draw all that came.

        `shown_at` is then when a cell last changed its look, `changed_at` when one first did after it was set to None.
        """
        for _ in self.draw_each():
            pass

    def text(self) -> str:
        """The screen as drawn so far, as lines of text."""
        lines = self.screen.buffer
        columns = range(self.screen.columns)
        return "\n".join("".join(lines[line][column].data for column in columns) for line in range(self.screen.lines))

    def _look(self) -> int:
        lines = self.screen.buffer
        columns = range(self.screen.columns)
        return hash(tuple(tuple(lines[line][column] for column in columns) for line in range(self.screen.lines)))

    def _answer(self, question: re.Match[bytes]) -> bytes:
        match question.lastgroup:
            case "primary":
                return b"\x1b[?62;22c"
            case "secondary":
                return b"\x1b[>1;4000;0c"
            case "status":
                return b"\x1b[0n"
            case "keys":
                return b"\x1b[?0u"
            case "cursor":
                self.draw()
                return b"\x1b[%d;%dR" % (
                    self.screen.cursor.y + 1,
                    min(self.screen.cursor.x, self.screen.columns - 1) + 1,
                )
            case "mode":
                mode = int(question["mode"])
                state = 0 if mode not in KNOWN_MODES else 1 if mode in self.modes else 2
                return b"\x1b[?%d;%d$y" % (mode, state)
            case _:
                self._switch(question)
                return b""

    def _switch(self, question: re.Match[bytes]) -> None:
        modes = {int(mode) for mode in question["modes"].split(b";") if mode}
        self.modes = self.modes | modes if question["switch"] == b"h" else self.modes - modes


def _whole(data: bytes) -> tuple[bytes, bytes]:
    """Data up to an escape sequence that its end cuts in two, and the beginning of that."""
    cut = UNFINISHED.search(data)
    return (data[: cut.start()], data[cut.start() :]) if cut else (data, b"")
