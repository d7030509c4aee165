"""A fault of the program: one sentence, a report in the log without values, exit code 1."""

import re
import sys
import threading
from pathlib import Path

import pytest
from tests.cli.home import DEMO, Home
from tests.terminal import terminal

from backlit.cli.crash import report, threads_reporting
from backlit.model.plain import trace_of

SECRET = "Zebra of the customer"
FAULTY = """
import sys
from textual.screen import ModalScreen

def render(self):
    secret = "{secret}"
    raise KeyError(secret)

ModalScreen.render = render
from backlit.__main__ import main
main()
"""


def sentence(kind: str, log: Path) -> str:
    known = f"Ended by a fault of the program ({kind}). What was saved is kept."
    return f"{known} The report, without values of items, is in {log}"


def fail(value: str) -> None:
    raise ValueError(value)


def test_the_trace_of_an_error_has_its_calls_and_those_before_without_their_words() -> None:
    try:
        try:
            fail(SECRET)
        except ValueError as error:
            raise KeyError(SECRET) from error
    except KeyError as error:
        trace = trace_of(error)

    assert re.search(r"in fail\n.*builtins\.ValueError\n\nThen:\n.*builtins\.KeyError", trace, re.DOTALL)
    assert SECRET not in trace


def test_a_report_that_cannot_be_written_says_why(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BACKLIT_HOME", str(tmp_path / "file" / "home"))
    (tmp_path / "file").write_text("no folder")

    assert "could not be written to " in report(KeyError(SECRET))


def test_an_error_that_ends_a_thread_goes_to_the_log_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("BACKLIT_HOME", str(tmp_path))
    with threads_reporting():
        thread = threading.Thread(target=fail, args=[SECRET])
        thread.start()
        thread.join()

    (log,) = tmp_path.rglob("backlit.log")
    assert "in fail" in log.read_text()
    assert SECRET not in log.read_text()
    assert capsys.readouterr().err == ""


def test_a_fault_in_a_command_is_one_sentence_and_a_report(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    def connect(*_: object, **__: object) -> None:
        fail(SECRET)

    monkeypatch.setattr("sqlite3.connect", connect)
    done = home.run(*DEMO, "items", "list")

    (log,) = home.path.rglob("backlit.log")
    assert done.returncode == 1
    assert done.stderr == f"backlit: {sentence('ValueError', log)}\n"
    assert "in fail" in log.read_text()
    assert SECRET not in log.read_text()


@pytest.mark.slow
def test_a_fault_in_the_screens_leaves_one_sentence_on_the_terminal_and_ends_with_1(demo_home: Home) -> None:
    program = (sys.executable, "-c", FAULTY.format(secret=SECRET))
    with terminal([*DEMO], demo_home.environment, program=program) as shown:
        shown.wait_until_synced()
        shown.press("s")
        status = shown.ended()
        left = re.sub(r"\x1b\[[0-?]*[ -/]*[@-~]|\s", "", shown.written.decode().rpartition("\x1b[?1049l")[2])

    (log,) = demo_home.path.rglob("backlit.log")
    assert status == 1
    assert left == f"backlit: {sentence('KeyError', log)}".replace(" ", "")
    assert "in render" in log.read_text()
    assert SECRET not in log.read_text()
