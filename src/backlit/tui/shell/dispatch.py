"""Dispatch: resolves keys to commands of the table, and runs each on the nearest node that offers it.

    nothing typed --digit, in a list--> a count --digit--> a count
    nothing typed, a count --first key of a chord--> a chord --next key--> a chord
    any of them --last key of a command--> it runs with the count; nothing typed
    a count, a chord --esc, or a key that leads nowhere--> nothing typed
    nothing typed --a key of no command--> Textual has it
    any of them --a key in a text--> a command that works in texts, else Textual has it; nothing typed

When a key may be resolved is the work of the input queue, which knows nothing of commands; what a key means is the
work of this module, which knows nothing of time. They meet in three calls: the queue hands a key to `take`, a failed
command drops what waits (`ChordApp.notify`), and a macro gives its keys to the queue. Joined, each of the queue's four
states would be one for each of these three, and a test of a chord would need a clock.

What either asks of the application, it gets as a function. One object for both would ask for the same things: Textual's
own handling of an event, which only `super()` reaches, refusals, the line of waiting keys, changes to catch up with. It
would get the whole application instead, to work on its parts.
"""

import importlib
from collections.abc import Awaitable, Callable, Collection, Iterator
from contextlib import AbstractContextManager, contextmanager
from functools import cache, partial
from inspect import iscoroutinefunction
from operator import attrgetter
from typing import Any, TypeVarTuple, cast

from msgspec import Struct
from textual import events
from textual.app import App
from textual.dom import DOMNode
from textual.screen import ModalScreen

from backlit.model.errors import BacklitError, sentence_of
from backlit.model.settings.key_sequences import spelled
from backlit.tui.commands.command import AskFirst, CannotAct, Command, CommandContext, Context
from backlit.tui.commands.table import COMMAND_BY_ID, CONTEXT_BY_GROUP, commands_here, commands_in, is_bound, key_of
from backlit.tui.shell.keyboard_layouts import LATIN_KEYS
from backlit.tui.shell.macros import Recorder
from backlit.tui.shell.workers import BACKGROUND_GROUP, COMMANDS_GROUP, work
from backlit.tui.widgets.which_key import WhichKeyHint

Arguments = TypeVarTuple("Arguments")
Runner = Callable[[CommandContext], Awaitable[None] | None]
"""Runs a call; may raise CannotAct or BacklitError."""
RunningCommand = Callable[[], AbstractContextManager[None]]
"""The `running_command` of a target: the context in which its commands run."""
PassOn = Callable[[events.Event], Awaitable[None]]


