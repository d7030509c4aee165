"""The store's changes on their way to the screens: one publication a frame, and one a second where others flood it."""

import time

import pytest
from tests.store.world import until
from tests.tui.bare_app import BareApp

from backlit.store import StoreChange, Subject
from backlit.tui.shell.store_screen import FLOOD_ROWS, FLOOD_SECONDS, ChangeBatch, ChangeFeed


@pytest.mark.slow
async def test_a_flood_of_changed_rows_is_shown_once_a_second() -> None:
    published: list[tuple[float, frozenset[int]]] = []
    app = BareApp()

    def publish(changes: ChangeBatch) -> None:
        published.append((time.monotonic(), frozenset(changes.ids(Subject.ITEMS) or ())))

    async with app.run_test():
        feed = ChangeFeed(app, 0.0, publish, lambda: True)
        flood = frozenset(range(FLOOD_ROWS + 1))
        feed.take(StoreChange(Subject.ITEMS, flood))
        await until(lambda: len(published) == 1)
        for item_id in (1001, 1002):
            feed.take(StoreChange(Subject.ITEMS, frozenset({item_id})))
        await until(lambda: len(published) == 2)

    (first, ids), (second, gathered) = published
    assert ids == flood
    assert gathered == {1001, 1002}
    assert second - first >= FLOOD_SECONDS
