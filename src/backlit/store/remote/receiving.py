"""Receipt of data from the service: the journal records the user's unseen changes before the mirror changes.

The mirror's previous values are needed to find the changes. After a crash in between, the same changes are recorded
again.
"""

from collections.abc import Collection, Iterable, Mapping
from datetime import UTC, datetime, timedelta

from msgspec import Struct
from msgspec.structs import replace

from backlit.model.fields import FIELD_BY_KEY, Settable
from backlit.store.files.files import WriteContext
from backlit.store.journal.inbox import AuthorChanges, InboxRecord, NewsKind, Watermarks
from backlit.store.journal.schema import CLOCK
from backlit.store.mirror.item_rows import NewRows
from backlit.store.mirror.mirror import Mirror
from backlit.store.mirror.status_groups import CAPABILITIES
from backlit.store.records.changes import StoreChange, Subject
from backlit.store.records.entry import TRANSFORMS, EntryKind, EntryState, OutboxEntry
from backlit.store.records.item import Document, fields_in, id_in, is_news, moment, whole
from backlit.store.records.merge import is_same, kept_otherwise
from backlit.store.records.people import person_of
from backlit.store.records.work import COMPLETED, REMAINING
from backlit.store.remote.capabilities import HISTORY, announces
from backlit.store.sqlite.ids import ids_json

KEPT_AUTHORS = 5
_ON_TIME = frozenset({EntryKind.LOG_TIME, EntryKind.EDIT_TIME, EntryKind.DELETE_TIME})


def receive(
    writer: WriteContext,
    documents: Iterable[Document],
    delivered: OutboxEntry | None = None,
    new_rows: NewRows | None = None,
) -> None:
    """Store received items. `delivered` is the user's own edit, whose echo is no unseen change.

    `new_rows` holds precomputed rows.
    """
    received = {item_id: each for each in documents if (item_id := whole(each.get("id"))) is not None}
    undelivered = writer.journal.entries.undelivered(received)
    _note_items(writer, received, undelivered, delivered)
    writer.announce(writer.mirror.put_items(received.values(), undelivered, new_rows))


def note_comments(writer: WriteContext, documents: Iterable[Document]) -> None:
    """Record the new comments, before the mirror gets them."""
    mine, marks = _my_names(writer.mirror), _AllWatermarks(writer)
    fresh: dict[int, list[Document]] = {}
    for each in _unknown_comments(writer.mirror, documents):
        mark = marks.of(each)
        is_new = mark is not None and mark.comment_id is not None and id_in(each) > mark.comment_id
        if is_new and not _is_one_of(mine, each.get("createdBy")):
            fresh.setdefault(id_in(each, "workItemId"), []).append(each)
    records = writer.journal.inbox.records(fresh)
    items = writer.mirror.received(fresh)
    _put(writer, [_with_comments(records.get(each), items.get(each, {}), fresh[each]) for each in fresh])


def note_comments_left(writer: WriteContext, item_id: int, documents: Collection[Document]) -> None:
    """Record the new comments of an item with a complete list, and forget the deleted ones."""
    note_comments(writer, documents)
    record = writer.journal.inbox.records([item_id]).get(item_id)
    if record is not None:
        left = {each.get("id") for each in documents}
        kept = tuple(each for each in record.comments if each in left)
        if kept != record.comments:
            _put(writer, [replace(record, comments=kept)])


def note_gone(writer: WriteContext, item_ids: Iterable[int]) -> None:
    """Record items that others deleted or hid, before the mirror loses their names.

    Tasks deleted with their item, and items that the user never saw, are left out.
    """
    marks, gone = _AllWatermarks(writer), set(item_ids)
    records = writer.journal.inbox.records(gone)
    never_seen = {each for each, record in records.items() if record.kind is NewsKind.NEW}
    found = writer.mirror.connection.execute(
        "SELECT id, project_id, type, name FROM items WHERE id IN (SELECT value FROM json_each(?1))"
        " AND (is_task = 0 OR parent_id IS NULL OR parent_id NOT IN (SELECT value FROM json_each(?1)))",
        (ids_json(gone),),
    )
    offset = timedelta(seconds=int(writer.journal.settings.value(CLOCK) or 0))
    now = (datetime.now(UTC).replace(tzinfo=None) + offset).isoformat()
    news = [
        InboxRecord(item_id, project_id, NewsKind.GONE, item_type, name, noted_at=now)
        for item_id, project_id, item_type, name in found
        if item_id not in never_seen and marks.of({"projectId": project_id}) is not None
    ]
    told = {record.item_id for record in news}
    if writer.journal.inbox.forget(records.keys() - told):
        writer.signal.publish(StoreChange(Subject.INBOX))
    _put(writer, news)


