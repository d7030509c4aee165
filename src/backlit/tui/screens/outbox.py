"""What the service does not have yet, what it refused, and what somebody else changed meanwhile."""

from collections import Counter
from dataclasses import replace

from textual import on
from textual.app import ComposeResult
from textual.containers import VerticalScroll
from textual.content import Content
from textual.widgets import Static

from backlit.model.errors import BacklitError, StorageError
from backlit.store.changes import ConnectionState, Subject
from backlit.store.entries import ON_COMMENTS, ON_NODES, RECALLS, EntryKind, EntryState, OutboxEntry
from backlit.tui.acting import CannotAct
from backlit.tui.entry_words import content_of, fate_words, fields_of, lines_of
from backlit.tui.gathered import Gathered
from backlit.tui.log_verbs import timer_words
from backlit.tui.screens.backlog_words import left_status
from backlit.tui.screens.base import StoreScreen
from backlit.tui.settling import settle_entry
from backlit.tui.text import literal, literal_block, safe
from backlit.tui.widgets.line_list import LineList
from backlit.tui.widgets.lines import Part, RuleLine, SidesLine, hints
from backlit.tui.widgets.outbox_list import STATE_SIGNS, OutboxList, number_of
from backlit.tui.wording import label_of, words_of
from backlit.tui.work import work

ROOM_FOR_HINTS = 80
HINTS = ("outbox.open", "outbox.edit", "outbox.retry", "outbox.discard", "app.back", "app.help")
FEW_HINTS = ("outbox.edit", "outbox.retry", "outbox.discard")
TEXT_LIMIT = 2_000
"""Characters of one value that are shown."""


