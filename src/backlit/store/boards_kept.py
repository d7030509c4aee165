"""How each project's board was left: what its columns and swimlanes stand for, and which columns are collapsed."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

import orjson

from backlit.store.files import Files

_SETTING = "board"


@dataclass(frozen=True, slots=True)
class BoardKept:
    """What was chosen by key: fields of columns and lanes, and by a column's first value whether it is collapsed."""

    columns: str
    lanes: str
    collapsed: Mapping[object, bool] = field(default_factory=dict)


class BoardsKept:
    """Keeps it in the journal, for as long as the settings say what they said when it was chosen."""

    def __init__(self, files: Files, project: Callable[[], int | None]) -> None:
        self._files = files
        self._project = project

    def found(self, usual: BoardKept) -> BoardKept:
        """How the current project's board was left; as the settings have it where that is not known."""
        text = self._files.journal.settings.value(self._key())
        kept = orjson.loads(text) if text else {}
        if kept.get("usual") != [usual.columns, usual.lanes]:
            return usual
        return BoardKept(kept["columns"], kept["lanes"], dict(kept["collapsed"]))

    async def keep(self, usual: BoardKept, board: BoardKept) -> None:
        """Remember how the board is now."""
        key = self._key()
        kept = {
            "usual": [usual.columns, usual.lanes],
            "columns": board.columns,
            "lanes": board.lanes,
            "collapsed": [*board.collapsed.items()],
        }
        text = orjson.dumps(kept).decode()
        await self._files.write(lambda writer: writer.journal.settings.keep(key, text))

    def _key(self) -> str:
        return f"{_SETTING} {self._project() or 0}"
