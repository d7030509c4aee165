"""A block of cells that a chart is drawn into."""

from backlit.tui.drawing.charts import ON, Piece, Row, joined

FULL, LOWER_HALF = "█", "▄"
NO_DOTS, ALL_DOTS = "\u2800", "\u28ff"


class CellGrid:
    """A block of cells, blank at first; text outside of it is dropped."""

    def __init__(self, width: int, height: int) -> None:
        self.width = width
        self._cells: list[list[Piece]] = [[(" ", "foreground")] * width for _ in range(height)]

    def put(self, x: int, y: int, text: str, colour: str) -> None:
        for at, character in enumerate(text, x):
            if 0 <= y < len(self._cells) and 0 <= at < self.width:
                self._cells[y][at] = (character, colour)

    def put_over(self, x: int, y: int, text: str, colour: str) -> None:
        """Write a text that keeps the ground of the cells below it."""
        for at, character in enumerate(text, x):
            if 0 <= y < len(self._cells) and 0 <= at < self.width:
                _, on, ground = self._cells[y][at][1].partition(ON)
                self._cells[y][at] = (character, f"{colour}{on}{ground}")

    def put_dot(self, x: int, y: int, dot: int, colour: str) -> None:
        """Add a dot to a cell that is blank, full, or has dots alone: what half a cell has stays before it."""
        sign = self.sign(x, y)
        before = ord(sign) if NO_DOTS <= sign <= ALL_DOTS else ord(NO_DOTS)
        if sign == FULL:
            self.put(x, y, chr(dot | before), f"{colour}{ON}{self._cells[y][x][1]}")
        elif sign == " " or before != ord(NO_DOTS):
            self.put_over(x, y, chr(before | dot), colour)

    def put_behind(self, x: int, y: int, sign: str, colour: str) -> None:
        """Put a sign into the cells of a line, from one on, that nothing is drawn in."""
        if 0 <= y < len(self._cells):
            row = self._cells[y]
            row[x:] = [(sign, colour) if cell == (" ", "foreground") else cell for cell in row[x:]]

    def sign(self, x: int, y: int) -> str:
        """Return the sign of a cell; empty outside of the grid."""
        return self._cells[y][x][0] if 0 <= y < len(self._cells) and 0 <= x < self.width else ""

    def is_line(self, x: int, y: int, sign: str, count: int) -> bool:
        """Return whether some cells beside each other have the sign."""
        return all(self.sign(at, y) == sign for at in range(x, x + count))

    def is_free(self, x: int, y: int, count: int) -> bool:
        """Return whether some cells of a line are in the grid and blank."""
        is_inside = 0 <= y < len(self._cells) and x >= 0 and x + count <= self.width
        return is_inside and all(self._cells[y][at][0] == " " for at in range(x, x + count))

    def rows(self) -> list[Row]:
        return [tuple(joined(line)) for line in self._cells]
