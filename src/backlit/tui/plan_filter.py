"""What the plan's backlog is filtered by: the same as the backlog, but for an iteration, as the panes are those."""

from collections.abc import Sequence
from dataclasses import replace

from backlit.store.people import TreeKind
from backlit.store.view_columns import ColumnWish
from backlit.store.views_query import ViewSpec
from backlit.tui.live_filter import Filtering
from backlit.tui.node_filter import NodeFilter
from backlit.tui.plan_lists import PlanLists
from backlit.tui.rollover_verb import RolloverVerb


class PlanFilter(RolloverVerb):
    """The part of the plan's screen that says what its lists show; subclasses read them."""

    lists: PlanLists
    _iteration: NodeFilter | None = None

    def reload(self) -> None:
        """Read all panes anew."""
        raise NotImplementedError

    def show_spec(self, spec: ViewSpec) -> None:
        """Show the backlog's pane otherwise; raises BadRequest for a query that cannot be read."""
        self.store.view(spec)
        self.spec = spec
        self.show_view()

    def show_view(self) -> None:
        """Show what the filters leave, and tell by what."""
        self.reload()
        self.tell_filtering()

    @property
    def filtering(self) -> Filtering:
        """With the iteration that the backlog is seen through, which says nothing here, so that it goes on to be."""
        return replace(super().filtering, node=self.node or self._iteration)

    def forget_filter(self) -> None:
        """Filter by the view alone, as the project is another one."""
        self.node = self._iteration = None
        self.spec = replace(self.spec, text="", query=self.tab.spec.query, area_ids=None, iteration_ids=None)

    def take_filtering(self, filtering: Filtering) -> None:
        """Be filtered as the backlog is, but for an iteration, as that is what the panes are."""
        is_iteration = filtering.node is not None and filtering.node.kind is TreeKind.ITERATIONS
        self._iteration = filtering.node if is_iteration else None
        super().take_filtering(replace(filtering, node=None if is_iteration else filtering.node))

    def use_columns(self, wishes: Sequence[ColumnWish]) -> None:
        """Show columns in all panes."""
        super().use_columns(wishes)
        self.lists.columns = self.lists.panes.focused.items.chosen_columns if wishes else ()
        self.reload()

    def show_all(self, item_id: int, *, with_done: bool) -> None:
        """Clear every filter, with the cursor on an item."""
        self.lists.wanted_item = item_id
        self.spec = replace(self.spec, with_done=self.spec.with_done or with_done)
        self.do_list_no_filter(None)
