"""The mirror alone: responses out of order, deleted items, and temporary ids."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from msgspec.structs import replace
from tests.store.papers import item

from backlit.store.mirror.mirror import Mirror
from backlit.store.records.entry import EntryKind, new_entry
from backlit.store.records.item import Document

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

    mirror.rename(TEMPORARY, item(77, Name="New"), [])

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
