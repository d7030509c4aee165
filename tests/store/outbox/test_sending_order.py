"""The order of the outbox: the entries that one call tries, those that wait for them, and what a failure leaves."""

import asyncio
from collections.abc import Mapping

import orjson
import pytest
from msgspec.structs import replace
from tests.store.documents import item
from tests.store.outbox.entries import _FIRST, comment, edit, from_number, story, temporary
from tests.store.outbox.outboxes import AT_ONCE, items, journalled, outbox_of, states, writes
from tests.store.reading import Begin
from tests.store.world import Said, raised, until

from backlit.model.errors import SignInNeeded
from backlit.store import EntryState, StoreChange
from backlit.store.outbox.queue import Outbox
from backlit.store.records.changes import Subject
from backlit.store.records.entry import EntryKind, OutboxEntry, new_entry
from backlit.store.remote.reachability import MAX_CONCURRENT_REQUESTS, RetryPauses

_REFUSED, _CONFLICT = EntryState.REFUSED, EntryState.CONFLICT


def rank(item_id: int, beside: int, project: int = 7) -> OutboxEntry:
    return new_entry(EntryKind.RANK, project, {"beside": [["after", beside], ["after", 3]]}, item_id)


def removal(item_id: int) -> OutboxEntry:
    return new_entry(EntryKind.DELETE, 7, {}, item_id)


def rename(
    node_id: int, tree: str = "areas", project: int = 7, state: EntryState = EntryState.WAITING, **values: object
) -> OutboxEntry:
    values = values or {"name": "Mine"}
    payload = {"tree": tree, "id": node_id, "name": "A", "values": values}
    return replace(new_entry(EntryKind.NODE_EDIT, project, payload, base=dict.fromkeys(values)), state=state)


def place(parent_id: int) -> OutboxEntry:
    payload = {"tree": "areas", "name": "B", "values": {"name": "B"}, "place": {"parentId": parent_id, "after": 0}}
    return new_entry(EntryKind.NODE_ADD, 7, payload)


def deletion(node_id: int, target: int = 11) -> OutboxEntry:
    payload = {"tree": "areas", "id": node_id, "reassignmentId": target, "below": [node_id, 14]}
    return new_entry(EntryKind.NODE_DELETE, 7, payload)


ORDER: Mapping[str, tuple[list[OutboxEntry], list[int]]] = {
    "edits of an item": ([edit(), edit(Estimate="5"), edit(2)], [1, 0, 1]),
    "an edit behind a comment": ([comment(), edit()], [1, 0]),
    "an edit behind a conflict of its field": ([edit(state=_CONFLICT), edit(), edit(2)], [0, 0, 1]),
    "an edit behind a rejection of another field": ([edit(state=_REFUSED), edit(Estimate="5")], [0, 1]),
    "an edit behind a rejected comment": ([comment(state=_REFUSED), edit()], [0, 1]),
    "new items": ([story("A"), story("B"), story("C", project=8)], [1, 1, 1]),
    "a task of a new item": ([story(), story(ParentID=temporary(0))], [1, 0]),
    "a task of an item": ([story(), story(ParentID=1)], [1, 1]),
    "an edit of a rejected item": ([story(state=_REFUSED), edit(temporary(0))], [0, 0]),
    "moves of a project": ([rank(1, 2), rank(2, 1), rank(2, 1, project=8)], [1, 0, 1]),
    "a move beside a new item": ([story(), rank(1, temporary(0))], [1, 0]),
    "a move beside a rejected item": ([story(state=_REFUSED), rank(1, temporary(0))], [0, 1]),
    "a move beside another item": ([story(), rank(1, 2)], [1, 1]),
    "renames in a tree": ([rename(12), rename(13), rename(12, "iterations"), rename(13, project=8)], [1, 0, 1, 1]),
    "a rename behind a conflict of its name": ([rename(12, state=_CONFLICT), rename(12)], [0, 0]),
    "a rename behind a conflict of another": ([rename(12, state=_CONFLICT), rename(13)], [0, 1]),
    "a change behind a conflict of another": ([rename(12, state=_CONFLICT), rename(12, isRelease=True)], [0, 1]),
    "an item in a new area": ([edit(AreaID=temporary(99))], [0]),
    "a node below a new one": ([place(temporary(99))], [0]),
    "a node below the root": ([place(-1)], [1]),
    "a deletion after an item moved there": ([edit(AreaID=12), deletion(12)], [1, 0]),
    "a deletion after an item moved below": ([story(ParentID=1, AreaID=14), deletion(12)], [1, 0]),
    "a deletion after an item moved elsewhere": ([edit(AreaID=13), deletion(12)], [1, 1]),
    "a deletion after a rejected item": ([edit(AreaID=12, state=_REFUSED), deletion(12)], [0, 1]),
    "a deletion that moves items into a new node": ([deletion(12, temporary(99))], [0]),
    "the deletion of an item whose new task failed": ([story(ParentID=1), removal(1)], [1, 1]),
    "the deletion of a new comment": (
        [comment(), new_entry(EntryKind.DELETE_COMMENT, 7, {"id": temporary(0)}, 2)],
        [1, 0],
    ),
}


