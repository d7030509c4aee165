"""Settings of a project: read and changed in the service, checked by its own rules, and in the mirror at once."""

from typing import Any

import pytest
from tests.store.world import raised

from backlit.client.client import Client
from backlit.model.errors import BadRequest, Conflict
from backlit.store import Store
from backlit.store.edits.project_settings import SettingEdit


async def settings_of(client: Client) -> dict[str, Any]:
    return (await client.projects.settings(1).fetch()).document


async def test_a_change_is_in_the_service_and_in_the_mirror_at_once(store: Store, boss: Client) -> None:
    await store.project_settings.read()

    await store.project_settings.change(SettingEdit("timeZone", "Europe/Berlin"), "UTC")

    assert (await settings_of(boss))["timeZone"] == "Europe/Berlin"
    assert store.lookups.stated_settings().time_zone == "Europe/Berlin"


async def test_a_meaning_of_a_status_that_is_changed_here_moves_its_items_at_once(store: Store) -> None:
    await store.project_settings.read()

    await store.project_settings.change(SettingEdit("statusGroups", "done", "Deferred"), "excluded")

    assert store.lookups.status_groups().of("Deferred") == "done"


async def test_another_setting_that_was_changed_meanwhile_stays(store: Store, boss: Client) -> None:
    await store.project_settings.read()
    await boss.projects.settings(1).update({"daysOff": ["2026-12-25"]})

    await store.project_settings.change(SettingEdit("estimateScale", [1, 2, 4]), None)

    found = await settings_of(boss)
    assert (found["daysOff"], found["estimateScale"]) == (["2026-12-25"], [1, 2, 4])


async def test_the_same_setting_that_was_changed_meanwhile_is_replaced_only_when_it_was_seen(
    store: Store, boss: Client
) -> None:
    settings, edit = store.project_settings, SettingEdit("daysOff", ["2026-12-24"])
    await settings.read()
    await boss.projects.settings(1).update({"daysOff": ["2026-12-25"]})

    refused = await raised(settings.change(edit, []))
    left = await settings_of(boss)
    await settings.change(edit, settings.value_of("daysOff"))

    assert isinstance(refused, Conflict)
    assert left["daysOff"] == ["2026-12-25"]
    assert (await settings_of(boss))["daysOff"] == ["2026-12-24"]


async def test_a_change_of_one_entry_keeps_those_of_others(store: Store, boss: Client) -> None:
    settings = store.project_settings
    await settings.read()
    await boss.projects.settings(1).update({"wipLimits": {"In Progress": 4}})

    await settings.change(SettingEdit("wipLimits", 2, "Ready For Test"), None)
    both = (await settings_of(boss))["wipLimits"]
    await settings.change(SettingEdit("wipLimits", None, "In Progress"), 4)

    assert both == {"In Progress": 4, "Ready For Test": 2}
    assert (await settings_of(boss))["wipLimits"] == {"Ready For Test": 2}


async def test_a_project_without_rules_for_any_type_leaves_them_to_each_machine(store: Store, boss: Client) -> None:
    settings = store.project_settings
    await settings.read()
    await settings.change(SettingEdit("readyRules", ["estimate"], "Story"), None)

    await settings.change(SettingEdit("readyRules", None, "Story"), ["estimate"])

    assert (await settings_of(boss))["readyRules"] is None


FAULTS = [
    SettingEdit("timeZone", "Europe/Nowhere"),
    SettingEdit("workingDays", []),
    SettingEdit("workingDays", ["sunday"]),
    SettingEdit("daysOff", ["2026-02-30"]),
    SettingEdit("statusGroups", "halfway", "Done"),
    SettingEdit("statusGroups", "done", "Limbo"),
    SettingEdit("estimateScale", [3, 2]),
    SettingEdit("estimateScale", []),
    SettingEdit("readyRules", ["triage"], "Story"),
    SettingEdit("wipLimits", 0, "Done"),
    SettingEdit("wipLimits", 10_001, "Done"),
]


async def test_what_the_service_refuses_is_refused_here_before_it_is_sent(store: Store) -> None:
    settings = store.project_settings
    await settings.read()

    for edit in FAULTS:
        with pytest.raises(BadRequest) as here:
            settings.check(edit, edit.key)
        there = await raised(settings.change(edit, settings.value_of(edit.key, edit.entry)))

        assert isinstance(there, BadRequest), edit
        # Only the shape of a scale has other words for people than JSON has.
        assert edit.key == "estimateScale" or there.errors[edit.key] == here.value.message


async def test_what_the_service_takes_is_taken_here(store: Store) -> None:
    settings = store.project_settings
    await settings.read()

    for edit in (
        SettingEdit("timeZone", "Europe/Berlin"),
        SettingEdit("workingDays", ["sun", "mon"]),
        SettingEdit("daysOff", ["2026-12-25"]),
        SettingEdit("statusGroups", None, "Done"),
        SettingEdit("estimateScale", None),
        SettingEdit("estimateScale", [0.5, 1]),
        SettingEdit("readyRules", [], "Story"),
        SettingEdit("wipLimits", 1, "Done"),
    ):
        settings.check(edit, edit.key)
        await settings.change(edit, settings.value_of(edit.key, edit.entry))
