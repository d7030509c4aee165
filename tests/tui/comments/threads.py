"""Comments, a thread by itself, and the screen of an item's comments."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import datetime, timedelta

from tests.tui.bare_app import BareApp
from tests.tui.opened import Open
from textual.app import ComposeResult
from textual.pilot import Pilot

from backlit.model.local_times import LocalTimes
from backlit.store import Store, ViewSpec
from backlit.store.views.items import CommentEntry
from backlit.tui.comments.screen import CommentsScreen
from backlit.tui.items.comment_thread import CommentThread

NOW = datetime(2026, 3, 10, 12)


def comment(number: int, text: str = "", **changes: object) -> CommentEntry:
    values = {"created_at": NOW - timedelta(hours=100 - number), "is_internal": True, "pending": False, **changes}
    return CommentEntry(number, 1, text or f"Comment {number}.", "Maya Kent", **values)  # type: ignore[arg-type] # a test's


class ThreadStage(BareApp):
    """A thread by itself."""

    def __init__(self) -> None:
        super().__init__()
        self.thread = CountingThread(lambda: NOW, LocalTimes(None).local)

    def compose(self) -> ComposeResult:
        yield self.thread


class CountingThread(CommentThread):
    lines_drawn = 0

    def render_line(self, y: int):  # type: ignore[no-untyped-def] # as the base has it
        self.lines_drawn += 1
        return super().render_line(y)


@asynccontextmanager
async def showing(
    *comments: CommentEntry, size: tuple[int, int] = (60, 16)
) -> AsyncIterator[tuple[Pilot[None], ThreadStage]]:
    async with ThreadStage().run_test(size=size) as pilot:
        app = pilot.app
        assert isinstance(app, ThreadStage)
        app.thread.show(comments)
        app.thread.focus()
        await pilot.pause()
        yield pilot, app


async def story(store: Store) -> int:
    view = store.view(ViewSpec())
    await view.load()
    rows = [row for row in view.rows(0, 50) if row.type == "Story" and not store.comments.of_item(row.id)]
    return rows[0].id


@asynccontextmanager
async def comments_of(opened: Open, store: Store, item_id: int) -> AsyncIterator[Pilot[None]]:
    async with opened(store, (80, 24)) as pilot:
        pilot.app.push_screen(CommentsScreen(store, item_id))
        await pilot.pause()
        yield pilot