async def test_an_entry_waits_for_those_it_needs_and_for_no_other(begin: Begin) -> None:
    reading = await begin()
    await outbox_of(reading, items(1, 2, 3))
    reading.faults.says = lambda _method, _path: Said(500)
    tried = {}
    for name, (entries, _) in ORDER.items():
        await from_number(reading.store, _FIRST)
        await journalled(reading.store, *entries)
        await Outbox(reading.client, reading.store.files, AT_ONCE).send()
        tried[name] = [attempts for _, attempts, _ in states(reading.store)]

    assert tried == {name: expected for name, (_, expected) in ORDER.items()}


GONE, BROKEN = Said(404, body=b'{"message": "It is gone."}'), Said(400, body=b'{"message": "Not so."}')
FAILED, OTHER = Said(500, body=b'{"message": "Broken."}'), Said(200, body=b'{"id": 99}')
UNCLEAR = "Could not confirm that the server saved the change. Checking again."
OUTCOMES = (
    (edit(1), ("GET", "/1", GONE), ("refused", 0, "Someone deleted this item.")),
    (edit(2), ("PUT", "/2", BROKEN), ("refused", 0, "Not so.")),
    (edit(3), ("GET", "/3", FAILED), ("waiting", 1, "Broken.")),
    (edit(4), ("PUT", "/4", FAILED), ("waiting", 1, "Broken.")),
    (comment(5), ("POST", "/comments", GONE), ("refused", 0, "Someone deleted this item.")),
    (rank(6, 1), ("POST", "/rank", GONE), ("refused", 0, "It is gone.")),
    (edit(7), ("PUT", "/7", OTHER), ("waiting", 0, UNCLEAR)),
    (rename(12), ("GET", "/12", GONE), ("refused", 0, "It is gone.")),
)


async def test_a_failure_is_kept_with_its_entry_and_says_its_reason(begin: Begin) -> None:
    reading = await begin()
    outbox = await outbox_of(reading, items(*range(1, 8)))
    answers = {(method, end): said for _, (method, end, said), _ in OUTCOMES}
    reading.faults.says = lambda method, path: next(
        (said for (verb, end), said in answers.items() if method == verb and path.endswith(end)), None
    )
    await journalled(reading.store, *(entry for entry, *_ in OUTCOMES))

    period = await outbox.send()

    assert states(reading.store) == [expected for *_, expected in OUTCOMES]
    assert [each.item_id for each in reading.store.outbox_entries() if each.may_have_been_sent] == [4, 7]
    trash = reading.store.files.journal.trash
    assert [each for each in range(8) if trash.of_gone_item(each) is not None] == [1, 5]
    assert (outbox.delivered, 30.0 - 1 <= (period or 0.0) <= 60.0) == (0, True)


