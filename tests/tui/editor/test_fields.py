"""Every row of the field table goes through the editor to the service; every wrong value is explained."""

from collections.abc import Mapping, Sequence

import pytest
from tests.store.world import World, sent, until
from tests.tui.bare_app import line_with, missing, text_of
from tests.tui.editor_steps import Edit, burst, fields_on, go_to, item_of, save, screen_of
from textual.pilot import Pilot

from backlit.model.fields import Field, ItemType, Kind
from backlit.store import Store
from backlit.store.records.merge import is_same
from backlit.tui.editor.screen import ItemEditorScreen
from backlit.tui.fields.choices import PICKED_KINDS, field_choices, likely_value

TYPED: Mapping[Kind, tuple[str, object]] = {
    Kind.TEXT: ("Typed [x]", "Typed [x]"),
    Kind.INTEGER: ("7", 7),
    Kind.NUMBER: ("2,5", 2.5),
    Kind.DATE: ("2027-03-30", "2027-03-30"),
}


def keys_for(store: Store, field: Field, item_type: str, before: object) -> tuple[Sequence[str], object]:
    """The keys with which a person would give a field another value, and what it should be then."""
    if field.kind in TYPED:
        text, value = ("21", "21") if field.key == "Estimate" else TYPED[field.kind]
        return ("enter", "ctrl+u", *text, "enter"), value
    if field.kind is Kind.BOOLEAN:
        return ("enter",), before is not True
    if field.kind is Kind.LONG_TEXT:
        return ("enter", *"# new", "escape"), f"{before or ''}# new"
    if field.kind is Kind.TAGS:
        present = before if isinstance(before, list) else []
        return ("enter", *"fresh", "enter"), [*present, "fresh"]
    assert field.kind in PICKED_KINDS, field
    choices = field_choices(store, field, item_type, before)
    values = [choice.value for choice in choices]
    at = next(index for index, value in enumerate(values) if value not in {before, None})
    start = likely_value(store, field, before)
    moves = at - (values.index(start) if start in values else 0)
    return ("enter", *["down" if moves > 0 else "up"] * abs(moves), "enter"), values[at]


async def edit_field(pilot: Pilot[None], store: Store, field: Field, item_type: str) -> object:
    """Give a field another value; the keys come all at once, as no key has to wait for a picture."""
    screen = screen_of(pilot)
    screen.form.grid.go_to(field.key)
    keys, value = keys_for(store, field, item_type, screen.draft.value(field.key))
    burst(pilot, *keys)

    def is_there() -> bool:
        return is_same(screen.draft.value(field.key), value) and pilot.app.screen is screen and not screen.form.open_key

    await until(is_there, lambda: (field.key, screen.draft.value(field.key), value, text_of(pilot.app)))
    return value


@pytest.mark.slow
@pytest.mark.parametrize("item_type", list(ItemType))
@pytest.mark.long_but("Story", "Task", "Risk")
async def test_every_field_of_a_type_is_edited_and_reaches_the_service(
    world: World, store: Store, edit: Edit, item_type: ItemType
) -> None:
    if item_type is ItemType.RISK:
        await world.rival.work_items.create({"type": "Risk", "projectId": 1, "fields": {"Name": "Flood"}})
        await store.refresh()
    item_id = await item_of(world, item_type)

    async with edit(item_id, (120, 60)) as pilot:
        screen = screen_of(pilot)
        fields = [each for each in screen.lines.fields(screen.draft) if screen.lines.why_fixed(each) is None]
        wanted = {field.key: await edit_field(pilot, store, field, item_type) for field in fields}
        await pilot.press("ctrl+s")
        if item_type is ItemType.FEEDBACK:
            await pilot.press("y")
        await pilot.pause()
        assert missing(pilot.app, ["Saved"]) == [], text_of(pilot.app)
        found = await fields_on(world, store, item_id)

        assert {key: found[key] for key in wanted} == wanted


@pytest.mark.slow
async def test_a_new_task_finds_its_parent_by_name(world: World, store: Store, edit: Edit) -> None:
    parent = await item_of(world, "Story")
    await world.rival.work_items.update(parent, {"Name": "Quokka checkout"})
    await store.refresh()

    async with edit(item_type="Task") as pilot:
        await pilot.press("enter", *"Part", "enter")
        await go_to(pilot, "ParentID")
        await pilot.press("enter", *"quokka")
        await pilot.pause(0.2)
        await pilot.press("enter")
        await pilot.pause()
        shown = line_with(pilot.app, "▌~Parent")
        await save(pilot)
        await sent(store)
        page = await world.rival.work_items.page(filter="Name eq 'Part'")

        assert shown.rstrip(" │").endswith(f"#{parent} Quokka checkout")
        assert page.results[0]["fields"]["ParentID"] == parent


