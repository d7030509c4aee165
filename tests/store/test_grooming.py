"""The groom queue in the store: what is asked, how far it is, what came of it, across restarts."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from tests.store.documents import item, node, offline_store, put, put_nouns
from tests.store.world import World, sent

from backlit.model.errors import BadRequest
from backlit.store import Store, TreeKind
from backlit.store.grooming import COUNTED_AT_ONCE, MANY_UNREADY


def keys_of(store: Store, item_id: int) -> list[str]:
    found = store.item(item_id)
    assert found is not None
    return list(store.grooming.questions(found))


async def shown(store: Store, place: int = 0) -> int:
    """Show the next item from a place on, as the screen does; returns its place."""
    stop = store.grooming.next_stop(place)
    assert stop is not None
    found = store.item(stop.item_id)
    assert found is not None
    await store.grooming.show(stop, found, list(store.grooming.questions(found)))
    return stop.place


def test_only_what_is_unanswered_is_asked_and_each_field_once(tmp_path: Path) -> None:
    bug = item(1, kind="Bug", IsTriaged=False, IsBlocking=True, Status="In Progress", lastModifiedAt="2026-03-01")
    with offline_store(tmp_path, [bug]) as store:
        assert {"owner", "blocking"} <= {rule.id for rule in store.ready_check.faults([1])[1]}
        assert keys_of(store, 1).count("AssignedToID") == 1
        assert {"Estimate", "IsTriaged"} <= set(keys_of(store, 1))


def test_chosen_fields_are_asked_where_they_are_empty_and_the_type_has_them(tmp_path: Path) -> None:
    story, task = item(1, Estimate="3", Tags=[], PriorityClass="1 - Must Have"), item(2, kind="Task", ParentID=1)
    with offline_store(tmp_path, [story, task]) as store:
        before = keys_of(store, 1)
        store.grooming.fields = ("Tags", "PriorityClass", "Gone_cf")

        assert "Tags" not in before
        assert keys_of(store, 1) == [*before, "Tags"]
        assert "Tags" not in keys_of(store, 2)


def test_a_field_of_the_project_is_asked_of_types_that_have_it(tmp_path: Path) -> None:
    documents = [item(1, Ticket_cf="T-1"), item(2), item(3, kind="Bug")]
    with offline_store(tmp_path, documents) as store:
        store.grooming.fields = ("Ticket_cf",)

        assert ["Ticket_cf" in keys_of(store, each) for each in (1, 2, 3)] == [False, True, False]


def test_what_is_done_is_asked_nothing(tmp_path: Path) -> None:
    with offline_store(tmp_path, [item(1, Status="Done")]) as store:
        assert keys_of(store, 1) == []


@pytest.mark.parametrize("fields", [(), ("Tags",), ("PriorityClass", "IsBlocking", "Description", "WorkRemaining")])
async def test_the_queue_holds_exactly_those_that_are_asked_something(world: World, fields: Sequence[str]) -> None:
    store = await world.online()
    store.grooming.fields = tuple(fields)
    page = await world.rival.work_items.page(filter="projectId eq 1", order="id", top=1000)
    ids = [int(each["id"]) for each in page.results]
    tasks = {each["id"] for each in page.results if each["type"] == "Task"}
    asked = [item_id for item_id in ids if keys_of(store, item_id)]

    async def queued(item_ids: Sequence[int]) -> list[int]:
        count = await store.grooming.begin(item_ids)
        found = [stop.item_id for stop in store.files.journal.groom_queues.from_place(1, 0, 1000)]
        assert 0 < count == len(found) < len(item_ids)
        return found

    assert await queued(ids) == [each for each in asked if each not in tasks]
    assert await queued(sorted(tasks)) == [each for each in asked if each in tasks]


async def test_what_no_field_of_its_type_can_answer_is_not_asked_for(tmp_path: Path) -> None:
    stale = item(1, kind="Feedback", lastModifiedAt="2020-03-01T10:00:00.000")
    with offline_store(tmp_path, [stale, item(2)]) as store:
        count = await store.grooming.begin([1, 2])

        assert store.ready_check.faults([1]) == {}
        assert (keys_of(store, 1), count) == ([], 1)


async def test_the_order_is_the_one_given_and_nothing_is_there_twice(tmp_path: Path) -> None:
    with offline_store(tmp_path, [item(1), item(2), item(3)]) as store:
        await store.grooming.begin([3, 1, 3, 9, 2])

        assert [stop.item_id for stop in store.files.journal.groom_queues.from_place(1, 0, 9)] == [3, 1, 2]


async def test_it_is_where_it_was_after_a_restart(tmp_path: Path) -> None:
    with offline_store(tmp_path, [item(1), item(2), item(3)]) as store:
        await store.grooming.begin([1, 2, 3])
        await shown(store)
        await shown(store, 1)

    with offline_store(tmp_path) as store:
        progress = store.grooming.progress()
        assert progress is not None
        assert (progress.place, progress.count, progress.is_over) == (1, 3, False)


async def test_items_that_are_gone_or_were_answered_meanwhile_are_passed_over(tmp_path: Path) -> None:
    with offline_store(tmp_path, [item(number) for number in range(1, 5)]) as store:
        await store.grooming.begin([1, 2, 3, 4])
        await shown(store)
        store.files.submit(lambda writer: writer.mirror.remove_items([2])).result()
        await store.items.edit([3], {"Status": "Done"})

        assert await shown(store, 1) == 3
        before = store.grooming.previous_stop(3)
        assert before is not None
        assert before.item_id == 1


async def test_a_question_after_many_answered_items_is_found_and_the_way_back_too(tmp_path: Path) -> None:
    count = 30
    with offline_store(tmp_path, [item(number) for number in range(1, count + 1)]) as store:
        await store.grooming.begin(range(1, count + 1))
        for place in range(3):
            await shown(store, place)
        await store.items.edit(range(4, count), {"Status": "Done"})

        assert await shown(store, 3) == count - 1
        assert store.grooming.next_stop(count) is None
        back = [store.grooming.previous_stop(place) for place in (count - 1, 2, 1, 0)]
        assert [stop.place if stop else None for stop in back] == [2, 1, 0, None]


async def test_items_are_similar_that_share_words_of_a_useful_length(tmp_path: Path) -> None:
    names = ["Card form", "Card form again", "Card refund", "form of the card", "The card"]
    documents = [item(number, Name=name, Estimate=str(number)) for number, name in enumerate(names, 1)]
    documents += [item(6, Name="Card form without points"), item(7, Name="Card"), item(8, Name="car for two")]
    with offline_store(tmp_path, documents) as store:
        similar = {}
        for item_id in (1, 7, 8):
            found = store.item(item_id)
            assert found is not None
            similar[item_id] = {each.item_id for each in await store.grooming.similar(found)}

        assert similar[1] == {2, 4}
        assert len(similar[7]) == 3
        assert similar[8] == set()


async def test_what_was_shown_is_shown_again_when_it_is_gone_back_to(tmp_path: Path) -> None:
    with offline_store(tmp_path, [item(1), item(2)]) as store:
        await store.grooming.begin([1, 2])
        await shown(store)
        await store.items.edit([1], {"Status": "Done"})

        assert await shown(store, 0) == 0


async def test_the_results_are_what_changed_since_an_item_was_shown(tmp_path: Path) -> None:
    with offline_store(tmp_path, [item(1), item(2, Estimate="2"), item(3)]) as store:
        await store.grooming.begin([1, 2, 3])
        for place in range(2):
            await shown(store, place)
        await store.items.edit([1], {"Estimate": "5", "Description": "long"})
        await store.items.edit([2], {"Estimate": "3"})
        await store.history.undo()
        stop = store.grooming.stop_at(1)
        assert stop is not None
        await store.grooming.leave(stop, is_skipped=True)

        first, second = await store.grooming.results()

        assert [(each.key, each.before, each.after) for each in first.answers] == [("Estimate", None, "5")]
        assert "estimate" not in [rule.id for rule in first.open]
        assert (second.item_id, second.answers, second.is_skipped) == (2, (), True)


async def test_what_others_changed_meanwhile_is_told_apart_from_the_answers(world: World) -> None:
    store = await world.online()
    page = await world.rival.work_items.page(filter="projectId eq 1 and type eq 'Bug' and Estimate eq null", top=1)
    item_id = int(page.results[0]["id"])
    await store.items.edit([item_id], {"Tags": ["before"]})
    await store.grooming.begin([item_id])
    await shown(store)
    await store.items.edit([item_id], {"Estimate": "5"})
    await sent(store)
    await world.rival.work_items.update(item_id, {"Severity": "2 - High", "Tags": ["theirs"]})
    await store.refresh()

    (found,) = await store.grooming.results()

    assert [(each.key, each.after) for each in found.answers] == [("Estimate", "5")]
    assert {each.key: each.after for each in found.others} == {"Severity": "2 - High", "Tags": ["theirs"]}


async def test_a_new_item_is_followed_when_it_gets_its_number(world: World) -> None:
    store = await world.online()
    world.faults.is_down = True
    temporary = await store.items.add("Story", {"Name": "New"})
    await store.grooming.begin([temporary])
    await shown(store)
    world.faults.is_down = False
    await store.refresh()
    await sent(store)

    stop = store.grooming.next_stop(0)
    (groomed,) = await store.grooming.results()

    assert stop is not None
    assert groomed.item_id > 0
    assert groomed.name == "New"


async def test_with_nothing_to_ask_a_paused_queue_stays(tmp_path: Path) -> None:
    with offline_store(tmp_path, [item(1), item(2, Status="Done")]) as store:
        await store.grooming.begin([1])

        assert await store.grooming.begin([2]) == 0
        assert store.grooming.progress() is not None


async def test_a_queue_that_is_over_stays_until_it_is_ended(tmp_path: Path) -> None:
    with offline_store(tmp_path, [item(1)]) as store:
        await store.grooming.begin([1])
        await store.grooming.finish()
        over = store.grooming.progress()
        await store.grooming.end()

        assert over is not None
        assert over.is_over
        assert store.grooming.progress() is None


@pytest.mark.parametrize(("areas", "is_asked"), [([], False), ([{"id": 2, "parentId": 1, "name": "Checkout"}], True)])
async def test_an_area_is_asked_for_only_where_there_is_a_choice(
    tmp_path: Path, areas: list[dict[str, object]], is_asked: bool
) -> None:
    with offline_store(tmp_path, [item(1)]) as store:
        root: dict[str, object] = {"id": 1, "parentId": -1, "name": "Aurora"}
        nodes = [{**each, "projectId": 1} for each in (root, *areas)]
        store.files.submit(lambda writer: writer.mirror.put_resources("areas", 1, nodes)).result()

        assert ("AreaID" in keys_of(store, 1)) is is_asked


async def test_the_results_judge_only_what_is_there_and_open(tmp_path: Path) -> None:
    with offline_store(tmp_path, [item(number) for number in (1, 2, 3)]) as store:
        await store.grooming.begin([1, 2, 3])
        for place in range(3):
            await shown(store, place)
        await store.items.edit([1], {"Status": "Done"})
        store.files.submit(lambda writer: writer.mirror.remove_items([2])).result()

        found = await store.grooming.results()

        assert [(each.item_id, each.name, each.type) for each in found] == [
            *((1, "Item 1", "Story"), (2, "Item 2", ""), (3, "Item 3", "Story")),
        ]
        assert [bool(each.open) for each in found] == [False, False, True]
        assert [[answer.key for answer in each.answers] for each in found] == [["Status"], [], []]


async def test_an_item_that_is_shown_again_counts_from_its_first_values(tmp_path: Path) -> None:
    with offline_store(tmp_path, [item(1), item(2)]) as store:
        await store.grooming.begin([1, 2])
        for number in (1, 2):
            await shown(store)
            await store.items.edit([1], {"Estimate": str(number), "Tags": ["a"][: number - 1]})
        stop = store.grooming.stop_at(0)

        (found,) = await store.grooming.results()

        assert stop is not None
        assert "Estimate" not in stop.asked
        assert [(each.key, each.before, each.after) for each in found.answers] == [
            *(("Estimate", None, "2"), ("Tags", None, ["a"])),
        ]


async def test_an_edit_before_an_item_was_shown_is_no_answer(tmp_path: Path) -> None:
    with offline_store(tmp_path, [item(1), item(2)]) as store:
        await store.grooming.begin([1, 2])
        await shown(store)
        await store.items.edit([2], {"Tags": ["mine"]})
        await shown(store, 1)
        (entry,) = store.outbox_entries()
        store.files.submit(lambda writer: writer.journal.deliver(entry)).result()
        theirs = {**item(2, Tags=["theirs"]), "lastModifiedAt": "2026-03-02T10:00:00.000"}
        put(store, [theirs])

        _, found = await store.grooming.results()

        assert (found.answers, [(each.key, each.before, each.after) for each in found.others]) == (
            (),
            [("Tags", ["mine"], ["theirs"])],
        )


async def test_each_project_has_a_queue_of_its_own(tmp_path: Path) -> None:
    with offline_store(tmp_path, [item(1), item(2), item(5, project=2)]) as store:
        await store.grooming.begin([1, 2])
        await shown(store)
        store.choose_project(2)
        before = store.grooming.progress(), store.grooming.item_ids(), store.grooming.next_stop(0)
        with pytest.raises(BadRequest, match="has not been started"):
            await store.grooming.results()
        await store.grooming.begin([5])
        there = store.grooming.item_ids()
        await store.grooming.end()
        store.choose_project(1)

        assert (before, there) == ((None, [], None), [5])
        assert store.grooming.item_ids() == [1, 2]
        assert [each.item_id for each in await store.grooming.results()] == [1]


async def test_the_items_that_come_are_those_with_questions(tmp_path: Path) -> None:
    with offline_store(tmp_path, [item(number) for number in range(1, 9)]) as store:
        await store.grooming.begin(range(1, 9))
        await store.items.edit([2, 4], {"Status": "Done"})

        coming = [[each.item_id for each in store.grooming.coming(place, 3)] for place in (0, 2, 6, 7)]

        assert coming == [[3, 5, 6], [5, 6, 7], [8], []]
        assert [(each.type, each.name) for each in store.grooming.coming(6, 1)] == [("Story", "Item 8")]


async def test_a_skipped_item_is_skipped_until_it_is_answered(tmp_path: Path) -> None:
    with offline_store(tmp_path, [item(1), item(2)]) as store:
        await store.grooming.begin([1, 2])
        found = []
        for is_skipped in (True, False):
            stop = store.grooming.stop_at(await shown(store))
            assert stop is not None
            await store.grooming.leave(stop, is_skipped=is_skipped)
            found.append([each.is_skipped for each in await store.grooming.results()])

        assert found == [[True], [False]]


@pytest.mark.parametrize(
    ("iterations", "values", "asked"),
    [
        ([], {}, ()),
        ([1], {}, ()),
        ([1, 2], {}, ("IterationID",)),
        ([1, 2], {"IterationID": None}, ("IterationID",)),
        ([1, 2], {"IterationID": 2}, ()),
        ([1, 2], {"Status": "Done"}, ()),
    ],
)
async def test_an_iteration_is_asked_for_last_of_what_is_open_and_has_none(
    tmp_path: Path, iterations: list[int], values: dict[str, Any], asked: tuple[str, ...]
) -> None:
    with offline_store(tmp_path, [item(1, **values)]) as store:
        put_nouns(store, iterations=[node(each, f"Sprint {each}", -1 if each == 1 else 1) for each in iterations])
        found = store.item(1)
        assert found is not None

        assert store.grooming.further_questions(found) == asked


async def test_many_items_that_are_not_ready_are_counted_no_further(tmp_path: Path) -> None:
    documents = [item(number, AreaID=2, ParentID=None) for number in range(1, MANY_UNREADY + 3)]
    with offline_store(tmp_path, documents) as store:
        assert await store.ready_check.count(range(1, MANY_UNREADY)) == MANY_UNREADY - 1
        beyond = [*range(1, COUNTED_AT_ONCE + 1), 10**40]  # which SQLite would refuse
        assert await store.ready_check.count(beyond) == MANY_UNREADY


async def test_items_that_are_not_ready_are_counted_without_tasks_and_closed_ones(tmp_path: Path) -> None:
    documents = [
        *(item(number, AreaID=2, ParentID=None) for number in range(1, 4)),
        item(4, AreaID=2, Status="Done"),
        item(5, kind="Task", ParentID=4, AreaID=2),
        item(6, kind="Task", ParentID=1, AreaID=2),
        item(7, AreaID=3),
    ]
    with offline_store(tmp_path, documents) as store:
        assert await store.ready_check.count(range(1, 8)) == 4
        assert await store.ready_check.count(range(3, 5)) == 1
        assert await store.ready_check.count([]) == 0
        counts = await store.ready_check.count_by(TreeKind.AREAS, [2, 9])
        assert {node_id: totals.count for node_id, totals in counts.items()} == {2: 3}
        by_iteration = await store.ready_check.count_by(TreeKind.ITERATIONS, [1])
        assert by_iteration[1].count == 4
