"""Since you looked: what others changed, made, deleted and wrote, field by field, until the user has seen it."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import datetime

import orjson

from backlit.model.fields import FIELD_BY_KEY
from backlit.store.changes import Change, Signal, Subject
from backlit.store.database import ids_json
from backlit.store.files import Files, Writer
from backlit.store.news import NewsKind, NewsRecord
from backlit.store.rows import fields_in, moment

FEED = 500
"""Comments that the feed goes back."""

_ORDER = {key: number for number, key in enumerate(FIELD_BY_KEY)}


@dataclass(frozen=True, slots=True)
class FieldNews:
    """A field as the user last saw it, and as the service has it now."""

    key: str
    before: object
    after: object


@dataclass(frozen=True, slots=True)
class InboxComment:
    """A comment as the feed and the news show it; one that is not sent yet has no time."""

    id: int
    item_id: int
    text: str
    author: str
    created_at: datetime | None
    is_internal: bool


@dataclass(frozen=True, slots=True)
class ItemNews:
    """What is new of one item; one that is gone has only a name, one that is new no `fields`.

    `authors` are those who are known to have done it, the latest first; empty where the service does not say.
    """

    item_id: int
    kind: NewsKind
    type: str
    name: str
    fields: tuple[FieldNews, ...]
    comments: tuple[InboxComment, ...]
    authors: tuple[str, ...]
    at: datetime | None


class Inbox:
    """Reads the news of the current project, and notes what the user has seen."""

    def __init__(self, files: Files, signal: Signal, project: Callable[[], int | None]) -> None:
        self._files = files
        self._signal = signal
        self._project = project

    def unread(self) -> int:
        """How many items have news; cheap enough for every drawing."""
        return self._files.journal.news.count(self._project() or 0)

    def ids(self) -> list[int]:
        """The items that have news, the latest news first."""
        return self._files.journal.news.ids(self._project() or 0)

    def news(self, item_id: int) -> ItemNews | None:
        """What is new of an item; None where that has been seen."""
        record = self._files.journal.news.records([item_id]).get(item_id)
        if record is None:
            return None
        found = self._files.mirror.execute(
            "SELECT coalesce(base, doc) FROM documents WHERE id = ?", (item_id,)
        ).fetchone()
        has = fields_in(orjson.loads(found[0])) if found else {}
        return ItemNews(
            item_id,
            record.kind,
            record.type,
            str(has.get("Name") or record.name),
            tuple(FieldNews(key, record.base[key], has.get(key)) for key in sorted(record.base, key=_place)),
            self._comments("id IN (SELECT value FROM json_each(?)) ORDER BY id", ids_json(record.comments)),
            tuple(record.authors),
            moment(record.noted_at),
        )

    def feed(self) -> tuple[InboxComment, ...]:
        """The project's latest comments, the newest first, seen or not."""
        return self._comments(
            f"project_id = ? AND pending = 0 ORDER BY created_at DESC, id DESC LIMIT {FEED}", self._project() or 0
        )

    def unread_comments(self) -> frozenset[int]:
        """The ids of the project's comments that have not been seen."""
        return frozenset(self._files.journal.news.comment_ids(self._project() or 0))

    def _comments(self, where: str, value: object) -> tuple[InboxComment, ...]:
        sql = f"SELECT id, item_id, text, author, created_at, is_internal FROM comments WHERE {where}"  # noqa: S608 # constants
        return tuple(
            InboxComment(comment_id, item_id, text, author, moment(created), bool(internal))
            for comment_id, item_id, text, author, created, internal in self._files.mirror.execute(sql, (value,))
        )

    async def seen(self, item_ids: Iterable[int]) -> None:
        """The user has seen these items and their comments as they are; costs nothing where there was no news."""
        found = self._files.journal.news.records(self._files.journal.real_id(each) for each in item_ids)
        if found:
            await self._files.write(lambda writer: self._forget(writer, found))

    def _forget(self, writer: Writer, records: dict[int, NewsRecord]) -> None:
        if writer.journal.news.forget(records):
            self._signal.publish(Change(Subject.INBOX, frozenset(records)))

    async def all_seen(self, *, everywhere: bool = False) -> None:
        """The user has seen all that is new in the current project, or in every project."""
        project_id = None if everywhere else self._project() or 0

        def act(writer: Writer) -> None:
            if writer.journal.news.forget_project(project_id):
                self._signal.publish(Change(Subject.INBOX))

        await self._files.write(act)


def _place(key: str) -> tuple[int, str]:
    """The field's place in the field table; a project's own fields come last."""
    return _ORDER.get(key, len(_ORDER)), key
