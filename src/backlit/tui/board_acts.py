"""The board and the plan as places of the application, filtered as the backlog is."""

from typing import TYPE_CHECKING

from backlit.model.boards import BoardSettings
from backlit.store.store import Store
from backlit.tui.jump_acts import JumpActs
from backlit.tui.live_filter import Filtering
from backlit.tui.view_files import ViewFiles

if TYPE_CHECKING:
    from backlit.tui.screens.board import BoardScreen
    from backlit.tui.screens.plan import PlanScreen
    from backlit.tui.shared_filter import SharedFilter


class BoardActs(JumpActs, inherit_bindings=False):
    """An application with a board and a plan; their filter is handed to the backlog, and the backlog's to them."""

    view_files: ViewFiles | None = None

    def __init__(self, store: Store, board: BoardSettings) -> None:
        super().__init__(store)
        self._board_settings = board

    def board_screen(self) -> "BoardScreen":
        """Make the board's screen, when it is first gone to."""
        from backlit.tui.screens.board import BoardScreen

        screen = BoardScreen(self.store, self._board_settings)
        screen.share(self._filtering, self.view_files)
        return screen

    def plan_screen(self) -> "PlanScreen":
        """Make the plan's screen, when it is first gone to."""
        from backlit.tui.screens.plan import PlanScreen

        screen = PlanScreen(self.store)
        screen.share(self._filtering, self.view_files)
        return screen

    def _filtering(self) -> Filtering:
        """By what the backlog is filtered at present."""
        return self.backlog.filtering if self.backlog is not None else Filtering()

    def do_app_board(self, _count: int | None) -> None:
        """Go to the board."""
        self._go("board")

    def do_app_plan(self, _count: int | None) -> None:
        """Go to the plan."""
        self._go("plan")

    def on_shared_filter_filtered(self, message: "SharedFilter.Filtered") -> None:
        """Filter the backlog as the board or the plan is."""
        if self.backlog is not None:
            self.backlog.take_filtering(message.filtering)