FAULTS = [
    ("Bug", "Name", "", "Name cannot be empty."),
    ("Bug", "Name", "x" * 501, "Name may have 500 characters; this has 501."),
    ("Bug", "Priority", "high", "Priority is a whole number, such as 3; “high” is not."),
    ("Bug", "Priority", "2.5", "Priority is a whole number, such as 3; “2.5” is not."),
    ("Bug", "Priority", "h" * 25, f"Priority is a whole number, such as 3; “{'h' * 23}…” is not."),
    ("Bug", "Priority", "99999999999999999", "Priority is too large."),
    ("Task", "WorkRemaining", "soon", "Work remaining is a number, such as 2.5 or 2,5; “soon” is not."),
]


@pytest.mark.slow
@pytest.mark.parametrize("case", FAULTS, ids=lambda case: f"{case[1]}-{case[2][:10]}")
@pytest.mark.long_but("Name", "Priority-high", "WorkRemaining")
async def test_a_wrong_value_is_explained_when_the_field_is_left_and_again_at_save(
    world: World, store: Store, edit: Edit, case: tuple[str, str, str, str]
) -> None:
    item_type, key, text, sentence = case
    item_id = await item_of(world, item_type)

    async with edit(item_id, (230, 40)) as pilot:
        await go_to(pilot, key)
        await pilot.press("enter", "ctrl+u")
        screen_of(pilot).form.grid.input.value = text
        await pilot.press("tab")
        await pilot.pause()
        left = missing(pilot.app, [f"! {sentence}"])
        await pilot.press("G", "ctrl+s")
        await pilot.pause()

        assert left == []
        assert missing(pilot.app, [f"! {sentence}", "to fix"]) == []
        assert screen_of(pilot).form.field.key == key
        assert store.outbox_entries() == ()


async def test_a_restored_draft_that_is_wrong_is_not_saved_in_part(world: World, store: Store, edit: Edit) -> None:
    item_id = await item_of(world, "Bug")
    await store.drafts.save(f"edit:{item_id}", {"changes": {"Estimate": "5"}, "unread": {"Priority": "high"}})

    async with edit(item_id) as pilot:
        await pilot.press("ctrl+s")
        await pilot.pause()

        assert missing(pilot.app, ["1 to fix", "“high” is not."]) == []
        assert store.outbox_entries() == ()


@pytest.mark.slow
async def test_what_customers_see_is_marked_and_saved_only_after_a_yes(world: World, store: Store, edit: Edit) -> None:
    item_id = await item_of(world, "Feedback")
    before = await fields_on(world, store, item_id)

    async with edit(item_id) as pilot:
        await go_to(pilot, "IsVisibleInPortal")
        marked = missing(pilot.app, ["Portal: customers see this", "Customers see it; saving asks."])
        await pilot.press("enter", "ctrl+s")
        await pilot.pause()
        asked = missing(pilot.app, ["» Customers see this", "Visible in portal →"])
        await pilot.press("enter")
        await pilot.pause()
        unsent = store.outbox_entries()
        await pilot.press("ctrl+s", "y")
        await pilot.pause()

        assert (marked, asked, unsent) == ([], [], ())
        assert (await fields_on(world, store, item_id))["IsVisibleInPortal"] is not before["IsVisibleInPortal"]


# Ways to save and to look


async def command(pilot: Pilot[None], words: str) -> None:
    await pilot.press(":")
    await pilot.pause()
    await pilot.press(*words, "enter")
    await pilot.pause()


@pytest.mark.slow
async def test_wq_saves_and_closes(world: World, store: Store, edit: Edit) -> None:
    item_id = await item_of(world, "Bug")

    async with edit(item_id) as pilot:
        await pilot.press("e", "ctrl+u", *"Other", "escape")
        await command(pilot, "wq")
        await pilot.pause(0.2)

        assert "Saved" in text_of(pilot.app)
        assert not isinstance(pilot.app.screen, ItemEditorScreen)
        assert (await fields_on(world, store, item_id))["Name"] == "Other"


