"""The lines around a list: title, tabs and heading above, filter line and footer below."""

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Protocol

from msgspec.structs import replace
from textual import on
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.widget import Widget

from backlit.model.errors import BadRequest
from backlit.model.query import Candidate, accepted_conditions, complete
from backlit.model.statuses import StatusGroup
from backlit.store.store import Store
from backlit.store.views.query import ViewSpec
from backlit.store.views.saved import SavedView
from backlit.tui.commands.table import key_of
from backlit.tui.drawing.themes import STATUS_SIGNS
from backlit.tui.fields.names import ListNames
from backlit.tui.lists.filtering import (
    FilterState,
    FilterTarget,
    NodeFilter,
    both_queries,
    filter_list,
    filter_words,
    narrowed_filter,
)
from backlit.tui.lists.item_panes import ItemPanes
from backlit.tui.lists.saved_views import DEFAULT_VIEW
from backlit.tui.shell.input_queue import AnswerRefused
from backlit.tui.shell.status_text import TitleLine, project_name
from backlit.tui.widgets.footer_line import FooterLine, Hint
from backlit.tui.widgets.inputs import FILTER, QueryLine
from backlit.tui.widgets.item_list import ItemList, RowIdentity
from backlit.tui.widgets.item_rows import BLOCKED_SIGN, FOLDED_SIGN, UNREADY_SIGN
from backlit.tui.widgets.pane_frame import FRAMED_CLASS
from backlit.tui.widgets.side_lines import Part, RuleLine, TabLine, Word
from backlit.tui.widgets.view_list import BacklogList

BLOCKED_MEANING, UNREADY_MEANING = f"{BLOCKED_SIGN} blocked", f"{UNREADY_SIGN} not ready"
STARTED_MEANING = f"{STATUS_SIGNS[StatusGroup.IN_PROGRESS]} started"
SIGNS = (f"{FOLDED_SIGN} tasks", BLOCKED_MEANING, STARTED_MEANING, UNREADY_MEANING)
"""The meaning of the signs of rows, for the edge below them; the last ones leave first, the heading counts these."""
HINTS_ON_SELECTION: Sequence[Hint | str] = (
    *("item.status", ("esc", "unselect", "list.unwind"), "c", "m", "item.open", "item.estimate"),
    "app.help",
)
LIST_HINTS_ON_SELECTION = frozenset({"board.move-left", "board.move-right", "plan.send", "plan.back"})
"""The hints of lists that stay with a selection, before its own."""
HINTS_ON_FILTER_LINE = (("enter", "apply", ""), ("↑", "earlier", ""), ("esc", "cancel", ""))
HINTS_WITHOUT_ROWS, HINTS_WITHOUT_MATCHES = ("g", "app.help"), ("item.add", "app.go-to", "g", "app.help")
"""The hints of an empty list, and of one whose filter hides all items of the project."""
HINTS_ON_GROUP = ("list.toggle", "list.fold-all", "list.unfold-all", "list.next-group", "list.filter", "g", "app.help")
"""The hints on the head of a group, where commands on an item do nothing."""
PREVIEW_HINT = "preview.toggle"
"""The hint that is shown without the preview."""
FILTER_PLACEHOLDER = "part of a name, #id, or a query:  status:open @me text:word"

GREETING_HIDDEN_KEY = "greeting hidden"
"""The key of the value that keeps the line for a new user hidden."""
GREETING_HINTS = (
    ("New here?", "", ""),
    "app.groom",
    "app.plan",
    "app.board",
    "app.palette",
    "app.help",
)
"""The line for a new user."""
GREETING_HINTS_WITHOUT_ITEMS = (
    GREETING_HINTS[0],
    "item.add",
    "app.iterations",
    *GREETING_HINTS[-2:],
)
GREETING_HINTS_UNLOADED = (GREETING_HINTS[0], *GREETING_HINTS[-2:])
GREETING_LABELS: Mapping[str, str] = {
    "app.palette": "find a command",
    "item.add": "add an item",
    "app.iterations": "add sprints",
}


NOT_LOADED: Part = (" · not loaded", "muted")
"""What the heading of a list or a tree says of a project that was never read."""


