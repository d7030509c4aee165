"""The board: the backlog's items in columns, with the same filter, marks and verbs."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from textual import on

from backlit.model.boards import PARENT, RELEASE, STATUS, BoardSettings
from backlit.model.errors import BadRequest
from backlit.model.fields import FIELD_BY_KEY, ItemType
from backlit.model.filters import Comparison, Filter, In, Literal, Not, Operator, Property, all_of
from backlit.model.query import mentions_status, parse_query
from backlit.model.query.parts import values_of
from backlit.model.trees import Totals
from backlit.store.boards_kept import BoardKept
from backlit.store.changes import Subject
from backlit.store.store import Store
from backlit.store.views import View
from backlit.store.views_query import ViewSpec
from backlit.store.views_saved import SavedView
from backlit.tui.acting import CannotAct
from backlit.tui.acts import plan_of
from backlit.tui.board_choices import column_fields, column_label, lane_choices
from backlit.tui.board_columns import DELETED, BoardColumn, BoardColumns, field_of, has_field
from backlit.tui.board_verbs import column_spec, moved_by, over_words, preset_in
from backlit.tui.dialogs.choice_list import Choice
from backlit.tui.gathered import Gathered
from backlit.tui.list_names import ListNames
from backlit.tui.screens.backlog import BacklogScreen
from backlit.tui.screens.backlog_words import left_title
from backlit.tui.shared_filter import SharedFilter
from backlit.tui.widgets.board_list import BoardList
from backlit.tui.widgets.lines import Part
from backlit.tui.work import work


class BoardScreen(SharedFilter, BacklogScreen):
    """Shows the same items as the list, grouped into columns; what it is filtered by, the list is filtered by too."""

    HINTS = ("board.move-left", "board.move-right", "board.columns", "board.lanes", "list.filter", "app.help")
    FEW_HINTS = ("board.move-left", "board.move-right", "app.help")

    def __init__(self, store: Store, settings: BoardSettings) -> None:
        names = ListNames(store)
        self._usual = BoardKept(settings.columns, settings.lanes)
        self._by, self._lanes = settings.columns, settings.lanes
        self._left_in: int | None = None
        self._makes = BoardColumns(store, settings, names)
        self._planned: Sequence[BoardColumn] = ()
        self.board = BoardList(names.names, self._columns_of, id="items")
        super().__init__(store, self.board)
        self._take_up()
        self._panes.hide_preview()

    # The view

    def show_spec(self, spec: ViewSpec) -> None:
        """Show the board otherwise, if it is."""
        super().show_spec(self._arranged(spec))

    def _take_up(self) -> None:
        """Have the board as it was left in the project."""
        kept = self.store.boards.found(self._usual)
        self._left_in, self._by, self._lanes = self.store.project_id, kept.columns, kept.lanes
        self.board.collapsed = dict(kept.collapsed)
        self.spec = replace(self.spec, with_done=self._by == STATUS)

    @on(BoardList.Collapsed)
    def _keep(self) -> None:
        board = BoardKept(self._by, self._lanes, dict(self.board.collapsed))
        self.app.run_worker(work(self.store.boards.keep, self._usual, board), group="board")

    def show_view(self) -> None:
        """Show the columns as they are now, and tell by what they are filtered."""
        if self._left_in != self.store.project_id:
            self._take_up()
        self.spec = self._arranged(self.spec)
        self.board.has_status = self._by != STATUS
        super().show_view()
        self.tell_filtering()

    def store_changed(self, gathered: Gathered) -> None:
        """Draw what changed; the people may be columns."""
        super().store_changed(gathered)
        if Subject.PEOPLE in gathered:
            self.show_spec(self.spec)
            self._reload()

    def _arranged(self, spec: ViewSpec) -> ViewSpec:
        """The spec with the columns, the lanes, and without what is no card."""
        self._by = self._by if has_field(self.store, self._by) else STATUS
        self._lanes = self._lanes if has_field(self.store, self._lanes) or self._lanes == "type" else ""
        asks_status = mentions_status(parse_query(spec.query))
        self._planned = self._makes.planned(self._by, with_done=spec.with_done or asks_status)
        alike = tuple(each.values for each in self._planned if len(each.values) > 1)
        hidden: list[Filter] = []
        if not values_of(spec.query, "type"):
            kind = Operator.EQ if self._lanes == PARENT else Operator.NE
            hidden.append(Comparison(kind, Property("type"), Literal(ItemType.TASK.value)))
        if not asks_status:
            deleted = [each for each in self.store.names.values(FIELD_BY_KEY[STATUS]) if each.casefold() == DELETED]
            hidden.append(Not(In(Property(STATUS), tuple(map(Literal, deleted)))))
        lanes = (self._lanes,) if self._lanes else ()
        key = field_of(self.store, self._by).key
        return replace(spec, group=(*lanes, key), alike=alike, filter=all_of(hidden))

    def _columns_of(self, view: View) -> Sequence[BoardColumn]:
        depth = len(view.spec.group)
        found = dict.fromkeys(header.group[-1] for header in view.outline.headers if header.level == depth)
        return self._makes.with_found(self._by, self._planned, found)

    def _lane(self) -> tuple[str, object] | None:
        """The field and the value of the lane under the cursor."""
        lane = self.board.lane()
        return (self.spec.group[0], lane.header.group[0]) if lane and lane.header else None

    def title_words(self) -> list[Part]:
        """That it is the board, and what its columns and lanes are."""
        parts = left_title(self._names, self.tab, self.node, replace(self.spec, group=()))
        if len(parts) < 2:
            return parts
        lanes = f", lanes by {self._names.label(self._lanes)}" if self._lanes else ""
        by = RELEASE if self._by == RELEASE else self._names.label(self._by)
        return [*parts[:2], (" › Board", "foreground"), *parts[2:], (f"  by {by}{lanes}", "muted")]

    def shown_totals(self) -> Totals | None:
        """How many cards there are; tasks count where they are the cards."""
        totals = super().shown_totals()
        return totals if totals is None or self._lanes != PARENT else Totals(self.shown_view.count or 0, totals.points)

    # Commands

    def do_board_columns(self, _count: int | None) -> None:
        """Pick what the columns stand for."""

        def taken(key: object) -> None:
            if key != self._by:
                self._by = str(key)
                self._lanes = "" if self._lanes == field_of(self.store, self._by).key else self._lanes
                self.board.collapsed = {}
                self.show_spec(replace(self.spec, with_done=self._by == STATUS))
                self._keep()

        choices = [Choice(key, column_label(self.store, key)) for key in column_fields(self.store)]
        self.pick("Columns by", choices, self._by, taken)

    def do_board_lanes(self, _count: int | None) -> None:
        """Pick what the swimlanes stand for."""

        def taken(key: object) -> None:
            self._have_lanes(str(key))

        self.pick("Swimlanes by", [Choice("", "no swimlanes"), *lane_choices(self.store, self._by)], self._lanes, taken)

    def do_list_group(self, count: int | None) -> None:
        """The groups of a board are its lanes."""
        self.do_board_lanes(count)

    def told_list_group(self, keys: str) -> None:
        """Have swimlanes by a field. Raises BadRequest where there can be none by it."""
        key = "" if keys == "none" else self.key_named(keys)
        if key and key not in {each.value for each in lane_choices(self.store, self._by)}:
            raise BadRequest(f"There are no swimlanes by {self._names.label(key)}; tg lists those there can be.")
        self._have_lanes(key)

    def _have_lanes(self, key: str) -> None:
        self._lanes = key
        self.show_spec(self.spec)
        self._keep()

    def spec_of(self, view: SavedView) -> ViewSpec:
        """With what is done where it has a column."""
        return replace(view.spec, with_done=view.spec.with_done or self._by == STATUS)

    def do_board_move_left(self, count: int | None) -> None:
        """Move the cards to the left."""
        self._move_cards(-(count or 1))

    def do_board_move_right(self, count: int | None) -> None:
        """Move the cards to the right."""
        self._move_cards(count or 1)

    def _move_cards(self, steps: int) -> None:
        items, grid = self.chosen(), self.board.grid
        act = moved_by(self.store, self._by, grid, steps)
        words = over_words(grid, field_of(self.store, self._by), plan_of(act, items, self.store))
        self.carry_out(act, items)
        if words:
            self.say(words, is_bad=True)

    def ranked_view(self) -> View:
        """The cards of the column, in the lane."""
        column = self.board.shown_column
        if column is None:
            raise CannotAct("There is no column here.")
        return self.store.view(column_spec(self.store, self._by, self.spec, column, self._lane()))

    def item_added(self, item_id: int) -> None:
        """Go to the new card once the board has it; say where a task is."""
        item = self.store.item(item_id)
        is_hidden = self._lanes != PARENT and not values_of(self.spec.query, "type")
        if item is not None and item.type == ItemType.TASK and is_hidden:
            self.say("The task is added; the board shows tasks where the filter asks for them (ft).")
        super().item_added(item_id)

    def do_item_add(self, count: int | None) -> None:
        """Add an item; where the cards are tasks, a task under the item of the lane."""
        lane = self._lane()
        if self._lanes != PARENT or lane is None:
            super().do_item_add(count)
            return
        parent = self.store.item(int(str(lane[1])))
        places = {key: parent.fields.get(key) for key in ("AreaID", "IterationID")} if parent else {}
        self._ask_name(ItemType.TASK, {**places, PARENT: lane[1]})

    def _ask_name(self, item_type: ItemType, preset: Mapping[str, object], tasks: Sequence[str] = ()) -> None:
        """What is added in a column and lane belongs there."""
        own: Mapping[str, object] = {}
        if item_type is not ItemType.TASK or self._lanes == PARENT:
            own, reasons = preset_in(self.store, self._by, item_type, self.board.shown_column, self._lane())
            for reason in reasons:
                self.say(reason)
        super()._ask_name(item_type, {**preset, **own}, tasks)
