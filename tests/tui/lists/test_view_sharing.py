"""Views shared with the members of the project: tabs with their owners, and the questions before."""

import re
from collections.abc import Sequence
from pathlib import Path
from typing import cast

import pytest
from tests.store.world import World, until
from tests.tui.bare_app import heading_of, lines_of, messages_of, text_of
from tests.tui.list_steps import press
from tests.tui.lists.saved_views import BUGS, FakeList, viewed
from tests.tui.target import run, words_of
from textual.pilot import Pilot

from backlit.config.settings import find_locations
from backlit.model.errors import BadRequest
from backlit.model.query import Candidate
from backlit.store import Store
from backlit.store.views.view_files import ViewFiles
from backlit.tui.commands.command import CannotAct
from backlit.tui.commands.table import COMMAND_BY_ID
from backlit.tui.lists.filtering import FilterState
from backlit.tui.shell.dispatch import function_of


def tabs_of(pilot: Pilot[None]) -> str:
    return lines_of(pilot.app)[1].strip()


async def typed(pilot: Pilot[None], line: str) -> None:
    await press(pilot, ":", *("space" if sign == " " else sign for sign in line), "enter")


async def by_jon(world: World, name: str = "Of jon", **more: object) -> int:
    body = {"name": name, "spec": {"query": "type:bug"}, "isShared": True, **more}
    return int((await world.rival.views.create_in(1, body))["id"])


@pytest.mark.slow
async def test_a_view_is_shared_after_a_question_and_is_a_tab_of_another_machine(
    world: World, store: Store, tmp_path: Path
) -> None:
    async with viewed(store, tmp_path / "home", BUGS) as pilot:
        await typed(pilot, "view share Bugs")
        asked = text_of(pilot.app)
        await press(pilot, "y")
        await until(lambda: "“Bugs” is shared with everybody in Aurora." in messages_of(pilot.app))
        assert "Share “Bugs” with everybody in Aurora?" in asked
        assert tabs_of(pilot) == "1 Open items  2 Bugs"
    other = await world.online("other")
    async with viewed(other, tmp_path / "elsewhere") as pilot:
        assert tabs_of(pilot) == "1 Open items  2 Bugs · you"


async def test_a_view_that_somebody_shares_appears_beside_ones_own_with_the_name(
    world: World, store: Store, tmp_path: Path
) -> None:
    async with viewed(store, tmp_path / "home", BUGS) as pilot:
        for name in ("Of jon", "Bugs", "Open items"):
            await by_jon(world, name)
        await store.refresh()
        await until(lambda: "Of jon" in tabs_of(pilot), lambda: tabs_of(pilot))
        await press(pilot, "g", "3")

        assert tabs_of(pilot) == "1 Open items  2 Bugs  3 Of jon · jon  4 Open items (jon) · jon"
        assert heading_of(pilot.app).startswith("Of jon · shared by jon")


@pytest.mark.slow
async def test_sharing_ones_own_ends_and_a_copy_stays_in_the_file(world: World, store: Store, tmp_path: Path) -> None:
    mine = await world.client("maya")
    await mine.views.create_in(1, {"name": "Elsewhere", "spec": {"query": "type:bug"}, "isShared": True})
    await mine.aclose()
    await store.refresh()
    async with viewed(store, tmp_path / "home") as pilot:
        await typed(pilot, "view unshare Elsewhere")
        asked = text_of(pilot.app)
        await press(pilot, "y")
        await until(lambda: "“Elsewhere” is no longer shared." in messages_of(pilot.app))
        await until(lambda: tabs_of(pilot) == "1 Open items  2 Elsewhere", lambda: tabs_of(pilot))

    assert "Stop sharing “Elsewhere”?" in asked
    assert 'name = "Elsewhere"\nquery = "type:bug"' in (tmp_path / "home" / "config" / "views.toml").read_text()
    assert not (await world.rival.views.of_project(1).page()).results


