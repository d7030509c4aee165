"""A user of this machine with directories of their own, and a service on a free port."""

import shutil
from collections.abc import AsyncIterator, Iterator
from datetime import date
from pathlib import Path

import httpx
import pytest
from tests.cli.admin_world import BASE, Served, Workspace
from tests.cli.home import DEMO, Home, Server
from tests.service.people import hash_cheaply

from backlit.service.app import Service
from backlit.service.sample.workspace import write_sample


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
