"""The journal alone: ids that become real everywhere, values of the user, and entries that are kept."""

import time
from collections.abc import Iterator
from datetime import date
from pathlib import Path

import pytest
from msgspec.structs import replace

from backlit.store.journal.groom_queue import GroomProgress
from backlit.store.journal.inbox import InboxRecord, NewsKind
from backlit.store.journal.journal import KEPT_SENT, Journal
from backlit.store.journal.reports import ScopeMove
from backlit.store.journal.undo_log import KEPT_DAYS, ActState, ItemCopy
from backlit.store.records.changes import OutboxState
from backlit.store.records.entry import EntryKind, EntryState, OutboxEntry, new_comment, new_entry

STORY = {"type": "Story", "projectId": 1, "fields": {"Name": "New"}}


@pytest.fixture
def journal(tmp_path: Path) -> Iterator[Journal]:
    journal = Journal(tmp_path / "journal.sqlite")
    yield journal
    journal.close()


def added(journal: Journal, entry: OutboxEntry) -> OutboxEntry:
    (made,) = journal.add([entry])
    return made


def present(journal: Journal, entry: OutboxEntry) -> OutboxEntry:
    found = journal.entries.find(entry.id)
    assert found is not None
    return found


def edit(item_id: int, **values: object) -> OutboxEntry:
    return new_entry(EntryKind.EDIT, 1, values, item_id, dict.fromkeys(values))


def test_undelivered_entries_are_kept_however_old_they_are(journal: Journal) -> None:
    waiting, sent, latest = journal.add([edit(7, Name="a"), edit(7, Name="b"), edit(7, Name="c")])
    journal.deliver(sent)
    journal.deliver(latest)
    journal.file.execute("UPDATE entries SET id = id + ? WHERE id = ?", (KEPT_SENT, latest.id))

    journal.forget_old()

    assert [each.id for each in journal.entries.undelivered()] == [waiting.id]
    assert journal.entries.find(sent.id) is None
    assert journal.entries.find(latest.id + KEPT_SENT) is not None


def test_the_deletion_of_a_new_comment_gets_its_real_id(journal: Journal) -> None:
    comment = added(journal, new_comment(1, 7, "Hello"))
    payload = {"id": comment.temporary_id, "text": "Hello"}
    deletion = added(journal, new_entry(EntryKind.DELETE_COMMENT, 1, payload, 7))

    journal.deliver(comment, 99)

    assert present(journal, deletion).payload == {"id": 99, "text": "Hello"}


def test_the_rank_of_a_new_item_gets_its_real_id(journal: Journal) -> None:
    made = added(journal, new_entry(EntryKind.ADD, 1, STORY))
    journal.ranks.put(1, {made.item_id: 2.5, 7: 3.5}, is_local=False)

    journal.deliver(made, 77)

    assert journal.ranks.numbers() == {77: 2.5, 7: 3.5}


def test_a_new_node_gets_its_real_id_in_values_bases_and_conflicts(journal: Journal) -> None:
    node = added(journal, new_entry(EntryKind.NODE_ADD, 1, {"tree": "areas", "values": {"name": "New"}}))
    there, elsewhere = {"AreaID": node.temporary_id}, {"AreaID": 4}
    entries = journal.add([new_entry(EntryKind.EDIT, 1, elsewhere, 7, there), new_entry(EntryKind.EDIT, 1, there, 8)])
    held = new_entry(EntryKind.EDIT, 1, elsewhere, 9, elsewhere)
    contested = added(journal, held)
    journal.file.execute(
        "UPDATE entries SET theirs = ? WHERE id = ?", (f'{{"AreaID": {node.temporary_id}}}', contested.id)
    )

    journal.deliver(node, 12)

    before, after = (present(journal, each) for each in entries)
    assert (before.payload, before.base) == (elsewhere, {"AreaID": 12})
    assert after.payload == {"AreaID": 12}
    assert present(journal, contested).theirs == {"AreaID": 12}


