"""One verb for many items: how far it reaches, what it would do, what it did."""

import re
from pathlib import Path

import pytest
from tests.store.documents import item, offline_store
from tests.store.world import World, sent, until
from tests.tui.bare_app import messages_of, missing, text_of, words_of_dialog
from tests.tui.list_steps import fields_of, go_to, items, press, select, shown
from tests.tui.opened import Open
from tests.tui.target import FakeTarget, stage, taken_by, words_of

from backlit.model.fields import FIELD_BY_KEY
from backlit.store import Store
from backlit.store.records.people import current, leaves
from backlit.tui.dialogs.pick import PickDialog
from backlit.tui.drawing.themes import type_sign
from backlit.tui.fields.field_edits import FieldEdit, change_tags_edit, set_field_edit
from backlit.tui.items.bulk_edit import bulk_question, journal
from backlit.tui.widgets.item_rows import SYNCED_SIGN


@pytest.mark.slow
async def test_a_verb_acts_on_all_selected_items_once_the_difference_was_agreed_to(
    world: World, store: Store, opened: Open
) -> None:
    async with opened(store) as pilot:
        ids = await select(pilot, store, "Story", "Bug")
        await press(pilot, "c", "e", *"40", "enter")
        asked = text_of(pilot.app)
        before = [(await fields_of(world, store, each))["Estimate"] for each in ids]
        await press(pilot, "y")

        assert "Changes 2 items ─" in asked
        assert "y apply to 2 items" in " ".join(asked.split())
        assert before != ["40", "40"]
        assert [(await fields_of(world, store, each))["Estimate"] for each in ids] == ["40", "40"]


@pytest.mark.slow
@pytest.mark.parametrize(("answer", "changed"), [("y", [0, 1]), ("o", [1]), ("escape", [])])
async def test_selected_items_that_the_filter_hides_are_named_before_a_verb_acts(
    store: Store, opened: Open, answer: str, changed: list[int]
) -> None:
    async with opened(store) as pilot:
        ids = await select(pilot, store, "Story", "Bug")
        await press(pilot, "/", *"type:bug", "enter", "c", "e")
        asked = text_of(pilot.app)
        await press(pilot, answer)
        if answer != "escape":
            await press(pilot, *"40", "enter", "y")
        await sent(store)

        assert "Selected: 2 items. Hidden by the filter: 1 item." in asked
        assert "only the 1 item shown" in asked
        assert [at for at, each in enumerate(ids) if store.batch.items([each])[0].fields["Estimate"] == "40"] == changed


@pytest.mark.slow
async def test_a_command_without_a_dialog_asks_about_hidden_items_too(store: Store, opened: Open) -> None:
    async with opened(store) as pilot:
        await select(pilot, store, "Story", "Bug")
        await press(pilot, "/", *"type:bug", "enter", "y", "y")
        asked = text_of(pilot.app)
        await press(pilot, "y")

        assert "Selected: 2 items. Hidden by the filter: 1 item." in asked
        assert "Copied" in text_of(pilot.app)


@pytest.mark.slow
async def test_nothing_is_written_without_a_yes(world: World, store: Store, opened: Open) -> None:
    for key in ("enter", "escape", "n"):
        async with opened(store) as pilot:
            await select(pilot, store, "Story", "Bug")
            await press(pilot, "c", "e", *"40", "enter", key, ".")
            await sent(store)

            assert "There is no change to repeat yet." in text_of(pilot.app)
            assert store.outbox_entries() == ()
            assert "40" not in [row.estimate for row in await shown(store)]


@pytest.mark.slow
async def test_what_applies_to_how_many_is_said_before(world: World, store: Store, opened: Open) -> None:
    async with opened(store) as pilot:
        _, _, feedback = await select(pilot, store, "Story", "Bug", "Feedback")
        await press(pilot, "s")
        picker = text_of(pilot.app)
        await press(pilot, *"deferred", "enter")
        asked = words_of_dialog(pilot.app)
        await press(pilot, "y")
        await sent(store)

        assert "Status: 2 of 3 apply" in picker
        assert "Changes 2 items ─" in asked
        assert "Stays as it is 1 item ─" in asked
        assert re.search(r"#\d+ » .* a feedback has no status", asked)
        assert "→ Deferred" in asked
        assert (await fields_of(world, store, feedback)).get("Status") is None


