"""Commands of the user, `[[command]]` of config.toml: the list of them, and a run of one."""

import argparse
import asyncio
import os
import re
import subprocess
import sys
from collections.abc import Mapping, Sequence

from backlit.cli.commands.nodes import node_named
from backlit.cli.listing import Column, chosen_columns, write_rows
from backlit.cli.questions import agrees
from backlit.cli.selection import selected_items
from backlit.cli.synced import synced_store
from backlit.cli.terminal_input import can_ask, read_line
from backlit.cli.wiring import chosen_profile
from backlit.config.settings import find_locations, read_settings
from backlit.model.errors import AnswerNeeded, BacklitError, BadRequest, NameNotFound, UsageFault
from backlit.model.nearest import did_you_mean
from backlit.model.plain import plain
from backlit.model.settings.key_sequences import spelled
from backlit.model.settings.own_commands import (
    CommandOutput,
    CommandPrompt,
    CommandSubject,
    OwnCommand,
    PreparedProgram,
)
from backlit.store.own_commands import (
    MANY,
    TREES,
    CommandInput,
    failure_of,
    items_input,
    node_input,
    plain_input,
    program_of,
    run_program,
    start_fault,
)
from backlit.store.store import Store

_COLUMNS = (Column("id", "ID"), Column("on", "On"), Column("keys", "Keys"), Column("name", "Name"))
_NO_COMMANDS = "There is no [[command]] in config.toml."


def run_command(arguments: argparse.Namespace) -> int:
    """Run a command on what is named, and return 0; raise BacklitError for its failure. Without a name list them."""
    commands = read_settings(find_locations()).commands
    if arguments.own_command is None:
        rows = [
            {"id": each.id, "on": str(each.subject), "keys": spelled(each.keys), "name": each.name} for each in commands
        ]
        write_rows(arguments, chosen_columns(arguments, _COLUMNS), rows, nothing=_NO_COMMANDS)
        return 0
    command = _named(commands, arguments.own_command)
    answers, words = _answers(command, arguments.words)
    profile = chosen_profile(arguments, find_locations()).name
    # A sync afterwards needs the connection that a listing of a fresh copy does without.
    with synced_store(arguments, is_listing=not command.is_refreshing) as store:
        given = _input(store, command, words, arguments, profile)
        program = program_of(command, given, {each.name: _answer(each, answers) for each in command.prompts})
        if command.confirm and not arguments.yes:
            _confirm(command, given)
        _run(command, program, given, arguments)
        if command.is_refreshing and not arguments.offline:
            asyncio.run(store.refresh())
    return 0


def _named(commands: Sequence[OwnCommand], name: str) -> OwnCommand:
    found = next((each for each in commands if each.id == name), None)
    if found is None:
        ids = [each.id for each in commands]
        near = did_you_mean(name, ids) or (f" Commands: {', '.join(ids)}." if ids else f" {_NO_COMMANDS}")
        raise NameNotFound(f"There is no command “{plain(name, 60)}” of yours.{near}")
    return found


def _answers(command: OwnCommand, words: Sequence[str]) -> tuple[Mapping[str, str], list[str]]:
    """Return the answers to prompts in `NAME=ANSWER`, and the other words."""
    names = [each.name for each in command.prompts]
    answers, others = {}, []
    for word in words:
        name, sign, answer = word.partition("=")
        if not sign:
            others.append(word)
        elif name in names:
            answers[name] = answer
        else:
            known = f" Its prompts: {', '.join(names)}." if names else " It has no prompts."
            raise UsageFault(f"“{command.name}” has no prompt “{plain(name, 40)}”.{known}")
    return answers, others


def _answer(prompt: CommandPrompt, answers: Mapping[str, str]) -> str:
    answer = answers.get(prompt.name)
    if answer is None and can_ask():
        hints = [f"[{'/'.join(prompt.choices)}]" if prompt.choices else "", f"({prompt.default})"]
        shown = " ".join(filter(None, (plain(prompt.label), *hints[: 1 + bool(prompt.default)])))
        answer = read_line(f"{shown}: ") or None
    if answer is None:
        answer = prompt.default
        if not answer and not can_ask():
            raise AnswerNeeded(f"The command asks for “{prompt.label}”: add {prompt.name}=… Nothing was run.")
    if prompt.choices and answer not in prompt.choices:
        raise UsageFault(f"“{plain(answer, 40)}” is no answer to {prompt.name}: {', '.join(prompt.choices)}.")
    return answer


def _input(
    store: Store, command: OwnCommand, words: Sequence[str], arguments: argparse.Namespace, profile: str
) -> CommandInput:
    subject = command.subject
    if subject in MANY or subject is CommandSubject.ITEM:
        return asyncio.run(items_input(store, command, selected_items(store, words, arguments), profile))
    if arguments.query or arguments.view or arguments.filter:
        rest = "" if subject is CommandSubject.ANYWHERE else f", but one {subject}"
        raise UsageFault(f"“{command.name}” takes no items{rest}.")
    if subject is CommandSubject.ANYWHERE:
        if words:
            raise UsageFault(f"“{command.name}” is run on nothing; leave out “{plain(words[0], 40)}”.")
        return plain_input(store, profile)
    if len(words) != 1:
        raise UsageFault(f"“{command.name}” takes one {subject}, by name, path or number.")
    kind = TREES[subject]
    return node_input(store, command, store.lookups.tree(kind)[node_named(store, kind, words[0])], profile)


def _confirm(command: OwnCommand, given: CommandInput) -> None:
    question = plain(command.question(given.values))
    if not can_ask():
        raise AnswerNeeded(f"{question} Add --yes. Nothing was run.")
    if not agrees(question):
        raise BadRequest("Cancelled: nothing was run.")


def _run(command: OwnCommand, program: PreparedProgram, given: CommandInput, arguments: argparse.Namespace) -> None:
    if command.output is CommandOutput.TERMINAL:
        status: int | None = _in_terminal(command, program, arguments)
    else:
        done = asyncio.run(run_program(command, program, given.document))
        status = done.status
        if command.output is not CommandOutput.NONE:
            _write(done.output)
        for line in done.errors.splitlines():
            print(plain(line), file=sys.stderr)
    if status:
        raise BacklitError(failure_of(command, status))


def _in_terminal(command: OwnCommand, program: PreparedProgram, arguments: argparse.Namespace) -> int:
    if arguments.terminal is not None:
        arguments.terminal.give_back()  # with its echo and lines, which questions do without
    try:
        return subprocess.run(  # noqa: S603 - the user's own
            program.arguments, check=False, cwd=command.folder or None, env={**os.environ, **program.environment}
        ).returncode
    except (OSError, ValueError) as error:
        raise start_fault(program, command, error) from error


def _write(output: str) -> None:
    """Write what a program wrote, with no control characters on a terminal: names in it may be anybody's."""
    if sys.stdout.isatty():
        output = "\n".join("\t".join(plain(cell) for cell in line.split("\t")) for line in re.split(r"\r?\n", output))
    sys.stdout.write(output)
