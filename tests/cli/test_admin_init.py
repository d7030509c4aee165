"""Where a workspace comes from: `serve`, `admin init`, and what is filled from a backup or an export; nothing else."""

import shlex
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from tests.cli.admin_reference import commands, words_of
from tests.cli.admin_world import PASSWORD, Workspace, command

_MAKES_ONE = {"backlit admin init", "backlit admin restore"}


def command_lines() -> list[list[str]]:
    """Every command of `backlit admin` that needs a workspace."""
    return [words_of(grammar) for grammar in commands() if grammar.prog not in _MAKES_ONE]


@pytest.fixture
def user_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("BACKLIT_HOME", str(tmp_path / "home"))
    monkeypatch.chdir(tmp_path)
    return tmp_path / "home"


@pytest.mark.parametrize("words", command_lines(), ids=" ".join)
def test_a_command_finds_no_workspace_and_makes_none(user_home: Path, words: list[str]) -> None:
    done = command(*words, given=f"{PASSWORD}\n")

    assert done.returncode == 1, done.stdout
    assert f"There is no workspace in sqlite:///{user_home}/" in done.stderr
    assert "backlit admin init --database" in done.stderr
    assert not user_home.exists()


@pytest.mark.parametrize("content", ["empty", "another program's"])
def test_a_database_of_something_else_is_no_workspace(tmp_path: Path, content: str) -> None:
    path = tmp_path / "other.db"
    with closing(sqlite3.connect(path)) as connection:
        if content != "empty":
            connection.execute("CREATE TABLE songs (title TEXT)")
    path.touch()
    found = command("admin", "users", "add", "ann", "--no-password", "--database", f"sqlite:///{path}")

    assert found.returncode == 1
    assert f"There is no workspace in sqlite:///{path}." in found.stderr
    with closing(sqlite3.connect(path)) as connection:
        tables = {row[0] for row in connection.execute("SELECT name FROM sqlite_schema")}
    assert tables <= {"songs"}


@pytest.mark.slow
def test_the_printed_command_makes_the_workspace_and_leads_on(user_home: Path) -> None:
    refused = command("admin", "users", "list")
    begun = command(*shlex.split(refused.stderr.rpartition("here: backlit ")[2]))
    steps = [line.strip().split() for line in begun.stdout.splitlines() if line.startswith("  backlit ")]
    done = [
        command(*(word.replace("NAME", "ann").replace("PROJECT", "Roof") for word in words[1:]), given=f"{PASSWORD}\n")
        for words in steps
    ]

    assert (begun.returncode, [each.returncode for each in done]) == (0, [0, 0])
    assert "Roof" in command("admin", "projects", "list").stdout
    assert user_home.exists()


def test_a_printed_command_works_in_any_directory(
    user_home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "my work").mkdir()
    monkeypatch.chdir(tmp_path / "my work")
    begun = command("admin", "init", "--database", "sqlite:///the data.db", "--files", "the files")
    step = next(line for line in begun.stdout.splitlines() if line.startswith("  backlit admin users add"))
    monkeypatch.chdir(tmp_path)

    added = command(*shlex.split(step.replace("NAME", "ann"))[1:], given=f"{PASSWORD}\n")

    assert (begun.returncode, added.returncode) == (0, 0), added.stderr
    assert step.endswith(
        f" --database 'sqlite:///{tmp_path}/my work/the data.db' --files '{tmp_path}/my work/the files'"
    )


def test_init_leaves_a_workspace_alone(tmp_path: Path) -> None:
    workspace = Workspace(tmp_path / "a folder")
    workspace.good("init")
    workspace.good("users", "add", "ann", "--no-password")

    again = workspace.admin("init")

    assert again.returncode == 1
    assert "There is a workspace in" in again.stderr
    assert len(workspace.good("users", "list")) == 1


@pytest.mark.slow
def test_the_next_step_of_a_restore_works_as_printed(workspace: Workspace, tmp_path: Path) -> None:
    workspace.good("backup", str(tmp_path / "backup"))
    restored = Workspace(tmp_path / "a folder" / "restored")

    done = restored.admin("restore", str(tmp_path / "backup"))
    checked = command(*shlex.split(done.stdout.rpartition("To verify it: backlit ")[2]))

    assert (checked.returncode, checked.stderr) == (0, "")
    assert checked.stdout.startswith("No problems: ")


@pytest.mark.slow
def test_a_restore_does_not_print_the_password_of_the_database(workspace: Workspace, tmp_path: Path) -> None:
    workspace.good("backup", str(tmp_path / "backup"))

    done = command("admin", "restore", str(tmp_path / "backup"), "--database", "postgresql://ann:secret@127.0.0.1:1/x")

    assert "secret" not in done.stdout + done.stderr


def test_an_import_makes_a_workspace_only_where_it_is_named(user_home: Path, workspace: Workspace) -> None:
    lines = user_home.parent / "lines"
    workspace.good("export", str(lines))

    refused = command("admin", "import", str(lines))
    named = command("admin", "import", str(lines), "--database", f"sqlite:///{user_home}/new.db")

    assert (refused.returncode, named.returncode) == (1, 0)
    assert f"into sqlite:///{user_home}/new.db." in named.stdout


def test_a_refused_import_leaves_no_database(tmp_path: Path) -> None:
    done = Workspace(tmp_path / "new").admin("import", "-", given="[]\n")

    assert done.returncode == 6
    assert not list((tmp_path / "new").glob("service.db*"))
