"""Where a sign-in comes from and where it is kept: settings, environment, keyring, and a name of one's own."""

import pytest
from tests.cli.home import Home, Server
from tests.keyrings import MemoryKeyring, system_keyring

from backlit.config.settings import Profiles, find_locations


def configure(home: Home, text: str) -> None:
    folder = find_locations(home.environment).config
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "config.toml").write_text(text)


def test_a_command_of_the_settings_signs_in_and_signs_in_again(home: Home, server: Server) -> None:
    configure(home, '[secrets]\npassword_command = ["printf", "lantern"]\nstore = "file"\n')
    signed_in = home.run("login", server.address, "--user", "maya")
    locations = find_locations(home.environment)
    locations.tokens(Profiles(locations).signed_in()).unlink()
    again = home.run("whoami")

    assert signed_in.returncode == 0, signed_in.stderr
    assert "and comes again from password_command" in signed_in.stdout
    assert again.stdout.startswith("maya (")


def test_a_program_signs_in_by_its_environment_and_leaves_nothing(
    home: Home, server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("BACKLIT_USER", "maya")
    monkeypatch.setenv("BACKLIT_PASSWORD", "lantern")
    signed_in = home.run("login", server.address)
    me = home.run("whoami")
    kept = list(home.path.rglob("tokens.json"))
    monkeypatch.delenv("BACKLIT_PASSWORD")
    without = home.run("whoami")

    assert signed_in.returncode == 0, signed_in.stderr
    assert "is not kept" in signed_in.stdout
    assert me.stdout.startswith("maya (")
    assert not kept
    assert without.returncode == 3


def test_the_keyring_keeps_a_sign_in_that_doctor_names(home: Home, server: Server) -> None:
    backend = MemoryKeyring()
    with system_keyring(backend):
        signed_in = home.run("login", server.address, "--user", "maya", given="lantern\n")
        doctor = home.run("doctor", "--offline", "--section", "secrets")
        kept = dict(backend.secrets)
        home.run("profiles", "remove", Profiles(find_locations(home.environment)).signed_in().name)

    assert "The sign-in is in the keyring: test keyring." in signed_in.stdout
    assert doctor.stdout == "✓ secrets  The sign-in is in the keyring: test keyring.\n"
    assert len(kept) == 1
    assert not backend.secrets


def test_an_option_keeps_a_sign_in_in_the_file_for_good(home: Home, server: Server) -> None:
    backend = MemoryKeyring()
    with system_keyring(backend):
        signed_in = home.run("login", server.address, "--user", "maya", "--store", "file", given="lantern\n")

    assert "is in a file that only you can read" in signed_in.stdout
    assert not backend.secrets


def test_a_profile_gets_the_name_that_the_sign_in_says(home: Home, server: Server) -> None:
    signed_in = home.run("login", server.address, "--user", "maya", "--name", "work", given="lantern\n")
    listed = home.run("profiles", "list", "--json=name,signedIn,chosen,why")
    other = home.run("login", server.address, "--user", "maya", "--name", "home", given="lantern\n")
    again = home.run("login", server.address, "--user", "maya", given="lantern\n")

    assert "the profile is work." in signed_in.stdout
    assert {"name": "work", "signedIn": True, "chosen": True, "why": "last sign-in or choice"} in listed.json
    assert other.returncode == 6
    assert "The profile of maya is work: backlit profiles rename changes that." in other.stderr
    assert "the profile is work." in again.stdout


@pytest.mark.parametrize("name", ["demo", "local", "a/b"])
def test_a_name_that_no_profile_can_have_is_refused_before_a_request(home: Home, name: str) -> None:
    done = home.run("login", "http://127.0.0.1:9", "--user", "maya", "--name", name, given="x\n")

    assert done.returncode == 6
    assert "backlit: “" in done.stderr or "is of another server" in done.stderr
