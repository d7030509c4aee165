"""The keys of a user: a preset over the usual ones, then the table `[keys]` of config.toml."""

from collections.abc import Iterator, Mapping, Sequence
from enum import StrEnum
from itertools import combinations

from msgspec import Struct
from msgspec.structs import replace

from backlit.model.nearest import did_you_mean
from backlit.model.plain import plain
from backlit.model.settings.key_sequences import KeyChange, KeyPreset, spelled
from backlit.model.settings.own_commands import CommandSubject, OwnCommand
from backlit.tui.commands.command import Command, Context
from backlit.tui.commands.table import COMMANDS, OWN_GROUP, use_commands

_ARROWS: Mapping[str, tuple[str, ...]] = {
    "board.left": ("left",),
    "board.right": ("right",),
    "board.move-left": ("shift+left", "H"),
    "board.move-right": ("shift+right", "L"),
    "list.down": ("down",),
    "list.up": ("up",),
    "list.first": ("home",),
    "list.last": ("end",),
    "list.fold": ("left",),
    "list.unfold": ("right",),
    "list.filter": ("ctrl+f", "/"),
    "item.edit": ("f2", "e"),
    "item.delete": ("delete", "d"),
    "item.rank-down": ("shift+down", "J"),
    "item.rank-up": ("shift+up", "K"),
    "tree.fold": ("left",),
    "tree.unfold": ("right",),
    "tree.rename": ("f2", "c n"),
    "tree.later": ("shift+down", "J"),
    "tree.earlier": ("shift+up", "K"),
    "tree.delete": ("delete", "d"),
    "comments.delete": ("delete", "d"),
    "attachments.delete": ("delete", "d"),
    "outbox.discard": ("delete", "d"),
    "reports.next": ("right", "]"),
    "reports.previous": ("left", "["),
    "groom.down": ("tab", "down"),
    "groom.up": ("shift+tab", "up"),
    "app.help": ("f1", "?"),
    "app.refresh": ("f5", "R"),
    "comments.refresh": ("f5", "R"),
}
PRESETS: Mapping[KeyPreset, Mapping[str, tuple[str, ...]]] = {KeyPreset.VIM: {}, KeyPreset.ARROWS: _ARROWS}
"""Keys by command that a preset has in place of the usual ones."""

_CONTEXTS: Mapping[CommandSubject, Context] = {
    CommandSubject.ITEM: Context.ITEM,
    CommandSubject.ITEMS: Context.ITEM,
    CommandSubject.ITERATION: Context.TREE,
    CommandSubject.AREA: Context.TREE,
    CommandSubject.LIST: Context.LIST,
    CommandSubject.ANYWHERE: Context.GLOBAL,
}
"""The context of a user's command by what it is run on."""
OWN = "own."
"""Before the id of a user's command among those of the table."""

_BACKLOG = (Context.MOVES, Context.LIST, Context.ITEM, Context.GLOBAL)
"""Contexts whose commands share the backlog's screen, the nearest first."""
_NEVER_SENT = {
    "ctrl+i": "terminals send it as tab",
    "ctrl+m": "terminals send it as enter",
    "ctrl+h": "terminals send it as backspace",
    "ctrl+[": "terminals send it as esc",
    "ctrl+s": "a terminal with flow control stops at it",
    "ctrl+q": "a terminal with flow control keeps it",
    "ctrl+a": "screen keeps it for its own commands",
    "ctrl+b": "tmux keeps it for its own commands",
}
_ONLY_KITTY = "only a terminal with kitty's keyboard protocol sends it"


class KeyOrigin(StrEnum):
    """Where the keys of a command come from."""

    USUAL = "usual"
    PRESET = "preset"
    USER = "yours"


class BoundCommand(Struct, frozen=True):
    """A command with its keys, and where they come from."""

    command: Command
    origin: KeyOrigin


class KeyFault(Struct, frozen=True):
    """What is wrong with the keys of a command, which is named by its id."""

    command_id: str
    sentence: str


def bound_commands(
    preset: KeyPreset, changes: Mapping[str, KeyChange], own: Sequence[OwnCommand] = ()
) -> list[BoundCommand]:
    """Return all commands with their keys, the user's own ones first; ids that are none are left out.

    In a context the first command has a key that several have: what a user wrote for a command holds.
    """
    usual = [_bound(command, PRESETS[preset].get(command.id), changes.get(command.id)) for command in COMMANDS]
    return [*(BoundCommand(_own_row(command), KeyOrigin.USER) for command in own), *usual]


def _own_row(own: OwnCommand) -> Command:
    is_taken = any(own.id in each.words for each in COMMANDS)
    return Command(
        f"{OWN}{own.id}",
        (own.keys,) if own.keys else (),
        _CONTEXTS[own.subject],
        own.name,
        f"{own.name} (yours).",
        handler=f"{OWN_GROUP}:run",
        argument=own.id,
        words=(f"run {own.id}" if is_taken else own.id,),
        also="own custom run",
        section="Your own",
    )


