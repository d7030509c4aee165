"""The outbox: what waits, what is in conflict, and how it is settled."""

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import MappingProxyType

import pytest
from msgspec.structs import replace
from tests.store.documents import item, offline_store
from tests.store.world import Said, World, sent, until
from tests.tui.bare_app import heading_of, line_with, lines_of, missing, pane_lines, place_of, text_of, title_of
from tests.tui.list_steps import shown
from tests.tui.opened import Open
from tests.tui.outbox.outbox_screens import outbox_of, story
from tests.tui.target import FakeScreen, run

from backlit.store import ConnectionState, EntryState, OutboxEntry, Store, ViewSpec
from backlit.store.files.files import WriteContext
from backlit.tui.items.item_head import ItemSidePane
from backlit.tui.outbox.screen import LEAST_ASIDE, OutboxScreen


async def conflict(world: World, store: Store, more: Mapping[str, object] = MappingProxyType({})) -> int:
    """Maya and jon have named the same item; jon was first."""
    item_id = await story(store)
    world.faults.is_down = True
    await store.items.edit([item_id], {"Name": "Mine", **more})
    await world.rival.work_items.update(item_id, {"Name": "Theirs [b]"})
    world.faults.is_down = False
    await store.refresh()
    await until(lambda: store.outbox.conflicts == 1, store.outbox_entries)
    return item_id


async def name_on_service(world: World, item_id: int) -> object:
    return (await world.rival.work_items.get(item_id))["fields"]["Name"]


async def test_an_empty_outbox_says_that_all_is_sent(store: Store, opened: Open) -> None:
    async with outbox_of(opened, store) as pilot:
        await pilot.press("r")
        await pilot.pause()

        assert missing(pilot.app, ["✓ Everything is sent", "No changes in the outbox."]) == []


async def test_what_waits_is_listed_with_what_it_changes(world: World, store: Store, opened: Open) -> None:
    item_id = await story(store)
    before = store.item(item_id)
    world.faults.is_down = True
    await store.items.edit([item_id], {"Name": "Better [b] name", "Estimate": "999"})
    async with outbox_of(opened, store) as pilot:
        row = line_with(pilot.app, "▌")

        assert "▌↑ #" in row or "▌↑ sending" in row
        assert "d  discard" in lines_of(pilot.app)[-1]
        assert "resolve" not in lines_of(pilot.app)[-1]
        assert (
            missing(pilot.app, [f"#{item_id}", "renamed, Estimate ", "Waiting 1", "mine  ", "Better [b] name", "999"])
            == []
        )
        assert before is not None
        assert str(before.fields["Name"])[:10] in text_of(pilot.app)


@pytest.mark.slow
async def test_what_is_sent_leaves_the_list(world: World, store: Store, opened: Open) -> None:
    item_id = await story(store)
    world.faults.is_down = True
    await store.items.edit([item_id], {"Name": "Soon there"})
    async with outbox_of(opened, store) as pilot:
        assert "Soon there" in text_of(pilot.app)
        world.faults.is_down = False
        await store.refresh()
        await sent(store)

        await until(lambda: "✓ Everything is sent" in text_of(pilot.app), lambda: text_of(pilot.app))


@pytest.mark.slow
async def test_title_calls_a_project_synced_only_where_nothing_waits(world: World, store: Store, opened: Open) -> None:
    await conflict(world, store)
    async with outbox_of(opened, store) as pilot:
        assert title_of(pilot.app).split()[-4:] == ["≠", "1", "conflict", "maya"]
        assert "synced" not in title_of(pilot.app)


async def test_a_conflict_shows_mine_and_theirs(world: World, store: Store, opened: Open) -> None:
    await conflict(world, store)
    async with outbox_of(opened, store) as pilot:
        assert "▌≠ #" in line_with(pilot.app, "▌")
        assert missing(pilot.app, ["Conflicts 1", "was ", "≠ Name"]) == []
        assert line_with(pilot.app, "≠ Name").split("│")[1].split()[-2:] == ["Theirs", "[b]"]
        assert line_with(pilot.app, "mine ").split("│")[1].split() == ["mine", "theirs"]


@pytest.mark.slow
async def test_the_item_of_a_change_stands_below_it(world: World, store: Store, opened: Open) -> None:
    item_id = await story(store)
    await world.rival.work_items.update(item_id, {"Description": "All about **quokkas**"})
    await store.refresh()
    await conflict(world, store)
    async with outbox_of(opened, store) as pilot:
        await until(lambda: "quokkas" in text_of(pilot.app), lambda: text_of(pilot.app))
        wide = text_of(pilot.app)
        await pilot.resize_terminal(80, 20)
        await until(lambda: "quokkas" not in text_of(pilot.app), lambda: text_of(pilot.app))

        assert wide.count("enter  resolve") == 2
        assert "r  retry" not in wide
        assert wide.count(f"#{item_id} Mine") == 1
        assert re.search(rf"#{item_id} . \w+ with your changes", wide)