@pytest.mark.slow
async def test_a_copy_of_several_lines_names_its_form_and_the_items(store: Store, opened: Open) -> None:
    async with opened(store) as pilot:
        await select(pilot, store, "Story", "Bug")
        said = []
        for key in "ntj":
            await press(pilot, "y", key)
            said.append(text_of(pilot.app))

        assert "Copied names of 2 items" in said[0]
        assert "Copied a table of 2 items" in said[1]
        assert "Copied JSON of 2 items" in said[2]


@pytest.mark.slow
async def test_a_prompt_counts_selected_tasks_apart(store: Store, opened: Open) -> None:
    async with opened(store) as pilot:
        await select(pilot, store, "Story", "Task")
        await press(pilot, "s")
        picker = text_of(pilot.app)
        await press(pilot, "escape", "c", "c")

        assert "Status of 1 item, 1 task" in picker
        assert "Field of 1 item, 1 task" in text_of(pilot.app)


@pytest.mark.slow
async def test_a_value_that_a_type_does_not_have_is_left_out_with_the_reason(
    world: World, store: Store, opened: Open
) -> None:
    async with opened(store) as pilot:
        story, task = await select(pilot, store, "Story", "Task")
        await press(pilot, "s", *"ready for test")
        picker = text_of(pilot.app)
        await press(pilot, "enter")
        asked = words_of_dialog(pilot.app)
        await press(pilot, "y")

        assert "1 of 2" in picker
        assert "a task's status must be one of: Not Done, In Progress" in asked
        assert (await fields_of(world, store, story))["Status"] == "Ready For Test"
        assert (await fields_of(world, store, task))["Status"] != "Ready For Test"


@pytest.mark.slow
async def test_where_it_applies_to_none_it_says_why(store: Store, opened: Open) -> None:
    async with opened(store) as pilot:
        await select(pilot, store, "Feedback", "Task")
        await press(pilot, "c", "e")

        assert missing(pilot.app, ["A feedback has no estimate.", "A task has no estimate."]) == []


@pytest.mark.slow
async def test_tags_are_put_on_and_taken_off_and_others_stay(world: World, store: Store, opened: Open) -> None:
    rows = await shown(store)
    story, bug = (next(row.id for row in rows if row.type == kind) for kind in ("Story", "Bug"))
    await store.items.edit([story], {"Tags": ["alpha", "shared"]})
    await store.items.edit([bug], {"Tags": ["beta", "shared"]})
    async with opened(store) as pilot:
        await select(pilot, store, "Story", "Bug")
        await press(pilot, "c", "g", *"shared", "tab", *"alpha")
        mixed = text_of(pilot.app)
        await press(pilot, "tab", *"brand new", "enter")
        asked = words_of_dialog(pilot.app)
        await press(pilot, "y")

        assert "1 of 2" in mixed
        assert "– alpha" in mixed
        assert "−shared +brand new" in asked
        assert "−shared +alpha +brand new" in asked
        assert set(_tags(await fields_of(world, store, story))) == {"alpha", "brand new"}
        assert set(_tags(await fields_of(world, store, bug))) == {"beta", "alpha", "brand new"}


def _tags(fields: dict[str, object]) -> list[str]:
    tags = fields["Tags"]
    assert isinstance(tags, list)
    return tags


@pytest.mark.slow
async def test_what_is_synced_and_what_customers_see_is_said(store: Store, world: World, opened: Open) -> None:
    async with opened(store) as pilot:
        item_id = await go_to(pilot, store, "Feedback")
        before = (await fields_of(world, store, item_id)).get("IsPrivate")
        await press(pilot, "c", "c", *"private", "enter")
        asked = text_of(pilot.app)
        await press(pilot, "escape")
        kept = (await fields_of(world, store, item_id)).get("IsPrivate")
        await press(pilot, "c", "c", *"private", "enter", "y")

        assert "Customers see this." in asked
        assert kept == before
        assert (await fields_of(world, store, item_id))["IsPrivate"] is not before


@pytest.mark.slow
async def test_a_repeat_does_the_last_change_again_here_and_with_a_count_on_so_many_rows(
    world: World, store: Store, opened: Open
) -> None:
    rows = await shown(store)
    async with opened(store) as pilot:
        story = await go_to(pilot, store, "Story")
        await press(pilot, "c", "i", *"Sprint 15", "enter")
        index = [row.id for row in rows].index(story)
        await press(pilot, "j", ".")
        await press(pilot, "j", "2", ".", "y")
        wanted = (await fields_of(world, store, story))["IterationID"]

        found = [(await fields_of(world, store, row.id))["IterationID"] for row in rows[index + 1 : index + 4]]
        assert found == [wanted] * 3


