"""Items and the objects below them sent to the service: edits, new ones, deletions, and moves in the rank order."""

from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING

from msgspec.structs import replace

from backlit.model.errors import BadRequest, Conflict, NotFound, ServiceRefused
from backlit.model.fields import FIELD_BY_KEY
from backlit.store.edits.items import announce_objects, update_overlay
from backlit.store.edits.rank_order import rank_neighbours
from backlit.store.edits.work_log import add_up
from backlit.store.files.files import LocalDatabase, WriteContext
from backlit.store.journal.undo_log import ItemCopy
from backlit.store.mirror.object_tables import MirroredObjects
from backlit.store.object_changes.kinds import CHANGES, CREATIONS, EDITS, object_creation
from backlit.store.object_changes.object_change import ObjectCreation
from backlit.store.object_changes.rows import SEQUENCE
from backlit.store.outbox.sending import EditSending, show_outcome, show_sign, was_discarded
from backlit.store.records.changes import StoreChange, Subject
from backlit.store.records.entry import OBJECT_CREATIONS, EntryKind, EntryState, OutboxEntry
from backlit.store.records.item import Document, fields_in, id_in, is_item, whole
from backlit.store.records.merge import MergeResult, is_same, merge
from backlit.store.records.people import person_of, signed_in_of
from backlit.store.records.work import COMPLETED
from backlit.store.remote.capabilities import TRAITS, UNSURE, ServiceTraits, traits_of
from backlit.store.remote.listing import ProjectLists, read_all, read_offered
from backlit.store.remote.probing import probe
from backlit.store.remote.receiving import receive

if TYPE_CHECKING:
    from backlit.client.client import Client, ResourceEndpoint, ResultPage


_PAGE = 200


