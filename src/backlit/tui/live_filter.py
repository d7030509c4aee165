"""A list that is filtered as one types, over what a saved view asks for, and through a node of a tree."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from textual import on

from backlit.model.errors import BadRequest
from backlit.model.query import Candidate, complete
from backlit.store.people import TreeKind
from backlit.store.search import Hit
from backlit.store.store import Store
from backlit.store.views_query import ViewSpec
from backlit.store.views_saved import SavedView
from backlit.tui.acting import CannotAct
from backlit.tui.hits import hit_from
from backlit.tui.item_finding import ItemFinding
from backlit.tui.node_filter import NodeFilter
from backlit.tui.query_words import joined, text_and_query, words_wanted
from backlit.tui.widgets.query_line import FILTER, QueryLine
from backlit.tui.work import work

HINT = "a part of the name, #id, or a query such as  status:open @me est>5"
PLAIN = SavedView("Open items", ViewSpec())
"""The backlog as it is."""


@dataclass(frozen=True, slots=True)
class Filtering:
    """What leaves items out: a typed text, a query, a node of a tree; and the view whose query is part of it."""

    text: str = ""
    query: str = ""
    node: NodeFilter | None = None
    view: SavedView = PLAIN


class LiveFilter(ItemFinding):
    """Holds the filter line, the node and the view; subclasses place the line, and show what is left."""

    tab = PLAIN

    def __init__(self, store: Store) -> None:
        super().__init__(store)
        self.node: NodeFilter | None = None
        self._kept = self._typed = ""
        self._steps_to_go = 0
        self.line = QueryLine(self._candidates, store.typed.lines)

    def show_view(self) -> None:
        """Show what the filters leave."""
        raise NotImplementedError

    def hits_found(self, hits: Mapping[int, Hit]) -> None:
        """Words were found in these items; subclasses show where."""

    @property
    def filtering(self) -> Filtering:
        """What the list is filtered by."""
        return Filtering(self.spec.text, self.spec.query, self.node, self.tab)

    def take_filtering(self, filtering: Filtering) -> None:
        """Be filtered as another list is."""
        if filtering != self.filtering:
            self.node = filtering.node
            self.show_spec(self._through_node(replace(self.spec, text=filtering.text, query=filtering.query)))

    def filter_by(self, node: NodeFilter | None) -> None:
        """Show the items of a node only, or all."""
        self.node = node
        self.apply()

    def apply(self) -> None:
        """Show what the node leaves, as its tree is now."""
        self.show_spec(self._through_node(self.spec))

    def _through_node(self, spec: ViewSpec) -> ViewSpec:
        areas = iterations = None
        if self.node is not None:
            tree = self.store.tree(self.node.kind)
            ids = frozenset(tree.subtree_ids(self.node.node_id) if self.node.has_subtree else (self.node.node_id,))
            areas, iterations = (ids, None) if self.node.kind is TreeKind.AREAS else (None, ids)
        return replace(spec, area_ids=areas, iteration_ids=iterations)

    def narrowed(self, typed: str, kept: str) -> ViewSpec:
        """The spec with a query that is kept, and what is typed. Raises BadRequest naming the place in it."""
        text, query = text_and_query(typed)
        self.store.view(ViewSpec(query=query))
        return replace(self.spec, text=text, query=joined(kept, query))

    def find_words(self) -> None:
        """Look where the words are that the query wants in texts."""
        words = words_wanted(self.spec.query)
        if words:
            self.run_worker(work(self._find, words), exclusive=True, group="words")
        else:
            self.workers.cancel_group(self, "words")
            self.hits_found({})

    async def _find(self, words: str) -> None:
        hits = await self.store.search.find(words)
        if self.is_attached:
            self.hits_found({hit.item_id: hit for hit in reversed(hits)})

    # The line

    def do_list_filter(self, _count: int | None) -> None:
        """Open the filter line, with what was typed into it before; the other filters hold together with it."""
        if not self._holds_typed:
            self._kept, self._typed = self.spec.query, ""
        self.line.open(FILTER, self._typed or self.spec.text, HINT)

    def do_list_no_filter(self, _count: int | None) -> None:
        """Show all there is in the view again."""
        self.node = None
        self.spec = self._through_node(replace(self.spec, text="", query=self.tab.spec.query))
        self.close_line()
        self.show_view()

    def do_app_unwind(self, _count: int | None) -> None:
        """Undo one layer: the range, what is typed, the marks, the query, the node's filter (KEYMAP, rule f)."""
        if self.items.end_range():
            return
        if self.line.is_open:
            self.line.input.call_later(self._leave_line)  # after the keys that were typed before
        elif self.spec.text:
            self.show_spec(replace(self.spec, text=""))
        elif self.items.clear_marks():
            return
        elif self.spec.query != self.tab.spec.query:
            before = self._kept if self._holds_typed else self.tab.spec.query
            self.show_spec(replace(self.spec, query=before))
        elif self.node is not None:
            self.filter_by(None)
        else:
            raise CannotAct("Nothing to cancel here; q quits.")

    def do_list_next_hit(self, count: int | None) -> None:
        """Go to the next item that what was typed last finds, though the list shows others again."""
        self._go_to_hit(count or 1)

    def do_list_previous_hit(self, count: int | None) -> None:
        """Go to the one before."""
        self._go_to_hit(-(count or 1))

    def _go_to_hit(self, steps: int) -> None:
        typed = next(iter(self.store.typed.lines(FILTER)), "")
        if not typed:
            raise CannotAct("Nothing was looked for yet; / does.")
        view = self.store.view(replace(self.narrowed(typed, self.spec.query), group=(), alike=(), sort=()))

        self._steps_to_go += steps  # by a way that another key cuts off too

        async def gone_to() -> None:
            hit = await hit_from(self.items, view, self._steps_to_go)
            self._steps_to_go = 0
            if hit is None:
                self.say(f"Nothing here is found by “{typed}”.", is_bad=True)
            elif self.is_attached and self.items.go_to(hit.item_id) and hit.is_around:
                self.say(f"On from the {'top' if steps > 0 else 'bottom'} with “{typed}”.")

        self.run_worker(work(gone_to), exclusive=True, group="hits")

    @property
    def _holds_typed(self) -> bool:
        """Whether the list is still filtered by the query that was typed last."""
        return bool(self._typed) and self.spec.query == joined(self._kept, self._typed)

    def _candidates(self, _sign: str, text: str, cursor: int) -> Sequence[Candidate]:
        return complete(text, cursor, self.store.names.vocabulary()) if text.strip() else ()

    @on(QueryLine.Typed)
    def _line_typed(self) -> None:
        if not self.line.is_open:
            return
        try:
            self._take_line()
        except BadRequest as error:
            self.line.blame(str(error))

    def press(self, key: str) -> bool:
        """Take the line with enter; called before any key that was typed after it."""
        if key == "enter" and self.line.is_open:
            self._enter_line()
            return True
        return False

    def _enter_line(self) -> None:
        try:
            self._take_line()
        except BadRequest as error:
            self.line.blame(str(error), is_sure=True)
            return
        if self.line.text:
            self.store.typed.remember(FILTER, self.line.text)
        self.close_line()

    def _take_line(self) -> None:
        spec = self.narrowed(self.line.text, self._kept)
        self._typed = "" if spec.text else self.line.text
        self.show_spec(spec)

    def _leave_line(self) -> None:
        self.close_line()
        self.show_spec(replace(self.spec, text="", query=self._kept))

    def close_line(self) -> None:
        """Close the line and go back to the list."""
        self.line.close()
        self.set_focus(self.items)
