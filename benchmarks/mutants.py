"""Draws single faults for the files of a package, one at a time, and says which of them the nearest tests miss.

A fault changes one comparison, operand, constant, condition or statement. It goes into a copy of the tree, where the
tests that import its module run until the first failure. The seed is printed: with it, a run draws the same faults.
"""

import argparse
import ast
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from pathlib import Path
from queue import SimpleQueue

from benchmarks.table import print_table

ROOT = Path(__file__).resolve().parents[1]
PACKAGE = Path("src/backlit")
NOT_COPIED = shutil.ignore_patterns(".*", "__pycache__", "screenshots", "*.egg-info")
MAX_SECONDS = 180
"""Seconds after which the tests of a fault count as failed: a fault may make a loop endless."""
PYTEST_PASSED, PYTEST_FAILED, PYTEST_INTERRUPTED = 0, 1, 2
OPPOSITES: dict[type[ast.cmpop], str] = {
    ast.Eq: "!=", ast.NotEq: "==", ast.Lt: "<=", ast.LtE: "<", ast.Gt: ">=", ast.GtE: ">",
    ast.Is: "is not", ast.IsNot: "is", ast.In: "not in", ast.NotIn: "in",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Fault:
    """A replacement for the bytes of a file from `start` to before `end`."""

    file: str
    line: int
    start: int
    end: int
    old: str
    new: str


@dataclass(frozen=True, slots=True)
class Outcome:
    """A fault with the end of the tests that noticed it; None if they all passed."""

    fault: Fault
    noticed_by: str | None
    seconds: float


def faults_of(path: Path) -> Iterator[Fault]:
    """Yield every fault that a file may get."""
    text = (ROOT / path).read_bytes()
    starts = [0, *(at + 1 for at, byte in enumerate(text) if byte == ord("\n"))]
    for node in ast.walk(ast.parse(text)):
        new = _replacement(node)
        if new is None or not isinstance(node, ast.expr | ast.stmt):
            continue
        start = starts[node.lineno - 1] + node.col_offset
        end = starts[(node.end_lineno or node.lineno) - 1] + (node.end_col_offset or 0)
        old = text[start:end].decode()
        if old != new:
            yield Fault(str(path), node.lineno, start, end, old, new)


def _replacement(node: ast.AST) -> str | None:
    match node:
        case ast.Compare(ops=[operator], left=left, comparators=[right]):
            return f"({ast.unparse(left)} {OPPOSITES[type(operator)]} {ast.unparse(right)})"
        case ast.BoolOp(op=operator, values=values):
            word = " or " if isinstance(operator, ast.And) else " and "
            return f"({word.join(f'({ast.unparse(value)})' for value in values)})"
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            return f"({ast.unparse(operand)})"
        case ast.Constant(value=bool() as value):
            return str(not value)
        case ast.Constant(value=int() as value):
            return str(value + 1)
        case ast.BinOp(op=ast.Add(), left=left, right=right):
            return f"({ast.unparse(left)} - {ast.unparse(right)})"
        case ast.BinOp(op=ast.Sub(), left=left, right=right):
            return f"({ast.unparse(left)} + {ast.unparse(right)})"
        case ast.Expr(value=ast.Call() | ast.Await()):
            return "pass"
        case ast.AugAssign() | ast.Raise() | ast.Break() | ast.Continue():
            return "pass"
        case _:
            return None


def tests_of(path: Path) -> list[str]:
    """Return the test files that import a module, those of its own name first; all of its layer's where none does."""
    module = ".".join(path.relative_to("src").with_suffix("").parts)
    tests = sorted((ROOT / "tests").rglob("test_*.py"))
    importing = [test for test in tests if f"{module} import" in test.read_text(encoding="utf-8")]
    layer = path.relative_to(PACKAGE).parts[0]
    nearest = importing or [test for test in tests if test.is_relative_to(ROOT / "tests" / layer)]
    nearest.sort(key=lambda test: path.stem not in test.stem)
    return [str(test.relative_to(ROOT)) for test in nearest]


def first_failure(root: Path, tests: Sequence[str]) -> str | None:
    """Run tests of a tree; return the last line of pytest's output if one fails, None if all pass."""
    options = ["-n", "0", "-x", "-q", "-p", "no:cacheprovider", "-m", "not long"]
    process = subprocess.Popen(
        [sys.executable, "-m", "pytest", *options, *tests],
        cwd=root,
        env={**os.environ, "PYTHONPATH": f"{root / 'src'}:{root}"},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
    )
    try:
        output, _ = process.communicate(timeout=MAX_SECONDS)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        process.communicate()
        return f"time limit of {MAX_SECONDS} s"
    if process.returncode == PYTEST_PASSED:
        return None
    if process.returncode not in {PYTEST_FAILED, PYTEST_INTERRUPTED}:
        sys.exit(f"pytest could not run {', '.join(tests)}:\n{output}")
    return output.strip().splitlines()[-1]


def outcome_of(root: Path, fault: Fault) -> Outcome:
    """Put a fault into a tree, run its tests, and take it out again."""
    path, began = root / fault.file, time.monotonic()
    before = path.read_bytes()
    _write(path, before[: fault.start] + fault.new.encode() + before[fault.end :])
    try:
        noticed_by = first_failure(root, tests_of(Path(fault.file)))
    finally:
        _write(path, before)
    return Outcome(fault, noticed_by, round(time.monotonic() - began, 1))


def _write(path: Path, text: bytes) -> None:
    """Write a module without its compiled form, which Python tells apart by whole seconds only."""
    path.write_bytes(text)
    for compiled in (path.parent / "__pycache__").glob(f"{path.stem}.*"):
        compiled.unlink()


def run(faults: Sequence[Fault], jobs: int, folder: Path) -> list[Outcome]:
    """Try all faults, some at a time, each in its own copy of the tree."""
    copies: SimpleQueue[Path] = SimpleQueue()
    for number in range(jobs):
        copies.put(Path(shutil.copytree(ROOT, folder / str(number), ignore=NOT_COPIED)))

    def tried(fault: Fault) -> Outcome:
        root = copies.get()
        try:
            outcome = outcome_of(root, fault)
        finally:
            copies.put(root)
        print(f"{'noticed' if outcome.noticed_by else 'MISSED':<8}{_words(fault)} ({outcome.seconds} s)", flush=True)
        return outcome

    with ThreadPoolExecutor(jobs) as pool:
        return list(pool.map(tried, faults))


def _words(fault: Fault) -> str:
    old, new = (" ".join(text.split())[:60] for text in (fault.old, fault.new))
    return f"{fault.file}:{fault.line}: {old} -> {new}"


def main() -> None:
    """Print which of the drawn faults the nearest tests miss."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", help="files below src/backlit whose path contains this, such as store/outbox")
    parser.add_argument("--count", type=int, default=20, help="faults that are drawn (default: 20)")
    parser.add_argument("--seed", type=int, default=time.time_ns() % 10**6, help="draws the same faults again")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="faults at a time (default: a core each)")
    parser.add_argument("--json", type=Path, help="also write the outcome of each fault to this file")
    options = parser.parse_args()
    paths = [path.relative_to(ROOT) for path in sorted((ROOT / PACKAGE).rglob("*.py"))]
    possible = [fault for path in paths if options.files in str(path) for fault in faults_of(path)]
    if not possible:
        sys.exit(f"No file below {PACKAGE} with a place for a fault has “{options.files}” in its path.")
    print(f"seed {options.seed}, {len(possible)} possible faults")
    faults = random.Random(options.seed).sample(possible, min(options.count, len(possible)))  # noqa: S311 - no secret
    with tempfile.TemporaryDirectory() as folder:
        outcomes = run(faults, options.jobs, Path(folder))
    if options.json:
        options.json.write_text(json.dumps([asdict(outcome) for outcome in outcomes], indent=1), encoding="utf-8")
    missed = [_words(outcome.fault) for outcome in outcomes if outcome.noticed_by is None]
    print_table("Faults that the nearest tests miss", ("drawn", "missed"), [(str(len(outcomes)), str(len(missed)))])
    for words in missed:
        print(f"missed: {words}")


if __name__ == "__main__":
    main()
