"""The pictures in screenshots/, written by `python -m tests.screenshots`; test_snapshots.py holds the screens to them.

Everything is real (service, store, application) and everything that could differ is fixed: sample, day, clock, size.
"""

import asyncio
import sys
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime
from enum import Enum
from pathlib import Path

from tests.store.world import World, make_sample, until
from textual.pilot import Pilot

from backlit.store import ConnectionState, Store, ViewSpec
from backlit.store.entries import FOR_CUSTOMERS
from backlit.tui.app import BacklitApp

FOLDER = Path(__file__).parents[1] / "screenshots"
TODAY = date(2026, 3, 11)
ITEMS = 500
STEADY = 3
"""Looks at the screen that have to be the same, one after another, before it counts as drawn."""


def clock() -> datetime:
    """The time it is on every picture."""
    return datetime(TODAY.year, TODAY.month, TODAY.day, 15, 30, tzinfo=UTC)


def write_workspace(folder: Path) -> Path:
    """Write what the pictures show."""
    return make_sample(folder, ITEMS, TODAY)


class Trouble(Enum):
    """What is wrong with the network, or with what others did."""

    OFFLINE = "the service has gone away, with an edit waiting"
    FAILED = "it answers nothing from the first start on"
    CONFLICT = "somebody else changed what is edited here"


@dataclass(frozen=True, slots=True)
class Scene:
    """A screen at a size, and the keys that lead to it."""

    size: tuple[int, int]
    keys: tuple[str, ...] = ()
    signed_in: bool = True
    has_news: bool = False
    has_files: bool = False
    """Whether somebody else is at work, at the time of the picture."""
    has_history: bool = False
    is_slow: bool = False
    """Whether what a key began is to be over before the next one."""
    trouble: Trouble | None = None


SHOWN = ("1", "7", "j")
"""To an item that has an owner, a description and comments."""

GROOMING = (*"ftbug", "enter", "g", "q", "enter")
"""To a bug in the groom queue that lacks an estimate, and is neither triaged nor fresh."""
SUMMED_UP = (*"f!v5jvgq3", "enter", "tab", *"12", *("enter",) * 5)
"""To the end of a queue of six."""
LOGGING = (*"fttask", "enter", *"jjjL1,5", "tab", *"te", "tab", "tab", *"retry path on staging")
"""To the hours of a task."""

PLANNING = ("g", "p", *"vjjjjj", ">", "j", "c", "e", *"21", "enter", ">", "i")
"""Six items into the next iteration, then one that is too much for it, and one taken."""

SCENES: Mapping[str, Scene] = {
    "backlog-120x40": Scene((120, 40), SHOWN),
    "backlog-marked-120x40": Scene((120, 40), (*SHOWN, "v", "3", "j", "v", "s", "down", "down", "enter")),
    "backlog-60x20": Scene((60, 20), SHOWN),
    "backlog-filtered-120x40": Scene((120, 40), (*"fsin prog", "enter", *"fm")),
    "backlog-empty-80x24": Scene((80, 24), (*"/zebra", "enter")),
    "backlog-failed-80x24": Scene((80, 24), trouble=Trouble.FAILED),
    "backlog-offline-80x24": Scene((80, 24), trouble=Trouble.OFFLINE),
    "backlog-marked-80x24": Scene((80, 24), (*SHOWN, "v", "3", "j", "v", "s", "down", "down", "enter")),
    "conflict-120x40": Scene((120, 40), (*SHOWN, "g", "="), trouble=Trouble.CONFLICT),
    "conflict-80x24": Scene((80, 24), (*SHOWN, "g", "="), trouble=Trouble.CONFLICT),
    "editor-80x24": Scene((80, 24), (*SHOWN, "enter")),
    "editor-60x20": Scene((60, 20), (*SHOWN, "enter")),
    "attachments-80x24": Scene((80, 24), (*SHOWN, "g", "t", "j"), has_files=True),
    "editor-120x40": Scene((120, 40), (*SHOWN, "enter")),
    "sign-in-120x40": Scene((120, 40), tuple("maya"), signed_in=False),
    "backlog-grouped-120x40": Scene((120, 40), (*"tgarea", "enter", "9", "j", "space", "space")),
    "backlog-80x24": Scene((80, 24), SHOWN),
    "query-120x40": Scene((120, 40), (*"/type:bug se",)),
    "columns-80x24": Scene((80, 24), (*":columns", "space", *"status,severity,tags", "space", *"14+", "enter")),
    "board-120x40": Scene((120, 40), ("g", "k", "2", "j", "space", "l")),
    "board-lanes-120x40": Scene((120, 40), ("g", "k", *"tgpriorit", "enter", "g", "g")),
    "board-80x24": Scene((80, 24), ("g", "k", "l")),
    "plan-120x40": Scene((120, 40), PLANNING, is_slow=True),
    "plan-written-120x40": Scene((120, 40), (*PLANNING, "w"), is_slow=True),
    "plan-80x24": Scene((80, 24), PLANNING, is_slow=True),
    "rollover-80x24": Scene((80, 24), ("g", "p", "{", "tab", "g", "w", "n", "b", "n"), is_slow=True),
    "iterations-120x40": Scene((120, 40), ("g", "i")),
    "comments-120x40": Scene((120, 40), (*SHOWN, "g", "c")),
    "attachments-120x40": Scene((120, 40), (*SHOWN, "g", "t", "j"), has_files=True),
    "inbox-120x40": Scene((120, 40), ("g", "h", "j"), has_news=True),
    "reports-120x40": Scene((120, 40), ("g", "r", "f", "i", *"release 3.1", "enter"), has_history=True),
    "reports-80x24": Scene((80, 24), ("g", "r", "{"), has_history=True),
    "reports-age-80x24": Scene((80, 24), ("g", "r", "4", "l"), has_history=True),
    "reports-velocity-120x40": Scene((120, 40), ("g", "r", "3", "l"), has_history=True),
    "groom-120x40": Scene((120, 40), (*GROOMING, "j", "j")),
    "groom-80x24": Scene((80, 24), GROOMING),
    "groom-summary-120x40": Scene((120, 40), SUMMED_UP),
    "log-work-120x40": Scene((120, 40), LOGGING),
    "log-work-80x24": Scene((80, 24), LOGGING),
    "inbox-80x24": Scene((80, 24), ("g", "h", "j"), has_news=True),
}


