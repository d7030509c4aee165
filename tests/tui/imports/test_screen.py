"""The import in the screens: its mapping by keyboard, the preview, the question, and what becomes of it."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from tests.store.world import World, sent, until
from tests.tui.bare_app import heading_of, line_with, lines_of, messages_of, said, text_of
from tests.tui.opened import Open
from textual.pilot import Pilot

from backlit.store import Store
from backlit.tui.dialogs.dialog import ConfirmDialog
from backlit.tui.dialogs.pick import PickDialog
from backlit.tui.imports.screen import ImportScreen, ImportStage

FILE = (
    "Summary,Issue key,Issue Type,Status,Assignee,Custom field (Story Points),Votes\n"
    "Pay by card,S-1,Story,Waiting for carrier,Dana Ortiz,3,9\n"
    "Total shows NaN,S-2,Bug,To Do,Maya Kent,5,\n"
)
SIZES = [pytest.param(size, marks=pytest.mark.slow) for size in ((200, 50), (120, 40), (80, 24))] + [(60, 20)]


def write(file: Path, text: str) -> None:
    file.write_text(text, encoding="utf-8")


@asynccontextmanager
async def importing(
    opened: Open, store: Store, file: Path, text: str = FILE, size: tuple[int, int] = (120, 40)
) -> AsyncIterator[Pilot[None]]:
    """Open a file for import by the command line; it is read when the block begins."""
    write(file, text)
    async with opened(store, size) as pilot:
        await pilot.press(*":import", "space", *file.name, "enter")
        await reached(pilot, ImportStage.READY, ImportStage.REFUSED)
        yield pilot


async def reached(pilot: Pilot[None], *stages: ImportStage) -> None:
    await until(
        lambda: isinstance(pilot.app.screen, ImportScreen) and pilot.app.screen.stage in stages,
        lambda: text_of(pilot.app),
    )


@pytest.fixture
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A file in the current folder, whose name is typed."""
    monkeypatch.chdir(tmp_path)
    return tmp_path / "shop.csv"


async def go_to(pilot: Pilot[None], table: str, name: str) -> None:
    """Move the cursor to a row of the mapping by the keyboard."""
    screen = pilot.app.screen
    assert isinstance(screen, ImportScreen)
    place = next(at for at, row in enumerate(screen.rows) if (row.table.value, row.name) == (table, name))
    await pilot.press("g", "g", *["j"] * place)
    await said(pilot, f"{name} →")


async def ask(pilot: Pilot[None], key: str, kind: type) -> None:
    await pilot.press(key)
    await until(lambda: isinstance(pilot.app.screen, kind), lambda: text_of(pilot.app))


@pytest.mark.parametrize("size", SIZES)
async def test_every_size_shows_the_mapping_and_the_first_items(
    store: Store, opened: Open, file: Path, size: tuple[int, int]
) -> None:
    async with importing(opened, store, file, size=size) as pilot:
        await said(pilot, "New items: 2", "Pay by card", "Total shows NaN")

        assert "Import shop.csv" in heading_of(pilot.app)
        assert "Name" in line_with(pilot.app, "▌")
        assert "i  import" in lines_of(pilot.app)[-1].replace(" i import", " i  import")


async def test_a_value_is_mapped_by_keyboard_and_nothing_is_written_before_the_answer(
    world: World, store: Store, opened: Open, file: Path
) -> None:
    before = await world.names()
    async with importing(opened, store, file) as pilot:
        await said(pilot, "“Waiting for carrier” → Not Done 1", "Left out    Votes", "Dana Ortiz (1 item)")
        await go_to(pilot, "statuses", "Waiting for carrier")
        await ask(pilot, "enter", PickDialog)
        await pilot.press(*"in prog", "enter")
        await said(pilot, "Waiting for carrier → In Progress 1")
        await go_to(pilot, "people", "Dana Ortiz")
        await ask(pilot, "enter", PickDialog)
        await pilot.press(*"jon", "enter")
        await said(pilot, "2 found")
        await ask(pilot, "i", ConfirmDialog)
        question, waiting = text_of(pilot.app), store.outbox.pending
        names = await world.names()
        await pilot.press("escape")
        await reached(pilot, ImportStage.READY)

    assert "Import 2 new and change 0 items in Aurora?" in question
    assert (waiting, store.outbox.pending, names) == (0, 0, before)


