"""What a profile's copy has, by name, for the completion of words: read only, and whatever its age."""

import json
import sqlite3
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager

from backlit.store.journal.schema import COMMANDS_PROJECT
from backlit.store.reading import opened, value_of

MOST = 200
"""The most names of a kind that are read."""
_CHOSEN = "SELECT value FROM settings WHERE key = ?"
_FIRST = "SELECT min(id) FROM resources WHERE kind = 'project'"
_ITEMS = (
    "SELECT id, name FROM items WHERE project_id = ? AND CAST(id AS TEXT) LIKE ? || '%'"
    " ORDER BY is_open DESC, id LIMIT ?"
)
_RESOURCES = "SELECT doc FROM resources WHERE kind = ? AND project_id = ? ORDER BY id LIMIT ?"
_LEARNT = "SELECT DISTINCT value FROM learnt WHERE project_id = ? AND kind = ? LIMIT ?"

Named = Iterator[tuple[str, str]]
"""Words with their help."""


class CopiedNames:
    """The names of the project that commands show."""

    def __init__(self, mirror: sqlite3.Connection, project_id: int) -> None:
        self._mirror = mirror
        self._project_id = project_id

    def items(self, begin: str) -> Named:
        """Yield the items whose number begins so, open ones first."""
        for number, name in self._mirror.execute(_ITEMS, (self._project_id, begin, MOST)):
            yield str(number), name

    def resources(self, kind: str) -> Named:
        """Yield the projects, users, areas or iterations by name; of users the name that signs in."""
        project_id = 0 if kind in {"project", "user"} else self._project_id
        for (doc,) in self._mirror.execute(_RESOURCES, (kind, project_id, MOST)):
            found = json.loads(doc)
            yield str(found.get("name") or ""), str(found.get("displayName") or "")

    def learnt(self, kind: str) -> Named:
        """Yield the values that items have: `status`, `tag` or `team`."""
        return ((str(value), "") for (value,) in self._mirror.execute(_LEARNT, (self._project_id, kind, MOST)))


@contextmanager
def copied_names(mirror: str, journal: str) -> Iterator[CopiedNames]:
    """Open a profile's files; raise sqlite3.Error where there are none."""
    with ExitStack() as open_files:
        of_mirror, of_journal = (open_files.enter_context(closing(opened(path))) for path in (mirror, journal))
        chosen = value_of(of_journal, _CHOSEN, COMMANDS_PROJECT) or value_of(of_mirror, _FIRST)
        yield CopiedNames(of_mirror, int(str(chosen or 0)))