def note_synced(writer: WriteContext, project_id: int) -> None:
    """Record the state of a project's mirror after a complete sync. The first time marks everything as seen.

    The recorded ids survive a rebuild of the mirror, so known objects never appear as new.
    """
    before = writer.journal.inbox.watermarks(project_id)
    sql = "SELECT max(id) FROM items WHERE project_id = ?"
    item_id = max(
        writer.mirror.connection.execute(sql, (project_id,)).fetchone()[0] or 0, before.item_id if before else 0
    )
    comment_id = whole(writer.mirror.note(f"comments {project_id}")) or 0
    marks = Watermarks(item_id, max(comment_id, before.comment_id or 0 if before else 0) if comment_id >= 0 else None)
    if marks != before:
        writer.journal.inbox.set_watermarks(project_id, marks)


class _AllWatermarks:
    """The largest known ids of the projects of some documents, each read once."""

    def __init__(self, writer: WriteContext) -> None:
        self._news = writer.journal.inbox
        self._marks: dict[int, Watermarks | None] = {}

    def of(self, document: Document) -> Watermarks | None:
        project_id = id_in(document, "projectId")
        if project_id not in self._marks:
            self._marks[project_id] = self._news.watermarks(project_id)
        return self._marks[project_id]


class _OwnChanges(Struct, frozen=True):
    """The user's own part of an item's changes: the user's names, unsent values and the delivered edit."""

    names: frozenset[str]
    edits: list[OutboxEntry]
    delivered: OutboxEntry | None
    has_history: bool
    """Whether the service's history will tell who changed what."""

    @property
    def sent(self) -> Mapping[str, object]:
        return self.delivered.payload if self.delivered and self.delivered.kind is EntryKind.EDIT else {}

    @property
    def is_transform(self) -> bool:
        """Whether the user has just changed the type or the project, and so values that nobody named."""
        return self.delivered is not None and self.delivered.kind in TRANSFORMS

    @property
    def follows(self) -> frozenset[str]:
        """The fields that the service has changed with an object below the item."""
        is_time = self.delivered is not None and self.delivered.kind in _ON_TIME
        return frozenset({COMPLETED, REMAINING}) if is_time else frozenset()

    def is_elsewhere(self, document: Document) -> bool:
        """Report whether the user's name is on the last change, and no edit of this machine can be it."""
        return self.delivered is None and not self.edits and _is_one_of(self.names, document.get("lastModifiedBy"))


def _note_items(
    writer: WriteContext,
    received: Mapping[int, Document],
    undelivered: Iterable[OutboxEntry],
    delivered: OutboxEntry | None,
) -> None:
    marks, names = _AllWatermarks(writer), _my_names(writer.mirror)
    told = {item_id: each for item_id, each in received.items() if marks.of(each) is not None}
    if not told:
        return
    known = writer.mirror.received(told)
    records = writer.journal.inbox.records(told)
    edits: dict[int, list[OutboxEntry]] = {}
    for entry in undelivered:
        if entry.kind is EntryKind.EDIT:
            edits.setdefault(entry.item_id, []).append(entry)
    has_history = announces(writer.mirror.note(CAPABILITIES), HISTORY)
    news: list[InboxRecord] = []
    for item_id, document in told.items():
        before, mark = known.get(item_id), marks.of(document)
        if before is not None:
            mine = _OwnChanges(names, edits.get(item_id, []), delivered, has_history)
            news += _changed(records.get(item_id), before, document, mine)
        elif before is None and mark is not None:
            is_new = item_id > mark.item_id and not _is_one_of(names, document.get("createdBy"))
            news += _arrived(records.get(item_id), document, is_new=is_new)
    _put(writer, news)


def _arrived(record: InboxRecord | None, document: Document, *, is_new: bool) -> list[InboxRecord]:
    """Return the record of an item new to the mirror. A known item that reappears has none."""
    if is_new and (record is None or record.kind is NewsKind.GONE):
        return [replace(_record_of(document, NewsKind.NEW), authors=_authors((), document.get("createdBy")))]
    if record is not None and record.kind is NewsKind.GONE:
        return [replace(record, kind=NewsKind.CHANGED)]
    return []


def _changed(record: InboxRecord | None, before: Document, document: Document, mine: _OwnChanges) -> list[InboxRecord]:
    """Return the record of a changed item without the user's own changes, none for no difference.

    The mirror may be ahead of an echo. The user's own values then count as seen, later changes do not.
    """
    is_ahead = is_news(before, document)
    if (record is not None and record.kind is NewsKind.NEW) or not (is_ahead or mine.sent):
        return []
    had, has = fields_in(before), fields_in(document if is_ahead else before)
    others = _keys_of_others(had, document, mine) - mine.follows if is_ahead and not mine.is_transform else set()
    # Only the history can tell what others changed before the user did, elsewhere.
    is_open = is_ahead and mine.has_history and mine.is_elsewhere(document)
    if is_open and record is None:
        others = {key for key in {*had, *has} if is_listed(key) and not _is_alike(had.get(key), has.get(key))}
    made = record or _record_of(document, NewsKind.CHANGED)
    base = {**{key: had.get(key) for key in others}, **made.base}
    for key, wanted in mine.sent.items():
        base.pop(key, None)
        if kept_otherwise({key: wanted}, has):
            base[key] = wanted
    base = {key: value for key, value in base.items() if not _is_alike(value, has.get(key))}
    if record is None and not base:
        return []
    if others and not _is_one_of(mine.names, document.get("lastModifiedBy")):
        made = replace(made, authors=_authors(made.authors, document.get("lastModifiedBy")))
    noted_at = _time(document.get("lastModifiedAt")) if others or is_open else None
    made = replace(made, kind=NewsKind.CHANGED, name=_name(document), base=base, noted_at=noted_at or made.noted_at)
    since = made.since or _time(before.get("lastModifiedAt"))
    changes = () if others or is_open else _only_of(made.changes, base)
    is_unsure = is_open if record is None else made.is_unsure and not others
    return [replace(made, since=since, changes=changes, is_unsure=is_unsure)]


