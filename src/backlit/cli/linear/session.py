"""A session of the linear mode: its store, its questions, and what holds at every prompt."""

import argparse
import asyncio
import shlex
from collections.abc import Callable, Coroutine, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack
from typing import Any, TypeVar

from backlit.cli.changes import wait_until_sent
from backlit.cli.linear.console import Console, LineKind
from backlit.cli.linear.words import PART_LINES, SpokenWords, number_of
from backlit.cli.synced import SentChanges, wait_while
from backlit.model.amounts import counted
from backlit.model.errors import BacklitError, Conflict, sentence_of
from backlit.model.fields import FIELD_BY_KEY, VIRTUAL_BY_KEY, Field, fields_of
from backlit.store.edits.conflicts import KeptSide
from backlit.store.inbox import ItemNews, NewsReason
from backlit.store.records.changes import ConnectionState, StoreChange, Subject
from backlit.store.records.entry import BUSY, EntryState, OutboxEntry
from backlit.store.store import Store

OpenStore = Callable[[], AbstractContextManager[Store]]
RunCommand = Callable[[Sequence[str]], None]
"""Runs a command of the command line; raises BacklitError."""
COMMON = "b back, u undo, ? help, q quit. A command of backlit may be typed at any prompt, such as items show 12."
LINE_END = "."
"""The line that ends a text."""
MAX_SAID_NEWS = 5
"""Changed items that are said one by one before a prompt."""
_REASONS = {NewsReason.MENTION: "mentions you", NewsReason.ASSIGNMENT: "assigned to you"}
_Result = TypeVar("_Result")


class Left(Exception):
    """The user ended what is open."""


class WentBack(Exception):
    """The user wants what was before."""


class Changed(Exception):
    """Something else was done at a prompt, so that what was shown may be outdated."""


