"""The board as a place of the application, filtered as the backlog is."""

from typing import TYPE_CHECKING

from backlit.model.boards import BoardSettings
from backlit.store.store import Store
from backlit.tui.jump_acts import JumpActs
from backlit.tui.live_filter import Filtering

if TYPE_CHECKING:
    from backlit.tui.screens.board import BoardScreen


class BoardActs(JumpActs, inherit_bindings=False):
    """An application with a board; its filter is handed to the backlog, and the backlog's to it."""

    def __init__(self, store: Store, board: BoardSettings) -> None:
        super().__init__(store)
        self._board_settings = board

    def board_screen(self) -> "BoardScreen":
        """Make the board's screen, when it is first gone to."""
        from backlit.tui.screens.board import BoardScreen

        return BoardScreen(self.store, self._board_settings, self._filtering)

    def _filtering(self) -> Filtering:
        """By what the backlog is filtered at present."""
        return self.backlog.filtering if self.backlog is not None else Filtering()

    def do_app_board(self, _count: int | None) -> None:
        """Go to the board."""
        self._go("board")

    def on_board_screen_filtered(self, message: "BoardScreen.Filtered") -> None:
        """Filter the backlog as the board is."""
        if self.backlog is not None:
            self.backlog.take_filtering(message.filtering)
