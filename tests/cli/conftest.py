"""A user of this machine with directories of their own, and a service on a free port."""

import os
import re
import shutil
import signal
import subprocess
import sys
from collections.abc import AsyncIterator, Callable, Iterator
from dataclasses import dataclass
from datetime import date
from pathlib import Path

import httpx
import pytest
from tests.cli.admin_world import BASE, Served, Workspace

from backlit.service.app import Service
from backlit.service.sample.workspace import write_sample

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


@pytest.fixture(scope="session")
def sample_workspace(tmp_path_factory: pytest.TempPathFactory) -> Workspace:
    workspace = Workspace(tmp_path_factory.mktemp("administered"))
    write_sample(workspace.settings, 80, today=date(2026, 3, 11))
    return workspace


@pytest.fixture
def workspace(sample_workspace: Workspace, tmp_path: Path) -> Workspace:
    """A sample that can be spoilt."""
    shutil.copytree(sample_workspace.folder, tmp_path / "workspace")
    return Workspace(tmp_path / "workspace")


@pytest.fixture
async def served(workspace: Workspace) -> AsyncIterator[Served]:
    """The workspace, served while it is administered."""
    service = Service(workspace.settings)
    await service.start()
    transport = httpx.ASGITransport(service.asgi, raise_app_exceptions=False)
    async with httpx.AsyncClient(transport=transport, base_url=f"{BASE}/api/v1/") as visitor:
        yield Served(service, visitor)
    await service.stop()
