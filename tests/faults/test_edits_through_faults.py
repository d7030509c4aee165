"""Edits by two people through a bad network, and a process killed again and again: all arrives, once.

`BACKLIT_SOAK=n` runs n seeds of a thousand edits; `-s` shows how long each took and how often the network did what.
"""

import asyncio
import contextlib
import os
import random
import signal
import sys
import time
from pathlib import Path

import pytest
from tests.faults.faulty_workspace import HOUSE, FaultyWorkspace
from tests.faults.plan import Act, acts
from tests.faults.plan_runner import MOST_PENDING, PlanRunner, lines_for
from tests.service.replayed_history import held, replayed
from tests.store.world import until

from backlit.client.client import NodeEndpoint
from backlit.model.errors import BadRequest
from backlit.model.trees import ROOT_PARENT
from backlit.store import ViewSpec
from backlit.store.records.merge import is_same

pytestmark = pytest.mark.slow

SEEDS = [str(seed) for seed in range(1, 1 + int(os.environ.get("BACKLIT_SOAK", "1")))]
EDITS, KILLED_EDITS = (500, 200) if "BACKLIT_SOAK" in os.environ else (200, 80)
STORIES = 12
LIVES, LONGEST_LIFE = 8, 2.0
PATIENCE = 90
REPLAYED_EDITS = 334
"""Edits of each of three people."""
NODE_CHANGES, NODE_PAUSE, RESTARTS = 40, 0.3, 4


async def test_edits_of_two_people_through_a_bad_network_arrive_once(tmp_path: Path, seed: str) -> None:
    began = time.monotonic()
    async with FaultyWorkspace(tmp_path, seed) as workspace:
        stories = await workspace.stories(STORIES)
        planned = {who: list(acts(seed, who, stories, EDITS)) for who in ("maya", "jon")}
        runners = [PlanRunner(tmp_path, who, workspace.address) for who in planned]

        try:
            await asyncio.gather(*(work(runner, planned[runner.who]) for runner in runners))
        finally:
            for runner in runners:
                await asyncio.to_thread(runner.store.close)
        await asyncio.to_thread(workspace.calm)

        tell(
            workspace,
            began,
            conflicts=sum(runner.conflicts for runner in runners),
            sign_ins=sum(runner.sign_ins for runner in runners),
        )
        assert (await workspace.holds()).wrong([act for who in planned for act in planned[who]]) == []
        assert [runner.store.outbox.refused for runner in runners] == [0, 0]


async def test_a_process_killed_at_any_moment_in_a_bad_network_loses_and_doubles_nothing(
    tmp_path: Path, seed: str
) -> None:
    began, chance = time.monotonic(), random.Random(seed)
    async with FaultyWorkspace(tmp_path, seed) as workspace:
        left = list(acts(seed, "maya", await workspace.stories(STORIES), KILLED_EDITS))
        done: list[Act] = []
        maybe: list[Act] = []
        made: dict[int, int] = {}
        lives, is_empty = 0, False

        while not is_empty:
            seconds = chance.uniform(0.05, LONGEST_LIFE) if lives < LIVES else PATIENCE
            count, is_empty = await lived(workspace, left, made, seconds)
            lives += 1
            done, left = done + left[:count], left[count:]
            if left:  # the one that was being done has perhaps come as far as the disk
                unsure = left.pop(0)
                done, maybe = [*done, unsure], [*maybe, unsure]
                left = [act for act in left if act.made != unsure.number]
        await asyncio.to_thread(workspace.calm)

        tell(workspace, began, lives=lives, edits=len(done))
        assert (await workspace.holds()).wrong(done, maybe) == []


