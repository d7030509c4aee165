"""Large figures in three lines of quarter blocks, with the words beside them."""

from collections.abc import Mapping, Sequence

from rich.cells import cell_len

from backlit.model.reports.report import Figure, Tone
from backlit.tui.drawing.charts import Piece, Row
from backlit.tui.drawing.text import wrapped

DIGITS: Mapping[str, tuple[str, str, str]] = {
    "0": ("▟▀▀▙", "█  █", "▜▄▄▛"),
    "1": ("▄█ ", " █ ", "▄█▄"),
    "2": ("▟▀▀▙", " ▗▟▛", "▟█▄▄"),
    "3": ("▟▀▀▙", " ▀▀▙", "▜▄▄▛"),
    "4": ("█  █", "█▄▄█", "   █"),
    "5": ("█▀▀▀", "▀▀▀▙", "▜▄▄▛"),
    "6": ("▟▀▀▘", "█▀▀▙", "▜▄▄▛"),
    "7": ("▀▀▀█", "  ▟▘", " ▐▌ "),
    "8": ("▟▀▀▙", "▟▀▀▙", "▜▄▄▛"),
    "9": ("▟▀▀▙", "▜▄▄█", "▗▄▄▛"),
    ".": (" ", " ", "▄"),
    ",": (" ", " ", "▟"),
    "+": ("   ", "▄█▄", " ▀ "),
    "−": ("   ", "▄▄▄", "   "),
}
"""The signs of large figures, in three lines of quarter blocks: with round corners 8 is no B, and 2 no Z."""
DIGIT_LINES = 3
GAP = 2
"""Cells between a figure and its words."""
COLOURS: Mapping[Tone, str] = {Tone.LATE: "conflict", Tone.DONE: "status-done"}


def figure_rows(
    figures: Sequence[Figure], facts: Sequence[tuple[str, str]], width: int, *, is_hollow: bool = False
) -> list[Row]:
    """Return each figure in large digits with its words beside it, and the facts below all of them.

    Words that do not fit beside a figure stand below it. Hollow figures, which are not from the history of the
    server, are small.
    """
    rows: list[Row] = [()]
    for figure in figures:
        colour = COLOURS.get(figure.tone, "foreground")
        if is_hollow:
            rows += [((f"{figure.number} {figure.words}", colour),), ((figure.more, "muted"),), ()]
            continue
        lines = large(figure.number)
        cells = max(map(len, lines))
        words: list[Piece] = [(figure.words, colour), *((more, "muted") for more in figure.more.split(", "))]
        beside = words if all(cell_len(text) <= width - cells - GAP for text, _ in words) else []
        for at in range(max(DIGIT_LINES, len(beside))):
            digits = lines[at] if at < DIGIT_LINES else ""
            rows.append(((f"{digits:<{cells + GAP}}", colour), *beside[at : at + 1]))
        if not beside:
            rows += [(), ((figure.words, colour),), *(((line, "muted"),) for line in wrapped(figure.more, width))]
        rows.append(())
    if figures and not facts:
        rows.pop()  # what follows has a blank line of its own above
    label_width = max((len(label) for label, _ in facts), default=0)
    return [*rows, *(((f"{label:<{label_width + GAP}}", "muted"), (value, "foreground")) for label, value in facts)]


def large(number: str) -> list[str]:
    """Return a number in lines of quarter blocks; signs without such digits are left out."""
    signs = [DIGITS[each] for each in number if each in DIGITS]
    return [" ".join(sign[line] for sign in signs) for line in range(DIGIT_LINES)]
