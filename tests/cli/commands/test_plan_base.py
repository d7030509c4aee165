"""A plan that was exported, and what somebody else changed until it is applied."""

import asyncio
import re
from collections.abc import Sequence
from datetime import timedelta
from pathlib import Path

import pytest
from tests.store.documents import node, offline_store, put_nouns
from tests.store.world import World

from backlit.cli.commands.plan import described, differing, exported, was_of
from backlit.model.errors import BadRequest
from backlit.model.plain import plain
from backlit.store import ItemRow, Store, ViewSpec
from backlit.store.planning.text import ExportedItem, labels_of


async def text_of(store: Store) -> str:
    return await asyncio.to_thread(exported, store, (), 40)


def first_of_backlog(text: str) -> int:
    """The first unplanned item that has points, and nobody to do it."""
    found = re.search(r"^ *(\d+)  +\d+  +-  ", text.split("[Backlog]\n")[1], re.MULTILINE)
    assert found is not None, text
    return int(found[1])


def said(store: Store, text: str, *, is_over_theirs: bool = False) -> list[str]:
    labels = labels_of(store.plan.iterations.targets())
    return described(store, differing(store, text, is_over_theirs=is_over_theirs), labels)


async def rows_of(store: Store, query: str) -> Sequence[ItemRow]:
    view = store.view(ViewSpec(query=query))
    await view.load()
    return view.rows(0, 500)


def name_of(store: Store, item_id: int) -> str:
    item = store.item(item_id)
    assert item is not None
    return str(item.fields["Name"])


def with_points(text: str, item_id: int, points: str) -> str:
    return re.sub(rf"^( *{item_id}  +)\S+", rf"\g<1>{points}", text, flags=re.MULTILINE)


@pytest.mark.slow
async def test_a_text_that_nobody_changed_reverts_nothing(world: World, store: Store) -> None:
    text = await text_of(store)
    await world.rival.work_items.update(first_of_backlog(text), {"Estimate": "21"})
    await store.refresh()

    assert said(store, text) == ["Nothing changes."]


async def test_a_plan_has_the_iterations_to_come_with_their_dates_and_capacities(store: Store) -> None:
    targets = store.plan.iterations.targets()
    coming = [each for each in targets if each.end and each.end >= store.today()]
    past = next(each for each in targets if each.end and each.end < store.today())
    notes = [
        f"[{each.name}]  # {each.start} to {each.end}, {each.min_capacity:g} to {each.max_capacity:g} points"
        for each in (past, coming[0])
    ]

    whole, named = [(await asyncio.to_thread(exported, store, names, 3)) for names in ((), (past.name,))]

    assert re.findall(r"^\[(.*?)\]", whole, re.MULTILINE) == [*(each.name for each in coming), "Backlog"]
    assert re.findall(r"^\[.*", named, re.MULTILINE) == [notes[0], "[Backlog]"]
    assert notes[1] in whole.splitlines()
    with pytest.raises(BadRequest, match=r"Release 3\.2 has iterations of its own; name those"):
        await asyncio.to_thread(exported, store, ("Release 3.2",), 0)
    for text in (whole, named):
        assert len(text.split("[Backlog]\n")[1].partition("\n\n")[0].splitlines()) == 3
        lines = [line.split()[0] for line in text.splitlines() if re.match(r" *\d", line)]
        assert sorted(lines) == sorted(re.findall(r"^#= (\d+)", text, re.MULTILINE))


def test_a_plan_has_the_iteration_that_ends_today_and_those_without_an_end(tmp_path: Path) -> None:
    with offline_store(tmp_path) as store:
        ends = {f"{days:+d}": (store.today() + timedelta(days)).isoformat() for days in (-1, 0, 1)} | {"open": None}
        below = [node(number, name, 1, endDate=end) for number, (name, end) in enumerate(ends.items(), 2)]
        put_nouns(store, iterations=[node(1, "Root"), *below])

        assert re.findall(r"^\[(.*?)\]", exported(store, (), 0), re.MULTILINE) == ["+0", "+1", "open", "Backlog"]


def test_a_plan_notes_the_days_and_the_capacity_of_an_iteration(tmp_path: Path) -> None:
    given = {(20, 30): ", 20 to 30 points", (None, 1): ", 0 to 1 point", (5, None): ", at least 5 points"}
    given |= {(1, 0): ", at least 1 point", (0, 0): "", (None, None): ""}
    with offline_store(tmp_path) as store:
        days = {"startDate": "2999-01-01", "endDate": "2999-01-14"}
        below = [
            node(number, f"n{number}", 1, minCapacity=least, maxCapacity=most, **days)
            for number, (least, most) in enumerate(given, 2)
        ]
        put_nouns(store, iterations=[node(1, "Root"), *below, node(99, "n99", 1)])

        notes = re.findall(r"^\[n.*?\]  # (.*)", exported(store, (), 0), re.MULTILINE)

    assert notes == [*(f"2999-01-01 to 2999-01-14{words}" for words in given.values()), "? to ?"]


