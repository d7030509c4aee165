"""Files of a workspace are their owner's only, whatever the umask, and a warning names those that are not."""

import os
import shlex
import stat
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlalchemy import insert
from tests.cli.admin_world import PASSWORD, Workspace, command

from backlit.service.app import Service
from backlit.service.files.local import LocalContentStore
from backlit.service.storage.clock import Clock
from backlit.service.storage.columns import audit
from backlit.service.storage.schema import attachments


@pytest.fixture(params=[0, 0o022, 0o077], ids=lambda mask: f"umask {mask:o}")
def umask(request: pytest.FixtureRequest) -> Iterator[None]:
    before = os.umask(request.param)
    yield
    os.umask(before)


def rights_of_others(folder: Path) -> dict[str, str]:
    """What the group and others may do with the files and folders below a folder."""
    modes = {str(path.relative_to(folder)): path.stat().st_mode for path in folder.rglob("*")}
    return {name: oct(mode & 0o777) for name, mode in modes.items() if mode & 0o077 or not mode & 0o600}


def attach(workspace: Workspace) -> None:
    files = LocalContentStore(workspace.settings.files)  # type: ignore[arg-type] # these are a folder
    incoming = files.begin()
    incoming.write(b"attached")
    incoming.finish()
    files.keep(incoming)
    files.forget(incoming)
    values = {"project_id": 1, "work_item_id": 1, "name": "a.txt", "size": 8, "digest": incoming.digest}
    values |= {"content_type": "text/plain", "type": "Service", **audit("maya", Clock().now())}
    with workspace.damage() as connection:
        connection.execute(insert(attachments).values(values))


@pytest.mark.slow
@pytest.mark.usefixtures("umask")
async def test_a_served_workspace_is_private_while_it_runs(tmp_path: Path) -> None:
    workspace = Workspace(tmp_path / "deep" / "new")
    service = Service(workspace.settings)
    await service.start()
    workspace.good("users", "add", "ann", given=f"{PASSWORD}\n")
    LocalContentStore(workspace.settings.files).begin().finish()  # type: ignore[arg-type] # these are a folder
    names = {path.name for path in workspace.folder.iterdir()}
    found = rights_of_others(tmp_path)
    await service.stop()

    assert {"service.db", "service.db-wal", "service.db-shm", "files"} <= names
    assert found == {}


@pytest.mark.slow
@pytest.mark.usefixtures("umask")
@pytest.mark.long_but("umask 0")
def test_what_administration_writes_is_private(workspace: Workspace, tmp_path: Path) -> None:
    attach(workspace)
    out = tmp_path / "out"
    backup, lines = out / "in" / "backup", tmp_path / "out" / "lines"
    restored, imported, fresh = (Workspace(out / "at" / name) for name in ("restored", "imported", "fresh"))

    workspace.good("backup", str(backup))
    workspace.good("export", str(lines), "--contents", "folder")
    restored.good("restore", str(backup))
    imported.good("import", str(lines))
    fresh.good("init")

    assert len(restored.good("projects", "list")) == len(imported.good("projects", "list")) > 0
    assert rights_of_others(out) == {}


@pytest.fixture
def open_workspace() -> Iterator[Workspace]:
    """A workspace of an older backlit, where every user of the machine can read it."""
    with tempfile.TemporaryDirectory() as name:
        workspace = Workspace(Path(name) / "open one")
        workspace.good("init")
        (workspace.folder / "files").mkdir()
        for path in (Path(name), workspace.folder, workspace.folder / "files"):
            path.chmod(0o755)
        (workspace.folder / "service.db").chmod(0o644)
        yield workspace


def test_a_workspace_that_others_can_read_is_warned_of_and_the_command_closes_it(open_workspace: Workspace) -> None:
    database = open_workspace.folder / "service.db"
    warned = open_workspace.admin("users", "list", "--quiet")
    advice = warned.stderr.rpartition("To close it: ")[2]
    subprocess.run(shlex.split(advice), check=True)

    again = open_workspace.admin("users", "list", "--quiet")

    assert warned.stderr.count("Warning: ") == 1
    assert f"other users of this machine can read {database}, {open_workspace.folder / 'files'}." in warned.stderr
    assert (warned.returncode, again.returncode, again.stderr) == (0, 0, "")
    assert stat.S_IMODE(database.stat().st_mode) == 0o600


def test_a_readable_database_in_a_closed_folder_is_not_warned_of(open_workspace: Workspace) -> None:
    open_workspace.folder.chmod(0o700)

    assert open_workspace.admin("users", "list", "--quiet").stderr == ""


@pytest.mark.slow
def test_serve_warns_of_a_workspace_that_others_can_read(open_workspace: Workspace) -> None:
    done = command("serve", "--host", "no.such.host.invalid", "--database", open_workspace.settings.database)

    assert "Warning: other users of this machine can read" in done.stderr