@pytest.mark.slow
async def test_q_with_a_bang_throws_the_changes_away(world: World, store: Store, edit: Edit) -> None:
    item_id = await item_of(world, "Bug")

    async with edit(item_id) as pilot:
        await pilot.press("e", "ctrl+u", *"Other", "escape")
        await command(pilot, "q!")
        await pilot.pause(0.5)

        assert store.drafts.find(f"edit:{item_id}") is None
        assert store.outbox_entries() == ()


@pytest.mark.slow
async def test_a_word_that_is_no_command_is_said_to_be_none(world: World, edit: Edit) -> None:
    async with edit(await item_of(world, "Bug")) as pilot:
        await command(pilot, "wat")
        await pilot.pause()

        assert "Unknown command “wat”" in text_of(pilot.app)
        assert "? lists all commands." in text_of(pilot.app)


@pytest.mark.slow
async def test_save_and_next_begins_another_at_the_same_place(world: World, store: Store, edit: Edit) -> None:
    item_id = await item_of(world, "Story")
    before = await fields_on(world, store, item_id)

    async with edit(item_id) as pilot:
        await pilot.press("e", "ctrl+u", *"First", "ctrl+n")
        await pilot.pause(0.3)
        assert " new " in text_of(pilot.app).splitlines()[0]
        await pilot.press(*"Second", "ctrl+s")
        await until(lambda: "has ended" in text_of(pilot.app), lambda: text_of(pilot.app))
        await pilot.press("y")
        await sent(store)
        page = await world.rival.work_items.page(filter="Name eq 'Second'")

        assert (await fields_on(world, store, item_id))["Name"] == "First"
        assert page.results[0]["fields"]["IterationID"] == before["IterationID"]
        assert page.results[0]["fields"]["AreaID"] == before["AreaID"]


@pytest.mark.slow
async def test_a_long_text_is_looked_at_as_markdown_and_written_on(world: World, store: Store, edit: Edit) -> None:
    item_id = await item_of(world, "Story")
    await world.rival.work_items.update(item_id, {"Description": "# Head\n\n- one **bold**"})
    await store.refresh()

    async with edit(item_id) as pilot:
        await go_to(pilot, "Description")
        rendered = missing(pilot.app, ["• one bold"])
        await pilot.press("ctrl+t", *"x", "ctrl+t")
        await pilot.pause()
        again = missing(pilot.app, ["• one bold", "1 change "])
        await pilot.press("p")
        await pilot.pause()

        assert (rendered, again) == ([], [])
        assert "• one bold" not in text_of(pilot.app)


@pytest.mark.slow
async def test_values_stay_readable_in_a_narrow_terminal(world: World, store: Store, edit: Edit) -> None:
    item_id = await item_of(world, "Bug")
    await world.rival.work_items.update(item_id, {"Tags": ["alpha", "beta", "gamma", "delta"]})
    await store.refresh()

    async with edit(item_id, (30, 40)) as pilot:
        await go_to(pilot, "CalculatedEstimate")

        assert line_with(pilot.app, "Tags") == "  Tags        alpha, beta +2"
        assert line_with(pilot.app, "▌").startswith("▌ Calculate…  ")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("item_type", "key", "case"),
    [
        ("Story", "Estimate", ("8", "13", "13")),
        ("Story", "Priority", (3, "7", 7)),
        ("Task", "WorkRemaining", (2.5, "4", 4.0)),
        ("Story", "Name", ("Basket", " empty", "Basket empty")),
        ("Feedback", "Source", ("A call", " on Monday", "A call on Monday")),
    ],
)
@pytest.mark.long_but("case0", "case2")
async def test_typing_replaces_a_value_and_goes_on_at_the_end_of_a_text(
    world: World, edit: Edit, item_type: str, key: str, case: tuple[object, str, object]
) -> None:
    held, typed, expected = case
    page = await world.rival.work_items.page(filter=f"projectId eq 1 and type eq '{item_type}'", top=1)
    item_id = page.results[0]["id"]
    await world.rival.work_items.update(item_id, {key: held})
    async with edit(item_id) as pilot:
        screen = screen_of(pilot)
        await screen.store.refresh()
        screen.form.grid.go_to(key)
        await pilot.press("enter", *("space" if sign == " " else sign for sign in typed), "enter")

        assert screen.draft.value(key) == expected