@pytest.mark.slow
async def test_a_count_before_a_verb_is_the_number_of_rows_it_acts_on(world: World, store: Store, opened: Open) -> None:
    rows = await shown(store)
    async with opened(store) as pilot:
        await press(pilot, "3", "c", "c", *"iteration", "enter", *"Sprint 15", "enter", "y")
        found = [(await fields_of(world, store, row.id))["IterationID"] for row in rows[:4]]
        await press(pilot, "2", "y", "y")

        assert found[0] == found[1] == found[2] != found[3]
        assert pilot.app.clipboard == f"{rows[0].id}, {rows[1].id}"


@pytest.mark.slow
async def test_items_that_are_gone_meanwhile_are_left_out(world: World, store: Store, opened: Open) -> None:
    async with opened(store) as pilot:
        story, bug = await select(pilot, store, "Story", "Bug")
        await press(pilot, "c", "e", *"40", "enter")
        await world.rival.work_items.delete(bug)
        await store.refresh()
        await press(pilot, "y")

        assert (await fields_of(world, store, story))["Estimate"] == "40"


@pytest.mark.slow
async def test_escape_keeps_the_selection_until_the_search_is_closed(store: Store, opened: Open) -> None:
    async with opened(store) as pilot:
        await select(pilot, store, "Story")
        await press(pilot, "/", *"a", "enter", "escape")
        after_search = text_of(pilot.app)
        await press(pilot, "escape")
        await until(lambda: "selected" not in text_of(pilot.app))

        assert "1 selected" in after_search


@pytest.mark.slow
async def test_the_iterations_begin_at_the_current_one_for_an_item_in_the_backlog(store: Store, opened: Open) -> None:
    now = current(leaves(store.lookups.iterations().values()), store.today())[0]
    async with opened(store) as pilot:
        await press(pilot, "/", *"iter:none type:story", "enter", "c", "i")

        await until(lambda: re.search(rf"▌ +{now.name} ", text_of(pilot.app)), lambda: text_of(pilot.app))


LONG, CUT = "y" * 61, "y" * 59 + "…"


@pytest.mark.parametrize(
    ("act", "ids", "heading", "lines"),
    [
        (change_tags_edit(["b"], ["a"]), [1], "", ["#1 {0} Item 1 −a +b"]),
        (
            change_tags_edit(["b"], ["a"]),
            [1, 2, 3, 4],
            "⇄ 1 of them is synced with another tracker.",
            [
                "Changes 2 items",
                "#1 {0} Item 1 −a +b",
                "#3 {1} Item 3 −a +b",
                "Stays as it is 1 item, 1 task",
                "#2 {1} Item 2 unchanged",
                "#4 {2} Item 4 a task has no tags",
            ],
        ),
        (
            set_field_edit(FIELD_BY_KEY["Estimate"], "5", "5"),
            [2, 3],
            "⇄ 2 of them are synced with another tracker.",
            ["Changes 2 items", "#2 {1} Item 2 not set → 5", "#3 {1} Item 3 3 → 5"],
        ),
        (
            set_field_edit(FIELD_BY_KEY["Estimate"], None, "–"),
            [3],
            "⇄ 1 of them is synced with another tracker.",
            ["#3 {1} Item 3 3 → not set"],
        ),
        (
            set_field_edit(FIELD_BY_KEY["IsVisibleInPortal"], True, "yes"),
            [1],
            "» Customers see this.",
            ["#1 {0} Item 1 not set → yes"],
        ),
        (
            set_field_edit(FIELD_BY_KEY["Description"], LONG, "long"),
            [1],
            "",
            [f"#1 {{0}} Item 1 {'x' * 60} → {CUT}"],
        ),
    ],
)
async def test_the_question_about_a_change_names_its_reach_its_warnings_and_each_value(
    tmp_path: Path, act: FieldEdit, ids: list[int], heading: str, lines: list[str]
) -> None:
    documents = [
        item(1, kind="Feedback", Tags=["a", "z"], Description="x" * 60),
        item(2, Tags=["b"], SyncID="J-1"),
        item(3, Tags=["a"], SyncID="J-2", Estimate="3"),
        item(4, kind="Task", Tags=["b"]),
    ]
    with offline_store(tmp_path, documents) as store:
        plan = act.bulk_change(store.batch.items(ids), store.lookups)
        title, *found = words_of(await bulk_question(store, plan)).splitlines()

    signs = [type_sign("Feedback"), type_sign("Story"), type_sign("Task")]
    shown = " ".join(line.format(*signs) for line in lines)
    found = [" ".join(line.replace("─", " ").split()) for line in found]
    assert title == act.label
    assert found == ([heading.replace("⇄", SYNCED_SIGN)] if heading else []) + [shown]


