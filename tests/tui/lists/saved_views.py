"""Files of saved views, and the application over them."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from tests.quiet import workers_done
from tests.tui.target import FakeTarget
from textual.pilot import Pilot

from backlit.config.settings import find_locations
from backlit.store import Store, ViewSpec
from backlit.store.views.saved import SavedView
from backlit.store.views.view_files import ViewFiles
from backlit.tui.app.app import BacklitApp
from backlit.tui.lists.filtering import FilterState, SharedFilter
from backlit.tui.lists.list_screen import ColumnChoice

BUGS = '[[view]]\nname = "Bugs"\nquery = "type:bug"\ngroup = ["status"]\n'


LARGE = '[[view]]\nname = "Large"\nquery = "est>5"\nsort = ["est desc"]\n'


@asynccontextmanager
async def viewed(
    store: Store, home: Path, own: str = "", shared: str = "", size: tuple[int, int] = (120, 40)
) -> AsyncIterator[Pilot[None]]:
    """The application with views of the user's own, and of the repository it is started in."""
    files = ViewFiles(find_locations({"BACKLIT_HOME": str(home)}), home / "repository")
    (home / "repository").mkdir(parents=True)
    files.own.parent.mkdir(parents=True)
    if own:
        files.own.write_text(own)
    if shared:
        (home / "repository" / "backlit-views.toml").write_text(shared)
    async with BacklitApp(store, view_files=files).run_test(size=size, notifications=True) as pilot:
        await pilot.pause()
        await workers_done(pilot.app)
        yield pilot


class FakeList(FakeTarget):
    """A `lists.list_commands.ListTarget` of the backlog, as far as saved views need it."""

    def __init__(self, store: Store, shown: FilterState) -> None:
        super().__init__(store)
        self.shared, self.columns, self.node = SharedFilter(store), ColumnChoice(store), None
        self.shared.now = shown
        self.spec = ViewSpec(text=shown.text, query=shown.query)

    def show_saved(self, view: SavedView) -> None:
        """Show a view."""
        self.shared.now = FilterState.of(view)