async def test_the_item_of_another_change_is_shown_from_its_top(world: World, store: Store, opened: Open) -> None:
    ids = [row.id for row in await shown(store) if row.type == "Story"][:2]
    for item_id in ids:
        await world.rival.work_items.update(item_id, {"Description": "\n\n".join(["words"] * 60)})
    await store.refresh()
    world.faults.is_down = True
    for item_id in ids:
        await store.items.edit([item_id], {"Name": "Mine"})
    async with outbox_of(opened, store) as pilot:
        aside = pilot.app.screen.query_one(ItemSidePane)
        await until(lambda: aside.max_scroll_y > 0)
        aside.scroll_to(y=9, animate=False, force=True)
        await pilot.pause()
        before = aside.scroll_y
        await pilot.press("j")
        await until(lambda: re.search(rf"#{ids[1]} . \w+ with your changes", text_of(pilot.app)))
        await pilot.pause()

        assert (before, aside.scroll_y) == (9, 0)


async def test_only_contested_fields_of_a_conflict_have_another_value(world: World, store: Store, opened: Open) -> None:
    await conflict(world, store, {"Estimate": "777"})
    async with outbox_of(opened, store) as pilot:
        assert missing(pilot.app, ["  Estimate  777 "]) == []


@pytest.mark.slow
async def test_a_conflict_is_settled_for_me_only_with_y(world: World, store: Store, opened: Open) -> None:
    item_id = await conflict(world, store)
    async with outbox_of(opened, store) as pilot:
        await pilot.press("r", "enter")
        await pilot.pause()
        assert store.outbox_entries()[0].state is EntryState.CONFLICT
        await pilot.press("r")
        await pilot.pause()
        assert "Someone else has changed Name." in text_of(pilot.app)
        await pilot.press("y")
        await until(lambda: not store.outbox_entries(), store.outbox_entries)

        assert await name_on_service(world, item_id) == "Mine"


@pytest.mark.slow
async def test_giving_up_a_change_asks_and_leaves_the_service_alone(world: World, store: Store, opened: Open) -> None:
    item_id = await conflict(world, store)
    async with outbox_of(opened, store) as pilot:
        await pilot.press("d", "d", "enter")
        await pilot.pause()
        assert len(store.outbox_entries()) == 1
        await pilot.press("d", "y")
        await until(lambda: not store.outbox_entries(), store.outbox_entries)

        assert await name_on_service(world, item_id) == "Theirs [b]"
        item = store.item(item_id)
        assert item is not None
        assert item.fields["Name"] == "Theirs [b]"


@pytest.mark.slow
async def test_new_items_and_comments_are_named(world: World, store: Store, opened: Open) -> None:
    item_id = await story(store)
    world.faults.is_down = True
    await store.items.add("Bug", {"Name": "Brand new"})
    await store.items.comment(item_id, "Some words\nmore")
    async with outbox_of(opened, store) as pilot:
        assert missing(pilot.app, ["new bug", "Brand new", "comment: Some words more"]) == []
        await pilot.press("j")
        await pilot.pause()
        assert "comment: Some words more" in line_with(pilot.app, "▌")


@pytest.mark.slow
async def test_a_small_terminal_shows_rows_and_reason(world: World, store: Store, opened: Open) -> None:
    await conflict(world, store)
    async with outbox_of(opened, store, (60, 20)) as pilot:
        assert place_of(pilot.app) == "Outbox"
        assert missing(pilot.app, ["Conflicts 1", "was ", "mine ", "Theirs [b]"]) == []


@pytest.mark.slow
@pytest.mark.parametrize(("size", "has_item"), [((40, 14), False), ((80, 24), False), ((100, 40), True)])
async def test_a_long_change_leaves_title_and_footer_in_sight_and_the_item_where_both_have_room(
    world: World, store: Store, opened: Open, size: tuple[int, int], has_item: bool
) -> None:
    ids = [row.id for row in await shown(store) if row.type == "Story"][:9]
    world.faults.is_down = True
    for item_id in ids:
        await store.items.edit([item_id], {"Name": "Mine", "Description": "\n".join(["words"] * 60)})
    async with outbox_of(opened, store, size) as pilot:
        await until(lambda: pilot.app.screen.query_one("#item-frame").display is has_item)
        await pilot.pause()

        assert place_of(pilot.app) == "Outbox"
        assert "9 unsent changes" in text_of(pilot.app)
        assert "? more" in lines_of(pilot.app)[-1] or "keys" in lines_of(pilot.app)[-1]
        assert "Mine" in text_of(pilot.app)
        if has_item:
            assert pilot.app.screen.query_one(ItemSidePane).size.height >= LEAST_ASIDE


@pytest.mark.slow
async def test_q_goes_back(store: Store, opened: Open) -> None:
    async with outbox_of(opened, store) as pilot:
        assert isinstance(pilot.app.screen, OutboxScreen)
        await pilot.press("q")
        await pilot.pause()

        assert not isinstance(pilot.app.screen, OutboxScreen)


