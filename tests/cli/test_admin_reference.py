"""docs/administration.md says what the program's own help says."""

import re

import pytest
from tests.cli.admin_reference import BEGIN, COMMON, DOCUMENT, commands, reference, written

from backlit.cli.arguments import parser

DELETING = {"deactivate", "remove", "reset"}


def options_of(command: object) -> set[str]:
    return {word for action in getattr(command, "_actions", ()) for word in action.option_strings}


def test_the_document_has_every_command_as_its_help_has_it() -> None:
    assert written() == reference().strip("\n")


def test_every_command_takes_the_common_options_and_every_deleting_one_a_dry_run() -> None:
    found = {command.prog.removeprefix("backlit admin "): options_of(command) for command in commands()}

    assert len(found) > 30
    assert {name for name, options in found.items() if not options >= COMMON} == set()
    deleting = {name for name in found if name.split()[-1] in DELETING}
    assert deleting == {name for name in deleting if "--dry-run" in found[name]}


@pytest.mark.slow
def test_every_example_of_the_document_can_be_run() -> None:
    text = DOCUMENT.read_text(encoding="utf-8").partition(BEGIN)[0]
    blocks = re.findall(r"```sh\n(.*?)```", text, re.DOTALL)
    lines = [line for block in blocks for line in block.splitlines() if line.startswith("backlit ")]
    examples = [re.split(r" [|<#] ?", line)[0].strip() for line in lines]

    for example in examples:
        words = [quoted or plain for quoted, plain in re.findall(r"'([^']*)'|(\S+)", example)]
        if words[-1] != "--help":
            assert parser().parse_args(words[1:]).handler
    assert len(examples) > 10
