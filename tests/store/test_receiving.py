"""Received data and the inbox: news of others, without the user's own changes and without what was known before."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.store.papers import item

from backlit.store.files.files import Writer
from backlit.store.journal.inbox import NewsKind, Watermarks
from backlit.store.journal.journal import Journal
from backlit.store.mirror.mirror import Mirror
from backlit.store.records.changes import Signal
from backlit.store.records.entry import EntryKind, new_entry
from backlit.store.records.item import Document, fields_in
from backlit.store.remote.receiving import note_comments, note_gone, note_synced, receive

TAGS = ["ux", "api"]


@pytest.fixture
def writer(tmp_path: Path) -> Iterator[Writer]:
    """The files of maya, after a first sync with items 1 to 3."""
    writer = Writer(Mirror(tmp_path / "mirror.sqlite"), Journal(tmp_path / "journal.sqlite"), Signal())
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


def test_an_own_value_that_others_also_set_is_no_news(writer: Writer) -> None:
    writer.journal.add([new_entry(EntryKind.EDIT, 1, {"Name": "Same"}, 1, {"Name": "Item 1"})])

    receive(writer, [changed(1, Name="Same", Estimate="5")])

    assert writer.journal.inbox.records([1])[1].base == {"Estimate": None}


def test_tags_in_another_order_are_no_news(writer: Writer) -> None:
    receive(writer, [changed(1, Tags=TAGS[::-1]), changed(2, Tags=["ux"])])

    assert {each: found.base for each, found in writer.journal.inbox.records([1, 2]).items()} == {2: {"Tags": TAGS}}


def test_new_items_of_others_are_news_and_own_and_known_ones_are_not(writer: Writer) -> None:
    writer.journal.inbox.set_watermarks(1, Watermarks(10, 0))

    receive(writer, [changed(11), changed(12, "maya"), changed(9)])

    found = writer.journal.inbox.records([9, 11, 12])
    assert {each: record.kind for each, record in found.items()} == {11: NewsKind.NEW}


def test_a_rebuilt_mirror_makes_no_news_of_larger_ids_known_before(writer: Writer) -> None:
    writer.mirror.remove_items([3])
    note_synced(writer, 1)

    receive(writer, [changed(3)])

    assert writer.journal.inbox.watermarks(1) == Watermarks(3, 0)
    assert writer.journal.inbox.ids(1) == []


def test_comments_of_others_are_news_and_own_ones_are_not(writer: Writer) -> None:
    note_comments(
        writer,
        [
            {"id": 5, "workItemId": 1, "projectId": 1, "createdBy": "jon", "description": "x"},
            {"id": 6, "workItemId": 2, "projectId": 1, "createdBy": "Maya Kent", "description": "x"},
        ],
    )

    assert {each: record.comments for each, record in writer.journal.inbox.records([1, 2]).items()} == {1: (5,)}


def test_the_deletion_of_an_unseen_item_is_no_news(writer: Writer) -> None:
    receive(writer, [changed(4)])
    unseen = writer.journal.inbox.ids(1)

    note_gone(writer, [2, 4])

    found = writer.journal.inbox.records([2, 4])
    assert unseen == [4]
    assert {each: record.kind for each, record in found.items()} == {2: NewsKind.GONE}


def test_a_deleted_item_that_is_back_is_no_news_any_more(writer: Writer) -> None:
    note_gone(writer, [2])
    writer.mirror.delete_items([2])
    gone = writer.journal.inbox.ids(1)

    receive(writer, [changed(2)])

    assert (gone, writer.journal.inbox.ids(1)) == ([2], [])