class Dispatch:
    """Runs the commands of an application's keys; passes all other input on to Textual."""

    def __init__(
        self,
        app: App[Any],
        recorder: Recorder,
        pass_on: PassOn,
        refuse: Callable[[str], None],
        catch_up: Callable[[], None],
    ) -> None:
        self._app = app
        self._catch_up = catch_up
        self._recorder = recorder
        self._pass_on = pass_on
        self._refuse = refuse
        self._resolver = Resolver()
        self._which_key = WhichKeyHint(app)
        self.hidden: Callable[[], Collection[str]] = frozenset
        """Returns the commands that are not offered."""

    @property
    def focused_node(self) -> DOMNode:
        return self._app.focused or self._app.screen

    async def take(self, event: events.Event) -> None:
        """Run the command that a key completes; pass on any other event, and all keys of a dialog but ctrl+c."""
        if isinstance(event, events.Key):
            event = self._on_latin_layout(event)
        is_for_command = not isinstance(self._app.screen, ModalScreen)
        is_free = is_for_command and not self._resolver.chord and not self._is_in_text
        if self._recorder.takes(event, is_free=is_free):
            return
        if isinstance(event, events.Key) and (is_for_command or event.key == "ctrl+c") and self._takes_key(event):
            return
        await self._pass_on(event)

    def run(self, command: Command, count: int | None = None, letter: str = "") -> None:
        """Run a command on the nearest node that offers it, from the focus up; say why none can."""
        runner = runner_of(self.focused_node, command)
        if runner is None:
            words = f"“{command.label}”"
            if command.context in _NEEDED and command.context in contexts_of(self.focused_node):
                self._refuse(f"{words} works in the backlog. Press {key_of('app.backlog')} to go there.")
            else:
                self._refuse(f"{_needed(words, command)}.")
        elif iscoroutinefunction(runner):
            self.begin(runner, CommandContext(command, count, letter))
        else:
            call = CommandContext(command, count, letter)
            try:
                with self._saying_why():
                    runner(call)
            except AskFirst:
                self.begin(runner, call)

    def begin(self, act: Callable[[*Arguments], Awaitable[None] | None], *args: *Arguments) -> None:
        """Run an awaited act as commands run: its errors are shown."""
        # In a worker: Textual awaits each handler, so that an act of a second would hold every key of the application
        # for it.
        self._app.run_worker(work(self._await, act, *args), group=COMMANDS_GROUP)

    def begin_in_background(self, act: Callable[[*Arguments], Awaitable[None] | None], *args: *Arguments) -> None:
        """Run an awaited act that no key began. Keys do not wait for it, and its dialogs wait for a pause in typing."""
        self._app.run_worker(work(self._await, act, *args), group=BACKGROUND_GROUP)

    async def _await(self, act: Callable[..., Awaitable[None] | None], *args: object) -> None:
        with self._saying_why():
            await run_asking(act, *args)
        self._catch_up()

    @contextmanager
    def _saying_why(self) -> Iterator[None]:
        try:
            yield
        except AskFirst:
            raise
        except (CannotAct, BacklitError) as reason:
            self._refuse(sentence_of(reason))

    @property
    def is_amid_keys(self) -> bool:
        """Return whether the next key belongs to a chord, a count or a text."""
        return self._resolver.is_begun or self._is_in_text

    @property
    def _is_in_text(self) -> bool:
        return self._app.focused is not None and self._app.focused.check_consume_key("a", "a")

    def _on_latin_layout(self, event: events.Key) -> events.Key:
        """Return the key of the same place on a Latin keyboard, for a letter that is no text and no user's own key."""
        key = LATIN_KEYS.get(event.character or "")
        if key is None or self._is_in_text or is_bound(event.character or ""):
            return event
        return events.Key(key, key)

    def _takes_key(self, event: events.Key) -> bool:
        """Resolve a key; return False for a key that Textual is to handle."""
        key = event.character if event.is_printable and event.character and event.character != " " else event.key
        was_waiting = self._resolver.cancel() if key == "escape" else False
        self._which_key.hide()
        if was_waiting:
            return True
        in_text, contexts = self._is_in_text, contexts_of(self.focused_node)
        outcome = self._resolver.feed(key, contexts, in_text=in_text)
        match outcome:
            case PartialChord(chord) if chord:
                hidden, following = self.hidden(), self._resolver.continuations(contexts)
                self._which_key.show_soon(chord, [each for each in following if each[1].id not in hidden])
            case PendingCommand(command, count, letter):
                self.run(command, count, letter)
            case Unknown(chord):
                self._refuse_unbound(" ".join(chord))
            case Passed() if event.is_printable and not in_text:
                self._refuse_unbound(key)
                return True
        return not isinstance(outcome, Passed)

    def _refuse_unbound(self, sequence: str) -> None:
        """Refuse a key that does nothing here, and name its command elsewhere."""
        known = (each for each in COMMAND_BY_ID.values() if sequence in each.keys and each.context in _NEEDED)
        elsewhere, key = next(known, None), spelled(sequence)
        words = _needed(f"{key} ({elsewhere.label})", elsewhere) if elsewhere else f"{key} is not a command here"
        self._app.clear_notifications()
        self._refuse(f"{words}; {key_of('app.help')} shows the keys.")


_NEEDED = {Context.ITEM: "an item", Context.LIST: "a list of items"}
"""What commands of a context act on, in a word; those of other contexts belong to their place."""


def _needed(words: str, command: Command) -> str:
    needed = _NEEDED.get(command.context)
    return f"{words} needs {needed}, and there is none here" if needed else f"{words} does not work here"


# From a command to its function


def contexts_of(node: DOMNode) -> tuple[Context, ...]:
    """Return the contexts of the command groups that a node and its ancestors offer, in order of precedence."""
    groups = {group for ancestor in node.ancestors_with_self for group in getattr(ancestor, "COMMAND_GROUPS", ())}
    found = {CONTEXT_BY_GROUP[group] for group in groups}
    return tuple(context for context in Context if context in found)


def target_of(node: DOMNode, command: Command) -> DOMNode | None:
    """Return the nearest node, from the focus up to the app, that offers the group of a command."""
    offers = (each for each in node.ancestors_with_self if command.group in getattr(each, "COMMAND_GROUPS", ()))
    return next(offers, None)


def runner_of(node: DOMNode, command: Command) -> Runner | None:
    """Return the runner of a command on its target, in the target's `running_command` where it has one."""
    target = target_of(node, command)
    if target is None:
        return None
    run: Runner = partial(function_of(command.handler), target)
    context: RunningCommand | None = getattr(target, "running_command", None)
    return run if context is None else _run_in_context(context, run)


def _run_in_context(context: RunningCommand, run: Runner) -> Runner:
    """Return a runner of the same kind, awaited or not, that runs in a target's context."""

    async def run_awaited(call: CommandContext) -> None:
        with context():
            await cast("Awaitable[None]", run(call))

    def run_at_once(call: CommandContext) -> None:
        with context():
            run(call)

    return run_awaited if iscoroutinefunction(run) else run_at_once


