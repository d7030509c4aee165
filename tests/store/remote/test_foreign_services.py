"""Services that are not ours, each with quirks of its own; and what is learnt where nothing is told."""

from contextlib import AsyncExitStack, suppress
from datetime import datetime, timedelta
from pathlib import Path

import pytest
from tests.store.foreign_server import ForeignServer, Json, Online, Quirks, Refused, on_socket
from tests.store.service_items import on_service
from tests.store.store_items import mirrored
from tests.store.world import World, sent, until

from backlit.client.client import Client
from backlit.client.tokens import TokenCache
from backlit.model.errors import BacklitError, BadRequest
from backlit.model.fields import Kind
from backlit.store import Store, ViewSpec
from backlit.store.remote.capabilities import DateForm, FilterSupport
from backlit.store.remote.probing import probe
from backlit.store.views.lookups import told_field

VARIANTS = {
    "as SPEC shows it": Quirks(),
    "quoted challenge, v4 dates, pages of 50": Quirks(quoted=True, dates="v4", cap=50),
    "pages over 100 are refused": Quirks(cap=100, refuses_more=True),
    "no dates in filters": Quirks(dates="none"),
    "$orderby ignored": Quirks(orders=False, cap=50),
    "$filter ignored": Quirks(filtering="ignored", cap=50),
    "$filter refused with 500": Quirks(filtering="refused"),
    "neither filtered nor ordered": Quirks(filtering="ignored", orders=False, cap=50),
    "east of UTC": Quirks(zone=timedelta(hours=9, minutes=30)),
}


def known(store: Store) -> dict[int, str]:
    return dict(store.files.mirror.execute("SELECT id, name FROM items"))


@pytest.fixture(params=[*VARIANTS.values()], ids=[*VARIANTS])
def server(request: pytest.FixtureRequest) -> ForeignServer:
    return ForeignServer(request.param)


async def test_the_first_load_brings_everything(server: ForeignServer, online: Online) -> None:
    store = await online(server)

    assert store.project_id == 7
    assert known(store) == server.names()


@pytest.mark.long_but(
    "as SPEC shows it", "no dates in filters", "$filter refused with 500", "neither filtered nor ordered"
)
async def test_what_a_rival_changes_adds_and_deletes_is_found(server: ForeignServer, online: Online) -> None:
    store = await online(server)
    changed, deleted, *_ = sorted(server.items)
    server.change("rival", changed, {"Name": "Changed"})
    del server.items[deleted]
    server.add("rival", "Added")

    await store.refresh()

    assert known(store) == server.names()


@pytest.mark.long_but("as SPEC shows it", "no dates in filters", "neither filtered nor ordered")
async def test_a_deletion_alone_is_found(server: ForeignServer, online: Online) -> None:
    store = await online(server)
    del server.items[sorted(server.items)[60]]

    await store.refresh()

    assert known(store) == server.names()


async def test_edits_additions_and_comments_arrive_exactly_once(server: ForeignServer, online: Online) -> None:
    store = await online(server)
    item_id = min(server.items)
    count = len(server.items)
    server.lost_answers = 1

    await store.items.edit([item_id], {"Name": "Mine", "Tags": ["new"]})
    await store.items.add("Story", {"Name": "Made here"})
    await sent(store)
    server.lost_answers = 1
    await store.items.comment(item_id, "Said once")
    await sent(store)

    assert server.items[item_id]["fields"]["Name"] == "Mine"
    assert server.items[item_id]["fields"]["Tags"] == ["new"]
    assert [name for name in server.names().values() if name == "Made here"] == ["Made here"]
    assert len(server.items) == count + 1
    assert [each["description"] for each in server.comments.values()] == ["Said once"]
    assert store.outbox_entries() == ()


@pytest.mark.long_but("as SPEC shows it", "neither filtered nor ordered")
async def test_a_rivals_comment_is_seen_when_its_item_is_looked_at(server: ForeignServer, online: Online) -> None:
    store = await online(server)
    item_id = min(server.items)
    server.comment("rival", item_id, "Look")

    await store.look_at(item_id)

    await until(lambda: [each.text for each in store.comments.of_item(item_id)] == ["Look"])


@pytest.mark.long_but("as SPEC shows it", "$filter refused with 500")
async def test_a_start_later_tries_nothing_out_again(server: ForeignServer, online: Online) -> None:
    store = await online(server)
    traits = store.server.traits()
    server.requests.clear()

    await store.refresh()

    assert store.server.traits() == traits
    assert not [query for _, _, query in server.requests if "id lt 0" in query.get("$filter", "")]


