"""Exactly-once creation of items and comments: after an unclear failure, look before sending again."""

import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import orjson

from backlit.model.errors import ServiceError, ServiceRefused, Unclear
from backlit.store.files.files import Files, Writer
from backlit.store.records.entry import FOR_CUSTOMERS, EntryKind, OutboxEntry, is_for_customers
from backlit.store.records.item import Document, fields_in, whole
from backlit.store.records.people import person_of, signed_in_of
from backlit.store.records.values import is_same
from backlit.store.remote.capabilities import TRAITS, UNSURE, Traits, probe, traits_of
from backlit.store.remote.listing import ProjectLists
from backlit.store.remote.retry import Waits

if TYPE_CHECKING:
    from backlit.client.client import Client
    from backlit.client.resource import Page

_PAGE = 200
_LONGEST_SETTLING = 30.0


class Creations:
    """Sender of ADD and COMMENT entries, one at a time for each project or item.

    The order keeps a look from finding an object that another entry's request created.
    """

    def __init__(self, client: "Client", files: Files, waits: Waits) -> None:
        self._client = client
        self._files = files
        self._settling = waits.settling
        self._began = time.monotonic()
        self._settled_at: dict[int, float] = {}

    async def make(self, entry: OutboxEntry) -> Document:
        """Create the object of an entry, or find the one an earlier attempt created. Returns it as received.

        Raises Unclear if the creation is unconfirmed, and the next call then theme first. Raises ServiceRefused
        if only the user can tell whether a found object is the created one.
        """
        if entry.known_id is not None:
            found = await self._look(entry, entry.known_id)
            if found is None and time.monotonic() < self._settled_at.get(entry.id, self._began + self._settling):
                raise Unclear("Could not confirm that the service saved the change. Checking again.")
            if found is not None:
                self._settled_at.pop(entry.id, None)
                return found
        else:
            known_id = await self._largest_id(entry)
            await self._files.write(lambda writer: writer.journal.update(replace(entry, known_id=known_id)))
        return await self._post(entry)

    async def _post(self, entry: OutboxEntry) -> Document:
        """Send the request. A request without a response may arrive for as long again as the response was awaited."""
        began = time.monotonic()
        try:
            if entry.kind is EntryKind.COMMENT:
                body = {
                    "projectId": entry.project_id,
                    "workItemId": entry.item_id,
                    "description": entry.payload["text"],
                    **({"type": FOR_CUSTOMERS} if is_for_customers(entry.payload) else {}),
                }
                made = await self._client.comments.create_document(body)
            else:
                made = await self._client.work_items.create_document(entry.payload)
            _must_answer(entry, made)
        except (Unclear, ServiceError):
            ended = time.monotonic()
            self._settled_at[entry.id] = ended + min(max(self._settling, ended - began), _LONGEST_SETTLING)
            raise
        self._settled_at.pop(entry.id, None)
        return made

    async def _look(self, entry: OutboxEntry, known_id: int) -> Document | None:
        me = await self._client.users.my_document()
        signed_in_of(me)

        def known(writer: Writer) -> tuple[frozenset[int], frozenset[str], list[OutboxEntry]]:
            return (
                writer.journal.entries.made_ids(entry.kind),
                _others(writer, me),
                writer.journal.entries.unsettled(entry),
            )

        taken, others, unsettled = await self._files.write(known)
        candidates = [
            each
            for each in await self._made_since(entry, known_id)
            if (whole(each.get("id")) or 0) > known_id
            and each.get("id") not in taken
            and str(each.get("createdBy") or "").casefold() not in others
        ]
        alike = [each for each in candidates if _is_made_by(entry, each)]
        if alike or entry.kind is EntryKind.COMMENT:
            return max(alike, key=lambda each: _likeness(entry, each), default=None)
        return await self._look_for_renamed(entry, candidates, unsettled)

    async def _look_for_renamed(
        self, entry: OutboxEntry, candidates: Sequence[Document], unsettled: Sequence[OutboxEntry]
    ) -> Document | None:
        """Find a created item that another user has renamed. Raises ServiceRefused in doubt."""
        rivals = [each for each in unsettled if _kin(each.payload) == _kin(entry.payload)]
        renamed = [
            each
            for each in candidates
            if _kin(each) == _kin(entry.payload)
            and each.get("lastModifiedAt") != each.get("createdAt")
            and not any(_name(fields_in(each)) == _name(_wanted(rival)) for rival in rivals)
        ]
        if len(renamed) <= 1 and not (renamed and rivals):
            return renamed[0] if renamed else None
        await self._files.write(lambda writer: writer.journal.update(replace(entry, known_id=None)))
        numbers = " or ".join(f"#{each.get('id')}" for each in renamed)
        raise ServiceRefused(f"The item may already exist as {numbers}, renamed since. If not, send it again.")

    async def _made_since(self, entry: OutboxEntry, known_id: int) -> list[Document]:
        """Return everything created since the first attempt: newest first, or all from a service that cannot sort."""
        found: dict[int, Document] = {}
        skip = 0
        while True:
            page = await self._newest(entry, _PAGE, skip)
            ids = [whole(each.get("id")) or 0 for each in page.results]
            if not ids or set(ids) <= found.keys():
                return list(found.values())
            found |= dict(zip(ids, page.results, strict=True))
            if (await self._traits()).orders and ids[-1] <= known_id:
                return list(found.values())
            skip += len(ids)

    async def _largest_id(self, entry: OutboxEntry) -> int:
        page = await self._newest(entry, 1, 0)
        ids = [whole(each.get("id")) or 0 for each in page.results]
        return max([*ids, await self._files.write(lambda writer: writer.mirror.largest_id(entry.kind))])

    async def _newest(self, entry: OutboxEntry, top: int, skip: int) -> "Page":
        lists = ProjectLists(self._client, await self._traits(), entry.project_id)
        if entry.kind is EntryKind.COMMENT:
            listing = self._client.work_items.comments_below(entry.item_id)
            return await lists.whole_page(listing, order="id desc", top=top, skip=skip)
        return await lists.items(order="id desc", top=top, skip=skip)

    async def _traits(self) -> Traits:
        """Return the service's known traits, else the result of a probe. Unproven traits count as missing."""
        traits = traits_of(await self._files.write(lambda writer: writer.mirror.note(TRAITS)))
        traits = traits or await probe(self._client)
        return traits if traits.is_sure else UNSURE


