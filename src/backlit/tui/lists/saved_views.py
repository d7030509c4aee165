"""Saved views: the tabs of every list, and the files that hold them."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from msgspec.structs import replace

from backlit.model.errors import BadRequest
from backlit.model.settings.view_settings import ViewTable
from backlit.store.views.query import ViewSpec
from backlit.store.views.saved import SavedView, saved_views, table_of
from backlit.store.views.view_files import ViewFiles

if TYPE_CHECKING:
    from backlit.store.kept_views import KeptView

DEFAULT_VIEW = SavedView("Open items", ViewSpec())
"""The first tab: the backlog without a saved view."""
NO_FILES = "Cannot save views: this session has no configuration folder."


class SavedViews:
    """The tabs of a list: the plain backlog, then the views from files."""

    def __init__(self) -> None:
        self.tabs: Sequence[SavedView] = (DEFAULT_VIEW,)
        self.files: ViewFiles | None = None
        self._own: Sequence[ViewTable] = ()
        self._shared: Sequence[ViewTable] = ()
        self._kept: Sequence[KeptView] = ()
        self._kept_tabs: Mapping[str, KeptView] = {}
        """The views of the service among the tabs, by the names of these."""

    @property
    def names(self) -> Sequence[str]:
        """The names in the order of the tabs."""
        return [each.name for each in self.tabs]

    @property
    def labels(self) -> Sequence[str]:
        """The names with those who share the views."""
        return [f"{each.name} · {each.shared_by}" if each.shared_by else each.name for each in self.tabs]

    def follow(self, kept: Sequence["KeptView"]) -> None:
        """Offer the views that the service keeps, behind those of files."""
        if kept != self._kept:
            self._kept = kept
            self._offer()

    def read(self, files: ViewFiles) -> Sequence[str]:
        """Offer the views of some files. Returns a sentence with the file for each fault."""
        self.files = files
        views = files.read()
        self._own, self._shared = views.own, views.shared
        self._offer()
        return views.problems

    def _offer(self) -> None:
        views = saved_views([*self._own, *self._shared])
        of_files = [view for view in views if view.name != DEFAULT_VIEW.name]
        names = {view.name for view in of_files}
        tabs = {view.name: view for view in (DEFAULT_VIEW, *of_files)}
        kept_tabs: dict[str, KeptView] = {}
        for kept in self._kept:
            if kept.view.name not in names:  # a view of one's own files wins
                is_taken = kept.view.name in tabs
                name = f"{kept.view.name} ({kept.owner})" if is_taken else kept.view.name
                tabs[name], kept_tabs[name] = replace(kept.view, name=name), kept
        self.tabs, self._kept_tabs = tuple(tabs.values()), kept_tabs

    def save(self, view: SavedView) -> ViewFiles:
        """Save a view in the user's file and offer it. Raises BadRequest or StorageError."""
        fault = fault_of_name(view.name)
        if fault or self.files is None:
            raise BadRequest(fault or NO_FILES)
        table = table_of(view)
        self.files.save(table)
        # Not read again: the check of a changed file takes longer than a frame, and needs pydantic.
        self._own = (*(own for own in self._own if own.name != table.name), table)
        self._offer()
        return self.files

    def own_names(self) -> Sequence[str]:
        """Return the names of the views of files, which can be shared."""
        return [view.name for view in saved_views([*self._own, *self._shared]) if view.name != DEFAULT_VIEW.name]

    def kept_as(self, view: SavedView) -> "KeptView | None":
        """Return what the service keeps of a tab: for a view of files, the user's own of its name."""
        if view.name in self.own_names():
            return next((each for each in self._kept if each.is_own and each.view.name == view.name), None)
        return self._kept_tabs.get(view.name)

    def place(self, view: SavedView) -> int:
        """Return the number of a view's tab, counted from 0; 0 for a view without a tab."""
        return self.names.index(view.name) if view.name in self.names else 0

    def named(self, name: str) -> SavedView:
        """Return a view by its name, the beginning of it, or its number. Raises BadRequest with the known names."""
        wanted = name.casefold()
        found = [each for each in self.tabs if each.name.casefold() == wanted]
        found += [each for number, each in enumerate(self.tabs, 1) if str(number) == name]
        found += [each for each in self.tabs if wanted and each.name.casefold().startswith(wanted)]
        if not found:
            raise BadRequest(f"No view “{name}”. Views: {', '.join(self.names)}.")
        return found[0]


def fault_of_name(name: str) -> str | None:
    """Return the fault in the name of a view, as a sentence; None for a good name."""
    if not name.strip():
        return "View name is required."
    is_taken = name.strip() == DEFAULT_VIEW.name
    return f"“{DEFAULT_VIEW.name}” is the built-in view. Enter another name." if is_taken else None
