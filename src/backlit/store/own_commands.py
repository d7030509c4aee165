"""Runs the commands of a user on items and nodes: their values, their standard input, and the end of the program."""

import asyncio
import json
import os
import signal
import subprocess
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any, NamedTuple

from backlit.model.amounts import counted
from backlit.model.errors import BacklitError, BadRequest
from backlit.model.plain import plain
from backlit.model.settings.own_commands import PROMPT, CommandSubject, OwnCommand, PreparedProgram, slug_of
from backlit.model.trees import Node
from backlit.store.item_documents import item_address, item_documents
from backlit.store.records.entry_values import id_of
from backlit.store.records.item import Item
from backlit.store.records.people import TreeKind
from backlit.store.store import Store

MAX_OUTPUT = 4 * 1024 * 1024
"""Bytes of a program's output that are kept; it is ended with more."""
TREES: Mapping[CommandSubject, TreeKind] = {
    CommandSubject.ITERATION: TreeKind.ITERATIONS,
    CommandSubject.AREA: TreeKind.AREAS,
}
MANY = frozenset({CommandSubject.ITEMS, CommandSubject.LIST})


class CommandInput(NamedTuple):
    """What a command is run on: the values of its placeholders, and a document for its standard input."""

    values: Mapping[str, str]
    document: object


class FinishedProgram(NamedTuple):
    """The end of a program: its exit status, or None where it was ended, and what it wrote."""

    status: int | None
    output: str
    errors: str


async def items_input(store: Store, command: OwnCommand, items: Sequence[Item], profile: str) -> CommandInput:
    """Return the input of a command on items. Raises BadRequest for several, where it takes one."""
    values = _always(store, profile)
    await store.everybody.load_users(item.fields.get("AssignedToID") for item in items)
    documents = item_documents(store, items)
    if command.subject in MANY:
        return CommandInput(values | {"ids": ",".join(str(id_of(item.id)) for item in items)}, documents)
    if len(items) != 1:
        raise BadRequest(f"“{command.name}” takes one item, not {counted(len(items), 'item')}.")
    (item,), (document,) = items, documents
    names: Mapping[str, Any] = document["names"]
    found = {
        "id": str(id_of(item.id)),
        "name": item.name,
        "slug": slug_of(item.name),
        "type": item.type,
        "status": item.status,
        "owner": (names.get("AssignedToID") or {}).get("user") or "",
        "iter": (names.get("IterationID") or {}).get("path") or "",
        "area": (names.get("AreaID") or {}).get("path") or "",
        "url": "" if store.is_inside else item_address(store.connection.server, item),
    }
    return CommandInput(values | found, document)


def node_input(store: Store, command: OwnCommand, node: Node, profile: str) -> CommandInput:
    path = store.lookups.tree(TREES[command.subject]).path(node.id)
    key = "iter" if command.subject is CommandSubject.ITERATION else "area"
    values = {"id": str(id_of(node.id)), "name": node.name, "slug": slug_of(node.name), key: path}
    return CommandInput(_always(store, profile) | values, {"id": id_of(node.id), "name": node.name, "path": path})


def plain_input(store: Store, profile: str) -> CommandInput:
    """Return the input of a command that is run on nothing."""
    return CommandInput(_always(store, profile), None)


def _always(store: Store, profile: str) -> dict[str, str]:
    names = {each.id: each.name for each in store.lookups.projects()}
    return {"project": names.get(store.project_id or 0, ""), "profile": profile}


def program_of(command: OwnCommand, given: CommandInput, answers: Mapping[str, str]) -> PreparedProgram:
    """Return the program of a command with the answers to its prompts. Raises BadRequest."""
    return command.program({**given.values, **{f"{PROMPT}{name}": answer for name, answer in answers.items()}})


async def run_program(command: OwnCommand, program: PreparedProgram, document: object) -> FinishedProgram:
    """Run a program without a terminal until it ends, with the document on its standard input.

    It is ended with its children after the command's time, with too much output, and when this is cancelled. Raises
    BacklitError for one that cannot be started.
    """
    given = b"" if document is None else json.dumps(document, default=str).encode()
    try:
        process = await asyncio.create_subprocess_exec(
            *program.arguments,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            cwd=command.folder or None,
            env={**os.environ, **program.environment},
            start_new_session=True,  # a group of its own, so that its children end with it
        )
    except (OSError, ValueError) as error:
        raise start_fault(program, command, error) from error
    assert process.stdin is not None
    assert process.stdout is not None
    assert process.stderr is not None
    try:
        async with asyncio.timeout(command.timeout):
            output, errors, _ = await asyncio.gather(
                _read(process.stdout), _read(process.stderr), _give(process.stdin, given)
            )
            status: int | None = await process.wait()
    except (TimeoutError, _TooMuch) as error:
        why = f"{counted(MAX_OUTPUT // 1024 // 1024, 'MB', 'MB')} of output" if isinstance(error, _TooMuch) else ""
        raise BacklitError(f"“{command.name}” was ended after {why or f'{command.timeout:g} s'}.") from None
    finally:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        await process.wait()
    return FinishedProgram(status, output, errors)


class _TooMuch(Exception):
    """More output than is kept."""


async def _read(stream: asyncio.StreamReader) -> str:
    written = bytearray()
    while part := await stream.read(65_536):
        written += part
        if len(written) > MAX_OUTPUT:
            raise _TooMuch
    return written.decode("utf-8", "replace")


async def _give(stream: asyncio.StreamWriter, given: bytes) -> None:
    with suppress(BrokenPipeError, ConnectionResetError):  # most programs do not read it
        stream.write(given)
        await stream.drain()
    with suppress(BrokenPipeError, ConnectionResetError):
        stream.close()
        await stream.wait_closed()


def start_fault(program: PreparedProgram, command: OwnCommand, error: Exception) -> BacklitError:
    """Return the error of a program that could not be started."""
    reason = error.strerror if isinstance(error, OSError) else str(error)
    where = f" in {plain(command.folder, 80)}" if command.folder else ""
    return BacklitError(f"“{command.name}” could not start {plain(program.arguments[0], 80)}{where}: {reason}.")


def failure_of(command: OwnCommand, status: int | None, errors: str = "") -> str:
    """Return the sentence of a program that failed, with the last line that it wrote of its errors."""
    last = next((line for line in reversed(errors.splitlines()) if line.strip()), "")
    words = f" {plain(last.strip(), 200)}" if last else ""
    return f"“{command.name}” ended with {status}.{words}"
