"""What a command needs of the machine: without it the command ends with one sentence and 1."""

import errno
import os
import resource
import subprocess
from pathlib import Path

import pytest
from tests.cli.home import COMMAND, DEMO, Home

from backlit.cli.machine import LEAST_FILES, refusal_of

COMMANDS = [(*DEMO, "items", "list"), (*DEMO, "doctor"), ("serve", "--sample"), ("admin", "check"), ()]


def run(
    home: Home, *words: str, files: tuple[int, int], folder: Path | None = None
) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*COMMAND, *words],
        check=False,
        env=home.environment,
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=60,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_NOFILE, files),
    )


@pytest.mark.slow
@pytest.mark.parametrize("words", COMMANDS, ids=" ".join)
def test_too_few_open_files_are_one_sentence(home: Home, words: tuple[str, ...]) -> None:
    done = run(home, *words, files=(20, 20))

    assert done.returncode == 1
    limits = f"This shell allows 20 open files, and backlit needs {LEAST_FILES}."
    assert done.stderr == f"backlit: {limits} Raise the limit: ulimit -n 1024\n"


@pytest.mark.slow
def test_a_limit_of_open_files_is_raised_where_that_is_allowed(demo_home: Home) -> None:
    done = run(demo_home, *DEMO, "items", "list", "--limit", "1", files=(20, LEAST_FILES))

    assert (done.returncode, done.stderr) == (0, "")
    assert len(done.stdout.splitlines()) == 1


@pytest.mark.parametrize("words", COMMANDS, ids=" ".join)
def test_a_deleted_directory_is_one_sentence(
    home: Home, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, words: tuple[str, ...]
) -> None:
    gone = tmp_path / "gone"
    gone.mkdir()
    monkeypatch.chdir(gone)
    gone.rmdir()

    done = home.run(*words)

    assert done.returncode == 1
    assert done.stderr == "backlit: The current directory no longer exists. Change to another one: cd\n"


@pytest.mark.parametrize(
    ("number", "sentence"),
    [
        (errno.EMFILE, "Too many files are open. Raise the limit of this shell: ulimit -n 1024"),
        (errno.ENOSPC, "No space is left: /x/y. Free some and try again."),
        (errno.EACCES, "Permission denied: /x/y."),
        (errno.EROFS, "The file system is read-only: /x/y."),
    ],
)
def test_what_the_machine_refuses_is_a_sentence(number: int, sentence: str) -> None:
    refusal = refusal_of(OSError(number, os.strerror(number), "/x/y"))

    assert refusal is not None
    assert refusal.message == sentence


def test_an_error_that_shows_a_fault_of_the_program_is_no_refusal() -> None:
    assert refusal_of(OSError(errno.EBADF, "Bad file descriptor")) is None
