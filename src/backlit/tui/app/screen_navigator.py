"""The navigation between screens: six modes, the screens over them, and the history of jumps and items."""

from collections.abc import Sequence
from importlib import import_module
from typing import TYPE_CHECKING, cast

from msgspec import Struct
from msgspec.structs import replace
from textual.screen import Screen

from backlit.model.amounts import counted
from backlit.model.errors import BacklitError
from backlit.model.plain import plain
from backlit.model.settings.user_settings import BoardSettings, ColumnSettings
from backlit.store.records.changes import ConnectionState, Subject
from backlit.store.records.people import TreeKind
from backlit.store.store import Store
from backlit.tui.backlog.screen import BacklogScreen
from backlit.tui.commands.command import CannotAct
from backlit.tui.drawing.textual_private import screens_of
from backlit.tui.items.item_screen import ItemScreen
from backlit.tui.items.item_tabs import TABS_OF_ROWS
from backlit.tui.lists.filtering import NodeFilter, SharedFilter
from backlit.tui.lists.list_screen import ListScreen
from backlit.tui.lists.saved_views import DEFAULT_VIEW
from backlit.tui.shell.chord_app import ChordApp
from backlit.tui.shell.store_screen import ChangeBatch, StoreScreen
from backlit.tui.shell.target import ItemDestination, OpenItem, OpenProfile

if TYPE_CHECKING:
    from backlit.store.undo.history import Reversal
    from backlit.tui.app.locked import LockedScreen, WayOut
    from backlit.tui.app.projects import ProjectCommandTarget
    from backlit.tui.app.sign_in import ProfileSignInFactory, SignInDialog
    from backlit.tui.board.screen import BoardScreen
    from backlit.tui.plan.screen import PlanScreen
    from backlit.tui.reports.screen import ReportsScreen
    from backlit.tui.trees.screen import TreeScreen

BACKLOG, BOARD, LOCKED = "backlog", "board", "locked"
"""The first mode, that of the board, and the one in place of all others while the local copy is locked."""
LAST_LOCATION_KEY = "last place"
"""The key of the value with the location at the end of the last run."""
_LOCATION_PARTS = 8
MAX_JUMPS = 100
MAX_RECENT_ITEMS = 30
MAX_NEW_NUMBERS = 5
"""New numbers of items that one message names."""

OFFLINE_WORDS = "Without signing in you can read, edit and plan; reports and files need the server."
OFFLINE_WORDS_WITHOUT_ITEMS = "No copy of the backlog here yet. Sign in to load it."


class AppLocation(Struct, frozen=True):
    """A mode of the application, and the item under its cursor."""

    mode: str
    item_id: int | None = None


class JumpHistory:
    """The locations before jumps, each listed once, and the position among them."""

    def __init__(self) -> None:
        self._locations: list[AppLocation] = []
        self._at = 0

    def leave(self, location: AppLocation) -> None:
        self._locations = [*(each for each in self._locations if each != location), location][-MAX_JUMPS:]
        self._at = len(self._locations)

    def back(self, here: AppLocation) -> AppLocation | None:
        """Return the previous location; None at the oldest. At the end of the list `here` is noted too."""
        if self._at == len(self._locations):
            self.leave(here)
            self._at -= 1
        if self._at == 0:
            return None
        self._at -= 1
        return self._locations[self._at]

    def forward(self) -> AppLocation | None:
        """Return the next location; None at the newest."""
        if self._at + 1 >= len(self._locations):
            return None
        self._at += 1
        return self._locations[self._at]


class RecentItems:
    """Recently seen items, the latest first."""

    def __init__(self) -> None:
        self._ids: list[int] = []

    def add(self, item_id: int) -> None:
        self._ids = [item_id, *(each for each in self._ids if each != item_id)][:MAX_RECENT_ITEMS]

    def ids(self) -> tuple[int, ...]:
        return tuple(self._ids)


