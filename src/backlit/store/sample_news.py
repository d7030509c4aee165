"""The first inbox of the sample: the last changes of others, which the service recorded before the first sync."""

from collections.abc import Awaitable, Callable, Iterable
from datetime import timedelta

from backlit.model.errors import BacklitError
from backlit.store.files.files import LocalDatabase, WriteContext
from backlit.store.journal.inbox import InboxRecord, NewsKind
from backlit.store.records.changes import StoreChange, Subject
from backlit.store.records.item import fields_in
from backlit.store.records.item_changes import HistoryRecord
from backlit.store.records.people import Person

NEWS = 4
"""The number of items in the first inbox."""
_RECENT = timedelta(hours=4)
"""Time before the newest change, after which a change is news."""
_SETTING = "sample news"
_LAST_CHANGED = """
SELECT item_id, max(at) FROM (
  SELECT id AS item_id, json_extract(doc, '$.lastModifiedAt') AS at, json_extract(doc, '$.lastModifiedBy') AS author
  FROM documents WHERE json_extract(doc, '$.projectId') = ?1
  UNION ALL SELECT item_id, created_at, author FROM comments WHERE project_id = ?1
) WHERE author != ?2 AND at IS NOT NULL GROUP BY item_id ORDER BY 2 DESC LIMIT ?3
"""


class SampleNews:
    """The inbox of a sample whose user has looked at nothing yet."""

    def __init__(
        self,
        files: LocalDatabase,
        read_history: Callable[[int, bool], Awaitable[None]],
        me: Callable[[], Person | None],
    ) -> None:
        self._files = files
        self._read_history = read_history
        self._me = me

    async def begin(self, project_id: int) -> None:
        """Note the last changes of others, once a project. A service that tells no history leaves the inbox empty."""
        key = f"{_SETTING} {project_id}"
        if await self._files.write(lambda writer: writer.journal.settings.value(key) is not None):
            return
        user = self._me()
        me = user.username if user else ""
        values = project_id, me, NEWS
        found = await self._files.read(lambda connection: connection.execute(_LAST_CHANGED, values).fetchall())
        item_ids = [item_id for item_id, _ in found]
        try:
            for item_id in item_ids:
                await self._read_history(item_id, False)
        except BacklitError:
            return
        await self._files.write(lambda writer: _note(writer, key, item_ids, me))


def _note(writer: WriteContext, key: str, item_ids: Iterable[int], me: str) -> None:
    records = []
    for item_id, kept in writer.mirror.item_changes.of_items(item_ids).items():
        changes = [change for change in kept.changes if change.author != me]
        documents = writer.mirror.received([item_id])
        if item_id in documents and changes:
            records.append(_record(item_id, documents[item_id], changes))
    writer.journal.settings.keep(key, "noted")
    if ids := writer.journal.inbox.put(records):
        writer.signal.publish(StoreChange(Subject.INBOX, ids))


def _record(item_id: int, document: dict[str, object], changes: list[HistoryRecord]) -> InboxRecord:
    """Return what is new of an item; its changes are given newest first."""
    newest = changes[0].at
    recent = [each for each in changes if newest and each.at and each.at > newest - _RECENT]
    base: dict[str, object] = {}
    for change in recent:
        if change.kind == "item" and change.act == "changed":
            base |= {key: before for key, (before, _) in change.fields.items()}
    return InboxRecord(
        item_id,
        int(str(document["projectId"])),
        NewsKind.CHANGED,
        str(document["type"]),
        str(fields_in(document).get("Name") or ""),
        base,
        [change.object_id for change in recent if change.kind == "comment" and change.act == "created"],
        tuple(dict.fromkeys(change.author for change in recent)),
        newest.isoformat() if newest else None,
    )
