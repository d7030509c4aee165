"""Large figures in three lines of half blocks, with the words beside them."""

from collections.abc import Mapping, Sequence
from itertools import zip_longest

from backlit.model.reports.report import Figure, Tone
from backlit.tui.drawing.charts import Row

DIGITS: Mapping[str, tuple[str, str, str]] = {
    "0": ("█▀█", "█ █", "▀▀▀"),
    "1": ("▄█ ", " █ ", "▀▀▀"),
    "2": ("▀▀█", "█▀▀", "▀▀▀"),
    "3": ("▀▀█", " ▀█", "▀▀▀"),
    "4": ("█ █", "▀▀█", "  ▀"),
    "5": ("█▀▀", "▀▀█", "▀▀▀"),
    "6": ("█▀▀", "█▀█", "▀▀▀"),
    "7": ("▀▀█", "  █", "  ▀"),
    "8": ("█▀█", "█▀█", "▀▀▀"),
    "9": ("█▀█", "▀▀█", "▀▀▀"),
    ".": (" ", " ", "▀"),
    ",": (" ", " ", "▄"),
    "+": ("   ", "▄█▄", " ▀ "),
    "−": ("   ", "▄▄▄", "   "),
}
"""The signs of large figures, in three lines of half blocks."""
DIGIT_LINES = 3
GAP = 2
"""Cells between a figure and its words."""
COLOURS: Mapping[Tone, str] = {Tone.LATE: "conflict", Tone.DONE: "status-done"}


def figure_rows(figures: Sequence[Figure], facts: Sequence[tuple[str, str]], *, is_hollow: bool = False) -> list[Row]:
    """Return each figure in large digits with its words beside it, and the facts below all of them.

    Hollow figures, which are not from the history of the server, are small.
    """
    rows: list[Row] = [()]
    for figure in figures:
        colour = COLOURS.get(figure.tone, "foreground")
        if is_hollow:
            rows += [((f"{figure.number} {figure.words}", colour),), ((figure.more, "muted"),), ()]
            continue
        words = ((figure.words, colour), *((more, "muted") for more in figure.more.split(", ")))
        lines = large(figure.number)
        blank = " " * max(map(len, lines))
        for at, (digits, word) in enumerate(zip_longest(lines, words)):
            text, tone = word or ("", "muted")
            rows.append(((digits if at < DIGIT_LINES else blank, colour), (" " * GAP, "muted"), (text, tone)))
        rows.append(())
    if figures and not facts:
        rows.pop()  # what follows has a blank line of its own above
    label_width = max((len(label) for label, _ in facts), default=0)
    return [*rows, *(((f"{label:<{label_width + GAP}}", "muted"), (value, "foreground")) for label, value in facts)]


def large(number: str) -> list[str]:
    """Return a number in lines of half blocks; signs without such digits are left out."""
    signs = [DIGITS[each] for each in number if each in DIGITS]
    return [" ".join(sign[line] for sign in signs) for line in range(DIGIT_LINES)]
