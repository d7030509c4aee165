"""What the user has read, as the service keeps it: the inbox agrees with that of the user's other machines."""

import asyncio
import contextlib
from collections.abc import Awaitable, Callable, Mapping, Sequence
from datetime import datetime, timedelta
from functools import partial
from typing import TYPE_CHECKING, Any, Self

from msgspec import Struct
from msgspec.structs import replace

from backlit.model.errors import ServiceError, ServiceRefused
from backlit.store.files.files import LocalDatabase, WriteContext
from backlit.store.journal.inbox import EVERY, InboxRecord, NewsKind, ReadMark
from backlit.store.mirror.mirror import Mirror
from backlit.store.mirror.status_groups import CAPABILITIES
from backlit.store.records.changes import StoreChange, Subject
from backlit.store.records.item import fields_in, moment, whole
from backlit.store.records.merge import is_same
from backlit.store.remote.capabilities import UNREAD, announces
from backlit.store.remote.receiving import KEPT_AUTHORS, is_listed

if TYPE_CHECKING:
    from backlit.client.client import Client

MOST_UNREAD = 500
"""Activities that are read at once; an older one stays unread until the user has read its item or all."""
_BEFORE = timedelta(milliseconds=1)


class UnreadActivity(Struct, frozen=True):
    """An activity of somebody else that the user has not read, as far as the inbox tells it."""

    item_id: int
    subject: str
    verb: str
    object_id: int
    at: datetime
    author: str
    sentence: str
    changes: Mapping[str, object]
    """The values before by key."""
    type: str
    name: str

    @classmethod
    def read(cls, document: Mapping[str, Any]) -> Self | None:
        """Read a document of the service; None for one that cannot be read."""
        item_id, object_id, at = (
            whole(document.get("workItemId")),
            whole(document.get("objectId")),
            document.get("createdAt"),
        )
        found, changes, item = moment(at), document.get("changes"), document.get("workItem")
        if item_id is None or found is None or not isinstance(changes, list):
            return None
        item = item if isinstance(item, dict) else {}
        return cls(
            item_id,
            str(document.get("subject")),
            str(document.get("verb")),
            object_id or 0,
            found,
            str(document.get("createdBy") or ""),
            str(document.get("content") or ""),
            {str(each["field"]): each.get("old") for each in changes if isinstance(each, dict) and "field" in each},
            str(item.get("type") or ""),
            str(item.get("name") or ""),
        )


class UnreadReader:
    """Reader and writer of what is unread, at a service that keeps it."""

    def __init__(self, client: "Client", files: LocalDatabase) -> None:
        self._client = client
        self._files = files
        # An answer from before a mark was sent would bring back what the mark says is read.
        self._turn = asyncio.Lock()

    async def send(self, confirm: Callable[[], Awaitable[None]]) -> None:
        """Tell the service what the user has read; `confirm` checks who is signed in. Raises what prevents it."""
        marks = await self._files.write(lambda writer: writer.journal.inbox.read_marks())
        if not marks:
            return
        await confirm()
        async with self._turn:
            for mark in marks:
                project_id = None if mark.project_id == EVERY else mark.project_id
                item_ids = None if mark.item_id == EVERY else [mark.item_id]
                with contextlib.suppress(ServiceRefused):  # a service that keeps it no more need not be told
                    await self._client.mark_read(mark.until, project_id, item_ids)
                await self._files.write(partial(_drop, mark))

    async def read(self, project_id: int) -> None:
        """Have the inbox of a project agree with what is unread at the service. Raises Offline and SignInNeeded."""
        if self._client.is_in_process:
            return  # nobody reads a workspace of one user elsewhere
        async with self._turn:
            before = await self._files.write(lambda writer: _records(writer, project_id))
            if before is None:
                return
            try:
                page = await self._client.unread_activities(project_id, MOST_UNREAD)
            except (ServiceRefused, ServiceError):
                return
            results = page.get("results")
            if isinstance(results, list):
                found = [
                    activity for each in results if isinstance(each, dict) and (activity := UnreadActivity.read(each))
                ]
                is_whole = page.get("next") is None
                await self._files.write(partial(_agree, project_id, before, found, is_whole=is_whole))


def _drop(mark: ReadMark, writer: WriteContext) -> None:
    writer.journal.inbox.drop_read([mark])


