"""Single times on the screens are the viewer's."""

from collections.abc import Callable, Iterator
from datetime import datetime, timedelta, timezone
from pathlib import Path

import pytest
from tests.store.documents import announce, item, offline_store
from tests.tui.bare_app import missing, text_of
from tests.tui.opened import Open

from backlit.store import Store
from backlit.store.inbox import ItemNews
from backlit.store.journal.inbox import NewsKind
from backlit.tui.attachments.screen import AttachmentsScreen
from backlit.tui.comments.screen import CommentsScreen
from backlit.tui.history.screen import HistoryScreen
from backlit.tui.inbox.inbox_list import who_and_when
from backlit.tui.items.item_head import ItemRowsScreen

HONOLULU = timezone(timedelta(hours=-10))
MADE = "2026-03-02T09:45:00.000"
BELOW = {"projectId": 1, "workItemId": 1, "createdBy": "jon", "createdAt": MADE}


@pytest.fixture
def evening(tmp_path: Path) -> Iterator[Store]:
    """A store at ten minutes to midnight in Honolulu, with an item, a comment and a file of five minutes before."""
    with offline_store(
        tmp_path, [item(1) | {"createdAt": MADE}], lambda: datetime(2026, 3, 1, 23, 50, tzinfo=HONOLULU)
    ) as store:
        announce(store, {"dateTimes": "UTC"})
        comment, file = BELOW | {"id": 5, "description": "A word"}, BELOW | {"id": 6, "name": "plan.pdf", "size": 3}
        store.files.submit(lambda writer: writer.mirror.comments.put([comment])).result()
        store.files.submit(lambda writer: writer.mirror.attachments.put([file])).result()
        yield store


@pytest.mark.slow
@pytest.mark.parametrize("screen", [HistoryScreen, CommentsScreen, AttachmentsScreen])
async def test_a_time_on_a_tab_of_an_item_is_local(
    evening: Store, opened: Open, screen: Callable[[Store, int], ItemRowsScreen]
) -> None:
    async with opened(evening, (160, 40)) as pilot:
        pilot.app.push_screen(screen(evening, 1))
        await pilot.pause()

        assert missing(pilot.app, ["2026-03-01 23:45", "5m"]) == []
        assert "2026-03-02" not in text_of(pilot.app)


def test_a_time_in_the_inbox_is_local(evening: Store) -> None:
    news = ItemNews(1, NewsKind.CHANGED, "Story", "Item 1", (), (), ("jon",), datetime.fromisoformat(MADE))

    assert who_and_when(evening, news) == "jon · 5m ago · 2026-03-01 23:45"
