"""The close of a sprint by a command: each unfinished item goes where an option says, as in the rollover."""

from typing import cast

import pytest
from tests.store.plan_steps import ended_sprint, held
from tests.store.world import World, sent

from backlit.cli.arguments import parser
from backlit.cli.sprint_closing import SprintClosing
from backlit.model.errors import AnswerNeeded, BadRequest
from backlit.store import IterationEntry, Store, TreeKind


def closing(store: Store, iteration: IterationEntry, line: str) -> SprintClosing:
    return SprintClosing.of(store, iteration, parser().parse_args(["iterations", "close", "it", *line.split()]))


async def test_every_item_goes_where_its_option_says_and_the_sprint_is_closed(world: World, store: Store) -> None:
    ended, _, (split, done, rest) = await ended_sprint(store, 3)
    task_id = await store.items.add("Task", {"Name": "Sew", "ParentID": done.id})
    await sent(store)
    following = store.plan.iterations.next_after(ended.id, store.today())
    assert following is not None

    close = closing(store, ended, f"--split {split.id}=3 --mark-done {done.id} --move backlog")
    words = close.words()
    await close.write()
    await sent(store)

    assert [line.rpartition(":  ")[2] for line in words[1:]] == [
        f"3 points done here, 5 points → {following.name}",
        words[2].rpartition(":  ")[2],
        "→ backlog",
    ]
    assert words[2].rpartition(":  ")[2].startswith("done, with ")
    keys = ("IterationID", "Estimate", "Status")
    assert await held(world, split.id, *keys) == [following.id, "5", "In Progress"]
    assert await held(world, done.id, *keys) == [ended.id, "8", "Done"]
    assert await held(world, rest.id, *keys) == [store.plan.iterations.backlog_id, "8", "In Progress"]
    assert await held(world, store.nodes.real_id(task_id), "Status") == ["Done"]
    assert store.lookups.iterations()[ended.id].closed_at is not None


async def test_items_move_to_the_named_iteration(world: World, store: Store) -> None:
    ended, target, (split, rest) = await ended_sprint(store, 2)

    await closing(store, ended, f"--split {split.id}=2 --move {target.id}").write()
    await sent(store)

    assert await held(world, split.id, "IterationID", "Estimate") == [target.id, "6"]
    assert await held(world, rest.id, "IterationID") == [target.id]


async def test_open_tasks_stay_open_where_that_is_wanted(world: World, store: Store) -> None:
    ended, _, (row,) = await ended_sprint(store, 1)
    task_id = await store.items.add("Task", {"Name": "Sew", "ParentID": row.id})
    await sent(store)

    close = closing(store, ended, f"--mark-done {row.id} --keep-tasks")
    await close.write()
    await sent(store)

    assert close.words()[1].endswith(":  done")
    assert await held(world, store.nodes.real_id(task_id), "Status") == ["Not Done"]


async def test_items_stay_where_that_is_said(world: World, store: Store) -> None:
    ended, _, (row,) = await ended_sprint(store, 1)

    await closing(store, ended, "--move stay").write()
    await sent(store)

    assert await held(world, row.id, "IterationID") == [ended.id]
    assert store.lookups.iterations()[ended.id].closed_at is not None


async def test_without_a_choice_unfinished_items_are_named_with_the_options_and_nothing_is_closed(store: Store) -> None:
    ended, _, rows = await ended_sprint(store, 7)

    with pytest.raises(AnswerNeeded) as error:
        closing(store, ended, f"--mark-done {rows[0].id}")

    assert f"{ended.name} has 6 unfinished items: #{rows[1].id}, " in str(error.value)
    assert "and 1 more. Say where each goes: --move next, --move backlog" in str(error.value)
    assert store.outbox_entries() == ()


async def test_a_sprint_without_unfinished_items_needs_no_choice(store: Store) -> None:
    ended, _, (row,) = await ended_sprint(store, 1)
    await store.items.edit([row.id], {"Status": "Done"})

    close = closing(store, ended, "")
    await close.write()
    await sent(store)

    assert close.words() == [f"{ended.name}: what is done later is late."]
    assert store.lookups.iterations()[ended.id].closed_at is not None


async def test_what_does_not_fit_is_refused_with_the_item_or_the_place(store: Store) -> None:
    ended, _, (row,) = await ended_sprint(store, 1)
    root = store.lookups.tree(TreeKind.ITERATIONS).roots[0]
    refused = {
        "--mark-done 999999": f"{ended.name} has no unfinished item 999999. It has #{row.id}.",
        f"--mark-done {row.id} --split {row.id}=1": f"Item {row.id} is named twice.",
        f"--split {row.id}=9": f"Item {row.id} has 8 points, so 9 of it cannot be done.",
        f"--split {row.id}=some": f"--split {row.id}=some: enter a number of points",
        f"--move {ended.id}": f"Items cannot move from {ended.name} to {ended.name}.",
        f"--move {root.id}": f"Items cannot move from {ended.name} to {root.name}.",
        "--move nonsense": "Unknown iteration “nonsense”.",
    }

    said = {}
    for line in refused:
        with pytest.raises(BadRequest) as error:
            closing(store, ended, line)
        said[line] = str(error.value)

    assert [line for line, sentence in refused.items() if not said[line].startswith(sentence)] == []


async def test_the_last_sprint_names_the_places_that_there_are(store: Store) -> None:
    ended, _, (row,) = await ended_sprint(store, 1)
    last = store.plan.iterations.targets()[-1]
    await store.items.edit([row.id], {"IterationID": last.id})

    with pytest.raises(BadRequest, match=f"There is no iteration after {last.name}"):
        closing(store, last, "--move next")
    assert closing(store, last, "--move backlog").decisions[row.id].way == "backlog"
    assert ended.id != last.id


@pytest.mark.parametrize("words", ["--split 12", "--split 12=", "--split x=3", "--mark-done x"])
def test_options_of_another_form_are_refused_by_the_grammar(words: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        parser().parse_args(["iterations", "close", "current", *words.split()])

    assert cast("int", ended.value.code) == 2
    assert "is not " in capsys.readouterr().err
