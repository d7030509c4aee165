"""Questions about odd estimates, open tasks and ended iterations are asked on every path, and once."""

import asyncio
from collections.abc import Awaitable, Callable, Iterator, Sequence
from pathlib import Path

import pytest
from msgspec.structs import replace
from tests.store.documents import item, node, offline_store, put_nouns
from tests.store.world import until
from tests.tui.bare_app import BareApp
from tests.tui.editor.fake_editor import FakeEditor
from tests.tui.plan.fake_plan import FakePlan
from tests.tui.target import FakeTarget, run, stage, words_of

from backlit.model.fields import FIELD_BY_KEY
from backlit.store import EntryKind, EntryState, Store
from backlit.store.edits.deletions import keep_last_copy
from backlit.tui.editor.item_draft import ItemDraft
from backlit.tui.editor.saving import save_draft
from backlit.tui.fields.choices import Choice
from backlit.tui.fields.field_edits import set_field_edit
from backlit.tui.items.conflict_dialog import ConflictDialog
from backlit.tui.items.resolve import resolve_item
from backlit.tui.plan.plan_commands import stage as stage_plan

ESTIMATE, STATUS = FIELD_BY_KEY["Estimate"], FIELD_BY_KEY["Status"]
ENDED = 3
"""The number of an iteration that has ended."""
DOCUMENTS = (
    item(1, Status="Not Done"),
    item(2, Status="Not Done", Estimate="3"),
    item(3, kind="Task", ParentID=1, Status="Not Done", Name="Open"),
    item(4, kind="Task", ParentID=1, Status="Done", Name="Closed"),
    item(5, kind="Task", ParentID=1, Status="In Progress", Name="Begun"),
    item(6, IterationID=ENDED),
    item(7, kind="Task", ParentID=6, IterationID=ENDED),
    item(8),
    item(9, kind="Task", ParentID=8, IterationID=ENDED),
)
Setting = Callable[[Store, str, Sequence[object]], Awaitable[FakeTarget]]
Finishing = Callable[[Store, object], Awaitable[FakeTarget]]
POINTS = [("8 pts", "8"), ("8pt", "8"), ("8 points", "8"), ("8", "8"), ("3,5 sp", "3.5"), (" 13 ", "13")]
NO_POINTS = ["abc", "1e3", "XL", "8 9"]


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with offline_store(tmp_path, DOCUMENTS) as store:
        ended = node(3, "Sprint 0", parentId=1, startDate="2026-01-05", endDate="2026-01-18")
        put_nouns(store, iterations=[node(1, "Aurora"), node(2, "Sprint 1", parentId=1), ended])
        yield store


def estimates(store: Store) -> list[object]:
    return [each.payload["Estimate"] for each in store.outbox_entries() if "Estimate" in each.payload]


def statuses(store: Store) -> dict[int, object]:
    return {each.item_id: each.payload["Status"] for each in store.outbox_entries() if each.kind is EntryKind.EDIT}


def draft_with(**values: object) -> ItemDraft:
    draft = ItemDraft({"Name": "Item 1", "Status": "Not Done"})
    for key, value in values.items():
        draft.set(key, value)
    return draft


async def prompt(store: Store, text: str, answers: Sequence[object]) -> FakeTarget:
    target = FakeTarget(store, [1], [text, *answers])
    await run(target, "item.estimate")
    return target


async def several(store: Store, text: str, answers: Sequence[object]) -> FakeTarget:
    target = FakeTarget(store, [1, 2], [Choice("Estimate", "Estimate"), text, *answers, True])
    await run(target, "item.field")
    return target


async def editor(store: Store, text: str, answers: Sequence[object]) -> FakeTarget:
    target = FakeEditor(store, draft_with(Estimate=text), answers)
    await save_draft(target)  # type: ignore[arg-type] # as far as saving needs it
    return target


async def plan(store: Store, text: str, answers: Sequence[object]) -> FakeTarget:
    target = FakePlan(store, [1], answers)
    await stage_plan(target, set_field_edit(ESTIMATE, text, text), target.chosen())
    return target