def _only_of(changes: Iterable[AuthorChanges], keys: Collection[str]) -> tuple[AuthorChanges, ...]:
    kept = (replace(each, fields={key: pair for key, pair in each.fields.items() if key in keys}) for each in changes)
    return tuple(each for each in kept if each.fields)


def _keys_of_others(had: Mapping[str, object], document: Document, mine: _OwnChanges) -> set[str]:
    """Return the fields that others changed.

    If the user's name is on the last change but no edit of this machine explains it, every difference is the user's
    own. If an edit explains it, fields outside of that edit were changed by others before it.
    """
    has = fields_in(document)
    changed = {key for key in {*had, *has} if is_listed(key) and not _is_alike(had.get(key), has.get(key))}
    touched = {key: value for entry in mine.edits for key, value in entry.payload.items()}
    own = {key for key in changed & touched.keys() if not kept_otherwise({key: touched[key]}, has)}
    if mine.delivered is None and _is_one_of(mine.names, document.get("lastModifiedBy")):
        is_explained = own or any(entry.attempts or entry.state is EntryState.SENDING for entry in mine.edits)
        return changed - touched.keys() if is_explained else set()
    return changed - own - mine.sent.keys()


def _with_comments(record: InboxRecord | None, item: Document, documents: list[Document]) -> InboxRecord:
    """Return an item's record with new comments. `item` is empty if the mirror lacks it."""
    first = documents[0]
    whole_item = {**item, "id": first.get("workItemId"), "projectId": first.get("projectId"), "lastModifiedAt": None}
    made = record or _record_of(whole_item, NewsKind.CHANGED)
    for each in documents:
        made = replace(
            made,
            comments=(*made.comments, id_in(each)),
            authors=_authors(made.authors, each.get("createdBy")),
            noted_at=max(made.noted_at or "", _time(each.get("createdAt")) or "") or None,
        )
    return replace(made, comments=tuple(sorted(set(made.comments))))


def _unknown_comments(mirror: Mirror, documents: Iterable[Document]) -> list[Document]:
    given = {comment_id: each for each in documents if (comment_id := whole(each.get("id"))) is not None}
    sql = "SELECT id FROM comments WHERE id IN (SELECT value FROM json_each(?))"
    known = {comment_id for (comment_id,) in mirror.connection.execute(sql, (ids_json(given),))}
    return [each for comment_id, each in given.items() if comment_id not in known]


def _put(writer: WriteContext, news: Collection[InboxRecord]) -> None:
    if news and (ids := writer.journal.inbox.put(news)):
        writer.signal.publish(StoreChange(Subject.INBOX, ids))


def _record_of(document: Document, kind: NewsKind) -> InboxRecord:
    return InboxRecord(
        item_id=id_in(document),
        project_id=id_in(document, "projectId"),
        kind=kind,
        type=str(document.get("type") or ""),
        name=_name(document),
        noted_at=_time(document.get("lastModifiedAt")),
    )


def is_listed(key: str) -> bool:
    """Report whether the inbox lists a field: a settable one, neither computed nor the rank."""
    field = FIELD_BY_KEY.get(key)
    return key.endswith("_cf") if field is None else field.settable is Settable.ALWAYS


def _is_alike(one: object, other: object) -> bool:
    """Report whether two values look the same. Tags have no order."""
    if isinstance(one, list) and isinstance(other, list):
        return sorted(map(str, one)) == sorted(map(str, other))
    return is_same(one, other)


def _my_names(mirror: Mirror) -> frozenset[str]:
    me = mirror.note("me")
    if not isinstance(me, dict):
        return frozenset()
    person = person_of(me)
    return frozenset(each.casefold() for each in (person.username, person.display_name) if each)


def _is_one_of(names: frozenset[str], name: object) -> bool:
    return isinstance(name, str) and name.casefold() in names


def _authors(before: Iterable[str], author: object) -> tuple[str, ...]:
    latest = (author,) if isinstance(author, str) and author else ()
    return tuple(dict.fromkeys((*latest, *before)))[:KEPT_AUTHORS]


def _name(document: Document) -> str:
    return str(fields_in(document).get("Name") or "")


def _time(value: object) -> str | None:
    found = moment(value)
    return found.isoformat() if found else None
