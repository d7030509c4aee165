"""Random use of one server by two clients with local copies and a script over HTTP, and what differs in the end.

The clients add, edit, tag, rank, comment on, delete and undo; the script creates, changes and deletes beside them. In
the end both local copies are compared with the server, item by item, and `backlit admin check` reads the workspace.
"""

import argparse
import asyncio
import contextlib
import random
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Awaitable, Callable
from pathlib import Path

import httpx
from tests.faults.plan_runner import PlanRunner
from tests.service.served_process import Served
from tests.store.world import make_sample, until

from backlit.client.client import Client
from backlit.client.tokens import TokenCache
from backlit.model.errors import BacklitError, BadRequest, NotFound
from backlit.service.sample.workspace import PASSWORD
from backlit.store import EntryState, ViewSpec
from benchmarks.table import print_table

PEOPLE = ("maya", "jon")
PAUSE = 0.05
MOST_WAITING = 50
HELD = {EntryState.CONFLICT, EntryState.REFUSED}
STATUSES = ("Not Done", "In Progress", "Done", "Deferred")


class Person:
    """A client with a local copy, which does something at random; refusals that a user would read are counted."""

    def __init__(self, runner: PlanRunner, chance: random.Random) -> None:
        self.runner = runner
        self._chance = chance
        self.done: Counter[str] = Counter()

    async def load(self) -> None:
        """Wait for the project, and read all of it."""
        await until(lambda: self.runner.store.project_id, lambda: "no project yet")
        await self.runner.store.refresh()

    async def live(self, deadline: float) -> None:
        """Act until the deadline, then wait until all is sent."""
        acts = (
            self._edit,
            self._edit,
            self._name,
            self._add,
            self._tag,
            self._comment,
            self._rank,
            self._undo,
            self._delete,
        )
        while time.monotonic() < deadline:
            act = self._chance.choice(acts)
            try:
                await act()
                self.done[act.__name__.strip("_")] += 1
            except (BadRequest, NotFound):
                self.done["refused"] += 1
            await self._settle(MOST_WAITING)
            await asyncio.sleep(PAUSE)
        await self._settle(0)

    async def rows(self) -> list[int]:
        """Return the ids of all items that the local copy has."""
        view = self.runner.store.view(ViewSpec(with_done=True))
        await view.load()
        return [row.id for row in view.rows(0, view.count or 0)]

    async def _one(self) -> int:
        return self._chance.choice(await self.rows())

    async def _edit(self) -> None:
        await self.runner.store.items.edit([await self._one()], {"Status": self._chance.choice(STATUSES)})

    async def _name(self) -> None:
        await self.runner.store.items.edit([await self._one()], {"Name": f"Named {self._chance.random()}"})

    async def _add(self) -> None:
        await self.runner.store.items.add("Story", {"Name": f"Added {self._chance.random()}", "Estimate": "3"})

    async def _tag(self) -> None:
        await self.runner.store.items.edit([await self._one()], {"Tags": self._chance.sample(["ux", "api", "ops"], 2)})

    async def _comment(self) -> None:
        await self.runner.store.items.comment(await self._one(), f"Said {self._chance.random()}")

    async def _rank(self) -> None:
        view = self.runner.store.view(ViewSpec(with_done=True))
        await view.load()
        await self.runner.store.ranking.to_top(view, [await self._one()])

    async def _undo(self) -> None:
        await self.runner.store.history.undo()

    async def _delete(self) -> None:
        await self.runner.store.deletions.delete_items([await self._one()])

    async def _settle(self, most: int) -> None:
        """Wait until little waits; a conflict is sent again, a refused change is given up."""
        store = self.runner.store
        while store.outbox.pending > most or store.outbox.conflicts or store.outbox.refused:
            for entry in store.outbox_entries():
                if entry.state in HELD:
                    again = entry.state is EntryState.CONFLICT
                    self.done["conflict" if again else "rejected"] += 1
                    with contextlib.suppress(BacklitError):
                        await (store.conflicts.retry(entry.id) if again else store.conflicts.discard(entry.id))
            await asyncio.sleep(PAUSE)