class LinearSession:
    """The open store with the console."""

    def __init__(
        self,
        console: Console,
        open_store: OpenStore,
        run_command: RunCommand,
        command_names: frozenset[str],
        options: argparse.Namespace,
    ) -> None:
        self.console = console
        self._open_store, self._run_command, self._command_names = open_store, run_command, command_names
        self._options = options
        self._opened = ExitStack()
        self.open()

    def open(self) -> None:
        self.store = self._opened.enter_context(self._open_store())
        self.words = SpokenWords(self.store)
        if not self._options.offline:
            self.run(wait_while(self.store, self._is_sending))
        self._changes = SentChanges(self.store)
        self._news: frozenset[int] = frozenset()
        self._told = frozenset(self.store.inbox.ids())
        self._opened.callback(self.store.subscribe(self._note_news))

    def _note_news(self, change: StoreChange) -> None:
        """Keep what others changed until the next prompt; called on a thread of the store."""
        if change.kind is Subject.INBOX:
            self._news |= change.ids or frozenset(self.store.inbox.ids()) - self._told

    def _say_news(self) -> None:
        """Say what others changed since the last prompt: each of a few items, or how many there are."""
        ids, self._news = self._news, frozenset()
        self._told |= ids
        found = [news for news in map(self.store.inbox.news, sorted(ids)) if news is not None]
        if len(found) > MAX_SAID_NEWS:
            self.console.say(
                LineKind.INBOX, f"{counted(len(found), 'item')} changed by others. 4 in the menu reads them."
            )
            return
        for news in found:
            reason = f", {_REASONS[news.reason]}" if news.reason is not None else ""
            self.console.say(LineKind.INBOX, f"{self.news_words(news)}{reason}.")

    def news_words(self, news: ItemNews) -> str:
        """Return the item with what others changed of it, and who."""
        changes = []
        for each in news.fields:
            field = self.field(each.key, news.type)
            values = f"{self.words.value(field, each.before)} to {self.words.value(field, each.after)}"
            changes.append(f"{field.label} {values}")
        comments = [counted(len(news.comments), "comment")] if news.comments else []
        authors = f" by {', '.join(news.authors)}" if news.authors else ""
        told = (", ".join([*changes, *comments]) or news.kind.value) + authors
        return f"{number_of(news.item_id)}, {news.type}, {news.name}, {told}"

    def _is_sending(self) -> bool:
        """Report whether changes of earlier runs are on their way; what stands behind a conflict stays."""
        entries = self.store.outbox_entries()
        held = {each.item_id for each in entries if each.state is EntryState.CONFLICT}
        return any(each.state in BUSY and each.item_id not in held for each in entries)

    def close(self) -> None:
        self._opened.close()

    def run(self, act: Coroutine[Any, Any, _Result]) -> _Result:
        return asyncio.run(act)

    # Questions

    def answer(self, kind: LineKind, question: str, help_text: str = "") -> str:
        """Ask, and return the answer, which is never empty.

        Raises Left, WentBack, Changed, and InputEnded at the end of the input.
        """
        self._say_news()
        self.console.say(kind, question)
        while True:
            text = self.console.read()
            match text.casefold():
                case "":
                    self.console.say(kind, question)
                case "?" | "help":
                    self.console.say(LineKind.HELP, f"{help_text} {COMMON}".strip())
                case "q":
                    raise Left
                case "b":
                    raise WentBack
                case "u":
                    self.undo()
                    raise Changed
                case _:
                    if text.split()[0] not in self._command_names:
                        return text
                    self._command(text)
                    raise Changed

    def chosen(self, kind: LineKind, question: str, options: Mapping[str, str]) -> str:
        """Ask for one of some short answers, which the question names; `options` maps them to their words."""
        menu = f"{question} {', '.join(f'{key} {words}' for key, words in options.items())}.".strip()
        while True:
            text = self.answer(kind, menu).casefold()
            if text in options:
                return text
            self.error(f"“{text}” is none of the answers: {', '.join(options)}.")

    def confirmed(self, question: str) -> bool:
        return self.answer(LineKind.QUESTION, f"{question} Type yes.").casefold() == "yes"

    def text(self, what: str) -> str:
        """Read lines up to one that is only a dot; no answer has a meaning of its own in between."""
        self.console.say(LineKind.QUESTION, f"{what}: end with a line that is only a dot.")
        lines: list[str] = []
        while (line := self.console.read()) != LINE_END:
            lines.append(line)
        return "\n".join(lines).strip()

    def read_out(self, kind: LineKind, text: str) -> None:
        """Say a text in parts of a few lines; any answer but Enter ends it."""
        lines = [line for line in text.splitlines() if line.strip()]
        for at, line in enumerate(lines):
            if at and at % PART_LINES == 0:
                self.console.say(kind, f"{len(lines) - at} more lines: Enter, or s to stop.")
                if self.console.read():
                    return
            self.console.say(kind, line)

    def error(self, sentence: str) -> None:
        self.console.say(LineKind.ERROR, sentence)

    def _command(self, text: str) -> None:
        """Run a command with the store closed, as the command opens the files itself."""
        try:
            words = shlex.split(text)
        except ValueError:
            self.error("A quotation mark has no end.")
            return
        self.close()
        try:
            self._run_command(words)
        except BacklitError as error:
            self.error(sentence_of(error))
        finally:
            self.open()

    # Changes

    def undo(self) -> None:
        """Undo the last change, after a question where it changes much."""
        try:
            offered = self.run(self.store.history.to_undo())
            if offered is None:
                self.error("There is nothing to undo.")
                return
            if offered.is_impossible:
                raise Conflict("What was changed is gone, so the change stays as it is.")
            if offered.is_grave and not self.confirmed(f"Undo the change of {counted(len(offered.item_ids), 'item')}?"):
                self.error("Nothing was undone.")
                return
            self.run(self.store.history.undo())
        except BacklitError as error:
            self.error(sentence_of(error))
            return
        items = [self.store.item(each) for each in sorted(offered.item_ids)]
        names = ", ".join(f"{number_of(item.id)} {item.name}" for item in items if item is not None)
        self.console.say(LineKind.UNDONE, f"{names or 'the last change'}. {self.waiting}")

    @property
    def scale(self) -> Sequence[float]:
        """The points that are offered."""
        stated: Sequence[float] = self.store.lookups.stated_settings().estimate_scale or self._options.scale
        return stated

    @property
    def waiting(self) -> str:
        """What becomes of a change that is on this machine."""
        return "Waiting: offline." if self.is_offline else "Waiting to be sent."

    @property
    def is_offline(self) -> bool:
        return self._options.offline or self.store.connection.state is not ConnectionState.ONLINE

    def sync(self) -> None:
        """Wait for the server's answer to what was changed since the last call, and say it."""
        if not self._changes.all():
            return
        self.run(wait_until_sent(self.store, self._changes, self._options))
        entries = self._changes.all()
        self._changes = SentChanges(self.store)
        sent = sum(each.state is EntryState.SENT for each in entries)
        if sent:
            self.console.say(LineKind.SYNC, f"{counted(sent, 'change')} sent.")
        for entry in entries:
            if entry.state is EntryState.REFUSED:
                self.console.say(LineKind.REFUSED, f"{number_of(entry.item_id)}: {entry.reason}")
            elif entry.state is EntryState.CONFLICT:
                self.decide(entry)
        waiting = sum(each.state in BUSY for each in self.store.outbox_entries())
        if waiting:
            verb = "waits" if waiting == 1 else "wait"
            self.console.say(LineKind.SYNC, f"offline. {counted(waiting, 'change')} {verb} on this machine.")

    def decide(self, entry: OutboxEntry) -> None:
        """Ask for each field of a conflict whose value is kept; s leaves it for later."""
        case = self.store.conflicts.case(entry.id)
        if case is None:
            return
        decisions: dict[str, KeptSide] = {}
        for contested in case.fields:
            field = self.field(contested.key, case.item_type)
            mine, theirs = self.words.value(field, contested.mine), self.words.value(field, contested.theirs)
            told = f"{number_of(entry.item_id)}, {field.label}, yours {mine}, theirs {theirs}."
            sides = {"1": "yours", "2": "theirs", "s": "later"}
            try:
                side = self.chosen(LineKind.CONFLICT, told, sides)
            except (Left, WentBack, Changed):
                return
            if side == "s":
                return
            decisions[contested.key] = KeptSide.MINE if side == "1" else KeptSide.THEIRS
        self.run(self.store.conflicts.resolve(case, decisions))
        self.console.say(LineKind.SAVED, f"{number_of(entry.item_id)}, decided. {self.waiting}")
        self.sync()

    # Fields

    def field(self, key: str, item_type: str) -> Field:
        """Return the field of a key: one of the item's type, one that only the server knows, or a virtual one."""
        own = {field.key: field for field in self.fields_of(item_type)}
        return own.get(key) or FIELD_BY_KEY.get(key) or VIRTUAL_BY_KEY[key]

    def fields_of(self, item_type: str) -> Sequence[Field]:
        return fields_of(item_type, self.store.lookups.custom_fields())