class ListFrame(Vertical):
    """The panes of a list between its lines."""

    def __init__(
        self,
        store: Store,
        title: TitleLine,
        panes: ItemPanes,
        line: Widget,
        hints: Sequence[str],
        *,
        heading_line: str = "─",
        signs: Sequence[str] = SIGNS,
    ) -> None:
        super().__init__()
        self._store = store
        self._signs: Sequence[Part] = [(f"{'  ' * bool(at)}{each}", "faint") for at, each in enumerate(signs)]
        self.set_class(panes.has_edges, "-panes")
        self._title, self._panes, self._line, self._hints = title, panes, line, hints
        self._footer, self._tabs = FooterLine(id="status"), TabLine(id="tabs")
        self._greeting = FooterLine(id="greeting")
        self._above, self._below = RuleLine("┬", id="heading", is_of_first=True, line=heading_line), RuleLine("┴")
        self._status: Sequence[Word] = ()
        self._labels: Mapping[str, str] = {}
        self.greets = False
        """Whether the line for a new user is shown from the start."""
        self.has_more_columns = False

    def compose(self) -> ComposeResult:
        yield self._title
        yield self._tabs
        if self.greets:
            self._greet()
            yield self._greeting
        yield self._above
        yield self._panes
        yield self._below
        yield self._line
        yield self._footer

    def _greet(self) -> None:
        """Offer a new user what does something: without items, there is nothing to groom or to look at."""
        without_items = GREETING_HINTS_UNLOADED if self._store.project_id is None else GREETING_HINTS_WITHOUT_ITEMS
        hints = GREETING_HINTS if self._store.has_items() else without_items
        dismissal = [(f"{key_of('list.unwind')} hide", "muted", "list.unwind")]
        self._greeting.show(hints, dismissal, GREETING_LABELS, is_reader=self._store.lookups.is_read_only)

    def say(
        self,
        heading: Sequence[Word],
        figures: Sequence[Word],
        status: Sequence[Word],
        labels: Mapping[str, str] = MappingProxyType({}),
        position: Sequence[Word] = (),
    ) -> None:
        """Show both sides of the heading, the right of the footer, and labels of hints by their commands.

        The position among the rows stands at the right below them.
        """
        self._labels = labels
        signs = self._signs if position else ()
        self._above.say(heading, figures)
        self._below.say(signs, position)
        if self._panes.frame is not None:
            self._panes.frame.say(heading, figures, signs, position)
        self._status = status
        if self.greets:
            self._greet()
        self._show_hints()

    def highlight(self, cells: tuple[int, int] | None, titles: Sequence[tuple[int, Sequence[Word]]]) -> None:
        """Draw the rule above the pane with the focus brighter, and titles of panes at their cells."""
        self._above.highlight(cells, titles)

    @on(QueryLine.Turned)
    def _show_hints(self) -> None:
        items = self._panes.items
        shows_near = isinstance(items, BacklogList) and items.shows_near
        known = {PREVIEW_HINT: self._panes.has_preview, "list.filter": shows_near}  # the reason names the filter
        shown = [each for each in self._hints if not known.get(str(each))]
        if self.has_more_columns:
            shown.insert(1, "list.columns-right")  # before hints that always hold, which leave where it is narrow
        is_on_group = items.current_id is None and (shows_near or bool(items.group_here()))
        without_rows = HINTS_WITHOUT_MATCHES if self._store.has_items() else HINTS_WITHOUT_ROWS
        usual = without_rows if items.has_no_items else HINTS_ON_GROUP if is_on_group else shown
        selected = (*(each for each in shown if each in LIST_HINTS_ON_SELECTION), *HINTS_ON_SELECTION)
        count = len(items.selection.ids())
        hints = HINTS_ON_FILTER_LINE if self._line.display else selected if count else usual
        labels = {**self._labels, "list.toggle": "fold"} if is_on_group else self._labels
        if count:
            labels = {**labels, "item.status": f"status of {count:,}"}
        self._footer.show(hints, self._status, labels, is_reader=self._store.lookups.is_read_only)

    def hide_greeting(self) -> bool:
        greeting = self.query("#greeting")
        is_shown = bool(greeting)
        greeting.remove()
        return is_shown

    def show_tabs(self, names: Sequence[str], current: int) -> None:
        self._tabs.show([f"{number} {name}" for number, name in enumerate(names, 1)], current)

    @on(ItemPanes.Placed)
    def _join_rules(self, message: ItemPanes.Placed) -> None:
        is_framed = self.screen.has_class(FRAMED_CLASS)  # panes that were placed before it was do not know
        self._above.join_at(None if is_framed else message.above)
        self._below.join_at(None if is_framed else message.below)
        self._show_hints()


def list_heading(names: ListNames, view: SavedView, node: NodeFilter | None, spec: ViewSpec) -> list[Part]:
    store = names.store
    project = project_name(store)
    name = (
        view.name
        if view != DEFAULT_VIEW
        else ""
        if node is not None
        else "All items"
        if spec.with_done
        else "Open items"
    )
    parts: list[Part] = [(name, "heading")] if name else []
    if spec.is_tree:
        parts.append((" as a tree" if name else "Tree", "heading"))
    if view.shared_by:
        parts.append((f" · shared by {view.shared_by}", "muted"))
    if not project:
        parts.append(NOT_LOADED)
    if node is not None:
        path = store.lookups.tree(node.kind).path(node.node_id).removeprefix(f"{project}\\").replace("\\", " › ")
        below = " and below" if node.has_subtree else ""
        parts.append((f"{' › ' if parts else ''}{path}{below}", "heading"))
    if spec.query != view.spec.query:
        parts.extend((f" › {phrase}", "mark") for phrase in filter_words(spec.query))
    if spec.text:
        parts.append((f" › {spec.text}", "mark"))
    if not (spec.group or spec.sort) and store.project_facts.count_local_positions():
        parts.append((" · local order", "pending"))
    return [*parts, *_order(names, spec)]


