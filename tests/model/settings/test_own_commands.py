"""Placeholders of a user's commands: what a hostile value can do, which is nothing, and what becomes of each text."""

import os
import subprocess
from pathlib import Path

import pytest

from backlit.model.errors import BadRequest
from backlit.model.settings.own_commands import OwnCommand, check_shell, slug_of

HOSTILE = (
    "'; touch pwned; '",
    '"; touch pwned; "',
    "$(touch pwned)",
    "`touch pwned`",
    "a\ntouch pwned\n",
    "a  b *",
    "\\",
)
SHELL_TEXTS = {
    "bare": "printf %s {name}",
    "in-double-quotes": 'printf %s "{name}"',
    "in-single-quotes": "printf %s '{name}'",
    "behind-a-comment-with-a-quote": "# it's {name}\nprintf %s {name}",
    "in-a-comment": "# {name}\nprintf %s {name}",
    "in-a-subshell": "(printf %s {name})",
    "behind-an-escaped-quote": "printf %s \\'{name} | tail -c +2",
    "in-backquotes-behind": 'printf %s {name} "`echo`"',
}


def written(command: OwnCommand, values: dict[str, str], folder: Path) -> str:
    program = command.program(values)
    environment = {**os.environ, **program.environment}
    done = subprocess.run(program.arguments, check=True, cwd=folder, env=environment, capture_output=True, text=True)
    return done.stdout


@pytest.mark.parametrize("text", SHELL_TEXTS.values(), ids=SHELL_TEXTS)
def test_no_value_is_a_program_in_a_shells_text(text: str, tmp_path: Path) -> None:
    for value in HOSTILE:
        assert written(OwnCommand("x", "x", shell=text), {"name": value}, tmp_path) == value

    assert list(tmp_path.iterdir()) == []


def test_a_value_stays_one_word_of_a_program_without_a_shell(tmp_path: Path) -> None:
    command = OwnCommand("x", "x", words=("printf", "<%s>", "{name}", "a-{id}", "{{id}"))

    for value in HOSTILE:
        assert written(command, {"name": value, "id": "4"}, tmp_path) == f"<{value}><a-4><{{id}}>"
    assert list(tmp_path.iterdir()) == []


def test_a_value_is_no_option_unless_the_options_are_ended_before_it() -> None:
    values = {"name": "--exec=evil"}
    refused = [
        OwnCommand("x", "x", words=("git", "log", "{name}")),
        OwnCommand("x", "x", shell="git log {name}"),
        OwnCommand("x", "x", shell='echo -- ; git log "{name}"'),
    ]
    allowed = [
        OwnCommand("x", "x", words=("git", "log", "--", "{name}")),
        OwnCommand("x", "x", words=("git", "log", "--grep={name}")),
        OwnCommand("x", "x", shell="git log -- {name}"),
        OwnCommand("x", "x", shell="git log --grep={name}"),
    ]

    for command in refused:
        with pytest.raises(BadRequest, match="begins with - and would be read as an option"):
            command.program(values)
    assert all(command.program(values) for command in allowed)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ('echo "$(grep {name} file)"', "stands in a command inside of quotes"),
        ("echo `grep {name} file`", "stands in a command inside of quotes"),
        ("cat <<END\n{name}\nEND", "A here-document cannot stand beside placeholders"),
    ],
)
def test_a_place_where_a_variable_cannot_be_quoted_is_refused(text: str, sentence: str) -> None:
    with pytest.raises(BadRequest, match=sentence):
        check_shell(text)


def test_braces_of_a_shell_are_left_alone(tmp_path: Path) -> None:
    command = OwnCommand("x", "x", shell="word=two; echo 'one' ${word} | awk '{print $2}'")

    assert written(command, {}, tmp_path) == "two\n"


def test_what_no_system_takes_in_a_word_is_left_out() -> None:
    program = OwnCommand("x", "x", words=("echo", "{name}")).program({"name": "a\0b\ud800c"})

    assert program.arguments == ("echo", "ab?c")


@pytest.mark.parametrize(
    ("name", "slug"),
    [
        ("Warn before a basket expires", "warn-before-a-basket-expires"),
        ("--Ärger: /etc/passwd; rm -rf", "arger-etc-passwd-rm-rf"),
        ("…", "item"),
        ("x" * 80, "x" * 50),
    ],
)
def test_a_slug_has_letters_digits_and_dashes_alone(name: str, slug: str) -> None:
    assert slug_of(name) == slug
