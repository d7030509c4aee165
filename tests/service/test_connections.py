"""The table of connections: shares of addresses, and who makes room."""

import asyncio

import pytest
from msgspec.structs import replace

from backlit.service.connections import OpenConnections, ServerConnection
from backlit.service.storage.settings import ServiceLimits

SHARE, MOST = 2, 3
PATIENCE = 5.0
"""Seconds after which a caller that should have entered counts as kept out."""


@pytest.fixture
def table() -> OpenConnections:
    return OpenConnections(replace(ServiceLimits(), connections_per_address=SHARE), MOST)


def added(table: OpenConnections, address: str | None, ended: list[ServerConnection]) -> ServerConnection:
    """Add a connection whose end is noted and takes it off the table."""
    made = table.add(address)
    assert made is not None

    def end() -> None:
        ended.append(made)
        table.remove(made)

    made.abort = end
    return made


def test_the_longest_waiting_connection_of_an_address_makes_room(table: OpenConnections) -> None:
    ended: list[ServerConnection] = []
    busy, waiting = added(table, "a", ended), added(table, "a", ended)
    table.begin(busy)

    added(table, "a", ended)

    assert ended == [waiting]


def test_an_address_with_busy_connections_only_gets_no_more(table: OpenConnections) -> None:
    ended: list[ServerConnection] = []
    first, second = added(table, "a", ended), added(table, "a", ended)
    for each in (first, second):
        table.begin(each)

    assert table.add("a") is None
    assert ended == []
    table.mark_waiting(first)
    added(table, "a", ended)
    assert ended == [first]


def test_a_full_table_ends_the_longest_waiting_of_all(table: OpenConnections) -> None:
    ended: list[ServerConnection] = []
    first, second, third = (added(table, address, ended) for address in ("a", "b", None))
    table.begin(first)
    table.begin(second)
    table.mark_waiting(second)

    added(table, "c", ended)
    added(table, "d", ended)

    assert ended == [third, second]


async def test_there_is_room_again_when_a_connection_waits_or_ends(table: OpenConnections) -> None:
    made = [added(table, address, []) for address in ("a", "b", "c")]
    for each in made:
        table.begin(each)

    for make_room in (table.mark_waiting, table.remove):
        table.begin(made[0])
        entering = asyncio.create_task(table.wait_for_room())
        await asyncio.sleep(0)
        assert not entering.done()
        make_room(made[0])
        await asyncio.wait_for(entering, PATIENCE)


def test_a_lent_connection_leaves_its_address_room_until_it_is_taken_back(table: OpenConnections) -> None:
    ended: list[ServerConnection] = []
    first, second = added(table, "a", ended), added(table, "a", ended)
    for each in (first, second):
        table.begin(each)
    table.lend(first)
    third = added(table, "a", ended)
    table.begin(third)

    full = table.add("a")
    table.take_back(first)
    table.mark_waiting(first)
    added(table, "a", ended)

    assert full is None
    assert ended == [first]
