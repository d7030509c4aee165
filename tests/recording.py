"""The recording in the README, one animated SVG of grooming and planning; `python -m tests.recording` writes it.

It is played like the pictures of screenshots.py. A row that several frames share is written once.
"""

import asyncio
import tempfile
from collections.abc import Iterable
from dataclasses import dataclass, field
from html import escape
from pathlib import Path

from rich.segment import Segment
from rich.style import Style
from tests import quiet
from tests.quiet import strips_of
from tests.screenshots import FOLDER, opened, settled, write_workspace
from textual.strip import Strip

RECORDING = FOLDER / "recording.svg"
SIZE = (112, 32)
KEY_SECONDS, LOOK_SECONDS = 0.45, 1.6
CELL, LINE, FONT = 8.4, 18, 14
"""Width and height of a cell, and the size of the letters in it, in pixels."""
GROUND, FRONT, MUTED, ACCENT = "#14161b", "#d8d8d8", "#9a9aa5", "#f0b35a"
SIGNS = {"enter": "⏎", "backspace": "⌫", "escape": "esc", "tab": "⇥", "space": "␣"}


@dataclass(frozen=True, slots=True)
class Act:
    """What is done, in a few words, and the keys that do it."""

    caption: str
    keys: tuple[str, ...]


ACTS = (
    Act("A backlog of 500 items", ("j", "j")),
    Act("Groom: only what is missing is asked", (*"gq", "5", "2", "enter", "3", "2", "enter", "q")),
    Act("Plan: send items to the sprint", (*"gp", "j", "space", "j", "space", ">", "j", ">")),
    Act("Review, then save", ("w", "y")),
)


@dataclass(slots=True)
class Sheet:
    """The rows and styles of an animated SVG, each written once."""

    rows: dict[str, str] = field(default_factory=dict)
    styles: dict[str, str] = field(default_factory=dict)

    def row(self, strip: Strip) -> str:
        """Return the name of a row."""
        drawn = "".join(self._cells(strip))
        return self.rows.setdefault(drawn, f"r{len(self.rows)}")

    def _cells(self, strip: Strip) -> Iterable[str]:
        at = 0
        for text, style, _ in Segment.simplify(strip):
            width = Segment(text).cell_length
            yield from self._run(text, style or Style.null(), at, width)
            at += width

    def _run(self, text: str, style: Style, at: int, width: int) -> Iterable[str]:
        front, ground = style.color, style.bgcolor
        if style.reverse:
            front, ground = ground, front
        x, across = f"{at * CELL:.1f}", f"{width * CELL:.1f}"
        if ground is not None and not ground.is_default:
            yield f'<rect x="{x}" width="{across}" height="{LINE}" fill="{ground.get_truecolor().hex}"/>'
        if not text.isspace():
            look = f"fill:{front.get_truecolor().hex if front is not None else FRONT}"
            look += ";font-weight:bold" if style.bold else ""
            look += ";text-decoration:underline" if style.underline else ""
            name = self.styles.setdefault(look, f"s{len(self.styles)}")
            place = f'x="{x}" y="{FONT}" textLength="{across}" lengthAdjust="spacingAndGlyphs"'
            yield f'<text class="{name}" {place}>{escape(text).replace(" ", "&#160;")}</text>'


@dataclass(frozen=True, slots=True)
class Frame:
    """What the screen showed, what had been pressed last, and for how many seconds that is seen."""

    strips: list[Strip]
    caption: str
    keys: str
    seconds: float


async def frames(folder: Path, workspace: Path) -> list[Frame]:
    """Play all acts in an empty folder; returns the screen after each key."""
    taken: list[Frame] = []
    async with opened("backlog", folder, workspace, SIZE) as pilot:
        await settled(pilot)
        for act in ACTS:
            for number, key in enumerate(act.keys, 1):
                await pilot.press(key)
                await settled(pilot)
                pressed = " ".join(SIGNS.get(each, each) for each in act.keys[:number])
                seconds = LOOK_SECONDS if number == len(act.keys) else KEY_SECONDS
                taken.append(Frame(strips_of(pilot.app), act.caption, pressed, seconds))
    return taken


def animated(shown: list[Frame]) -> str:
    """Write frames as one SVG that plays them side by side for ever, the captions and keys below the screen."""
    sheet = Sheet()
    width, height = SIZE[0] * CELL, (SIZE[1] + 2) * LINE
    total = sum(each.seconds for each in shown)
    drawn, steps, began = [], [], 0.0
    for number, frame in enumerate(shown):
        left = f"{number * width:.1f}"
        rows = "".join(f'<use href="#{sheet.row(strip)}" y="{y * LINE}"/>' for y, strip in enumerate(frame.strips))
        words = f'{escape(frame.caption)}<tspan class="keys" dx="16">{escape(frame.keys)}</tspan>'
        caption = f'<text class="caption" x="{CELL}" y="{height - LINE / 2}">{words}</text>'
        drawn.append(f'<g transform="translate({left})">{rows}{caption}</g>')
        steps.append(f"{100 * began / total:.2f}%{{transform:translateX(-{left}px)}}")
        began += frame.seconds
    styles = "".join(f".{name}{{{look}}}" for look, name in sheet.styles.items())
    rows = "".join(f'<g id="{name}">{cells}</g>' for cells, name in sheet.rows.items())
    size = f'viewBox="0 0 {width:.0f} {height}" width="{width:.0f}" height="{height}"'
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" {size}>'
        f"<style>text{{font:{FONT}px ui-monospace,Menlo,Consolas,'DejaVu Sans Mono',monospace;white-space:pre}}"
        f".caption{{fill:{MUTED}}}.keys{{fill:{ACCENT};font-weight:bold}}{styles}"
        f"@keyframes play{{{''.join(steps)}}}.film{{animation:play {total:.2f}s step-end infinite}}</style>"
        f'<rect width="100%" height="100%" rx="6" fill="{GROUND}"/><defs>{rows}</defs>'
        f'<g class="film">{"".join(drawn)}</g></svg>\n'
    )


async def write() -> None:
    """Write the recording."""
    quiet.wait_so_with_keys()
    with tempfile.TemporaryDirectory() as folder:
        for name in ("workspace", "recording"):
            (Path(folder) / name).mkdir()
        workspace = await asyncio.to_thread(write_workspace, Path(folder) / "workspace")
        RECORDING.write_text(animated(await frames(Path(folder) / "recording", workspace)), encoding="utf-8")


if __name__ == "__main__":
    asyncio.run(write())
