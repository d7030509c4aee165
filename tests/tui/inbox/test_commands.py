"""Commands of the inbox, against a target without an application."""

from collections.abc import Sequence
from pathlib import Path

import pytest
from tests.store.documents import item, offline_store, put
from tests.tui.target import FakeScreen, run, words_of

from backlit.store import Store
from backlit.store.journal.inbox import InboxRecord, NewsKind
from backlit.tui.commands.command import CannotAct
from backlit.tui.inbox.screen import InboxScreen
from backlit.tui.shell.target import ItemDestination

CHANGED = InboxRecord(1, 1, NewsKind.CHANGED, "Story", "Item 1", {"Estimate": "3"})
COMMENTED = InboxRecord(2, 1, NewsKind.CHANGED, "Story", "Item 2", {}, (50,))
NEW = InboxRecord(3, 1, NewsKind.NEW, "Story", "Item 3")
GONE = InboxRecord(4, 1, NewsKind.GONE, "Story", "Item 4")
ELSEWHERE = InboxRecord(5, 2, NewsKind.NEW, "Story", "Item 5")


class FakeInbox(FakeScreen):
    """An `inbox.screen.InboxScreen` with its cursor on one item."""

    stands_for = InboxScreen

    shows_feed = False
    item_id = 1
    is_closed = False

    def current_id(self) -> int:
        return self.item_id

    def show_feed(self, *, is_shown: bool) -> None:
        self.shows_feed = is_shown

    def dismiss(self) -> None:
        self.is_closed = True


def note(store: Store, records: Sequence[InboxRecord]) -> None:
    put(store, [*(item(each, Estimate="5") for each in (1, 2, 3)), item(5, project=2)])
    store.files.submit(lambda writer: writer.journal.inbox.put(records)).result()


async def test_an_item_opens_where_its_news_are(tmp_path: Path) -> None:
    with offline_store(tmp_path) as store:
        note(store, [CHANGED, COMMENTED, NEW, GONE])
        target = FakeInbox(store)
        for target.item_id in (1, 2, 3):
            for command_id in ("inbox.open", "inbox.edit"):
                await run(target, command_id)
        target.item_id = 4
        with pytest.raises(CannotAct, match="space removes it from the list"):
            await run(target, "inbox.open")

        assert [each[:2] for each in target.opened] == [
            *((1, ItemDestination.EDITOR), (1, ItemDestination.NAME)),
            *((2, ItemDestination.COMMENTS), (2, ItemDestination.NAME)),
            *((3, ItemDestination.EDITOR), (3, ItemDestination.NAME)),
        ]


@pytest.mark.parametrize(("answer", "left"), [(None, (2, 1)), ("y", (0, 1)), ("e", (0, 0))])
async def test_all_news_are_read_here_or_everywhere(tmp_path: Path, answer: str | None, left: tuple[int, int]) -> None:
    with offline_store(tmp_path) as store:
        note(store, [CHANGED, NEW, ELSEWHERE])
        target = FakeInbox(store, answers=[answer])

        await run(target, "inbox.read-all")

        found = store.inbox.unread()
        store.choose_project(2)
        assert (found, store.inbox.unread()) == left
        assert "Mark all 2 items as read?" in words_of(target.asked[0])


async def test_one_item_is_read_and_its_changes_are_shown(tmp_path: Path) -> None:
    with offline_store(tmp_path) as store:
        note(store, [CHANGED, COMMENTED])
        target = FakeInbox(store, answers=[None])
        await run(target, "inbox.difference")
        target.item_id = 2
        with pytest.raises(CannotAct, match="No field of this item has changed"):
            await run(target, "inbox.difference")
        await run(target, "inbox.read")
        with pytest.raises(CannotAct, match="Nothing new about this item"):
            await run(target, "inbox.read")
        ids = store.inbox.ids()
        await run(target, "inbox.read-all")

        assert words_of(target.asked[0]) == "Item 1\nEstimate - 3 + 5"
        assert (ids, len(target.asked), store.inbox.unread()) == ([1], 1, 0)


async def test_the_feed_is_left_before_the_inbox(tmp_path: Path) -> None:
    with offline_store(tmp_path) as store:
        target = FakeInbox(store)
        found = []
        for command_id in ("inbox.feed", "inbox.back", "inbox.back"):
            await run(target, command_id)
            found.append((target.shows_feed, target.is_closed))

        assert found == [(True, False), (False, False), (False, True)]
