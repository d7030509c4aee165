"""A user of this machine with directories of their own, and a service on a free port."""

import asyncio
import os
import shutil
import socket
import subprocess
import sys
import threading
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass
from datetime import date
from pathlib import Path

import httpx
import pytest
import uvicorn
from tests.cli.admin_world import BASE, Done, Served, Workspace, command
from tests.logs import logs_kept
from tests.service.people import hash_cheaply

from backlit.service.app import Service
from backlit.service.sample.workspace import write_sample
from backlit.service.storage.settings import ServiceSettings

DEMO = ("--profile", "demo-60-1")
COMMAND = (sys.executable, "-m", "backlit")


@dataclass(frozen=True)
class Home:
    """One user of this machine, with directories of their own."""

    path: Path

    @property
    def environment(self) -> dict[str, str]:
        return os.environ | {"BACKLIT_HOME": str(self.path), "TERM": "xterm-256color", "COLUMNS": "80"}

    def run(self, *arguments: str, given: str | None = "") -> Done:
        """Run a command in this process with no terminal."""
        with pytest.MonkeyPatch.context() as patch, logs_kept():
            for name, value in self.environment.items():
                patch.setenv(name, value)
            return command(*arguments, given=given)

    def run_apart(self, *arguments: str, given: str = "") -> Done:
        """Run the command in a process of its own with no terminal."""
        done = subprocess.run(
            [*COMMAND, *arguments],
            check=False,
            env=self.environment,
            input=given,
            capture_output=True,
            text=True,
            timeout=60,
        )
        return Done(done.returncode, done.stdout, done.stderr)

    def start(self, *arguments: str) -> subprocess.Popen[str]:
        return subprocess.Popen(
            [*COMMAND, *arguments], env=self.environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return Home(tmp_path / "home")


@pytest.fixture(scope="session")
def synced_home(tmp_path_factory: pytest.TempPathFactory) -> Home:
    home = Home(tmp_path_factory.mktemp("synced") / "home")
    assert home.run(*DEMO, "items", "list", "--limit", "1").returncode == 0
    return home


@pytest.fixture
def demo_home(synced_home: Home, home: Home) -> Home:
    """A user whose demo is made and synced."""
    shutil.copytree(synced_home.path, home.path)
    return home


class Server:
    """The service behind a web server in a thread of this process, on a free port."""

    def __init__(self, settings: ServiceSettings) -> None:
        listener = socket.create_server(("127.0.0.1", 0))
        self.address = f"http://127.0.0.1:{listener.getsockname()[1]}"
        service = Service(settings)
        self._web = uvicorn.Server(uvicorn.Config(service.asgi, log_level="critical", lifespan="off"))
        self._thread = threading.Thread(target=lambda: asyncio.run(self._run(service, listener)))
        self._thread.start()

    def stop(self) -> None:
        """End the service; a second call does nothing."""
        self._web.should_exit = True
        self._thread.join()

    async def _run(self, service: Service, listener: socket.socket) -> None:
        with listener:
            await service.start()
            await self._web.serve([listener])
            await service.stop()


@pytest.fixture
def server(workspace: Workspace) -> Iterator[Server]:
    server = Server(workspace.settings)
    yield server
    server.stop()


@pytest.fixture(scope="session")
def sample_workspace(tmp_path_factory: pytest.TempPathFactory) -> Workspace:
    workspace = Workspace(tmp_path_factory.mktemp("administered"))
    write_sample(workspace.settings, 80, today=date(2026, 3, 11))
    hash_cheaply(workspace.settings)
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