class OutboxScreen(StoreScreen[None]):
    """The undelivered entries, oldest first, and beneath them what the one under the cursor would change."""

    LOSES_NOTHING = True
    AUTO_FOCUS = "OutboxList"
    CSS_PATH = "../styles/outbox.tcss"

    def compose(self) -> ComposeResult:
        """Title, entries and the present one's content between rules, status."""
        yield SidesLine(id="title")
        yield RuleLine("─")
        yield OutboxList(self._item_name, id="entries")
        yield RuleLine("─")
        with VerticalScroll(id="entry", can_focus=False):
            yield Static(id="entry-text")
        yield RuleLine("─")
        yield SidesLine(id="status")

    def on_mount(self) -> None:
        """Show what the journal holds."""
        self._list = self.query_one("#entries", OutboxList)
        self._show_entries()

    def store_changed(self, gathered: Gathered) -> None:
        """Show what was sent, refused or added."""
        if any(subject in gathered for subject in (Subject.OUTBOX, Subject.ITEMS, Subject.CONNECTION)):
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

    def _item_name(self, entry: OutboxEntry) -> str:
        item = self.store.item(entry.item_id)
        name = item.fields.get("Name") if item else entry.payload.get("name")
        return str(name or "") if item or name else "(no longer here)"

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

    def _current(self) -> OutboxEntry:
        entry = self._list.current
        if entry is None:
            raise CannotAct("Nothing waits here.")
        return entry

    @on(LineList.Chosen)
    def _entry_chosen(self, message: LineList.Chosen) -> None:
        message.stop()
        self.do_outbox_open(None)

    def do_outbox_open(self, _count: int | None) -> None:
        """Settle a conflict or a deletion that was not done; of anything else show all there is."""
        entry = self._current()
        is_conflict = entry.state is EntryState.CONFLICT and entry.kind is EntryKind.EDIT
        if is_conflict or fate_words(entry):
            settle_entry(self, entry)
            return
        from backlit.tui.dialogs.reading import ReadingDialog

        title = f"{entry.state.value.capitalize()}  {number_of(entry)} {self._item_name(entry)}"
        self.app.push_screen(ReadingDialog(title, list(lines_of(self.store, entry))))

    def do_outbox_edit(self, _count: int | None) -> None:
        """Settle a conflict, or change what was refused and send it again."""
        settle_entry(self, self._current())

    def do_outbox_item(self, _count: int | None) -> None:
        """Open the item that the entry is about."""
        from backlit.tui.screens.editor import EditorScreen

        entry = self._current()
        if self.store.item(entry.item_id) is None:
            raise CannotAct("The item is no longer here; d gives the change up.")
        self.app.push_screen(EditorScreen(self.store, entry.item_id))

    def do_outbox_copy(self, _count: int | None) -> None:
        """Copy what the entry holds."""
        text = content_of(self.store, self._current())
        self.app.copy_to_clipboard(text)
        self.say(f"Copied {' '.join(text.split())[:60]}")

    def do_outbox_retry(self, _count: int | None) -> None:
        """Send the entry again; over somebody else's change only after a question."""
        entry = self._current()
        if entry.state not in {EntryState.REFUSED, EntryState.CONFLICT}:
            raise CannotAct("It waits already, and is sent as soon as the service can be reached.")
        if entry.state is EntryState.REFUSED:
            self._retry_refused(entry)
            return
        fields = ", ".join(label_of(key) for key in entry.theirs)
        sentence = f"Somebody changed {fields or 'the item'} meanwhile. Your values would take the place of theirs."
        self._ask("Conflict", sentence, "send yours", entry, is_kept=True)

    def _retry_refused(self, entry: OutboxEntry) -> None:
        """Send it again, and with it all that was refused of the same act, if that is wanted."""
        alike = [each for each in self._entries if each.step == entry.step and each.state is EntryState.REFUSED]
        if len(alike) == 1:
            self._settle(entry, is_kept=True)
            return
        from backlit.tui.dialogs.confirm import Answer, ConfirmDialog

        def answered(key: str | None) -> None:
            for each in {"y": [entry], "a": alike}.get(key or "", []):
                self._settle(each, is_kept=True)

        answers = [Answer("y", "send this one again"), Answer("a", f"send all {len(alike):,} again")]
        sentence = f"{len(alike):,} of what was changed in one go were refused."
        self.app.push_screen(ConfirmDialog("Send again", sentence, answers, "leave them"), answered)

    def do_outbox_discard(self, _count: int | None) -> None:
        """Give the entry up, after a question."""
        entry = self._current()
        what = {EntryKind.ADD: "the new item and all that follows it", EntryKind.COMMENT: "the comment"}
        what |= {EntryKind.DELETE: "deleting the item", EntryKind.DELETE_COMMENT: "deleting the comment"}
        what |= dict.fromkeys(RECALLS, "looking for it")
        sentence = f"This gives up {what.get(entry.kind, 'the change')}; u brings it back."
        self._ask("Discard", sentence, "discard it", entry, is_kept=False)

    def _ask(self, title: str, sentence: str, label: str, entry: OutboxEntry, *, is_kept: bool) -> None:
        from backlit.tui.dialogs.confirm import Answer, ConfirmDialog

        def answered(key: str | None) -> None:
            if key == "y":
                self._settle(entry, is_kept=is_kept)

        self.app.push_screen(ConfirmDialog(title, sentence, [Answer("y", label)], "leave it as it is"), answered)

    def _settle(self, entry: OutboxEntry, *, is_kept: bool) -> None:
        self.run_worker(work(self._settled, entry.id, is_kept=is_kept), group="writes")

    async def _settled(self, entry_id: int, *, is_kept: bool) -> None:
        try:
            await (self.store.retry(entry_id) if is_kept else self.store.discard(entry_id))
        except BacklitError as error:
            self.say(str(error), is_bad=True)


def _at_rest(entry: OutboxEntry) -> OutboxEntry:
    """An entry as it is while nothing can be sent, also one that was under way when the line went."""
    return replace(entry, state=EntryState.WAITING) if entry.state is EntryState.SENDING else entry