def test_real_ids_of_nodes_do_not_follow_an_item_of_the_same_id(journal: Journal) -> None:
    journal.follow({7: 99})

    moved = added(journal, edit(8, AreaID=7, IterationID=7))

    assert (moved.payload, moved.item_id) == ({"AreaID": 7, "IterationID": 7}, 8)


def test_new_tasks_and_edits_follow_their_item(journal: Journal) -> None:
    made = added(journal, new_entry(EntryKind.ADD, 1, STORY))
    task = {"type": "Task", "projectId": 1, "fields": {"Name": "Below", "ParentID": made.item_id}}
    below, edited = journal.add([new_entry(EntryKind.ADD, 1, task), edit(made.item_id, Name="Newer")])

    journal.deliver(made, 77)
    late = added(journal, edit(made.item_id, Name="Newest"))

    assert present(journal, below).parent_id == 77
    assert (present(journal, edited).item_id, late.item_id) == (77, 77)


def test_what_follows_several_new_items_names_all_of_them(journal: Journal) -> None:
    first, second = journal.add([new_entry(EntryKind.ADD, 1, STORY), new_entry(EntryKind.ADD, 1, STORY)])
    task = {"type": "Task", "projectId": 1, "fields": {"Name": "Below", "ParentID": second.item_id}}
    below, related = journal.add(
        [
            new_entry(EntryKind.ADD, 1, task),
            new_entry(EntryKind.RELATE, 1, {"type": "Blocks", "targetId": second.item_id}, first.item_id),
        ]
    )

    journal.deliver_items([first, second], {first.item_id: 76, second.item_id: 77})

    assert present(journal, first).state is EntryState.SENT
    assert present(journal, below).parent_id == 77
    assert (present(journal, related).item_id, present(journal, related).payload["targetId"]) == (76, 77)
    assert [journal.renames.followed(each.item_id) for each in (first, second)] == [76, 77]


def test_the_own_values_are_those_of_edits_that_were_not_discarded(journal: Journal) -> None:
    sent, waiting, discarded = journal.add([edit(7, Name="a", Estimate="1"), edit(7, Name="b"), edit(7, Name="c")])
    journal.deliver(sent)
    journal.file.execute("UPDATE entries SET state = ? WHERE id = ?", (EntryState.DISCARDED.value, discarded.id))

    assert journal.entries.own_values(7) == {"Name": "b", "Estimate": "1"}
    assert waiting.state is EntryState.WAITING


def test_a_grooming_queue_keeps_the_values_that_an_item_had_at_first(journal: Journal) -> None:
    journal.groom_queues.begin(1, [7, 8], "2026-03-11")
    journal.groom_queues.note(1, 0, ["Estimate"], {"Estimate": "1"})

    journal.groom_queues.note(1, 0, [], {"Estimate": "9"})

    (stop,) = journal.groom_queues.shown(1)
    assert (stop.before, stop.asked) == ({"Estimate": "1"}, ())


def test_a_change_that_was_taken_back_is_no_answer_in_a_grooming_queue(journal: Journal) -> None:
    journal.groom_queues.begin(1, [7], "2026-03-11")
    journal.groom_queues.note(1, 0, [], {})
    kept, taken_back = journal.add([edit(7, Estimate="1"), edit(7, Name="Pay")])

    journal.update(replace(taken_back, state=EntryState.DISCARDED))

    assert journal.groom_queues.edited(1) == {7: [(kept.id, frozenset({"Estimate"}))]}


def test_ranks_are_local_or_pending_in_their_own_project(journal: Journal) -> None:
    journal.ranks.put(1, {1: 1.0, 2: 2.0}, is_local=True)
    journal.ranks.put(1, {3: 3.0}, is_local=False)
    journal.ranks.put(2, {4: 4.0}, is_local=True)
    journal.ranks.follow({1: 9})

    assert [journal.ranks.count_local(project) for project in (1, 2, 3, None)] == [2, 1, 0, 0]
    assert (sorted(journal.ranks.local(1)), journal.ranks.unneeded()) == ([2, 9], [3])
    journal.ranks.drop([9, 3])
    assert journal.ranks.numbers() == {2: 2.0, 4: 4.0}


