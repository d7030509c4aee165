"""Whatever two people do to one item: a value is lost only by somebody who had seen it."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.examples import few_and_many
from tests.store.world import Faults, World, until

from backlit.client.client import Client
from backlit.client.tokens import TokenCache
from backlit.model.errors import BacklitError
from backlit.store import ConnectionState, Store
from backlit.store.edits.conflicts import KeptSide
from backlit.store.engine.engine import Report
from backlit.store.records.merge import merge

KEYS = ("Name", "Estimate", "Description")
acts = st.tuples(
    st.sampled_from(("maya", "jon")), st.sampled_from(("edit", "edit", "meet", "settle")), st.sampled_from(KEYS)
)
decisions = st.sampled_from((KeptSide.MINE, KeptSide.THEIRS, "another"))


class Ledger:
    """Every value that was written, and every value that somebody had before the eyes when deciding otherwise.

    A long text counts line by line.
    """

    def __init__(self) -> None:
        self.written: set[str] = set()
        self.seen: set[str] = set()
        self._number = 0

    def another(self, key: str, before: object) -> str:
        """A value nobody has written before; of a text, one line is replaced or added."""
        self._number += 1
        new = f"value {self._number}"
        if key != "Description":
            return new
        lines = str(before or "").splitlines()
        at = self._number * 7 % (len(lines) + 1)
        lines[at : at + self._number % 2] = [new]
        return "\n".join(lines)

    def write(self, before: object, after: object) -> None:
        gone = parts(before) - parts(after)
        self.seen |= gone
        self.written |= parts(after) - parts(before)


def parts(value: object) -> set[str]:
    return set(str(value or "").splitlines())


class Person:
    """The pure half: what one person has received, and the edits that wait; no store, no service."""

    def __init__(self, start: dict[str, str]) -> None:
        self.received = dict(start)
        self.waiting: list[tuple[dict[str, object], dict[str, object]]] = []

    def effective(self, key: str) -> object:
        return next((mine[key] for _, mine in reversed(self.waiting) if key in mine), self.received[key])


@pytest.mark.slow
@few_and_many(100, 1000)
def test_no_merge_loses_what_its_author_had_not_seen(examples: int) -> None:
    @settings(max_examples=examples)
    @given(st.lists(st.tuples(acts, decisions), max_size=30))
    def merge_as_told(steps: list[tuple[tuple[str, str, str], object]]) -> None:
        _merge_as_told(steps)

    merge_as_told()


def _merge_as_told(steps: list[tuple[tuple[str, str, str], object]]) -> None:
    service: dict[str, object] = {"Name": "start", "Estimate": "1", "Description": "one\ntwo\nthree\nfour\nfive\nsix"}
    people = {name: Person({key: str(value) for key, value in service.items()}) for name in ("maya", "jon")}
    ledger = Ledger()

    for (name, act, key), decision in steps:
        person = people[name]
        if act == "edit":
            before = person.effective(key)
            after = ledger.another(key, before)
            ledger.write(before, after)
            person.waiting.append(({key: before}, {key: after}))
            continue
        while person.waiting:
            base, mine = person.waiting[0]
            merged = merge(base, mine, service)
            if merged.conflicts and act == "meet":
                break
            person.waiting.pop(0)
            for each, theirs in merged.conflicts.items():
                chosen = {KeptSide.MINE: mine[each], KeptSide.THEIRS: theirs}.get(decision, "both")  # type: ignore[call-overload] # a third is a value
                ledger.seen |= parts(mine[each]) | parts(theirs)
                service[each] = chosen
            service |= merged.changes
        person.received = {each: str(value) for each, value in service.items()}

    kept = {line for value in service.values() for line in parts(value)}
    kept |= {
        line
        for person in people.values()
        for _, mine in person.waiting
        for value in mine.values()
        for line in parts(value)
    }
    assert ledger.written <= kept | ledger.seen


class Desk:
    """A store of somebody's with a network of its own."""

    def __init__(self, world: World, name: str, number: int) -> None:
        self.faults = Faults(world.asgi)
        tokens = TokenCache(world.folder / f"{name}-{number}.json", name)

        async def connect(_report: Report) -> Client:
            client = Client.inside(self.faults, tokens, pacing=world.pacing)
            await client.auth.sign_in_with_code(await asyncio.to_thread(world.service.invite, name))
            return client

        self.store = Store(world.places(f"{name}-{number}"), connect, waits=world.waits)
        self.store.open()

    async def meet(self) -> None:
        """Go online until all that can be sent is sent, then offline again."""
        self.faults.is_down = False
        await self.refresh()
        await until(lambda: self.store.outbox.pending == 0 or self.store.outbox.conflicts, self.store.outbox_entries)
        await self.refresh()
        self.faults.is_down = True

    async def refresh(self) -> None:
        try:
            await self.store.refresh()
        except BacklitError:
            await asyncio.sleep(0.05)
            await self.store.refresh()

    async def edit(self, item_id: int, key: str, ledger: Ledger) -> None:
        item = self.store.item(item_id)
        assert item is not None
        before = item.fields.get(key)
        after = ledger.another(key, before)
        ledger.write(before, after)
        await self.store.items.edit([item_id], {key: after})

    async def settle(self, decision: object, ledger: Ledger) -> None:
        cases = [case for entry in self.store.outbox_entries() if (case := self.store.conflicts.case(entry.id))]
        for case in cases[:1]:
            for field in case.fields:
                ledger.seen |= parts(field.mine) | parts(field.theirs)
            chosen = "both" if decision == "another" else decision
            await self.store.conflicts.resolve(case, {field.key: chosen for field in case.fields})


