"""The areas or the iterations of the project, with what lies in each, and the way to the backlog of one."""

from collections.abc import Callable, Mapping, Sequence
from functools import cache, partial

from msgspec.structs import replace
from rich.cells import cell_len
from rich.segment import Segment
from textual import on
from textual.app import ComposeResult
from textual.containers import Container, Vertical
from textual.strip import Strip
from textual.timer import Timer

from backlit.model.amounts import counted
from backlit.model.planning import PlannedLoad
from backlit.model.reports.report import number_text
from backlit.model.statuses import StatusGroup
from backlit.model.trees import Node, NodeTotals
from backlit.store.records.changes import ConnectionState, Subject
from backlit.store.records.item import ItemRow
from backlit.store.records.people import TreeKind
from backlit.store.store import Store
from backlit.store.undo.history import Reversal
from backlit.store.views.groups import NO_TASKS
from backlit.store.views.query import ViewSpec
from backlit.store.views.view import View
from backlit.tui.drawing.charts import progress_line
from backlit.tui.drawing.text import safe
from backlit.tui.drawing.themes import ThemeStyles
from backlit.tui.fields.dates import event_words
from backlit.tui.fields.names import ListNames
from backlit.tui.lists.filtering import NodeFilter
from backlit.tui.lists.list_frame import HINTS_WITHOUT_ROWS, NOT_LOADED, SIGNS
from backlit.tui.shell.status_text import explain_empty, is_unreached, position_words, status_words
from backlit.tui.shell.store_screen import ChangeBatch, StoreScreen
from backlit.tui.shell.workers import work
from backlit.tui.trees.points_shares import LEAST_LINES, PointsShares, read_area_shares, read_iteration_shares
from backlit.tui.trees.tree_columns import TreeContents
from backlit.tui.trees.tree_list import TreeList
from backlit.tui.widgets.footer_line import FooterLine
from backlit.tui.widgets.item_rows import ITERATION_COLUMN, NO_BADGE, UNREADY_SIGN, USUAL_COLUMNS
from backlit.tui.widgets.line_list import LineList
from backlit.tui.widgets.pane_frame import FRAME_LINES, PaneFrame, key_words
from backlit.tui.widgets.side_lines import Part, RuleLine, length
from backlit.tui.widgets.view_list import BacklogList

ITEMS_DELAY = 0.08
"""Seconds the cursor rests on a node before its items are shown."""
TOTALS_DELAY = 0.5
"""Seconds between readings of the totals and of the node's items while items change."""
WIDE = 120
"""Cells from which the items of the area are shown beside the tree, and points beside the items of the iteration."""
WIDER, WIDEST = 160, 190
"""Cells from which the items of an area have their iteration, which stands in the points below the tree too, and those
from which the tree of areas is wider."""
HIGH, AROUND = 20, 4
"""Lines from which the items of the iteration are shown below the tree, and the lines around both."""
FRAME = 5
"""Cells around the words of the heading and between them."""
DONE_BAR, DONE_SHARE = 20, 6
"""Cells at most of the bar of done points in the head of an iteration's items, and its part of the head."""
SIGNS_OF_ITEMS: Sequence[Part] = [("  ".join(SIGNS[1:]), "faint")]
"""The meaning of the signs of an area's items, which come without their tasks."""
EMPTY_LINES = 2
"""Lines that the words in place of open items take."""
AREA_COLUMNS = tuple(each for each in USUAL_COLUMNS if each is not ITERATION_COLUMN)
HINTS = ("tree.filter", "tree.add", "tree.series", "m", "tree.delete", "g", "app.help")


class NodeItems(BacklogList, can_focus=False):
    """The items of a node, to be looked at only: there is no cursor, and no name is bolder than the tree's.

    Below them stand those that are done.
    """

    HAS_BOLD_FEATURES = False
    _done: Sequence[ItemRow] = ()

    def show_done(self, rows: Sequence[ItemRow]) -> None:
        if rows != self._done:
            self._done = rows
            self.refresh()

    def render_blank(self, y: int) -> Strip:
        at = y + self.top - (self.row_count() or EMPTY_LINES)
        if not self._done or not 0 < at <= len(self._done) + 1:
            return super().render_blank(y)
        if at > 1:
            return self.columns.line((self._done[at - 2], (), False, False, NO_BADGE, ()))
        theme, words = ThemeStyles.of(self.app), f"  Done {len(self._done):,} "
        rule = Segment("─" * (self.size.width - cell_len(words) - 1), theme.style("rule"))
        return Strip([Segment(words, theme.heading()), rule]).adjust_cell_length(self.size.width, theme.style())

    def render_row(self, index: int, *, is_cursor: bool) -> Strip:  # noqa: ARG002 - as the base has it
        return super().render_row(index, is_cursor=False)