def _bound(command: Command, preset: tuple[str, ...] | None, change: KeyChange | None) -> BoundCommand:
    keys = command.keys if preset is None else preset
    if change is not None:
        all_keys = tuple(dict.fromkeys((*keys, *change.keys) if change.is_added else change.keys))
        return BoundCommand(replace(command, keys=all_keys), KeyOrigin.USER)
    if preset is not None:
        return BoundCommand(replace(command, keys=keys), KeyOrigin.PRESET)
    return BoundCommand(command, KeyOrigin.USUAL)


def use_keys(preset: KeyPreset, changes: Mapping[str, KeyChange], own: Sequence[OwnCommand] = ()) -> list[str]:
    """Have the screens of this process use a user's keys and commands; return a sentence for each id that is none."""
    use_commands(each.command for each in bound_commands(preset, changes, own))
    return [f"{each.sentence} The entry of [keys] is ignored." for each in _unknown_commands(changes)]


def key_faults(preset: KeyPreset, changes: Mapping[str, KeyChange], own: Sequence[OwnCommand] = ()) -> list[KeyFault]:
    """Return what is wrong with a user's keys. The usual keys and those of presets are left alone."""
    bound = bound_commands(preset, changes, own)
    changed = frozenset(each.command.id for each in bound if each.origin is KeyOrigin.USER)
    return [*_unknown_commands(changes), *_clashes([each.command for each in bound], changed), *_unsendable(bound)]


def commands_without_keys(bound: Sequence[BoundCommand]) -> list[Command]:
    return [each.command for each in bound if not each.command.keys]


def _unknown_commands(changes: Mapping[str, KeyChange]) -> list[KeyFault]:
    known = [each.id for each in COMMANDS]
    return [
        KeyFault(name, f"There is no command “{plain(name, 60)}”.{did_you_mean(name, known)}")
        for name in changes
        if name not in known
    ]


def _clashes(commands: Sequence[Command], own: frozenset[str]) -> Iterator[KeyFault]:
    """Yield the sequences that two commands of a screen share, or that hide a longer one."""
    bindings = [(keys.split(), command) for command in commands for keys in command.keys]
    for (one_keys, one), (other_keys, other) in combinations(bindings, 2):
        if one is other or own.isdisjoint((one.id, other.id)) or not _are_together(one, other):
            continue
        changed, unchanged = (one, other) if one.id in own else (other, one)
        if one_keys == other_keys:
            loser = other if _is_nearer(one, other, commands) else one
            sentence = f"{spelled(' '.join(one_keys))} is a key of {unchanged.id} too ({unchanged.context.value})."
            yield KeyFault(changed.id, f"{sentence} {loser.id} is not reached by it.")
        elif one_keys == other_keys[: len(one_keys)] or other_keys == one_keys[: len(other_keys)]:
            short, long = sorted((one_keys, other_keys), key=len)
            hidden = other if long is other_keys else one
            words = f"{spelled(' '.join(short))} hides {spelled(' '.join(long))} of {hidden.id}"
            yield KeyFault(changed.id, f"{words}, which is longer.")


def _are_together(one: Command, other: Command) -> bool:
    return one.context is other.context or {one.context, other.context} <= {*_BACKLOG}


def _is_nearer(one: Command, other: Command, commands: Sequence[Command]) -> bool:
    order = list(Context)
    places = [(order.index(each.context), commands.index(each)) for each in (one, other)]
    return places[0] < places[1]


def _unsendable(bound: Sequence[BoundCommand]) -> Iterator[KeyFault]:
    for command in (each.command for each in bound if each.origin is KeyOrigin.USER):
        usual = next((each.keys for each in COMMANDS if each.id == command.id), ())
        for key in dict.fromkeys(key for sequence in command.keys if sequence not in usual for key in sequence.split()):
            if reason := _reason_not_sent(key):
                yield KeyFault(command.id, f"{spelled(key)} may never arrive: {reason}.")
            elif command.in_text and len(key) == 1:
                yield KeyFault(
                    command.id, f"{key} is a letter of texts, where {command.id} has to work too. Use another key."
                )


def _reason_not_sent(key: str) -> str:
    *modifiers, name = key.split("+") if len(key) > 1 else [key]
    if key in _NEVER_SENT:
        return _NEVER_SENT[key]
    is_odd = "alt" in modifiers or "super" in modifiers or modifiers == ["ctrl", "shift"]
    is_shifted = modifiers == ["shift"] and name != "tab"
    is_digit = modifiers == ["ctrl"] and len(name) == 1 and not name.isalpha()
    return _ONLY_KITTY if is_odd or is_shifted or is_digit else ""
