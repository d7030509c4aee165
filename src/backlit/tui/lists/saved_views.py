"""Saved views: the tabs of every list."""

from collections.abc import Sequence

from backlit.model.errors import BadRequest
from backlit.store.views.query import ViewSpec
from backlit.store.views.saved import SavedView
from backlit.tui.lists.view_files import ViewFiles

PLAIN = SavedView("Open items", ViewSpec())
"""The backlog as it is, without a saved view."""


class SavedViews:
    """The views that were read from files, after the backlog as it is."""

    def __init__(self) -> None:
        self.tabs: Sequence[SavedView] = (PLAIN,)
        self.files: ViewFiles | None = None

    @property
    def names(self) -> Sequence[str]:
        """The names in the order of the tabs."""
        return [each.name for each in self.tabs]

    def read(self, files: ViewFiles) -> None:
        """Offer the views of some files. Raises StorageError or BadRequest naming the file."""
        self.files = files
        self.tabs = (PLAIN, *(each for each in files.read() if each.name != PLAIN.name))

    def save(self, view: SavedView) -> ViewFiles:
        """Put a view into the user's file, and offer it. Raises BadRequest or StorageError."""
        fault = fault_of_name(view.name)
        if fault or self.files is None:
            raise BadRequest(fault or "There is no place here to keep views.")
        self.files.save(view)
        self.read(self.files)
        return self.files

    def place(self, view: SavedView) -> int:
        """Return the number of a view's tab, counted from 0; 0 for a view that has none."""
        return self.names.index(view.name) if view.name in self.names else 0

    def named(self, name: str) -> SavedView:
        """Return a view by its name or number. Raises BadRequest naming those there are."""
        wanted = name.casefold()
        found = [each for each in self.tabs if each.name.casefold() == wanted]
        found += [each for number, each in enumerate(self.tabs, 1) if str(number) == name]
        found += [each for each in self.tabs if wanted and each.name.casefold().startswith(wanted)]
        if not found:
            raise BadRequest(f"There is no view {name!r}; there are {', '.join(self.names)}.")
        return found[0]


def fault_of_name(name: str) -> str | None:
    """Return what is wrong with the name of a view; None where nothing is."""
    if not name.strip():
        return "A view needs a name."
    return f"“{PLAIN.name}” is the backlog as it is." if name.strip() == PLAIN.name else None
