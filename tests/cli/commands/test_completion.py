"""Completion of words in a shell."""

import shutil
import subprocess
import sys

import pytest
from tests.cli.home import DEMO, Home


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
        (("config", "get", "we"), ["week_start"]),
        (("config", "set", "lint.sta"), ["lint.stale_days"]),
        (("config", "set", "theme", ""), ["ansi", "backlit", "contrast", "paper"]),
        (("config", "set", "mouse", ""), ["true", "false"]),
        (("config", "set", "presence", ""), ["on", "off"]),
        (("config", "set", "estimate_scale", ""), []),
        (("config", "set", "theme", "paper", ""), []),
        (("config", "show", ""), []),
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


def test_the_users_own_themes_are_candidates(home: Home) -> None:
    themes = home.path / "config" / "themes"
    themes.mkdir(parents=True)
    (themes / "night.toml").write_text('name = "late"\nprimary = "#ffaf5f"\n')

    assert home.run("complete", "--", "config", "set", "theme", "l").stdout == "late\n"


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


@pytest.mark.parametrize(
    ("words", "candidates"),
    [
        (("items", "show", "19"), {"19"}),
        (("items", "show", "#1"), {"#19"}),
        (("items", "assign", "19", "jo"), {"jon"}),
        (("items", "move", "19", "Sprint 1"), {"Sprint 14"}),
        (("items", "move", "19", "ne"), set()),
        (("items", "set", "19", "ow"), {"owner="}),
        (("items", "set", "19", "status=d"), {"status=Done"}),
        (("items", "new", "A name", "owner=m"), {"owner=maya", "owner=me"}),
        (("items", "list", "--query", "ow"), {"owner:"}),
        (("items", "list", "--query", "type:bug owner:jo"), {"type:bug owner:jon"}),
        (("items", "list", "--view", "Mi"), {"Mine"}),
        (("items", "list", "--project", "Au"), {"Aurora"}),
        (("areas", "move", "Check"), {"Checkout"}),
        (("iterations", "start", "Sprint 1"), {"Sprint 14"}),
        (("users", "show", "ma"), {"maya"}),
        (("profiles", "use", "lo"), {"local"}),
        (("items", "list", "--sort", "es"), set()),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, tuple) else "",
)
def test_values_complete_a_word_out_of_the_copy(demo_home: Home, words: tuple[str, ...], candidates: set[str]) -> None:
    (demo_home.path / "config").mkdir()
    (demo_home.path / "config" / "views.toml").write_text('[[view]]\nname = "Mine"\nquery = "@me"\n')

    done = demo_home.run("complete", "--", *DEMO, *words)
    nothing = demo_home.run("complete", "--", "--profile", "nobody", *words)

    found = {line.split("\t")[0] for line in done.stdout.splitlines()}
    assert done.returncode == nothing.returncode == 0
    assert candidates <= found
    assert all(word.casefold().startswith(words[-1].casefold()) for word in found)
    assert not candidates or found


@pytest.mark.skipif(shutil.which("bash") is None, reason="no bash here")
@pytest.mark.parametrize(
    ("line", "pieces", "replies"),
    [
        ("backlit items set 19 owner=jo", ("owner", "=", "jo"), ["jon"]),
        ("backlit items list --query owner:", ("owner", ":"), ["jon"]),
        ("backlit items move 19 Sprint", ("Sprint",), [r"Sprint\ 14"]),
    ],
)
def test_bash_completes_behind_its_ends_of_words(
    demo_home: Home, line: str, pieces: tuple[str, ...], replies: list[str]
) -> None:
    script = demo_home.run("completion", "bash").stdout
    words = " ".join(f"'{each}'" for each in ("backlit", *line.split()[1:-1], *pieces))
    run = f'{script}\nbacklit() {{ {sys.executable} -m backlit "$@"; }}\n'
    call = f"COMP_LINE='{line}'; COMP_POINT={len(line)}; COMP_WORDS=({words}); COMP_CWORD=$((${{#COMP_WORDS[@]}} - 1))"
    environment = demo_home.environment | {"BACKLIT_PROFILE": DEMO[1]}

    done = subprocess.run(
        ["bash", "-c", f"{run}{call}; _backlit; printf '%s\\n' \"${{COMPREPLY[@]}}\""],
        check=True, env=environment, capture_output=True, text=True,
    )  # fmt: skip

    assert set(replies) <= set(done.stdout.splitlines()), done.stderr
