"""Serving, signing in over the network, and what is said when that does not work."""

import asyncio
import json
import signal
import socket
from pathlib import Path

import pytest
from tests.cli.home import Home, Server
from tests.store.foreign_server import ForeignServer, Quirks, on_socket
from tests.terminal import terminal

from backlit.client.network import is_loopback
from backlit.client.tokens import TokenCache
from backlit.config.settings import Profiles, find_locations


@pytest.mark.slow
def test_a_sample_is_announced_with_its_users_and_their_password(home: Home) -> None:
    process = home.start("serve", "--sample", "--items", "20", "--port", "0")
    assert process.stdout is not None
    lines = [process.stdout.readline() for _ in range(5)]
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=90)

    assert "http://127.0.0.1:" in lines[0]
    assert "maya" in lines[1]
    assert "lantern" in lines[2]
    assert process.returncode == 130


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.0.2.1"])
def test_a_sample_is_not_served_to_other_machines(home: Home, host: str) -> None:
    done = home.run("serve", "--sample", "--host", host)

    assert done.returncode == 6
    assert "--yes-really" in done.stderr


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        ("--sample --database sqlite:///x.db", "The sample has its own database and files. Leave out --database and"),
        ("--sample --files x", "The sample has its own database and files. Leave out --database and --files."),
        ("--tls-cert x", "TLS needs both --tls-cert and --tls-key."),
        ("--tls-key x", "TLS needs both --tls-cert and --tls-key."),
        ("--workers 2", "An SQLite database is served by one process. Leave out --workers, or keep the data in"),
    ],
)
def test_options_that_do_not_go_together_are_refused(home: Home, words: str, sentence: str) -> None:
    done = home.run("serve", "--port", "0", *words.split())

    assert (done.returncode, done.stdout) == (6, "")
    assert done.stderr.startswith(f"backlit: {sentence}")


@pytest.mark.parametrize(
    ("host", "is_here"),
    [
        *(("127.0.0.1", True), ("127.9.9.9", True), ("::1", True), ("[::1]", True), ("localhost", True)),
        *(("10.0.0.1", False), ("0.0.0.0", False), ("::", False), ("example.org", False), ("", False)),
    ],
)
def test_only_this_machine_reaches_a_loopback_address(host: str, is_here: bool) -> None:
    assert is_loopback(host) is is_here


@pytest.mark.parametrize("database", ["nonsense", "sqlite:///", "mysql://localhost/x"])
def test_a_database_that_cannot_be_is_refused(home: Home, database: str) -> None:
    done = home.run("serve", "--port", "0", "--database", database)

    sentence = "Write the database as sqlite:///path/to/file.db or postgresql://user@host/name."
    assert (done.returncode, done.stderr) == (6, f"backlit: {sentence}\n")


@pytest.mark.slow
def test_a_new_database_is_said_to_have_no_users(home: Home, tmp_path: Path) -> None:
    process = home.start("serve", "--port", "0", "--database", f"sqlite:///{tmp_path}/new.db")
    assert process.stdout is not None
    said = "".join(iter(process.stdout.readline, "Press ctrl+c to stop.\n"))
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=90)

    assert said.index("Serving") < said.index("no users yet")


def test_a_port_that_is_taken_is_said(home: Home) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        done = home.run("serve", "--port", str(taken.getsockname()[1]))

    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.count("\n") == 1
    assert "is not available" in done.stderr


def test_a_sign_in_is_used_until_it_is_given_up(home: Home, server: Server) -> None:
    address = server.address
    login = home.run("login", address, "--user", "maya", given="lantern\n")
    whoami = home.run("whoami")
    listed = json.loads(home.run("items", "list", "--limit", "3", "--json").stdout)
    logout = home.run("logout")
    after = home.run("whoami")

    profile = f"maya@{address.removeprefix('http://')}"
    kept = home.path / "state" / profile / "tokens.json"
    said = (
        f"Signed in to {address} as maya; the profile is {profile}.\n"
        f"The sign-in is in a file that only you can read ({kept}).\nNext, open it: backlit\n"
    )
    assert (login.returncode, login.stdout) == (0, said), login.stderr
    assert whoami.stdout == f"maya (Maya Kent) at {address}; the profile is {profile}.\n"
    assert len(listed) == 3
    assert (logout.returncode, logout.stdout) == (0, f"Signed out of {address}.\n")
    how = f"backlit: You are not signed in. Use: backlit login {address} --user maya\n"
    assert (after.returncode, after.stderr) == (3, how)


def test_a_profile_of_this_machine_has_no_sign_in_to_end(home: Home) -> None:
    done = home.run("--profile", "demo-20-1", "logout")

    said = "backlit: The profile demo-20-1 is local and has no sign-in.\n"
    assert (done.returncode, done.stdout, done.stderr) == (6, "", said)


def test_an_address_without_encryption_is_warned_of_and_a_name_is_required(home: Home) -> None:
    warned = home.run("login", "http://backlit.invalid", given="\n")
    trusted = home.run("login", "https://backlit.invalid", given="  \n")

    assert (warned.returncode, trusted.returncode) == (6, 6)
    assert warned.stderr.startswith("Warning: The connection is not encrypted: others can read what you send.")
    assert trusted.stderr.endswith("backlit: User name is required.\n")
    assert "Warning" not in trusted.stderr


