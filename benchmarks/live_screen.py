"""From an edit in one program to the row on the screen of another, in a terminal of this machine or over SSH.

Nineteen programs are connected beside the one on the screen, in a process of their own with less priority, as they are
on other machines. `--over-ssh` starts the one on the screen over an sshd of this machine that is started for it, and
`--ssh "ssh -tt host"` over another one.
"""

import argparse
import os
import shlex
import subprocess
import sys
import tempfile
from contextlib import ExitStack
from pathlib import Path

from backlit.service.sample.workspace import PASSWORD
from benchmarks.driver import Program
from benchmarks.served import sample_served
from benchmarks.sshd import sshd_here
from benchmarks.table import percentile, print_table
from benchmarks.targets import ROWS

BESIDE = (
    "import asyncio, os, sys; from pathlib import Path; from benchmarks.live import edit_beside; os.nice(10);"
    " asyncio.run(edit_beside(Path(sys.argv[1]), sys.argv[2], int(sys.argv[3])))"
)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--programs", type=int, default=20)
    parser.add_argument("--edits", type=int, default=100)
    parser.add_argument("--items", type=int, default=500)
    parser.add_argument("--pause", type=float, default=0.5, help="seconds between two edits")
    parser.add_argument("--database", help="an empty PostgreSQL, in place of SQLite")
    parser.add_argument("--ssh", default="", help="a command before that of the program")
    parser.add_argument("--over-ssh", action="store_true", help="over a real sshd on this machine")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        with ExitStack() as stack:
            options.ssh = stack.enter_context(sshd_here()) if options.over_ssh else options.ssh
            address = stack.enter_context(sample_served(folder, options.items, options.database))
            measure(folder, address, options)


def measure(folder: Path, address: str, options: argparse.Namespace) -> None:
    home = {"BACKLIT_HOME": str(folder / "home")}
    backlit = [sys.executable, "-m", "backlit"]
    login = [*backlit, "login", address, "--user", "jon"]
    subprocess.run(login, input=f"{PASSWORD}\n", env={**os.environ, **home}, text=True, check=True, capture_output=True)
    others = [sys.executable, "-c", BESIDE, str(folder), address, str(options.programs - 1)]
    with subprocess.Popen(others, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as beside:
        assert beside.stdin is not None
        assert beside.stdout is not None
        beside.stdout.readline()
        inner = ["env", f"BACKLIT_HOME={home['BACKLIT_HOME']}", *backlit]
        whole = [*shlex.split(options.ssh), f"cd {Path.cwd()} && {shlex.join(inner)}"] if options.ssh else inner
        with Program(whole, home) as program:
            program.wait_for(ROWS)
            program.wait_for(r"\blive\b")
            program.settle(2.0)
            milliseconds = []
            for number in range(options.edits):
                began = program.elapsed()
                beside.stdin.write(f"Edited {number}\n")
                beside.stdin.flush()
                milliseconds.append(program.wait_for(rf"Edited {number}\b").wall - began)
                program.read(options.pause)
        beside.stdin.close()
        beside.wait(30)
    figures = [options.programs, len(milliseconds), *(percentile(milliseconds, share) for share in (0.5, 0.9, 1.0))]
    load = os.getloadavg()[0]
    print_table(
        "Live on the screen", ["programs", "edits", "median ms", "p90 ms", "worst ms", "load"], [[*figures, load]]
    )


if __name__ == "__main__":
    main()