class ItemCreationSearch:
    """The newest items and objects below items on the service."""

    def __init__(self, client: "Client", files: LocalDatabase) -> None:
        self._client = client
        self._files = files

    async def find_all(self, entries: Sequence[OutboxEntry]) -> dict[int, Document]:
        """Return what one request has created for entries of a kind and a project, by the ids of the entries."""
        candidates, _ = await self._candidates(entries[0], entries[0].known_id or 0, of_project=True)
        left = sorted(candidates, key=id_in)
        found = {}
        for entry in entries:
            alike = [each for each in left if _is_made_by(entry, each)]
            best = max(alike, key=lambda each: _likeness(entry, each), default=None)
            if best is not None:
                found[entry.id] = best
                left.remove(best)
        return found

    async def _candidates(
        self, entry: OutboxEntry, known_id: int, *, of_project: bool = False
    ) -> tuple[list[Document], list[OutboxEntry]]:
        """Return what no other user has made since, and the other unconfirmed entries."""
        me = await self._client.users.me()
        signed_in_of(me, self._client.server)

        def known(writer: WriteContext) -> tuple[frozenset[int], frozenset[str], list[OutboxEntry]]:
            return (
                writer.journal.entries.made_ids(entry.kind),
                _others(writer, me),
                writer.journal.entries.unconfirmed(entry),
            )

        taken, others, unconfirmed = await self._files.write(known)
        candidates = [
            each
            for each in await self._made_since(entry, known_id, of_project=of_project)
            if id_in(each) > known_id
            and each.get("id") not in taken
            and str(each.get("createdBy") or "").casefold() not in others
        ]
        return candidates, unconfirmed

    async def find(self, entry: OutboxEntry, known_id: int) -> Document | None:
        candidates, unconfirmed = await self._candidates(entry, known_id)
        # The interface has no key by which a repeated creation could be known again, so that the item is looked for by
        # what it holds.
        alike = [each for each in candidates if _is_made_by(entry, each)]
        if alike or entry.kind is not EntryKind.ADD:
            return max(alike, key=lambda each: _likeness(entry, each), default=None)
        return await self._find_renamed(entry, candidates, unconfirmed)

    async def _find_renamed(
        self, entry: OutboxEntry, candidates: Sequence[Document], unconfirmed: Sequence[OutboxEntry]
    ) -> Document | None:
        """Find a created item that another user has renamed. Raises ServiceRefused in doubt."""
        rivals = [each for each in unconfirmed if _kin(each.payload) == _kin(entry.payload)]
        renamed = [
            each
            for each in candidates
            if _kin(each) == _kin(entry.payload)
            and each.get("lastModifiedAt") != each.get("createdAt")
            and not any(_name(fields_in(each)) == _name(rival.fields) for rival in rivals)
        ]
        if len(renamed) <= 1 and not (renamed and rivals):
            return renamed[0] if renamed else None
        await self._files.write(lambda writer: writer.journal.update(replace(entry, known_id=None)))
        numbers = " or ".join(f"#{each.get('id')}" for each in renamed)
        raise ServiceRefused(f"The item may already exist as {numbers}, renamed since. If not, send it again.")

    async def _made_since(self, entry: OutboxEntry, known_id: int, *, of_project: bool) -> list[Document]:
        """Return everything created since the first attempt: newest first, or all from a service that cannot sort."""
        found: dict[int, Document] = {}
        skip = 0
        while True:
            page = await self._newest(entry, _PAGE, skip, of_project=of_project)
            ids = [id_in(each) for each in page.results]
            if not ids or set(ids) <= found.keys():
                return list(found.values())
            found |= dict(zip(ids, page.results, strict=True))
            if (await self._traits()).orders and ids[-1] <= known_id:
                return list(found.values())
            skip += len(ids)

    async def largest_id(self, entry: OutboxEntry, *, of_project: bool = False) -> int:
        page = await self._newest(entry, 1, 0, of_project=of_project)
        ids = [id_in(each) for each in page.results]
        return max([*ids, await self._files.write(lambda writer: writer.mirror.largest_id(entry.kind))])

    async def _newest(self, entry: OutboxEntry, top: int, skip: int, *, of_project: bool) -> "ResultPage":
        """Return the newest items, or objects: of the entry's item, or of all items of the project."""
        lists = ProjectLists(self._client, await self._traits(), entry.project_id)
        if (creation := object_creation(entry)) is None:
            return await lists.items(order="id desc", top=top, skip=skip)
        if of_project:
            return await lists.page(self._client.resource(creation.resource), order="id desc", top=top, skip=skip)
        listing = self._client.below(creation.items_resource, entry.item_id, creation.resource)
        return await lists.whole_page(listing, order="id desc", top=top, skip=skip)

    async def _traits(self) -> ServiceTraits:
        """Return the service's known traits, else the result of a probe. Unproven traits count as missing."""
        traits = traits_of(await self._files.write(lambda writer: writer.mirror.note(TRAITS)))
        traits = traits or await probe(self._client)
        return traits if traits.is_sure else UNSURE


def _others(writer: WriteContext, me: Document) -> frozenset[str]:
    """Return the names of all other users. The service may name the signed-in user in several ways."""
    users = writer.mirror.resources("user", 0)
    return frozenset(name for user in users if user.get("id") != me.get("id") for name in _names(user)) - _names(me)


def _names(user: Document) -> frozenset[str]:
    person = person_of(user)
    full = f"{user.get('firstName') or ''} {user.get('lastName') or ''}".strip()
    names = (person.username, person.display_name, full, str(user.get("email") or ""))
    return frozenset(name.casefold() for name in names if name)


def _is_made_by(entry: OutboxEntry, found: Document) -> bool:
    if (creation := object_creation(entry)) is not None:
        return creation.is_made(found) and creation.is_like(found)
    return _kin(found) == _kin(entry.payload) and _name(fields_in(found)) == _name(entry.fields)


def _kin(document: Mapping[str, object]) -> tuple[object, ...]:
    fields = document.get("fields")
    parent = fields.get("ParentID") if isinstance(fields, dict) else None
    return document.get("type"), document.get("projectId"), parent


def _likeness(entry: OutboxEntry, found: Document) -> tuple[int, int]:
    """Return the number of matching values, and a tie-breaker that favours the oldest."""
    fields = fields_in(found)
    alike = sum(is_same(fields.get(key), value) for key, value in entry.fields.items())
    return alike, -(id_in(found))