def _others(writer: Writer, me: Document) -> frozenset[str]:
    """Return the names of all other users. The service may name the signed-in user in several ways."""
    found = writer.mirror.connection.execute("SELECT doc FROM nouns WHERE kind = 'user'")
    users = [orjson.loads(doc) for (doc,) in found]
    return frozenset(name for user in users if user.get("id") != me.get("id") for name in _names(user)) - _names(me)


def _names(user: Document) -> frozenset[str]:
    person = person_of(user)
    full = f"{user.get('firstName') or ''} {user.get('lastName') or ''}".strip()
    names = (person.username, person.display_name, full, str(user.get("email") or ""))
    return frozenset(name.casefold() for name in names if name)


def _must_answer(entry: OutboxEntry, made: Document) -> None:
    """Raise Unclear for a response that cannot be the entry's object."""
    keys = ("projectId", "type") if entry.kind is EntryKind.ADD else ()
    is_kin = all(made.get(key) == entry.payload[key] for key in keys)
    is_there = entry.kind is EntryKind.ADD or made.get("workItemId") == entry.item_id
    if not (is_kin and is_there and (whole(made.get("id")) or 0) > 0):
        raise Unclear("The response does not match the request. Checking again.")


def _is_made_by(entry: OutboxEntry, found: Document) -> bool:
    if entry.kind is EntryKind.COMMENT:
        return str(found.get("description") or "").split() == str(entry.payload["text"]).split()
    return _kin(found) == _kin(entry.payload) and _name(fields_in(found)) == _name(_wanted(entry))


def _kin(document: Mapping[str, object]) -> tuple[object, ...]:
    """Return the immutable properties of an item."""
    fields = document.get("fields")
    parent = fields.get("ParentID") if isinstance(fields, dict) else None
    return document.get("type"), document.get("projectId"), parent


def _likeness(entry: OutboxEntry, found: Document) -> tuple[int, int]:
    """Return the number of matching values, and a tie-breaker that favours the oldest."""
    fields = fields_in(found)
    alike = sum(is_same(fields.get(key), value) for key, value in _wanted(entry).items())
    return alike, -(whole(found.get("id")) or 0)


def _wanted(entry: OutboxEntry) -> Mapping[str, object]:
    fields = entry.payload.get("fields")
    return fields if isinstance(fields, dict) else {}


def _name(fields: Mapping[str, object]) -> Iterable[str]:
    return str(fields.get("Name") or "").split()
