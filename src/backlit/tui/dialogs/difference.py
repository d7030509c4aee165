"""What was changed, against what the service has."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import unified_diff

from textual.content import Content

from backlit.tui.dialogs.reading import ReadingDialog
from backlit.tui.drawing.text import safe


@dataclass(frozen=True, slots=True)
class Difference:
    """A field, as the service has it and as it is here, both as text."""

    label: str
    before: str
    after: str


class DifferenceDialog(ReadingDialog):
    """Shows values one under the other and long texts line by line."""

    def __init__(self, title: str, differences: Sequence[Difference]) -> None:
        super().__init__(title, [line for difference in differences for line in _lines(difference)])


def _lines(difference: Difference) -> Iterator[Content]:
    yield Content.assemble((safe(difference.label), "bold"))
    before, after = difference.before.splitlines() or [""], difference.after.splitlines() or [""]
    if len(before) == len(after) == 1:
        yield _line("-", before[0])
        yield _line("+", after[0])
        return
    for line in list(unified_diff(before, after, lineterm="", n=1))[2:]:
        yield _line(line[:1], line[1:])


def _line(sign: str, text: str) -> Content:
    colour = {"-": "$error", "+": "$success"}.get(sign, "$muted")
    return Content.assemble((f"  {sign} ", colour), (safe(text), colour if sign in "-+" else "$muted"))
