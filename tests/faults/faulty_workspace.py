"""A served workspace with a bad network before it, and what the service holds in the end."""

import asyncio
import json
import subprocess
import sys
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Self

from tests.faults.plan import DELETED, OWNED, Act, After, Deed
from tests.faults.proxy import USUAL
from tests.service.served_process import Served
from tests.store.world import make_sample

from backlit.client.client import Client
from backlit.client.tokens import TokenCache
from backlit.service.sample.workspace import PASSWORD

HOUSE = Path(__file__).resolve().parents[2]
_PATIENCE = 20
_ON_FIELDS = frozenset({Deed.FIELD, Deed.SHARED, Deed.SOFT})


class FaultyWorkspace:
    """The service as a process on SQLite, the proxy as another."""

    def __init__(self, folder: Path, seed: str, rates: Mapping[str, float] = USUAL) -> None:
        self.folder = folder
        self.faults: dict[str, int] = {}
        self.database = make_sample(folder) / "service.sqlite"
        self._served = Served(folder, f"sqlite:///{self.database}")
        self._port = port = self._served.base.rpartition(":")[2].rstrip("/")
        command = [sys.executable, "-m", "tests.faults.proxy", port, seed, json.dumps(rates)]
        self._proxy = subprocess.Popen(command, cwd=HOUSE, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        assert self._proxy.stdout is not None
        self.address = f"http://127.0.0.1:{self._proxy.stdout.readline().strip()}"

    async def __aenter__(self) -> Self:
        """Sign all in, past the proxy, and look at the service as it is."""
        clients = {}
        for who in OWNED:
            clients[who] = Client.at(self._served.base, TokenCache(self.folder / f"{who}.json", who))
            await clients[who].auth.sign_in(who, PASSWORD)
            if who != "maya":
                await clients[who].aclose()
        self.truth = clients["maya"]
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.truth.aclose()
        if self._proxy.poll() is None:
            await asyncio.to_thread(self.calm)
        self._served.kill()

    def restart(self) -> None:
        """Kill the service, as the loss of power would, and start it again at its address."""
        self._served.kill()
        self._served = Served(self.folder, f"sqlite:///{self.database}", "--port", self._port)

    def calm(self) -> None:
        """End the bad network; `faults` then says how often it did what."""
        out, _ = self._proxy.communicate(timeout=_PATIENCE)
        self.faults = json.loads(out)

    async def stories(self, count: int) -> list[int]:
        """Stories that are there from the beginning."""
        page = await self.truth.work_items.page(filter="projectId eq 1 and type eq 'Story'", order="id", top=count)
        return [each["id"] for each in page.results]

    async def holds(self) -> "ServiceContents":
        """All items and comments of the project, as they are now."""
        found = [page async for page in self.truth.work_items.pages(filter="projectId eq 1", order="id", top=1000)]
        items = {each["id"]: each for page in found for each in page.results}
        said = [page async for page in self.truth.comments.pages(order="id", top=1000)]
        return ServiceContents(
            items, [(each["workItemId"], each["description"]) for page in said for each in page.results]
        )


class ServiceContents:
    """What the service holds in the end, against what was done."""

    def __init__(self, items: Mapping[int, dict[str, Any]], comments: Iterable[tuple[int, str]]) -> None:
        self.items = items
        self.comments = Counter(comments)
        self._names = Counter(str(each["fields"]["Name"]) for each in items.values())
        self._ids = {each["fields"]["Name"]: item_id for item_id, each in items.items()}

    def wrong(self, done: Sequence[Act], maybe: Iterable[Act] = ()) -> list[str]:
        """What it lacks, has twice or has otherwise; `maybe` are those acts that may have been done or not."""
        unsure = set(maybe)
        gone = {act.item for act in done if act.deed is Deed.HARD}
        kept = [act for act in done if act.item not in gone and (act.who, act.number) not in gone]
        deletions = [act for act in done if act.deed is Deed.HARD]
        faults = [fault for act in deletions for fault in self._not_gone(act, is_sure=act not in unsure)]
        for act in kept:
            if act.deed in _ON_FIELDS:
                continue
            count, least, most = self._count(act, self._place(act)), int(act not in unsure), 1
            if act.after is After.UNDO:
                least, most = 0, int(act in unsure)
            if not least <= count <= most:
                faults.append(f"{act.text} on {self._place(act)}, {act.after}: {count} times")
        return faults + self._wrong_fields([act for act in kept if act.deed in _ON_FIELDS], unsure)

    def _place(self, act: Act) -> int:
        return self._ids.get(f"{act.who} {Deed.ADD} {act.made}", 0) if act.made else act.on

    def _not_gone(self, act: Act, *, is_sure: bool) -> list[str]:
        """An item that was deleted for good is gone, one that was brought back is there once."""
        name = f"{act.who} {Deed.ADD} {act.made}"
        wanted = {1} if act.after is After.UNDO else {0}
        count = self._names[name]
        return [] if count in (wanted if is_sure else {0, 1}) else [f"{name}, deleted, {act.after}: {count} times"]

    def _wrong_fields(self, done: Iterable[Act], unsure: set[Act]) -> list[str]:
        free: set[tuple[int, str]] = set()
        wanted: dict[tuple[int, str], set[object]] = {}
        undone: dict[tuple[int, str], object] = {}
        for act in done:
            place = (self._place(act), act.key)
            if act.after is After.UNDO and act.key != "PriorityClass":
                undone[place] = act.value
            if act in unsure:
                free |= {place} - wanted.keys()
            elif act.after is not After.UNDO and act.deed is not Deed.SHARED:
                free.discard(place)
                wanted[place] = set()
            if act in unsure or act.after is not After.UNDO:
                wanted.setdefault(place, set()).add(act.value)
        return [
            f"{key} of {on} is {self._field(on, key)!r}, not one of {values}"
            for (on, key), values in wanted.items()
            if (on, key) not in free and self._field(on, key) not in values
        ] + [
            f"{key} of {on} is {value!r}, which was taken back"
            for (on, key), value in undone.items()
            if (on, key) not in free | wanted.keys() and self._field(on, key) == value
        ]

    def _field(self, on: int, key: str) -> Any:
        return self.items[on]["fields"].get(key) if on in self.items else None

    def _count(self, act: Act, on: int) -> int:
        if act.deed is Deed.COMMENT:
            return self.comments[on, act.text]
        if act.deed is Deed.TAG:
            return list(self._field(on, "Tags") or ()).count(act.text)
        if act.after is After.UNDO and self._field(self._ids.get(act.text, 0), "Status") == DELETED:
            return 0
        is_wrong_place = act.deed is Deed.TASK and self._field(self._ids.get(act.text, 0), "ParentID") != on
        return 0 if is_wrong_place else self._names[act.text]
