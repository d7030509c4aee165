"""Commands of the shell: their processor time beside a Python that does nothing.

The sample is made and synced before, so a listing shows a copy that was in sync a moment ago.
"""

import os
import resource
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from benchmarks.table import median, print_table
from benchmarks.targets import options

ITEMS = 10_000
HEADER = ("command", "CPU ms", "x python -c pass")
COMMANDS = (
    ("--version",),
    ("--help",),
    ("items", "--help"),
    ("complete", "--", "items", "list", "--so"),
    ("items", "list", "--limit", "10"),
    ("items", "list", "--limit", "10", "--query", "type:story"),
    ("items", "list"),
    ("items", "show", "19"),
    ("items", "new", "A story", "--no-wait"),
    ("profiles", "list"),
    ("config", "check"),
)


def spent(command: Sequence[str], environment: dict[str, str]) -> float:
    """Run a command and return its processor time in milliseconds."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, check=True, env=environment, capture_output=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return (after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime) * 1000


def main() -> None:
    """Measure each command in turn, several times."""
    parser = options(__doc__)
    parser.set_defaults(items=ITEMS)
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        # With it each run would compile what was changed last.
        inherited = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
        environment = inherited | {"BACKLIT_HOME": str(Path(folder)), "BACKLIT_PROFILE": f"demo-{chosen.items}-1"}
        words = (sys.executable, "-m", "backlit")
        nothing = (sys.executable, "-c", "pass")
        spent((*words, "items", "list", "--limit", "1"), environment)
        measured: dict[str, list[float]] = {}
        for _ in range(chosen.runs):
            # While the change of the last round waits, each listing would sync.
            spent((*words, "sync"), environment)
            measured.setdefault("python -c pass", []).append(spent(nothing, environment))
            for command in COMMANDS:
                measured.setdefault(" ".join(command), []).append(spent((*words, *command), environment))
    base = median(measured["python -c pass"])
    print_table(
        f"Commands, medians of {chosen.runs}",
        HEADER,
        [[name, median(values), median(values) / base] for name, values in measured.items()],
    )


if __name__ == "__main__":
    main()
