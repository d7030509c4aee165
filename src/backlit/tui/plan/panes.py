"""The panes of the plan, as many as fit, and the preview of the item in focus."""

from collections.abc import Sequence
from datetime import date

from textual import on
from textual.app import ComposeResult
from textual.containers import Container
from textual.events import DescendantFocus
from textual.message import Message

from backlit.store.records.item import Item
from backlit.store.store import Store
from backlit.tui.commands.command import CommandContext
from backlit.tui.lists.item_panes import ItemPanes
from backlit.tui.plan.other_sprints import OtherSprint, OtherSprints
from backlit.tui.plan.pane import HeadLine, PlanPane
from backlit.tui.widgets.item_list import ItemList
from backlit.tui.widgets.item_rows import DisplayNames
from backlit.tui.widgets.pane_frame import FRAME_LINES, PaneFrame
from backlit.tui.widgets.storage_errors import StorageErrorGuard

MIN_TWO_PANES_WIDTH, WIDE, MIN_THREE_PANES_WIDTH = 80, 116, 190
"""Columns of a terminal with two panes, of one where the backlog, which has most names, is the wider one, and of one
with the other sprints as a third pane."""
COLUMN_WIDTHS, MIN_COLUMN_HEIGHT = range(100, 160), 26
"""Columns of panes whose lists lie one below the other, with all capacities in a column beside both, as side by side
they would cut most names; and the lines of a terminal that leave both lists a page. Those of the panes change with what
is shown below them, which would rearrange them."""
MAX_OTHER_SHARE, MIN_TARGET_HEIGHT = 0.5, 22
"""Share of the height for the other sprints below the target at most, and the lines of the target above them that
leave room for blank ones between them."""


