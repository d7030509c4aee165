"""A disk that fails under the application: it says so and goes on."""

from pathlib import Path

import pytest
from tests.store.documents import item, offline_store, places_in
from tests.store.faulty_files import no_room, settled, tear
from tests.store.world import until
from tests.tui.bare_app import text_of

from backlit.tui.app.app import BacklitApp

ITEMS = [item(1), item(2)]


def flat(app: BacklitApp) -> str:
    """What is on the screen, without the line breaks inside of messages."""
    return " ".join(text_of(app).split())


async def test_an_edit_that_the_disk_refuses_is_said_and_the_screen_shows_what_is_so(tmp_path: Path) -> None:
    with offline_store(tmp_path, ITEMS) as store:
        app = BacklitApp(store)
        async with app.run_test(size=(160, 40), notifications=True) as pilot:
            with no_room():
                await pilot.press("c", "e", *"777", "enter")
                await until(lambda: "The disk failed at" in flat(app), lambda: text_of(app))

            assert "777" not in text_of(app)
            assert app.return_code is None


@pytest.mark.slow
async def test_a_journal_that_cannot_be_read_is_said_where_a_screen_reads_it(tmp_path: Path) -> None:
    with offline_store(tmp_path, ITEMS) as store:
        await store.items.edit([1], {"Name": "Written before"})
        app = BacklitApp(store)
        async with app.run_test(size=(160, 40), notifications=True) as pilot:
            await until(lambda: "Written before" in text_of(app))
            settled(store)
            tear(places_in(tmp_path).journal)
            await pilot.press("g", "o")
            await until(lambda: "is damaged: database" in flat(app), lambda: text_of(app))

            assert f"{places_in(tmp_path).journal} is damaged" in flat(app)
            assert "Restore a backup" in flat(app)
            assert "Nothing waits" not in flat(app)
            await pilot.press("q", "j")
            await pilot.pause()

            assert "Item 2" in text_of(app)
            assert app.return_code is None