def test_a_projects_news_come_the_latest_first_and_are_forgotten_alone(journal: Journal) -> None:
    news = {1: ("2026-03-01", (5,)), 2: ("2026-03-03", ()), 3: ("2026-03-03", (6, 7)), 4: (None, ())}
    records = [
        InboxRecord(item_id, 1, NewsKind.NEW, "Story", "x", comments=comments, noted_at=noted_at)
        for item_id, (noted_at, comments) in news.items()
    ]
    elsewhere = InboxRecord(8, 2, NewsKind.CHANGED, "Bug", "y", {"Name": "z"}, (9,), ("jon",), "2026-03-04")
    seen = InboxRecord(10, 2, NewsKind.CHANGED, "Bug", "y")

    assert journal.inbox.put([*records, elsewhere, seen]) == {1, 2, 3, 4, 8, 10}

    assert journal.inbox.ids(1) == [3, 2, 1, 4]
    assert (sorted(journal.inbox.comment_ids(1)), journal.inbox.comment_ids(2)) == ([5, 6, 7], [9])
    assert journal.inbox.records([8, 9, 10]) == {8: elsewhere}
    assert (journal.inbox.forget_project(1), journal.inbox.count(1), journal.inbox.count(2)) == (4, 0, 1)
    assert (journal.inbox.forget([8, 9]), journal.inbox.forget_project(None)) == (1, 0)


def test_old_copies_in_the_trash_are_forgotten_unless_their_deletion_waits(journal: Journal) -> None:
    now = time.time()
    waiting, sent = journal.add([new_entry(EntryKind.DELETE, 1, {}, item_id) for item_id in (1, 2)])
    journal.deliver(sent)
    for item_id, entry_id in ((1, waiting.id), (2, sent.id), (3, None)):
        journal.trash.keep(ItemCopy({"id": item_id}), entry_id)

    left = []
    for days in (KEPT_DAYS - 1, KEPT_DAYS + 1):
        journal.trash.forget_old(now + days * 86_400)
        left.append([copy.item_id for _, copy in journal.trash.every()])

    assert left == [[3, 2, 1], [1]]
    assert journal.trash.of_entry(waiting.id) == ItemCopy({"id": 1}, (), (), ())


def test_a_move_that_is_taken_back_on_its_day_leaves_no_record(journal: Journal) -> None:
    days = [date(2026, 3, day) for day in (1, 2)]
    for day, after in ((days[0], 5.0), (days[0], 8.0), (days[1], 5.0), (days[1], 3.0)):
        journal.scope_log.move(1, day, [ScopeMove(9, 7, 3.0, after)])

    assert journal.scope_log.moves(1, "[9]", *days) == [("2026-03-01", 3.0, 8.0)]


def test_the_end_of_a_wait_for_another_process_is_told(tmp_path: Path, journal: Journal) -> None:
    other = Journal(tmp_path / "journal.sqlite")
    told: list[bool] = []

    def tell(is_waiting: bool) -> None:
        told.append(is_waiting)
        if is_waiting:
            other.file.execute("ROLLBACK")

    journal.file.report_waiting(tell)
    journal.settings.keep("a", "b")
    without = list(told)
    other.file.execute("BEGIN IMMEDIATE")

    journal.settings.keep("a", "c")

    other.close()
    assert (without, told) == ([], [True, False])


def test_a_grooming_queue_without_items_has_no_place(journal: Journal) -> None:
    journal.groom_queues.begin(1, [], "2026-03-01")

    assert journal.groom_queues.progress(1) == GroomProgress(0, 0, "2026-03-01")
    assert journal.groom_queues.progress(2) is None