def _order(names: ListNames, spec: ViewSpec) -> Sequence[Part]:
    parts = []
    if spec.group:
        parts.append((f" · by {', then '.join(map(names.label, spec.group))}", "muted"))
    if spec.sort:
        keys = [f"{names.label(key.name)} {'↓' if key.descending else '↑'}" for key in spec.sort]
        parts.append((f" · {', '.join(keys)}", "muted"))
    return parts


class FilterLineTarget(FilterTarget, Protocol):
    """A list with a filter line."""

    @property
    def items(self) -> ItemList: ...

    @property
    def filtered_items(self) -> ItemList:
        """The list that the filter changes, which may not have the focus."""

    def return_to_item(self, item_id: int) -> None: ...


class FilterLine(QueryLine):
    """The line that filters a list with every letter; the typed query narrows the query before it."""

    def __init__(self, target: FilterLineTarget) -> None:
        super().__init__(self._candidates, target.store.typed.lines)
        self.input.chips = accepted_conditions
        self._target = target
        self._kept = self._typed = ""
        self._focus_before: Widget | None = None
        self._began_at: int | None = None
        """The item under the cursor before the filter of this line."""
        self._unfiltered_at: int | None = None
        """The item under the cursor before any filter beside the view's."""
        self._opened_at = RowIdentity()
        self.steps = 0
        """Requested steps from match to match that are not taken yet."""

    @property
    def filter_before(self) -> FilterState:
        """The filter without what is typed in this line."""
        return replace(self._target.shared.now, text="", query=self._kept)

    def begin(self) -> None:
        now = self._target.shared.now
        if not self._typed or now.query != both_queries(self._kept, self._typed):  # another filter came
            self._kept, self._typed = now.query, ""
        if not (now.text or self._typed):
            self._began_at = self._target.items.current_id
        self.note_row()
        self._opened_at = self._target.filtered_items.row_identity
        self._focus_before = self.screen.focused
        self.open(FILTER, self._typed or now.text, FILTER_PLACEHOLDER)

    def close(self) -> None:
        super().close()
        if self._focus_before is not None:
            self.screen.set_focus(self._focus_before)
            self._focus_before = None

    def leave(self) -> None:
        """Close the line and drop its text, after the keys typed so far."""
        # Letters typed before esc may still be in the queue of the input. They must not filter the list after that.
        self.input.call_later(self._leave)

    def note_row(self) -> None:
        """Remember the row of the cursor before the first filter."""
        if not self._target.shared.now.can_clear:
            self._unfiltered_at = self._target.items.current_id

    def forget_row(self) -> None:
        """Stay where the cursor is when the filter goes."""
        self._began_at = self._unfiltered_at = None

    def press(self, key: str) -> bool:
        """Apply the line at enter; called before any later key."""
        if key != "enter" or not self.is_open:
            return super().press(key)
        try:
            self._take()
        except BadRequest as error:
            self.show_fault(str(error), is_sure=True)
            self.post_message(AnswerRefused(str(error)))
            return True
        if self.text:
            self._target.store.typed.remember(FILTER, self.text)
        self.close()
        return True

    @on(QueryLine.Typed)
    def _take_typed(self) -> None:
        if self.is_open:
            try:
                self._take()
            except BadRequest as error:
                self.show_fault(str(error))

    def _take(self) -> None:
        filtering = narrowed_filter(self._target, self.text, self._kept)
        self._typed = "" if filtering.text else self.text
        if filtering != self._target.shared.now:
            # Each text filters from the row where the line opened. From the row of the text before, the cursor would
            # depend on which of the texts were shown, and a burst of letters shows the last alone.
            self._target.filtered_items.start_from(self._opened_at)
        filter_list(self._target, filtering)

    def _leave(self) -> None:
        self.close()
        filter_list(self._target, self.filter_before)
        self.return_to_row()

    def return_to_row(self) -> None:
        """Put the cursor on the row where the filter began, of this line or the first, once the list is loaded."""
        began_at = self._began_at if self._target.shared.now.can_clear else self._unfiltered_at
        if began_at is not None and self._target.store.item(began_at) is not None:
            self._target.return_to_item(began_at)
        self._began_at = None

    def _candidates(self, _sign: str, text: str, cursor: int) -> Sequence[Candidate]:
        return complete(text, cursor, self._target.store.names.vocabulary()) if text.strip() else ()