async def test_a_change_is_told_with_its_values_before_and_after_and_the_load(store: Store) -> None:
    text = await text_of(store)
    item_id = first_of_backlog(text)
    place = next(each for each in store.plan.iterations.targets() if each.end and each.end >= store.today())
    assert place.max_capacity is not None
    before = store.plan_preview.loads_now([place.id], {})[place.id].points
    points = next(row.estimate for row in await rows_of(store, f"id:{item_id}"))
    listed = next(line for line in text.splitlines() if re.match(rf" *{item_id}  ", line))

    def moved(points: str, owner: str) -> list[str]:
        added = f"[{place.name}]\n{item_id}  {points}  {owner}\n"
        return said(store, re.sub(rf"^\[{place.name}\].*\n", added, text.replace(listed, ""), flags=re.MULTILINE))

    over = before + 990 - place.max_capacity
    line = f"{item_id}  {plain(name_of(store, item_id), 48)}:  Backlog → {place.name}, points {points} → "
    assert moved("990", "jon") == [
        f"{place.name}: {before + 990:g} of at most {place.max_capacity:g} points  ! {over:g} over",
        f"{line}990, owner – → jon",
    ]
    full = place.max_capacity - before
    assert (
        moved(f"{full:g}", "-")[0] == f"{place.name}: {place.max_capacity:g} of at most {place.max_capacity:g} points"
    )
    assert moved("-", "-") == [
        f"{place.name}: {before:g} of at most {place.max_capacity:g} points",
        f"{line}–",
    ]


def test_an_owner_without_a_name_is_a_number() -> None:
    values = {"IterationID": 3, "Estimate": 5, "AssignedToID": 77}

    assert was_of(values, {}) == ExportedItem(3, "5", "user 77")
    assert was_of(dict.fromkeys(values), {77: "jon"}) == ExportedItem(None, None, None)
    assert was_of(values | {"Estimate": " 5  pts\t"}, {77: "jon"}) == ExportedItem(3, "5 pts", "jon")


async def test_export_includes_items_that_the_draft_moves_far_down_the_backlog(store: Store) -> None:
    planned = next(each for each in store.plan.iterations.targets() if each.end and each.end >= store.today())
    view = store.view(store.plan_preview.spec(ViewSpec(), frozenset({planned.id})))
    await view.load()
    await store.plan.move([view.ids()[-1]], store.plan.iterations.backlog_id)

    text = await asyncio.to_thread(exported, store, (), 0)

    backlog = text.split("[Backlog]\n")[1].split("\n\n")[0]
    assert [int(line.split()[0]) for line in backlog.splitlines()] == [view.ids()[-1]]


async def test_export_leaves_out_items_without_a_number(world: World, store: Store) -> None:
    world.faults.is_down = True
    await store.items.add("Story", {"Name": "Not sent yet", "IterationID": store.plan.iterations.backlog_id})
    await store.items.edit([first_of_backlog(await text_of(store))], {"Name": "Sent before"})

    text = await asyncio.to_thread(exported, store, (), 500)

    assert "Sent before" in text
    assert "Not sent yet" not in text


async def test_a_task_that_a_plan_names_beside_its_item_is_changed_once(store: Store) -> None:
    view = store.view(ViewSpec(query="type:story status:open"))
    await view.load()
    story = next(row.id for row in view.rows(0, 500) if store.batch.tasks_of(row.id))
    tasks = [each.id for each in store.batch.tasks_of(story)]
    label = labels_of(store.plan.iterations.targets())[store.plan.iterations.targets()[-1].id]
    lines = "".join(f"{each}  -  -  x\n" for each in (story, *tasks))

    found = differing(store, f"[{label}]\n{lines}", is_over_theirs=False)
    alone = differing(store, f"[{label}]\n{story}  -  -  x\n", is_over_theirs=False)

    assert sorted(change.id for change in found) == sorted([story, *tasks])
    assert [change.id for change in alone] == [story, *tasks]


async def test_apply_reports_and_skips_fields_that_others_changed(world: World, store: Store) -> None:
    text = await text_of(store)
    item_id = first_of_backlog(text)
    mine = with_points(text, item_id, "13").replace(f"{item_id}  13  -", f"{item_id}  13  jon")
    await world.rival.work_items.update(item_id, {"Estimate": "21"})
    await store.refresh()

    (change,) = differing(store, mine, is_over_theirs=False)
    lines = said(store, mine)

    assert list(change.contests) == ["Estimate"]
    assert "Estimate" not in change.fields
    assert lines[-1].startswith(f"≠ {item_id}  ")
    assert lines[-1].endswith("points 21 by now, the plan has 13")
    assert said(store, mine, is_over_theirs=True)[-1].startswith(f"{item_id}  ")


async def test_a_move_that_somebody_else_made_elsewhere_is_contested(world: World, store: Store) -> None:
    text = await text_of(store)
    item_id = first_of_backlog(text)
    first, other = [each.id for each in store.plan.iterations.targets() if each.end and each.end >= store.today()][:2]
    line = next(line for line in text.splitlines() if re.match(rf" *{item_id}  ", line))
    mine = re.sub(r"^(\[.*\n)", rf"\g<1>{line}\n", text.replace(line + "\n", ""), count=1, flags=re.MULTILINE)
    labels = labels_of(store.plan.iterations.targets())
    await world.rival.work_items.update(item_id, {"IterationID": other})
    await store.refresh()

    assert said(store, mine)[-1].endswith(f"{labels[other]} by now, the plan has {labels[first]}")


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("[Nowhere]\n", "Line 1: Unknown iteration “Nowhere”. Iterations: "),
        ("[Backlog]\n987654  3  -\n", "This project has no item 987654."),
        ("[Backlog]\n1  3  nobody-here\n", "unknown user 'nobody-here'"),
        (f"[Backlog]\n1  3  user {'9' * 5000}\n", "unknown user 'user 999"),
    ],
)
async def test_apply_errors_are_one_sentence(store: Store, text: str, sentence: str) -> None:
    with pytest.raises(BadRequest) as caught:
        differing(store, text, is_over_theirs=False)

    assert sentence in str(caught.value)


async def test_apply_skips_equal_changes_of_both_sides(world: World, store: Store) -> None:
    text = await text_of(store)
    item_id = first_of_backlog(text)
    await world.rival.work_items.update(item_id, {"Estimate": "13"})
    await store.refresh()

    assert said(store, with_points(text, item_id, "13")) == ["Nothing changes."]
