"""Received data and the inbox: news of others, without the user's own changes and without what was known before."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from msgspec.structs import replace
from tests.store.documents import item

from backlit.store.files.files import WriteContext
from backlit.store.journal.inbox import InboxRecord, NewsKind, Watermarks
from backlit.store.journal.journal import Journal
from backlit.store.mirror.mirror import Mirror
from backlit.store.records.changes import Signal
from backlit.store.records.entry import EntryKind, OutboxEntry, new_entry
from backlit.store.records.item import Document, fields_in
from backlit.store.remote.receiving import note_comments, note_comments_left, note_gone, note_synced, receive

TAGS = ["ux", "api"]


@pytest.fixture
def writer(tmp_path: Path) -> Iterator[WriteContext]:
    """The files of maya, after a first sync with items 1 to 3."""
    writer = WriteContext(Mirror(tmp_path / "mirror.sqlite"), Journal(tmp_path / "journal.sqlite"), Signal())
    writer.mirror.set_note("me", {"id": 1, "name": "maya", "firstName": "Maya", "lastName": "Kent"})
    receive(writer, [item(number, Tags=TAGS) for number in (1, 2, 3)])
    note_synced(writer, 1)
    yield writer
    writer.mirror.close()
    writer.journal.close()


def changed(number: int, by: str = "jon", **fields: object) -> Document:
    before = item(number, Tags=TAGS)
    return {
        **before,
        "fields": {**fields_in(before), **fields},
        "createdBy": by,
        "lastModifiedBy": by,
        "lastModifiedAt": "2026-03-02T10:00:00.000",
    }


def test_an_own_value_that_others_also_set_is_no_news(writer: WriteContext) -> None:
    writer.journal.add([new_entry(EntryKind.EDIT, 1, {"Name": "Same"}, 1, {"Name": "Item 1"})])

    receive(writer, [changed(1, Name="Same", Estimate="5")])

    assert writer.journal.inbox.records([1])[1].base == {"Estimate": None}


def test_tags_in_another_order_are_no_news(writer: WriteContext) -> None:
    receive(writer, [changed(1, Tags=TAGS[::-1]), changed(2, Tags=["ux"])])

    assert {each: found.base for each, found in writer.journal.inbox.records([1, 2]).items()} == {2: {"Tags": TAGS}}


def test_new_items_of_others_are_news_and_own_and_known_ones_are_not(writer: WriteContext) -> None:
    writer.journal.inbox.set_watermarks(1, Watermarks(10, 0))

    receive(writer, [changed(11), changed(12, "maya"), changed(9)])

    found = writer.journal.inbox.records([9, 11, 12])
    assert {each: record.kind for each, record in found.items()} == {11: NewsKind.NEW}


def test_a_rebuilt_mirror_makes_no_news_of_larger_ids_known_before(writer: WriteContext) -> None:
    writer.mirror.remove_items([3])
    note_synced(writer, 1)

    receive(writer, [changed(3)])

    assert writer.journal.inbox.watermarks(1) == Watermarks(3, 0)
    assert writer.journal.inbox.ids(1) == []


def test_comments_of_others_are_news_and_own_ones_are_not(writer: WriteContext) -> None:
    note_comments(
        writer,
        [
            {"id": 5, "workItemId": 1, "projectId": 1, "createdBy": "jon", "description": "x"},
            {"id": 6, "workItemId": 2, "projectId": 1, "createdBy": "Maya Kent", "description": "x"},
        ],
    )

    assert {each: record.comments for each, record in writer.journal.inbox.records([1, 2]).items()} == {1: (5,)}


def test_the_deletion_of_an_unseen_item_is_no_news(writer: WriteContext) -> None:
    receive(writer, [changed(4)])
    unseen = writer.journal.inbox.ids(1)

    note_gone(writer, [2, 4])

    found = writer.journal.inbox.records([2, 4])
    assert unseen == [4]
    assert {each: record.kind for each, record in found.items()} == {2: NewsKind.GONE}


def test_a_deleted_item_that_is_back_is_no_news_any_more(writer: WriteContext) -> None:
    note_gone(writer, [2])
    writer.mirror.delete_items([2])
    gone = writer.journal.inbox.ids(1)

    receive(writer, [changed(2)])

    assert (gone, writer.journal.inbox.ids(1)) == ([2], [])


def on(day: int, document: Document, by: str = "jon") -> Document:
    return {**document, "lastModifiedBy": by, "lastModifiedAt": f"2026-03-{day:02}T10:00:00.000"}


def record_of(writer: WriteContext, item_id: int) -> InboxRecord:
    return writer.journal.inbox.records([item_id])[item_id]


def delivered(**payload: object) -> OutboxEntry:
    return new_entry(EntryKind.EDIT, 1, payload, 1)


def test_several_changes_are_one_piece_of_news_since_the_value_last_seen(writer: WriteContext) -> None:
    receive(writer, [changed(1, Name="A")])
    receive(writer, [on(3, changed(1, Name="B"), "kim")])
    found = record_of(writer, 1)
    receive(writer, [on(4, changed(1, Name="Item 1", Estimate="5"))])

    assert (found.base, found.name, found.authors) == ({"Name": "Item 1"}, "B", ("kim", "jon"))
    assert found.noted_at == "2026-03-03T10:00:00"
    assert (record_of(writer, 1).base, record_of(writer, 1).authors) == ({"Estimate": None}, ("jon", "kim"))


def test_a_new_item_stays_new_however_often_it_changes(writer: WriteContext) -> None:
    receive(writer, [changed(4)])
    receive(writer, [on(3, changed(4, Name="A"))])

    assert record_of(writer, 4).kind is NewsKind.NEW


def test_an_item_that_was_gone_before_it_was_known_is_new_again(writer: WriteContext) -> None:
    receive(writer, [changed(4)])
    writer.journal.inbox.forget([4])
    note_gone(writer, [4])
    writer.mirror.remove_items([4])
    gone = record_of(writer, 4).kind

    receive(writer, [changed(4)])

    assert (gone, record_of(writer, 4).kind) == (NewsKind.GONE, NewsKind.NEW)


@pytest.mark.parametrize(
    ("sent", "echo", "base"),
    [
        ({"Name": "Mine"}, {"Name": "Mine"}, {"Estimate": None}),
        ({"Name": "Mine"}, {"Name": "Cut"}, {"Estimate": None, "Name": "Mine"}),
        ({"Estimate": "8"}, {"Estimate": "8"}, {"Name": "Item 1"}),
        ({"Estimate": "8"}, {"Estimate": "8", "Status": "Done"}, {"Name": "Item 1", "Status": "Not Done"}),
    ],
)
def test_the_echo_of_an_own_edit_leaves_what_others_changed(
    writer: WriteContext, sent: dict[str, object], echo: dict[str, object], base: dict[str, object]
) -> None:
    others = changed(1, Name="A", Estimate="5")
    receive(writer, [others])

    receive(writer, [on(3, {**others, "fields": {**fields_in(others), **echo}}, "Maya Kent")], delivered(**sent))

    found = record_of(writer, 1)
    assert (found.base, found.authors) == (base, ("jon",))
    assert found.noted_at == f"2026-03-{3 if 'Status' in base else 2:02}T10:00:00"


@pytest.mark.parametrize(
    ("attempts", "given", "base"),
    [
        (0, {"Name": "Elsewhere", "Estimate": "5"}, None),
        (1, {"Name": "Elsewhere", "Estimate": "5"}, {"Estimate": None}),
        (0, {"Name": "Mine", "Estimate": "5"}, {"Estimate": None}),
        (0, {"Name": "Mine"}, None),
    ],
)
def test_a_change_under_the_users_name_is_news_only_beside_an_edit_of_this_machine(
    writer: WriteContext, attempts: int, given: dict[str, object], base: dict[str, object] | None
) -> None:
    (entry,) = writer.journal.add([delivered(Name="Mine")])
    writer.journal.update(replace(entry, attempts=attempts))

    receive(writer, [changed(1, "MAYA", **given)])

    found = writer.journal.inbox.records([1]).get(1)
    assert (found and found.base) == base
    assert found is None or found.authors == ()


def test_comments_are_news_from_the_last_known_one_on_until_they_are_deleted(writer: WriteContext) -> None:
    writer.journal.inbox.set_watermarks(1, Watermarks(3, 5))
    said = [
        {"id": number, "workItemId": 1, "projectId": 1, "createdBy": by, "createdAt": f"2026-03-{day:02}T10:00:00"}
        for number, by, day in ((7, "kim", 9), (5, "jon", 8), (6, "jon", 7))
    ]

    note_comments(writer, said)
    found = record_of(writer, 1)
    note_comments_left(writer, 1, said[:2])
    left = record_of(writer, 1).comments
    note_comments_left(writer, 1, [])

    assert (found.comments, found.authors, found.noted_at) == ((6, 7), ("jon", "kim"), "2026-03-09T10:00:00")
    assert (left, writer.journal.inbox.ids(1)) == ((7,), [])
