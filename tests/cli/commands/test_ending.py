"""The end by a signal, or because the terminal is gone, in a real terminal."""

import re
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from tests.cli.home import DEMO, Home
from tests.terminal import BACKLIT, Terminal, terminal

LEFT = (b"?1049l", b"?1000l", b"?1003l", b"?2004l", b"?25h")
"""Modes that are to be switched off, and the cursor that is to be seen."""


@contextmanager
def running(home: Home, *, ignored: tuple[int, ...] = (), editor: str = "") -> Iterator[Terminal]:
    environment = {**home.environment, **({"EDITOR": editor, "VISUAL": editor} if editor else {})}
    with terminal(DEMO, environment, ignored=ignored) as shown:
        shown.wait_for(r"synced +maya")
        yield shown


def is_restored(shown: Terminal) -> bool:
    switched = {each: shown.written.rfind(each) > shown.written.rfind(each[:-1] + b"h") for each in LEFT[:-1]}
    return all(switched.values()) and LEFT[-1] in shown.written and shown.modes == shown.first_modes


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_a_signal_ends_the_application_and_restores_the_terminal(demo_home: Home, number: signal.Signals) -> None:
    with terminal(DEMO, demo_home.environment) as shown:
        shown.wait_for(r"synced +maya")
        shown.signal(number)
        status = shown.ended()

        assert status == 128 + number
        assert is_restored(shown)


def test_a_signal_before_the_first_picture_restores_the_terminal(demo_home: Home) -> None:
    with terminal(DEMO, demo_home.environment, program=BACKLIT) as shown:
        shown.wait_until(lambda: b"?1049h" in shown.written)
        shown.signal(signal.SIGTERM)

        assert shown.ended() == 143
        assert is_restored(shown)


@pytest.mark.parametrize("ignored", [(), (signal.SIGHUP,)], ids=["usual", "nohup"])
def test_the_application_ends_when_its_terminal_is_gone(demo_home: Home, ignored: tuple[int, ...]) -> None:
    with running(demo_home, ignored=ignored) as shown:
        shown.hang_up()

        assert shown.ended() == 129


def test_an_ignored_hang_up_signal_alone_ends_nothing(demo_home: Home) -> None:
    with running(demo_home, ignored=(signal.SIGHUP,)) as shown:
        shown.signal(signal.SIGHUP)
        shown.press("?")

        shown.wait_for("Keys")


def test_a_signal_ends_the_application_behind_the_users_editor(demo_home: Home) -> None:
    with running(demo_home, editor="sh -c 'echo \"editing $0 \"; exec sleep 60'") as shown:
        shown.press("E")
        shown.wait_for("editing /")
        path = re.search(r"editing (/\S+)", shown.text)
        shown.signal(signal.SIGTERM)

        assert shown.ended() == 143
        assert path is not None
        assert Path(path[1]).read_text(encoding="utf-8")
        assert f"Your text is in {path[1]}." in shown.written.decode()


def test_a_signal_ends_an_application_that_the_shell_has_stopped(demo_home: Home) -> None:
    with running(demo_home) as shown:
        shown.press("ctrl+z")
        shown.wait_until(lambda: b"?1049l" in shown.written)
        shown.read(0.3)
        shown.signal(signal.SIGTERM)
        shown.signal(signal.SIGCONT)

        assert shown.ended() == 143


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL])
def test_text_of_a_line_survives_a_signal(demo_home: Home, number: signal.Signals) -> None:
    with running(demo_home) as shown:
        shown.press("a", "enter", "Half a name")
        shown.wait_for("Half a name")
        shown.read(1.0 if number == signal.SIGKILL else 0.0)
        shown.signal(number)
        shown.ended()

    with running(demo_home) as shown:
        shown.press("a", "enter")

        shown.wait_for("Restored your unsaved text")
        shown.wait_for("Half a name")