@pytest.mark.long
@pytest.mark.parametrize("replay_seed", ["1", "2"])
async def test_the_history_replayed_from_nothing_gives_what_the_service_holds(tmp_path: Path, replay_seed: str) -> None:
    began = time.monotonic()
    async with FaultyWorkspace(tmp_path, replay_seed) as workspace:
        stories = await workspace.stories(STORIES)
        planned = {who: list(acts(replay_seed, who, stories, REPLAYED_EDITS)) for who in ("maya", "jon", "ada")}
        runners = [PlanRunner(tmp_path, who, workspace.address) for who in ("jon", "ada")]

        others = asyncio.create_task(restarts_and_nodes(workspace, random.Random(replay_seed)))
        try:
            await asyncio.gather(
                *(work(runner, planned[runner.who]) for runner in runners),
                killed_again_and_again(workspace, planned["maya"], random.Random(replay_seed)),
            )
            restarts = await others
        finally:
            others.cancel()
            for runner in runners:
                await asyncio.to_thread(runner.store.close)
        await asyncio.to_thread(workspace.calm)

        found, expected = replayed(workspace.database), held(workspace.database)
        tell(workspace, began, edits=sum(map(len, planned.values())), documents=len(expected), restarts=restarts)
        assert found.keys() == expected.keys()
        assert {key: found[key] for key in expected if found[key] != expected[key]} == {}


@pytest.mark.long
@pytest.mark.parametrize("followed_seed", ["1", "2"])
async def test_each_local_copy_is_what_the_service_holds_after_streams_were_cut(
    tmp_path: Path, followed_seed: str
) -> None:
    began, chance = time.monotonic(), random.Random(followed_seed)
    async with FaultyWorkspace(tmp_path, followed_seed) as workspace:
        stories = await workspace.stories(STORIES)
        planned = {who: list(acts(followed_seed, who, stories, REPLAYED_EDITS)) for who in ("maya", "jon", "ada")}
        runners = [PlanRunner(tmp_path, who, workspace.address) for who in planned]
        others = asyncio.create_task(restarts_and_nodes(workspace, chance))
        try:
            await asyncio.gather(*(work(runner, planned[runner.who]) for runner in runners))
            restarts = await others
            for runner in runners:
                await until_alike(workspace, runner)
            live = sum(runner.store.connection.is_live for runner in runners)
        finally:
            others.cancel()
            for runner in runners:
                await asyncio.to_thread(runner.store.close)
        await asyncio.to_thread(workspace.calm)

        tell(workspace, began, edits=sum(map(len, planned.values())), restarts=restarts, live=live)


async def until_alike(workspace: FaultyWorkspace, runner: PlanRunner) -> None:
    """Wait until a local copy has each item and each comment of the service once, and no others."""
    deadline = time.monotonic() + PATIENCE
    while (wrong := await differences(workspace, runner)) and time.monotonic() < deadline:
        await runner.keep_up(0)
        await asyncio.sleep(0.2)
    assert wrong == [], (runner.who, runner.store.connection)


async def differences(workspace: FaultyWorkspace, runner: PlanRunner) -> list[str]:
    store, held_now = runner.store, await workspace.holds()
    view = store.view(ViewSpec(with_done=True))
    await view.load()
    ids = set(view.ids())
    wrong = [f"#{item_id} is only on one side" for item_id in ids ^ held_now.items.keys()]
    for item_id in ids & held_now.items.keys():
        here, there = store.item(item_id), held_now.items[item_id]["fields"]
        fields = {} if here is None else here.fields
        wrong += [f"#{item_id} {key}" for key in there if not is_same(fields.get(key), there[key])]
    said = sorted((item_id, each.text) for item_id in ids for each in store.comments.of_item(item_id))
    wrong += [] if said == sorted(each for each in held_now.comments if each[0] in ids) else ["comments"]
    return wrong[:10]


@pytest.fixture(params=SEEDS)
def seed(request: pytest.FixtureRequest) -> str:
    return str(request.param)


async def work(runner: PlanRunner, planned: list[Act]) -> None:
    runner.start()
    await until(lambda: runner.store.connection.synced_at)
    for act in planned:
        await runner.keep_up(MOST_PENDING)
        await runner.act(act)
    await runner.keep_up(0)


