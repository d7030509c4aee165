"""The pictures in screenshots/, written by `python -m tests.screenshots`; test_snapshots.py holds the screens to them.

Everything is real (service, store, application) and everything that could differ is fixed: sample, day, clock, size.
"""

import asyncio
import sqlite3
import sys
import tempfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, closing
from datetime import UTC, date, datetime
from pathlib import Path

from tests import quiet
from tests.quiet import strips_of, workers_done
from tests.scenes import IN_README, SCENES, SHOWN_AT, STILL, Scene, Trouble
from tests.store.world import LOADED, World, load_sample, make_sample, sent, until
from tests.svg import still
from textual.pilot import Pilot
from textual.strip import Strip

from backlit.client.client import Client
from backlit.client.tokens import TokenCache
from backlit.config.settings import Motion
from backlit.model.fields import ItemType
from backlit.store import ConnectionState, Store, ViewSpec
from backlit.store.records.entry import FOR_CUSTOMERS
from backlit.store.remote.reachability import RetryPauses
from backlit.tui.app.app import BacklitApp
from backlit.tui.app.sign_in import SignInDialog
from backlit.tui.drawing.themes import ThemeStyles, use_themes
from backlit.tui.lists.item_panes import ItemPanes

FOLDER = Path(__file__).parents[1] / "screenshots"
TODAY = date(2026, 3, 11)
ITEMS = 500
LIGHT = "paper"
"""The theme of the pictures for readers of the README on a light ground."""
LOOK_SECONDS = 3600.0
"""Until an item counts as seen: nothing does on a picture, however long its drawing takes."""
STEADY = 3
"""ThemeStyles at the screen that have to be the same, one after another, before it counts as drawn."""


def clock() -> datetime:
    """The time it is on every picture."""
    return datetime(TODAY.year, TODAY.month, TODAY.day, 15, 30, tzinfo=UTC)


class EvenPauses(RetryPauses, frozen=True):
    """The longest pauses alone: pictures name the time of the next try."""

    def pause(self, failures: int) -> float:  # noqa: ARG002 # all are equal
        return self.longest_pause


def write_workspace(folder: Path) -> Path:
    """Write and load what the pictures show."""
    make_sample(folder, ITEMS, TODAY)
    load_sample(folder, clock)
    return folder


TIMINGS = "attempt,seconds,answer\n" + "".join(
    f"{at},{at * at / 4:.2f},{503 if at % 3 else 200}\n" for at in range(1, 40)
)
"""A table among the files of an item."""


async def pictures(name: str, workspace: Path, folder: Path) -> dict[str, str]:
    """Play a scene in an empty folder; returns the screen at each of its sizes as SVG, by the name of the picture."""
    sizes = SCENES[name].sizes
    async with opened(name, folder, workspace, sizes[0]) as pilot:
        drawn = {f"{name}-{width}x{height}": await _drawn(pilot, width, height) for width, height in sizes}
        if name in IN_README:
            still_name, (width, height) = f"{name}-{STILL[0]}x{STILL[1]}", STILL
            drawn[still_name] = await _drawn(pilot, width, height)
            use_themes(pilot.app, LIGHT, None)
            await settled(pilot)
            drawn[f"{still_name}-light"] = await _drawn(pilot, width, height)
        return drawn


@asynccontextmanager
async def opened(name: str, folder: Path, workspace: Path, size: tuple[int, int]) -> AsyncIterator[Pilot[None]]:
    """Open backlit in an empty folder and play a scene."""
    scene = SCENES[name]
    world = World(folder, workspace, clock=clock)
    world.waits = EvenPauses()
    has_earlier = scene.has_news or scene.has_files or scene.trouble
    begins = clock().replace(hour=14, minute=10) if has_earlier else clock()
    world.service.shared.clock.follow(begins.replace(tzinfo=None))  # its reports are of its own day
    if scene.signed_in and scene.trouble is not Trouble.FAILED:
        world.take_loaded()
    await world.start()
    try:
        if scene.trouble is Trouble.FAILED:
            tokens = TokenCache(folder / f"{LOADED}.json", LOADED)
            invitation = await asyncio.to_thread(world.service.invite, "maya")
            await Client.inside(world.asgi, tokens).auth.sign_in_with_code(invitation)
        store = world.store(signed_in=scene.signed_in)
        world.faults.is_down = scene.trouble is Trouble.FAILED
        store.is_sample = scene.has_history
        ItemPanes.look_seconds = LOOK_SECONDS
        async with BacklitApp(store, motion=Motion.REDUCED).run_test(size=size) as pilot:
            await _play(scene, pilot, world, store)
            yield pilot
    finally:
        await world.stop()


async def _play(scene: Scene, pilot: Pilot[None], world: World, store: Store) -> None:
    wanted = ConnectionState.ONLINE if scene.signed_in else ConnectionState.SIGNED_OUT
    if scene.trouble is Trouble.FAILED:
        wanted = ConnectionState.OFFLINE
    await until(lambda: store.connection.state is wanted, lambda: store.connection)
    if not scene.signed_in:
        await until(lambda: isinstance(pilot.app.screen, SignInDialog), lambda: pilot.app.screen)
    await settled(pilot)
    if scene.trouble in {Trouble.OFFLINE, Trouble.CONFLICT, Trouble.UNSENT}:
        await _edit_without_network(scene, world, store)
        await settled(pilot)
    if scene.has_news:
        await _make_news(world, store)
        await settled(pilot)
    if scene.has_files:
        await _attach_files(world, store)
        world.service.shared.clock.follow(clock().replace(tzinfo=None))
        await settled(pilot)
    if scene.has_edit:
        await _edit_earlier(store)
        await settled(pilot)
    for key in scene.keys:
        await pilot.press(key)
        if scene.is_slow:
            await settled(pilot)
    await settled(pilot)


