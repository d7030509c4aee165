"""The screen of the board, the backlog's items in columns, and the commands on columns, swimlanes and cards."""

from collections.abc import Mapping, Sequence

from msgspec.structs import replace
from textual import on

from backlit.model.errors import BadRequest
from backlit.model.fields import FEATURE_ID, ItemType
from backlit.model.settings.user_settings import PARENT, RELEASE, BoardSettings
from backlit.store.records.changes import Subject
from backlit.store.records.item import ItemRow
from backlit.store.store import Store
from backlit.store.views.query import ViewSpec
from backlit.store.views.view import View
from backlit.tui.board.board_list import BoardList
from backlit.tui.board.card_edits import card_preset, column_spec, limit_warning, move_between_columns
from backlit.tui.board.columns import BoardArrangement
from backlit.tui.commands.command import CannotAct, CommandContext
from backlit.tui.commands.table import key_of
from backlit.tui.dialogs.pick import PickDialog
from backlit.tui.drawing.text import safe
from backlit.tui.fields.choices import Choice
from backlit.tui.fields.names import ListNames
from backlit.tui.lists.filtering import SharedFilter, searched_words
from backlit.tui.lists.item_panes import ItemPanes
from backlit.tui.lists.list_commands import key_named
from backlit.tui.lists.list_frame import BLOCKED_MEANING, UNREADY_MEANING, list_heading
from backlit.tui.lists.list_screen import ColumnChoice
from backlit.tui.lists.one_list_screen import OneListScreen
from backlit.tui.shell.store_screen import ChangeBatch
from backlit.tui.shell.workers import work
from backlit.tui.widgets.item_rows import Badge
from backlit.tui.widgets.side_lines import APART, SEPARATOR, Part

MIN_WIDTH_WITH_PREVIEW = 200
"""Columns of a terminal in which the preview stands beside the board without being asked for."""


