"""The rules for values of work items, without a service."""

from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Any

import pytest

from backlit.model.errors import BadRequest
from backlit.model.fields import FIELD_BY_KEY, FIELDS, ItemType
from backlit.service.rules.checks import area_values, checked, is_id
from backlit.service.tables.projects import ProjectSettings
from backlit.service.tables.trees import LAST

FIELDS_BY_TYPE = {each.value: tuple(field for field in FIELDS if field.applies_to(each)) for each in ItemType}
SETTINGS = ProjectSettings(
    1, 1, 1, (), MappingProxyType({}), (), MappingProxyType(FIELDS_BY_TYPE), MappingProxyType({})
)


def values(item_type: str, *, creating: bool = False, **given: Any) -> Mapping[str, Any]:
    return checked(item_type, given, SETTINGS, lambda _kind, _value: True, creating=creating)


@pytest.mark.parametrize(
    ("value", "is_so"), [(1, True), (2**63 - 1, True), (0, False), (2**63, False), (True, False), (1.0, False)]
)
def test_an_id_is_a_whole_positive_number(value: object, is_so: bool) -> None:
    assert is_id(value) is is_so


def test_the_parent_of_a_task_is_set_on_create_only() -> None:
    assert values("Task", creating=True, Name="x", ParentID=7) == {"Name": "x", "ParentID": 7}
    assert values("Task", Name="x", ParentID=7) == {"Name": "x"}


def test_tags_lose_their_outer_blanks_and_repeats() -> None:
    assert values("Story", Tags=["ux", " API ", "ux ", "Ux"]) == {"Tags": ["ux", "API", "Ux"]}


@pytest.mark.parametrize("tag", ["", " ", "x" * 101, "a\0b", 5])
def test_a_tag_has_one_to_a_hundred_characters(tag: object) -> None:
    with pytest.raises(BadRequest) as caught:
        values("Story", Tags=[tag])

    assert set(caught.value.errors) == {"Tags"}


def test_the_preset_status_is_the_first_of_the_projects_own() -> None:
    own = replace(SETTINGS, value_lists=MappingProxyType({("Story", "Status"): ("Idea", "Done")}))

    assert own.default("Story", FIELD_BY_KEY["Status"]) == "Idea"
    assert own.default("Bug", FIELD_BY_KEY["Status"]) == "Not Done"


@pytest.mark.parametrize(("given", "stored"), [(-3, 0), (0, 0), (7, 7), (7.0, 7), (2**80, LAST)])
def test_a_sequence_is_kept_within_its_range(given: float, stored: int) -> None:
    assert area_values({"sequence": given}) == {"sequence": stored}
