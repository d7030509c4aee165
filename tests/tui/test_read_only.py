"""A user who only reads a project: every change is refused at once, before anything is asked."""

import asyncio
import sqlite3
from contextlib import closing

import pytest
from tests.store.world import World, raised
from tests.tui.conftest import Open
from tests.tui.listing import press
from tests.tui.stage import text_of

from backlit.model.errors import Forbidden
from backlit.store import Store

REFUSAL = "This project is read only for you"


@pytest.fixture
async def reader(world: World, store: Store) -> Store:
    def demote() -> None:
        with closing(sqlite3.connect(world.folder / "service.sqlite")) as database, database:
            database.execute("UPDATE grants SET role = 'reader' WHERE role = 'manager'")

    await asyncio.to_thread(demote)
    await store.refresh()
    return store


@pytest.mark.parametrize("keys", ["+", "s", "cn", "ct", "x", "mb", "a", "A", "C", "D", "d", "E", "J", "mt", "m#", "gq"])
async def test_a_reader_is_told_at_once_that_nothing_can_be_changed(reader: Store, opened: Open, keys: str) -> None:
    async with opened(reader) as pilot:
        await press(pilot, *keys)

        assert REFUSAL in text_of(pilot.app)
        assert len(pilot.app.screen_stack) == 1
        assert reader.outbox_entries() == ()


async def test_the_title_shows_that_a_project_is_read_only(reader: Store, opened: Open) -> None:
    async with opened(reader) as pilot:
        await pilot.pause()
        assert "read only" in text_of(pilot.app).splitlines()[0]


async def test_a_reader_copies_and_filters(reader: Store, opened: Open) -> None:
    async with opened(reader) as pilot:
        await press(pilot, "y", "y")

        assert "Copied" in text_of(pilot.app)


async def test_the_editor_shows_a_reader_fields_that_do_not_open(reader: Store, opened: Open) -> None:
    async with opened(reader) as pilot:
        await press(pilot, "e", "enter")

        assert REFUSAL in text_of(pilot.app)


async def test_the_comments_and_the_fields_offer_a_reader_no_key(reader: Store, opened: Open) -> None:
    async with opened(reader) as pilot:
        await press(pilot, "g", "c")
        thread = text_of(pilot.app)

        assert "Comments" in thread
        assert "Add a comment" not in thread


async def test_the_store_journals_nothing_of_a_reader(reader: Store) -> None:
    item_id = 1

    refused = [
        await raised(reader.items.edit([item_id], {"Name": "x"})),
        await raised(reader.items.comment(item_id, "x")),
        await raised(reader.deletions.delete_items([item_id])),
    ]

    assert [type(each) for each in refused] == [Forbidden] * 3