async def _drawn(pilot: Pilot[None], width: int, height: int) -> str:
    if pilot.app.size != (width, height):
        await pilot.resize_terminal(width, height)
        await until(lambda: [each.cell_length for each in strips_of(pilot.app)] == [width] * height)
        await settled(pilot)
    style = ThemeStyles.of(pilot.app.screen.app).style()
    ground, front = (each.get_truecolor().hex for each in (style.bgcolor, style.color) if each is not None)
    return still(strips_of(pilot.app), ground, front)


async def _shown_id(store: Store) -> int:
    view = store.view(ViewSpec())
    await view.load()
    return [row.id for row in view.rows(0, 100) if row.type != ItemType.TASK][SHOWN_AT]


async def _edit_without_network(scene: Scene, world: World, store: Store) -> None:
    """Edit the item that is shown while the service is away; for a conflict somebody else does so too."""
    item_id = await _shown_id(store)
    world.faults.is_down = True
    await store.items.edit([item_id], {"Estimate": "8", "Name": "Change the address until the parcel is packed"})
    if scene.trouble is Trouble.OFFLINE:
        await until(lambda: store.connection.state is ConnectionState.OFFLINE)
        return
    theirs = {"Estimate": "3", "Name": "Change the address after ordering", "Status": "In Progress"}
    await world.rival.work_items.update(item_id, theirs)
    world.faults.is_down = False
    await store.refresh()
    await until(lambda: store.outbox.conflicts)
    if scene.trouble is Trouble.UNSENT:
        world.faults.is_down = True
        await _edit_more(store)
        await until(lambda: store.connection.state is ConnectionState.OFFLINE)


async def _edit_more(store: Store) -> None:
    """Edit some more items, and comment on one."""
    view = store.view(ViewSpec())
    await view.load()
    first, second, third, fourth = [row.id for row in view.rows(0, 100) if row.type == "Story"][:4]
    await store.items.edit([first], {"Status": "In Progress", "Estimate": "3"})
    await store.items.edit([second], {"Tags": ["security", "checkout"]})
    await store.items.comment(third, "The warehouse confirmed the new cut-off time.")
    await store.items.edit([fourth], {"Estimate": "8"})


async def _edit_earlier(store: Store) -> None:
    """Edit the item that is shown, a minute before the time of the pictures."""
    item_id = await _shown_id(store)
    item = store.item(item_id)
    text = str(item.fields["Description"] if item is not None else "")
    text = text.replace("It works with keyboard alone", "It works with keyboard alone, and read aloud")
    await store.items.edit([item_id], {"Estimate": "8", "Description": f"{text.rstrip()}\n\nNot part of it: spelling."})
    await sent(store)
    with closing(sqlite3.connect(store.files.places.journal)) as journal, journal:
        journal.execute("UPDATE entries SET created_at = ?", (clock().timestamp() - 60,))


async def _make_news(world: World, store: Store) -> None:
    """Let jon change two items, make one, and comment on another."""
    view = store.view(ViewSpec())
    await view.load()
    first, second, third = [row.id for row in view.rows(0, 100) if row.type == "Story"][:3]
    items, jon = (
        world.rival.work_items,
        next(each.id for each in store.lookups.people().values() if each.username == "jon"),
    )
    await items.update(first, {"Status": "In Progress", "AssignedToID": jon})
    text = "Tried it on staging: the second retry still loses the basket."
    await world.rival.comments.create({"projectId": 1, "workItemId": third, "description": text})
    description = str((await items.get(second))["fields"]["Description"]).rstrip()
    changes = {"Description": f"{description}\n\nAlso on slow links, and without a mouse.", "Estimate": "13"}
    await items.update(second, changes)
    bug = {"type": "Bug", "projectId": 1, "fields": {"Name": "Totals are off by a cent in yen"}}
    await items.create(bug)
    await store.refresh()


async def _attach_files(world: World, store: Store) -> None:
    """Attach files to the item that is shown, one of them for customers."""
    item_id = await _shown_id(store)
    files = (
        ("basket-flow.png", bytes(48_213), "How it should look after the address", None),
        ("retry-timings.csv", TIMINGS.encode(), "Measured on staging, last Tuesday", None),
        ("steps.md", b"1. Open the basket\n" * 12, "", None),
        ("offer-acme.pdf", bytes(1_840_112), "What Acme agreed to", FOR_CUSTOMERS),
    )
    for name, content, description, kind in files:
        path = world.folder / name
        path.write_bytes(content)
        attachment_id = await store.transfers.upload(item_id, path, lambda *_: None, kind=kind)
        await store.transfers.describe(attachment_id, description)


async def settled(pilot: Pilot[None]) -> None:
    """Wait until nothing moves any more."""
    seen: list[Strip] = []
    same = 0
    while same < STEADY:
        await workers_done(pilot.app)
        await pilot.pause(0.05)
        now = strips_of(pilot.app)
        same = same + 1 if now == seen else 0
        seen = now


async def write_all(names: list[str]) -> None:
    """Write some pictures, or all."""
    quiet.wait_so_with_keys()
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "workspace").mkdir()
        workspace = await asyncio.to_thread(write_workspace, Path(folder) / "workspace")
        for name in names or SCENES:
            place = Path(folder) / name
            place.mkdir()
            for picture, svg in (await pictures(name, workspace, place)).items():
                (FOLDER / f"{picture}.svg").write_text(svg, encoding="utf-8")


if __name__ == "__main__":
    asyncio.run(write_all(sys.argv[1:]))
