"""Going to an item by number or name, to the groom queue, and back to where one was."""

from collections.abc import Callable

from backlit.store.store import Store
from backlit.tui.acting import CannotAct
from backlit.tui.app_acts import AppActs
from backlit.tui.jumps import Jumps, Place, Recent
from backlit.tui.marked_list import MarkedList
from backlit.tui.screens.backlog import BacklogScreen
from backlit.tui.screens.base import StoreScreen


class JumpActs(AppActs, inherit_bindings=False):
    """An application that knows where one was; subclasses say how to get to a mode."""

    def __init__(self, store: Store) -> None:
        super().__init__(store)
        self.jumps = Jumps()
        self._recent = Recent()

    def switch_to(self, mode: str) -> None:
        """Show a mode, without what lies over it; raises CannotAct where that would lose something."""
        raise NotImplementedError

    def _go(self, mode: str) -> None:
        here = self.here
        self.switch_to(mode)
        if mode != here.mode:
            self.jumps.leave(here)

    @property
    def backlog(self) -> BacklogScreen | None:
        """The backlog's screen, once it is there."""
        stack = self._screen_stacks.get("backlog", [])
        return stack[0] if stack and isinstance(stack[0], BacklogScreen) else None

    @property
    def here(self) -> Place:
        """Where one is."""
        is_backlog = self.current_mode == "backlog" and self.backlog is not None
        return Place(self.current_mode, self.backlog.items.current_id if is_backlog and self.backlog else None)

    def on_store_screen_seen(self, message: StoreScreen.Seen) -> None:
        """Note which items were looked at."""
        self._recent.add(message.item_id)

    def do_app_reports(self, _count: int | None) -> None:
        """Go to the reports."""
        self._go("reports")

    def do_app_go_to(self, _count: int | None) -> None:
        """Find any item of the project and go to it."""
        from backlit.tui.dialogs.go_to import GoToDialog

        def found(item_id: int | None) -> None:
            if item_id is not None:
                self.call_later(self._try, lambda: self.go_to(item_id))

        self.push_screen(GoToDialog(self.store, self._recent.ids()), found)

    def go_to(self, item_id: int) -> None:
        """Go to an item in the backlog; ctrl+o comes back. Raises CannotAct where that would lose something."""
        here = self.here
        self.switch_to("backlog")
        self.jumps.leave(here)
        if self.backlog is not None:
            self.backlog.go_to_item(item_id)

    def do_app_groom(self, _count: int | None) -> None:
        """Open the groom queue: the paused one, or one of the marked items, or of all that the list shows."""
        from backlit.tui.groom_opening import open_queue

        place = self.screen if isinstance(self.screen, MarkedList) else self.backlog
        if place is not None:
            open_queue(self, self.store, place)

    def do_app_jump_back(self, count: int | None) -> None:
        """Go back to where one was."""
        places = [self.jumps.back(self.here) for _ in range(count or 1)]
        self._visit([each for each in places if each], "There is no place before this one.")

    def do_app_jump_forward(self, count: int | None) -> None:
        """Go forward again."""
        places = [self.jumps.forward() for _ in range(count or 1)]
        self._visit([each for each in places if each], "There is no place after this one.")

    def _visit(self, places: list[Place], nothing: str) -> None:
        if not places:
            raise CannotAct(nothing)
        place = places[-1]
        self.switch_to(place.mode)
        if place.item_id is not None and self.backlog is not None:
            self.backlog.go_to_item(place.item_id, is_offered=False)

    def _try(self, act: Callable[[], None]) -> None:
        """Do what a dialog asked for; say why where it cannot be done."""
        try:
            act()
        except CannotAct as reason:
            self.say(str(reason), is_bad=True)
