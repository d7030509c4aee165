"""Views with names: one beside the other, gone to by number or name, and saved."""

from collections.abc import Sequence
from dataclasses import replace

from textual import on

from backlit.model.errors import BacklitError, BadRequest
from backlit.store.store import Store
from backlit.store.view_columns import ColumnWish
from backlit.store.views_query import ViewSpec
from backlit.store.views_saved import SavedView
from backlit.tui.acting import CannotAct
from backlit.tui.column_verbs import ColumnVerbs
from backlit.tui.live_filter import PLAIN, Filtering, LiveFilter
from backlit.tui.query_words import query_to_keep
from backlit.tui.view_files import ViewFiles
from backlit.tui.widgets.tab_line import TabLine


class ViewTabs(LiveFilter, ColumnVerbs):
    """A list that saved views are tabs of; the tabs are a line where there is more than one."""

    view_files: ViewFiles | None = None
    tabs: Sequence[SavedView] = (PLAIN,)

    def __init__(self, store: Store) -> None:
        super().__init__(store)
        self.tab_line = TabLine(id="tabs")

    def read_views(self, files: ViewFiles) -> None:
        """Offer the views of some files; says what is wrong with them."""
        self.view_files = files
        try:
            self.tabs = (PLAIN, *(each for each in files.read() if each.name != PLAIN.name))
        except BacklitError as error:
            self.say(str(error), is_bad=True)
        self.draw_tabs()

    def draw_tabs(self) -> None:
        """Name the tabs, the present one in colour."""
        names = [each.name for each in self.tabs]
        self.tab_line.say(names, names.index(self.tab.name) if self.tab.name in names else 0)

    @on(TabLine.Chosen)
    def _tab_chosen(self, message: TabLine.Chosen) -> None:
        try:
            self.go_to_view(self.tabs[message.index])
        except BadRequest as error:
            self.say(str(error), is_bad=True)

    def take_filtering(self, filtering: Filtering) -> None:
        """Be filtered as another list is, and show the same view."""
        if filtering.view != self.tab:
            self.go_to_view(filtering.view)
        super().take_filtering(filtering)

    def spec_of(self, view: SavedView) -> ViewSpec:
        """How a view is shown here."""
        return view.spec

    def columns_of(self, view: SavedView) -> Sequence[ColumnWish]:
        """A view's own columns; of the backlog as it is, those that were chosen last."""
        return self.store.columns.wishes() if view == PLAIN else view.columns

    def choose_columns(self, wishes: Sequence[ColumnWish]) -> None:
        """Show some columns, in the backlog as it is from now on, after a restart too."""
        super().choose_columns(wishes)
        if self.tab == PLAIN:
            self.store.columns.keep(wishes)

    def go_to_view(self, view: SavedView) -> None:
        """Show a view as it was saved. Raises BadRequest where its query cannot be read here."""
        self.store.view(view.spec)
        self.node, self.tab = None, view
        self.show_spec(self.spec_of(view))
        self.use_columns(self.columns_of(view))
        self.close_line()
        self.draw_tabs()
        self.draw_words()

    def view_named(self, name: str) -> SavedView:
        """A view by its name or number. Raises BadRequest naming those there are."""
        wanted = name.casefold()
        found = [each for each in self.tabs if each.name.casefold() == wanted]
        found += [each for number, each in enumerate(self.tabs, 1) if str(number) == name]
        found += [each for each in self.tabs if wanted and each.name.casefold().startswith(wanted)]
        if not found:
            raise BadRequest(f"There is no view {name!r}; there are {', '.join(each.name for each in self.tabs)}.")
        return found[0]

    def do_view_go(self, _count: int | None) -> None:
        """Go to a view by its number, which ended the chord."""
        if not self.chord_app.letter:
            raise CannotAct(f"Which one? There are {', '.join(each.name for each in self.tabs)}.")
        number = int(self.chord_app.letter)
        if number > len(self.tabs):
            raise CannotAct(f"There is no view {number}; S saves what is shown as one.")
        self.go_to_view(self.tabs[number - 1])

    def do_view_next(self, count: int | None) -> None:
        """Go to the next view, after the last to the first."""
        self._go_on(count or 1)

    def do_view_previous(self, count: int | None) -> None:
        """Go to the previous view."""
        self._go_on(-(count or 1))

    def _go_on(self, steps: int) -> None:
        if len(self.tabs) < 2:
            raise CannotAct("There is only this view; S saves what is shown as another.")
        at = next((index for index, each in enumerate(self.tabs) if each.name == self.tab.name), 0)
        self.go_to_view(self.tabs[(at + steps) % len(self.tabs)])

    def do_view_save(self, _count: int | None) -> None:
        """Ask for a name and keep what is shown under it."""
        from backlit.tui.dialogs.line import LineDialog

        if self.view_files is None:
            raise CannotAct("There is no place here to keep views.")

        def typed(name: str | None) -> None:
            if name is not None:
                try:
                    self.save_view(name)
                except BacklitError as error:
                    self.say(str(error), is_bad=True)

        name = "" if self.tab is PLAIN else self.tab.name
        note = "Filter, groups, order and columns are kept; a view of the same name is replaced."
        self.app.push_screen(LineDialog("Save as a view", name, _check_name, is_replaced=True, note=note), typed)

    def save_view(self, name: str) -> None:
        """Keep what is shown under a name, and go to it. Raises BadRequest or StorageError."""
        fault = _check_name(name)
        if fault or self.view_files is None:
            raise BadRequest(fault or "There is no place here to keep views.")
        path = self.store.tree(self.node.kind).path(self.node.node_id) if self.node else ""
        query = query_to_keep(self.spec, self.node, path)
        spec = replace(self.spec, text="", query=query, area_ids=None, iteration_ids=None)
        view = SavedView(name.strip(), spec, tuple(self.column_wishes))
        self.view_files.save(view)
        self.read_views(self.view_files)
        self.go_to_view(view)
        self.say(f"Saved as “{view.name}” in {self.view_files.own}.")


def _check_name(name: str) -> str | None:
    if not name.strip():
        return "A view needs a name."
    return f"“{PLAIN.name}” is the backlog as it is." if name.strip() == PLAIN.name else None
