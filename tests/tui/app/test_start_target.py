"""A start on what the command line names: an item, a query, a view."""

from pathlib import Path

import pytest
from tests.store.documents import item, offline_store
from tests.store.world import World, until
from tests.tui.bare_app import text_of

from backlit.store.records.item import id_in
from backlit.tui.app.app import BacklitApp
from backlit.tui.app.start_target import StartTarget
from backlit.tui.editor.screen import ItemEditorScreen


async def test_a_start_on_a_number_opens_the_item(tmp_path: Path) -> None:
    with offline_store(tmp_path, [item(number) for number in range(1, 9)]) as store:
        app = BacklitApp(store, opens=StartTarget(5))
        async with app.run_test() as pilot:
            await until(lambda: isinstance(app.screen, ItemEditorScreen), lambda: text_of(app))
            app.exit()
            await pilot.pause()


async def test_a_first_start_opens_the_item_once_it_is_here(world: World) -> None:
    (document,) = (await world.rival.work_items.page(top=1)).results
    app = BacklitApp(world.store("first"), opens=StartTarget(id_in(document)))

    async with app.run_test(size=(120, 40)):
        await until(lambda: isinstance(app.screen, ItemEditorScreen), lambda: text_of(app))


async def test_a_first_start_says_what_the_service_does_not_have_once_it_is_read(world: World) -> None:
    app = BacklitApp(world.store("first"), opens=StartTarget(999_999))

    async with app.run_test(size=(120, 40), notifications=True):
        await until(lambda: "Item 999999 does not exist here" in text_of(app), lambda: text_of(app))


async def test_a_start_on_a_query_lists_its_items(tmp_path: Path) -> None:
    with offline_store(tmp_path, [item(number) for number in range(1, 9)]) as store:
        app = BacklitApp(store, opens=StartTarget(query="id:3 or id:4"))
        async with app.run_test(size=(120, 40)):
            await until(lambda: "Item 4" in text_of(app) and "Item 5" not in text_of(app), lambda: text_of(app))


@pytest.mark.parametrize(
    ("target", "sentence"),
    [
        (StartTarget(99), "Item 99 does not exist here"),
        (StartTarget(query="colour:red"), "unknown key"),
        (StartTarget(view="Nowhere"), "Nowhere"),
    ],
    ids=["item", "query", "view"],
)
async def test_what_is_missing_is_said_and_the_backlog_shown(
    tmp_path: Path, target: StartTarget, sentence: str
) -> None:
    with offline_store(tmp_path, [item(number) for number in range(1, 9)]) as store:
        app = BacklitApp(store, opens=target)
        async with app.run_test(size=(120, 40), notifications=True):
            await until(lambda: sentence in text_of(app), lambda: text_of(app))