class PlanPanes(StorageErrorGuard, Container):
    """The backlog's pane, that of the target, and the other sprints; a narrow screen has only the one with the focus.

    The other sprints are below the target or beside it, where there is room for frames, or in a column below the load
    of the target; else a few lines of the target's pane stand for them.
    """

    COMMAND_GROUPS = ("plan.panes",)

    class Entered(Message):
        """Another pane has the focus."""

    class Loaded(Message):
        """The contents are loaded; `fault` is a sentence for the user after a failure."""

        def __init__(self, fault: str = "") -> None:
            super().__init__()
            self.fault = fault

    class Placed(Message):
        """The panes are placed; `line` is the column of the line between them, None without one."""

        def __init__(self, line: int | None) -> None:
            super().__init__()
            self.line = line

    def __init__(self, names: DisplayNames) -> None:
        super().__init__()
        self.backlog, self.target = PlanPane(names, id="backlog"), PlanPane(names, id="target")
        self.others = OtherSprints()
        self.frames = {pane: PaneFrame(pane, pane.items, id=f"{pane.id}-frame") for pane in self.every}
        self.others_frame = PaneFrame(self.others, id="others")
        self._others: Sequence[OtherSprint] = ()
        self._above: Sequence[HeadLine] = ()
        self.focused = self.backlog
        self.is_single = self._is_alone = False

    def compose(self) -> ComposeResult:
        yield from self.frames.values()
        yield self.others_frame

    @property
    def every(self) -> Sequence[PlanPane]:
        return self.backlog, self.target

    @property
    def has_frames(self) -> bool:
        return self.others_frame.is_wanted

    @property
    def has_column(self) -> bool:
        """True where the load of the target stands above the other sprints, in a column beside both lists."""
        is_tall = self.app.size.height >= MIN_COLUMN_HEIGHT
        return is_tall and self.has_frames and not self.is_single and self.size.width in COLUMN_WIDTHS

    def on_resize(self) -> None:
        self._place()

    def _place(self) -> None:
        self.is_single = self._is_alone or self.size.width < MIN_TWO_PANES_WIDTH
        for pane, frame in self.frames.items():
            frame.display = pane is self.focused if self.is_single else True
        self.set_class(self.is_single, "-single")
        self.set_class(self.size.width >= WIDE, "-wide")
        self._place_others()
        has_focus = self.screen.focused is None or self.screen.focused in [pane.items for pane in self.every]
        if has_focus and not self.focused.items.has_focus:
            self.focused.items.focus()

    def show_backlog_alone(self, *, is_wanted: bool) -> None:
        """Hide the target while there is nothing to plan, or show it again where it has room."""
        if is_wanted is not self._is_alone:
            self._is_alone = is_wanted
            self.enter(self.backlog)
            self._place()

    def show_others(self, sprints: Sequence[OtherSprint], today: date, above: Sequence[HeadLine] = ()) -> None:
        """Show the other sprints, in a column below some lines about the target."""
        self._others, self._above = sprints, above
        self._place_others()
        self.others.show(sprints, today, above)

    def _place_others(self) -> None:
        is_beside, has_column = self.size.width >= MIN_THREE_PANES_WIDTH, self.has_column
        lines, count = sum(each.line_count for each in self._others), len(self._others)
        lines += max(0, count - 1) * (self.size.height - lines - count >= MIN_TARGET_HEIGHT)
        height = min(lines + FRAME_LINES, int(self.size.height * MAX_OTHER_SHARE))
        has_room = has_column or is_beside or self.app.size.height >= PlanPane.TALL
        has_others = self.others_frame.display = bool(self._others or self._above) and self.has_frames and has_room
        self.set_class(has_column, "-column")
        self.set_class(has_others and is_beside, "-three")
        self.set_class(has_others and not (has_column or is_beside), "-below")
        self.styles.grid_rows = f"1fr {height}"

    @on(PlanPane.Resized)
    def _pane_resized(self) -> None:
        self.post_message(self.Placed(None if self.is_single else self.target.region.x))

    @property
    def row_place(self) -> tuple[int, int, str] | tuple[()]:
        """Return the number of the row under the cursor, that of all rows, and their noun; nothing on other lines."""
        items = self.focused.items
        if items.is_low_bandwidth or items.view is None or not items.view.count:
            return ()
        here = next(items.view.outline.window(items.cursor, items.cursor + 1), None)
        return (here.start + 1, items.view.count, "row") if isinstance(here, range) else ()

    def rule_above(self) -> tuple[int, int] | None:
        """Return the cells of the rule above the pane with the focus; None for a pane that is alone."""
        region = self.focused.region
        return None if self.is_single else (region.x, region.right)

    def step(self, call: CommandContext) -> None:
        """Give the focus to the other pane."""
        self.enter(self.after(int(call.command.argument)))

    def after(self, steps: int) -> PlanPane:
        panes = self.every
        return panes[(panes.index(self.focused) + steps) % len(panes)]

    def enter(self, pane: PlanPane) -> None:
        self.focused = pane
        if self.is_single:
            self._place()
        self.focused.items.focus()
        self.post_message(self.Entered())

    @on(DescendantFocus)
    def _pane_entered(self, event: DescendantFocus) -> None:
        pane = next((each for each in self.every if each.items is event.widget), None)
        if pane is not None and pane is not self.focused:
            self.focused = pane
            self.post_message(self.Entered())


class PlanBody(ItemPanes):
    """Panes and preview; the preview is hidden at first, and then below the panes."""

    def __init__(self, store: Store, panes: PlanPanes) -> None:
        super().__init__(store, panes.backlog.items, has_frames=False, previews_from=None)
        self._plan_panes = panes
        self._is_wanted_below = True
        self._panes_line: int | None = None

    def compose(self) -> ComposeResult:
        yield self._plan_panes
        yield self._preview_frame

    @property
    def items(self) -> ItemList:
        return self._plan_panes.focused.items

    @property
    def has_edges(self) -> bool:
        return True

    @on(PlanPanes.Placed)
    def _panes_placed(self, message: PlanPanes.Placed) -> None:
        self._panes_line = message.line
        self.report_edges()

    def report_edges(self) -> None:
        """Let the rules meet the first line between panes; a preview below has no line."""
        line = self._line if self._panes_line is None else self._panes_line
        is_covered = self._preview_frame.display and self.has_class("-below")
        self.post_message(self.Placed(line, None if is_covered else line))

    def shown_item(self, item_id: int) -> Item | None:
        """Return an item with its planned values."""
        item = super().shown_item(item_id)
        return self._store.plan_preview.item_laid_over(item) if item else None

    @on(PlanPanes.Entered)
    def _pane_entered(self) -> None:
        self.preview_soon()
        self.measure_selection()

    def set_low_bandwidth(self, is_low_bandwidth: bool) -> None:
        super().set_low_bandwidth(is_low_bandwidth)
        for pane in self._plan_panes.every:
            if pane.items is not self.items:
                pane.items.set_low_bandwidth(is_low_bandwidth)