PATHS = [prompt, several, editor]


@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize(("typed", "saved"), POINTS)
async def test_a_number_with_its_unit_is_saved_as_the_number(
    store: Store, path: Setting, typed: str, saved: str
) -> None:
    target = await path(store, typed, [])

    assert set(estimates(store)) == {saved}
    assert not any("without points" in words_of(each) for each in target.asked[1:])


@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize("typed", NO_POINTS)
@pytest.mark.long_but("prompt", "abc")
async def test_an_estimate_without_points_is_asked_about_and_may_be_kept(
    store: Store, path: Setting, typed: str
) -> None:
    target = await path(store, typed, ["y"])

    asked = [words_of(each) for each in target.asked if "without points" in words_of(each)]
    assert len(asked) == 1
    assert f"“{typed}” is no number and counts as no points" in asked[0]
    assert set(estimates(store)) == {typed}


@pytest.mark.parametrize("path", [prompt, editor])
async def test_a_cancelled_estimate_changes_nothing(store: Store, path: Setting) -> None:
    await path(store, "abc", [None])

    assert estimates(store) == []


async def test_an_estimate_without_points_is_asked_about_once(store: Store) -> None:
    target = await prompt(store, "XL", ["y"])
    target.ids, target.answers = [2], ["XL"]
    await run(target, "item.estimate")

    assert estimates(store) == ["XL", "XL"]
    assert len(target.asked) == 3


async def test_the_plan_asks_too_and_stages_the_number_alone(store: Store) -> None:
    cancelled = await plan(store, "abc", [None])
    staged = dict(store.plan.state.changes)
    await plan(store, "8 pts", [])

    assert "without points" in words_of(cancelled.asked[0])
    assert staged == {}
    assert store.plan.state.changes == {1: {"Estimate": "8"}}


# Open tasks


async def done_by_key(store: Store, answer: object) -> FakeTarget:
    target = FakeTarget(store, [1], [answer])
    await run(target, "item.done")
    return target


async def done_by_status(store: Store, answer: object) -> FakeTarget:
    target = FakeTarget(store, [1], [Choice("Done", "Done"), answer])
    await run(target, "item.status")
    return target


async def done_in_the_editor(store: Store, answer: object) -> FakeTarget:
    target = FakeEditor(store, draft_with(Status="Done"), [answer])
    await save_draft(target)  # type: ignore[arg-type] # as far as saving needs it
    return target


@pytest.mark.parametrize("path", [done_by_key, done_by_status, done_in_the_editor])
@pytest.mark.parametrize(
    ("answer", "expected"),
    [("y", {1: "Done", 3: "Done", 5: "Done"}), ("o", {1: "Done"}), (None, {})],
)
async def test_an_item_that_becomes_done_offers_its_open_tasks_as_one_step(
    store: Store, path: Finishing, answer: object, expected: dict[int, object]
) -> None:
    target = await path(store, answer)
    changed = statuses(store)
    await store.history.undo()

    assert changed == expected
    assert "#1 “Item 1” has 2 open tasks." in words_of(target.asked[-1])
    assert statuses(store) == {}


async def test_several_items_name_their_open_tasks_together_and_list_what_changes(store: Store) -> None:
    target = FakeTarget(store, [1, 2], ["y", True])

    await run(target, "item.done")

    assert statuses(store) == dict.fromkeys((1, 2, 3, 5), "Done")
    assert "Changes 2 items, 2 tasks" in words_of(target.asked[1])


async def test_tasks_that_are_done_along_with_their_item_are_not_asked_about(store: Store) -> None:
    target = FakeTarget(store, [1, 3, 5], [True])

    await run(target, "item.done")

    assert len(target.asked) == 1


# Ended iterations


async def copied(store: Store, answer: object) -> FakeTarget:
    target = FakeTarget(store, [6], ["y", answer])
    await run(target, "item.duplicate")
    return target


async def copied_with_tasks(store: Store, answer: object) -> FakeTarget:
    target = FakeTarget(store, [8], ["t", answer])
    await run(target, "item.duplicate")
    return target


