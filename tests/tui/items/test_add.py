"""Adding items: what they take over from a group, and what a template fills in."""

import pytest
from tests.store.world import World, sent, until
from tests.tui.bare_app import text_of
from tests.tui.list_steps import fields_of, items, press

from backlit.model.errors import BadRequest
from backlit.model.fields import ItemType
from backlit.model.filters import POINTS
from backlit.model.settings.user_settings import Template
from backlit.store import Store
from backlit.store.templates import template_fields
from backlit.tui.app.app import BacklitApp
from backlit.tui.lists.list_screen import group_preset

INCIDENT = Template(
    "Incident",
    ItemType.BUG,
    {"Name": "Incident: ", "Severity": "2 - High", "Tags": ["support"], "Estimate": 3, "StepsToReproduce": " 1. …\n"},
    ("Reproduce", "Tell support"),
)


@pytest.mark.slow
async def test_a_template_fills_in_fields_and_tasks_and_is_one_step(world: World, store: Store) -> None:
    async with BacklitApp(store, templates=[INCIDENT]).run_test(size=(120, 40), notifications=True) as pilot:
        await pilot.pause()
        await press(pilot, "a", *"incident", "enter", *"shop down", "enter")
        await sent(store)
        await until(lambda: len(store.batch.tasks_of(items(pilot).current_id or 0)) == 2)
        item_id = items(pilot).current_id or 0
        fields = await fields_of(world, store, item_id)
        tasks = await world.rival.work_items.tasks(item_id).page()
        await press(pilot, "u")

        assert fields["Name"] == "Incident: shop down"
        assert (fields["Severity"], fields["Tags"], fields["Estimate"]) == ("2 - High", ["support"], "3")
        assert fields["StepsToReproduce"] == " 1. …\n"
        assert [each["fields"]["Name"] for each in tasks.results] == ["Reproduce", "Tell support"]
        assert text_of(pilot.app).count("Not done → Deleted") == 3


async def test_what_a_project_does_not_have_is_said_with_the_template(store: Store) -> None:
    with pytest.raises(BadRequest, match="“A” does not fit this project: There is no area “Nowhere”"):
        template_fields(store, Template("A", ItemType.BUG, {"AreaID": "Nowhere"}))
    with pytest.raises(BadRequest, match="which this project does not have"):
        template_fields(store, Template("A", ItemType.BUG, {"Size_cf": 3}))


@pytest.mark.slow
async def test_what_is_added_in_a_group_belongs_there(world: World, store: Store) -> None:
    async with BacklitApp(store).run_test(size=(120, 40), notifications=True) as pilot:
        await pilot.pause()
        await press(pilot, "t", "g", *"owner", "tab", "ctrl+u", *"type", "enter", "g", "g")
        group = items(pilot).group_here()
        await press(pilot, "a", "enter", *"In its group", "enter")
        await until(lambda: (items(pilot).current_id or 0) != 0)
        fields = await fields_of(world, store, items(pilot).current_id or 0)

        assert list(group) == ["AssignedToID"]
        assert (fields["Name"], fields["AssignedToID"]) == ("In its group", group["AssignedToID"])


@pytest.mark.slow
async def test_a_new_item_that_the_filter_hides_is_said_to_be_hidden(store: Store) -> None:
    async with BacklitApp(store).run_test(size=(120, 40), notifications=True) as pilot:
        await pilot.pause()
        await press(pilot, "f", "m", "a", "enter", *"Nobody has this", "enter")

        await until(lambda: "hidden" in text_of(pilot.app))


@pytest.mark.parametrize(
    ("item_type", "group", "expected"),
    [
        (ItemType.STORY, {POINTS: 5.0}, {"Estimate": "5"}),
        (ItemType.FEEDBACK, {POINTS: 5.0, "AssignedToID": 3}, {}),
        (ItemType.ISSUE, {"Status": "In Progress"}, {}),
        (ItemType.STORY, {"Status": "In Progress", "Tags": ("a", "b")}, {"Status": "In Progress", "Tags": ["a", "b"]}),
        (ItemType.BUG, {"IsBlocking": 1, "createdBy": "maya", "type": "Bug"}, {"IsBlocking": True}),
        (ItemType.FEEDBACK, {"IsPrivate": 1}, {}),
    ],
)
async def test_only_what_the_type_can_have_is_taken_over_and_nothing_that_customers_see(
    store: Store, item_type: ItemType, group: dict[str, object], expected: dict[str, object]
) -> None:
    assert group_preset(store, item_type, group) == expected
