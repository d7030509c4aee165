"""Notices of the terminal: what concerns the user is told once, without texts, and nothing else is sent."""

import re
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from itertools import pairwise
from typing import Any

import pytest
from tests.store.world import Said, World, until
from tests.tui.bare_app import title_of
from textual.driver import Driver
from textual.drivers.headless_driver import HeadlessDriver
from textual.pilot import Pilot

from backlit.config.notify import NO_NOTICES, NoticeKind, NotifySettings
from backlit.store import Store, ViewSpec
from backlit.store.records.changes import ConnectionState
from backlit.tui.app.app import BacklitApp
from backlit.tui.app.terminal_notices import NOTICE_PAUSE
from backlit.tui.inbox.screen import InboxScreen

BELL = "\x07"
POINTER = "\x1b]22;"
PERSONAL = (NoticeKind.MENTION, NoticeKind.ASSIGNED, NoticeKind.REFUSED, NoticeKind.CONFLICT)
ALL = NotifySettings(bell=True, desktop=True, when=PERSONAL)


class KeepingDriver(HeadlessDriver):
    """Keeps what is sent, with the time, except the form of the pointer; a headless application sends no frames."""

    def __init__(self, app: BacklitApp, **options: Any) -> None:
        super().__init__(app, **options)
        self.sent: list[tuple[str, float]] = []

    def write(self, data: str) -> None:
        if not data.startswith(POINTER):
            self.sent.append((data, time.monotonic()))


class KeptApp(BacklitApp):
    def _build_driver(self, headless: bool, inline: bool, mouse: bool, size: tuple[int, int] | None) -> Driver:  # noqa: ARG002 - Textual's names
        self.driver = KeepingDriver(self, mouse=mouse, size=size)
        return self.driver

    @property
    def sent(self) -> list[str]:
        return [data for data, _ in self.driver.sent]


@pytest.fixture(autouse=True)
def no_multiplexer(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("TMUX", "STY"):
        monkeypatch.delenv(name, raising=False)


@asynccontextmanager
async def notified(store: Store, settings: NotifySettings = ALL) -> AsyncIterator[tuple[KeptApp, Pilot[None]]]:
    app = KeptApp(store, notify=settings)
    async with app.run_test(size=(120, 40)) as pilot:
        await pilot.pause()
        yield app, pilot


async def stories(store: Store) -> list[int]:
    view = store.view(ViewSpec())
    await view.load()
    return [row.id for row in view.rows(0, 60) if row.type == "Story"]


async def commented(world: World, item_id: int, text: str = "@maya, please") -> None:
    await world.rival.comments.create({"projectId": 1, "workItemId": item_id, "description": text})


def project_of(store: Store) -> str:
    return next(each.name for each in store.lookups.projects() if each.id == store.project_id)


async def shows_unread(app: KeptApp, count: int) -> None:
    await until(lambda: f"Inbox {count}" in title_of(app), lambda: title_of(app))


async def test_a_mention_by_somebody_else_is_told_without_the_name(world: World, store: Store) -> None:
    first, *_ = await stories(store)
    async with notified(store) as (app, _):
        await commented(world, first)
        await store.refresh()
        await until(lambda: app.sent)
        await shows_unread(app, 1)

        assert app.sent == [f"{BELL}\x1b]9;1 mention in {project_of(store)}{BELL}"]


@pytest.mark.slow
async def test_what_comes_within_the_pause_is_one_notice(world: World, store: Store) -> None:
    first, second, third, *_ = await stories(store)
    me = store.lookups.me()
    assert me is not None
    async with notified(store, NotifySettings(desktop=True, when=PERSONAL)) as (app, _):
        for number, item_id in enumerate((first, second), 1):
            await commented(world, item_id)
            await commented(world, item_id, "nobody")
            await store.refresh()
            await shows_unread(app, number)
        await world.rival.work_items.update(third, {"AssignedToID": me.id})
        await store.refresh()
        await until(lambda: sum(map(int, re.findall(r"(\d+) [ma]", " ".join(app.sent)))) == 3, lambda: app.sent)

        times = [at for _, at in app.driver.sent]
        assert len(times) > 1
        assert all(later - earlier > NOTICE_PAUSE - 0.1 for earlier, later in pairwise(times))


@pytest.mark.parametrize(
    "settings", [NO_NOTICES, NotifySettings(bell=True, when=(NoticeKind.REFUSED, NoticeKind.ASSIGNED))]
)
async def test_nothing_is_sent_that_is_not_wanted(world: World, store: Store, settings: NotifySettings) -> None:
    first, *_ = await stories(store)
    async with notified(store, settings) as (app, _):
        await commented(world, first)
        await store.refresh()
        await shows_unread(app, 1)

        assert app.sent == []


async def test_what_was_unread_before_the_start_is_not_told(world: World, store: Store) -> None:
    first, second, *_ = await stories(store)
    await commented(world, first)
    await store.refresh()
    await until(store.inbox.personal)
    async with notified(store) as (app, _):
        await commented(world, first, "no mention")
        await commented(world, second, "nobody")
        await store.refresh()
        await shows_unread(app, 2)

        assert app.sent == []


async def test_nothing_is_told_to_who_types_in_the_inbox(world: World, store: Store) -> None:
    first, *_ = await stories(store)
    async with notified(store) as (app, pilot):
        await pilot.press("g", "h")
        await until(lambda: isinstance(app.screen, InboxScreen))
        await commented(world, first)
        await store.refresh()
        await shows_unread(app, 1)

        assert app.sent == []


async def test_control_characters_of_a_name_are_not_sent(world: World, store: Store) -> None:
    first, *_ = await stories(store)
    world.faults.says = lambda method, _: (
        Said(400, (), b'{"message": "No.", "errors": {}}') if method == "PUT" else None
    )
    async with notified(store, NotifySettings(desktop=True, text=True, when=PERSONAL)) as (app, _):
        await store.items.edit([first], {"Name": "A \x1b]0;x\x07 \x9c name"})
        await until(lambda: app.sent, store.outbox_entries)

        [sent] = app.sent
        assert sent.startswith(f"\x1b]9;1 rejected change: #{first} A ")
        assert sent.endswith(f" name{BELL}")
        assert sent.removeprefix("\x1b").removesuffix(BELL).isprintable()


async def test_a_conflict_is_told_through_tmux(world: World, store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TMUX", "/tmp/tmux-0/default,1,0")
    first, *_ = await stories(store)
    async with notified(store, NotifySettings(desktop=True, when=PERSONAL)) as (app, _):
        world.faults.is_down = True
        await store.items.edit([first], {"Estimate": "7"})
        await world.rival.work_items.update(first, {"Estimate": "9"})
        world.faults.is_down = False
        await store.refresh()
        await until(lambda: app.sent, store.outbox_entries)

        assert app.sent == ["\x1bPtmux;\x1b\x1b]9;1 conflict\x07\x1b\\"]


async def test_a_lost_connection_is_told_where_it_is_wanted(world: World, store: Store) -> None:
    async with notified(store, NotifySettings(desktop=True, when=(NoticeKind.OFFLINE,))) as (app, pilot):
        await until(lambda: store.connection.state is ConnectionState.ONLINE)
        world.faults.is_down = True
        await pilot.press("R")

        await until(lambda: "the server is out of reach" in "".join(app.sent), lambda: str(app.sent))
