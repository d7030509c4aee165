"""The profile that the screens open: the first one, another one, and that of a server."""

import pytest
from tests.cli.home import Home, Server
from tests.terminal import Terminal, terminal

from backlit.config.settings import Profiles, find_locations


def type_line(shown: Terminal, line: str) -> None:
    shown.press(":")
    shown.wait_for("command or item number")
    shown.press(line, "enter")


def sign_in(shown: Terminal, password: str = "lantern") -> None:
    shown.wait_for("User name")
    shown.press("maya", "tab", password, "enter")


def test_another_profile_is_opened_in_the_place_of_this_one_and_remembered(home: Home) -> None:
    with terminal(["demo", "--items", "20"], home.environment) as shown:
        shown.wait_for(r"Aurora.*synced")
        type_line(shown, "profile local")
        shown.wait_for(r"Your backlog is empty")
        type_line(shown, "profile demo-20")

        shown.wait_for(r"Aurora.*synced")


def test_a_first_start_asks_where_to_begin_and_the_next_one_does_not(home: Home) -> None:
    with terminal([], home.environment) as shown:
        shown.wait_for("Welcome to backlit")
        shown.press("j", "enter")
        shown.wait_for("Your backlog is empty")
    with terminal([], home.environment) as shown:
        shown.wait_for("Your backlog is empty")


def test_ctrl_c_pressed_again_while_the_welcome_ends_writes_nothing(home: Home) -> None:
    with terminal([], home.environment) as shown:
        shown.wait_for("Welcome to backlit")
        shown.press(*["ctrl+c"] * 4)

        shown.ended()
        assert "Traceback" not in shown.text


def test_a_start_after_the_sample_does_not_open_the_sample_again(home: Home) -> None:
    with terminal(["demo", "--items", "20"], home.environment) as shown:
        shown.wait_for(r"Aurora.*synced")
    with terminal([], home.environment) as shown:
        shown.wait_for("Welcome to backlit")


def test_the_welcome_signs_in_to_a_server(home: Home, server: Server) -> None:
    with terminal([], home.environment) as shown:
        shown.wait_for("Welcome to backlit")
        shown.press("3")
        shown.wait_for("The address of your team's server")
        shown.press(server.address, "enter")
        sign_in(shown)

        shown.wait_for(r"Aurora.*synced")
        last = Profiles(find_locations(home.environment)).last()
        assert last is not None
        assert last.user == "maya"


@pytest.mark.slow
@pytest.mark.parametrize("typed", ["connect", "connect {address}"])
def test_connect_opens_a_server_and_leaves_the_workspace_as_it_is(home: Home, server: Server, typed: str) -> None:
    with terminal(["--profile", "local"], home.environment) as shown:
        shown.wait_for("Your backlog is empty")
        type_line(shown, typed.format(address=server.address))
        if typed == "connect":
            shown.wait_for("The address of your team's server")
            shown.press(server.address, "enter")
        shown.wait_for("This workspace stays as it is")
        sign_in(shown, "wrong")
        shown.wait_for("Wrong user name or password")
        shown.read(0.5)  # text typed right behind a refusal is dropped
        shown.press("lantern", "enter")
        shown.wait_for(r"Aurora.*synced")
        type_line(shown, "profile local")

        shown.wait_for("Your backlog is empty")


def test_a_connection_that_is_left_changes_nothing(home: Home, server: Server) -> None:
    with terminal(["--profile", "local"], home.environment) as shown:
        shown.wait_for("Your backlog is empty")
        type_line(shown, f"connect {server.address}")
        shown.wait_for("User name")
        shown.press("escape")
        shown.wait_until(lambda: "User name" not in shown.text)

        assert "Your backlog is empty" in shown.text
        assert Profiles(find_locations(home.environment)).names() == ["local", "demo-500-1"]
