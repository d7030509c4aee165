"""The last line of a screen: hints about keys, and the state."""

import re
from collections.abc import Mapping, Sequence
from itertools import takewhile
from types import MappingProxyType

from rich.cells import cell_len
from textual.screen import ModalScreen
from textual.timer import Timer

from backlit.model.settings.key_sequences import spelled
from backlit.tui.commands.command import DIGITS
from backlit.tui.commands.table import COMMAND_BY_ID, WRITER_COMMANDS, begins_sequence, key_of
from backlit.tui.drawing.text import fit, safe
from backlit.tui.drawing.themes import CURRENT_ITERATION, KEY
from backlit.tui.widgets.side_lines import EDGE, MIN_CUT_WIDTH, Drawn, TwoSidedLine, Word, length

Hint = tuple[str, str, str]
"""A key, its label, and the command that it runs; empty for a dialog's own key."""


# Textual's Footer makes its widgets anew with each change of the focus, for some 40 ms of CPU. This is one line to
# draw.
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
        shown = [found for hint in hints if (found := _hint_of(hint) if isinstance(hint, str) else hint) is not None]
        for key, label, command_id in sorted(shown, key=lambda each: (each is shown[-1], each[0] == BACK_KEY)):
            if is_reader and command_id in WRITER_COMMANDS:
                continue
            words = f" {labels.get(command_id, label)} "
            left += [(f" {key}", KEY, command_id), (words, "muted", command_id)]
        self.say(left, status)

    @property
    def command_ids(self) -> Sequence[str]:
        return tuple(dict.fromkeys(command_id for _, _, command_id in self._said[0]))

    def confirm(self, sentence: str) -> bool:
        """Show a confirmation instead of the state for a while; return False where it does not fit."""
        words = _confirmation(sentence)
        if length(self._with_caps(words)) + len(EDGE) > self.size.width:
            self.forget()
            return False
        self._confirmed = words
        if self._timer is not None:
            self._timer.stop()
        self._timer = self.set_timer(TOAST_SECONDS, self.forget)
        self.refresh()
        return True

    @property
    def confirmed(self) -> str:
        return "".join(text for text, _, _ in self._confirmed).strip()

    def forget(self) -> None:
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
        if width < SPRINT_WIDTH:
            state = tuple(takewhile(lambda each: each[1] != CURRENT_ITERATION, state))
        if width < MIN_WIDTH_WITH_REASONS:
            state = tuple(each for each in state if each[1] != "faint")
        if width <= NARROW_WIDTH:
            place = " " * min(2, len(state)) + r"\1/\2"
            state = tuple(
                (GROUP_IN_POSITION.sub("  ", POSITION_WORDS.sub(place, text)), look, name) for text, look, name in state
            )
        least = 0 if self._confirmed else sum(map(length, pairs[-kept:]))
        right: list[Drawn] = [(EDGE, "muted", "")]
        for text, colour, command_id in reversed(self._with_caps(self._confirmed) or state):
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
NARROW_WIDTH, MIN_WIDTH_WITH_REASONS = 80, 100
"""Columns of a terminal with brief places among rows, and of one with the faint words of the state beside its hints."""
SPRINT_WIDTH = 64
"""Columns of a terminal with the current sprint at the end of the state; in a narrower one it would take half of the
hints."""
POSITION_WORDS = re.compile(r"^  (?!group)\w+ ([\d,]+) of ([\d,]+)$")
GROUP_IN_POSITION = re.compile(r"^  .* · (?=row [\d,]+ of [\d,]+$)")
"""A place among rows, and the name of its group; both are shorter in a terminal that is not wider than NARROW."""
TOAST_SECONDS = 6
"""Seconds that a confirmation or a toast is shown."""


def _confirmation(sentence: str) -> Sequence[Drawn]:
    text = safe(sentence)
    ending = f"{key_of('app.undo')} to undo."
    if not text.endswith(ending):
        return [(f" {text}", "foreground", "")]
    said = text.removesuffix(ending).rstrip()
    return [(f" {said}  ", "foreground", ""), (key_of("app.undo"), KEY, "app.undo"), (" undo", "muted", "app.undo")]


CHORD_HINTS: Mapping[str, str] = {"g": "go to…", "c": "change…", "f": "filter by…", "m": "move…", "t": "show…"}
"""First keys of chords, and hints for the popup that follows them; the key is the id of the hint."""


def _hint_of(command_id: str) -> Hint | None:
    """Return the hint of a command or a chord; None for one without keys."""
    if command_id in CHORD_HINTS:
        return (command_id, CHORD_HINTS[command_id], command_id) if begins_sequence(command_id) else None
    if not (command := COMMAND_BY_ID[command_id]).keys:
        return None
    return spelled(command.keys[0]).replace(DIGITS, DIGITS.strip("{}")), command.label, command_id
