"""The columns of a list: chosen by the user, written with their widths, or those of a saved view."""

from collections.abc import Callable, Sequence

from backlit.model.query.keys import field_named
from backlit.store.store import Store
from backlit.store.views.saved import ColumnWish, SavedView
from backlit.tui.lists.saved_views import PLAIN
from backlit.tui.widgets.columns import Column, column_of

Apply = Callable[[Sequence[Column]], None]


class ColumnChoice:
    """The columns that are wanted at present; `apply` shows columns, the usual ones for none.

    Without `apply` the list has no columns.
    """

    def __init__(self, store: Store, apply: Apply | None = None) -> None:
        self.wishes: Sequence[ColumnWish] = ()
        self._store = store
        self._apply = apply

    @property
    def is_possible(self) -> bool:
        """True where the list has columns."""
        return self._apply is not None

    def use(self, wishes: Sequence[ColumnWish]) -> None:
        """Show some columns, or the usual ones."""
        if self._apply is not None:
            self.wishes = tuple(wishes)
            custom = self._store.lookups.custom_fields() if wishes else ()
            self._apply([column_of(wish, field_named(wish.key, custom)) for wish in wishes])

    def use_saved(self, view: SavedView) -> None:
        """Show the columns of a view; of the backlog as it is, those that were chosen last."""
        self.use(self._store.columns.wishes() if view == PLAIN else view.columns)

    def choose(self, wishes: Sequence[ColumnWish], view: SavedView) -> None:
        """Show some columns; in the backlog as it is from now on, after a restart too."""
        self.use(wishes)
        if view == PLAIN:
            self._store.columns.keep(wishes)