@pytest.mark.parametrize(
    ("variant", "found"),
    [
        ("as SPEC shows it", (FilterSupport.WORKS, DateForm.V3, True, 1000)),
        ("quoted challenge, v4 dates, pages of 50", (FilterSupport.WORKS, DateForm.V4, True, 50)),
        ("pages over 100 are refused", (FilterSupport.WORKS, DateForm.V3, True, 100)),
        ("no dates in filters", (FilterSupport.WORKS, None, True, 1000)),
        ("$orderby ignored", (FilterSupport.WORKS, DateForm.V3, False, 50)),
        ("$filter ignored", (FilterSupport.IGNORED, None, True, 50)),
        ("$filter refused with 500", (FilterSupport.REFUSED, None, True, 1000)),
    ],
)
async def test_the_traits_are_found_out(
    tmp_path: Path, variant: str, found: tuple[FilterSupport, DateForm | None, bool, int]
) -> None:
    server = ForeignServer(VARIANTS[variant])
    async with Client.inside(server, TokenCache(tmp_path / "pat.json", "here")) as client:
        await client.auth.sign_in("pat", "secret")
        traits = await probe(client)

    assert (traits.filtering, traits.dates, traits.orders, traits.page) == found
    assert (traits.by_id, traits.by_change) == (traits.filtering is FilterSupport.WORKS, traits.orders)
    assert not traits.etag
    assert traits.is_sure


@pytest.mark.parametrize("variant", ["quoted challenge, v4 dates, pages of 50", "$filter ignored"])
async def test_loading_can_be_stopped_and_a_refresh_goes_on_with_it(online: Online, variant: str) -> None:
    server = ForeignServer(VARIANTS[variant], items=600)
    is_over = False

    def stop_after_some_pages(store: Store) -> None:
        store.subscribe(lambda _change: None if is_over or store.connection.done < 100 else store.engine.cancel())

    store = await online(server, prepare=stop_after_some_pages)
    stopped = known(store)
    sentence = store.connection.sentence
    is_over = True
    await store.refresh()

    assert 0 < len(stopped) < 600
    assert sentence == "Loading stopped. Refresh to resume."
    assert known(store) == server.names()


async def test_what_is_missing_is_said(online: Online) -> None:
    store = await online(ForeignServer(VARIANTS["$filter ignored"]))

    said = " ".join(store.server.missing())

    assert "ignores $filter" in said
    assert "Conflict detection (ETag): no" in said
    assert "Ranking: no." in said


async def test_an_empty_service_is_tried_out_when_it_has_something(online: Online) -> None:
    server = ForeignServer(VARIANTS["$filter ignored"], items=0)
    store = await online(server)
    assert store.server.traits() is None

    for number in range(60):
        server.add("rival", f"New {number}")
    await store.refresh()

    assert known(store) == server.names()
    assert store.server.traits() is not None


async def test_a_service_that_no_longer_filters_is_tried_out_again(online: Online) -> None:
    server = ForeignServer(Quirks())
    store = await online(server)
    server.quirks = Quirks(filtering="refused-as-bad")
    server.add("rival", "Added later")

    await store.refresh()

    traits = store.server.traits()
    assert traits is not None
    assert traits.filtering is FilterSupport.REFUSED
    assert known(store) == server.names()


async def test_the_services_clock_is_known_after_a_write(online: Online) -> None:
    server = ForeignServer(VARIANTS["east of UTC"])
    store = await online(server)

    await store.items.comment(min(server.items), "What time is it?")
    await sent(store)
    await store.refresh()

    assert abs(store.now() - datetime.fromisoformat(server.now())) < timedelta(seconds=10)


async def test_over_a_real_socket_everything_works_too(online: Online) -> None:
    server = ForeignServer(VARIANTS["quoted challenge, v4 dates, pages of 50"])
    async with AsyncExitStack() as stack:
        await stack.enter_async_context(on_socket(server))
        store = await online(server, over_network=True)
        changed = min(server.items)
        server.change("rival", changed, {"Estimate": "5"})
        await store.items.edit([changed], {"Name": "Mine"})
        await sent(store)
        await store.refresh()

        assert known(store) == server.names()
        assert server.items[changed]["fields"]["Estimate"] == "5"
        assert server.items[changed]["fields"]["Name"] == "Mine"
        store.close()


async def test_without_extensions_edits_arrive_and_fields_are_learnt_from_values(world: World) -> None:
    world.faults.lacks = frozenset({"/capabilities", "/comments"})
    store = await world.online()
    item_id = min(mirrored(store))

    await store.items.edit([item_id], {"Name": "Arrived"})
    await sent(store)

    assert (await on_service(world))[item_id] == "Arrived"
    kinds = {field.key: field.kind for field in store.lookups.custom_fields()}
    assert kinds["Channel_cf"] is Kind.TEXT
    assert kinds["NeedsLegalReview_cf"] is Kind.BOOLEAN
    assert store.lookups.statuses("Task") == ("Not Done", "In Progress", "Done", "Deleted")
    assert all(name == f"team {team_id}" for team_id, name in store.lookups.teams().items())
    assert store.lookups.tags() == tuple(sorted(set(store.lookups.tags())))