class ScreenNavigator:
    """Opens the screens of an application; the six modes stay mounted, other screens are pushed over them."""

    def __init__(
        self,
        app: ChordApp,
        store: Store,
        board: BoardSettings,
        join: "ProfileSignInFactory | None" = None,
        *,
        greets: bool = False,
    ) -> None:
        self.jumps = JumpHistory()
        self.recent = RecentItems()
        self._app = app
        self._store = store
        self._board = board
        self._join = join
        self.shared = SharedFilter(store)
        self._is_signed_out = self._has_to_ask = False
        self._kept: list[object] = []
        """The location that was kept last for the next start."""
        self._sign_in: SignInDialog | None = None
        self._made_again: dict[int, int] = {}
        """Former numbers of items that undo creates again, by their temporary ids."""
        app.add_mode(BACKLOG, lambda: BacklogScreen(store, self.shared, greets=greets))
        app.add_mode(BOARD, self._make_board)
        app.add_mode("plan", self._make_plan)
        app.add_mode("areas", lambda: self._make_tree(TreeKind.AREAS))
        app.add_mode("iterations", lambda: self._make_tree(TreeKind.ITERATIONS))
        app.add_mode("reports", self._make_reports)
        app.add_mode(LOCKED, self._make_locked)
        self._mode_before_lock = BACKLOG

    @property
    def backlog(self) -> BacklogScreen | None:
        return next((each for each in self.screens() if isinstance(each, BacklogScreen)), None)

    @property
    def own_columns(self) -> Sequence[ColumnSettings]:
        """The columns of the board in the settings of this machine."""
        return self._board.column

    @property
    def here(self) -> AppLocation:
        mode = self._app.current_mode
        screen = self._app.screen_stack[0]
        if mode in {BACKLOG, BOARD} and isinstance(screen, ListScreen) and screen.is_mounted:
            return AppLocation(mode, screen.items.current_id)
        return AppLocation(mode)

    def screens(self) -> list[Screen[object]]:
        return screens_of(self._app)

    def publish(self, changes: ChangeBatch) -> None:
        if Subject.VIEWS in changes or Subject.PEOPLE in changes:
            self.shared.follow_views()
        visible = set(self._app.screen_stack)
        for screen in self.screens():
            if isinstance(screen, StoreScreen):
                screen.take_changes(changes, is_visible=screen in visible)
        if changes.renamed:
            self._say_new_numbers()
        if Subject.CONNECTION in changes:
            self._follow_lock()
            self.ask_to_sign_in_once()
            if self._sign_in is not None and self._sign_in.is_attached:
                self._close_sign_in(self._sign_in)

    async def mark_seen(self, item_id: int) -> None:
        try:
            await self._store.inbox.seen([item_id])
        except BacklitError as error:
            self._app.say(str(error), is_bad=True)

    # Modes

    async def switch_to(self, mode: str) -> bool:
        """Close the screens over the mode and show another mode; return False where a screen refuses to close.

        Raises CannotAct while a dialog is open, and while the local copy is locked.
        """
        self._must_not_be_locked(mode)
        # Each screen is asked before the next closes, so that a refusal leaves those below it as they were.
        while len(self._app.screen_stack) > 1:
            screen = self._app.screen
            if not isinstance(screen, StoreScreen):
                raise CannotAct("Close the open dialog first (esc).")
            if not await screen.may_leave():
                return False
            self._app.pop_screen()
        self._app.switch_mode(mode)
        return True

    async def go(self, mode: str) -> bool:
        here = self.here
        if not await self.switch_to(mode):
            return False
        if mode != here.mode:
            self.jumps.leave(here)
        return True

    async def go_to_item(self, item_id: int) -> None:
        """Go to an item on the board where that is shown and has it, else in the backlog."""
        here = self.here
        if not await self.switch_to(BOARD if here.mode == BOARD else BACKLOG):
            return
        self.jumps.leave(here)
        screen = self._app.screen
        if here.mode == BOARD and isinstance(screen, ListScreen) and screen.items.go_to(item_id):
            return
        if await self.switch_to(BACKLOG) and self.backlog is not None:
            self.backlog.go_to_item(item_id)

    async def return_to(self, location: AppLocation) -> None:
        if not await self.switch_to(location.mode) or location.item_id is None:
            return
        screen = self._app.screen
        if isinstance(screen, BacklogScreen):
            screen.go_to_item(location.item_id, is_offered=False)
        elif isinstance(screen, ListScreen):
            screen.items.go_to(location.item_id)

    async def filter_backlog(self, node: NodeFilter | None) -> None:
        if await self.go(BACKLOG):
            self.shared.now = replace(self.shared.now, node=node)
            if self.backlog is not None:
                self.backlog.take_filter()

    # The next start

    def keep(self) -> None:
        if self._app.current_mode == LOCKED:
            return
        stack = self._app.get_screen_stack()
        screen = stack[0] if stack and isinstance(stack[0], ListScreen) else self.backlog
        if screen is not None and screen.is_mounted:
            shown = [each.shown_place for each in stack if isinstance(each, StoreScreen) and each.shown_place]
            opened = shown[-1][:2] if shown else (None, "")
            where = self._app.current_mode, self.shared.now.view.name, self._store.project_id
            row = screen.items.current_id, screen.items.cursor, screen.items.cursor - screen.items.top
            place: list[object] = [*where, *row, *opened]
            if place != self._kept:
                self._kept = place
                self._store.kept.keep(LAST_LOCATION_KEY, place)

    async def show_last(self) -> None:
        """Show the place of the last run: the neighbour of a row whose item is gone, nothing of another project."""
        kept, backlog = self._store.kept.find(LAST_LOCATION_KEY), self.backlog
        if not isinstance(kept, list) or len(kept) != _LOCATION_PARTS or backlog is None:
            return
        mode, view, project, item_id, row, line, opened, place = kept
        if project != self._store.project_id or [mode, view, row, opened] == [BACKLOG, DEFAULT_VIEW.name, 0, None]:
            return
        if view in self.shared.views.names and view != DEFAULT_VIEW.name:
            backlog.show_saved(self.shared.views.named(view))
        if mode != BACKLOG:
            await self._app.switch_mode(mode)
        screen = self._app.screen if isinstance(self._app.screen, ListScreen) else backlog
        await screen.loaded()
        if screen.items.is_attached and not (item_id is not None and screen.items.go_to(item_id)):
            screen.items.move_to(row)
        screen.items.scroll_cursor_to(line)
        if opened is not None and self._store.item(opened) is not None:
            await self.open(OpenItem(opened, ItemDestination(place)))

    # Undo and redo

    def end_range(self) -> None:
        """End an open range of the current list; its rows stay selected."""
        if isinstance(self._app.screen, ListScreen):
            self._app.screen.items.selection.end_range()

    def show_reversal(self, done: "Reversal") -> None:
        """Put the cursor on an item or a node that was undone or redone, and follow items that are created again."""
        from backlit.tui.app.history import is_deletion  # which asked for this

        self._made_again |= {new: each.id for each, new in zip(done.made_again, done.new_ids, strict=True)}
        self._say_new_numbers()
        changed = [each.item_id for each in done.changes if not is_deletion(each)]
        changed += [each.id for each in (*done.returned, *done.moved)]
        found = map(self._store.item, dict.fromkeys([*done.new_ids, *changed]))
        item_ids = [item.id for item in found if item is not None]
        screen = self._app.screen
        if isinstance(screen, ListScreen) and item_ids:
            screen.go_to_changed(item_ids)
        elif self._app.current_mode in {"areas", "iterations"}:
            from backlit.tui.trees.screen import TreeScreen

            if isinstance(screen, TreeScreen):
                screen.show_changed(done)

    def _say_new_numbers(self) -> None:
        """Name the numbers of items that were created again, once the server has confirmed all of them."""
        items = {new: self._store.item(new) for new in self._made_again}
        found = [(self._made_again[new], item.id) for new, item in items.items() if item is not None]
        if any(now < 0 for _, now in found):
            return
        self._made_again = {}
        shown = ", ".join(f"#{before} is now #{now}" for before, now in found[:MAX_NEW_NUMBERS])
        more = f" and {len(found) - MAX_NEW_NUMBERS:,} more" if len(found) > MAX_NEW_NUMBERS else ""
        if found:
            self._app.say(f"Created again: {shown}{more}.")

    # Screens over a mode

    def close_top(self) -> bool:
        """Close the screen on top, else go to the backlog; return False at the backlog."""
        if len(self._app.screen_stack) > 1:
            self._app.pop_screen()
        elif self._app.current_mode != BACKLOG:
            self._app.switch_mode(BACKLOG)
        else:
            return False
        return True

    def show_over(self, screen: StoreScreen[None], name: str) -> None:
        """Push a screen that can be open once; raises CannotAct with its name where it is open."""
        if any(isinstance(each, type(screen)) for each in self._app.screen_stack):
            raise CannotAct(f"The {name} is already open.")
        self._app.push_screen(screen)

    def groom(self) -> None:
        from backlit.tui.groom.screen import open_queue

        here = self._app.screen if isinstance(self._app.screen, ListScreen) else self.backlog
        if here is not None:
            self._app.dispatch.begin(open_queue, self._app, self._store, here)

    def sign_in(self) -> None:
        self._app.dispatch.begin(self._ask_to_sign_in)

    async def _ask_to_sign_in(self) -> None:
        from backlit.tui.app.sign_in import SignInDialog, StoreSignIn

        self._has_to_ask = False
        way = StoreSignIn(self._store, self._join)
        waiting = self._store.outbox.pending
        whose, who_signs = (
            (f" of {plain(way.username)}", f"{plain(way.username)} signs") if way.username else ("", "you sign")
        )
        changes = counted(waiting, f"change{whose} waits", f"changes{whose} wait")
        sentences = [f"{changes} here, to be sent once {who_signs} in."] if waiting else []
        is_locked = self._store.connection.is_locked
        if not is_locked:
            sentences.append(OFFLINE_WORDS if self._store.project_id is not None else OFFLINE_WORDS_WITHOUT_ITEMS)
        about = " ".join(sentences)

        has_copy = not is_locked and self._store.project_id is not None
        self._sign_in = SignInDialog(way, "Sign in", about, "work offline" if has_copy else "back")
        await self._app.ask(self._sign_in)
        self._follow_lock()
        if way.profile:
            self._app.post_message(OpenProfile(way.profile))

    def ask_to_sign_in_once(self) -> None:
        is_out = self._store.connection.state is ConnectionState.SIGNED_OUT
        if is_out and not self._is_signed_out:
            self._has_to_ask = True
            self._app.dispatch.begin_in_background(self._ask_to_sign_in_when_quiet)
        self._is_signed_out = is_out

    async def _ask_to_sign_in_when_quiet(self) -> None:
        await self._app.pause_in_typing()
        if self._has_to_ask and self._is_signed_out:  # R may have asked meanwhile, or another process signed in
            await self._ask_to_sign_in()

    def _close_sign_in(self, dialog: "SignInDialog") -> None:
        """Close the dialog after a sign-in elsewhere; what is being typed into it runs no commands below."""
        if dialog.close_if_signed_in() and not dialog.is_asking:
            self._app.drop_text()

    # The lock of the local copy

    def _follow_lock(self) -> None:
        """Put the locked screen in place of all others, or those back as they were, with what was typed into them."""
        is_locked, is_shown = self._store.connection.is_locked, self._app.current_mode == LOCKED
        if is_locked and not is_shown:
            self._mode_before_lock = self._app.current_mode
            self._app.recorder.stop()
            self._app.clear_notifications()
            self._app.switch_mode(LOCKED)
            self._app.drop_text_until_drawn(self._app.screen)
        elif is_shown and not is_locked and len(self._app.screen_stack) == 1:
            self._app.switch_mode(self._mode_before_lock)

    async def leave_lock(self, way: "WayOut") -> None:
        from backlit.tui.app.locked import WayOut
        from backlit.tui.app.projects import choose_other_profile

        match way:
            case WayOut.SIGN_IN:
                await self._ask_to_sign_in()
            case WayOut.PROFILE:
                await choose_other_profile(cast("ProjectCommandTarget", self._app))
            case WayOut.QUIT:
                self._app.exit()
        self._follow_lock()

    def _must_not_be_locked(self, mode: str = "") -> None:
        if self._app.current_mode == LOCKED != mode:
            raise CannotAct("The local copy is locked. Sign in first.")

    async def open(self, message: OpenItem) -> None:
        """Show an item at a place; go back to a screen that shows it.

        Raises CannotAct where that is on top, and while the local copy is locked.
        """
        self._must_not_be_locked()
        if message.place is ItemDestination.BACKLOG:
            await self.go_to_item(message.item_id)
            return
        if message.place is ItemDestination.GROOM:
            from backlit.tui.groom.screen import open_item

            await open_item(self._app, self._store, message.item_id)
            return
        is_to_edit = message.place is ItemDestination.NAME
        wanted = (message.item_id, ItemDestination.EDITOR if is_to_edit else message.place, message.comment_id)
        shown = [each.shown_place for each in self._app.screen_stack if isinstance(each, StoreScreen)]
        if shown and shown[-1] == wanted and not is_to_edit:
            verb = "is" if message.place in {ItemDestination.EDITOR, ItemDestination.HISTORY} else "are"
            raise CannotAct(f"The {message.place} of the item {verb} already open.")
        if wanted not in shown:
            await self._show_tab(message, shown[-1] if shown else None)
        while wanted in shown and isinstance(self._app.screen, StoreScreen) and self._app.screen.shown_place != wanted:
            if not await self._app.screen.may_leave():
                return
            self._app.pop_screen()
        if is_to_edit and isinstance(self._app.screen, ItemScreen):
            await self._app.screen.open_field("Name")

    async def _show_tab(self, message: OpenItem, shown: tuple[int, ItemDestination, int | None] | None) -> None:
        """Show an item in place of another tab of it; the editor stays below with its draft."""
        is_other = shown is None or shown[0] != message.item_id or message.comment_id is not None
        if is_other or (shown is not None and shown[1] is ItemDestination.EDITOR):
            await self._app.push_screen(self._make_at(message))
        elif not isinstance(self._app.screen, StoreScreen) or await self._app.screen.may_leave():
            await self._app.switch_screen(self._make_at(message))

    # Making screens, each imported when it is first shown

    def _make_at(self, message: OpenItem) -> StoreScreen[None]:
        if message.place in {ItemDestination.EDITOR, ItemDestination.NAME}:
            from backlit.tui.editor.screen import ItemEditorScreen

            return ItemEditorScreen(self._store, message.item_id)
        if message.place in TABS_OF_ROWS:
            module, name = TABS_OF_ROWS[message.place]
            make = getattr(import_module(f"backlit.tui.{module}"), name)
            return cast("StoreScreen[None]", make(self._store, message.item_id))
        if message.place is ItemDestination.HISTORY:
            from backlit.tui.history.screen import HistoryScreen

            return HistoryScreen(self._store, message.item_id, message.field)
        from backlit.tui.attachments.screen import AttachmentsScreen

        return AttachmentsScreen(self._store, message.item_id, message.comment_id)

    def _make_board(self) -> "BoardScreen":
        from backlit.tui.board.screen import BoardScreen

        return BoardScreen(self._store, self.shared, self._board)

    def _make_plan(self) -> "PlanScreen":
        from backlit.tui.plan.screen import PlanScreen

        return PlanScreen(self._store, self.shared)

    def _make_tree(self, kind: TreeKind) -> "TreeScreen":
        from backlit.tui.trees.screen import TreeScreen

        return TreeScreen(self._store, kind, lambda: self.shared.now.node)

    def _make_locked(self) -> "LockedScreen":
        from backlit.tui.app.locked import LOCKED_SENTENCE, LockedScreen

        owner, waiting = plain(self._store.engine.owner), self._store.outbox.pending
        changes = counted(waiting, "change is", "changes are")
        kept = [f"{changes} waiting to be sent, and kept."] if waiting else []
        return LockedScreen(LOCKED_SENTENCE.format(whom=f"{owner} signs" if owner else "you sign"), *kept)

    def _make_reports(self) -> "ReportsScreen":
        from backlit.tui.reports.screen import ReportsScreen

        return ReportsScreen(self._store)
