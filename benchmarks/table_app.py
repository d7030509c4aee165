"""A stock DataTable of as many rows as the first argument says; `j` moves its cursor, `q` quits."""

import sys
from typing import ClassVar

from textual.app import App, ComposeResult
from textual.binding import Binding
from textual.widgets import DataTable


class TableApp(App[None]):
    """Rows of a backlog in Textual's own table, all of them in memory."""

    ENABLE_COMMAND_PALETTE = False
    BINDINGS: ClassVar = [Binding("j", "simulate_key('down')"), Binding("q", "quit")]

    def compose(self) -> ComposeResult:
        """The table alone."""
        yield DataTable(cursor_type="row")

    def on_mount(self) -> None:
        """Fill it."""
        table = self.query_one(DataTable)
        table.add_columns("Number", "Name", "Status", "Points", "Owner")
        rows = range(1, int(sys.argv[1]) + 1)
        table.add_rows((number, f"row {number} of the table", "Active", number % 13, "maya") for number in rows)


if __name__ == "__main__":
    TableApp().run()