@pytest.mark.slow
async def test_an_import_tells_its_numbers_and_is_one_step_to_take_back(
    world: World, store: Store, opened: Open, file: Path
) -> None:
    before = await world.names()
    async with importing(opened, store, file) as pilot:
        await ask(pilot, "i", ConfirmDialog)
        await pilot.press("y")
        await reached(pilot, ImportStage.DONE)
        await said(pilot, "Imported 2: #61 to #62 · changed 0", "u takes the whole import back", "Left out    Votes")
        imported = await world.names()
        await pilot.press("u")
        await said(pilot, "y undo")
        await pilot.press("y")
        await until(lambda: store.item(61) is None and store.item(62) is None, lambda: text_of(pilot.app))
        await sent(store)

    assert imported == [*before, "Pay by card", "Total shows NaN"]
    assert await world.names() == before


@pytest.mark.slow
async def test_faults_are_grouped_and_their_rows_can_be_left_out(store: Store, opened: Open, file: Path) -> None:
    text = FILE + ",S-3,Story,To Do,,,\n,S-4,Story,To Do,,,\n"
    async with importing(opened, store, file, text) as pilot:
        await said(pilot, "! The row has no title: in lines 4, 5", "prevent the import")
        await pilot.press("i")
        await until(lambda: any("has faults" in each for each in messages_of(pilot.app)), lambda: text_of(pilot.app))
        await pilot.press("g", "g", "enter")
        await said(pilot, "Left out: The row has no title: in lines 4, 5", "New 2")


@pytest.mark.slow
async def test_a_file_without_a_title_gets_one_by_keyboard(store: Store, opened: Open, file: Path) -> None:
    async with importing(opened, store, file, "Was,Wer\nPay by card,maya\n") as pilot:
        await said(pilot, "! No column is a title. Found: Was, Wer.")
        await ask(pilot, "enter", PickDialog)
        await pilot.press(*"name", "enter")
        await said(pilot, "New items: 1", "Was → Name")
        await pilot.press("escape", *":import", "space", *file.name, "enter")
        await said(pilot, "New items: 1", "Was → Name")


@pytest.mark.slow
async def test_a_lost_connection_keeps_the_items_and_says_so(
    world: World, store: Store, opened: Open, file: Path
) -> None:
    async with importing(opened, store, file) as pilot:
        await ask(pilot, "i", ConfirmDialog)
        world.faults.is_down = True
        await pilot.press("y")
        await reached(pilot, ImportStage.DONE)
        await until(lambda: any("No connection" in each for each in messages_of(pilot.app)), lambda: text_of(pilot.app))
        world.faults.is_down = False
        await pilot.press("R")
        await sent(store)

    assert (await world.names())[-2:] == ["Pay by card", "Total shows NaN"]


@pytest.mark.slow
async def test_a_key_leaves_the_sending_to_the_background(world: World, store: Store, opened: Open, file: Path) -> None:
    answered = asyncio.Event()

    async def wait_with_posts(method: str, _path: str) -> None:
        if method == "POST":
            await answered.wait()

    async with importing(opened, store, file) as pilot:
        await ask(pilot, "i", ConfirmDialog)
        world.faults.before = wait_with_posts
        await pilot.press("y")
        await reached(pilot, ImportStage.SENDING)
        await said(pilot, "0 of 2 changes")
        await pilot.press("q")
        await reached(pilot, ImportStage.DONE)
        await until(lambda: any("in the background" in each for each in messages_of(pilot.app)))
        answered.set()
        await sent(store)

    assert (await world.names())[-2:] == ["Pay by card", "Total shows NaN"]


@pytest.mark.slow
async def test_the_command_line_completes_the_file(store: Store, opened: Open, file: Path) -> None:
    write(file, FILE)
    async with opened(store) as pilot:
        await pilot.press(*":import", "space", *"sho", "tab", "enter")
        await said(pilot, "Import shop.csv")
