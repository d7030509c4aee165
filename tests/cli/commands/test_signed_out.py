"""Commands without a workspace or a sign-in: they say how to begin, and never look like an empty backlog."""

from contextlib import closing
from pathlib import Path

import pytest
from tests.cli.admin_world import Workspace
from tests.cli.home import Home, Server
from tests.terminal import terminal

from backlit.config.settings import NO_WORKSPACE, Profiles, find_locations, local_profile
from backlit.store.journal.journal import Journal
from backlit.store.records.entry import EntryKind, OutboxEntry

READING = (("items", "list"), ("items", "show", "1"), ("plan", "export"), ("report", "velocity"))
WRITING = (("items", "import", "-"), ("plan", "apply", "-"), ("log", "1", "2"))
OTHERS = (("trash",), ("whoami",), ("doctor",), ("logout",))


def journal_of(home: Home) -> Path:
    locations = find_locations(home.environment)
    return locations.journal(Profiles(locations).signed_in())


@pytest.mark.parametrize("words", [*READING, *WRITING, *OTHERS])
def test_a_command_without_a_workspace_says_how_to_begin_and_makes_none(home: Home, words: tuple[str, ...]) -> None:
    done = home.run(*words)

    assert (done.returncode, done.stdout, done.stderr) == (3, "", f"backlit: {NO_WORKSPACE}\n")
    assert not home.path.exists()


@pytest.mark.slow
def test_a_local_workspace_that_was_begun_by_its_name_is_listed_without_it(home: Home) -> None:
    named = home.run("--profile", "local", "items", "list")
    listed = home.run("items", "list")

    assert (named.returncode, listed.returncode) == (0, 0)
    assert Profiles(find_locations(home.environment)).signed_in() == local_profile()


@pytest.mark.slow
def test_a_signed_out_copy_is_read_but_not_written(home: Home, server: Server) -> None:
    home.run("login", server.address, "--user", "maya", given="lantern\n")
    listed = home.run("items", "list")
    home.run("logout")
    how = f"Use: backlit login {server.address} --user maya\n"

    read = home.run("items", "list")
    written = home.run("items", "import", "-", "--yes", given="type,name\nStory,New\n")

    assert listed.returncode == 0
    assert (read.returncode, read.stdout) == (3, listed.stdout)
    assert read.stderr.endswith(how)
    assert "You are not signed in. Showing the local copy." in read.stderr
    assert (written.returncode, written.stdout, written.stderr) == (3, "", f"backlit: You are not signed in. {how}")


@pytest.mark.slow
@pytest.mark.parametrize("end", [("license", "maya", "off"), ("password", "maya")])
def test_a_copy_is_locked_once_the_server_has_ended_the_sign_in(
    home: Home, server: Server, workspace: Workspace, end: tuple[str, ...]
) -> None:
    home.run("login", server.address, "--user", "maya", given="lantern\n")
    listed = home.run("items", "list")
    home.date_copies()
    workspace.admin("users", *end, given="new password\n")

    refused = [home.run(*words) for words in (("items", "list"), ("items", "list", "--offline"), ("outbox", "list"))]
    workspace.admin("users", "license", "maya", "on")
    workspace.admin("users", "password", "maya", given="new password\n")
    logged_in = home.run("login", server.address, "--user", "maya", given="new password\n")

    how = f"Use: backlit login {server.address} --user maya"
    for done in refused:
        assert (done.returncode, done.stdout) == (3, "")
        assert "The local copy is locked until you sign in again" in done.stderr
        assert how in done.stderr
    assert logged_in.returncode == 0, logged_in.stderr
    assert home.run("items", "list", "--offline").stdout == listed.stdout != ""


@pytest.fixture
def unsent_home(home: Home, server: Server) -> Home:
    """A user who is signed in as maya and has two changes that were not sent."""
    home.run("login", server.address, "--user", "maya", given="lantern\n")
    path = journal_of(home)
    path.parent.mkdir(parents=True, exist_ok=True)
    with closing(Journal(path)) as journal:
        journal.add(OutboxEntry(0, 0.0, 1, number, EntryKind.EDIT, {"Name": "New"}, {}) for number in (1, 2))
    return home


def test_a_sign_out_with_unsent_changes_names_them_and_needs_an_answer(unsent_home: Home, server: Server) -> None:
    asked = unsent_home.run("logout")
    still_in = unsent_home.run("whoami")
    answered = unsent_home.run("logout", "--yes")

    sentence = "There are 2 unsent changes of maya. The next sign-in sends what waits."
    assert (asked.returncode, asked.stdout) == (2, "")
    assert asked.stderr == f"backlit: {sentence} To sign out now, add --yes.\n"
    assert still_in.returncode == 0
    assert (answered.returncode, answered.stderr) == (0, "")
    assert answered.stdout == f"Signed out of {server.address}.\nKept on this machine: 2 unsent changes of maya.\n"
    assert unsent_home.run("whoami").returncode == 3
    with closing(Journal(journal_of(unsent_home))) as journal:
        assert journal.state().pending == 2


@pytest.mark.parametrize(
    ("words", "status", "sentence"),
    [
        (("logout",), 2, "To sign out now, add --yes."),
        (("login", "https://backlit.example", "--user", "maya"), 2, "Standard input is closed."),
        (("login", "https://backlit.example", "--code"), 2, "Standard input is closed."),
        (("plan", "apply", "-"), 1, "Could not read the plan in standard input: it is closed."),
        (("items", "import", "-"), 1, "Could not read the items in standard input: it is closed."),
    ],
)
def test_a_command_that_reads_a_closed_input_says_so(
    unsent_home: Home, words: tuple[str, ...], status: int, sentence: str
) -> None:
    done = unsent_home.run(*words, given=None)

    assert (done.returncode, sentence in done.stderr) == (status, True), done.stderr


@pytest.mark.parametrize(("answer", "status"), [("y", 0), ("", 3)])
def test_a_sign_out_with_unsent_changes_asks_on_a_terminal(unsent_home: Home, answer: str, status: int) -> None:
    with terminal(["logout"], unsent_home.environment) as shown:
        shown.wait_for("There are 2 unsent changes of maya")
        shown.wait_for("Sign out now")
        shown.press(answer, "enter") if answer else shown.press("enter")
        shown.ended()

    assert unsent_home.run("whoami").returncode == 3 - status
