"""Keys typed before the program reads the terminal: not echoed, kept, and answered."""

import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from tests.cli.home import Home
from tests.terminal import BACKLIT, terminal


@contextmanager
def held_start(home: Home) -> Iterator[None]:
    """Hold a start where it reads its settings, which come out of a pipe at the end of the block."""
    settings = home.path / "config" / "config.toml"
    settings.parent.mkdir(parents=True, exist_ok=True)
    os.mkfifo(settings)
    yield
    pipe = os.open(settings, os.O_RDWR)  # which waits for no reader
    settings.unlink()
    os.close(pipe)


@pytest.mark.slow
def test_keys_typed_during_the_start_are_answered_and_not_echoed(demo_home: Home) -> None:
    with terminal(["demo", "--items", "60"], demo_home.environment, program=BACKLIT) as shown:
        modes = shown.modes
        with held_start(demo_home):
            shown.wait_until(lambda: shown.modes != modes)
            shown.press(*"gr")
            before = shown.text
        shown.wait_for(r"Burndown")

        assert "gr" not in before
        shown.press("q", "q")
        assert shown.ended() == 0
        assert shown.modes == modes


@pytest.mark.parametrize(("stop", "status"), [("ctrl+c", 130), ("", 143)], ids=["ctrl+c", "SIGTERM"])
def test_a_start_that_is_stopped_restores_the_terminal(demo_home: Home, stop: str, status: int) -> None:
    with terminal(["demo", "--items", "60"], demo_home.environment, program=BACKLIT) as shown:
        modes = shown.modes
        with held_start(demo_home):
            shown.wait_until(lambda: shown.modes != modes)
            if stop:
                shown.press(stop)
            else:
                shown.signal(signal.SIGTERM)

            assert shown.ended() == status
        assert shown.modes == modes


def test_a_lone_escape_is_a_key_after_a_pause(demo_home: Home) -> None:
    with terminal(["demo", "--items", "60"], demo_home.environment) as shown:
        shown.wait_for(r"1 of \d+")
        shown.press("?")
        shown.wait_for("Keys")
        shown.press("escape")

        shown.wait_without("Keys")
        shown.press("down")
        shown.wait_for(r"2 of \d+")


def test_an_opening_that_fails_restores_the_terminal(home: Home) -> None:
    home.path.write_text("a file in place of the folder")
    with terminal(["demo", "--items", "60"], home.environment, program=BACKLIT) as shown:
        modes = shown.modes

        assert shown.ended() == 1
        assert shown.modes == modes
        assert "backlit: " in shown.text


@pytest.mark.slow
def test_a_password_typed_before_its_prompt_is_taken_and_not_echoed(home: Home) -> None:
    with terminal(["login", "http://127.0.0.1:9"], home.environment, program=BACKLIT) as shown:
        modes = shown.modes
        shown.wait_until(lambda: shown.modes != modes)
        shown.press("maya", "enter", "lantern", "enter")

        assert shown.ended() == 5
        assert b"Password: " in shown.written
        assert b"lantern" not in shown.written
        assert shown.modes == modes


@pytest.mark.slow
def test_a_name_and_a_password_typed_in_one_write_show_the_name_alone(home: Home) -> None:
    with terminal(["login", "http://127.0.0.1:9"], home.environment, program=BACKLIT) as shown:
        modes = shown.modes
        shown.wait_for("User name:")
        shown.press("wrong\x15mxy\x7f\x7faÿ本\x7f\rlantern\r")

        assert shown.ended() == 5
        assert "User name: maÿ" in shown.lines
        assert "Password:" in shown.lines
        assert b"lantern" not in shown.written
        assert shown.modes == modes


@pytest.mark.slow
@pytest.mark.parametrize(("key", "status", "said"), [("ctrl+c", 130, ""), ("ctrl+d", 6, "User name is required.")])
def test_leaving_the_prompt_for_a_name_restores_the_terminal(home: Home, key: str, status: int, said: str) -> None:
    with terminal(["login", "http://127.0.0.1:9"], home.environment, program=BACKLIT) as shown:
        modes = shown.modes
        shown.wait_for("User name:")
        shown.press(key)

        assert shown.ended() == status
        assert said in shown.text
        assert shown.modes == modes
