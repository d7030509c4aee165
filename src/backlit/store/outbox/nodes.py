"""Changes of areas and iterations sent to the service: get, compare, write, read the siblings again."""

import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING

from backlit.model.errors import NotFound, PreconditionFailed, ServiceError, ServiceRefused, Trouble, Unclear
from backlit.store.edits.node_checks import fault_of_range, on_wire
from backlit.store.edits.nodes import DATES, show_trees
from backlit.store.files.files import Files, Writer
from backlit.store.mirror.node_overlay import (
    index_after,
    place_of,
    sequence_for,
    siblings_of,
    subtree,
    values_of,
)
from backlit.store.mirror.overlay import deleted_nodes
from backlit.store.outbox.delivery import Leave, deliver_node, was_discarded
from backlit.store.outbox.siblings import Level, NodeLevels, largest_known
from backlit.store.records.entry import EntryKind, EntryState, OutboxEntry
from backlit.store.records.item import Document, whole
from backlit.store.records.merge import kept_otherwise, merge
from backlit.store.records.values import is_same
from backlit.store.remote.retry import Waits

if TYPE_CHECKING:
    from backlit.client.client import Client

_RACES = 5


class NodeSending:
    """Sender of NODE entries in journal order, one at a time for each tree."""

    def __init__(self, client: "Client", files: Files, waits: Waits, leave: Leave) -> None:
        self._files = files
        self._leave = leave
        self._levels = NodeLevels(client, files)
        self._settling = waits.settling
        self._began = time.monotonic()
        self._settled_at: dict[int, float] = {}

    async def send(self, entry: OutboxEntry) -> bool:
        """Send an entry and settle it. Returns whether the service has it, False for a conflict."""
        match entry.kind:
            case EntryKind.NODE_ADD:
                return await self._add(entry)
            case EntryKind.NODE_EDIT:
                return await self._edit(entry)
            case _:
                return await self._delete(entry)

    # New nodes

    async def _add(self, entry: OutboxEntry) -> bool:
        """Create a node exactly once: after an unclear failure, look before sending again."""
        parent_id, _ = place_of(entry) or (0, 0)
        made = None
        if entry.known_id is not None:
            level = await self._levels.read(entry)
            made = await self._look(entry, level.nodes, entry.known_id)
            if made is None and time.monotonic() < self._settled_at.get(entry.id, self._began + self._settling):
                raise Unclear("Could not confirm that the service saved the change. Checking again.")
        else:
            level = await self._levels.lately_below(entry, parent_id)
            await self._files.write(lambda writer: _note_largest(writer, entry, level))
        if made is None:
            made = await self._post(entry, level.nodes)
        await self._delivered(entry, made)
        return True

    async def _look(self, entry: OutboxEntry, nodes: Sequence[Document], known_id: int) -> Document | None:
        taken = await self._files.write(lambda writer: writer.journal.entries.made_ids(EntryKind.NODE_ADD))
        parent_id, _ = place_of(entry) or (0, 0)
        alike = [
            each
            for each in nodes
            if (whole(each.get("id")) or 0) > known_id
            and each.get("id") not in taken
            and each.get("parentId") == parent_id
            and each.get("name") == values_of(entry).get("name")
        ]
        return min(alike, key=lambda each: whole(each.get("id")) or 0, default=None)

    async def _post(self, entry: OutboxEntry, nodes: Sequence[Document]) -> Document:
        parent_id, sequence = _place(entry, nodes)
        body = {"projectId": entry.project_id, "parentId": parent_id, "sequence": sequence, **values_of(entry)}
        try:
            made = await self._levels.resource(entry).create_document(body)
            _must_have_id(made)
        except (Unclear, ServiceError):
            self._settled_at[entry.id] = time.monotonic() + self._settling
            raise
        self._settled_at.pop(entry.id, None)
        return made

    # Changes

    async def _edit(self, entry: OutboxEntry) -> bool:
        resource = self._levels.resource(entry)
        for _ in range(_RACES):
            fetched = await resource.fetch(entry.node_id)
            theirs = on_wire(fetched.document)
            if theirs.get("id") != entry.node_id:
                raise ServiceError("The service returned another node than requested.")
            place = place_of(entry)
            wanted = {**values_of(entry), **({} if place is None else {"parentId": place[0]})}
            touched = {key: value for key, value in wanted.items() if not is_same(value, entry.base.get(key))}
            merged = merge(entry.base, touched, theirs)  # one of the two dates may be unchanged
            conflicts = merged.conflicts or _unfit(merged.changes, theirs)
            if conflicts:
                await self._conflict(entry, fetched.document, conflicts)
                return False
            body = await self._body(entry, merged.changes, theirs)
            echo: Document = fetched.document
            if body:
                self._leave(entry)
                try:
                    echo = await resource.update_document(entry.node_id, body, fetched.etag, is_repeatable=False)
                except (PreconditionFailed, Unclear):
                    continue
            kept = kept_otherwise(merged.changes, on_wire(echo))
            if kept:
                raise ServiceRefused(f"The service kept {', '.join(f'{key} = {echo.get(key)}' for key in kept)}.")
            await self._delivered(entry, echo)
            return True
        raise Unclear("Could not confirm that the service saved the change. Checking again.")

    async def _body(
        self, entry: OutboxEntry, changes: Mapping[str, object], theirs: Mapping[str, object]
    ) -> dict[str, object]:
        """Return the request's body: both dates if one changes, and the place by current sequences."""
        body = dict(changes)
        if body.keys() & set(DATES):
            body |= {key: {**theirs, **changes}.get(key) for key in DATES}
        place = place_of(entry)
        if place is not None:
            level = await self._levels.lately_below(entry, place[0])
            _, body["sequence"] = _place(entry, level.nodes)
        return body

    async def _conflict(self, entry: OutboxEntry, document: Document, theirs: Mapping[str, object]) -> None:
        who = document.get("lastModifiedBy") or "Someone"
        reason = f"{who} changed {', '.join(LABELS.get(key, key) for key in theirs)} in the meantime."
        kind = str(entry.payload["tree"])

        def act(writer: Writer) -> None:
            current = writer.journal.entries.find(entry.id) or entry
            writer.journal.update(replace(current, state=EntryState.CONFLICT, reason=reason, theirs=dict(theirs)))
            if document:
                writer.mirror.put_noun(kind, entry.project_id, document)
            show_trees(writer)

        await self._files.write(act)

    # Deletions

    async def _delete(self, entry: OutboxEntry) -> bool:
        """Delete a node with an unchanged subtree. The request always names the target of the items."""
        level = await self._levels.around(entry, sorted(deleted_nodes(entry)))
        now = subtree(level.nodes, entry.node_id)
        names = {each.get("id"): str(each.get("name") or "") for each in level.nodes}
        unseen = [names[each] for each in now if each not in deleted_nodes(entry)]
        if unseen:
            await self._contest(entry, unseen)
            return False
        if now:
            self._leave(entry)
            with suppress(NotFound):  # deleted by someone else first
                await self._levels.resource(entry).delete(entry.node_id, whole(entry.payload.get("reassignmentId")))
        await self._delivered(entry, None)
        return True

    async def _contest(self, entry: OutboxEntry, unseen: list[str]) -> None:
        reason = f"Someone added {', '.join(unseen)} below it in the meantime."

        def act(writer: Writer) -> None:
            current = writer.journal.entries.find(entry.id) or entry
            if current.state is not EntryState.DISCARDED:
                writer.journal.update(replace(current, state=EntryState.CONFLICT, reason=reason))
            show_trees(writer)

        await self._files.write(act)

    # Delivery

    async def _delivered(self, entry: OutboxEntry, document: Document | None) -> None:
        """Settle an entry with the service's current level, because a write renumbers the siblings."""
        place = place_of(entry)
        level: Level | None = None
        if place is not None:
            own = [whole((document or {}).get("id")) or 0]
            with suppress(Trouble):
                level = await self._levels.below(entry, place[0], own)

        def act(writer: Writer) -> None:
            with self._files.trees:
                if not was_discarded(writer, entry):
                    deliver_node(writer, entry, document, level)

        await self._files.write(act)