# Imported with the first key that needs it: the first rows would wait for the imports of all commands, which are most
# of the program.
@cache
def function_of(handler: str) -> Callable[..., Any]:
    """Return the function, or the method of a class, that gets the target first."""
    group, _, name = handler.partition(":")
    return cast("Callable[..., Any]", attrgetter(name)(importlib.import_module(f"backlit.tui.{group}")))


async def run_asking(act: Callable[..., Awaitable[None] | None], *args: object) -> None:
    """Run an act; where it asks first, run it again after a yes."""
    try:
        running = act(*args)
        if running is not None:
            await running
    except AskFirst as question:
        if await question.ask() and (running := act(*args)) is not None:
            await running


# From keys to a command


class PartialChord(Struct, frozen=True):
    """More keys are needed; `keys` is the chord so far."""

    keys: tuple[str, ...]


class PendingCommand(Struct, frozen=True):
    """A complete command, with its count if one was typed."""

    command: Command
    count: int | None
    letter: str = ""


class Unknown(Struct, frozen=True):
    """A chord without a command; `keys` is the whole of it."""

    keys: tuple[str, ...]


class Passed(Struct, frozen=True):
    """An unbound key, left to the focused widget."""


Outcome = PartialChord | PendingCommand | Unknown | Passed

COUNT_LIMIT = 9_999_999
COUNTED = frozenset({Context.LIST, Context.MOVES})
"""Contexts in which digits are counts."""


class Resolver:
    """Collects keys until they are a command, a dead end, or unbound."""

    def __init__(self) -> None:
        self._chord: tuple[str, ...] = ()
        self._count: int | None = None

    @property
    def chord(self) -> tuple[str, ...]:
        """Return the keys of the unfinished chord; empty without one."""
        return self._chord

    @property
    def is_begun(self) -> bool:
        """Return whether there is a chord or a count."""
        return bool(self._chord) or self._count is not None

    def cancel(self) -> bool:
        """Forget chord and count; return False without any."""
        had_any = self.is_begun
        self._chord, self._count = (), None
        return had_any

    def feed(self, key: str, contexts: tuple[Context, ...], *, in_text: bool = False) -> Outcome:
        """Take a key (a printable character, or a name such as `ctrl+d`) in the contexts of the focus."""
        if in_text:
            return self._feed_in_text(key, contexts)
        if self._is_count(key, contexts):
            self._count = min((self._count or 0) * 10 + int(key), COUNT_LIMIT)
            return PartialChord(())
        self._chord = (*self._chord, key)
        wanted = " ".join(self._chord)
        candidates = commands_in(contexts)
        for command in candidates:
            if wanted in command.keys:
                return self._run(command)
        for command in candidates:
            if self._is_lettered(command):
                return self._run(command, key)
        if any(sequence.startswith(wanted + " ") for command in candidates for sequence in command.keys):
            return PartialChord(self._chord)
        return self._dead_end()

    def continuations(self, contexts: tuple[Context, ...]) -> tuple[tuple[str, Command], ...]:
        """Return the remaining keys and the command that they run, of every continuation of the chord."""
        begun = " ".join(self._chord) + " "
        return tuple(
            (sequence.removeprefix(begun), COMMAND_BY_ID[command.id])
            for command in commands_here(contexts)
            for sequence in command.keys
            if sequence.startswith(begun)
        )

    def _feed_in_text(self, key: str, contexts: tuple[Context, ...]) -> Outcome:
        self.cancel()
        for command in commands_in(contexts):
            if command.in_text and key in command.keys:
                return PendingCommand(command, None)
        return Passed()

    def _is_count(self, key: str, contexts: tuple[Context, ...]) -> bool:
        if self._chord or not (key.isascii() and key.isdigit()):
            return False
        return not COUNTED.isdisjoint(contexts) and (key != "0" or self._count is not None)

    def _is_lettered(self, command: Command) -> bool:
        """Return whether the chord ends a command's keys that take any letter, or any digit but 0."""
        *begun, last = self._chord
        kind = "letter" if "a" <= last <= "z" else "digit" if "1" <= last <= "9" else ""
        return len(last) == 1 and bool(kind) and " ".join([*begun, kind]) in command.keys

    def _run(self, command: Command, letter: str = "") -> PendingCommand:
        count = self._count
        self.cancel()
        return PendingCommand(command, count, letter)

    def _dead_end(self) -> Outcome:
        keys = self._chord
        was_begun = len(keys) > 1 or self._count is not None
        self.cancel()
        return Unknown(keys) if was_begun else Passed()
