"""Going from one profile to another inside of the terminal."""

from tests.cli.conftest import Home
from tests.terminal import terminal


def test_another_profile_is_opened_in_the_place_of_this_one_and_remembered(home: Home) -> None:
    with terminal(["demo", "--items", "20"], home.environment) as shown:
        shown.wait_for(r"Aurora.*synced")
        shown.press(":")
        shown.wait_for("command or item number")
        shown.press("profile local", "enter")
        shown.wait_for(r"No open items")
        shown.press(":")
        shown.wait_for("command or item number")
        shown.press("profile demo-20", "enter")

        shown.wait_for(r"Aurora.*synced")
