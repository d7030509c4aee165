"""Sending what the user did to areas and iterations: get, compare, write, and read the siblings again."""

import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING

from backlit.model.errors import NotFound, PreconditionFailed, ServiceError, ServiceRefused, Trouble, Unclear
from backlit.store.changes import Change, Subject
from backlit.store.edits import show
from backlit.store.entries import EntryKind, EntryState, OutboxEntry
from backlit.store.files import Files, Writer
from backlit.store.merge import kept_otherwise, merge
from backlit.store.node_checks import fault_of_range, on_wire
from backlit.store.node_levels import Level, NodeLevels, largest_known, put_level
from backlit.store.node_overlay import (
    index_after,
    laid_over_nodes,
    place_of,
    sequence_for,
    siblings_of,
    subtree,
    values_of,
)
from backlit.store.nodes import DATES, item_key, show_trees
from backlit.store.pacing import Waits
from backlit.store.reassigned import going
from backlit.store.recalls import was_given_up
from backlit.store.removals import Leave
from backlit.store.rows import Document, whole
from backlit.store.values import is_same

if TYPE_CHECKING:
    from backlit.client.client import Client

_RACES = 5


def tree_writes(project_id: int) -> str:
    """The mirror's note that counts what was written to a project's trees: what was read before is out of date."""
    return f"tree writes {project_id}"


class NodeSending:
    """Sends NODE entries; called for one of a tree at a time, in the order in which they were journalled."""

    def __init__(self, client: "Client", files: Files, waits: Waits, leave: Leave) -> None:
        self._files = files
        self._leave = leave
        self._levels = NodeLevels(client, files)
        self._settling = waits.settling
        self._began = time.monotonic()
        self._settled_at: dict[int, float] = {}

    async def send(self, entry: OutboxEntry) -> bool:
        """Send an entry and settle it; says whether the service has it, and not a conflict."""
        match entry.kind:
            case EntryKind.NODE_ADD:
                return await self._add(entry)
            case EntryKind.NODE_EDIT:
                return await self._edit(entry)
            case _:
                return await self._delete(entry)

    # New nodes

    async def _add(self, entry: OutboxEntry) -> bool:
        """Make a node exactly once: after an unclear failure, look before sending again (FEATURES rule 9)."""
        parent_id, _ = place_of(entry) or (0, 0)
        made = None
        if entry.known_id is not None:
            level = await self._levels.read(entry)
            made = await self._look(entry, level.nodes, entry.known_id)
            if made is None and time.monotonic() < self._settled_at.get(entry.id, self._began + self._settling):
                raise Unclear("The service did not say whether it was made; that is looked for.")
        else:
            level = await self._levels.lately_below(entry, parent_id)
            await self._files.write(lambda writer: _note_largest(writer, entry, level))
        if made is None:
            made = await self._post(entry, level.nodes)
        await self._delivered(entry, made)
        return True

    async def _look(self, entry: OutboxEntry, nodes: Sequence[Document], known_id: int) -> Document | None:
        taken = await self._files.write(lambda writer: writer.journal.made_ids(EntryKind.NODE_ADD))
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
                raise ServiceError("The service answered with something other than the node that it was asked for.")
            place = place_of(entry)
            wanted = {**values_of(entry), **({} if place is None else {"parentId": place[0]})}
            touched = {key: value for key, value in wanted.items() if not is_same(value, entry.base.get(key))}
            merged = merge(entry.base, touched, theirs)  # of two dates that are sent one may be as it was
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
        raise Unclear("It could not be made sure that the change was taken over; that is looked at again.")

    async def _body(
        self, entry: OutboxEntry, changes: Mapping[str, object], theirs: Mapping[str, object]
    ) -> dict[str, object]:
        """What is sent: both dates where one changes (FEATURES rule 53), and the place by fresh numbers (rule 51)."""
        body = dict(changes)
        if body.keys() & set(DATES):
            body |= {key: {**theirs, **changes}.get(key) for key in DATES}
        place = place_of(entry)
        if place is not None:
            level = await self._levels.lately_below(entry, place[0])
            _, body["sequence"] = _place(entry, level.nodes)
        return body

    async def _conflict(self, entry: OutboxEntry, document: Document, theirs: Mapping[str, object]) -> None:
        who = document.get("lastModifiedBy") or "Somebody"
        reason = f"{who} changed {', '.join(LABELS.get(key, key) for key in theirs)} meanwhile."
        kind = str(entry.payload["tree"])

        def act(writer: Writer) -> None:
            current = writer.journal.entry(entry.id) or entry
            writer.journal.update(replace(current, state=EntryState.CONFLICT, reason=reason, theirs=dict(theirs)))
            if document:
                writer.mirror.put_noun(kind, entry.project_id, document)
            show_trees(writer)

        await self._files.write(act)

    # Deletions

    async def _delete(self, entry: OutboxEntry) -> bool:
        """Delete a node whose sub-tree is as the user saw it; the target is always said (FEATURES rule 49)."""
        level = await self._levels.around(entry, sorted(going(entry)))
        now = subtree(level.nodes, entry.node_id)
        names = {each.get("id"): str(each.get("name") or "") for each in level.nodes}
        unseen = [names[each] for each in now if each not in going(entry)]
        if unseen:
            await self._contest(entry, unseen)
            return False
        if now:
            self._leave(entry)
            with suppress(NotFound):  # somebody else was faster
                await self._levels.resource(entry).delete(entry.node_id, whole(entry.payload.get("reassignmentId")))
        await self._delivered(entry, None)
        return True

    async def _contest(self, entry: OutboxEntry, unseen: list[str]) -> None:
        reason = f"Somebody put {', '.join(unseen)} below it meanwhile."

        def act(writer: Writer) -> None:
            current = writer.journal.entry(entry.id) or entry
            if current.state is not EntryState.DISCARDED:
                writer.journal.update(replace(current, state=EntryState.CONFLICT, reason=reason))
            show_trees(writer)

        await self._files.write(act)

    # Done

    async def _delivered(self, entry: OutboxEntry, document: Document | None) -> None:
        """Settle an entry with its level as the service has it now: siblings have other numbers then (rule 51)."""
        place = place_of(entry)
        level: Level | None = None
        if place is not None:
            own = [whole((document or {}).get("id")) or 0]
            with suppress(Trouble):
                level = await self._levels.below(entry, place[0], own)

        def act(writer: Writer) -> None:
            with self._files.trees:
                if not was_given_up(writer, entry):
                    deliver_node(writer, entry, document, level)

        await self._files.write(act)


