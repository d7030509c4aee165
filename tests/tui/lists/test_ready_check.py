"""The ready-check in the backlog: sentences, a filter."""

import pytest
from tests.store.world import until
from tests.tui.bare_app import heading_of, text_of
from tests.tui.list_steps import items, press, shown
from tests.tui.opened import Open

from backlit.model.ready_check import RULES, USUAL_RULES
from backlit.store import Store, ViewSpec


async def test_what_the_store_finds_is_what_the_rules_say(store: Store) -> None:
    ids = [row.id for row in await shown(store)]

    found = store.ready_check.faults(ids)

    assert {rule for rules in found.values() for rule in rules} <= set(RULES)
    view = store.view(ViewSpec(filter=store.ready_check.filter()))
    await view.load()
    assert set(found) == set(view.ids()) != set(ids)


async def test_a_rule_is_asked_for_in_a_query(store: Store) -> None:
    view = store.view(ViewSpec(query="lint:estimate"))
    await view.load()
    rows = view.rows(0, 500)

    assert rows
    assert all("estimate" in [rule.id for rule in store.ready_check.faults([row.id])[row.id]] for row in rows)
    assert {row.type for row in rows} <= USUAL_RULES.types_by_rule["estimate"]


async def test_the_filter_for_items_that_are_not_ready_finds_as_many_as_are_counted(store: Store) -> None:
    every, unready = store.view(ViewSpec(with_done=True)), store.view(ViewSpec(query="lint:any", with_done=True))
    await every.load()
    await unready.load()

    assert unready.count == await store.ready_check.count(every.ids()) > 0


async def test_an_unassigned_item_does_not_pass_the_check_of_its_owner(store: Store) -> None:
    found = [item for row in await shown(store) if (item := store.item(row.id)) and item.type == "Story"]
    passing = {item.id for item in found if "Owner" in [each.words for each in store.ready_check.checks(item)]}

    assert passing
    assert not passing & {item.id for item in found if item.fields.get("AssignedToID") is None}


async def test_what_is_not_ready_is_shown_and_again_all(store: Store, opened: Open) -> None:
    found = await shown(store)
    rows = [row.id for row in found]
    faults = store.ready_check.faults(rows)
    failing = [row.id for row in found if row.id in faults and row.type != "Task"]
    async with opened(store) as pilot:
        await press(pilot, "f", "!")
        assert list(items(pilot).ids_between(0, None)) == failing
        assert "› not ready" in heading_of(pilot.app)

        await press(pilot, "f", "!")
        assert list(items(pilot).ids_between(0, None)) == rows


async def test_the_preview_says_what_an_item_lacks(store: Store, opened: Open) -> None:
    rows = [row.id for row in await shown(store)]
    async with opened(store) as pilot:
        await press(pilot, "f", "!", "j")
        item_id = items(pilot).current_id
        assert item_id is not None
        sentence = store.ready_check.faults(rows)[item_id][0].sentence
        await until(lambda: f"Ready   ¬ {sentence[:12]}" in text_of(pilot.app), lambda: text_of(pilot.app))


@pytest.mark.slow
async def test_nothing_says_of_a_task_that_it_is_not_ready(store: Store, opened: Open) -> None:
    tasks = [row.id for row in await shown(store) if row.type == "Task" and store.ready_check.faults([row.id])]
    async with opened(store) as pilot:
        await press(pilot, "#", *str(tasks[0]), "enter")
        await until(lambda: items(pilot).current_id == tasks[0] and f"#{tasks[0]}" in text_of(pilot.app))

        assert "unassigned." not in text_of(pilot.app)
        assert store.cells.values(tasks[:1], ["lint"])[tasks[0]]["lint"] is None


@pytest.mark.slow
async def test_the_title_counts_items_that_are_not_ready_without_their_tasks(store: Store, opened: Open) -> None:
    rows = {row.id: row for row in await shown(store)}
    failing = [item_id for item_id in store.ready_check.faults(list(rows)) if rows[item_id].type != "Task"]
    lacking = [item_id for item_id in failing if rules_of(store, item_id) == ["estimate"]]
    async with opened(store, (160, 40)) as pilot:
        await until(lambda: f" {len(failing)} not ready  gq" in text_of(pilot.app))
        await press(pilot, "#", *str(lacking[0]), "enter", "+")

        await until(lambda: f" {len(failing) - 1} not ready  gq" in text_of(pilot.app))


def rules_of(store: Store, item_id: int) -> list[str]:
    return [rule.id for rule in store.ready_check.faults([item_id])[item_id]]


@pytest.mark.slow
async def test_the_preview_says_nothing_when_nothing_is_lacking_any_more(store: Store, opened: Open) -> None:
    rows = await shown(store)
    only = [
        row.id
        for row in rows
        if [rule.id for rule in store.ready_check.faults([row.id]).get(row.id, ())] == ["estimate"]
        and row.estimate is None
    ]
    async with opened(store) as pilot:
        await press(pilot, "#", *str(only[0]), "enter")
        await until(lambda: "¬ No estimate in points" in text_of(pilot.app))
        await press(pilot, "+")

        await until(lambda: "No estimate in points" not in text_of(pilot.app))