class BoardScreen(OneListScreen):
    """Shows the items of the backlog grouped into columns."""

    AUTO_FOCUS = "#items"
    PLACE = "app.board"
    CSS_PATH = ["../styles/backlog.tcss", "../styles/query_line.tcss", "../styles/board.tcss"]
    HEADING_LINE = " "  # the rules below the heads of the columns are enough
    SIGNS = (UNREADY_MEANING, BLOCKED_MEANING)
    NAMES_GROOM_KEY = False  # the heads of the last columns stand below it, with figures of their own
    COMMAND_GROUPS = (*(each for each in OneListScreen.COMMAND_GROUPS if each != "lists.tree_commands"), "board.screen")
    HINTS = (
        *("board.move-left", "board.move-right", "board.columns", "board.lanes", "list.filter", "item.open", "c", "g"),
        "app.help",
    )

    def __init__(self, store: Store, shared: SharedFilter, settings: BoardSettings) -> None:
        self._names = names = ListNames(store)

        def badges(rows: Sequence[ItemRow]) -> Mapping[int, Badge]:
            return names.badges(rows, is_judged=self.is_judged, counts_tasks=not self.arrangement.has_tasks)

        self.arrangement = BoardArrangement(store, settings, names)
        self.board = BoardList(replace(names.names, badges=badges), self.arrangement.columns_of, id="items")
        panes = ItemPanes(store, self.board, has_frames=False, previews_from=MIN_WIDTH_WITH_PREVIEW)
        super().__init__(store, shared, panes, ColumnChoice(store))
        self._project_id: int | None = None
        self._restore()

    # The view

    def show_spec(self, spec: ViewSpec) -> None:
        if self._project_id != self.store.project_id:
            self._restore()
            spec = replace(spec, with_done=self.spec.with_done)
        wanted = self.arrangement.arranged(spec)
        if wanted != self.spec:
            if wanted.query != self.spec.query:
                self.store.view(wanted)
            if wanted.group != self.spec.group:
                self.board.has_status = not self.arrangement.has_status
                self.board.has_owner = not self.arrangement.has_owner
                self.board.forget_drawn()
            self.spec = wanted
            self.show_view()
            self.panes.find_words(searched_words(wanted.query))

    def arranged(self, spec: ViewSpec) -> ViewSpec:
        return self.arrangement.cards_of(spec)

    def _restore(self) -> None:
        kept = self.arrangement.restore()
        self._project_id = self.store.project_id
        self.board.position.collapsed = dict(kept.collapsed)
        self.shows_done = self.arrangement.has_status
        self.spec = replace(self.spec, with_done=self.shows_done)

    @on(BoardList.Collapsed)
    def _save(self) -> None:
        self.update_labels()
        self.app.run_worker(work(self.arrangement.save, dict(self.board.position.collapsed)), group="board")

    def store_changed(self, changes: ChangeBatch) -> None:
        """Show changes of the store; people may be columns."""
        self.follow_store(changes)
        if Subject.PEOPLE in changes:
            self.show_spec(self.spec)
            self.reload(is_wanted=False)
        self.update_labels()

    def ranked_view(self) -> View:
        """Return the cards of the column, in the lane; raises CannotAct without a column."""
        column = self.board.position.shown_column
        if column is None:
            raise CannotAct("The board has no columns.")
        if column.first in self.spec.latest:
            raise CannotAct(
                "Done cards are in the order of their last change."
                f" Press {key_of('app.backlog')} to rank them in the backlog."
            )
        lane = self.board.position.lane_value(self.board.cursor)
        item = self.store.item(self.board.current_id or 0)
        around = item.fields.get("IterationID") if item is not None else None
        return self.store.view(column_spec(self.store, self.arrangement.by, self.spec, column, lane, around=around))

    @on(ItemPanes.Rested)
    @on(ItemPanes.Measured)
    def update_labels(self) -> None:
        parts = list_heading(self._names, self.shared.now.view, self.node, replace(self.spec, group=()))
        place = self.board.position.card_place(self.board.cursor)
        self.draw_labels(parts, self.current_view.totals, place, self._arranged())

    # Items

    def item_added(self, item_id: int) -> None:
        item = self.store.item(item_id)
        if item is not None and self.arrangement.hides(item.type, self.spec.query):
            noun, done = ("Task", "tasks") if item.type == ItemType.TASK else (item.type, item.type.lower())
            verb = "added" if item_id < 0 else "changed"
            self.say(f"{noun} {verb}. The board hides {done}; press {key_of('filter.type')} to show them.")
        else:
            self.want_item(item_id, is_added=True)
        self.reload()

    def say_hidden(self, item_id: int) -> None:
        self.say(f"#{item_id} is not on the board: filtered out or of a hidden type.")

    def expected_type(self) -> ItemType | None:
        """Return the type of the group; Task on a board of tasks."""
        has_lane = self.board.position.lane_value(self.board.cursor) is not None
        return ItemType.TASK if self.arrangement.has_tasks and has_lane else super().expected_type()

    def preset(self, item_type: ItemType) -> Mapping[str, object]:
        lane = self.board.position.lane_value(self.board.cursor)
        found = dict(super().preset(item_type))
        if item_type is ItemType.TASK and not self.arrangement.has_tasks:
            return found
        if self.arrangement.has_features and lane is not None and lane[1] is not None:
            found[PARENT] = lane[1]
        if self.arrangement.has_tasks and lane is not None:
            parent = self.store.item(int(str(lane[1])))
            found.update({key: parent.fields.get(key) for key in ("AreaID", "IterationID")} if parent else {})
            found[PARENT] = lane[1]
        own, reasons = card_preset(self.store, self.arrangement.by, item_type, self.board.position.shown_column, lane)
        for reason in reasons:
            self.say(reason)
        return {**found, **own}

    async def choose_columns(self, _call: CommandContext) -> None:
        arrangement = self.arrangement
        choice = await self.ask(PickDialog("Columns by", arrangement.column_choices(), arrangement.by))
        if choice is not None and choice.value != arrangement.by:
            arrangement.by = str(choice.value)
            arrangement.lanes = "" if arrangement.lanes == arrangement.field.key else arrangement.lanes
            self.board.position.collapsed = {}
            self.show_spec(replace(self.spec, with_done=arrangement.has_status))
            await arrangement.save({})

    async def choose_lanes(self, call: CommandContext) -> None:
        """Set swimlanes by the typed field, else pick one. Raises BadRequest for a field without swimlanes."""
        arrangement = self.arrangement
        offered = arrangement.lane_choices()
        if call.text:
            own = {"none": "", "feature": FEATURE_ID}
            key = own[call.text] if call.text in own else key_named(self.store, call.text)
            if key and key not in {each.value for each in offered}:
                label = ListNames(self.store).label(key)
                raise BadRequest(f"Cannot make swimlanes by {label}. Press {key_of('board.lanes')} to choose.")
        else:
            choice = await self.ask(
                PickDialog("Swimlanes by", [Choice("", "no swimlanes"), *offered], arrangement.lanes)
            )
            if choice is None:
                return
            key = str(choice.value)
        arrangement.lanes = key
        self.show_spec(self.spec)
        await arrangement.save(dict(self.board.position.collapsed))

    async def move_cards(self, call: CommandContext) -> None:
        steps = int(call.command.argument) * (call.count or 1)
        items, grid, arrangement = self.chosen(), self.board.position.grid, self.arrangement
        act = move_between_columns(self.store, arrangement.by, grid, steps)
        words = limit_warning(grid, arrangement.field, act.bulk_change(items, self.store.lookups))
        await self.apply(act, items)
        if words:
            self.say(words, is_bad=True)

    def go_to_column(self, call: CommandContext) -> None:
        position = self.board.position
        wanted = position.column + int(call.command.argument) * (call.count or 1)
        self.board.go_to_column(max(0, min(len(position.grid.columns) - 1, wanted)))

    def toggle_all_done(self, _call: CommandContext) -> None:
        """Show all cards of the columns of done items, or the last changed ones and those beside open ones."""
        if not (self.spec.latest or self.board.position.grid.has_lanes):
            raise CannotAct("No column is limited to its last changed cards.")
        position = self.board.position
        position.has_all_done = not position.has_all_done
        self.board.regrid()
        done = [number for number, column in enumerate(position.grid.columns) if column.is_done]
        if not any(self.board.laid_out.slot(number) for number in done):
            totals = [position.grid.totals[number] for number in done]
            self.say(
                f"Done shows {sum(each.shown for each in totals):,} of {sum(each.count for each in totals):,} cards."
            )

    def collapse_column(self, _call: CommandContext) -> None:
        self.board.regrid(self.board.position.toggle_collapsed(self.board.current_id))
        self.board.post_message(self.board.Collapsed())

    def _arranged(self) -> list[Part]:
        arrangement, label = self.arrangement, self._names.label
        columns = RELEASE if arrangement.by == RELEASE else label(arrangement.by)
        words = [f"{APART}by {columns}"]
        if arrangement.lanes:
            words.append(f"{SEPARATOR}lanes by {label(arrangement.lanes)}")
        if self.spec.leading and arrangement.sprint is not None:
            words.append(f"{SEPARATOR}{safe(arrangement.sprint.name)} first")
        return [(each, "faint") for each in words]
