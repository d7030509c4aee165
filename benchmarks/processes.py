"""The processes below one of ours: their memory, their CPU time, and their end."""

import contextlib
import os
import signal
import time
from pathlib import Path

TICK = os.sysconf("SC_CLK_TCK")
PAGE = os.sysconf("SC_PAGE_SIZE")


def tree_of(pid: int) -> list[int]:
    """A process and all below it that are still there."""
    found, waiting = [], [pid]
    while waiting:
        each = waiting.pop()
        try:
            texts = [path.read_text() for path in Path(f"/proc/{each}/task").glob("*/children")]
        except OSError:
            continue  # it ended meanwhile
        found.append(each)
        waiting += [int(child) for text in texts for child in text.split()]
    return found


def cpu_of(pids: list[int]) -> float:
    """Seconds of CPU time so far, with that of their children that ended."""
    total = 0.0
    for pid in pids:
        with contextlib.suppress(OSError):  # ended meanwhile
            values = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
            total += (int(values[13]) + int(values[14])) / TICK
            total += time.clock_gettime(~pid << 3 | 2)  # the process's own clock, in nanoseconds
    return total


def is_at_work(pids: list[int]) -> bool:
    """Whether a thread runs, or waits for a processor or the disk; a busy machine does not make that look like rest."""
    for pid in pids:
        for stat in Path(f"/proc/{pid}/task").glob("*/stat"):
            with contextlib.suppress(OSError):  # ended meanwhile
                if stat.read_text().rpartition(")")[2].split()[0] in {"R", "D"}:
                    return True
    return False


def memory_of(pids: list[int]) -> float:
    """Resident memory in MB; a page that two share counts for both."""
    total = 0
    for pid in pids:
        with contextlib.suppress(OSError):
            total += int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * PAGE
    return total / 2**20


def end(pid: int, pids: list[int], patience: float = 3.0) -> None:
    """End a child of ours and what is below it: asked first, then killed; reaps the child."""
    for sign, until in (
        (signal.SIGTERM, time.monotonic() + patience),
        (signal.SIGKILL, time.monotonic() + 2 * patience),
    ):
        for each in pids:
            with contextlib.suppress(ProcessLookupError):
                os.kill(each, sign)
        while time.monotonic() < until:
            if os.waitpid(pid, os.WNOHANG)[0]:
                return
            time.sleep(0.005)
