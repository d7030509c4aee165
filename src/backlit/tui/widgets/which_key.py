"""The popup that lists what can follow a chord that was begun."""

from collections.abc import Sequence

from textual.content import Content
from textual.widgets import Static

from backlit.tui.commands import Command, spelled

COLUMNS = 4


class WhichKey(Static):
    """Keys and their labels, in as many columns as it takes; gone with the next key."""

    def __init__(self, chord: Sequence[str], continuations: Sequence[tuple[str, Command]]) -> None:
        entries = [(f"{spelled(' '.join(chord))}{spelled(rest)}", command.label) for rest, command in continuations]
        rows = -(-len(entries) // COLUMNS)
        columns = [entries[start : start + rows] for start in range(0, len(entries), rows)]
        widths = [max(len(key) + len(label) for key, label in column) + 4 for column in columns]
        lines = []
        for row in range(rows):
            cells = [
                Content.assemble(
                    (f"{column[row][0]} ", "bold $accent"), column[row][1].ljust(width - len(column[row][0]))
                )
                for column, width in zip(columns, widths, strict=True)
                if row < len(column)
            ]
            lines.append(Content("").join(cells))
        super().__init__(Content("\n").join(lines))