async def test_a_lost_sign_in_stops_the_sending_and_counts_against_no_entry(begin: Begin) -> None:
    reading = await begin()
    outbox = await outbox_of(reading, items(*range(1, 8)))
    reading.faults.says = lambda method, _: Said(401) if method == "PUT" else None
    await journalled(reading.store, *(edit(each) for each in range(1, 8)))

    error = await raised(outbox.send())

    assert isinstance(error, SignInNeeded)
    assert [(state, attempts) for state, attempts, _ in states(reading.store)] == [("waiting", 0)] * 7
    assert {each for each in writes(reading) if each.startswith("PUT")} < {f"PUT {each}" for each in range(1, 8)}


@pytest.mark.parametrize("answer", [BROKEN, GONE, FAILED], ids=["rejected", "gone", "failed"])
async def test_an_entry_that_is_discarded_while_it_is_sent_stays_discarded(begin: Begin, answer: Said) -> None:
    reading = await begin()
    outbox = await outbox_of(reading, items(1))
    (entry,) = await journalled(reading.store, edit())

    async def discard(_method: str, _path: str) -> None:
        changed = replace(entry, state=EntryState.DISCARDED)
        await reading.store.files.write(lambda writer: writer.journal.update(changed))

    reading.faults.before = discard
    reading.faults.says = lambda _method, _path: answer
    await outbox.send()

    found = reading.store.files.journal.entries.find(entry.id)
    assert (found and found.state) is EntryState.DISCARDED


async def test_an_entry_that_a_process_left_in_transit_is_sent(begin: Begin) -> None:
    reading = await begin()
    outbox = await outbox_of(reading, items(1))
    await journalled(reading.store, edit(state=EntryState.SENDING))

    await outbox.send()

    assert writes(reading) == ["PUT 1"]


async def test_pauses_of_an_entry_grow_and_the_shortest_one_counts(begin: Begin) -> None:
    reading = await begin()
    outbox = await outbox_of(reading, items(1, 2), RetryPauses(first_pause=60.0, longest_pause=6_000.0, in_transit=0.0))
    reading.faults.says = lambda _method, _path: FAILED
    await journalled(reading.store, edit())
    periods = []
    for _ in range(5):
        outbox.hurry()
        periods.append(await outbox.send() or 0.0)
    await journalled(reading.store, edit(2))
    periods.append(await outbox.send() or 0.0)

    assert (periods[0] <= 60.0, periods[4] > 240.0, periods[5] <= 60.0) == (True, True, True), periods


async def test_new_items_of_a_project_are_sent_one_at_a_time(begin: Begin) -> None:
    reading = await begin()
    outbox = await outbox_of(reading, items(1))
    await journalled(reading.store, story("A"), story("B"), story("C", project=8))
    held = asyncio.Event()

    async def hold(method: str, _path: str) -> None:
        if method == "POST":
            await held.wait()

    reading.faults.before = hold
    sending = asyncio.create_task(outbox.send())
    await until(lambda: reading.faults.count("POST") > 0)
    in_transit = [(each.state.value, each.known_id) for each in reading.store.outbox_entries()]
    held.set()
    await sending

    assert [state for state, _ in in_transit] == ["sending", "waiting", "sending"]
    assert in_transit[1][1] is None
    assert 1 in {known_id for _, known_id in in_transit}


async def test_an_item_is_sent_for_each_that_arrived(begin: Begin) -> None:
    reading = await begin()
    outbox = await outbox_of(reading, items(*range(1, 11)))
    await journalled(reading.store, *map(edit, range(1, 11)))
    held = asyncio.Event()

    async def hold(method: str, path: str) -> None:
        if method == "PUT" and not path.endswith("/1"):
            await held.wait()

    reading.faults.before = hold
    sending = asyncio.create_task(outbox.send())
    await until(lambda: reading.faults.count("PUT") > MAX_CONCURRENT_REQUESTS)
    in_transit = [state for state, *_ in states(reading.store)].count("sending")
    held.set()
    await sending

    assert in_transit == MAX_CONCURRENT_REQUESTS


