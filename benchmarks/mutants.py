"""Puts plausible single faults into the code, one at a time, and says which of them the nearest tests catch.

The faults are in benchmarks/mutants.toml. Each goes into a copy of the tree in a temporary folder, where its tests run
until the first failure. The failed tests run again without a fault, and have to pass.
"""

import argparse
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import tomllib
from collections import Counter
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from pathlib import Path
from queue import SimpleQueue

from benchmarks.table import print_table

ROOT = Path(__file__).resolve().parents[1]
LIST = Path(__file__).with_suffix(".toml")
LEFT_OUT = shutil.ignore_patterns(".*", "__pycache__", "screenshots", "*.egg-info")
LONGEST = 180
"""Seconds after which the tests of a fault count as failed."""
_PASSED, _FAILED, _INTERRUPTED = 0, 1, 2
_FIRST = re.compile(r"^(?:FAILED|ERROR) (\S+?\.py(?:::\w+)*)", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Fault:
    """A text that stands once in a file below src/backlit, its replacement, and the nearest test files below tests."""

    file: str
    about: str
    old: str
    new: str
    tests: Sequence[str]


@dataclass(frozen=True, slots=True)
class Outcome:
    """The first failed test of a fault; None if all passed."""

    file: str
    about: str
    caught_by: str | None
    seconds: float


def faults_in(path: Path, only: str) -> list[Fault]:
    """Read the faults of the files whose path contains a text. Ends the program for a fault that fits no place."""
    found = [Fault(**each) for each in tomllib.loads(path.read_text(encoding="utf-8"))["fault"]]
    texts = {each.file: _text_of(source(ROOT, each)) for each in found}
    wrong = [
        f"{each.file}: {count} places, not one, for {each.old!r}"
        for each in found
        if (count := texts[each.file].count(each.old)) != 1
    ]
    names = {name for each in found for name in each.tests}
    wrong += [f"tests/{name} is missing" for name in sorted(names) if not (ROOT / "tests" / name).exists()]
    if wrong:
        sys.exit("\n".join([f"{path} does not fit the code:", *wrong]))
    return [each for each in found if only in each.file]


def _text_of(path: Path) -> str:
    return path.read_text(encoding="utf-8") if path.exists() else ""


def source(root: Path, fault: Fault) -> Path:
    """Return the file of a fault in a tree."""
    return root / "src" / "backlit" / fault.file


def first_failure(root: Path, tests: Sequence[str], limit: float = LONGEST) -> str | None:
    """Run tests of a tree. Returns the first failed test; None if all pass."""
    options = ["-n", "0", "-x", "-q", "-p", "no:cacheprovider", "-m", "not long"]
    command = [sys.executable, "-m", "pytest", *options, *tests]
    process = subprocess.Popen(
        command,
        cwd=root,
        env={**os.environ, "PYTHONPATH": f"{root / 'src'}:{root}"},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
    )
    try:
        output, _ = process.communicate(timeout=limit)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        process.communicate()
        return f"time limit of {limit:.0f} s"
    if process.returncode == _PASSED:
        return None
    if process.returncode not in {_FAILED, _INTERRUPTED}:
        sys.exit(f"pytest could not run {', '.join(tests)}:\n{output}")
    found = _FIRST.search(output)
    return found[1] if found else output.strip().splitlines()[-1]


def outcome_of(root: Path, fault: Fault) -> Outcome:
    """Run the tests of a fault in a tree, and take the fault out again."""
    path, began = source(root, fault), time.monotonic()
    text = path.read_text(encoding="utf-8")
    _write(path, text.replace(fault.old, fault.new))
    try:
        caught_by = first_failure(root, [f"tests/{name}" for name in fault.tests])
    finally:
        _write(path, text)
    return Outcome(fault.file, fault.about, caught_by, round(time.monotonic() - began, 1))


def _write(path: Path, text: str) -> None:
    """Write a module without its compiled form, which Python tells apart by whole seconds only."""
    path.write_text(text, encoding="utf-8")
    for compiled in (path.parent / "__pycache__").glob(f"{path.stem}.*"):
        compiled.unlink()


def run(faults: Sequence[Fault], jobs: int, folder: Path) -> list[Outcome]:
    """Run the tests of all faults, some at a time, each in its own copy of the tree."""
    copies: SimpleQueue[Path] = SimpleQueue()
    for number in range(jobs):
        copies.put(Path(shutil.copytree(ROOT, folder / str(number), ignore=LEFT_OUT)))

    def tried(fault: Fault) -> Outcome:
        root = copies.get()
        try:
            outcome = outcome_of(root, fault)
        finally:
            copies.put(root)
        print(f"{outcome.caught_by or 'SURVIVED':<60} {fault.file}: {fault.about} ({outcome.seconds} s)", flush=True)
        return outcome

    with ThreadPoolExecutor(jobs) as pool:
        outcomes = list(pool.map(tried, faults))
    failed = sorted({each.caught_by for each in outcomes if each.caught_by and "::" in each.caught_by})
    if failed and (failure := first_failure(folder / "0", failed, LONGEST * jobs)):
        sys.exit(f"{failure} also fails without a fault.")
    return outcomes


def main() -> None:
    """Print how many faults of each package survive, and all that do."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", default="", metavar="FILE", help="the faults of files whose path contains this")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="faults at a time (default: a core each)")
    parser.add_argument("--json", type=Path, help="also write the outcome of each fault to this file")
    options = parser.parse_args()
    faults = faults_in(LIST, options.only)
    with tempfile.TemporaryDirectory() as folder:
        outcomes = run(faults, options.jobs, Path(folder))
    if options.json:
        options.json.write_text(json.dumps([asdict(each) for each in outcomes], indent=1), encoding="utf-8")
    survived = [each for each in outcomes if each.caught_by is None]
    counts = Counter(each.file.partition("/")[0] for each in outcomes)
    left = Counter(each.file.partition("/")[0] for each in survived)
    rows = [(package, str(count), str(left[package])) for package, count in counts.items()]
    rows.append(("all", str(len(outcomes)), str(len(survived))))
    print_table("Faults that the nearest tests do not catch", ("package", "faults", "survived"), rows)
    for each in survived:
        print(f"survived: {each.file}: {each.about}")


if __name__ == "__main__":
    main()
