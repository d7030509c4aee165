"""Does what a plan says in a store; also as a process that is killed by its test.

Started as `python -m tests.faults.plan_runner FOLDER WHO ADDRESS`, it reads its acts as lines of JSON, says on its
output what is on disk, and `empty` when the service has all of it.
"""

import asyncio
import contextlib
import json
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path

from msgspec.structs import asdict
from tests.faults.plan import Act, After, Deed
from tests.store.documents import places_in
from tests.store.world import until

from backlit.client.calls import RetryPolicy
from backlit.client.client import Client
from backlit.client.tokens import TokenCache
from backlit.model.errors import BadRequest, TransientError
from backlit.service.sample.workspace import PASSWORD
from backlit.store import ConnectionState, EntryState, Store
from backlit.store.engine.engine import Report
from backlit.store.remote.reachability import RetryPauses
from backlit.store.undo.history import Reversal

PACING = RetryPolicy(attempts=3, first_pause=0.02, longest_pause=0.5, patience=1.0)
WAITS = RetryPauses(first_pause=0.05, longest_pause=0.5, in_transit=1.5, sync_every=1.0)
MOST_PENDING = 40


class PlanRunner:
    """One person with a store of their own; `made` are the temporary ids of what the acts made, by number."""

    def __init__(self, folder: Path, who: str, address: str, made: dict[int, int] | None = None) -> None:
        self.who = who
        self.made = made or {}
        self.conflicts = 0
        self.sign_ins = 0
        tokens = TokenCache(folder / f"{who}.json", who)

        async def connect(_report: Report) -> Client:
            return Client.at(address, tokens, PACING)

        self.store = Store(places_in(folder / who), connect, waits=WAITS)

    def start(self) -> None:
        self.store.open()
        self.store.start()

    async def act(self, act: Act) -> None:
        """Do it, and take it back where that is planned; on disk when this returns."""
        await self._do(act)
        if act.after is not After.NOTHING:
            await self._walk(self.store.history.undo)
        if act.after is After.REDO:
            await self._walk(self.store.history.redo)

    async def _walk(self, walk: Callable[[], Awaitable[Reversal | None]]) -> None:
        """Undo or redo; what is not clear yet is waited for, as a person is told to."""
        while True:
            with contextlib.suppress(BadRequest):
                assert await walk() is not None
                return
            await self.keep_up(0)

    async def _do(self, act: Act) -> None:
        item_id = self.made[act.made] if act.made else act.on
        is_new = act.deed is Deed.ADD
        await until(lambda: self.store.project_id if is_new else self.store.item(item_id), lambda: act)
        match act.deed:
            case Deed.HARD:
                await self.store.deletions.delete_items([item_id])
            case Deed.FIELD | Deed.SHARED | Deed.SOFT:
                await self.store.items.edit([item_id], {act.key: act.value})
            case Deed.TAG:
                item = self.store.item(item_id)
                found = item.fields.get("Tags") if item else None
                tags = found if isinstance(found, list) else []
                await self.store.items.edit([item_id], {"Tags": [*tags, act.text]}, {"Tags": tags})
            case Deed.COMMENT:
                await self.store.items.comment(item_id, act.text)
            case Deed.ADD:
                self.made[act.number] = await self.store.items.add("Story", {"Name": act.text})
            case Deed.TASK:
                self.made[act.number] = await self.store.items.add("Task", {"Name": act.text, "ParentID": item_id})

    async def keep_up(self, most_pending: int) -> None:
        """Wait until little is waiting; sign in and settle conflicts meanwhile, as a person would: mine is kept.

        What the server failed at again and again is sent again.
        """
        while (outbox := self.store.outbox).pending > most_pending or outbox.conflicts or outbox.refused:
            for entry in self.store.outbox_entries() if outbox.conflicts or outbox.refused else ():
                if entry.state is EntryState.CONFLICT:
                    assert set(entry.theirs) == {"Name"}, entry
                    self.conflicts += 1
                if entry.state is EntryState.REFUSED:
                    assert "failed repeatedly" in entry.reason, entry
                if entry.state in {EntryState.CONFLICT, EntryState.REFUSED}:
                    await self.store.conflicts.retry(entry.id)
            if self.store.connection.state is ConnectionState.SIGNED_OUT:
                self.sign_ins += 1
                with contextlib.suppress(TransientError):
                    await self.store.engine.sign_in(self.who, PASSWORD)
            await asyncio.sleep(0.02)


async def live(folder: Path, who: str, address: str) -> None:
    """Do what the input says, one after the other, and say each number when it is on disk."""
    told = json.loads(sys.stdin.readline())
    runner = PlanRunner(folder, who, address, {int(number): item_id for number, item_id in told["made"].items()})
    runner.start()
    for line in sys.stdin:
        read = json.loads(line)
        act = Act(**{**read, "deed": Deed(read["deed"]), "after": After(read["after"])})
        await runner.keep_up(MOST_PENDING)
        await runner.act(act)
        say(f"{act.number} {runner.made.get(act.number, 0)}")
    await runner.keep_up(0)
    say("empty")
    runner.store.close()


def lines_for(made: dict[int, int], acts: list[Act]) -> bytes:
    """What a process of this kind is given to do."""
    return "".join(f"{json.dumps(each)}\n" for each in ({"made": made}, *map(asdict, acts))).encode()


def say(text: str) -> None:
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    asyncio.run(live(Path(sys.argv[1]), sys.argv[2], sys.argv[3]))