async def test_a_change_that_is_the_same_for_all_items_stands_in_the_title_alone(tmp_path: Path) -> None:
    with offline_store(tmp_path, [item(1, Estimate="3"), item(2, Estimate="3"), item(3, Estimate="5")]) as store:
        act = set_field_edit(FIELD_BY_KEY["Estimate"], "5", "5")
        same = act.bulk_change(store.batch.items([1, 2]), store.lookups)
        mixed = act.bulk_change(store.batch.items([1, 2, 3]), store.lookups)

        assert words_of(await bulk_question(store, same)).splitlines()[0] == "Estimate: 3 → 5"
        assert "→" not in words_of(await bulk_question(store, same)).splitlines()[-1]
        assert words_of(await bulk_question(store, mixed)).endswith("Item 3 already 5")


@pytest.mark.slow
@pytest.mark.parametrize(("status", "is_warned"), [("testing", True), ("deferred", False)])
async def test_items_that_begin_without_being_ready_are_counted(
    store: Store, opened: Open, status: str, is_warned: bool
) -> None:
    async with opened(store) as pilot:
        await press(pilot, "/", *"type:story", "enter", "f", "!", "asterisk")
        count = items(pilot).row_count()
        await press(pilot, "s", *status, "enter")
        await until(lambda: "y  apply to" in text_of(pilot.app), lambda: text_of(pilot.app))

        assert (f"¬ Changes, but not ready {count:,} items ─" in text_of(pilot.app)) is is_warned
        assert bool(re.search(r" #\d+ .*  no estimate", text_of(pilot.app))) is is_warned


async def test_only_items_that_a_change_begins_are_marked_as_not_ready(tmp_path: Path) -> None:
    documents = [
        item(number, kind="Story", Status=status) for number, status in ((1, "Not Done"), (2, "Ready For Test"))
    ]
    with offline_store(tmp_path, documents) as store:
        statuses = {1: "In Progress", 2: "Done"}
        act = FieldEdit("Status: one column right", ("Status",), lambda each: {"Status": statuses[each.id]})
        plan = act.bulk_change(store.batch.items([1, 2]), store.lookups)

        words = words_of(await bulk_question(store, plan))
        assert re.search("Changes 1 item ─* #2 .* ¬ Changes, but not ready 1 item ─* #1 ", words)


async def test_only_the_ready_ones_are_changed_where_the_answer_says_so(tmp_path: Path) -> None:
    with offline_store(tmp_path, [item(1), item(2), item(3)]) as store:
        now = f"{store.today()}T00:00:00.000"
        ready = {**item(3, Estimate="3", AreaID=2, AssignedToID=7), "lastModifiedAt": now}
        store.files.submit(lambda writer: writer.mirror.put_items([ready], [])).result()
        act = set_field_edit(FIELD_BY_KEY["Status"], "In Progress", "In Progress")
        target = FakeTarget(store, answers=["r"])
        with stage():
            await journal(target, act, store.batch.items([1, 2, 3]))

        assert taken_by(target.asked[0], "yr") == "yr"
        assert {entry.item_id for entry in store.outbox_entries()} == {3}


@pytest.mark.slow
async def test_a_selected_item_that_was_deleted_is_not_called_hidden(tmp_path: Path, opened: Open) -> None:
    with offline_store(tmp_path, [item(1), item(2), item(3)]) as store:
        async with opened(store) as pilot:
            await press(pilot, "space", "space")
            await store.deletions.delete_items([1])
            await until(lambda: "Item 1 " not in text_of(pilot.app), lambda: text_of(pilot.app))
            await press(pilot, "s")
            said = messages_of(pilot.app)
            await press(pilot, "s")

            assert said == {"#1 was deleted meanwhile. 1 item is still selected."}
            assert isinstance(pilot.app.screen, PickDialog)
