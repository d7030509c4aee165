"""How the parts of a chart look: a colour of the theme, and a sign that tells them apart without it."""

from collections.abc import Mapping
from typing import TypeAlias

from backlit.model.reports.chart import Tone

Piece: TypeAlias = tuple[str, str]
"""Some text and the theme variable that colours it."""
Row: TypeAlias = tuple[Piece, ...]
"""One line of a drawing."""

COLOURS: Mapping[Tone, str] = {
    Tone.DONE: "status-done",
    Tone.LEFT: "status-progress",
    Tone.STARTED: "status-progress",
    Tone.TESTED: "status-test",
    Tone.PLAIN: "type-task",
    Tone.SCOPE: "foreground",
    Tone.GUIDE: "foreground",
}
FILLS: Mapping[Tone, str] = {
    Tone.DONE: "█",
    Tone.LEFT: "▒",
    Tone.STARTED: "█",
    Tone.TESTED: "▒",
    Tone.PLAIN: "░",
}
"""What bars of several parts are filled with."""
LINES: Mapping[Tone, str] = {Tone.SCOPE: "━", Tone.GUIDE: "•"}
GAP = "?"
"""Stands where there is no record of a day."""
EIGHTHS_UP = " ▁▂▃▄▅▆▇█"
EIGHTHS_ACROSS = " ▏▎▍▌▋▊▉█"
