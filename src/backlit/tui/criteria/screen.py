"""The acceptance criteria of an item: the tab, and the commands that judge, write, order and delete them."""

from textual import on
from textual.strip import Strip

from backlit.model.resources import CriterionStatus
from backlit.store.records.changes import Subject
from backlit.store.store import Store
from backlit.store.views.objects import Criterion
from backlit.tui.commands.command import CommandContext
from backlit.tui.dialogs.line import LineDialog
from backlit.tui.dialogs.pick import PickDialog
from backlit.tui.drawing.text import fit, fit_right
from backlit.tui.fields.choices import Choice
from backlit.tui.fields.dates import age_of
from backlit.tui.items.field_commands import check_name
from backlit.tui.items.item_head import TAB_COMMANDS, ItemRowsScreen
from backlit.tui.shell.drafts import StoredLines
from backlit.tui.shell.store_screen import ChangeBatch
from backlit.tui.shell.target import ItemDestination
from backlit.tui.widgets.line_list import EntryList, LineList

SIGNS = {
    CriterionStatus.PASS: ("✓", "status-done"),
    CriterionStatus.FAIL: ("✗", "conflict"),
    CriterionStatus.NOT_EXECUTED: ("○", "muted"),
}
"""The sign of each state and its colour."""
NUMBER_WIDTH = 4
MAX_STATE_WIDTH = 30
MIN_WIDTH_WITH_STATE = 48
"""Cells from which a row says its state in words, and who changed it."""


class CriterionList(EntryList[Criterion]):
    """A list of criteria in their order, one to a row."""

    def __init__(self, store: Store) -> None:
        super().__init__(id="criteria")
        self._store = store

    def render_row(self, index: int, *, is_cursor: bool) -> Strip:
        entry, width = self.entries[index], self.size.width
        status = CriterionStatus(entry.status)
        (sign, colour), words = SIGNS[status], status.words
        if entry.pending:
            words = f"{words} · not sent yet"
        elif entry.changed_at is not None and entry.status != CriterionStatus.NOT_EXECUTED:
            words = f"{words} · {entry.changed_by}, {age_of(entry.changed_at, self._store.now())}"
        state = min(MAX_STATE_WIDTH, width // 3) if width >= MIN_WIDTH_WITH_STATE else 0
        room = max(4, width - 3 - NUMBER_WIDTH - 3 - state)
        cells = (
            f" {sign} ",
            fit_right(str(index + 1), NUMBER_WIDTH - 2),
            f"  {fit(entry.title, room)}  ",
            fit(words, state),
        )
        return self.draw_parts(
            list(zip(cells, (colour, "muted", "foreground", colour), strict=True)), is_cursor=is_cursor
        )


class CriteriaScreen(ItemRowsScreen):
    """The criteria of an item."""

    COMMAND_GROUPS = ("criteria.screen", *TAB_COMMANDS)
    AUTO_FOCUS = "CriterionList"
    CSS_PATH = "../styles/below.tcss"
    TAB = ItemDestination.CRITERIA
    SUBJECTS = (Subject.CRITERIA,)
    HINTS = (
        *("criteria.pass", "criteria.fail", "criteria.add", "criteria.edit", "criteria.down", "criteria.delete"),
        *("item.next-tab", "app.help"),
    )
    HINTS_WITHOUT_ROWS = ("criteria.add", *ItemRowsScreen.HINTS_WITHOUT_ROWS)
    EMPTY = ("No criteria.", "No criteria in the local copy.")

    def __init__(self, store: Store, item_id: int) -> None:
        self._criteria = CriterionList(store)
        super().__init__(store, item_id, self._criteria)
        self._added = 0
        """The criterion that was just added, or got its id from the service, which gets the cursor; 0 for none."""

    def store_changed(self, changes: ChangeBatch) -> None:
        current = self._criteria.current
        if current is not None and current.id in changes.renamed:
            self._added = changes.renamed[current.id]
        super().store_changed(changes)

    def show_rows(self) -> None:
        self._criteria.show(self.store.criteria.of_item(self.item_id))
        ids = [each.id for each in self._criteria.entries]
        if self._added in ids:
            self._criteria.move_to(ids.index(self._added))
            self._added = 0

    @on(LineList.Highlighted)
    def _row_highlighted(self) -> None:
        self.draw_status()

    @on(LineList.Chosen)
    def _row_chosen(self, message: LineList.Chosen) -> None:
        message.stop()
        self.run_command("criteria.edit")

    async def add(self, _call: CommandContext) -> None:
        """Ask for a criterion and add it below the current one."""
        self.store.lookups.need_writer()
        current, kept = self._criteria.current, StoredLines(self.store, f"criterion:{self.item_id}")
        title = await self.ask(LineDialog("New criterion", "", check_name, kept=kept))
        if title is not None:
            after = None if current is None else current.id
            self._added = await self.store.criterion_edits.add(self.item_id, title.strip(), after=after)
            self.show_rows()
            self.say("Criterion added. u to undo.")

    async def edit(self, _call: CommandContext) -> None:
        self.store.lookups.need_writer()
        criterion = self._criteria.chosen()
        kept = StoredLines(self.store, f"criterion {criterion.id}:{self.item_id}")
        title = await self.ask(LineDialog("Criterion", criterion.title, check_name, kept=kept))
        if title is not None and title.strip() != criterion.title:
            await self.store.criterion_edits.edit([criterion.id], {"title": title.strip()})

    async def turn_passed(self, _call: CommandContext) -> None:
        """Turn the criterion over: passed, or not executed."""
        is_passed = self._criteria.chosen().status == CriterionStatus.PASS
        await self._judge(CriterionStatus.NOT_EXECUTED if is_passed else CriterionStatus.PASS)

    async def fail(self, _call: CommandContext) -> None:
        await self._judge(CriterionStatus.FAIL)

    async def pick_status(self, _call: CommandContext) -> None:
        criterion = self._criteria.chosen()
        choices = [Choice(status, status.words, sign) for status, (sign, _) in SIGNS.items()]
        choice = await self.ask(PickDialog("Criterion", choices, criterion.status))
        if choice is not None:
            await self._judge(CriterionStatus(str(choice.value)))

    async def _judge(self, status: CriterionStatus) -> None:
        self.store.lookups.need_writer()
        await self.store.criterion_edits.edit([self._criteria.chosen().id], {"status": status.value})
        self.say(f"Criterion {status.words}. u to undo.")

    async def move(self, call: CommandContext) -> None:
        """Move the criterion by some places, down or up by the argument's sign."""
        self.store.lookups.need_writer()
        criterion, ids = self._criteria.chosen(), [each.id for each in self._criteria.entries]
        here = ids.index(criterion.id)
        there = min(max(here + int(call.command.argument) * (call.count or 1), 0), len(ids) - 1)
        if there == here:
            self.say(f"The criterion is already {'last' if int(call.command.argument) > 0 else 'first'}.")
            return
        ids.remove(criterion.id)
        await self.store.criterion_edits.place(criterion.id, ids[there - 1] if there else 0)
        self.say("Criterion moved. u to undo.")

    async def delete(self, _call: CommandContext) -> None:
        self.store.lookups.need_writer()
        await self.store.criterion_edits.delete([self._criteria.chosen().id])
        self.say("Criterion deleted. u to undo.")
