"""Revisions of this client's own writes, by which it knows its echo among the changes that it follows."""

import asyncio
import re
from collections.abc import Collection, Mapping

import orjson

REVISION_HEADER = "backlit-revision"
MOST_REVISIONS = 1000
ANSWER_SECONDS = 1.0
"""Seconds that the answer to a write may be behind its echo."""
_KINDS = {
    "workitems": "item",
    "comments": "comment",
    "attachments": "file",
    "areas": "area",
    "iterations": "iteration",
    "views": "view",
}
_PATH = re.compile(r"(?:^|/)(" + "|".join(_KINDS) + r")(?:/(\d+))?(?:/[a-z]+)?$")

ChangedObject = tuple[str, int]
"""A kind of the stream of changes, and an id."""


class OwnWrites:
    """The last revision of each object that this client wrote."""

    def __init__(self) -> None:
        self._revisions: dict[ChangedObject, int] = {}
        self._on_their_way = 0
        self._answered = asyncio.Condition()

    def begin(self) -> None:
        self._on_their_way += 1

    async def end(self) -> None:
        self._on_their_way -= 1
        async with self._answered:
            self._answered.notify_all()

    def note(self, path: str, headers: Mapping[str, str], body: bytes) -> None:
        """Note the answer to a write."""
        written, revision = _PATH.search(path), headers.get(REVISION_HEADER, "")
        if written is None or not (revision.isascii() and revision.isdecimal()):
            return
        for identity in [int(written[2])] if written[2] else _ids_in(body):
            key = (_KINDS[written[1]], identity)
            self._revisions.pop(key, None)
            self._revisions[key] = int(revision)
        while len(self._revisions) > MOST_REVISIONS:
            del self._revisions[next(iter(self._revisions))]

    def covers(self, written: ChangedObject, revision: int) -> bool:
        """Report whether the answer to an own write of an object showed it with a revision, or newer."""
        return self._revisions.get(written, -1) >= revision

    async def settle(self, echoes: Collection[tuple[ChangedObject, int]]) -> None:
        """Wait for the answers to writes whose echoes may be these: the stream can be faster than an answer."""

        def is_settled() -> bool:
            return not self._on_their_way or all(self.covers(*echo) for echo in echoes)

        if is_settled():
            return
        try:
            async with asyncio.timeout(ANSWER_SECONDS), self._answered:
                await self._answered.wait_for(is_settled)
        except TimeoutError:
            return  # they are read as anybody's changes


def _ids_in(body: bytes) -> list[int]:
    """Return the ids of what was written: of one object, or of those of a batch."""
    try:
        found = orjson.loads(body)
    except orjson.JSONDecodeError:
        return []
    results = found.get("results") if isinstance(found, dict) else None
    documents = results if isinstance(results, list) else [found]
    ids = [each.get("id") for each in documents if isinstance(each, dict)]
    return [identity for identity in ids if isinstance(identity, int)]
