"""The local copy at any size: first rows, windows, loads, filters and edits, with the plan of each query.

A mirror is filled with synthetic items through the store's own writing, in pages of a thousand, without any service.
Times are medians in milliseconds of this process's CPU, of an edit those of the clock; memory is the process's. "First
rows" is what the screen's thread waits for when a list is opened, "window" fifty rows anywhere in it, "load" what the
reading thread does beside.
"""

import argparse
import asyncio
import os
import random
import shutil
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from itertools import islice
from pathlib import Path

from backlit.client.client import Client
from backlit.model.errors import Offline
from backlit.model.filters import SortKey
from backlit.store import Store, ViewSpec
from backlit.store.mirror.mirror import Mirror
from backlit.store.records.item import Document
from backlit.store.sqlite.database import ProfileFiles
from backlit.store.views.query import plan_of
from benchmarks.processes import memory_of
from benchmarks.table import Cell, median, print_table

PAGE = 1000
ROUNDS = 5
WINDOWS = 30
SEED = 1
WORDS = [
    "card", "retry", "checkout", "basket", "guest", "payment", "refund", "address", "wallet", "search",
    "index", "staging", "error", "expiry", "token", "session", "email", "invoice", "customer", "report",
    "export", "import", "field", "filter", "board", "sprint", "release", "mobile", "web", "shop",
    "price", "tax", "discount", "coupon", "stock", "warehouse", "delivery", "label", "colour", "size",
    "screen", "keyboard", "colleague", "account", "password", "reset", "login", "profile", "picture", "upload",
]  # fmt: skip
KINDS = ("Story", "Bug", "Task", "Feature", "Issue", "Risk", "Feedback")
CASES: tuple[tuple[str, ViewSpec], ...] = (
    ("default", ViewSpec()),
    ("with done", ViewSpec(with_done=True)),
    ("by iteration", ViewSpec(group=("IterationID",))),
    ("by owner, type", ViewSpec(group=("AssignedToID", "type"))),
    ("last changed first", ViewSpec(sort=(SortKey("lastModifiedAt", descending=True),))),
    ("sorted by name", ViewSpec(sort=(SortKey("Name"),))),
    ("sorted by custom field", ViewSpec(sort=(SortKey("Score_cf", descending=True),))),
    ("query", ViewSpec(query="type:bug est>3 #ux status:open")),
    ("query, custom field", ViewSpec(query="channel:web")),
    ("query, in documents", ViewSpec(query="by:maya workremaining:none")),
    ("full text", ViewSpec(query="text:refund text:wallet")),
    ("part of a name", ViewSpec(text="card ret")),
    ("a name found once", ViewSpec(text="shop 4711")),
)


def chances() -> random.Random:
    """The same at every run."""
    return random.Random(SEED)  # noqa: S311 - nothing is kept secret by it


def documents(count: int) -> Iterator[Document]:
    """Items as a service sends them, the same for the same count."""
    chance = chances()
    for item_id in range(1, count + 1):
        kind = chance.choices(KINDS, (35, 25, 25, 5, 4, 3, 3))[0]
        fields: dict[str, object] = {
            "Name": f"{' '.join(chance.choices(WORDS, k=chance.randint(3, 8)))} {item_id}",
            "Status": chance.choice(("Not Done", "In Progress", "Ready For Test", "Done", "Deferred")),
            "AreaID": chance.randint(1, 60),
            "IterationID": chance.randint(1, 40),
            "BacklogPriority": chance.random() * count,
            "Description": " ".join(chance.choices(WORDS, k=chance.randint(0, 90))),
            "TeamID": chance.choice((None, 1, 2, 3)),
            "AssignedToID": chance.choice((None, *range(1, 25))),
            "Estimate": chance.choice((None, "1", "2", "3", "5", "8")),
            "Tags": chance.sample(("ux", "api", "debt", "ops"), chance.randint(0, 2)),
            "Priority": chance.choice((None, 1, 2, 3)),
            "Severity": chance.choice((None, "1 - Critical", "2 - High", "3 - Medium")),
            "Channel_cf": chance.choice((None, "web", "shop", "phone", "mail")),
            "Score_cf": chance.choice((None, chance.randint(0, 1000))),
        }
        if kind == "Task" and item_id > PAGE:
            fields["ParentID"] = chance.randint(1, item_id - 1)
        yield {
            "id": item_id,
            "type": kind,
            "projectId": 1,
            "fields": fields,
            "createdBy": "maya",
            "createdAt": "2025-05-05T10:00:00.000",
            "lastModifiedBy": "jon",
            "lastModifiedAt": f"2026-0{chance.randint(1, 9)}-{chance.randint(10, 28)}T{chance.randint(10, 23)}:30:15",
        }


