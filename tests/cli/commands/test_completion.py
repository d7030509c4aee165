"""Completion of words in a shell."""

import shutil
import subprocess

import pytest
from tests.cli.home import Home


@pytest.mark.parametrize(
    ("words", "candidates"),
    [
        (("ite",), ["items", "iterations"]),
        (("items", "s"), ["show", "set", "split"]),
        (("items", "list", "--so"), ["--sort"]),
        (("--profile", "local", "items", "list", "--fr"), ["--fresh"]),
        (("items", "list", "--done", ""), ["yes", "no"]),
        (("--profile", "lo"), ["local"]),
        (("completion", "z"), ["zsh"]),
        (("no-such-command", "--vers"), ["--version"]),
        (("items", "show", "12"), []),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, tuple) else "",
)
def test_the_last_word_has_the_words_of_its_place(home: Home, words: tuple[str, ...], candidates: list[str]) -> None:
    done = home.run("complete", "--", *words)

    assert done.returncode == 0, done.stderr
    assert [line.split("\t")[0] for line in done.stdout.splitlines()] == candidates


def test_own_commands_and_aliases_are_candidates(home: Home) -> None:
    config = home.path / "config" / "config.toml"
    config.parent.mkdir(parents=True)
    config.write_text('[alias]\nidle = "items list"\n[[command]]\nid = "branch"\nname = "Begin"\nrun = ["git"]\n')

    assert home.run("complete", "--", "id").stdout == "idle\titems list\n"
    assert home.run("complete", "--", "run", "br").stdout == "branch\tBegin\n"


def test_a_candidate_has_its_help_behind_a_tab(home: Home) -> None:
    assert home.run("complete", "--", "serv").stdout == "serve\trun the server for a team\n"


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_the_script_of_a_shell_is_one_that_it_reads(home: Home, shell: str) -> None:
    program = shutil.which(shell)
    if program is None:
        pytest.skip(f"no {shell} here")
    done = home.run("completion", shell)

    read = subprocess.run([program, "-n"], input=done.stdout, check=False, capture_output=True, text=True)

    assert (read.returncode, read.stderr) == (0, "")