def _name(fields: Mapping[str, object]) -> Iterable[str]:
    return str(fields.get("Name") or "").split()


class ItemSending(EditSending):
    """Sender of EDIT, ADD and DELETE entries."""

    noun = "item"

    def _resource(self, _entry: OutboxEntry) -> "ResourceEndpoint":
        return self._client.work_items

    def _object_id(self, entry: OutboxEntry) -> int:
        return entry.item_id

    def _is_object(self, entry: OutboxEntry, document: Document) -> bool:
        return is_item(document, entry.item_id)

    def _values(self, document: Document) -> Mapping[str, object]:
        return fields_in(document)

    def _label(self, key: str) -> str:
        return FIELD_BY_KEY[key].label if key in FIELD_BY_KEY else key

    async def _compare(self, entry: OutboxEntry, theirs: Mapping[str, object]) -> tuple[OutboxEntry, MergeResult]:
        if COMPLETED in entry.payload and entry.known_id is None and entry.id not in self._may_have_been_sent:
            entry = await self._files.write(partial(add_up, entry=entry, theirs=theirs))
        return entry, merge(entry.base, entry.payload, theirs)

    async def _new_body(self, entry: OutboxEntry) -> Mapping[str, object]:
        return entry.payload

    def is_made(self, entry: OutboxEntry, made: Document) -> bool:
        is_kin = all(made.get(key) == entry.payload[key] for key in ("projectId", "type"))
        return is_kin and id_in(made) > 0

    async def _remove(self, entry: OutboxEntry) -> bool:
        fetched = await self._fetch(entry)
        theirs = fields_in(fetched.document)
        changed = {key: theirs.get(key) for key, value in entry.base.items() if not is_same(theirs.get(key), value)}
        if changed:
            await self._contest(entry, fetched.document, changed)
            return False
        await self._keep_copy(entry, fetched.document)
        self._may_have_been_sent.add(entry.id)
        await self._client.work_items.delete(entry.item_id, fetched.etag, note=entry.note)
        return True

    async def _keep_copy(self, entry: OutboxEntry, document: Document) -> None:
        """Update the copy in the trash. Lists that the service does not offer keep their mirrored state."""
        below = self._client.work_items
        tasks = await read_offered(below.tasks(entry.item_id))
        comments = await read_offered(below.comments(entry.item_id))
        attachments = await read_offered(below.attachments(entry.item_id))

        def act(writer: WriteContext) -> None:
            known = writer.journal.trash.of_entry(entry.id) or ItemCopy(document)
            of_tasks = [each for each in known.comments if each.get("workItemId") != entry.item_id]
            copy = replace(known, item=document, tasks=tasks or known.tasks, attachments=attachments or [])
            writer.journal.trash.keep(
                replace(copy, comments=[*(comments or ()), *of_tasks] or known.comments), entry.id
            )

        await self._files.write(act)

    async def _deliver(self, entry: OutboxEntry, document: Document) -> None:
        act = {EntryKind.EDIT: _edited, EntryKind.ADD: _added, EntryKind.DELETE: _deleted}[entry.kind]
        await self._files.write(lambda writer: act(writer, entry, document))

    def _receive(self, writer: WriteContext, _entry: OutboxEntry, document: Document) -> None:
        receive(writer, [document])


def _edited(writer: WriteContext, entry: OutboxEntry, echo: Document) -> None:
    receive(writer, [echo], entry)  # first: a crash in between would leave an old base for later edits
    writer.journal.deliver(entry)
    show_sign(writer, entry.item_id)


def _added(writer: WriteContext, entry: OutboxEntry, made: Document) -> None:
    added(writer, [entry], [made])