async def test_another_place_is_reached_from_the_outbox_and_it_opens_once(store: Store, opened: Open) -> None:
    async with outbox_of(opened, store) as pilot:
        await pilot.press("g", "o")
        await pilot.pause()
        twice = text_of(pilot.app)
        await pilot.press("g", "b")
        await pilot.pause()

        assert "The outbox is already open." in twice
        assert heading_of(pilot.app).startswith("Open items")


async def test_nothing_is_being_sent_while_the_service_cannot_be_reached(
    world: World, store: Store, opened: Open
) -> None:
    item_id = await story(store)
    world.faults.is_down = True
    await store.items.edit([item_id], {"Estimate": "999"})
    async with outbox_of(opened, store) as pilot:
        await until(lambda: store.connection.state is ConnectionState.OFFLINE, lambda: store.connection)
        await until(lambda: "sending" not in text_of(pilot.app), lambda: text_of(pilot.app))

        assert "Waiting 1" in text_of(pilot.app)


@pytest.mark.slow
async def test_all_that_was_refused_of_one_change_is_sent_again_together(
    world: World, store: Store, opened: Open
) -> None:
    view = store.view(ViewSpec())
    await view.load()
    one, other, third = [row.id for row in view.rows(0, 50) if row.type == "Story"][:3]
    world.faults.says = lambda method, path: (
        Said(400, (), b'{"message": "Not today.", "errors": {}}')
        if method == "PUT" and not path.endswith(f"/{third}")
        else None
    )
    await store.items.edit([one, other, third], {"Estimate": "17"})
    await until(lambda: store.outbox.refused == 2, store.outbox_entries)
    async with outbox_of(opened, store) as pilot:
        await pilot.press("r")
        await pilot.pause()
        asked = text_of(pilot.app)
        world.faults.says = lambda _method, _path: None
        await pilot.press("a")
        await sent(store)

        assert "2 changes made together were rejected." in asked
        found = [(await world.rival.work_items.get(each))["fields"]["Estimate"] for each in (one, other, third)]
        assert found == ["17", "17", "17"]


class FakeOutbox(FakeScreen):
    """An `outbox.screen.OutboxScreen` with its cursor on the first change."""

    stands_for = OutboxScreen

    @property
    def entries(self) -> Sequence[OutboxEntry]:
        return self.store.outbox_entries()

    def current(self) -> OutboxEntry:  # type: ignore[override] # of another screen
        return self.entries[0]


async def test_a_rejected_change_is_sent_again_without_the_conflict_of_its_step(tmp_path: Path) -> None:
    with offline_store(tmp_path, [item(1), item(2), item(3)]) as store:
        await store.items.edit([1, 2, 3], {"Estimate": "5"})
        rejected, contested, _ = store.outbox_entries()

        def settle(writer: WriteContext) -> None:
            writer.journal.update(replace(rejected, state=EntryState.REFUSED))
            writer.journal.update(replace(contested, state=EntryState.CONFLICT))

        store.files.submit(settle).result()
        target = FakeOutbox(store)

        await run(target, "outbox.retry")

        states = {each.item_id: each.state for each in store.outbox_entries()}
        assert target.asked == []
        assert states == {1: EntryState.WAITING, 2: EntryState.CONFLICT, 3: EntryState.WAITING}


def settled(store: Store, *states: EntryState) -> None:
    """Give the entries their states, in order."""

    def settle(writer: WriteContext) -> None:
        for entry, state in zip(store.outbox_entries(), states, strict=True):
            writer.journal.update(replace(entry, state=state, theirs={"Estimate": "8"}))

    store.files.submit(settle).result()


async def test_changes_stand_in_groups_of_which_those_that_need_a_person_come_first(
    tmp_path: Path, opened: Open
) -> None:
    with offline_store(tmp_path, [item(1), item(2), item(3)]) as store:
        for item_id in (1, 2, 3):
            await store.items.edit([item_id], {"Estimate": "777"})
        settled(store, EntryState.CONFLICT, EntryState.WAITING, EntryState.REFUSED)
        async with outbox_of(opened, store) as pilot:
            lines = [" ".join(line.strip("│▌┃ ").split()) for line in pane_lines(pilot.app)]
            frame = lines_of(pilot.app)
            await pilot.resize_terminal(60, 10)
            named = ["↑ waiting", "! rejected", "≠ conflict"]
            await until(lambda: missing(pilot.app, named) == [], lambda: text_of(pilot.app))

            at = lines.index("Conflicts 1")
            assert lines[at + 3 : at + 9 : 3] == ["Rejected 1", "Waiting 1"]
            assert [line.split()[:2] for line in lines[at + 1 : at + 9 : 3]] == [["≠", "#1"], ["!", "#3"], ["↑", "#2"]]
            assert "Rejected" not in text_of(pilot.app)
            assert frame[1].startswith("╭─ 3 unsent changes ─")
            assert any(line.endswith(" of 3 ─╯") for line in frame)
            assert " of 3" not in frame[-1]
