"""Full text search: items and comments that contain the words, the last one as a prefix."""

import re
import sqlite3
from collections.abc import Callable, Iterable, Sequence
from enum import StrEnum

from msgspec import Struct

from backlit.model.filters.matching import words_of
from backlit.store.files.files import LocalDatabase, WriteContext
from backlit.store.records.changes import StoreChange, Subject
from backlit.store.views.filter_sql import phrase_of
from backlit.store.views.view import View

MAX_MATCHES = 200
MAX_NEAR_WORDS, NEAR_RATIO, MAX_LENGTH_APART = 2, 0.75, 2
"""Words that may have been meant by one that no name has, how much of each is alike, and the letters more or less."""
BEFORE, AFTER = 24, 90
"""Characters shown before and after a match."""

_ITEMS = (
    "SELECT items.id, items.name, json_extract(CAST(doc AS TEXT), '$.fields.Description') FROM item_words"
    " JOIN items ON items.id = item_words.rowid JOIN documents ON documents.id = items.id"
    " WHERE item_words MATCH ? AND project_id = ? ORDER BY bm25(item_words, 10.0, 1.0) LIMIT ?"
)
_COMMENTS = (
    "SELECT items.id, comments.id, text FROM comments JOIN items ON items.id = comments.item_id"
    " WHERE comments.id IN (SELECT rowid FROM comment_words WHERE comment_words MATCH ?) AND items.project_id = ?"
    " ORDER BY comments.id DESC LIMIT ?"
)


class MatchField(StrEnum):
    """The place of a match."""

    NAME = "name"
    DESCRIPTION = "description"
    COMMENT = "comment"


class SearchHit(Struct, frozen=True):
    """A matching item. `snippet` is the original text around a match."""

    item_id: int
    place: MatchField
    snippet: str
    comment_id: int | None = None


class TextSearch:
    """The search of names, descriptions and comments in the current project, unsent ones included."""

    def __init__(self, files: LocalDatabase, project_id: Callable[[], int | None]) -> None:
        self._files = files
        self._project_id = project_id

    async def find(self, text: str, limit: int = MAX_MATCHES) -> list[SearchHit]:
        """Return items with all the words, the best first, then comments, the latest first, from the reading thread.

        Waiting items are indexed first, which takes some seconds for a whole large backlog.
        """
        wanted = " ".join(phrase for part in text.split() if (phrase := phrase_of(part)))
        if not wanted:
            return []
        await self.read_all()
        project_id = self._project_id()
        return await self._files.read(lambda mirror: _found(mirror, wanted, words_of(text), (project_id, limit)))

    async def near_words(self, word: str) -> Sequence[str]:
        """Return words of names in the project that are spelled nearly as one, the nearest first."""
        names = "SELECT name FROM items WHERE project_id = ?"
        values = (self._project_id(),)
        return await self._files.read(
            lambda mirror: _near_words(word.casefold(), (name for (name,) in mirror.execute(names, values)))
        )

    def unread(self, view: View) -> int:
        """Return the number of items missing from a list of words because they wait for indexing, 0 for other lists."""
        if not view.query.has_words:
            return 0
        return int(self._files.mirror.execute("SELECT count(*) FROM words_due").fetchone()[0])

    async def read_all(self) -> None:
        while await self._files.write(index_more):
            pass


def index_more(writer: WriteContext) -> bool:
    """Index a few waiting items of any process. Returns whether more wait.

    Lists of words are told once all items are indexed.
    """
    full_text = writer.mirror.full_text
    full_text.look()
    if full_text.index_some():
        writer.signal.publish(StoreChange(Subject.ITEMS))
    return full_text.is_due


def _found(mirror: sqlite3.Connection, wanted: str, words: list[str], rest: tuple[int | None, int]) -> list[SearchHit]:
    hits = []
    for item_id, name, description in mirror.execute(_ITEMS, (wanted, *rest)):
        place, text = (
            (MatchField.NAME, name) if _place_in(name, words) is not None else (MatchField.DESCRIPTION, description)
        )
        hits.append(SearchHit(item_id, place, snippet(str(text or ""), words)))
    hits += [
        SearchHit(item_id, MatchField.COMMENT, snippet(text, words), comment_id)
        for item_id, comment_id, text in mirror.execute(_COMMENTS, (wanted, *rest))
    ]
    return hits[: rest[1]]


_RUN = re.compile(r"\w+")


def _near_words(word: str, names: Iterable[str]) -> Sequence[str]:
    from difflib import get_close_matches  # only a list without matches needs it

    low, high = len(word) - MAX_LENGTH_APART, len(word) + MAX_LENGTH_APART
    # Name by name, as one search of all would hold the interpreter's lock. Words of another length are compared in
    # vain: with them 100,000 names of 20,000 words took 0.48 s of CPU, and take 0.30.
    words = {each for name in names for each in _RUN.findall(name.casefold()) if low <= len(each) <= high} - {word}
    return get_close_matches(word, words, MAX_NEAR_WORDS, NEAR_RATIO)


def _place_in(text: str, words: list[str]) -> int | None:
    for found in _RUN.finditer(text):
        parts = words_of(found[0])
        if any(part.startswith(word) for part in parts for word in words):
            within = found[0].casefold().find(words[0])
            return found.start() + max(0, within)
    return None


def snippet(text: str, words: list[str]) -> str:
    """Return the text around the longest word that it has on one line, with dots at the cuts."""
    places = (_place_in(text, [word]) for word in sorted(words, key=len, reverse=True))
    at = next((place for place in places if place is not None), 0)
    start, stop = max(0, at - BEFORE), min(len(text), at + AFTER)
    middle = " ".join(text[start:stop].split())
    return f"{'…' if start else ''}{middle}{'…' if stop < len(text) else ''}"
