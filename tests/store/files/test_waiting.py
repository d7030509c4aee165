"""Waiting for the store's threads, with and without an event loop."""

import asyncio
from pathlib import Path

import pytest
from tests.store.documents import item, offline_store

from backlit.store.files.waiting import run_without_loop


def test_an_edit_of_a_store_that_is_not_started_needs_no_event_loop(tmp_path: Path) -> None:
    with offline_store(tmp_path, [item(1)]) as store:
        run_without_loop(store.items.edit([1], {"Name": "Renamed"}))

        found = store.item(1)

    assert found is not None
    assert found.name == "Renamed"


async def test_an_edit_in_an_event_loop_leaves_it_to_others(tmp_path: Path) -> None:
    with offline_store(tmp_path, [item(1)]) as store:
        turns = 0

        async def count() -> None:
            nonlocal turns
            while True:
                turns += 1
                await asyncio.sleep(0)

        other = asyncio.create_task(count())
        await store.items.edit([1], {"Name": "Renamed"})
        other.cancel()

    assert turns


def test_what_waits_for_others_than_the_files_needs_an_event_loop() -> None:
    with pytest.raises(RuntimeError, match="event loop"):
        run_without_loop(asyncio.sleep(0))
