"""The outbox: unsent, rejected and conflicting changes, and the commands on them."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from msgspec.structs import replace
from textual import on
from textual.app import ComposeResult
from textual.containers import Container, VerticalScroll
from textual.content import Content
from textual.message import Message
from textual.widgets import Static

from backlit.model.amounts import counted, listed
from backlit.model.errors import StorageError
from backlit.store.edits.conflicts import UNRESOLVED
from backlit.store.object_changes.kinds import CREATIONS, DELETIONS, EDITS
from backlit.store.records.changes import ConnectionState, Subject
from backlit.store.records.entry import (
    ON_NODES,
    ON_OBJECTS,
    RECALLS,
    TRANSFORMS,
    EntryKind,
    EntryState,
    OutboxEntry,
)
from backlit.store.records.item import number_of
from backlit.tui.commands.command import CannotAct, CommandContext
from backlit.tui.commands.table import key_of
from backlit.tui.dialogs.dialog import AnswerKey, ConfirmDialog
from backlit.tui.dialogs.reading import ReadingDialog
from backlit.tui.drawing.text import safe
from backlit.tui.drawing.themes import KEY
from backlit.tui.fields.values import author_colour, label_of, words_of
from backlit.tui.items.entry_text import (
    MINE_COLOUR,
    cell,
    content_of,
    deletion_state,
    fields_of,
    lines_of,
    table_lines,
    version_cells,
    versions_beside,
)
from backlit.tui.items.item_head import ItemSidePane
from backlit.tui.items.preview import item_context, item_words
from backlit.tui.items.resolve import resolve_entry
from backlit.tui.outbox.outbox_list import (
    STATE_SIGNS,
    STATE_WORDS,
    OutboxList,
    group_of,
    item_name_of,
    number_or_noun,
)
from backlit.tui.shell.status_text import position_words, status_words
from backlit.tui.shell.store_screen import ChangeBatch, StoreScreen
from backlit.tui.shell.target import ItemDestination
from backlit.tui.widgets.footer_line import FooterLine
from backlit.tui.widgets.line_list import LineList
from backlit.tui.widgets.pane_frame import FRAMED_CLASS, PaneFrame
from backlit.tui.widgets.side_lines import HEADING, Part, RuleLine
from backlit.tui.widgets.text_view import fit_rows

HINTS = ("outbox.edit", "outbox.retry", "outbox.discard", "outbox.open", "app.back", "app.help")
HINTS_TO_RESOLVE = ("outbox.open", "outbox.discard", "outbox.item", "app.back", "app.help")
"""Hints on an entry that enter resolves; sending it again would only overwrite the change of another."""
HINTS_WHILE_WAITING = ("outbox.open", "outbox.discard", "outbox.copy", "app.back", "app.help")
HINTS_WITHOUT_ROWS = ("app.back", "app.help")
TEXT_LIMIT = 2_000
"""Characters of a value that are shown."""
_DISCARDED_WORDS = {
    EntryKind.ADD: "the new item and its later changes",
    EntryKind.DELETE: "the deletion of the item",
    **{kind: f"the {creation.noun}" for kind, creation in CREATIONS.items()},
    **{kind: f"the change of the {edit.noun}" for kind, edit in EDITS.items()},
    **{kind: f"the deletion of the {deletion.noun}" for kind, deletion in DELETIONS.items()},
    **dict.fromkeys(RECALLS, "the check for it"),
    EntryKind.CONVERT: "the conversion",
    **dict.fromkeys(TRANSFORMS - {EntryKind.CONVERT}, "the move"),
}
TALL = 24
"""Lines of a terminal that shows the item of a change too."""
ENDS = 4
"""Lines of the title, the footer and their rules."""
RULED, MAX_LINES, LEAST_ASIDE = 7, 12, 6
"""Lines of the title, the rules and the footer around the change and its item, to which frames add one, those of the
change that come before its item, and the fewest lines of the item."""
OWNER_WIDTH = 6
"""Cells of the words for whose a value is."""
WITH_CHANGES = " with your changes "


class EntryView(VerticalScroll):
    """What an entry changes; in a frame its bar stays its own."""

    frame: PaneFrame | None = None

    class Resized(Message):
        """The room for the change is another one."""

    def on_resize(self) -> None:
        self.post_message(self.Resized())

    def bar_lines(self) -> range:
        return range(0)

    def foot_words(self) -> Sequence[Part]:
        return ()


class OutboxScreen(StoreScreen[None]):
    """The unsent entries by what they need, oldest first; below them the current one, and below that its item."""

    COMMAND_GROUPS = ("outbox.screen",)
    AUTO_FOCUS = "OutboxList"
    PLACE = "app.outbox"
    CSS_PATH = "../styles/outbox.tcss"

    def compose(self) -> ComposeResult:
        self._item_rule, self._aside, self._list = RuleLine("─", id="item"), ItemSidePane(), OutboxList(self.store)
        self._entry = EntryView(Static(id="entry-text"), id="entry", can_focus=False)
        self._frame, self._entry_frame = PaneFrame(self._list, id="entries-pane"), PaneFrame(self._entry, id="change")
        self._item_frame = PaneFrame(self._aside, id="item-frame")
        yield self.title_line
        yield RuleLine("─", id="heading")
        yield self._frame
        yield RuleLine("─", id="below")
        with Container(id="panes"):
            yield from (self._entry_frame, self._item_rule, self._item_frame)
        yield RuleLine("─", id="foot")
        yield FooterLine(id="status")

    def on_mount(self) -> None:
        self._show_entries()

    def store_changed(self, changes: ChangeBatch) -> None:
        if any(subject in changes for subject in (Subject.OUTBOX, Subject.ITEMS, Subject.CONNECTION)):
            self._show_entries()
        else:
            self._draw_words()

    def _show_entries(self) -> None:
        is_online = self.store.connection.state is ConnectionState.ONLINE
        try:
            entries = [entry if is_online else _at_rest(entry) for entry in self.store.outbox_entries()]
            entries.sort(key=group_of)
            self._list.empty_text = "✓ Everything is sent"
        except StorageError as error:
            entries, self._list.empty_text = [], f"! {safe(error.message)}"
        self._list.show(entries)
        self._draw_words()
        self._share()

    def on_resize(self) -> None:
        self._draw_words()
        self._share()

    def _share(self) -> None:
        is_any = bool(self._list.row_count())
        self.set_class(is_any, "-with-rows")
        self._list.fit_lines(self.size.height // 2)
        fit_rows(self._list, self.size.height - ENDS if is_any else None)
        self._fit_entry()

    def _fit_entry(self) -> None:
        """Give the change the room below the list, or above its item only the lines of its text that fit."""
        self._entry.styles.max_height = self._lines_above if self.has_class("-with-item") else None

    @property
    def _lines_above(self) -> int:
        """The lines of the change that fit between the list and the least view of its item."""
        height = self.size.height
        return height - min(self._list.line_count, height // 2) - RULED - self._item_frame.is_wanted - LEAST_ASIDE

    # Words

    @on(LineList.Highlighted)
    def _cursor_moved(self, message: LineList.Highlighted) -> None:
        message.stop()
        self._draw_words()

    def _draw_words(self) -> None:
        counts = Counter(entry.state for entry in self._list.entries)
        right: list[Part] = [
            (f"  {STATE_SIGNS[state][0]} {counts[state]:,} {STATE_WORDS[state]}", STATE_SIGNS[state][1])
            for state in STATE_SIGNS
            if 0 < counts[state] < len(self._list.entries) and not self._list.row_lines  # whose heads say it
        ]
        unsent = counted(len(self._list.entries), "unsent change")
        heading: list[Part] = [(unsent, "heading")]
        place = self._list.cursor + 1, self._list.row_count()
        self.query_one("#heading", RuleLine).say(heading, right)
        self._frame.say(heading, right, (), position_words(*place))
        status = status_words(self.store, *(() if self.has_class(FRAMED_CLASS) else place))
        entry = self._list.current
        hints: Sequence[str] = HINTS_WHILE_WAITING
        labels: Mapping[str, str] = {}
        if entry is None:
            hints = HINTS_WITHOUT_ROWS
        elif _is_resolved_by_enter(entry):
            hints, labels = HINTS_TO_RESOLVE, {"outbox.open": "resolve"}
        elif entry.state in UNRESOLVED:
            hints = HINTS
        self.query_one("#status", FooterLine).show(hints, status, labels)
        way_out = ((key_of("outbox.open"), KEY), (" resolve", "muted")) if labels else ()
        self._entry_frame.say(_state_words(entry), way_out)
        self._draw_entry()
        self._aside.show_soon(self._show_item)

    @on(EntryView.Resized)
    def _draw_entry(self) -> None:
        entry = self._list.current
        self.query_one("#entry-text", Static).update(Content("") if entry is None else self._described(entry))

    def _show_item(self) -> None:
        entry = self._list.current
        lines = self._described(entry).plain.count("\n") + 1 if entry is not None else 0
        has_room = self.size.height >= TALL and min(lines, MAX_LINES) <= self._lines_above
        item = self.store.item(entry.item_id) if entry is not None and has_room else None
        self.set_class(item is not None, "-with-item")
        self._fit_entry()
        self._item_rule.display = item is not None and not self._item_frame.is_wanted
        if item is not None:
            self._item_rule.say([(number_of(item.id), HEADING), (WITH_CHANGES, "muted")])
            self._item_frame.say([*item_words(item.id, item.type), (WITH_CHANGES, "muted")])
            self._aside.show(item, item_context(self.store, item, can_act=False))

    def _described(self, entry: OutboxEntry) -> Content:
        is_conflict = entry.state is EntryState.CONFLICT
        lines = [Content.styled(safe(entry.reason), "$muted" if is_conflict else "$conflict")] if entry.reason else []
        if fate := deletion_state(entry):
            lines.append(Content(f"{fate} r deletes it anyway, d keeps it."))
        if entry.kind in ON_OBJECTS | ON_NODES | RECALLS | TRANSFORMS:
            return Content("\n").join([*lines, *lines_of(self.store, replace(entry, reason=""))])
        return Content("\n").join([*lines, *([Content("")] if lines else ()), *self._values(entry)])

    def _values(self, entry: OutboxEntry) -> Iterator[Content]:
        """Yield the fields of an entry: the value before, mine, and theirs where they differ, which has its column."""
        is_deletion = entry.kind is EntryKind.DELETE
        values = entry.theirs if is_deletion else fields_of(entry)
        label = min(max(len(label_of(key)) for key in ("Estimate", *values)), self.size.width // 4)
        widths = [label, OWNER_WIDTH, max(4, self._entry.size.width - label - OWNER_WIDTH - 9)]
        item = self.store.item(entry.item_id)
        theirs_colour = f"${author_colour(self.store, item.last_modified_by or '') if item else 'foreground'}"
        is_beside = entry.state is EntryState.CONFLICT and not is_deletion and self._item_frame.is_wanted
        side = max(1, (self._entry.size.width - label - 9) // 2)
        if is_beside:
            names = [cell("mine", f"bold {MINE_COLOUR}"), cell("theirs", f"bold {theirs_colour}")]
            yield from versions_beside("", (" ", ""), names, "", (label, side))
        for number, (key, value) in enumerate(values.items()):
            mine = "" if is_deletion else self._words(key, value)
            theirs = self._words(key, entry.theirs[key]) if key in entry.theirs else ""
            both = version_cells((mine, MINE_COLOUR), (theirs, theirs_colour))
            rows = [("mine", both[0])] * (not is_deletion) + [("theirs", both[1])] * (key in entry.theirs)
            before = self._words(key, entry.base.get(key))
            rows[:0] = [("was", cell(before, "$muted"))] * (is_deletion or entry.kind is EntryKind.EDIT)
            yield from [Content("")] * (number > 0 and self._item_frame.is_wanted)
            sign, name = ("≠", "$conflict") if key in entry.theirs else (" ", ""), label_of(key)
            if is_beside:
                yield from versions_beside(name, sign, both, f"was {before}", (label, side))
                continue
            for whose, text in rows:
                yield from table_lines([cell(name, "$foreground"), cell(whose, "$muted"), text], widths, sign)
                sign, name = (" ", ""), ""

    def _words(self, key: str, value: object) -> str:
        words = " ".join(words_of(self.store, key, value).split())
        return words if len(words) <= TEXT_LIMIT else words[:TEXT_LIMIT] + "…"

    # Commands

    @property
    def entries(self) -> Sequence[OutboxEntry]:
        return self._list.entries

    def current(self) -> OutboxEntry:
        """Return the entry under the cursor; raises CannotAct without one."""
        entry = self._list.current
        if entry is None:
            raise CannotAct("No changes in the outbox.")
        return entry

    @on(LineList.Chosen)
    def _entry_chosen(self, message: LineList.Chosen) -> None:
        message.stop()
        self.run_command("outbox.open")

    async def show_change(self, _call: CommandContext) -> None:
        """Resolve a conflict or a failed deletion; show the content of any other change."""
        entry = self.current()
        if _is_resolved_by_enter(entry):
            await resolve_entry(self, entry)
            return
        title = f"{STATE_WORDS[entry.state].capitalize()}  {number_or_noun(entry)} {item_name_of(self.store, entry)}"
        await self.ask(ReadingDialog(title, list(lines_of(self.store, entry))))

    async def resolve_change(self, _call: CommandContext) -> None:
        """Resolve a conflict, or correct a rejected change and send it again."""
        await resolve_entry(self, self.current())

    def open_item(self, _call: CommandContext) -> None:
        entry = self.current()
        if self.store.item(entry.item_id) is None:
            raise CannotAct("The item no longer exists. d discards the change.")
        self.open(entry.item_id, ItemDestination.EDITOR)

    def copy_change(self, _call: CommandContext) -> None:
        text = content_of(self.store, self.current())
        self.copy(text, f"Copied {' '.join(text.split())[:60]}")

    async def retry(self, _call: CommandContext) -> None:
        """Send the change again; asks before it overwrites another's."""
        entry = self.current()
        if entry.state is EntryState.REFUSED:
            for each in await self._refused_to_retry(entry):
                await self.store.conflicts.retry(each.id)
            return
        if entry.state is not EntryState.CONFLICT:
            raise CannotAct("Already queued. It will be sent when the server is reachable.")
        fields = listed([label_of(key) for key in entry.theirs])
        sentence = f"Someone else has changed {fields or 'the item'}. Sending again overwrites their values with yours."
        if await self._is_agreed("Conflict", sentence, "overwrite their values"):
            await self.store.conflicts.retry(entry.id)

    async def discard(self, _call: CommandContext) -> None:
        entry = self.current()
        sentence = f"Discard {_DISCARDED_WORDS.get(entry.kind, 'the change')}? You can undo ({key_of('app.undo')})."
        if await self._is_agreed("Discard", sentence, "discard"):
            await self.store.conflicts.discard(entry.id)

    async def _refused_to_retry(self, entry: OutboxEntry) -> Sequence[OutboxEntry]:
        """Return the rejected entries to send: asks where several were made together."""
        alike = [each for each in self.entries if each.step == entry.step and each.state is EntryState.REFUSED]
        if len(alike) == 1:
            return alike
        answers = [AnswerKey("y", "send this change again"), AnswerKey("a", f"send all {len(alike):,} changes again")]
        sentence = f"{len(alike):,} changes made together were rejected."
        key = await self.ask(ConfirmDialog("Send again", sentence, answers, "cancel"))
        return {"y": [entry], "a": alike}.get(key or "", [])

    async def _is_agreed(self, title: str, sentence: str, label: str) -> bool:
        return await self.ask(ConfirmDialog(title, sentence, [AnswerKey("y", label)], "cancel")) == "y"


def _at_rest(entry: OutboxEntry) -> OutboxEntry:
    """Return an entry as waiting if it was being sent when the connection was lost."""
    return replace(entry, state=EntryState.WAITING) if entry.state is EntryState.SENDING else entry


def _is_resolved_by_enter(entry: OutboxEntry) -> bool:
    return (entry.state is EntryState.CONFLICT and entry.kind is EntryKind.EDIT) or bool(deletion_state(entry))


def _state_words(entry: OutboxEntry | None) -> list[Part]:
    """Return the state of an entry with its sign."""
    if entry is None:
        return []
    return [
        (f"{STATE_SIGNS[entry.state][0]} ", STATE_SIGNS[entry.state][1]),
        (STATE_WORDS[entry.state].capitalize(), HEADING),
    ]