LABELS = {
    "name": "the name",
    "startDate": "the start",
    "endDate": "the end",
    "minCapacity": "the min capacity",
    "maxCapacity": "the max capacity",
    "isRelease": "the release flag",
    "parentId": "its place",
}


def _note_largest(writer: Writer, entry: OutboxEntry, level: Level) -> None:
    """Record the largest id before a creation, as the lower bound of a later search."""
    known = largest_known(writer.mirror, str(entry.payload["tree"]), entry.project_id)
    writer.journal.update(replace(entry, known_id=max({known, *level.ids()})))


def _place(entry: OutboxEntry, nodes: Sequence[Document]) -> tuple[int, int]:
    """Return the parent, and the sequence after the preceding sibling, by the latest numbers."""
    parent_id, after = place_of(entry) or (0, 0)
    ids = [whole(each.get("id")) or 0 for each in siblings_of(nodes, parent_id, entry.node_id)]
    return parent_id, sequence_for(ids, index_after(ids, after))


def _must_have_id(made: Document) -> None:
    if not (whole(made.get("id")) or 0) > 0:
        raise Unclear("The response does not match the request. Checking again.")


def _unfit(changes: Mapping[str, object], theirs: Mapping[str, object]) -> dict[str, object]:
    """Return the service's values that contradict the changes: a newer other date or capacity."""
    if not fault_of_range({**theirs, **changes}):
        return {}
    return {key: theirs.get(key) for key in (*DATES, "minCapacity", "maxCapacity") if key in theirs}