async def script(base: str, authorization: str, chance: random.Random, deadline: float, done: Counter[str]) -> None:
    """Create, change and delete items over HTTP."""
    headers = {"authorization": authorization}
    async with httpx.AsyncClient(base_url=f"{base}/api/v1/", headers=headers, timeout=30) as http:

        async def known() -> int:
            found = (await http.get("workitems", params={"$select": "id", "$filter": "projectId eq 1"})).json()
            return int(chance.choice(found["results"])["id"])

        async def create() -> httpx.Response:
            return await http.post("workitems", json={"type": "Bug", "projectId": 1, "fields": {"Name": "By a script"}})

        async def change() -> httpx.Response:
            return await http.put(f"workitems/{await known()}", json={"Estimate": str(chance.randint(1, 13))})

        async def delete() -> httpx.Response:
            return await http.delete(f"workitems/{await known()}")

        acts: list[Callable[[], Awaitable[httpx.Response]]] = [create, create, change, change, change, delete]
        while time.monotonic() < deadline:
            answer = await chance.choice(acts)()
            done[f"{answer.request.method} {answer.status_code}"] += 1
            await asyncio.sleep(PAUSE)


async def differences(person: Person, truth: Client) -> int:
    """Return how many items the local copy lacks, has on top, or has otherwise than the server."""
    await person.runner.store.refresh()
    pages = [page async for page in truth.work_items.pages(filter="projectId eq 1", order="id", top=1000)]
    server: dict[int, object] = {each["id"]: each["fields"] for page in pages for each in page.results}
    here = {item_id: person.runner.store.item(item_id) for item_id in await person.rows()}
    extra = len(here.keys() - server.keys())
    return extra + sum(
        item_id not in here or (item := here[item_id]) is None or dict(item.fields) != fields
        for item_id, fields in server.items()
    )


async def run(minutes: float, seed: int, folder: Path) -> bool:
    """Use a server for some minutes, print the tables, and return True where all fits together."""
    database = f"sqlite:///{make_sample(folder) / 'service.sqlite'}"
    chance, deadline, done = random.Random(seed), time.monotonic() + minutes * 60, Counter[str]()  # noqa: S311 - no secret
    with Served(folder, database, "--files", str(folder / "files")) as served:
        people = []
        for who in PEOPLE:
            async with Client.at(served.base, TokenCache(folder / f"{who}.json", who)) as client:
                await client.auth.sign_in(who, PASSWORD)
            person = Person(PlanRunner(folder, who, served.base), random.Random(chance.random()))  # noqa: S311 - no secret
            person.runner.start()
            people.append(person)
        for person in people:
            await person.load()
        lives = [person.live(deadline) for person in people]
        await asyncio.gather(script(served.base, served.sign_in("maya"), chance, deadline, done), *lives)
        async with Client.at(served.base, TokenCache(folder / "maya.json", "maya")) as truth:
            found = [await differences(person, truth) for person in people]
        for person in people:
            person.runner.store.close()
        served.stop()
    checking = [
        sys.executable,
        "-m",
        "backlit",
        "admin",
        "check",
        "--database",
        database,
        "--files",
        str(folder / "files"),
    ]
    checked = await asyncio.to_thread(subprocess.run, checking, check=False, capture_output=True, text=True)
    acts = sorted({name for person in people for name in person.done})
    print_table("Acts", ["", *PEOPLE], [[name, *(float(person.done[name]) for person in people)] for name in acts])
    print_table("Script", ["answer", "count"], [[name, float(count)] for name, count in sorted(done.items())])
    print_table("In the end", ["", *PEOPLE], [["items that differ", *map(float, found)]])
    print(f"\nbacklit admin check: {checked.stdout.strip() or checked.stderr.strip()}")
    return not any(found) and checked.returncode == 0


def main() -> None:
    """Run; the exit status is 1 where something differs."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--minutes", type=float, default=60.0, help="duration (%(default)s)")
    parser.add_argument("--seed", type=int, default=1, help="random seed (%(default)s)")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="backlit-soak-") as folder:
        sys.exit(0 if asyncio.run(run(arguments.minutes, arguments.seed, Path(folder))) else 1)


if __name__ == "__main__":
    main()
