"""The recording in the README, one animated SVG of a sprint's planning; `python -m tests.recording` writes it.

It is played like the pictures of screenshots.py. A row that several frames share is written once.
"""

import asyncio
import tempfile
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path

from tests import quiet
from tests.quiet import strips_of
from tests.screenshots import FOLDER, opened, settled, write_workspace
from tests.svg import BASELINE, CAP, CELL, FONTS, FRONT, GROUND, LINE, Sheet
from textual.strip import Strip

RECORDING = FOLDER / "recording.svg"
SIZE = (100, 30)
KEY_SECONDS = 0.35
SIGNS = {"enter": "⏎", "backspace": "⌫", "escape": "esc", "tab": "⇥", "space": "␣"}


@dataclass(frozen=True, slots=True)
class Act:
    """Some keys, and for how many seconds the screen after the last one is seen."""

    keys: tuple[str, ...]
    seconds: float


ACTS = (
    Act(("g", "q"), 1.0),
    Act(("5",), 0.8),
    Act(("q",), 0.5),
    Act(("g", "p"), 1.4),
    Act(("j",), 1.5),
    Act((">",), 1.8),
    Act(("9", "j"), 0.8),
    Act((">",), 1.4),
    Act(("w",), 2.0),
    Act(("y",), 1.6),
    Act(("g", "k"), 1.3),
    Act(("l", "j", "L"), 1.6),
    Act(("g", "r"), 2.4),
    Act(("g", "p"), 2.0),
)


@dataclass(frozen=True, slots=True)
class Frame:
    """What the screen showed, what had been pressed last, and for how many seconds that is seen."""

    strips: list[Strip]
    keys: tuple[str, ...]
    seconds: float


async def frames(folder: Path, workspace: Path) -> list[Frame]:
    """Play all acts in an empty folder; returns the screen after each key."""
    taken: list[Frame] = []
    async with opened("backlog", folder, workspace, SIZE) as pilot:
        await pilot.press("g", "g")  # how far the scene has scrolled depends on its timing
        await settled(pilot)
        for act in ACTS:
            for number, key in enumerate(act.keys, 1):
                await pilot.press(key)
                await settled(pilot)
                pressed = tuple(SIGNS.get(each, each) for each in act.keys[:number])
                seconds = act.seconds if number == len(act.keys) else KEY_SECONDS
                taken.append(Frame(strips_of(pilot.app), pressed, seconds))
    return taken


def animated(shown: list[Frame]) -> str:
    """Write frames as one SVG that plays them side by side for ever, the keys below the screen."""
    sheet = Sheet()
    width, height = SIZE[0] * CELL, (SIZE[1] + 2) * LINE
    total = sum(each.seconds for each in shown)
    drawn, steps, began = [], [], 0.0
    for number, frame in enumerate(shown):
        left = f"{number * width:.1f}"
        rows = "".join(f'<use href="#{sheet.row(strip)}" y="{y * LINE}"/>' for y, strip in enumerate(frame.strips))
        caps = "".join(_caps(frame.keys, height - 1.5 * LINE))
        drawn.append(f'<g transform="translate({left})">{rows}{caps}</g>')
        steps.append(f"{100 * began / total:.2f}%{{transform:translateX(-{left}px)}}")
        began += frame.seconds
    styles = "".join(f".{name}{{{look}}}" for look, name in sheet.styles.items())
    rows = "".join(f'<g id="{name}">{cells}</g>' for cells, name in sheet.rows.items())
    size = f'viewBox="0 0 {width:.0f} {height}" width="{width:.0f}" height="{height}"'
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" {size}>'
        f"<style>{FONTS}"
        f".cap{{fill:{FRONT};font-weight:bold}}{styles}"
        f"@keyframes play{{{''.join(steps)}}}.film{{animation:play {total:.2f}s step-end infinite}}</style>"
        f'<rect width="100%" height="100%" rx="6" fill="{GROUND}"/><defs>{rows}</defs>'
        f'<g class="film">{"".join(drawn)}</g></svg>\n'
    )


def _caps(keys: Sequence[str], top: float) -> Iterable[str]:
    """Draw the keys that were pressed as caps."""
    at = CELL
    for key in keys:
        width = (len(key) + 2) * CELL
        yield f'<rect x="{at:.1f}" y="{top}" width="{width:.1f}" height="{LINE + 2}" rx="3" fill="{CAP}"/>'
        yield f'<text class="cap" x="{at + CELL:.1f}" y="{top + BASELINE + 1}">{escape(key)}</text>'
        at += width + CELL


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
