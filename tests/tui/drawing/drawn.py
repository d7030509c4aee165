"""A terminal drawn by pyte, for comparing what two ways of writing the same come to."""

import pyte

SEEN_ON_BLANKS = ("bg", "underscore", "strikethrough", "reverse")


class Drawn:
    """A terminal that does not wrap lines, as Textual sets it."""

    def __init__(self, width: int, height: int) -> None:
        self.screen = pyte.Screen(width, height)
        self._stream = pyte.Stream(self.screen)
        self._stream.feed("\x1b[?7l")

    def feed(self, sequence: str) -> None:
        self._stream.feed(sequence)

    def cells(self) -> list[list[tuple[object, ...]]]:
        """What is seen in every cell; of blanks only what can be seen."""
        lines = self.screen.buffer
        return [
            [_seen(lines[y][x]) for x in range(self.screen.columns)] for y in range(self.screen.lines)
        ]  # fmt: skip

    @property
    def cursor(self) -> tuple[int, int]:
        return self.screen.cursor.x, self.screen.cursor.y


def _seen(cell: pyte.screens.Char) -> tuple[object, ...]:
    if cell.data != " ":
        return tuple(cell)
    return (" ", *(getattr(cell, name) for name in SEEN_ON_BLANKS), cell.fg if cell.reverse else None)