def test_an_act_is_undone_and_redone_until_the_next_act(journal: Journal) -> None:
    log = journal.undo_log
    first, second, third = (log.begin() for _ in range(3))
    undo_third, undo_second = log.go_on(third, ActState.UNDONE), log.go_on(second, ActState.UNDONE)
    before = list(log.to_undo()), list(log.to_redo()), [log.latest(each) for each in (first, second, third)]
    undone = [log.is_undone(each) for each in (first, second, undo_second, undo_third, 99)]
    redo_second = log.go_on(second, ActState.DONE)
    redone = list(log.to_undo()), list(log.to_redo()), log.is_undone(redo_second), log.is_undone(undo_second)

    fourth = log.begin()

    assert before == ([first], [second, third], [first, undo_second, undo_third])
    assert undone == [False, True, True, True, False]
    assert redone == ([second, first], [third], False, False)
    assert (list(log.to_undo()), list(log.to_redo())) == ([fourth, second, first], [])


def test_an_entry_is_withdrawn_by_its_latest_step_and_taken_up_for_all(journal: Journal) -> None:
    log = journal.undo_log
    log.withdraw([7, 5], 1)
    log.withdraw([5], 2)
    found = log.withdrawn(1), log.withdrawn(2)

    log.take_up([5])

    assert (found, log.withdrawn(1), log.withdrawn(2)) == (([7], [5]), [7], [])


def test_a_repeated_entry_belongs_to_all_acts_of_the_one_it_stands_for(journal: Journal) -> None:
    log = journal.undo_log
    original = added(journal, edit(7, Name="a"))
    second, other = log.begin(), added(journal, edit(8, Name="x")).step
    (again,) = journal.add([edit(7, Name="a")], log.go_on(second, ActState.UNDONE))
    log.stand_for(again.id, original.id, again.step)
    (later,) = journal.add([edit(7, Name="a")], log.go_on(original.step, ActState.DONE))

    log.stand_for(later.id, again.id, later.step)

    def of(act: int) -> list[int]:
        return [each.id for each in journal.entries.of_step(log.latest(act))]

    assert of(original.step) == [later.id]
    assert of(second) == [again.id, later.id]
    assert [each.id for each in journal.entries.of_step(original.step)] == [original.id, again.id]
    assert len(of(other)) == 1


def test_the_steps_of_forgotten_entries_are_forgotten(journal: Journal) -> None:
    log = journal.undo_log
    (old,) = journal.add([edit(7, Name="a")])
    log.withdraw([old.id], log.go_on(old.step, ActState.UNDONE))
    log.go_on(old.step, ActState.DONE)
    journal.deliver(old)
    (kept,) = journal.add([edit(7, Name="b")])
    undone = log.go_on(kept.step, ActState.UNDONE)
    log.withdraw([kept.id], undone)
    log.stand_for(kept.id, kept.id, undone)
    journal.file.execute("UPDATE entries SET id = id + ? WHERE id = ?", (KEPT_SENT + 5, kept.id))
    journal.file.execute("UPDATE shared SET entry_id = entry_id + ?", (KEPT_SENT + 5,))

    journal.forget_old()

    assert (list(log.to_undo()), list(log.to_redo())) == ([], [kept.step])
    assert (log.withdrawn(undone), log.latest(kept.step)) == ([kept.id], undone)
    tables = ("entries", "steps", "withdrawn", "shared")
    counts = [journal.file.execute(f"SELECT count(*) FROM {each}").fetchone()[0] for each in tables]  # names
    assert counts == [1, 2, 1, 1]