@asynccontextmanager
async def desks(world: World, number: int) -> AsyncIterator[dict[str, Desk]]:
    """One desk for each, both up to date and offline."""
    found = {name: Desk(world, name, number) for name in ("maya", "jon")}
    for desk in found.values():
        desk.store.start()
        await until(lambda desk=desk: desk.store.connection.state is ConnectionState.ONLINE)  # type: ignore[misc] # the default holds it
        desk.faults.is_down = True
    try:
        yield found
    finally:
        for desk in found.values():
            await asyncio.to_thread(desk.store.close)


@pytest.mark.slow
@few_and_many(3, 12)
def test_no_sequence_of_edits_by_two_people_loses_a_value_unseen(tmp_path: Path, sample: Path, examples: int) -> None:
    number = 0

    @settings(max_examples=examples, suppress_health_check=[HealthCheck.too_slow])
    @given(st.lists(st.tuples(acts, decisions), min_size=4, max_size=14))
    def play(steps: list[tuple[tuple[str, str, str], object]]) -> None:
        nonlocal number
        number += 1
        asyncio.run(_play(tmp_path, sample, number, steps))

    play()


async def _play(tmp_path: Path, sample: Path, number: int, steps: list[tuple[tuple[str, str, str], object]]) -> None:
    folder = tmp_path / str(number)
    folder.mkdir()
    world = World(folder, sample)
    await world.start()
    try:
        page = await world.rival.work_items.page(filter="projectId eq 1 and type eq 'Story'", top=1)
        item_id = int(page.results[0]["id"])
        await world.rival.work_items.update(item_id, {"Description": "one\ntwo\nthree\nfour\nfive\nsix"})
        ledger = Ledger()
        async with desks(world, number) as people:
            for (name, act, key), decision in steps:
                desk = people[name]
                if act == "edit":
                    await desk.edit(item_id, key, ledger)
                elif act == "settle":
                    await desk.settle(decision, ledger)
                else:
                    await desk.meet()
            found = (await world.rival.work_items.get(item_id))["fields"]
            kept = {line for key in KEYS for line in parts(found.get(key))}
            for desk in people.values():
                kept |= {
                    line
                    for entry in desk.store.outbox_entries()
                    for value in entry.payload.values()
                    for line in parts(value)
                }
            assert ledger.written <= kept | ledger.seen
    finally:
        await world.stop()
