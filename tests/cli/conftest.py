"""A user of this machine with directories of their own, and a service on a free port."""

import os
import re
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

COMMAND = (sys.executable, "-m", "backlit")
_ADDRESS = re.compile(r"http://127\.0\.0\.1:\d+")


@dataclass(frozen=True)
class Home:
    """One user of this machine, with directories of their own."""

    path: Path

    @property
    def environment(self) -> dict[str, str]:
        return os.environ | {"BACKLIT_HOME": str(self.path), "TERM": "xterm-256color", "COLUMNS": "80"}

    def run(self, *arguments: str, given: str = "") -> subprocess.CompletedProcess[str]:
        """Run the real command with no terminal."""
        return subprocess.run(
            [*COMMAND, *arguments],
            check=False,
            env=self.environment,
            input=given,
            capture_output=True,
            text=True,
            timeout=60,
        )

    def start(self, *arguments: str) -> subprocess.Popen[str]:
        return subprocess.Popen(
            [*COMMAND, *arguments], env=self.environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return Home(tmp_path / "home")


@pytest.fixture
def serve(tmp_path: Path) -> Iterator[Callable[[], str]]:
    """Start a service with a small sample on a free port; returns its address."""
    running: list[subprocess.Popen[str]] = []

    def start() -> str:
        process = Home(tmp_path / "server").start("serve", "--sample", "--items", "40", "--port", "0")
        running.append(process)
        assert process.stdout is not None
        found = _ADDRESS.search(process.stdout.readline())
        assert found is not None
        return found[0]

    yield start
    for process in running:
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=20)
