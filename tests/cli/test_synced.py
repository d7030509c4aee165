"""The store of a command: how long it waits for its service, and whom it names when that is too long."""

import asyncio
from pathlib import Path

import pytest
from tests.store.documents import places_in

from backlit.cli.synced import wait_until_settled
from backlit.client.client import Client
from backlit.model.errors import Offline
from backlit.store.engine.engine import Report
from backlit.store.store import Store


async def never(_report: Report) -> Client:
    await asyncio.Event().wait()
    raise AssertionError


@pytest.mark.parametrize(
    ("is_local", "sentence"),
    [
        (True, "The server in this process did not start in time. Run the command again."),
        (False, "The server did not send the backlog in time. Check the connection, and run the command again."),
    ],
)
def test_a_service_that_does_not_get_ready_is_named_by_where_it_runs(
    tmp_path: Path, is_local: bool, sentence: str
) -> None:
    store = Store(places_in(tmp_path), never)
    store.is_local = is_local
    store.open()

    try:
        with pytest.raises(Offline) as raised:
            wait_until_settled(store, 0.05)
    finally:
        store.close()

    assert str(raised.value) == sentence