async def test_where_no_statuses_are_listed_others_are_tried_and_elsewhere_they_are_refused_here(world: World) -> None:
    listed = await world.online()
    world.faults.lacks = frozenset({"/capabilities"})
    store = await world.online("other")
    item_id = min(mirrored(store))

    with pytest.raises(BadRequest, match="must be one of"):
        await listed.items.edit([item_id], {"Status": "Waiting For Legal"})
    await store.items.edit([item_id], {"Status": "Waiting For Legal"})
    await until(lambda: store.outbox.refused)


async def test_with_extensions_the_service_says_what_fields_and_teams_there_are(world: World) -> None:
    store: Store = await world.online()

    fields = {field.key: field for field in store.lookups.custom_fields()}
    assert fields["Channel_cf"].kind is Kind.CHOICE
    assert fields["Channel_cf"].choices == ("Web", "Store", "Phone")
    assert store.lookups.teams()
    assert not any(name.startswith("team ") for name in store.lookups.teams().values())


def test_a_definition_that_makes_no_sense_is_left_out() -> None:
    assert told_field("Channel_cf") is None
    assert told_field({"key": "Channel"}) is None
    field = told_field({"key": "X_cf", "kind": "unheard of", "types": ["Story", 3], "choices": None})
    assert field is not None
    assert (field.kind, field.types) == (Kind.TEXT, ("Story",))


async def test_a_foreign_service_that_cannot_rank_is_asked_nothing_and_the_order_stays_here(online: Online) -> None:
    server = ForeignServer(Quirks())
    store = await online(server)
    ids = [item.id for item in store.batch.items(list(server.items))]
    numbers = [each["fields"]["BacklogPriority"] for each in server.items.values()]
    asked = sum(method == "POST" for method, *_ in server.requests)

    done = await store.ranking.down(store.view(ViewSpec(with_done=True)), [ids[0]], 2)
    await store.refresh()

    assert done.is_local
    assert [item.id for item in store.batch.items(ids)] == [ids[1], ids[2], ids[0], *ids[3:]]
    assert [each["fields"]["BacklogPriority"] for each in server.items.values()] == numbers
    assert sum(method == "POST" for method, *_ in server.requests) == asked


async def test_what_is_deleted_there_is_made_again_by_undo(online: Online) -> None:
    server = ForeignServer(Quirks(), items=3)
    store = await online(server)
    item_id = min(server.items)
    name = server.items[item_id]["fields"]["Name"]
    server.comment("pat", item_id, "Before")

    await store.deletions.delete_items([item_id])
    await sent(store)
    assert item_id not in server.items
    done = await store.history.undo()
    await sent(store)

    assert done is not None
    assert [each.name for each in done.made_again] == [name]
    assert sorted(server.names().values()) == sorted({f"Item {number}" for number in range(3)})
    assert store.outbox_entries() == ()


async def test_an_item_is_read_where_its_files_cannot_be_asked_for(world: World) -> None:
    store = await world.online()
    item_id = store.view(ViewSpec()).rows(0, 1)[0].id
    world.faults.lacks = frozenset({f"/{item_id}/attachments"})
    await world.rival.work_items.update(item_id, {"Name": "Seen all the same"})
    await world.rival.comments.create({"projectId": 1, "workItemId": item_id, "description": "This too"})

    await store.look_at(item_id)
    await until(lambda: "This too" in [each.text for each in store.comments.of_item(item_id)])

    item = store.item(item_id)
    assert item is not None
    assert item.fields["Name"] == "Seen all the same"


class Interrupted(ForeignServer):
    """Fails once at the second page of comments."""

    has_failed = False

    def _read(self, nouns: list[str], last: str, query: dict[str, str]) -> Json:
        if [*nouns, last] == ["comments"] and int(query.get("$skip", 0)) and not self.has_failed:
            self.has_failed = True
            raise Refused(500)
        return super()._read(nouns, last, query)


async def test_comments_behind_a_page_that_failed_are_read_by_the_next_sync(online: Online) -> None:
    server = Interrupted(Quirks(filtering="ignored", cap=50))
    store = await online(server)
    item_id = min(server.items)
    for number in range(120):
        server.comment("rival", item_id, f"Comment {number}")

    with suppress(BacklitError):
        await store.refresh()
    await store.refresh()

    assert server.has_failed
    assert len(store.comments.of_item(item_id)) == 120


class Forgetful(ForeignServer):
    """Lists all but some of its items."""

    hidden: frozenset[int] = frozenset()

    def _page(self, found: list[Json], query: dict[str, str]) -> Json:
        return super()._page([each for each in found if each["id"] not in self.hidden], query)


async def test_an_item_that_a_scan_missed_is_asked_for_before_it_counts_as_deleted(online: Online) -> None:
    server = Forgetful(VARIANTS["neither filtered nor ordered"])
    store = await online(server)
    missed, deleted = sorted(server.items)[50:52]
    server.hidden = frozenset({missed})
    del server.items[deleted]

    await store.refresh()

    assert known(store) == server.names()