@pytest.mark.slow
async def test_a_manager_ends_the_sharing_of_anothers_view(world: World, store: Store, tmp_path: Path) -> None:
    await by_jon(world)
    await store.refresh()
    async with viewed(store, tmp_path / "home") as pilot:
        await typed(pilot, "view unshare Of jon")
        asked = text_of(pilot.app)
        await press(pilot, "y")
        await until(lambda: "Of jon · jon" not in text_of(pilot.app), lambda: text_of(pilot.app))

    (left,) = (await world.rival.views.of_project(1).page()).results
    assert "“Of jon” is shared by jon." in asked
    assert left["isShared"] is False


@pytest.mark.slow
async def test_a_no_shares_nothing(world: World, store: Store, tmp_path: Path) -> None:
    async with viewed(store, tmp_path / "home", BUGS) as pilot:
        await typed(pilot, "view share Bugs")
        await press(pilot, "n")

    assert not (await world.rival.views.of_project(1).page()).results


async def test_a_view_with_something_unknown_is_a_tab_and_says_so_when_it_is_opened(
    world: World, store: Store, tmp_path: Path
) -> None:
    await by_jon(world, spec={"lanes": ["status"]})
    await store.refresh()
    async with viewed(store, tmp_path / "home") as pilot:
        await press(pilot, "g", "2")

        assert "It has “lanes”, which this version of backlit does not know" in " ".join(messages_of(pilot.app))
        assert heading_of(pilot.app).startswith("Open items")


def target_in(store: Store, home: Path) -> FakeList:
    """A list with one view in the user's file, beside those of the service."""
    files = ViewFiles(find_locations({"BACKLIT_HOME": str(home)}), home)
    files.own.parent.mkdir(parents=True)
    files.own.write_text(BUGS)
    target = FakeList(store, FilterState())
    target.shared.views.read(files)
    target.shared.follow_views()
    return target


@pytest.mark.parametrize(
    ("line", "sentence"),
    [
        ("view.share ", "This is the built-in view. Press S to save the list as a view of yours first."),
        ("view.share Of jon", "“Of jon” is shared already, by jon."),
        ("view.unshare Bugs", "“Bugs” is not shared."),
        ("view.unshare ", "“Open items” is not shared."),
        ("view.share Nonsense", "No view “Nonsense”."),
    ],
)
async def test_what_cannot_be_shared_says_why(
    world: World, store: Store, tmp_path: Path, line: str, sentence: str
) -> None:
    await by_jon(world)
    await store.refresh()
    command, _, name = line.partition(" ")

    with pytest.raises((CannotAct, BadRequest), match=re.escape(sentence)):
        await run(target_in(store, tmp_path), command, text=name)


async def test_a_server_without_views_says_so_before_it_asks(world: World, tmp_path: Path) -> None:
    world.without_history()
    store = await world.online("other")

    for command in ("view.share", "view.unshare"):
        with pytest.raises(BadRequest, match="This server keeps no views, so yours cannot be shared there"):
            await run(target_in(store, tmp_path / command), command, text="Bugs")


async def test_a_view_that_changed_is_shared_in_place_of_the_one_before(
    world: World, store: Store, tmp_path: Path
) -> None:
    target = target_in(store, tmp_path)
    target.answers = ["y", "y"]
    await run(target, "view.share", text="Bugs")
    target.shared.follow_views()
    await run(target, "view.share", text="Bugs")

    assert ["is shared already" in words_of(dialog) for dialog in target.asked] == [False, True]
    assert len((await world.rival.views.of_project(1).page()).results) == 1


def completed(target: FakeList, command: str) -> Sequence[Candidate]:
    return cast("Sequence[Candidate]", function_of(COMMAND_BY_ID[command].completing)(target, "", 0))


async def test_views_are_completed_by_what_can_be_done_with_them(world: World, store: Store, tmp_path: Path) -> None:
    await by_jon(world)
    await store.refresh()
    target = target_in(store, tmp_path)

    assert [each.text for each in completed(target, "view.share")] == ["Bugs"]
    assert [each.text for each in completed(target, "view.unshare")] == ["Of jon"]