def added(writer: WriteContext, entries: Sequence[OutboxEntry], made: Sequence[Document]) -> None:
    """Record the new items that the service has made of entries, all with the same few statements.

    Item by item, an import of 10,000 took a third more of the processor's time.
    """
    pairs = list(zip(entries, made, strict=True))
    real_ids = {entry.temporary_id: id_in(document) for entry, document in pairs}
    writer.mirror.put_items(made, ())  # first: a crash in between would hide the items until the next sync
    untouched = {id_in(document): entry for entry, document in pairs if _is_as_created(document)}
    writer.mirror.objects_were_read(untouched)  # an object below one would have moved its stamp on
    with writer.journal.transaction():  # a crash in between would make a conflict of the presets
        writer.journal.deliver_items(entries, real_ids)
        _start_from_presets(writer, untouched, made)
    received = {entry.temporary_id: document for entry, document in pairs}
    relating = writer.mirror.rename(received, writer.journal.entries.following(real_ids.values()))
    if relating:
        update_overlay(writer, sorted(relating))
    ids = frozenset({*real_ids, *real_ids.values()})
    writer.signal.publish(StoreChange(Subject.ITEMS, ids, renamed=real_ids))


def _is_as_created(made: Document) -> bool:
    """Report whether nobody has changed an item since; one that was found rather than created may be."""
    return made.get("lastModifiedAt") in {None, made.get("createdAt")}


def _start_from_presets(writer: WriteContext, untouched: Mapping[int, OutboxEntry], made: Sequence[Document]) -> None:
    """Use the service's presets as the base of later edits of new items, because no user changed them."""
    edits = writer.journal.entries.undelivered(untouched, kind=EntryKind.EDIT)
    presets = {id_in(document): fields_in(document) for document in made} if edits else {}
    for edit in edits:
        given, touched = presets[edit.item_id], untouched[edit.item_id].touched
        base = {
            key: given.get(key) if value is None and key not in touched else value for key, value in edit.base.items()
        }
        if base != edit.base:
            writer.journal.update(replace(edit, base=base))


def _deleted(writer: WriteContext, entry: OutboxEntry, _: Document) -> None:
    """Remove the item from the mirror and discard its other pending entries."""
    if was_discarded(writer, entry):
        return
    gone = writer.mirror.delete_items([entry.item_id])
    with writer.journal.transaction():
        writer.journal.deliver(entry)
        late = [each for each in writer.journal.entries.undelivered(gone) if each.state is not EntryState.SENDING]
        writer.journal.update_all(replace(each, state=EntryState.DISCARDED) for each in late)
    gone |= writer.mirror.remove_items(each.item_id for each in late)
    writer.signal.publish(StoreChange(Subject.ITEMS, gone))
    writer.signal.publish(StoreChange(Subject.COMMENTS, gone))