def test_copies_are_found_by_entry_by_item_and_as_those_that_others_deleted(journal: Journal) -> None:
    def copy(item_id: int, name: str) -> ItemCopy:
        return ItemCopy({"id": item_id, "fields": {"Name": name}}, ({"id": 8},), ({"id": 9},), ({"id": 10},))

    for entry_id, name in ((1, "first"), (1, "second"), (None, "theirs"), (2, "third")):
        journal.trash.keep(copy(7, name), entry_id)
    journal.trash.keep(copy(6, "other"), None)

    assert journal.trash.of_entry(1) == copy(7, "second")
    assert (journal.trash.of_item(7), journal.trash.of_gone_item(7)) == (copy(7, "third"), copy(7, "theirs"))
    assert [found.item_id for _, found in journal.trash.every()] == [6, 7, 7, 7]
    assert len(journal.trash.every(7)) == 3
    assert (journal.trash.of_item(5), journal.trash.of_gone_item(5), journal.trash.of_entry(5)) == (None, None, None)


def test_entries_are_counted_by_state_in_the_outbox_and_in_a_step(journal: Journal) -> None:
    states = [*EntryState]
    made = journal.add([edit(7, Name=each.value) for each in states])
    for entry, state in zip(made, states, strict=True):
        journal.update(replace(entry, state=state))

    assert journal.state() == OutboxState(pending=2, refused=1, conflicts=1)
    assert journal.undo_log.states(made[0].step) == {each.value: 1 for each in states}
    assert [each.state for each in journal.entries.sending()] == [EntryState.SENDING]
    assert len(journal.entries.undelivered()) == len(list(journal.entries.outgoing())) == 4


def test_unconfirmed_creations_are_those_of_the_kind_and_project_but_one(journal: Journal) -> None:
    made = journal.add([replace(new_entry(EntryKind.ADD, project, STORY)) for project in (1, 1, 1, 2)])
    comment = added(journal, new_comment(1, 7, "Hello"))
    for each in (made[0], made[1], made[3], comment):
        journal.update(replace(each, known_id=5))

    assert [each.id for each in journal.entries.unconfirmed(made[1])] == [made[0].id]
    assert [each.id for each in journal.entries.unconfirmed(made[0])] == [made[1].id]


def test_the_ids_of_what_was_made_are_those_of_the_kind_whatever_came_of_it(journal: Journal) -> None:
    made, comment = added(journal, new_entry(EntryKind.ADD, 1, STORY)), added(journal, new_comment(1, 7, "Hello"))
    journal.deliver(made, 77)
    journal.deliver(comment, 99)
    journal.update(replace(present(journal, made), state=EntryState.DISCARDED))

    assert [journal.entries.made_ids(each) for each in (EntryKind.ADD, EntryKind.COMMENT)] == [{77}, {99}]


def test_entries_on_nodes_are_those_of_a_tree_and_project(journal: Journal) -> None:
    places = ((1, "areas"), (1, "iterations"), (2, "areas"))
    made = [
        added(journal, new_entry(EntryKind.NODE_EDIT, project, {"tree": tree, "id": 12})) for project, tree in places
    ]
    journal.deliver(added(journal, new_entry(EntryKind.NODE_EDIT, 1, {"tree": "areas", "id": 13})))

    assert [[each.id for each in journal.entries.on_nodes(*place)] for place in places] == [[each.id] for each in made]
    assert journal.entries.on_nodes(None, "areas") == []


def test_a_delivered_entry_keeps_no_reason_and_no_values_of_others(journal: Journal) -> None:
    entry = added(journal, edit(7, Name="a"))
    journal.update(replace(entry, state=EntryState.CONFLICT, reason="No.", theirs={"Name": "b"}))

    journal.deliver(present(journal, entry))

    found = present(journal, entry)
    assert (found.state, found.reason, found.theirs) == (EntryState.SENT, "", {})


def test_an_item_that_is_renamed_twice_is_found_by_each_of_its_ids(journal: Journal) -> None:
    made = added(journal, new_entry(EntryKind.ADD, 1, STORY))
    comment = added(journal, new_comment(1, 5, "Hello"))
    journal.deliver(made, 77)
    journal.deliver(comment, 77)

    journal.follow({77: -3})

    assert [journal.renames.followed(each) for each in (made.item_id, 77, comment.temporary_id)] == [-3, -3, 77]
    assert [journal.real_id(each) for each in (made.item_id, 77)] == [-3, 77]