class TreeScreen(StoreScreen[None]):
    """A tree of areas or iterations; `node_filter` returns the node of the backlog's filter."""

    COMMAND_GROUPS = ("trees.node_commands", "plan.tree_events")
    AUTO_FOCUS = "TreeList"
    CSS_PATH = "../styles/tree.tcss"

    def __init__(
        self, store: Store, kind: TreeKind, node_filter: Callable[[], NodeFilter | None] = lambda: None
    ) -> None:
        super().__init__(store, f"app.{kind.value}")
        self.kind = kind
        self._node_filter = node_filter
        self._shown_filter: NodeFilter | None = None
        self._unready: Mapping[int, NodeTotals] = {}
        self._items_timer: Timer | None = None
        self._totals_timer: Timer | None = None
        self._is_whole = False
        """Whether all rows of the tree are in sight."""

    def compose(self) -> ComposeResult:
        yield self.title_line
        names = ListNames(self.store)
        self._tree = TreeList(self.kind, id="tree")
        self._items = NodeItems(replace(names.names, badges=partial(names.badges, is_judged=True)), id="node-items")
        self._shares, self._progress = (
            PointsShares(lambda: self._tree.columns, id="shares"),
            PointsShares(id="progress"),
        )
        self._tree_frame = PaneFrame(self._tree, id="tree-pane")
        self._shares_frame = PaneFrame(self._shares, id="shares-pane")
        self._branches = Vertical(self._tree_frame, self._shares_frame, id="branches")
        self._items_frame = PaneFrame(self._items, id="items-pane")
        self._progress_frame = PaneFrame(self._progress, id="progress-pane")
        self._node = Container(self._items_frame, self._progress_frame, id="node")
        self._below = RuleLine("─", id="about")
        yield RuleLine("┬", id="heading", is_of_first=True)
        with Container(id="tree-and-items", classes=self.kind.value):
            yield self._branches
            yield self._below
            yield self._node
        yield RuleLine("┴")
        yield FooterLine(id="status")

    def on_mount(self) -> None:
        self._show_tree()
        self._count_unready()
        self.call_after_refresh(self._tree.centre)

    def on_screen_resume(self) -> None:
        """Show through which node the backlog is seen now; the base catches up with the store."""
        if self._node_filter() != self._shown_filter:
            self._show_tree()

    def on_resize(self) -> None:
        self._share()
        self.call_after_refresh(self._join_rules)

    def store_changed(self, changes: ChangeBatch) -> None:
        """Draw what changed; totals and the items of the node are read again at a measured pace."""
        self._tree.follow(changes.renamed)
        if Subject.TREES in changes:
            self._show_tree()
        if (Subject.TREES in changes or Subject.ITEMS in changes) and self._totals_timer is None:
            self._totals_timer = self.set_timer(TOTALS_DELAY, self._read_again)
        if Subject.PEOPLE in changes:
            self._items.forget_drawn()
        if Subject.ITEMS in changes:
            self._items.rows_changed(changes.ids(Subject.ITEMS))
        if Subject.DRAFTS in changes:
            self._items.rows_changed(changes.ids(Subject.DRAFTS))
        if Subject.CONNECTION in changes:
            self._share()  # the tree is alone while nothing was ever loaded
        self._draw_words()

    # The tree

    @property
    def node(self) -> Node | None:
        return self._tree.node

    def go_to_node(self, node_id: int) -> None:
        """Put the cursor on a node, whichever id it goes on under."""
        wanted = self.store.nodes.real_id(node_id)
        self._tree.follow(dict.fromkeys([self._tree.node.id] if self._tree.node else [], wanted))
        self._show_tree()

    def show_changed(self, done: Reversal) -> None:
        """Put the cursor on a node that was undone or redone."""
        tree = self.store.lookups.tree(self.kind)
        entries = [each for each in done.nodes if each.payload.get("tree") == self.kind.value]
        made = {str(each.entry.payload.get("name")) for each in done.nodes_made}
        found = [self.store.nodes.real_id(each.node_id) for each in entries]
        found += [node.id for node in tree.walk() if node.id < 0 and node.name in made]
        shown = next((each for each in found if each in tree), None)
        if shown is not None:
            self.go_to_node(shown)

    def _read_again(self) -> None:
        self._totals_timer = None
        self._count_unready()
        self._show_tree()
        self._show_items()

    def _count_unready(self) -> None:
        self.run_worker(work(self._read_unready), exclusive=True, group="unready")

    async def _read_unready(self) -> None:
        unready = await self.store.ready_check.count_by(
            self.kind, [node.id for node in self.store.lookups.tree(self.kind).walk()]
        )
        if self.is_attached and unready != self._unready:
            self._unready = unready
            self._show_tree()

    def _show_tree(self) -> None:
        iterations = self.store.lookups.iterations() if self.kind is TreeKind.ITERATIONS else {}
        tree = self.store.lookups.tree(self.kind)
        signs = self.store.nodes.signs(self.kind)

        @cache
        def load_of(node_id: int) -> PlannedLoad:
            return sum(self.store.plan_preview.loads_now(tree.subtree_ids(node_id), {}).values(), PlannedLoad())

        totals = self.store.lookups.totals(self.kind)
        branches = TreeContents(tree, totals, self.store.today(), iterations, signs, self._unready, load_of)
        self._shown_filter = self._node_filter()
        self._tree.show(branches, self._shown_filter)
        self._draw_words()

    @on(LineList.Highlighted, "#tree")
    def _cursor_moved(self, message: LineList.Highlighted) -> None:
        message.stop()
        self._share()
        self._draw_words()
        if self._items_timer is not None:
            self._items_timer.stop()
        self._items_timer = self.set_timer(ITEMS_DELAY, self._show_items)

    @on(LineList.Chosen, "#tree")
    def _node_chosen(self, message: LineList.Chosen) -> None:
        message.stop()
        self._tree.filter_backlog()

    # The items of the node

    def _show_items(self) -> None:
        if self._items_frame.display and self._tree.node is not None:
            self.run_worker(work(self._load_items, self._tree.node.id), exclusive=True, group="node-items")

    async def _load_items(self, node_id: int) -> None:
        tree = self.store.lookups.tree(self.kind)
        if node_id not in tree:
            return
        ids = frozenset(tree.subtree_ids(node_id))
        is_area = self.kind is TreeKind.AREAS
        in_area = ViewSpec(area_ids=ids, filter=NO_TASKS.filter())
        view = self.store.view(in_area if is_area else ViewSpec(iteration_ids=ids))
        await view.load()
        if self.is_attached:
            self._items.empty_text = "No open items here."
            self._items.show(view)
        if is_area and self._shares_frame.display:
            self._shares.show(await read_area_shares(self.store, view))
        elif not is_area:
            with_done = self.store.view(ViewSpec(iteration_ids=ids, with_done=True, filter=NO_TASKS.filter()))
            if self._progress_frame.display:
                self._progress.show(await read_iteration_shares(self.store, with_done))
            done = () if tree.children(node_id) else await self._done_rows(with_done)
            if self.is_attached:
                self._items.show_done(done)

    async def _done_rows(self, with_done: View) -> Sequence[ItemRow]:
        await with_done.load()
        groups = self.store.lookups.status_groups()
        rows = with_done.rows(0, with_done.count or 0)
        return tuple(row for row in rows if groups.of(row.status) is StatusGroup.DONE)

    # Words

    def _draw_words(self) -> None:
        tree, shown = self._tree.folding.tree, self._tree.row_count()
        below = counted(len(tree) - len(tree.roots), self.kind.value[:-1])
        nodes: list[Part] = [(below, "heading")] if shown else [(self.kind.value.title(), "heading"), NOT_LOADED]
        unready = sum(each.count for each in self._unready.values())
        words = (" · ", "muted"), (f"{UNREADY_SIGN} ", "warn"), (f"{unready:,} not ready", "foreground")
        nodes += words if unready else ()
        about, is_shown = self._about_node(), self._items_frame.display
        titled = [(text, colour if at else "heading") for at, (text, colour) in enumerate(about)]
        self._below.say(titled)
        right, room = [] if self._below.display else about, self.size.width - FRAME
        lefts = (nodes[:end] for end in (len(nodes), 1) if length([*nodes[:end], *right]) <= room or not right)
        left = next(lefts, None)
        self.query_one("#heading", RuleLine).say(*(right,) if left is None else (left, right))
        roots = len(tree.roots)  # the row of the project is none of its nodes
        position = (self._tree.cursor + 1 - roots, shown - roots) if self._tree.cursor >= roots else ()
        foot = () if self._is_whole else position_words(*position)
        self._tree_frame.say(nodes, self._tree.legend if is_shown else about, (), foot)
        self._shares_frame.say([(f"Points of {safe(self._tree.node.name)}" if self._tree.node else "", "heading")])
        progress = self._done_words()
        done = [] if self._progress_frame.display else progress
        node, room = self._tree.node, self._items_frame.size.width - 2 * FRAME
        if done and node is not None and length([*titled, *done]) > room:
            brief = self._tree.about(node, is_brief=True)
            titled = [(safe(text), "foreground" if at else "heading") for at, text in enumerate(brief)]
        done = done if length([*titled, *done]) <= room else done[-1:]
        if self.kind is TreeKind.AREAS:
            leads_on = key_words("tree.filter", "show in the backlog")
            self._items_frame.say(titled, leads_on, SIGNS_OF_ITEMS, [("in the order of the backlog", "faint")])
        else:
            self._items_frame.say(titled, done, SIGNS_OF_ITEMS)
        self._progress_frame.say([("Progress", "heading"), *((f" ·{text}", colour) for text, colour in progress[-1:])])
        is_framed = self._tree_frame.is_wanted
        status = status_words(self.store, *(() if is_framed else position))
        has_key_in_edge = self.kind is TreeKind.AREAS and is_framed and is_shown
        left_out = "tree.filter" if has_key_in_edge else "", "tree.series" if self.kind is TreeKind.AREAS else ""
        hints = [each for each in (HINTS if shown else HINTS_WITHOUT_ROWS) if each not in left_out]
        self.query_one("#status", FooterLine).show(hints, status, is_reader=self.store.lookups.is_read_only)
        if self.store.connection.state is ConnectionState.ONLINE:
            self._tree.show_empty(None)
            self._tree.empty_text = f"This project has no {self.kind.value}."
        elif not self._tree.row_count():
            explain_empty(self._tree, self.store, ViewSpec())

    def _about_node(self) -> list[Part]:
        node, left = self._tree.node, self._items_frame.region.x - 1
        if node is None:
            return []
        is_shown = self._items_frame.display
        about = self._tree.about(node, is_brief=not is_shown)
        if is_shown and self._items_frame.is_wanted and sum(map(cell_len, about)) > self._items_frame.head_room:
            about[-1] = about[-1].rpartition(" · ")[0]
        words: list[Part] = [(safe(text), "foreground") for text in about]
        iteration = self.store.lookups.iterations().get(node.id) if self.kind is TreeKind.ITERATIONS else None
        events = event_words(iteration, self.store.local, self.store.local_today())
        words += [(f" · {event}", "muted") for event in events]
        is_ruled = is_shown and left > 0 and not self._items_frame.is_wanted
        rest = (self.size.width - left - 4 if is_ruled else 0) - length(words)
        return [*words, (f" {'─' * rest}", "rule")] if rest > 0 else words

    def _done_words(self) -> list[Part]:
        """Return the bar of an iteration's done points, and how many of all they are; nothing without points."""
        node = self._tree.node
        load = self._tree.load_of(node.id) if node is not None and self.kind is TreeKind.ITERATIONS else PlannedLoad()
        if not load.points:
            return []
        cells = min(DONE_BAR, self._items_frame.size.width // DONE_SHARE)
        words = f" {number_text(load.done)} of {counted(load.points, 'pt')} done"
        return [*progress_line(load.done / load.points, cells), (words, "muted")]

    def _share(self) -> None:
        parts = self._items_frame, self._shares_frame, self._progress_frame
        before = [each.display for each in parts]
        is_area, is_framed = self.kind is TreeKind.AREAS, self._tree_frame.is_wanted
        width, height = self.size
        is_shown = (width >= WIDE if is_area else height >= HIGH) and not is_unreached(self.store)
        is_beside = is_shown and is_area
        self._node.display = self._items_frame.display = is_shown
        self._progress_frame.display = is_shown and not is_area and is_framed and width >= WIDE
        self._below.display = is_shown and not is_beside and not is_framed
        self.set_class(is_beside, "-beside")
        self.set_class(is_beside and width >= WIDEST, "-widest")
        self._items.columns.use(AREA_COLUMNS if is_area and width < WIDER else USUAL_COLUMNS)
        edges = FRAME_LINES if is_framed else 0
        lines = self._tree.HEADER_LINES + self._tree.row_count()
        has_room = lines + LEAST_LINES + FRAME_LINES <= height - AROUND
        self._shares_frame.display = is_area and is_beside and is_framed and has_room
        self._tree_frame.styles.height = lines + edges if self._shares_frame.display else "1fr"
        self._is_whole = lines + edges <= height - AROUND
        if not is_area:
            around = AROUND + FRAME_LINES if is_framed else AROUND
            most = (height - around) * 7 // 10
            rows = min(lines + 1, most) + edges
            self._is_whole = lines <= most if is_shown else self._is_whole
            self._branches.styles.height = rows if is_shown and not is_beside else "1fr"
        if any(each.display and not was_shown for each, was_shown in zip(parts, before, strict=True)):
            self._show_items()

    def _join_rules(self) -> None:
        is_beside = self._items_frame.display and self.has_class("-beside")
        for rule in self.query(RuleLine):
            rule.join_at(self._items_frame.region.x - 1 if is_beside else None)
        self._draw_words()