async def killed_again_and_again(workspace: FaultyWorkspace, planned: list[Act], chance: random.Random) -> None:
    """Let a process do what is planned, killed and started again until all of it is done."""
    left, made, is_empty, lives = planned, dict[int, int](), False, 0
    while not is_empty:
        seconds = chance.uniform(0.05, LONGEST_LIFE) if lives < LIVES else PATIENCE
        count, is_empty = await lived(workspace, left, made, seconds)
        lives += 1
        left = left[count:]
        if left:  # the one that was being done has perhaps come as far as the disk
            unsure = left.pop(0)
            left = [act for act in left if act.made != unsure.number]


async def restarts_and_nodes(workspace: FaultyWorkspace, chance: random.Random) -> int:
    """Change both trees, and kill the service now and then; return how often."""
    nodes: dict[NodeEndpoint, list[int]] = {workspace.truth.areas: [], workspace.truth.iterations: []}
    for number in range(NODE_CHANGES):
        await asyncio.sleep(NODE_PAUSE)
        endpoint = chance.choice(list(nodes))
        known = nodes[endpoint]
        parent = chance.choice(known) if known and chance.random() < 0.5 else await root_of(endpoint)
        match chance.choice(("add", "add", "rename", "move", "delete")):
            case "rename" if known:
                await endpoint.update(chance.choice(known), {"name": f"Renamed {number}"})
            case "move" if known:
                with contextlib.suppress(BadRequest):  # below itself
                    await endpoint.update(chance.choice(known), {"parentId": parent, "sequence": chance.randint(0, 3)})
            case "delete" if len(known) > 1:
                await endpoint.delete(chance.choice(known))
                page = await endpoint.of_project(1).page(top=1000)
                nodes[endpoint] = [each["id"] for each in page.results if each["id"] in known]
            case _:
                values = {
                    "name": f"Node {number}",
                    "projectId": 1,
                    "parentId": parent,
                    "sequence": chance.randint(0, 3),
                }
                nodes[endpoint].append((await endpoint.create(values))["id"])
        if number % (NODE_CHANGES // RESTARTS) == NODE_CHANGES // RESTARTS - 1:
            await asyncio.to_thread(workspace.restart)
    return RESTARTS


async def root_of(endpoint: NodeEndpoint) -> int:
    page = await endpoint.of_project(1).page(top=1000)
    return next(int(each["id"]) for each in page.results if each["parentId"] == ROOT_PARENT)


async def lived(
    workspace: FaultyWorkspace, planned: list[Act], made: dict[int, int], seconds: float
) -> tuple[int, bool]:
    """Let a process do what is planned, killed so long after its first word; how much it said is on disk, and whether
    it came to the end.
    """
    command = (sys.executable, "-m", "tests.faults.plan_runner", str(workspace.folder), "maya", workspace.address)
    process = await asyncio.create_subprocess_exec(
        *command, cwd=HOUSE, stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE
    )
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.write(lines_for(made, planned))
    process.stdin.write_eof()
    first = await asyncio.wait_for(process.stdout.readline(), PATIENCE)
    killing = asyncio.get_running_loop().call_later(seconds, lambda: process.send_signal(signal.SIGKILL))
    lines = (first + await process.stdout.read()).decode().splitlines(keepends=True)
    killing.cancel()
    assert await process.wait() in {0, -signal.SIGKILL}
    said = [line.split() for line in lines if line.endswith("\n")]
    is_empty = ["empty"] in said
    numbers = [(int(words[0]), int(words[1])) for words in said if words != ["empty"]]
    made |= {number: item_id for number, item_id in numbers if item_id}
    return len(numbers), is_empty


def tell(workspace: FaultyWorkspace, began: float, **more: object) -> None:
    sys.stdout.write(f"\n{time.monotonic() - began:.1f} s, {more}, {workspace.faults}\n")
