"""What the service does not have yet, what it refused, and what somebody else changed meanwhile."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from textual import on
from textual.app import ComposeResult
from textual.containers import VerticalScroll
from textual.content import Content
from textual.widgets import Static

from backlit.model.errors import StorageError
from backlit.store.records.changes import ConnectionState, Subject
from backlit.store.records.entry import ON_COMMENTS, ON_NODES, RECALLS, EntryKind, EntryState, OutboxEntry
from backlit.tui.commands.command import Call, CannotAct
from backlit.tui.dialogs.confirm import Answer, ConfirmDialog
from backlit.tui.dialogs.reading import ReadingDialog
from backlit.tui.drawing.text import literal, literal_block, safe
from backlit.tui.fields.values import label_of, words_of
from backlit.tui.items.entry_text import content_of, fate_words, fields_of, lines_of
from backlit.tui.items.resolve import resolve_entry
from backlit.tui.outbox.outbox_list import STATE_SIGNS, OutboxList, item_name_of, number_of
from backlit.tui.shell.status_text import left_status, timer_words
from backlit.tui.shell.store_screen import ChangeBatch, StoreScreen
from backlit.tui.shell.target import ItemPlace
from backlit.tui.widgets.line_list import LineList
from backlit.tui.widgets.side_lines import Part, RuleLine, SidesLine, hints

ROOM_FOR_HINTS = 80
HINTS = ("outbox.open", "outbox.edit", "outbox.retry", "outbox.discard", "app.back", "app.help")
FEW_HINTS = ("outbox.edit", "outbox.retry", "outbox.discard")
TEXT_LIMIT = 2_000
"""Characters of one value that are shown."""
_GIVEN_UP = {
    EntryKind.ADD: "the new item and all that follows it",
    EntryKind.COMMENT: "the comment",
    EntryKind.DELETE: "deleting the item",
    EntryKind.DELETE_COMMENT: "deleting the comment",
    **dict.fromkeys(RECALLS, "looking for it"),
}


class OutboxScreen(StoreScreen[None]):
    """The undelivered entries, oldest first, and beneath them what the one under the cursor would change."""

    COMMAND_GROUPS = ("outbox.screen",)
    AUTO_FOCUS = "OutboxList"
    CSS_PATH = "../styles/outbox.tcss"

    def compose(self) -> ComposeResult:
        """Title, entries and the present one's content between rules, status."""
        yield SidesLine(id="title")
        yield RuleLine("─")
        yield OutboxList(self.store, id="entries")
        yield RuleLine("─")
        with VerticalScroll(id="entry", can_focus=False):
            yield Static(id="entry-text")
        yield RuleLine("─")
        yield SidesLine(id="status")

    def on_mount(self) -> None:
        """List the entries of the journal."""
        self._entries: Sequence[OutboxEntry] = ()
        self._list = self.query_one("#entries", OutboxList)
        self._show_entries()

    def store_changed(self, changes: ChangeBatch) -> None:
        """Show what was sent, refused or added."""
        if any(subject in changes for subject in (Subject.OUTBOX, Subject.ITEMS, Subject.CONNECTION)):
            self._show_entries()
        else:
            self._draw_words()

    def _show_entries(self) -> None:
        is_online = self.store.connection.state is ConnectionState.ONLINE
        try:
            self._entries = [entry if is_online else _at_rest(entry) for entry in self.store.outbox_entries()]
        except StorageError as error:
            self._entries = []
            self._list.show_fault(safe(error.message))
        else:
            self._list.show(self._entries)
        self._draw_words()

    # Words

    @on(LineList.Highlighted)
    def _cursor_moved(self, message: LineList.Highlighted) -> None:
        message.stop()
        self._draw_words()

    def _draw_words(self) -> None:
        counts = Counter(entry.state for entry in self._entries)
        right: list[Part] = [
            (f"  {STATE_SIGNS[state][0]} {counts[state]:,} {state.value}", STATE_SIGNS[state][1])
            for state in STATE_SIGNS
            if counts[state]
        ]
        self.query_one("#title", SidesLine).say(
            [(" backlit ", "accent"), (" Outbox", "foreground")], [*right, (" ", "muted")]
        )
        left = left_status(self.store.connection, self.store.outbox, self._list.cursor + 1, len(self._entries))
        status = [*left, *timer_words(self.store)]
        hint_ids = HINTS if self.size.width >= ROOM_FOR_HINTS else FEW_HINTS
        self.query_one("#status", SidesLine).say(status, hints(hint_ids))
        entry = self._list.current
        self.query_one("#entry-text", Static).update(self._described(entry) if entry else Content(""))

    def _described(self, entry: OutboxEntry) -> Content:
        """The reason, then every field: what it was, what it shall be, what the service has now."""
        lines = [Content.styled(safe(entry.reason), "$conflict")] if entry.reason else []
        if fate := fate_words(entry):
            lines.append(Content(f"{fate} r deletes it all the same, d lets it stay."))
        if entry.kind in ON_COMMENTS:
            return Content("\n").join([*lines, literal_block(str(entry.payload.get("text", "")))])
        if entry.kind in ON_NODES | RECALLS:
            return Content("\n").join([*lines, *lines_of(self.store, replace(entry, reason=""))])
        if entry.kind is EntryKind.DELETE:
            for key, theirs in entry.theirs.items():
                was, now = self._line("was", key, entry.base.get(key)), self._line("theirs", key, theirs)
                lines += [Content.styled(safe(label_of(key)), "$muted"), was, now]
            return Content("\n").join(lines)
        for key, mine in fields_of(entry).items():
            lines.append(Content.styled(safe(label_of(key)), "$muted"))
            if entry.kind is EntryKind.EDIT:
                lines.append(self._line("was", key, entry.base.get(key)))
            lines.append(self._line("yours", key, mine).stylize("bold"))
            if key in entry.theirs:
                lines.append(self._line("theirs", key, entry.theirs[key]))
        return Content("\n").join(lines)

    def _line(self, whose: str, key: str, value: object) -> Content:
        return Content.assemble((f"  {whose:7}", "$muted"), literal(self._words(key, value)))

    def _words(self, key: str, value: object) -> str:
        words = " ".join(words_of(self.store, key, value).split())
        return words if len(words) <= TEXT_LIMIT else words[:TEXT_LIMIT] + "…"

    # Commands

    @property
    def entries(self) -> Sequence[OutboxEntry]:
        """The entries that are listed."""
        return self._entries

    def current(self) -> OutboxEntry:
        """Return the entry under the cursor; raises CannotAct without one."""
        entry = self._list.current
        if entry is None:
            raise CannotAct("Nothing waits here.")
        return entry

    @on(LineList.Chosen)
    def _entry_chosen(self, message: LineList.Chosen) -> None:
        message.stop()
        self.run_command("outbox.open")


