"""Keys: time until shown and bytes for j, PageDown and G, lag at repeat speed, idle and memory, small and large.

Latencies and bytes are medians over all presses of all runs. `changed` is when the screen first looked different, with
its 95th percentile and its ratio to that of the minimal app; `shown` is when it last changed. `lag` is how long the
screen goes on changing after the last of 60 presses of j at 30 a second. The preview follows the cursor after a pause
that is meant; the other figures are taken with the preview hidden.
"""

import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from benchmarks.driver import Answer, Burst, Program
from benchmarks.table import Cell, median, percentile, print_table
from benchmarks.targets import Target, filled, options, yardstick

SMALL = 100
WARM_UP = 2
PRESSES = {"j": 15, "PageDown": 2, "G": 1}
"""How often each is pressed in a run; few PageDowns, so that a small list does not end."""
WITH_PREVIEW = "j with preview"
IDLE_SECONDS = 3.0
KEY_HEADER = ("one key", "first ms", "changed ms", "p95", "x minimal", "shown ms", "bytes", "CPU ms")
REST_HEADER = (
    "held j, rest, memory",
    "lag ms",
    "bytes/key",
    f"idle B/{IDLE_SECONDS:g}s",
    "idle CPU %",
    "MB",
    "x minimal",
)


@dataclass(slots=True)
class Figures:
    """What one program showed over all runs."""

    answers: dict[str, list[Answer]] = field(default_factory=dict)
    bursts: list[Burst] = field(default_factory=list)
    idle: list[tuple[int, float]] = field(default_factory=list)
    memory: list[float] = field(default_factory=list)


def run(target: Target, keys: Sequence[str], figures: Figures) -> None:
    """One fresh process: at rest, each key, and a burst."""
    with target.start() as program:
        program.wait_for(target.ready, timeout=120)
        program.settle(1.0)
        figures.idle.append(program.idle(IDLE_SECONDS))
        if len(keys) > 1:
            program.press("g")
            program.press("g")  # the place of the run before is remembered
            press(program, "j", figures.answers.setdefault(WITH_PREVIEW, []))
            program.press("p")
        for key in keys:
            press(program, key, figures.answers.setdefault(key, []))
        if "G" in keys:
            program.press("g")
            program.press("g")
        figures.bursts.append(program.burst("j"))
        figures.memory.append(program.memory())


def press(program: Program, key: str, answers: list[Answer]) -> None:
    """Press a key as often as it is measured, after a warm-up where it is pressed often."""
    times = PRESSES[key]
    for _ in range(WARM_UP if times > WARM_UP else 0):
        program.press(key)
    answers += [program.press(key) for _ in range(times)]


def key_rows(measured: dict[str, Figures]) -> list[list[Cell]]:
    """A line for every program and key; the ratio is to the yardstick's `j`."""
    rows: list[list[Cell]] = []
    base: float | None = None
    for name, figures in measured.items():
        for key, answers in figures.answers.items():
            first = [a.first for a in answers if a.first is not None]
            changed = [a.changed for a in answers if a.changed is not None]
            shown = [a.shown for a in answers if a.shown is not None]
            base = base or median(changed)
            p95 = percentile(changed, 0.95) if changed else None
            figures_of_key = [median(first), median(changed), p95, median(changed) / base, median(shown)]
            sizes, cpu = median([float(a.size) for a in answers]), median([a.cpu for a in answers])
            rows.append([f"{name}: {key}", *figures_of_key, sizes, cpu])
    return rows


def rest_rows(measured: dict[str, Figures]) -> list[list[Cell]]:
    """A line for every program: burst, idle, memory."""
    return [
        [
            name,
            median([burst.lag for burst in figures.bursts]),
            median([burst.bytes_per_key for burst in figures.bursts]),
            median([float(size) for size, _ in figures.idle]),
            median([share for _, share in figures.idle]),
            median(figures.memory),
            median(figures.memory) / median(next(iter(measured.values())).memory),
        ]
        for name, figures in measured.items()
    ]


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure and print."""
    given = options(__doc__).parse_args(arguments)
    with tempfile.TemporaryDirectory() as temporary:
        folder = given.folder or Path(temporary)
        targets = [yardstick(folder), filled(SMALL, folder), filled(given.items, folder)]
        measured = {target.name: Figures() for target in targets}
        for _ in range(given.runs):
            for number, target in enumerate(targets):
                run(target, list(PRESSES) if number else ["j"], measured[target.name])
    print_table(f"Keys, medians over {given.runs} runs", KEY_HEADER, key_rows(measured))
    print_table("Repeat, rest and memory", REST_HEADER, rest_rows(measured))


if __name__ == "__main__":
    main()
