"""The application: one store, the modes over it, the store's changes, and what can be done everywhere."""

import threading
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from textual.filter import LineFilter

from backlit.config import DEFAULT_THEME, ESTIMATE_SCALE
from backlit.model.boards import USUAL_BOARD, BoardSettings
from backlit.model.planning import OwnCapacities
from backlit.store.changes import Change, ConnectionState, Subject
from backlit.store.people import TreeKind
from backlit.store.store import Store
from backlit.tui import themes
from backlit.tui.acting import CannotAct
from backlit.tui.collecting import spare_what_stays
from backlit.tui.gathered import Gathered
from backlit.tui.node_filter import FilterAsked, NodeFilter
from backlit.tui.project_acts import ProjectActs
from backlit.tui.screens.backlog import BacklogScreen
from backlit.tui.screens.base import StoreScreen
from backlit.tui.sturdy import Sturdy, goes_on, say_failed, storage_error_of
from backlit.tui.text import SafeFilter
from backlit.tui.view_files import ViewFiles

if TYPE_CHECKING:
    from backlit.model.templates import Template
    from backlit.tui.screens.reports import ReportsScreen
    from backlit.tui.screens.tree import TreeScreen

STYLES = Path(__file__).parent / "styles"
FRAME = 1 / 30
INTERRUPT_WINDOW = 2.0


