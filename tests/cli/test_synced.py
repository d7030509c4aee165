"""The store of a command: how long it waits for its service, whom it names when that is too long, and its end."""

import asyncio
import os
import signal
from pathlib import Path

import pytest
from tests.store.documents import item, offline_store, places_in
from tests.store.world import World, until

from backlit.cli.commands.items_import import write_import
from backlit.cli.synced import counting_changes, wait_until_settled
from backlit.client.client import Client
from backlit.imports.own import planned_rows
from backlit.imports.reading.source import read_source
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


STORIES = "type,name\nStory,One\nTask,Two\nTask,Three"


async def test_an_interrupted_import_says_what_was_sent_and_what_waits(
    world: World, store: Store, capsys: pytest.CaptureFixture[str]
) -> None:
    async def answer_one(method: str, _path: str) -> None:
        if method == "POST" and world.faults.count("POST") > 1:
            await asyncio.Event().wait()

    world.faults.before = answer_one
    found = planned_rows(store, read_source(STORIES.encode(), "stories"))

    writing = asyncio.create_task(write_import(store, found))
    await until(lambda: store.outbox.pending == 2, lambda: store.outbox)
    writing.cancel()
    await asyncio.gather(writing, return_exceptions=True)

    waits = "2 wait on this machine: backlit sends them when the server is reachable."
    assert writing.cancelled()
    way_on = "The same command goes on with the rest. Undo: backlit undo."
    assert capsys.readouterr().err == f"backlit: Interrupted. 1 of 3 changes was sent; {waits} {way_on}\n"


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
async def test_a_signal_ends_an_import_with_what_was_sent_and_its_exit_code(
    world: World, store: Store, capsys: pytest.CaptureFixture[str], number: signal.Signals
) -> None:
    async def end_after_one(method: str, _path: str) -> None:
        if method == "POST" and world.faults.count("POST") > 1:
            os.kill(os.getpid(), number)
            await asyncio.Event().wait()

    world.faults.before = end_after_one
    before = signal.getsignal(number)
    found = planned_rows(store, read_source(STORIES.encode(), "stories"))

    with pytest.raises(SystemExit) as ended:
        await write_import(store, found)

    assert ended.value.code == 128 + number
    assert capsys.readouterr().err.startswith("backlit: Interrupted. 1 of 3 changes was sent; 2 wait on this machine")
    assert signal.getsignal(number) is before


def keep_until_ended(store: Store, number: signal.Signals) -> None:
    with counting_changes(store):
        store.run(store.items.edit([1], {"Name": "Kept"}))
        os.kill(os.getpid(), number)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_a_signal_ends_a_command_that_only_keeps_its_changes(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], number: signal.Signals
) -> None:
    before = signal.getsignal(number)

    with offline_store(tmp_path, [item(1)]) as store:
        with pytest.raises(SystemExit) as ended:
            keep_until_ended(store, number)
        kept = store.outbox.pending

    assert (ended.value.code, kept) == (128 + number, 1)
    assert capsys.readouterr().err.startswith("backlit: Interrupted. 0 of 1 change was sent; 1 waits on this machine")
    assert signal.getsignal(number) is before
