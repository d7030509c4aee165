"""The command table, read by the resolver, the hints, the help, the palette and the docs."""

import re
from collections.abc import Iterable
from functools import lru_cache

from msgspec.structs import replace

from backlit.model.settings.key_sequences import spelled
from backlit.tui.commands.command import Command, Context
from backlit.tui.commands.list_table import ITEM_COMMANDS, LIST_COMMANDS
from backlit.tui.commands.place_table import APP_COMMANDS, PLACE_COMMANDS

COMMANDS: tuple[Command, ...] = (*LIST_COMMANDS, *ITEM_COMMANDS, *PLACE_COMMANDS, *APP_COMMANDS)
"""The commands with their usual keys."""
COMMAND_BY_ID = {command.id: command for command in COMMANDS}
"""The commands with the keys of the user, and the user's own ones; `use_keys` writes them.

It is the only table of a process: footers, help and sentences name a key in some fifty places, down to single widgets.
"""
COMMAND_TO_CONTEXT = {
    Context.BOARD: "app.board",
    Context.PLAN: "app.plan",
    Context.TREE: "app.iterations",
    Context.EDITOR: "item.open",
    Context.TASKS: "item.tasks",
    Context.LINKS: "item.links",
    Context.CRITERIA: "item.criteria",
    Context.COMMENTS: "item.comments",
    Context.ATTACHMENTS: "item.attachments",
    Context.HISTORY: "item.history",
    Context.OUTBOX: "app.outbox",
    Context.INBOX: "app.inbox",
    Context.REPORTS: "app.reports",
    Context.SETTINGS: "app.settings",
    Context.IMPORT: "app.import",
    Context.GROOM: "app.groom",
    Context.LIST: "app.backlog",
    Context.ITEM: "app.backlog",
}
"""The command that leads to the place of a context."""
_READING_COMMANDS = (
    *("item.open", "item.tasks", "item.links", "item.criteria", "item.comments", "item.attachments", "item.history"),
    *("item.parent", "item.conflict"),
)
WRITER_COMMANDS = frozenset(
    {each.id for each in ITEM_COMMANDS if each.id not in _READING_COMMANDS and not each.id.startswith("item.copy")}
    | {
        each.id
        for each in COMMANDS
        if each.group
        in {"trees.node_commands", "editor.saving", "plan.sprint_events", "plan.tree_events", "lists.view_sharing"}
    }
    | {
        "c",
        "m",
        "app.groom",
        "app.import",
        "board.move-left",
        "board.move-right",
        "plan.commit",
        "plan.rollover",
        "plan.capacity",
    }
    | {"plan.send", "plan.back", "plan.start", "plan.close", "inbox.edit", "reports.edit", "summary.edit"}
    | {f"links.{act}" for act in ("add", "add-web", "edit", "remove")}
    | {f"criteria.{act}" for act in ("add", "edit", "pass", "fail", "status", "down", "up", "delete")}
    | {"list.indent", "list.outdent"}
    | {f"editor.{act}" for act in ("edit", "name", "clear", "revert", "outside")}
    | {f"comments.{act}" for act in ("add", "external", "quote", "correct", "delete")}
    | {f"attachments.{act}" for act in ("upload", "upload-open", "describe", "delete")}
)
"""Commands, and first keys of chords, that are not offered to users who only read a project."""
OWN_GROUP = "app.own_commands"
"""The group of the user's own commands, in whatever context they are."""
CONTEXT_BY_GROUP = {command.group: command.context for command in COMMANDS} | {OWN_GROUP: Context.GLOBAL}


def use_commands(commands: Iterable[Command]) -> None:
    """Have the screens of this process offer other commands, or the same ones with other keys."""
    COMMAND_BY_ID.clear()
    COMMAND_BY_ID.update((each.id, each) for each in commands)
    commands_in.cache_clear()
    begins_sequence.cache_clear()


# Both are asked for each key: a pass over all commands took a fiftieth of a `j`.
@lru_cache(maxsize=256)
def commands_in(contexts: tuple[Context, ...]) -> tuple[Command, ...]:
    """Return the commands of some contexts, in the order of the contexts, then of the table."""
    return tuple(command for context in contexts for command in COMMAND_BY_ID.values() if command.context is context)


@lru_cache(maxsize=256)
def begins_sequence(key: str) -> bool:
    """Return whether a longer sequence of any command begins with a key."""
    return any(sequence.startswith(f"{key} ") for command in COMMAND_BY_ID.values() for sequence in command.keys)


def commands_here(contexts: tuple[Context, ...]) -> list[Command]:
    """Return the commands of some contexts, each with the keys and words alone that run it there.

    A key or a word of several contexts belongs to the first of them; a command that has none left is left out.
    """
    found: list[Command] = []
    taken: set[str] = set()
    for command in commands_in(contexts):
        keys = tuple(each for each in command.keys if each not in taken)
        words = tuple(each for each in command.words if f":{each}" not in taken)
        taken |= {*keys, *(f":{each}" for each in words)}
        if keys or words or not (command.keys or command.words):
            found.append(replace(command, keys=keys, words=words))
    return found


def is_bound(key: str) -> bool:
    """Return whether a key stands in a sequence of any command."""
    return any(key in sequence.split() for command in COMMAND_BY_ID.values() for sequence in command.keys)


def key_to(context: Context) -> str:
    """Return the key that leads to the place of a context; empty for contexts without one place."""
    return key_of(COMMAND_TO_CONTEXT[context]) if context in COMMAND_TO_CONTEXT else ""


def with_keys(sentence: str) -> str:
    """Return a fixed sentence with the keys of the user for the ids of commands that it has in brackets."""
    return re.sub(r"\[([a-z]+\.[a-z-]+)\]", lambda found: key_of(found[1]), sentence)


def key_of(command_id: str) -> str:
    """Return the first key of a command as lists of keys spell it; without one its word, or its name."""
    command = COMMAND_BY_ID[command_id]
    if command.keys:
        return spelled(command.keys[0])
    return f":{command.words[0]}" if command.words else f"“{command.label}”"
