"""The inbox's records by the service's history: what each author changed since the user saw an item."""

from collections.abc import Collection, Iterable, Iterator, Sequence
from datetime import datetime

from msgspec.structs import replace

from backlit.store.files.files import WriteContext
from backlit.store.journal.inbox import AuthorChanges, InboxRecord, NewsKind
from backlit.store.records.changes import StoreChange, Subject
from backlit.store.records.item import id_in, moment
from backlit.store.records.item_changes import RENUMBERED, ROLLED_UP, HistoryRecord, KeptHistory
from backlit.store.records.merge import is_same
from backlit.store.remote.receiving import KEPT_AUTHORS, is_listed


def settle_news(writer: WriteContext, item_ids: Collection[int]) -> None:
    """Have records tell what the kept histories of their items say.

    A record whose changes are all the user's own is forgotten. One stays as it is where the history does not reach
    back to what the user saw.
    """
    records = writer.journal.inbox.records(item_ids)
    kept = writer.mirror.item_changes.of_items(records)
    me = writer.mirror.note("me")
    my_id = id_in(me) if isinstance(me, dict) else 0
    settled = [
        _settled(record, history, my_id) for item_id, record in records.items() if (history := kept.get(item_id))
    ]
    changed = [record for record in settled if record != records[record.item_id]]
    if changed and (ids := writer.journal.inbox.put(changed)):
        writer.signal.publish(StoreChange(Subject.INBOX, ids))


def _settled(record: InboxRecord, history: KeptHistory, my_id: int) -> InboxRecord:
    if record.kind is NewsKind.GONE:
        gone = next((each for each in history.changes if (each.kind, each.act) == ("item", "removed")), None)
        return record if gone is None or not gone.author else replace(record, authors=(gone.author,))
    since, noted_at, newest = moment(record.since), moment(record.noted_at), history.newest_at
    oldest = history.oldest_at
    is_whole = history.next is None or (oldest is not None and since is not None and oldest <= since)
    is_current = newest is not None and noted_at is not None and newest >= noted_at
    if record.kind is not NewsKind.CHANGED or since is None or not (is_whole and is_current):
        return record
    others = list(_of_others(history.changes, since, my_id))
    changes = by_author(others)
    if not changes and not record.is_unsure:
        return record
    base = {key: before for each in others for key, (before, _) in each.fields.items()}
    told = {key for each in changes for key in each.fields}
    authors = dict.fromkeys([*(each.author for each in changes), *record.authors])
    return replace(
        record,
        changes=changes,
        base={key: value for key, value in base.items() if key in told},
        authors=tuple(authors)[:KEPT_AUTHORS],
        is_unsure=False,
    )


def _of_others(changes: Iterable[HistoryRecord], since: datetime, my_id: int) -> Iterator[HistoryRecord]:
    """Yield what others changed in listed fields of the item, without what follows from another change."""
    for change in changes:
        is_of_item = (change.kind, change.act) == ("item", "changed") and change.cause not in {ROLLED_UP, RENUMBERED}
        if is_of_item and change.author_id != my_id and change.at is not None and change.at > since:
            listed = {key: pair for key, pair in change.fields.items() if is_listed(key)}
            if listed:
                yield replace(change, fields=listed)


def by_author(changes: Iterable[HistoryRecord]) -> Sequence[AuthorChanges]:
    """Return what each author changed in all, without what they took back; the latest change and author first."""
    fields: dict[str, dict[str, tuple[object, object]]] = {}
    for change in changes:
        own = fields.setdefault(change.author, {})
        for key, (before, after) in change.fields.items():
            own[key] = before, own.get(key, (None, after))[1]
    net = {author: {key: pair for key, pair in own.items() if not is_same(*pair)} for author, own in fields.items()}
    return tuple(AuthorChanges(author, own) for author, own in net.items() if own)