def fill(places: ProfileFiles, count: int) -> float:
    """Write a mirror; the seconds that the writing took."""
    mirror, spent = Mirror(places.mirror), 0.0
    made = documents(count)
    while page := list(islice(made, PAGE)):
        began = time.perf_counter()
        mirror.put_items(page, [])
        spent += time.perf_counter() - began
    while mirror.full_text.is_due:
        mirror.full_text.index_some()
    mirror.close()
    return spent


def timed(act: Callable[[], object], rounds: int = ROUNDS, clock: Callable[[], float] = time.process_time) -> float:
    """The median of some rounds, in milliseconds of this process's CPU: what it takes where nothing else runs."""
    spent = []
    for _ in range(rounds):
        began = clock()
        act()
        spent.append((clock() - began) * 1e3)
    return median(spent)


def measured(store: Store, spec: ViewSpec) -> list[Cell]:
    """First rows, load, and a window anywhere, of one list."""
    first = timed(lambda: store.view(spec).lines(0, 50))
    load = timed(lambda: asyncio.run(store.view(spec).load()), 3)
    view = store.view(spec)
    asyncio.run(view.load())
    count, chance = view.line_count or 0, chances()
    starts = [chance.randint(0, max(0, count - 50)) for _ in range(WINDOWS)]
    windows = [timed(lambda start=start: view.lines(start, start + 50), 1) for start in starts]  # type: ignore[misc]
    totals = timed(lambda: asyncio.run(view.facets("Status")), 3)
    return [float(view.count or 0), first, load, median(windows), max(windows), totals]


def edited(store: Store) -> float:
    """An edit until the list has caught up with it."""
    view = store.view(ViewSpec())
    asyncio.run(view.load())
    chance = chances()

    async def edit() -> None:
        await store.items.edit([view.ids()[chance.randint(0, 999)]], {"Description": f"{chance.random()}"})
        await view.reload()
        view.lines(0, 50)

    return timed(lambda: asyncio.run(edit()), clock=time.perf_counter)


async def _no_service(_report: object) -> Client:
    raise Offline("There is no service in this measurement.")


def main() -> None:
    """Fill a mirror, measure, and print the tables."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("--items", type=int, default=100_000, metavar="N", help="items in the mirror (%(default)s)")
    parser.add_argument("--keep", type=Path, metavar="DIRECTORY", help="keep the mirror there, and use it again")
    arguments = parser.parse_args()
    folder = arguments.keep or Path(tempfile.mkdtemp(prefix="backlit-store-"))
    folder.mkdir(parents=True, exist_ok=True)
    places = ProfileFiles(folder / "mirror.sqlite", folder / "journal.sqlite")
    try:
        if not places.mirror.exists():
            seconds = fill(places, arguments.items)
            print(f"filled with {arguments.items:,} items in {seconds:.1f} s")
        print(f"the file has {places.mirror.stat().st_size / 1e6:,.0f} MB")
        _measure(places)
    finally:
        if arguments.keep is None:
            shutil.rmtree(folder)
    sys.stdout.flush()


def _measure(places: ProfileFiles) -> None:
    store = Store(places, _no_service)
    opened = timed(store.open, 1, time.perf_counter)
    store.choose_project(1)
    before = memory_of([os.getpid()])
    default = store.view(ViewSpec())
    asyncio.run(default.load())
    held = memory_of([os.getpid()])
    rows = [[name, *measured(store, spec)] for name, spec in CASES]
    header = ("list", "items", "first rows", "load", "window", "slowest", "facet")
    print_table("Milliseconds", header, rows)
    print(f"\nopen {opened:.1f} ms; an edit until the list shows it {edited(store):.1f} ms")
    print(
        f"memory {before:.0f} MB, with one list {held:.0f} MB, after all of the above {memory_of([os.getpid()]):.0f} MB"
    )
    for name, spec in CASES:
        view = store.view(spec)
        asyncio.run(view.load())
        print(f"\n{name}")
        for step in plan_of(store.files.mirror, view.query.ids()):
            print(f"  {step}")
    store.close()


if __name__ == "__main__":
    main()
