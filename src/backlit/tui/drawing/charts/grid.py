"""Cells that are drawn into one by one and read as lines."""

from itertools import groupby

from backlit.tui.drawing.charts.signs import Piece, Row


class Grid:
    """A block of cells, blank at first; what is put outside of it is dropped."""

    def __init__(self, width: int, height: int) -> None:
        self.width = width
        self._cells: list[list[Piece]] = [[(" ", "foreground")] * width for _ in range(height)]

    def put(self, x: int, y: int, text: str, colour: str) -> None:
        """Write text of narrow characters from a cell on."""
        for at, character in enumerate(text, x):
            if 0 <= y < len(self._cells) and 0 <= at < self.width:
                self._cells[y][at] = (character, colour)

    def is_free(self, x: int, y: int, count: int) -> bool:
        """Whether some cells of a line are in the grid and blank."""
        return x >= 0 and x + count <= self.width and all(self._cells[y][at][0] == " " for at in range(x, x + count))

    def rows(self) -> list[Row]:
        """The lines, neighbours of one colour together."""
        return [
            tuple(
                ("".join(text for text, _ in cells), colour)
                for colour, cells in groupby(line, key=lambda cell: cell[1])
            )
            for line in self._cells
        ]