LABELS = {
    "name": "the name",
    "startDate": "the start",
    "endDate": "the end",
    "minCapacity": "the least capacity",
    "maxCapacity": "the most capacity",
    "isRelease": "the release flag",
    "parentId": "its place",
}


def _note_largest(writer: Writer, entry: OutboxEntry, level: Level) -> None:
    """Remember above which id a node is to be looked for, if it is unclear whether it was made."""
    known = largest_known(writer.mirror, str(entry.payload["tree"]), entry.project_id)
    writer.journal.update(replace(entry, known_id=max({known, *level.ids()})))


def _place(entry: OutboxEntry, nodes: Sequence[Document]) -> tuple[int, int]:
    """The parent, and the sequence that puts a node after the sibling it is to follow, by the latest numbers."""
    parent_id, after = place_of(entry) or (0, 0)
    ids = [whole(each.get("id")) or 0 for each in siblings_of(nodes, parent_id, entry.node_id)]
    return parent_id, sequence_for(ids, index_after(ids, after))


def _must_have_id(made: Document) -> None:
    if not (whole(made.get("id")) or 0) > 0:
        raise Unclear("The service answered with something other than what it was to make.")


def _unfit(changes: Mapping[str, object], theirs: Mapping[str, object]) -> dict[str, object]:
    """What of theirs does not go with the changes, as their other date or capacity is another now."""
    if not fault_of_range({**theirs, **changes}):
        return {}
    return {key: theirs.get(key) for key in (*DATES, "minCapacity", "maxCapacity") if key in theirs}


def _as_shown(before: Sequence[Document], entry: OutboxEntry, document: Document | None) -> list[Document]:
    """The nodes as they are shown with an entry, while the service could not be asked for them."""
    nodes = laid_over_nodes(before, [entry])
    if document is None:
        return nodes
    return [
        {**document, "sequence": each.get("sequence")} if each.get("id") == entry.node_id else each for each in nodes
    ]


def deliver_node(writer: Writer, entry: OutboxEntry, document: Document | None, level: Level | None) -> None:
    """Have the mirror say what the service has done with an entry: the node that it wrote, and its level."""
    kind, project_id = str(entry.payload["tree"]), entry.project_id
    writes = whole(writer.mirror.note(tree_writes(project_id))) or 0
    writer.mirror.set_note(tree_writes(project_id), writes + 1)
    if level is None and (document is None or place_of(entry) is not None):
        nodes = _as_shown(writer.mirror.nouns(kind, project_id), entry, document)
        level = Level(nodes, is_whole=True)
    put_level(writer.mirror, kind, project_id, level or Level((), is_whole=False), document)
    real_id = whole((document or {}).get("id")) if entry.kind is EntryKind.NODE_ADD else None
    waiting = [
        each.item_id for each in writer.journal.undelivered(naming=entry.node_id) if entry.node_id in each.places
    ]
    if entry.kind is EntryKind.NODE_DELETE:
        target = whole(entry.payload.get("reassignmentId")) or 0
        touched = writer.mirror.reassigned.items_in(item_key(entry), [target, *going(entry)])
        writer.mirror.reassign(item_key(entry), going(entry), target, writer.journal.undelivered(touched))
    writer.journal.deliver(entry, real_id)
    renamed = {} if real_id is None else {entry.temporary_id: real_id}
    writer.signal.publish(Change(Subject.TREES, renamed=renamed))
    show_trees(writer)
    if waiting:
        show(writer, waiting)
