"""The mirror alone: responses out of order, deleted items, and temporary ids."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from msgspec.structs import replace
from tests.store.documents import item

from backlit.store.mirror.mirror import Mirror, WriteResult
from backlit.store.records.entry import EntryKind, EntryState, OutboxEntry, new_entry
from backlit.store.records.item import Document, RowSign, fields_in

TEMPORARY = -5


@pytest.fixture
def mirror(tmp_path: Path) -> Iterator[Mirror]:
    mirror = Mirror(tmp_path / "mirror.sqlite")
    yield mirror
    mirror.close()


def at(day: int, name: str = "Known") -> Document:
    return {**item(1, Name=name), "lastModifiedAt": f"2026-03-{day:02}T10:00:00.000"}


@pytest.mark.parametrize(("day", "name"), [(1, "Known"), (2, "Other"), (3, "Other")])
def test_an_older_response_does_not_replace_a_newer_one(mirror: Mirror, day: int, name: str) -> None:
    mirror.put_items([at(2)], [])

    mirror.put_items([at(day, "Other")], [])

    (found,) = mirror.connection.execute("SELECT name FROM items WHERE id = 1")
    assert found == (name,)


def test_a_late_response_does_not_bring_a_deleted_item_back(mirror: Mirror) -> None:
    mirror.put_items([at(1), item(2)], [])
    mirror.delete_items([1])

    written = mirror.put_items([at(3), item(3)], [])

    assert written.ids == {3}
    assert (mirror.effective(1), mirror.was_deleted(1)) == (None, True)


def test_the_largest_id_is_that_of_real_items_and_comments(mirror: Mirror) -> None:
    entry = replace(new_entry(EntryKind.ADD, 1, {"type": "Story", "projectId": 1, "fields": {}}), item_id=TEMPORARY)
    mirror.lay_over([TEMPORARY], [entry])
    before = [mirror.largest_id(kind) for kind in (EntryKind.ADD, EntryKind.COMMENT)]

    mirror.put_items([item(7), item(3)], [])
    mirror.comments.replace_all(3, [{"id": 12, "workItemId": 3, "description": "x"}])

    assert before == [0, 0]
    assert [mirror.largest_id(kind) for kind in (EntryKind.ADD, EntryKind.COMMENT)] == [7, 12]


def test_a_new_item_keeps_its_rank_under_its_real_id(mirror: Mirror) -> None:
    payload = {"type": "Story", "projectId": 1, "fields": {"Name": "New"}}
    entry = replace(new_entry(EntryKind.ADD, 1, payload), item_id=TEMPORARY)
    mirror.put_items([item(2)], [])
    mirror.lay_over([TEMPORARY], [entry])
    mirror.ranks.put({TEMPORARY: 1.5})

    mirror.rename({TEMPORARY: item(77, Name="New")}, [])

    found = mirror.connection.execute("SELECT id, rank_priority FROM items ORDER BY rank_priority").fetchall()
    assert found == [(77, 1.5), (2, 2.0)]


def attached(attachment_id: int, comment_id: int | None = None) -> Document:
    return {"id": attachment_id, "workItemId": 1, "projectId": 1, "commentId": comment_id}


@pytest.mark.parametrize(
    ("received", "kept"),
    [
        ([attached(1)], [1, 3]),
        ([], [3]),
        ([attached(5)], [3, 5]),
        ([attached(4, 8)], [4]),
        ([attached(1), attached(3, 8)], [1, 3]),
    ],
)
def test_files_of_comments_stay_where_a_list_has_none_of_them(
    mirror: Mirror, received: list[Document], kept: list[int]
) -> None:
    mirror.comments.put([{"id": 8, "workItemId": 1, "description": "With a file"}])
    mirror.attachments.put([attached(1), attached(2), attached(3, 8), attached(9, 99)])

    mirror.attachments.replace_all(1, received)

    assert [each for (each,) in mirror.connection.execute("SELECT id FROM attachments ORDER BY id")] == kept
    assert [mirror.attachments.item_of(each) for each in (3, 7)] == [1 if 3 in kept else None, None]


def edit(item_id: int, **values: object) -> OutboxEntry:
    return replace(new_entry(EntryKind.EDIT, 1, values, item_id), id=1)


def new_item() -> OutboxEntry:
    payload = {"type": "Story", "projectId": 1, "fields": {"Name": "New"}}
    return replace(new_entry(EntryKind.ADD, 1, payload), item_id=TEMPORARY)


def comment_on(item_id: int) -> OutboxEntry:
    return replace(new_entry(EntryKind.COMMENT, 1, {"text": "x"}, item_id), id=3)


def rows(mirror: Mirror, what: str = "id FROM items") -> list[object]:
    return [each for (each,) in mirror.connection.execute(f"SELECT {what} ORDER BY 1")]


@pytest.mark.parametrize(
    ("before", "after", "fields"),
    [
        ("2026-03-02T10:00:00", "2026-03-02T10:00:00", {"Name", "lastModifiedAt"}),
        (None, None, {"Name", "lastModifiedAt"}),
        (None, "2026-03-02T10:00:00", {"Name", "lastModifiedAt"}),
        ("2026-03-02T10:00:00", None, {"Name", "lastModifiedAt"}),
    ],
)
def test_a_change_is_told_once_with_its_fields(
    mirror: Mirror, before: str | None, after: str | None, fields: set[str]
) -> None:
    first = mirror.put_items([{**item(1), "lastModifiedAt": before}], [])
    changed = {**item(1, Name="Other"), "lastModifiedAt": after}
    second, third = [mirror.put_items([changed], []) for _ in range(2)]

    assert first == WriteResult(frozenset({1}), frozenset())
    assert second == WriteResult(frozenset({1}), frozenset(fields))
    assert (third.ids, rows(mirror, "name FROM items")) == (frozenset(), ["Other"])


def test_the_same_nouns_are_no_news(mirror: Mirror) -> None:
    nouns: list[Document] = [{"id": 3, "name": "pat"}, {"name": "no id"}]

    assert [mirror.put_resources("user", 0, nouns) for _ in range(2)] == [True, False]
    assert [mirror.configure("capabilities", {"a": each}) for each in (1, 1, 2)] == [True, False, True]
    assert mirror.put_resources("user", 0, nouns[:1])


def test_an_item_goes_with_its_tasks_and_comments(mirror: Mirror) -> None:
    mirror.put_items([item(1), item(2, kind="Task", ParentID=1), item(3)], [])
    mirror.comments.put([{"id": 9, "workItemId": 2}, {"id": 10, "workItemId": 3}])

    assert mirror.remove_items([1]) == {1, 2}
    assert (rows(mirror), rows(mirror, "id FROM documents"), rows(mirror, "id FROM comments")) == ([3], [3], [10])


def test_a_new_item_arrives_below_its_unsent_edit_and_rank(mirror: Mirror) -> None:
    mirror.put_items([item(4), item(5)], [edit(5, Name="Mine")])
    mirror.ranks.put({6: 0.5})
    mirror.put_items([item(6)], [])
    mirror.ranks.put({3: 0.25})
    mirror.put_items([item(3)], [])

    assert [(mirror.effective(5) or {})["fields"], rows(mirror, "sign FROM items WHERE id = 5")] == [
        {**fields_in(item(5)), "Name": "Mine"},
        [1],
    ]
    assert rows(mirror, "rank_priority FROM items") == [0.25, 0.5, 4.0, 5.0]


def test_what_the_journal_no_longer_has_goes_at_the_start(mirror: Mirror) -> None:
    mirror.put_items([item(1), item(2)], [])
    mirror.lay_over([TEMPORARY, 1, 2], [new_item(), comment_on(1), edit(2, Name="Mine")])
    before = rows(mirror), rows(mirror, "item_id FROM comments"), rows(mirror, "name FROM items")

    mirror.align([])

    assert before == ([TEMPORARY, 1, 2], [1], ["Item 1", "Mine", "New"])
    assert (rows(mirror), rows(mirror, "item_id FROM comments")) == ([1, 2], [])
    assert rows(mirror, "name FROM items") == ["Item 1", "Item 2"]


def test_a_sent_item_leaves_nothing_under_its_temporary_id(mirror: Mirror) -> None:
    mirror.lay_over([TEMPORARY], [new_item(), comment_on(TEMPORARY)])

    mirror.rename({TEMPORARY: item(77, Name="New")}, [])

    assert (rows(mirror), rows(mirror, "id FROM documents")) == ([77], [77])
    assert rows(mirror, "item_id FROM comments") == []


@pytest.mark.parametrize(
    ("state", "left"), [(EntryState.WAITING, [3]), (EntryState.SENDING, [3]), (EntryState.REFUSED, [1, 2, 3, 4])]
)
def test_an_item_that_waits_for_deletion_is_hidden_with_tasks_that_arrive_later(
    mirror: Mirror, state: EntryState, left: list[int]
) -> None:
    deletion = replace(new_entry(EntryKind.DELETE, 1, {}, 1), state=state)
    mirror.put_items([item(1), item(2, kind="Task", ParentID=1), item(3)], [])

    written = mirror.lay_over(mirror.hidden.family([1], [deletion]), [deletion])
    mirror.put_items([item(4, kind="Task", ParentID=1)], [deletion] if left != [3] else [])

    assert (rows(mirror), mirror.hidden.every()) == (left, {1, 2, 3, 4} - {*left})
    assert written.fields == frozenset()


def test_a_rejected_deletion_shows_the_item_and_its_tasks_again_with_its_sign(mirror: Mirror) -> None:
    deletion = new_entry(EntryKind.DELETE, 1, {}, 1)
    refused = replace(deletion, state=EntryState.REFUSED)
    mirror.put_items([item(1), item(2, kind="Task", ParentID=1, Status="Done"), item(3)], [])
    mirror.lay_over(mirror.hidden.family([1], [deletion]), [deletion])
    before = mirror.hidden.below([1]), mirror.hidden.among([1, 3]), mirror.effective(2)

    written = mirror.lay_over(mirror.hidden.family([1], [refused]), [refused])

    assert before == ({1, 2}, {1}, None)
    assert (rows(mirror), sorted(mirror.hidden.every()), sorted(written.ids)) == ([1, 2, 3], [], [1, 2])
    found = mirror.connection.execute("SELECT id, sign FROM items WHERE sign > 0").fetchall()
    assert found == [(1, RowSign.REFUSED)]


def test_a_hidden_item_that_arrives_again_or_is_deleted_stays_away(mirror: Mirror) -> None:
    deletion = new_entry(EntryKind.DELETE, 1, {}, 1)
    mirror.put_items([item(1), item(2, kind="Task", ParentID=1)], [])
    mirror.lay_over(mirror.hidden.family([1], [deletion]), [deletion])

    received = {**item(2, kind="Task", ParentID=1, Name="Other"), "lastModifiedAt": "2026-04-01T10:00:00.000"}
    arrived = mirror.put_items([received], [deletion])
    gone = mirror.delete_items([1])

    assert (sorted(arrived.ids), sorted(gone)) == ([], [1, 2])
    assert (rows(mirror), mirror.hidden.every(), mirror.received([1, 2])) == ([], set(), {})


def test_a_task_that_moves_out_of_a_deleted_item_is_shown(mirror: Mirror) -> None:
    deletion = new_entry(EntryKind.DELETE, 1, {}, 1)
    mirror.put_items([item(1), item(2, kind="Task", ParentID=1), item(3)], [])
    mirror.lay_over(mirror.hidden.family([1], [deletion]), [deletion])

    received = {**item(2, kind="Task", ParentID=3), "lastModifiedAt": "2026-04-01T10:00:00.000"}
    mirror.put_items([received], [deletion])

    assert (rows(mirror), mirror.hidden.every()) == ([2, 3], {1})


def ranks_shown(mirror: Mirror) -> list[object]:
    return mirror.connection.execute("SELECT id, rank_priority, rank_id, is_open FROM items ORDER BY id").fetchall()


def test_tasks_follow_each_change_of_their_item(mirror: Mirror) -> None:
    task, done_task = item(2, kind="Task", ParentID=1), item(3, kind="Task", ParentID=1, Status="Done")
    mirror.put_items([item(1), item(4, priority=40.0), task, done_task], [])
    found = []
    for day, values in enumerate(({"priority": 9.0}, {"Status": "Done"}, {}), 1):
        changed = {**item(1, **values), "lastModifiedAt": f"2026-04-0{day}T10:00:00.000"}  # type: ignore[arg-type]
        mirror.put_items([changed], [])
        found.append(ranks_shown(mirror))
    mirror.put_items([{**item(2, kind="Task", ParentID=4), "lastModifiedAt": "2026-04-04T10:00:00.000"}], [])

    moved = ranks_shown(mirror)

    assert found == [
        [(1, 9.0, 1, 1), (2, 9.0, 1, 1), (3, 9.0, 1, 0), (4, 40.0, 4, 1)],
        [(1, 1.0, 1, 0), (2, 1.0, 1, 0), (3, 1.0, 1, 0), (4, 40.0, 4, 1)],
        [(1, 1.0, 1, 1), (2, 1.0, 1, 1), (3, 1.0, 1, 0), (4, 40.0, 4, 1)],
    ]
    assert moved == [(1, 1.0, 1, 1), (2, 40.0, 4, 1), (3, 1.0, 1, 0), (4, 40.0, 4, 1)]


def test_own_ranks_move_items_with_their_tasks_and_back_to_the_received_ones(mirror: Mirror) -> None:
    mirror.put_items([item(1), item(2), item(3, kind="Task", ParentID=2)], [])
    mirror.lay_over([2], [edit(2, Name="Mine")])
    mirror.ranks.put({2: 0.5, 9: 7.0})
    before = ranks_shown(mirror), mirror.ranks.every(), mirror.ranks.of([1, 2])

    mirror.put_items([{**item(2, priority=5.0), "lastModifiedAt": "2026-04-01T10:00:00.000"}], [edit(2, Name="Mine")])
    kept = ranks_shown(mirror)
    mirror.ranks.remove([2])

    assert before == ([(1, 1.0, 1, 1), (2, 0.5, 2, 1), (3, 0.5, 2, 1)], [2, 9], {2: 0.5})
    assert kept == before[0]
    assert ranks_shown(mirror) == [(1, 1.0, 1, 1), (2, 5.0, 2, 1), (3, 5.0, 2, 1)]
    assert mirror.ranks.every() == [9]


def test_comments_have_a_readable_time_and_their_readers(mirror: Mirror) -> None:
    mirror.put_items([item(1), item(2)], [])
    mirror.comments.put(
        [
            {"id": 8, "workItemId": 1, "createdAt": "2026-03-02T10:00:00", "type": "Feedback"},
            {"id": 9, "workItemId": 1, "createdAt": "soon", "type": "Tracker"},
        ]
    )
    mirror.lay_over([1], [comment_on(1), replace(comment_on(2), id=4)])

    found = mirror.connection.execute("SELECT item_id, pending, created_at, is_internal FROM comments ORDER BY id")
    assert found.fetchall() == [(1, 1, None, 1), (1, 0, "2026-03-02T10:00:00", 0), (1, 0, None, 1)]


def test_new_tasks_stand_and_close_with_the_item_that_arrives_with_them(mirror: Mirror) -> None:
    mirror.put_items([item(2, kind="Task", ParentID=1), item(3, kind="Task", ParentID=1, Status="Done")], [])
    mirror.put_items([item(1, priority=50.0), item(4, kind="Task", ParentID=1)], [])
    mirror.put_items([item(5, Status="Done", priority=60.0), item(6, kind="Task", ParentID=5)], [])

    found = mirror.connection.execute("SELECT id, rank_priority, rank_id, is_open FROM items ORDER BY id").fetchall()
    assert found == [
        *((1, 50.0, 1, 1), (2, 50.0, 1, 1), (3, 50.0, 1, 0)),
        *((4, 50.0, 1, 1), (5, 60.0, 5, 0), (6, 60.0, 5, 0)),
    ]