async def added(store: Store, answer: object) -> FakeTarget:
    target = FakeEditor(store, ItemDraft({"Name": "New", "AreaID": 1, "IterationID": ENDED}), [answer], "Story")
    await save_draft(target)  # type: ignore[arg-type] # as far as saving needs it
    return target


async def created_again_in_the_editor(store: Store, answer: object) -> FakeTarget:
    draft = ItemDraft({"Name": "Item 6", "AreaID": 1, "IterationID": ENDED})
    draft.set("Name", "Other")
    target = FakeEditor(store, draft, ["n", answer])
    target.item_id = 6
    store.files.submit(lambda writer: writer.mirror.remove_items([6])).result()
    await save_draft(target)  # type: ignore[arg-type] # as far as saving needs it
    return target


async def created_again_in_the_outbox(store: Store, answer: object) -> FakeTarget:
    await store.items.edit([6], {"Name": "Other"})
    refused = replace(store.outbox_entries()[0], state=EntryState.REFUSED)
    await store.files.write(lambda writer: keep_last_copy(writer, 6))
    await store.files.write(lambda writer: writer.journal.update(refused))
    target = FakeTarget(store, [6], ["n", answer])
    with stage():
        await resolve_item(target, 6)
    return target


CREATING = [copied, copied_with_tasks, added, created_again_in_the_editor, created_again_in_the_outbox]


@pytest.mark.parametrize("path", CREATING)
@pytest.mark.parametrize("answer", ["y", None])
async def test_an_item_is_created_in_an_ended_iteration_only_after_a_question(
    store: Store, path: Finishing, answer: object
) -> None:
    target = await path(store, answer)

    asked = [words_of(each) for each in target.asked if "has ended" in words_of(each)]
    assert len(asked) == 1
    assert "Sprint 0 ended" in asked[0]
    made = [each for each in store.outbox_entries() if each.kind is EntryKind.ADD]
    assert bool(made) is (answer == "y")


@pytest.mark.parametrize(("answer", "expected"), [("y", ENDED), (None, 2)])
async def test_a_conflict_takes_an_ended_iteration_only_after_a_question(
    store: Store, answer: object, expected: int
) -> None:
    await store.items.edit([1], {"IterationID": 2})
    entry = replace(store.outbox_entries()[0], state=EntryState.CONFLICT, theirs={"IterationID": 1})
    await store.files.write(lambda writer: writer.journal.update(entry))
    app = BareApp()
    async with app.run_test(size=(100, 30)):
        target = FakeTarget(store, [1])
        target.shown_on = app
        resolved = asyncio.create_task(resolve_item(target, 1))
        await until(lambda: isinstance(app.screen, ConflictDialog))
        dialog = app.screen
        assert isinstance(dialog, ConflictDialog)
        dialog.type_early("m")
        target.answers = [Choice(ENDED, "Sprint 0"), answer]
        dialog.type_early("e")
        await until(lambda: not target.answers)
        await app.workers.wait_for_complete()
        dialog.press("enter")
        await resolved

    assert "Sprint 0 ended" in words_of(target.asked[-1])
    assert [each.payload for each in store.outbox_entries()] == [{"IterationID": expected}]


async def test_a_task_that_follows_its_parent_into_an_ended_iteration_is_not_asked_about(store: Store) -> None:
    under_parent, beside, copy = (
        FakeTarget(store, [item_id], answers) for item_id, answers in ((6, ["Under"]), (7, ["Beside"]), (7, []))
    )

    await run(under_parent, "item.add-task")
    await run(beside, "item.add-task")
    await run(copy, "item.duplicate")

    made = [each.fields for each in store.outbox_entries()]
    assert [(each["Name"], each["ParentID"], each["IterationID"]) for each in made] == [
        ("Under", 6, ENDED),
        ("Beside", 6, ENDED),
        ("Item 7 (copy)", 6, ENDED),
    ]
    assert not any("has ended" in words_of(each) for target in (under_parent, beside, copy) for each in target.asked)