async def picture(scene: Scene, workspace: Path, folder: Path) -> str:
    """Play a scene in an empty folder; returns the screen as SVG."""
    world = World(folder, workspace, clock=clock)
    if scene.has_news or scene.has_files or scene.trouble:
        world.service._shared.clock.follow(clock().replace(hour=14, minute=10, tzinfo=None))
    await world.start()
    try:
        store = world.store(signed_in=scene.signed_in)
        world.faults.is_down = scene.trouble is Trouble.FAILED
        store.sample_history.is_wanted = scene.has_history
        async with BacklitApp(store).run_test(size=scene.size) as pilot:
            return await _play(scene, pilot, world, store)
    finally:
        await world.stop()


async def _play(scene: Scene, pilot: Pilot[None], world: World, store: Store) -> str:
    wanted = ConnectionState.ONLINE if scene.signed_in else ConnectionState.SIGNED_OUT
    if scene.trouble is Trouble.FAILED:
        wanted = ConnectionState.OFFLINE
    await until(lambda: store.connection.state is wanted, lambda: store.connection)
    await _settled(pilot)
    if scene.trouble in {Trouble.OFFLINE, Trouble.CONFLICT}:
        await _edit_without_network(scene, world, store)
        await _settled(pilot)
    if scene.has_news:
        await _make_news(world, store)
        await _settled(pilot)
    if scene.has_files:
        await _attach_files(world, store)
        await _settled(pilot)
    for key in scene.keys:
        await pilot.press(key)
        if scene.is_slow:
            await _settled(pilot)
    await _settled(pilot)
    return pilot.app.export_screenshot(title="backlit")


async def _edit_without_network(scene: Scene, world: World, store: Store) -> None:
    """Edit the item that is shown while the service is away; for a conflict somebody else does so too."""
    view = store.view(ViewSpec())
    await view.load()
    item_id = view.rows(0, 100)[17].id
    world.faults.is_down = True
    await store.edit([item_id], {"Estimate": "8", "Name": "Change the address until the parcel is packed"})
    if scene.trouble is Trouble.OFFLINE:
        await until(lambda: store.connection.state is ConnectionState.OFFLINE)
        return
    theirs = {"Estimate": "3", "Name": "Change the address after ordering", "Status": "In Progress"}
    await world.rival.work_items.update(item_id, theirs)
    world.faults.is_down = False
    await store.refresh()
    await until(lambda: store.outbox.conflicts)


async def _make_news(world: World, store: Store) -> None:
    """Let jon change two items, make one, and comment on another."""
    view = store.view(ViewSpec())
    await view.load()
    first, second, third = [row.id for row in view.rows(0, 100) if row.type == "Story"][:3]
    items, jon = world.rival.work_items, next(each.id for each in store.people().values() if each.username == "jon")
    await items.update(first, {"Status": "In Progress", "AssignedToID": jon})
    text = "Tried it on staging: the second retry still loses the basket."
    await world.rival.comments.create_document({"projectId": 1, "workItemId": third, "description": text})
    description = str((await items.document(second))["fields"]["Description"]).rstrip()
    changes = {"Description": f"{description}\n\nAlso on slow links, and without a mouse.", "Estimate": "13"}
    await items.update(second, changes)
    bug = {"type": "Bug", "projectId": 1, "fields": {"Name": "Totals are off by a cent in yen"}}
    await items.create_document(bug)
    await store.refresh()


async def _attach_files(world: World, store: Store) -> None:
    """Attach files to the item that is shown, one of them for customers."""
    view = store.view(ViewSpec())
    await view.load()
    item_id = view.rows(0, 100)[17].id
    files = (
        ("basket-flow.png", bytes(48_213), "How it should look after the address", None),
        ("retry-timings.csv", b"attempt,seconds\n" * 40, "Measured on staging, last Tuesday", None),
        ("steps.md", b"1. Open the basket\n" * 12, "", None),
        ("offer-acme.pdf", bytes(1_840_112), "What Acme agreed to", FOR_CUSTOMERS),
    )
    for name, content, description, kind in files:
        path = world.folder / name
        path.write_bytes(content)
        attachment_id = await store.transfers.upload(item_id, path, lambda *_: None, kind=kind)
        await store.transfers.describe(attachment_id, description)


async def _settled(pilot: Pilot[None]) -> None:
    """Wait until nothing moves any more."""
    seen, same = "", 0
    while same < STEADY:
        await pilot.app.workers.wait_for_complete()
        await pilot.pause(0.1)
        now = pilot.app.export_screenshot()
        same = same + 1 if now == seen else 0
        seen = now


async def write_all(names: list[str]) -> None:
    """Write some pictures, or all."""
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "workspace").mkdir()
        workspace = write_workspace(Path(folder) / "workspace")
        for name in names or SCENES:
            place = Path(folder) / name
            place.mkdir()
            (FOLDER / f"{name}.svg").write_text(await picture(SCENES[name], workspace, place), encoding="utf-8")


if __name__ == "__main__":
    asyncio.run(write_all(sys.argv[1:]))
