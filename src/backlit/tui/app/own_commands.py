"""Commands of the user, `[[command]]` of config.toml: run on what is under the cursor, their output shown."""

from collections.abc import Mapping, Sequence
from typing import Protocol, cast

from textual.app import SuspendNotSupported
from textual.content import Content
from textual.dom import DOMNode

from backlit.model.amounts import counted
from backlit.model.errors import BacklitError
from backlit.model.settings.own_commands import (
    CommandOutput,
    CommandPrompt,
    CommandSubject,
    OwnCommand,
    PreparedProgram,
)
from backlit.store.own_commands import (
    TREES,
    CommandInput,
    FinishedProgram,
    failure_of,
    items_input,
    node_input,
    plain_input,
    program_of,
    run_program,
    start_fault,
)
from backlit.tui.commands.command import CannotAct, CommandContext
from backlit.tui.commands.table import COMMAND_BY_ID
from backlit.tui.dialogs.dialog import AnswerKey, ConfirmDialog
from backlit.tui.dialogs.line import LineDialog
from backlit.tui.dialogs.pick import Choice, PickDialog
from backlit.tui.dialogs.reading import MAX_DIFFERENCE_LINES, ReadingDialog
from backlit.tui.drawing.text import safe
from backlit.tui.items.target import ItemTarget
from backlit.tui.lists.list_commands import ListTarget
from backlit.tui.shell.chord_app import ChordApp
from backlit.tui.shell.dispatch import Dispatch, target_of
from backlit.tui.shell.drafts import StoredLines
from backlit.tui.shell.external_programs import status_in_terminal
from backlit.tui.shell.target import StoreCommandTarget
from backlit.tui.trees.node_commands import NodeCommandTarget

LAST_WORDS = "\nPress enter to go back to backlit. "


class OwnCommandTarget(StoreCommandTarget, Protocol):
    """The application, as the user's own commands see it."""

    dispatch: Dispatch
    own_commands: Mapping[str, OwnCommand]
    profiles: Sequence[str]


async def run(target: OwnCommandTarget, call: CommandContext) -> None:
    """Ask what a command asks, and run its program; keys do not wait for one without the terminal."""
    command = target.own_commands[call.command.argument]
    given = await _input(target, command, call.rows)
    answers = {}
    for prompt in command.prompts:
        answer = await _answer(target, command, prompt)
        if answer is None:
            return
        answers[prompt.name] = answer
    program = program_of(command, given, answers)
    if command.confirm:
        question = ConfirmDialog(command.name, command.question(given.values), [AnswerKey("y", "run")], "cancel")
        if await target.ask(question) != "y":
            return
    if command.output is CommandOutput.TERMINAL:
        _run_in_terminal(target, command, program)
        await _refresh(target, command)
    else:
        target.dispatch.begin_in_background(_run, target, command, program, given.document)


async def _input(target: OwnCommandTarget, command: OwnCommand, rows: int | None) -> CommandInput:
    store, profile = target.store, next(iter(target.profiles), "")
    if command.subject is CommandSubject.ANYWHERE:
        return plain_input(store, profile)
    if command.subject in TREES:
        place = cast("NodeCommandTarget", _place(target, "tree.rename", command))
        if place.kind is not TREES[command.subject] or place.node is None:
            raise CannotAct(f"“{command.name}” is for one {command.subject}; there is none under the cursor.")
        return node_input(store, command, place.node, profile)
    if command.subject is CommandSubject.LIST:
        view = cast("ListTarget", _place(target, "list.filter", command)).current_view
        ids: Sequence[int] = [*view.ids()]
    else:
        ids = cast("ItemTarget", _place(target, "item.open", command)).chosen_ids(rows)
    return await items_input(store, command, store.batch.items(ids), profile)


def _place(target: OwnCommandTarget, command_id: str, command: OwnCommand) -> DOMNode:
    """Return the node that a command of the table would act on."""
    place = target_of(target.dispatch.focused_node, COMMAND_BY_ID[command_id])
    if place is None:
        raise CannotAct(f"“{command.name}” has nothing to act on here.")
    return place


async def _answer(target: OwnCommandTarget, command: OwnCommand, prompt: CommandPrompt) -> str | None:
    title = f"{command.name}: {prompt.label}"
    if prompt.choices:
        choices = [Choice(each, each) for each in prompt.choices]
        chosen = await target.ask(PickDialog(title, choices, start=prompt.default))
        return None if chosen is None else str(chosen.value)
    kept = StoredLines(target.store, f"command:{command.id}:{prompt.label}")
    return await target.ask(LineDialog(title, prompt.default, is_replaced=True, kept=kept))


async def _run(target: OwnCommandTarget, command: OwnCommand, program: PreparedProgram, document: object) -> None:
    done = await run_program(command, program, document)
    await _show(target, command, done)
    if done.status:
        raise BacklitError(failure_of(command, done.status, done.errors))
    await _refresh(target, command)


async def _show(target: OwnCommandTarget, command: OwnCommand, done: FinishedProgram) -> None:
    lines = [line.rstrip().expandtabs() for line in done.output.splitlines()]
    if command.output is CommandOutput.PAGER and any(lines):
        shown: list[Content] = [Content(safe(line)) for line in lines[: MAX_DIFFERENCE_LINES - 1]]
        if len(lines) > len(shown):
            shown.append(Content.styled(f"… {counted(len(lines) - len(shown), 'more line')}", "$muted"))
        await target.ask(ReadingDialog(command.name, shown))
    elif not done.status:
        last = next((line.strip() for line in reversed(lines) if line.strip()), "")
        is_said = command.output is CommandOutput.MESSAGE and last
        target.say(f"{command.name}: {last}" if is_said else f"{command.name}: done.")


def _run_in_terminal(target: OwnCommandTarget, command: OwnCommand, program: PreparedProgram) -> None:
    try:
        status = status_in_terminal(
            cast("ChordApp", target), program.arguments, program.environment, command.folder or None, LAST_WORDS
        )
    except SuspendNotSupported as error:
        raise CannotAct(f"This terminal cannot run “{command.name}”.") from error
    except (OSError, ValueError) as error:
        raise start_fault(program, command, error) from error
    if status:
        raise CannotAct(failure_of(command, status))


async def _refresh(target: OwnCommandTarget, command: OwnCommand) -> None:
    if command.is_refreshing:
        await target.store.refresh()
