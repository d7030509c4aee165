"""A served workspace of four users, who have imported nothing yet."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.cli.admin_world import PASSWORD, Workspace
from tests.cli.home import Home, Server

PEOPLE = {"maya": "Maya Lind", "ben": "Ben Adler", "yamada": "山田太郎", "ines": "Inês Duarte"}


@pytest.fixture(scope="session")
def empty_workspace(tmp_path_factory: pytest.TempPathFactory) -> Workspace:
    workspace = Workspace(tmp_path_factory.mktemp("webshop"))
    assert workspace.admin("init").returncode == 0
    for name, shown in PEOPLE.items():
        words = ("--display-name", shown, "--email", f"{name}@example.com")
        workspace.good("users", "add", name, *words, given=f"{PASSWORD}\n")
    workspace.good("projects", "create", "Webshop", "--manager", "maya")
    return workspace


@pytest.fixture
def webshop(empty_workspace: Workspace, tmp_path: Path) -> Workspace:
    """The project Webshop, without items."""
    shutil.copytree(empty_workspace.folder, tmp_path / "workspace")
    return Workspace(tmp_path / "workspace")


@pytest.fixture
def maya(webshop: Workspace, tmp_path: Path) -> Iterator[Home]:
    """Maya, who is signed in to the served Webshop."""
    server = Server(webshop.settings)
    home = Home(tmp_path / "maya")
    done = home.run("login", server.address, "--user", "maya", given=f"{PASSWORD}\n")
    assert done.returncode == 0, done.stderr
    yield home
    server.stop()
