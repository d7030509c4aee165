"""Services that announce what never comes, repeat themselves, or send what cannot be: a sync ends with a sentence."""

import asyncio
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import pytest
from tests.store.documents import places_in
from tests.store.foreign_server import ForeignServer, Quirks
from tests.store.world import until

from backlit.client.calls import RetryPolicy
from backlit.client.client import Client
from backlit.client.tokens import TokenCache
from backlit.model.errors import ServiceError
from backlit.store import ConnectionState, Store
from backlit.store.engine.engine import Report
from backlit.store.remote.listing import IDLE_PAGES, MOST_PAGES, PageLimit

Lie = Callable[[list[Any], dict[str, Any], dict[str, str]], dict[str, Any]]
HUGE = 10**12
SETTLED = {ConnectionState.ONLINE, ConnectionState.OFFLINE, ConnectionState.FAILED}
WAYS = {
    "filtered": Quirks(cap=50),
    "filtered, unordered": Quirks(cap=50, orders=False),
    "walked": Quirks(filtering="ignored", cap=50),
    "walked, unordered": Quirks(filtering="ignored", orders=False, cap=50),
}


class Liar(ForeignServer):
    """Has its answers about items changed by a lie before they go out."""

    def __init__(self, quirks: Quirks, lie: Lie) -> None:
        super().__init__(quirks)
        self.lie = lie

    def _page(self, found: list[Any], query: dict[str, str]) -> dict[str, Any]:
        page = super()._page(found, query)
        is_about_items = any("fields" in each for each in found)
        return self.lie(found, page, query) if is_about_items else page


def announces_more(_found: list[Any], page: dict[str, Any], _query: dict[str, str]) -> dict[str, Any]:
    return page | {"totalResults": HUGE}


def grows(_found: list[Any], page: dict[str, Any], query: dict[str, str]) -> dict[str, Any]:
    return page | {"totalResults": int(query.get("$skip", 0)) * 2 + 1000}


def repeats(found: list[Any], page: dict[str, Any], _query: dict[str, str]) -> dict[str, Any]:
    return page | {"totalResults": HUGE, "results": found[:50]}


def empty(_found: list[Any], page: dict[str, Any], query: dict[str, str]) -> dict[str, Any]:
    return page | {"totalResults": HUGE, "results": [] if "$skip" in query else page["results"]}


def year_one(_found: list[Any], page: dict[str, Any], _query: dict[str, str]) -> dict[str, Any]:
    old = {"lastModifiedAt": "0001-01-01T00:00:00", "createdAt": "0001-01-01T00:00:00"}
    return page | {"results": [each | old for each in page["results"]]}


def big_id(_found: list[Any], page: dict[str, Any], _query: dict[str, str]) -> dict[str, Any]:
    return page | {"results": [each | {"id": 2**63} for each in page["results"]]}


@pytest.fixture
async def settled(tmp_path: Path) -> AsyncIterator[Callable[[ForeignServer], Any]]:
    """Opens a store on a service and waits until it knows how it fares."""
    stores: list[Store] = []

    async def settled(server: ForeignServer) -> Store:
        async def connect(_report: Report) -> Client:
            tokens = TokenCache(tmp_path / "pat.json", server.base)
            client = Client.inside(server, tokens, server.base, pacing=RetryPolicy(attempts=2, first_pause=0.001))
            await client.auth.sign_in("pat", "secret")
            return client

        store = Store(places_in(tmp_path / "mine"), connect)
        store.open()
        stores.append(store)
        store.start()
        await until(lambda: store.connection.state in SETTLED, lambda: (store.connection, len(server.requests)))
        return store

    yield settled
    for store in stores:
        await asyncio.to_thread(store.close)


@pytest.mark.parametrize(
    ("page_of", "most"),
    [
        (lambda _: {1, 2}, IDLE_PAGES + 1),
        (lambda at: {1, 2} if at == 0 else {2}, IDLE_PAGES + 1),
        (lambda at: {at // IDLE_PAGES}, MOST_PAGES),
        (lambda at: {0, at}, MOST_PAGES),
        (lambda _: set(), MOST_PAGES),
    ],
)
def test_paging_ends_without_news_and_after_very_many_pages(page_of: Callable[[int], set[int]], most: int) -> None:
    limit = PageLimit("items", "tracker.example")
    for at in range(most):
        limit.note(page_of(at))

    with pytest.raises(
        ServiceError,
        match=rf"^tracker\.example announces an endless list of items\. Reading stopped after {most + 1:,} pages",
    ):
        limit.note(page_of(most))


@pytest.mark.parametrize("lie", [announces_more, grows, repeats, empty, year_one])
@pytest.mark.parametrize("way", WAYS)
@pytest.mark.long_but("filtered", "grows")
async def test_a_sync_ends_with_what_arrives(settled: Callable[[ForeignServer], Any], way: str, lie: Lie) -> None:
    server = Liar(WAYS[way], lie)

    store = await settled(server)

    assert store.connection.state is ConnectionState.ONLINE or store.connection.sentence.endswith((".", ")."))
    assert "internal error" not in store.connection.sentence
    assert len(server.requests) < 1500


@pytest.mark.parametrize("way", WAYS)
async def test_a_sync_that_fails_names_service_address_and_field(
    settled: Callable[[ForeignServer], Any], way: str
) -> None:
    store = await settled(Liar(WAYS[way], big_id))

    assert store.connection.state is ConnectionState.FAILED
    assert store.connection.sentence == (
        "The response of backlit.local to GET /api/v1/workitems cannot be used:"
        " results.0.id is 9223372036854775808, which is not a valid value."
    )


async def test_a_second_sync_of_stamps_of_the_year_one_goes_on(settled: Callable[[ForeignServer], Any]) -> None:
    store = await settled(Liar(Quirks(), year_one))

    await store.refresh()
    await store.refresh()

    assert store.connection.state is ConnectionState.ONLINE