def _records(writer: WriteContext, project_id: int) -> Sequence[InboxRecord] | None:
    """Return the records of a project; None where the service does not keep what is unread."""
    if not announces(writer.mirror.note(CAPABILITIES), UNREAD):
        return None
    return writer.journal.inbox.of_project(project_id)


def _agree(
    project_id: int,
    before: Sequence[InboxRecord],
    activities: Sequence[UnreadActivity],
    writer: WriteContext,
    *,
    is_whole: bool,
) -> None:
    """Drop records that were read elsewhere, and add those that this machine does not have."""
    marks = [mark for mark in writer.journal.inbox.read_marks() if mark.project_id in {project_id, EVERY}]
    unread: dict[int, list[UnreadActivity]] = {}
    for activity in activities:
        if not any(_covers(mark, activity) for mark in marks):
            unread.setdefault(activity.item_id, []).append(activity)
    oldest = min((activity.at for activity in activities), default=None)
    records = writer.journal.inbox.records({*unread, *(record.item_id for record in before)})
    read = [
        record.item_id
        for record in before
        if record.item_id not in unread
        and records.get(record.item_id) == record
        and (is_whole or oldest is None or (moment(record.noted_at) or oldest) > oldest)
        # An item that the user may no longer see left nothing in the history that they may see.
        and not (record.kind is NewsKind.GONE and not record.authors)
    ]
    told = [
        _joined(records.get(item_id), _of_item(writer.mirror, project_id, item_id, found))
        for item_id, found in unread.items()
    ]
    changed = [record for record in told if record != records.get(record.item_id)]
    forgotten = writer.journal.inbox.forget(read)
    if changed or forgotten:
        ids = writer.journal.inbox.put(changed)
        writer.signal.publish(StoreChange(Subject.INBOX, ids | frozenset(read)))


def _covers(mark: ReadMark, activity: UnreadActivity) -> bool:
    until = moment(mark.until)
    return mark.item_id in {activity.item_id, EVERY} and until is not None and activity.at <= until


def _of_item(mirror: Mirror, project_id: int, item_id: int, activities: Sequence[UnreadActivity]) -> InboxRecord:
    """Return the record that unread activities of an item make, which are given newest first."""
    document = mirror.received([item_id]).get(item_id)
    fields = fields_in(document) if document else {}
    verbs = {activity.verb for activity in activities if activity.subject == "item"}
    named = next((activity for activity in activities if activity.name), None)
    base: dict[str, object] = {}
    for activity in activities:
        if activity.subject == "item":
            base |= {key: value for key, value in activity.changes.items() if is_listed(key)}
    deleted = {
        activity.object_id for activity in activities if (activity.subject, activity.verb) == ("comment", "deleted")
    }
    kind = NewsKind.CHANGED
    if document is None and verbs & {"deleted", "moved"}:
        kind = NewsKind.GONE
    elif "created" in verbs:
        kind = NewsKind.NEW
    return InboxRecord(
        item_id,
        project_id,
        kind,
        str(document["type"]) if document else named.type if named else "",
        str(fields.get("Name") or "") or (named.name if named else ""),
        {key: value for key, value in base.items() if not is_same(value, fields.get(key))}
        if kind is NewsKind.CHANGED
        else {},
        sorted(
            activity.object_id
            for activity in activities
            if (activity.subject, activity.verb) == ("comment", "created") and activity.object_id not in deleted
        ),
        tuple(dict.fromkeys(activity.author for activity in activities))[:KEPT_AUTHORS],
        activities[0].at.isoformat(),
        (activities[-1].at - _BEFORE).isoformat() if base else None,
        sentences=tuple(
            activity.sentence for activity in reversed(activities) if activity.subject not in {"item", "comment"}
        ),
    )


def _joined(record: InboxRecord | None, told: InboxRecord) -> InboxRecord:
    """Return what this machine saw with what the service tells beside it.

    Changed fields are those that this machine saw, which knows the user's own edits.
    """
    if record is None or told.kind is not record.kind:
        return told
    noted_at = max(filter(None, (record.noted_at, told.noted_at)), default=None)
    return replace(
        record,
        comments=tuple(sorted({*record.comments, *told.comments})),
        authors=tuple(dict.fromkeys([*record.authors, *told.authors]))[:KEPT_AUTHORS],
        noted_at=noted_at,
        sentences=told.sentences,
    )