def test_a_sign_in_names_its_profile_itself(home: Home) -> None:
    done = home.run("--profile", "team", "login", "https://backlit.invalid")

    said = "backlit: A sign-in names its profile after the user and the server. For another name: --name NAME.\n"
    assert (done.returncode, done.stdout, done.stderr) == (6, "", said)


def test_no_secret_is_written_where_others_can_read_it(home: Home, server: Server) -> None:
    home.run("login", server.address, "--user", "maya", given="lantern\n")

    files = [path for path in home.path.rglob("*") if path.is_file()]
    assert not [path for path in files if b"lantern" in path.read_bytes()]
    assert {path.stat().st_mode & 0o077 for path in files if path.name.startswith("tokens")} == {0}


def test_a_sign_in_keeps_the_approved_address(home: Home, server: Server) -> None:
    approving = ("--approve", "https://sign-in.example")
    home.run("login", server.address, "--user", "maya", *approving, given="lantern\n")

    locations = find_locations(home.environment)
    cache = TokenCache(locations.tokens(Profiles(locations).signed_in()), server.address)
    assert cache.approved() == {"https://sign-in.example"}


@pytest.mark.parametrize(("answer", "status"), [("", 6), ("y", 0)])
async def test_a_password_goes_to_another_origin_after_a_yes_alone(home: Home, answer: str, status: int) -> None:
    server = ForeignServer(Quirks(), items=0)

    def signed_in(address: str) -> int:
        with terminal(["login", address, "--user", "pat"], home.environment) as shown:
            shown.wait_for("Password:")
            shown.press("secret", "enter")
            shown.wait_for(rf"Send the sign-in to {server.base} now and in future\? \[y/N\]")
            shown.press(*answer, "enter")
            return shown.ended()

    async with on_socket(server) as address:
        server.base = address.replace("127.0.0.1", "localhost")
        assert await asyncio.to_thread(signed_in, address) == status

    sent = [path for method, path, _ in server.requests if method == "POST"]
    assert sent == ["/Authenticate/WRAPv0.9"] * (status == 0)


def test_a_service_that_went_away_before_the_first_load_is_said(home: Home, server: Server) -> None:
    home.run("login", server.address, "--user", "maya", given="lantern\n")
    server.stop()
    done = home.run("items", "list")

    assert (done.returncode, done.stdout) == (5, "")
    assert "cannot be reached" in done.stderr
    assert "local copy" not in done.stderr


def test_a_wrong_password_keeps_nothing(home: Home, server: Server) -> None:
    done = home.run("login", server.address, "--user", "maya", given="lamp\n")

    assert done.returncode == 3
    assert done.stderr.count("\n") == 1
    assert not list(home.path.rglob("tokens*"))
    assert not list(home.path.rglob("profiles.json"))


@pytest.mark.slow
def test_a_service_that_went_away_is_said_and_what_is_here_is_listed(home: Home, server: Server) -> None:
    home.run("login", server.address, "--user", "maya", given="lantern\n")
    before = home.run("items", "list", "--json")
    server.stop()
    home.date_copies()
    after = home.run("items", "list", "--json")
    written = home.run("items", "import", "-", "--yes", given="type,name\nStory,Later\n")
    task = next(str(each["id"]) for each in json.loads(before.stdout) if each["type"] == "Task")
    logged, shown = home.run("log", task, "1"), home.run("items", "show", task)

    assert logged.stdout.endswith("Saved on this machine; backlit sends it when the server is reachable.\n")
    assert "completed  8 h → 9 h" in logged.stdout
    assert "Work completed    9" in shown.stdout.splitlines()
    waits = "0 of 1 change was sent; 1 waits on this machine: backlit sends it when the server is reachable.\n"
    how = " The same command goes on with the rest. Undo: backlit undo.\n"
    assert written.stdout.endswith(waits.rstrip("\n") + how)
    assert before.returncode == after.returncode == 0
    assert after.stdout == before.stdout
    assert "cannot be reached" in after.stderr


def test_an_address_where_nothing_is_cannot_be_reached(home: Home) -> None:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    done = home.run("login", f"http://127.0.0.1:{port}", "--user", "maya", given="lantern\n")

    assert done.returncode == 5
    assert f"cannot be reached: nothing is listening on 127.0.0.1:{port}. Check the port" in done.stderr


def test_login_tells_a_wrong_scheme_from_a_wrong_port_and_a_wrong_name(home: Home, server: Server) -> None:
    address = server.address.replace("http:", "https:")
    scheme = home.run("login", address, "--user", "maya", given="lantern\n")
    name = home.run("login", "https://nowhere.invalid", "--user", "maya", given="lantern\n")

    assert f"{address.removeprefix('https://')} does not speak HTTPS" in scheme.stderr
    assert "there is no address for nowhere.invalid" in name.stderr


@pytest.mark.parametrize("address", ["our tracker", "ftp://tracker.example", "http://maya:secret@127.0.0.1"])
def test_login_rejects_a_malformed_address_before_the_password_prompt(home: Home, address: str) -> None:
    done = home.run("login", address)

    assert done.returncode == 6
    assert done.stderr.startswith("backlit: The address of a server")