class BacklitApp(Sturdy, ProjectActs, inherit_bindings=False):
    """Six modes (backlog, board, plan, areas, iterations, reports) stay mounted; others are pushed over them."""

    TITLE = "backlit"
    CSS_PATH = [STYLES / "app.tcss"]
    ENABLE_COMMAND_PALETTE = False

    def __init__(
        self,
        store: Store,
        theme: str = DEFAULT_THEME,
        theme_folder: Path | None = None,
        estimate_scale: Sequence[float] = ESTIMATE_SCALE,
        *,
        images: str = "auto",
        board: BoardSettings | None = None,
        capacities: OwnCapacities | None = None,
        view_files: ViewFiles | None = None,
        templates: Sequence["Template"] = (),
        profiles: Sequence[str] = (),
    ) -> None:
        super().__init__(store, board or USUAL_BOARD, profiles)
        self.images = images
        self.view_files = view_files
        self.estimate_scale = estimate_scale
        self.capacities = capacities or OwnCapacities()
        self.templates = templates
        self._gathered = Gathered()
        self._gathering = threading.Lock()
        self._published_at = 0.0
        self._unsubscribe: Callable[[], None] | None = None
        self._interrupted_at = -INTERRUPT_WINDOW
        self._asked_to_sign_in = False
        self._offered_themes, self._theme_errors = themes.load_themes(theme_folder)
        for each in self._offered_themes:
            self.register_theme(each)
        self._wanted_theme = theme
        self.theme = theme if theme in self.available_themes else "backlit"
        self.animation_level = "none"
        self.add_mode("backlog", lambda: BacklogScreen(store))
        self.add_mode("board", self.board_screen)
        self.add_mode("plan", self.plan_screen)
        self.add_mode("areas", lambda: self._tree_screen(TreeKind.AREAS))
        self.add_mode("reports", lambda: _reports_screen(store))
        self.add_mode("iterations", lambda: self._tree_screen(TreeKind.ITERATIONS))

    # Life

    def on_mount(self) -> None:
        """Open the backlog."""
        self._unsubscribe = self.store.subscribe(self._store_changed)
        self.switch_mode("backlog")
        if self._wanted_theme != self.theme:
            self._theme_errors.append(f"There is no theme “{self._wanted_theme}”; tT lists them.")
        for sentence in self._theme_errors:
            self.say(sentence, is_bad=True)

    def on_backlog_screen_painted(self) -> None:
        """Read the views and start the store's engine, which imports much, now that the rows are on the screen."""
        for screen in (each for stack in self._screen_stacks.values() for each in stack):
            if self.view_files is not None and isinstance(screen, BacklogScreen):
                screen.read_views(self.view_files)
        self.set_timer(FRAME, self.store.start)
        spare_what_stays(self)

    def on_unmount(self) -> None:
        """Stop listening; the store belongs to whoever made it."""
        if self._unsubscribe:
            self._unsubscribe()

    def get_theme_variable_defaults(self) -> dict[str, str]:
        """Our own colour names, for themes that do not give them."""
        return dict(themes.VARIABLE_DEFAULTS)

    def get_line_filters(self) -> list[LineFilter]:
        """Textual's filters, then the last gate against control characters."""
        return [*super().get_line_filters(), SafeFilter()]

    # The store's changes

    def _store_changed(self, change: Change) -> None:
        """Gather (on the store's threads), and have the screens told once a frame."""
        with self._gathering:
            is_first = not self._gathered
            self._gathered.add(change)
        if is_first:
            self.call_later(self._publish_soon)
        if change.sentence:
            self.call_later(self.say, change.sentence)

    def _publish_soon(self) -> None:
        """After a pause at once, so that what a key does is seen soon; else when the frame is over."""
        wait = self._published_at + FRAME - time.monotonic()
        if wait > 0:
            self.set_timer(wait, self._publish)
        else:
            self._publish()

    def _publish(self) -> None:
        if not self.is_running:
            return  # its screens are being closed
        self._published_at = time.monotonic()
        with self._gathering:
            gathered, self._gathered = self._gathered, Gathered()
        visible = set(self.screen_stack)
        for stack in self._screen_stacks.values():
            for screen in stack:
                if isinstance(screen, StoreScreen):
                    screen.take_changes(gathered, is_visible=screen in visible)
        if Subject.CONNECTION in gathered:
            self._connection_changed()

    def _connection_changed(self) -> None:
        is_out = self.store.connection.state is ConnectionState.SIGNED_OUT
        if is_out and not self._asked_to_sign_in:
            from backlit.tui.screens.sign_in import SignInScreen

            self.push_screen(SignInScreen(self.store))
        self._asked_to_sign_in = is_out

    def _handle_exception(self, error: Exception) -> None:
        """Say what the disk refused; leave where a part of the screen ended with it, and say why there."""
        failed = storage_error_of(error)
        if failed is None:
            super()._handle_exception(error)
        elif goes_on(error):
            say_failed(self, failed)
        else:
            self.exit(return_code=1, message=failed.message)

    # Places

    def _tree_screen(self, kind: TreeKind) -> "TreeScreen":
        from backlit.tui.screens.tree import TreeScreen

        return TreeScreen(self.store, kind, self._node_filter)

    def _node_filter(self) -> NodeFilter | None:
        """The node through which the backlog is seen at present."""
        return self.backlog.node if self.backlog is not None else None

    def switch_to(self, mode: str) -> None:
        """Show a mode, without what lies over it; raises CannotAct where that would lose something."""
        over = self.screen_stack[1:]
        if not all(isinstance(screen, StoreScreen) and screen.LOSES_NOTHING for screen in over):
            raise CannotAct("The editor is open; q closes it first.")
        for _screen in over:
            self.pop_screen()
        self.switch_mode(mode)

    def do_app_backlog(self, _count: int | None) -> None:
        """Go to the backlog."""
        self._go("backlog")

    def do_app_areas(self, _count: int | None) -> None:
        """Go to the areas."""
        self._go("areas")

    def do_app_iterations(self, _count: int | None) -> None:
        """Go to the iterations."""
        self._go("iterations")

    def on_filter_asked(self, message: FilterAsked) -> None:
        """Show the backlog through the node that a tree names."""
        self._go("backlog")
        if self.backlog is not None:
            self.backlog.filter_by(message.node)

    def do_app_outbox(self, _count: int | None) -> None:
        """Show what waits to be sent."""
        from backlit.tui.screens.outbox import OutboxScreen

        if any(isinstance(screen, OutboxScreen) for screen in self.screen_stack):
            raise CannotAct("The outbox is open already.")
        self.push_screen(OutboxScreen(self.store))

    def do_app_inbox(self, _count: int | None) -> None:
        """Show what others did since the user looked."""
        from backlit.tui.screens.inbox import InboxScreen

        if any(isinstance(screen, InboxScreen) for screen in self.screen_stack):
            raise CannotAct("The inbox is open already.")
        self.push_screen(InboxScreen(self.store))

    def do_app_back(self, _count: int | None) -> None:
        """Close what lies on top, else go to the backlog, else quit."""
        if len(self.screen_stack) > 1:
            self.pop_screen()
        elif self.current_mode != "backlog":
            self.switch_mode("backlog")
        else:
            self._leave()

    def _leave(self) -> None:
        """Quit; ask first where the service does not have everything yet."""
        waiting = self.store.outbox.pending
        if not waiting:
            self.exit()
            return
        from backlit.tui.dialogs.confirm import Answer, ConfirmDialog

        def answered(key: str | None) -> None:
            if key is not None:
                self.exit()

        changes = "One change waits" if waiting == 1 else f"{waiting:,} changes wait"
        sentence = f"{changes} to be sent. They are kept, and sent when backlit is opened again."
        self.push_screen(ConfirmDialog("Quit", sentence, [Answer("y", "quit")]), answered)

    def do_app_unwind(self, _count: int | None) -> None:
        """Close what lies on top; never quits."""
        if len(self.screen_stack) > 1:
            self.pop_screen()
        elif self.current_mode != "backlog":
            self.switch_mode("backlog")

    def do_app_interrupt(self, _count: int | None) -> None:
        """Stop what is running; quit at the second press within two seconds."""
        is_running = isinstance(self.screen, StoreScreen) and self.screen.stop_running()
        if self.stop_playing() or is_running:
            return
        now = time.monotonic()
        if now - self._interrupted_at <= INTERRUPT_WINDOW:
            self.exit()
        self._interrupted_at = now
        if self.store.connection.state is ConnectionState.LOADING:
            self.store.cancel()
            self.say("Loading stops, and R goes on with it. Press ctrl+c again to quit.")
        else:
            self.say("Press ctrl+c again to quit.")


def _reports_screen(store: Store) -> "ReportsScreen":
    """Imported when it is first shown."""
    from backlit.tui.screens.reports import ReportsScreen

    return ReportsScreen(store)