class ObjectSending(EditSending):
    """Sender of the changes of objects below items."""

    noun = "object"

    def _resource(self, entry: OutboxEntry) -> "ResourceEndpoint":
        return self._client.resource(CHANGES[entry.kind](entry).resource)

    def _object_id(self, entry: OutboxEntry) -> int:
        return CHANGES[entry.kind](entry).object_id

    async def _create(self, entry: OutboxEntry) -> Document:
        try:
            return await super()._create(entry)
        except Conflict:
            # A request whose answer was lost has made it, or somebody else has.
            found = await self._find_same(CREATIONS[entry.kind](entry))
            if found is None:
                raise
            return found

    async def _find_same(self, creation: ObjectCreation) -> Document | None:
        if not creation.is_unique:
            return None
        found = await read_all(self._client.below(creation.items_resource, creation.entry.item_id, creation.resource))
        return next((each for each in found if creation.is_like(each)), None)

    async def _new_body(self, entry: OutboxEntry) -> Mapping[str, object]:
        return CREATIONS[entry.kind](entry).body()

    def is_made(self, entry: OutboxEntry, made: Document) -> bool:
        return CREATIONS[entry.kind](entry).is_made(made)

    def _is_object(self, entry: OutboxEntry, document: Document) -> bool:
        return document.get("id") == self._object_id(entry)

    def _values(self, document: Document) -> Mapping[str, object]:
        return document

    def _label(self, key: str) -> str:
        return next((each.labels[key] for each in EDITS.values() if key in each.labels), key)

    async def _compare(self, entry: OutboxEntry, theirs: Mapping[str, object]) -> tuple[OutboxEntry, MergeResult]:
        values = EDITS[entry.kind](entry).values
        merged = merge(entry.base, {key: value for key, value in values.items() if key != SEQUENCE}, theirs)
        # Others move the place of an object without meaning it: the last move wins.
        places = {key: value for key, value in values.items() if key == SEQUENCE and value != theirs.get(key)}
        return entry, MergeResult({**merged.changes, **places}, merged.conflicts)

    async def _verify(self, entry: OutboxEntry, sent: Mapping[str, object], echo: Document) -> bool:
        return await super()._verify(entry, {key: value for key, value in sent.items() if key != SEQUENCE}, echo)

    def _receive(self, writer: WriteContext, entry: OutboxEntry, document: Document) -> None:
        writer.mirror.objects[CHANGES[entry.kind].subject].put([document])

    async def _remove(self, entry: OutboxEntry) -> bool:
        self._may_have_been_sent.add(entry.id)
        await self._resource(entry).delete(self._object_id(entry), note=entry.note)
        return True

    async def _deliver(self, entry: OutboxEntry, document: Document) -> None:
        items = await self._changed_items(entry)

        def act(writer: WriteContext) -> None:
            if not document and was_discarded(writer, entry):
                return
            receive(writer, items, entry)
            renamed = deliver_object(writer, entry, document)
            show_sign(writer, entry.item_id)
            announce_objects(writer, [entry], renamed)

        await self._files.write(act)

    async def _changed_items(self, entry: OutboxEntry) -> list[Document]:
        """Read the task in whose work the service counts hours: it is shown as it was until then."""
        if CHANGES[entry.kind].subject is not Subject.TIME_ENTRIES:
            return []
        try:
            return [await self._client.work_items.get(entry.item_id)]
        except NotFound:
            return []


def deliver_object(writer: WriteContext, entry: OutboxEntry, document: Document) -> dict[int, int]:
    """Record the answer to the change of an object, empty for a deletion; return its new id by the temporary one."""
    change, real_id = CHANGES[entry.kind](entry), whole(document.get("id"))
    table, is_new = writer.mirror.objects[change.subject], entry.kind in OBJECT_CREATIONS
    before = None if real_id is None else table.document(real_id)
    writer.journal.deliver(entry, real_id if is_new else None)
    table.remove([change.object_id])
    table.put([document] if document else ())
    if document and isinstance(table, MirroredObjects):
        table.make_room_for(document, before)
    return {change.object_id: real_id} if is_new and real_id is not None else {}


class RankSending:
    """Sender of RANK entries. Sending one twice has the same result."""

    def __init__(self, client: "Client", files: LocalDatabase, may_have_been_sent: set[int]) -> None:
        self._client = client
        self._files = files
        self._may_have_been_sent = may_have_been_sent

    async def send(self, entry: OutboxEntry) -> bool:
        """Move an item next to the recorded neighbour or the next best one.

        Raises BadRequest if every neighbour was deleted.
        """
        self._may_have_been_sent.add(entry.id)
        refusal = BadRequest("The item next to it was deleted.")
        for where, neighbour_id in rank_neighbours(entry.payload):
            real_id = await self._files.write(partial(_followed, item_id=neighbour_id))
            if real_id < 0:
                continue
            try:
                moved = await self._client.work_items.act(
                    entry.item_id, "rank", {where: real_id or True}, note=entry.note
                )
            except BadRequest as error:
                refusal = error
                continue
            if not is_item(moved, entry.item_id):
                moved = await self._client.work_items.get(entry.item_id)
            await self._files.write(partial(_ranked, entry=entry, moved=moved))
            return True
        raise refusal


def _followed(writer: WriteContext, item_id: int) -> int:
    return writer.journal.renames.followed(item_id)


def _ranked(writer: WriteContext, entry: OutboxEntry, moved: Document) -> None:
    receive(writer, [moved] if is_item(moved, entry.item_id) else (), entry)
    writer.journal.deliver(entry)
    show_outcome(writer, entry)
