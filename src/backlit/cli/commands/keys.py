"""The keys of the screens with the user's own, and what is wrong with those."""

import argparse
import sys
from collections.abc import Sequence
from importlib import import_module

from backlit.cli.listing import Column, chosen_columns, write_rows
from backlit.cli.output import note
from backlit.config.settings import Settings, find_locations, read_settings, settings_file
from backlit.model.errors import NameNotFound
from backlit.model.nearest import did_you_mean
from backlit.model.plain import plain
from backlit.model.settings.key_sequences import KeyPreset, spelled
from backlit.model.settings.user_settings import toml_in
from backlit.tui.commands.command import Context
from backlit.tui.commands.keymap import OWN, BoundCommand, bound_commands, commands_without_keys, key_faults

_COLUMNS = (
    Column("keys", "Keys"),
    Column("command", "Command"),
    Column("effect", "Effect"),
    Column("origin", "Origin"),
    Column("context", "Context", is_usual=False),
)


def show_keys(arguments: argparse.Namespace) -> int:
    """List the keys, or the faults of the user's own; the exit code is 1 with any."""
    settings = read_settings(find_locations())
    for problem in settings.problems:
        print(f"backlit: {plain(problem)}", file=sys.stderr)
    preset = KeyPreset(arguments.preset) if arguments.preset else settings.preset
    bound = bound_commands(preset, settings.keys, settings.commands)
    if arguments.check:
        return _check(arguments, settings, preset, bound)
    contexts = [_context_named(arguments.context)] if arguments.context else list(Context)
    rows = [
        {
            "keys": tuple(map(spelled, each.command.keys)) or tuple(f":{word}" for word in each.command.words),
            "command": each.command.id,
            "effect": each.command.help,
            "origin": str(each.origin),
            "context": str(each.command.context),
        }
        for context in contexts
        for each in bound
        if each.command.context is context
    ]
    write_rows(arguments, chosen_columns(arguments, _COLUMNS), rows, rows)
    return 0


def _check(arguments: argparse.Namespace, settings: Settings, preset: KeyPreset, bound: list[BoundCommand]) -> int:
    path = settings_file(find_locations()).path
    faults = key_faults(preset, settings.keys, settings.commands)
    if faults:
        # By its name: the package loads pydantic, which the other commands do without.
        positions = import_module("backlit.config.schema.toml_positions").TomlPositions(path.read_text("utf-8-sig"))
        written = [each.get("id") for each in toml_in(path.read_bytes(), path).get("command", [])]
        placed = [(positions.of_key(_path_of(fault.command_id, written)), fault) for fault in faults]
        for place, fault in sorted(placed, key=lambda each: each[0]):
            sentence, _, advice = fault.sentence.partition(". ")
            where = f"({path}, line {place.line}, column {place.column})"
            print(plain(f"{fault.command_id}: {sentence.removesuffix('.')} {where}. {advice}".rstrip()))
    else:
        note(arguments, "Nothing is wrong with the keys.")
    if unbound := [each.id for each in commands_without_keys(bound)]:
        note(arguments, f"Without a key: {', '.join(unbound)}.")
    return 1 if faults else 0


def _path_of(command_id: str, own: Sequence[object]) -> tuple[str | int, ...]:
    """Return the place of a command's keys in the file, given the ids of the user's own commands there."""
    if not command_id.startswith(OWN):
        return "keys", command_id
    return "command", own.index(command_id.removeprefix(OWN)), "key"


def _context_named(name: str) -> Context:
    found = next((each for each in Context if each.casefold() == name.casefold()), None)
    if found is None:
        near = did_you_mean(name, Context) or f" Contexts: {', '.join(Context)}."
        raise NameNotFound(f"There is no context “{plain(name, 60)}”.{near}")
    return found
