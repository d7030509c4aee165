"""What an act of the user changed flashes where it is, and nothing else moves."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest
from tests.quiet import strips_of
from tests.store.world import World, until
from tests.tui.bare_app import BareApp, text_of
from tests.tui.board_steps import board, is_story
from tests.tui.board_steps import go_to as go_to_card
from tests.tui.editor_steps import burst
from tests.tui.list_steps import go_to, items, press
from tests.tui.shell.test_bursts import done
from textual.app import App
from textual.pilot import Pilot

from backlit.config.settings import Motion
from backlit.store import Store
from backlit.tui.app.app import BacklitApp
from backlit.tui.drawing.themes import ThemeStyles
from backlit.tui.plan.pane import PlanList
from backlit.tui.shell.target import UiSession

ENDLESS = 3600.0


@asynccontextmanager
async def flashing(
    store: Store, motion: Motion = Motion.FULL, size: tuple[int, int] = (140, 40)
) -> AsyncIterator[Pilot[None]]:
    """Open the backlog; what flashes does so until the end of the test."""
    async with BacklitApp(store, motion=motion).run_test(size=size, notifications=True) as pilot:
        await pilot.pause()
        items(pilot).flash.seconds = ENDLESS
        yield pilot


def flashed(app: App[None]) -> list[str]:
    """Return the texts on the ground of a flash, line by line."""
    ground = ThemeStyles.of(app.screen.app).style(on="flash").bgcolor
    lines = ["".join(text for text, style, _ in strip if style and style.bgcolor == ground) for strip in strips_of(app)]
    return [line.strip() for line in lines if line]


def estimate_of(store: Store, item_id: int) -> object:
    item = store.item(item_id)
    return item and item.fields.get("Estimate")


@pytest.mark.slow
async def test_a_changed_cell_flashes_alone(store: Store) -> None:
    async with flashing(store) as pilot:
        await go_to(pilot, store, "Story")
        assert flashed(pilot.app) == []  # which draws the row: one that was not drawn flashes by its name
        await press(pilot, *"ce13", "enter")
        await until(lambda: flashed(pilot.app) == ["13"], lambda: (flashed(pilot.app), text_of(pilot.app)))


@pytest.mark.slow
async def test_a_flash_is_over_after_a_moment(store: Store) -> None:
    async with flashing(store) as pilot:
        items(pilot).flash.seconds = 0.01
        item_id = await go_to(pilot, store, "Story")
        await press(pilot, *"ce13", "enter")
        await until(lambda: item_id not in items(pilot).flash and not flashed(pilot.app))


@pytest.mark.slow
async def test_a_renamed_and_a_ranked_item_flash_by_their_names(store: Store) -> None:
    async with flashing(store) as pilot:
        await go_to(pilot, store, "Story")
        await press(pilot, "c", "n", "ctrl+u", *"Zebra", "enter")
        await until(lambda: flashed(pilot.app) == ["Zebra"], lambda: flashed(pilot.app))
        item_id = await go_to(pilot, store, "Bug")
        await press(pilot, "J")
        await until(lambda: len(flashed(pilot.app)) == 2, lambda: flashed(pilot.app))

        assert item_id in items(pilot).flash


@pytest.mark.slow
async def test_what_others_change_does_not_flash(world: World, store: Store) -> None:
    async with flashing(store) as pilot:
        item_id = await go_to(pilot, store, "Story")
        await world.rival.work_items.update(item_id, {"Name": "Zebra"})
        await store.refresh()
        await until(lambda: "Zebra" in text_of(pilot.app), lambda: text_of(pilot.app))

        assert not flashed(pilot.app)


@pytest.mark.slow
async def test_nothing_flashes_with_reduced_motion(store: Store) -> None:
    async with flashing(store, Motion.REDUCED) as pilot:
        item_id = await go_to(pilot, store, "Story")
        await press(pilot, *"ce13", "enter")
        await until(lambda: "Estimate → 13" in text_of(pilot.app), lambda: text_of(pilot.app))

        assert item_id not in items(pilot).flash
        assert not flashed(pilot.app)


@pytest.mark.parametrize(
    ("motion", "environment", "is_low_bandwidth", "has_motion"),
    [
        (Motion.AUTO, {}, False, True),
        (Motion.AUTO, {}, True, False),
        (Motion.AUTO, {"TEXTUAL_ANIMATIONS": "none"}, False, False),
        (Motion.AUTO, {"NO_COLOR": "1"}, False, False),
        (Motion.REDUCED, {}, False, False),
        (Motion.FULL, {"TEXTUAL_ANIMATIONS": "none"}, True, True),
        (Motion.FULL, {"NO_COLOR": "1"}, False, False),
    ],
)
def test_motion_follows_the_settings_the_connection_and_the_environment(
    monkeypatch: pytest.MonkeyPatch,
    motion: Motion,
    environment: dict[str, str],
    is_low_bandwidth: bool,
    has_motion: bool,
) -> None:
    for name in ("TEXTUAL_ANIMATIONS", "NO_COLOR"):
        monkeypatch.delenv(name, raising=False)
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    app = BareApp()
    app.session = UiSession(motion=motion)
    app.session.is_low_bandwidth = is_low_bandwidth

    assert app.has_motion is has_motion


@pytest.mark.slow
async def test_nothing_flashes_while_keys_wait(store: Store) -> None:
    async with flashing(store) as pilot:
        item_id = await go_to(pilot, store, "Story")
        burst(pilot, *"ce13", "enter", "j")
        await done(pilot)
        await until(lambda: estimate_of(store, item_id) == "13")

        assert item_id not in items(pilot).flash


@pytest.mark.slow
async def test_a_moved_card_flashes_by_its_name(store: Store) -> None:
    async with flashing(store, size=(200, 50)) as pilot:
        await press(pilot, "g", "k")
        await until(lambda: board(pilot).current_id is not None)
        board(pilot).flash.seconds = ENDLESS
        story = await go_to_card(pilot, store, is_story)
        await press(pilot, "L")
        await until(
            lambda: bool(flashed(pilot.app)) and story.name.startswith(flashed(pilot.app)[0]),
            lambda: (flashed(pilot.app), text_of(pilot.app)),
        )

        assert story.id in board(pilot).flash


@pytest.mark.slow
async def test_a_planned_item_flashes_in_its_new_pane(store: Store) -> None:
    async with flashing(store, size=(200, 50)) as pilot:
        await press(pilot, "g", "p")
        backlog, target = pilot.app.screen.query(PlanList)
        story_id = next(each.id for each in store.batch.items(backlog.ids_between(0, 20)) if each.type == "Story")
        await until(lambda: backlog.go_to(story_id))
        target.flash.seconds = ENDLESS
        item_id = backlog.current_id
        await press(pilot, ">")
        await until(lambda: len(flashed(pilot.app)) == 1, lambda: (flashed(pilot.app), text_of(pilot.app)))

        assert item_id is not None
        assert target.find_row(item_id) is not None
        item = store.item(item_id)
        assert item is not None
        assert item.name.startswith(flashed(pilot.app)[0].rstrip("…"))
