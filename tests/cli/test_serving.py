"""Serving, signing in over the network, and what is said when that does not work."""

import json
import signal
import socket
from pathlib import Path

import pytest
from tests.cli.conftest import Home, Server


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

    assert done.returncode == 1
    assert "--yes-really" in done.stderr


@pytest.mark.parametrize("database", ["nonsense", "sqlite:///", "mysql://localhost/x"])
def test_a_database_that_cannot_be_is_refused(home: Home, database: str) -> None:
    done = home.run("serve", "--port", "0", "--database", database)

    sentence = "Write the database as sqlite:///path/to/file.db or postgresql://user@host/name."
    assert (done.returncode, done.stderr) == (1, f"backlit: {sentence}\n")


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

    assert login.returncode == 0, login.stderr
    assert whoami.stdout.startswith(f"maya (Maya Kent) at {address}")
    assert len(listed) == 3
    assert logout.returncode == 0
    assert (after.returncode, after.stderr) == (1, "backlit: You are not signed in.\n")


def test_no_secret_is_written_where_others_can_read_it(home: Home, server: Server) -> None:
    home.run("login", server.address, "--user", "maya", given="lantern\n")

    files = [path for path in home.path.rglob("*") if path.is_file()]
    assert not [path for path in files if b"lantern" in path.read_bytes()]
    assert {path.stat().st_mode & 0o077 for path in files if path.name.startswith("tokens")} == {0}


def test_a_wrong_password_keeps_nothing(home: Home, server: Server) -> None:
    done = home.run("login", server.address, "--user", "maya", given="lamp\n")

    assert done.returncode == 1
    assert done.stderr.count("\n") == 1
    assert not list(home.path.rglob("tokens*"))
    assert not list(home.path.rglob("profiles.json"))


def test_a_service_that_went_away_is_said_and_what_is_here_is_listed(home: Home, server: Server) -> None:
    home.run("login", server.address, "--user", "maya", given="lantern\n")
    before = home.run("items", "list", "--json")
    server.stop()
    after = home.run("items", "list", "--json")

    assert before.returncode == after.returncode == 0
    assert after.stdout == before.stdout
    assert "cannot be reached" in after.stderr


def test_an_address_where_nothing_is_cannot_be_reached(home: Home) -> None:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    done = home.run("login", f"http://127.0.0.1:{port}", "--user", "maya", given="lantern\n")

    assert done.returncode == 1
    assert f"cannot be reached: nothing listens at 127.0.0.1:{port}. Check the port" in done.stderr


def test_login_tells_a_wrong_scheme_from_a_wrong_port_and_a_wrong_name(home: Home, server: Server) -> None:
    address = server.address.replace("http:", "https:")
    scheme = home.run("login", address, "--user", "maya", given="lantern\n")
    name = home.run("login", "https://nowhere.invalid", "--user", "maya", given="lantern\n")

    assert f"{address.removeprefix('https://')} does not speak HTTPS" in scheme.stderr
    assert "there is no address for nowhere.invalid" in name.stderr


@pytest.mark.parametrize("address", ["our tracker", "ftp://tracker.example", "http://maya:secret@127.0.0.1"])
def test_login_rejects_a_malformed_address_before_the_password_prompt(home: Home, address: str) -> None:
    done = home.run("login", address)

    assert done.returncode == 1
    assert done.stderr.startswith("backlit: The address of a server")