def _at_rest(entry: OutboxEntry) -> OutboxEntry:
    """An entry as it is while nothing can be sent, also one that was under way when the line went."""
    return replace(entry, state=EntryState.WAITING) if entry.state is EntryState.SENDING else entry


async def show(target: OutboxScreen, _call: Call) -> None:
    """Settle a conflict or a deletion that was not done; show all of any other change."""
    entry = target.current()
    if (entry.state is EntryState.CONFLICT and entry.kind is EntryKind.EDIT) or fate_words(entry):
        await resolve_entry(target, entry)
        return
    title = f"{entry.state.value.capitalize()}  {number_of(entry)} {item_name_of(target.store, entry)}"
    await target.ask(ReadingDialog(title, list(lines_of(target.store, entry))))


async def settle(target: OutboxScreen, _call: Call) -> None:
    """Settle a conflict, or change a refused entry and send it again."""
    await resolve_entry(target, target.current())


def open_item(target: OutboxScreen, _call: Call) -> None:
    """Open the item of the change."""
    entry = target.current()
    if target.store.item(entry.item_id) is None:
        raise CannotAct("The item is no longer here; d gives the change up.")
    target.open(entry.item_id, ItemPlace.EDITOR)


def copy(target: OutboxScreen, _call: Call) -> None:
    """Copy the content of the change as text."""
    text = content_of(target.store, target.current())
    target.copy(text)
    target.say(f"Copied {' '.join(text.split())[:60]}")


async def retry(target: OutboxScreen, _call: Call) -> None:
    """Send the change again; over somebody else's change only after a question."""
    entry = target.current()
    if entry.state is EntryState.REFUSED:
        for each in await _refused_to_retry(target, entry):
            await target.store.conflicts.retry(each.id)
        return
    if entry.state is not EntryState.CONFLICT:
        raise CannotAct("This change waits already; it is sent as soon as the service can be reached.")
    fields = ", ".join(label_of(key) for key in entry.theirs)
    sentence = f"Somebody changed {fields or 'the item'} meanwhile. Your values would take the place of theirs."
    if await _is_agreed(target, "Conflict", sentence, "send yours"):
        await target.store.conflicts.retry(entry.id)


async def discard(target: OutboxScreen, _call: Call) -> None:
    """Give the change up, after a question."""
    entry = target.current()
    sentence = f"This gives up {_GIVEN_UP.get(entry.kind, 'the change')}; u brings it back."
    if await _is_agreed(target, "Discard", sentence, "discard it"):
        await target.store.conflicts.discard(entry.id)


async def _refused_to_retry(target: OutboxScreen, entry: OutboxEntry) -> Sequence[OutboxEntry]:
    """Ask whether to send every refused entry of the same act, where there are several."""
    alike = [each for each in target.entries if each.step == entry.step and each.state is EntryState.REFUSED]
    if len(alike) == 1:
        return alike
    answers = [Answer("y", "send this one again"), Answer("a", f"send all {len(alike):,} again")]
    sentence = f"{len(alike):,} of what was changed in one go were refused."
    key = await target.ask(ConfirmDialog("Send again", sentence, answers, "leave them"))
    return {"y": [entry], "a": alike}.get(key or "", [])


async def _is_agreed(target: OutboxScreen, title: str, sentence: str, label: str) -> bool:
    return await target.ask(ConfirmDialog(title, sentence, [Answer("y", label)], "leave it as it is")) == "y"
