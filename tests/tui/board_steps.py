"""Steps that the tests of the board share."""

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

from tests.store.world import until
from tests.tui.list_steps import press
from textual.pilot import Pilot

from backlit.model.settings.user_settings import BoardSettings
from backlit.store import Store
from backlit.store.records.item import Item
from backlit.tui.app.app import BacklitApp
from backlit.tui.board.board_list import BoardList
from backlit.tui.board.columns import BoardColumn

DOING = ("In Progress", "Active")


def board(pilot: Pilot[None]) -> BoardList:
    return pilot.app.screen.query_one(BoardList)


def column(pilot: Pilot[None]) -> BoardColumn:
    found = board(pilot).position.shown_column
    assert found is not None
    return found


def current(pilot: Pilot[None], store: Store) -> Item:
    item = store.item(board(pilot).current_id or 0)
    assert item is not None
    return item


async def go_to(pilot: Pilot[None], store: Store, is_wanted: Callable[[Item], bool]) -> Item:
    """Put the cursor on the first card of the board that is wanted."""
    ids = board(pilot).ids_between(0, None)
    item = next(each for each in store.batch.items(list(ids)) if is_wanted(each))
    assert board(pilot).go_to(item.id)
    await pilot.pause()
    return item


@asynccontextmanager
async def on_board(
    store: Store, settings: BoardSettings | None = None, size: tuple[int, int] = (120, 40)
) -> AsyncIterator[Pilot[None]]:
    async with BacklitApp(store, board=settings).run_test(size=size, notifications=True) as pilot:
        await pilot.pause()
        await press(pilot, "g", "k")
        await until(lambda: board(pilot).current_id is not None)
        yield pilot


async def active_issue(pilot: Pilot[None], store: Store) -> Item:
    """Have an issue in the second column, the cursor on it."""
    issue = await go_to(pilot, store, lambda each: each.type == "Issue")
    await store.items.edit([issue.id], {"Status": "Active"})
    await until(lambda: column(pilot).name == "In Progress" and board(pilot).current_id == issue.id)
    return issue


def is_story(item: Item) -> bool:
    return item.type == "Story" and item.fields["Status"] == "Not Done"


async def pick(pilot: Pilot[None], *keys: str) -> None:
    await press(pilot, *keys, "enter")
    await until(lambda: board(pilot).current_id is not None)