def with_deletion(made: OutboxEntry, number: int) -> tuple[OutboxEntry, OutboxEntry]:
    """Return a case's entry and the deletion of the object that it creates."""
    if made.kind is EntryKind.COMMENT:
        return made, new_entry(EntryKind.DELETE_COMMENT, 7, {"id": temporary(number), "text": "Look"}, made.item_id)
    return made, new_entry(EntryKind.DELETE, 7, {"name": "New"}, temporary(number))


async def test_an_outcome_is_kept_stored_and_shown(begin: Begin) -> None:
    reading = await begin()
    store = reading.store
    outbox = await outbox_of(reading, items(*range(1, 9)))
    await from_number(store, _FIRST)
    remove = new_entry(EntryKind.DELETE, 7, {"name": "Item 3"}, 3, {"Name": "Item 3"})
    await journalled(
        store,
        *with_deletion(story(), 0),
        *with_deletion(comment(2), 2),
        *(edit(1, Name="Mine", Estimate="5"), edit(2), remove, replace(remove, item_id=4, base={"Name": "Item 4"})),
        *(edit(5), comment(6), rank(7, 8), edit(8), rename(12)),
    )
    reading.server.change("jon", 1, {"Name": "Jon's"})
    reading.server.change("jon", 3, {"Name": "Jon's"})
    kept = orjson.dumps(item(2, project=7, Estimate="13"))
    await store.files.write(lambda writer: writer.journal.ranks.put(7, {7: 1.0}, is_local=False))
    answers = {"PUT/2": Said(200, body=kept), "DELETE/4": GONE, "GET/5": GONE, "PUT/8": BROKEN, "GET/12": GONE}
    answers |= {"POST/workitems": BROKEN, "POST/comments": BROKEN, "POST/rank": GONE}
    reading.faults.says = lambda method, path: answers.get(f"{method}/{path.rpartition('/')[2]}")
    await store.files.write(lambda writer: writer.mirror.delete_items([5]))
    await store.files.write(
        lambda writer: writer.announce(writer.mirror.lay_over(range(1, 9), writer.journal.entries.undelivered()))
    )
    heard: list[StoreChange] = []
    store.subscribe(heard.append)

    await outbox.send()

    assert [(each.item_id, each.state.value, each.reason, dict(each.theirs)) for each in store.outbox_entries()] == [
        (1, "conflict", "jon changed Name in the meantime.", {"Name": "Jon's"}),
        (2, "refused", "The server kept Name = Item 2.", {}),
        (3, "conflict", "jon changed Name in the meantime.", {"Name": "Jon's"}),
        (6, "refused", "Not so.", {}),
        (7, "refused", "It is gone.", {}),
        (8, "refused", "Not so.", {}),
        (0, "refused", "It is gone.", {}),
    ]
    assert (outbox.delivered, reading.ids()) == (1, [1, 2, 3, 6, 7, 8])
    shown = [(found.fields["Name"], found.sign.name) for each in (1, 2, 3, 8) if (found := store.item(each))]
    assert shown == [("Mine", "CONFLICT"), ("Mine", "REFUSED"), ("Jon's", "CONFLICT"), ("Mine", "REFUSED")]
    second = store.item(2)
    assert (second and second.fields["Estimate"], store.files.journal.ranks.numbers()) == ("13", {})
    signed = {each for change in heard if change.fields == frozenset({"sign"}) for each in change.ids}
    assert signed >= {1, 2, 3, 6, 7, 8}
    assert {2, 6} <= {each for change in heard if change.kind is Subject.COMMENTS for each in change.ids}
    assert Subject.TREES in {change.kind for change in heard}
