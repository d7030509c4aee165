"""A start on what the command line names: an item and its place, a query of the backlog, a saved view."""

from msgspec import Struct
from msgspec.structs import replace

from backlit.model.errors import BadRequest
from backlit.store.records.changes import Subject
from backlit.store.store import Store
from backlit.tui.app.screen_navigator import BACKLOG, ScreenNavigator
from backlit.tui.lists.filtering import both_queries, filter_list
from backlit.tui.shell.chord_app import ChordApp
from backlit.tui.shell.status_text import is_first_loading
from backlit.tui.shell.store_screen import ChangeBatch
from backlit.tui.shell.target import ItemDestination, OpenItem


class StartTarget(Struct, frozen=True):
    """What the command line names."""

    item_id: int | None = None
    query: str = ""
    view: str = ""
    place: ItemDestination = ItemDestination.EDITOR


class TargetOpener:
    """Shows the target of a start; an item of a copy that is still to be loaded as soon as it is here."""

    def __init__(self, app: ChordApp, store: Store, navigator: ScreenNavigator, target: StartTarget) -> None:
        self._app = app
        self._store = store
        self._navigator = navigator
        self._target = target
        self._is_waiting = False

    async def show(self) -> None:
        """Show the target; what is missing is said."""
        backlog, shared, target = self._navigator.backlog, self._navigator.shared, self._target
        if backlog is None:
            return
        try:
            if target.view:
                backlog.show_saved(shared.views.named(target.view))
            if target.query:
                filter_list(backlog, replace(shared.now, query=both_queries(shared.now.query, target.query)))
        except BadRequest as error:
            self._app.say(str(error), is_bad=True)
        await backlog.loaded()
        await self._show_item()

    async def _show_item(self) -> None:
        item_id, backlog = self._target.item_id, self._navigator.backlog
        if item_id is None or backlog is None:
            return
        if self._store.item(item_id) is not None:
            backlog.go_to_item(item_id, is_offered=False)
            await self._navigator.open(OpenItem(item_id, self._target.place))
        elif is_first_loading(self._store):
            self._is_waiting = True
        else:
            self._app.say(f"Item {item_id} does not exist here, or you have no access to it.", is_bad=True)

    def take(self, changes: ChangeBatch) -> None:
        """Show the item once it came, unless the user went elsewhere meanwhile."""
        item_id = self._target.item_id
        if item_id is None or not self._is_waiting or not (Subject.ITEMS in changes or Subject.CONNECTION in changes):
            return
        is_elsewhere = self._app.current_mode != BACKLOG or len(self._app.screen_stack) > 1
        has_come = self._store.item(item_id) is not None or not is_first_loading(self._store)
        self._is_waiting = not (is_elsewhere or has_come)
        if has_come and not is_elsewhere:
            self._app.dispatch.begin(self._show_item)
