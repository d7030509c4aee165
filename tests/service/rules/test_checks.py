"""The rules for values of work items, without a service."""

import json
from collections.abc import Mapping, Sequence
from datetime import date
from types import MappingProxyType
from typing import Any

import pytest
from msgspec.structs import replace
from starlette.datastructures import Headers, QueryParams

from backlit.model.errors import BacklitError, BadRequest, Forbidden, NotFound, PreconditionFailed
from backlit.model.field_values import INTEGER_LIMIT
from backlit.model.fields import FIELD_BY_KEY, FIELDS, NAME_LIMIT, ItemType, Kind, ValueType, custom_field
from backlit.model.resources import Area
from backlit.service.admin.projects import LONGEST_ITERATION, ProjectChange
from backlit.service.auth.callers import WAITING, Passwords
from backlit.service.http.endpoint import etag_of, must_match
from backlit.service.http.listing import options_of, resource_page
from backlit.service.http.options import NUMBER_LIMIT, TOP_DEFAULT, TOP_LIMIT
from backlit.service.rules.checks import (
    TAG_LIMIT,
    TEXT_LIMIT,
    area_values,
    checked,
    is_id,
    iteration_values,
    must_not_end_early,
    new_dates,
    text_fault,
)
from backlit.service.storage.access import Caller, Role
from backlit.service.storage.filter_sql import properties_of
from backlit.service.tables.projects import ProjectSettings
from backlit.service.tables.siblings import LAST_SEQUENCE

FIELDS_BY_TYPE = {each.value: tuple(field for field in FIELDS if field.applies_to(each)) for each in ItemType}
SETTINGS = ProjectSettings(
    1, 1, 1, (), MappingProxyType({}), (), MappingProxyType(FIELDS_BY_TYPE), MappingProxyType({})
)


def values(item_type: str, *, creating: bool = False, **given: Any) -> Mapping[str, Any]:
    return checked(item_type, given, SETTINGS, lambda _kind, _value: True, creating=creating)


@pytest.mark.slow
async def test_no_password_is_right_for_a_user_without_one() -> None:
    passwords = Passwords()

    found = [
        await passwords.are_right(*given)
        for given in (("the hash that unknown users are checked against", None), *[("x", "odd")] * (WAITING + 1))
    ]
    passwords.close()

    assert not any(found)  # each has released its place among those that wait


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


@pytest.mark.parametrize(("given", "stored"), [(-3, 0), (0, 0), (7, 7), (7.0, 7), (2**80, LAST_SEQUENCE)])
def test_a_sequence_is_kept_within_its_range(given: float, stored: int) -> None:
    assert area_values({"sequence": given}) == {"sequence": stored}


REFUSED = "refused"


@pytest.mark.parametrize(
    ("item_type", "key", "given", "stored"),
    [
        *(("Story", "Name", "x" * NAME_LIMIT, "x" * NAME_LIMIT), ("Story", "Name", "x" * (NAME_LIMIT + 1), REFUSED)),
        *(("Story", "Name", " ", REFUSED), ("Story", "Name", None, REFUSED), ("Story", "Name", 5, REFUSED)),
        *(("Story", "Estimate", 3, "3"), ("Story", "Estimate", 0.5, "0.5"), ("Story", "Estimate", "8 pts", "8 pts")),
        ("Story", "Estimate", 1234567.5, "1234567.5"),
        *(("Story", "Estimate", True, REFUSED), ("Story", "Estimate", 1e301, REFUSED), ("Story", "Estimate", "", "")),
        *(("Bug", "StepsToReproduce", None, None), ("Bug", "StepsToReproduce", "", "")),
        *(("Story", "Estimate", None, None), ("Story", "Description", None, ""), ("Story", "Tags", None, [])),
        *(("Story", "Priority", 3.0, 3), ("Story", "Priority", 3.5, REFUSED), ("Story", "Priority", True, REFUSED)),
        *(("Story", "Priority", INTEGER_LIMIT, INTEGER_LIMIT), ("Story", "Priority", -INTEGER_LIMIT, -INTEGER_LIMIT)),
        *(("Story", "Priority", INTEGER_LIMIT + 1, REFUSED), ("Story", "Priority", -INTEGER_LIMIT - 1, REFUSED)),
        *(("Task", "WorkRemaining", 1e300, 1e300), ("Task", "WorkRemaining", 1.1e300, REFUSED)),
        *(("Task", "WorkRemaining", 0, 0.0), ("Story", "Priority", 0, 0)),
        ("Story", "Name", "ä" * NAME_LIMIT, "ä" * NAME_LIMIT),
        *(("Task", "WorkRemaining", float("nan"), REFUSED), ("Task", "WorkRemaining", False, REFUSED)),
        *(
            ("Bug", "IsTriaged", True, True),
            ("Bug", "IsTriaged", 1, REFUSED),
            ("Bug", "IsTriaged", None, None),
        ),
        *(
            ("Story", "Status", "Done", "Done"),
            ("Story", "Status", "done", REFUSED),
            ("Story", "Status", None, REFUSED),
        ),
        *(
            ("Story", "Status", "", REFUSED),
            ("Story", "PriorityClass", "", REFUSED),
            ("Story", "AreaID", False, REFUSED),
        ),
        *(("Story", "AreaID", 7, 7), ("Story", "AreaID", 9, REFUSED), ("Story", "AreaID", None, REFUSED)),
        *(("Story", "AssignedToID", None, None), ("Story", "AssignedToID", 9, REFUSED), ("Story", "Odd", 1, REFUSED)),
        *(("Task", "Estimate", "3", REFUSED), ("Story", "WorkRemaining", 1.0, REFUSED)),
    ],
    ids=lambda value: str(value)[:20],
)
def test_a_value_is_stored_as_its_kind_has_it_or_refused(
    item_type: str, key: str, given: object, stored: object
) -> None:
    def store() -> Mapping[str, Any]:
        return checked(item_type, {key: given}, SETTINGS, lambda _kind, value: value != 9, creating=False)

    if stored is REFUSED:
        with pytest.raises(BadRequest) as caught:
            store()
        assert set(caught.value.errors) == {key}
    else:
        assert store() == {key: stored}
        assert type(store()[key]) is type(stored)


@pytest.mark.parametrize("key", ["id", "type", "createdAt", "AreaID", "AssignedToID", "TeamID"])
def test_zero_ids_and_read_only_keys_count_as_not_given(key: str) -> None:
    assert checked("Story", {key: 0}, SETTINGS, lambda _kind, _value: True, creating=False) == {}


@pytest.mark.parametrize(
    ("key", "sentence"),
    [
        *(("Severity", "A Story has no Severity."), ("severity", "There is no such field.")),
        *(("Odd_cf", "There is no such field."), ("Status", "Status must be one of: Not Done, In Progress, ")),
        *(("Name", "Name cannot be empty."), ("CalculatedEstimate", None), ("BacklogPriority", None)),
    ],
)
def test_a_refused_key_has_its_reason(key: str, sentence: str | None) -> None:
    def store() -> Mapping[str, Any]:
        return checked("Story", {"Description": "x", key: " "}, SETTINGS, lambda _kind, _value: True, creating=False)

    if sentence is None:
        assert store() == {"Description": "x"}
        return
    with pytest.raises(BadRequest) as caught:
        store()
    assert caught.value.errors[key].startswith(sentence)
    assert (set(caught.value.errors), caught.value.message) == ({key}, f"Invalid fields: {key}.")


@pytest.mark.parametrize("given", [{}, {"Name": None}, {"Name": ""}, {"Name": "x"}])
def test_null_counts_as_not_given_on_create_but_required_fields_are_required(given: dict[str, Any]) -> None:
    if given.get("Name"):
        assert values("Story", creating=True, **given, Description=None, Status=None) == given
        return
    with pytest.raises(BadRequest) as caught:
        values("Story", creating=True, **given)
    assert caught.value.errors == {"Name": "Name cannot be empty." if given.get("Name") == "" else "Name is required."}


def test_a_reference_says_where_it_is_missing() -> None:
    asked: list[tuple[Kind, int]] = []

    def exists(kind: Kind, value: int) -> bool:
        asked.append((kind, value))
        return False

    with pytest.raises(BadRequest) as caught:
        checked("Story", {"AreaID": 5, "AssignedToID": 6}, SETTINGS, exists, creating=False)

    assert asked == [(Kind.AREA, 5), (Kind.USER, 6)]
    assert caught.value.errors == {
        "AreaID": "The project has no area 5.",
        "AssignedToID": "The service has no user 6.",
    }


@pytest.mark.parametrize(
    ("value", "limit", "fault"),
    [
        *(("x" * TEXT_LIMIT, TEXT_LIMIT, None), ("x" * (TEXT_LIMIT + 1), TEXT_LIMIT, "may have 1,000,000 characters")),
        *(("x" * TAG_LIMIT, TAG_LIMIT, None), ("", 5, "cannot be empty"), (" \n", 5, "cannot be empty")),
        *((5, 5, "must be text"), (None, 5, "must be text"), ("a\0", 5, "NUL")),
    ],
    ids=lambda value: repr(value)[:20],
)
def test_a_text_has_its_limit_and_no_nul(value: object, limit: int, fault: str | None) -> None:
    found = text_fault("Key", value, limit, may_be_empty=False)

    assert found is None if fault is None else fault in (found or "")
    assert text_fault("Key", "", limit) is None


@pytest.mark.parametrize(
    ("key", "given", "column"),
    [
        *(("parentId", 7, {"parent_id": 7}), ("parentId", -1, {"parent_id": -1}), ("parentId", 0, {})),
        *(("parentId", -2, None), ("parentId", True, None), ("parentId", 2**63, None), ("parentId", None, {})),
        *(("isRelease", True, {"is_release": True}), ("isRelease", 0, None), ("isRelease", None, {})),
        ("startDate", "2026-03-01", {"start_date": date(2026, 3, 1)}),
        ("endDate", "2026-03-01T23:00:00", {"end_date": date(2026, 3, 1)}),
        *(("startDate", "0001-01-01", {}), ("endDate", "0001-01-01T00:00:00", {}), ("startDate", 5, None)),
        *(("startDate", "soon", None), ("name", "x", {"name": "x"}), ("name", "", None), ("name", None, {})),
        *(("minCapacity", 5, {"min_capacity": 5.0}), ("maxCapacity", None, {"max_capacity": None})),
        *(("minCapacity", 0, {"min_capacity": 0.0}), ("sequence", 0, {"sequence": 0}), ("sequence", None, {})),
        *(("minCapacity", 1e300, {"min_capacity": 1e300}), ("minCapacity", 1.1e300, None), ("minCapacity", True, None)),
        *(
            ("maxCapacity", float("inf"), None),
            ("maxCapacity", -1e301, None),
            ("maxCapacity", -0.5, None),
            ("path", "ignored", {}),
        ),
    ],
)
def test_a_value_of_an_iteration_becomes_its_column_or_is_refused(
    key: str, given: object, column: dict[str, object] | None
) -> None:
    if column is None:
        with pytest.raises(BadRequest) as caught:
            iteration_values({key: given})
        assert set(caught.value.errors) == {key}
    else:
        assert iteration_values({key: given}) == column


def test_an_area_has_neither_dates_nor_capacities() -> None:
    assert area_values({"name": "x", "startDate": "2026-03-01", "minCapacity": True}) == {"name": "x"}


def test_a_new_iteration_begins_next_week_and_takes_two() -> None:
    today, given = date(2026, 3, 1), date(2027, 1, 1)

    assert new_dates({}, today) == {"start_date": date(2026, 3, 8), "end_date": date(2026, 3, 22)}
    assert new_dates({"start_date": given}, today) == {"start_date": given, "end_date": date(2026, 3, 22)}
    assert new_dates({"end_date": given}, today) == {"start_date": date(2026, 3, 8), "end_date": given}


def test_an_iteration_may_take_one_day() -> None:
    must_not_end_early(date(2026, 3, 2), date(2026, 3, 2), (), is_new=False)
    with pytest.raises(BadRequest, match="before startDate"):
        must_not_end_early(date(2026, 3, 2), date(2026, 3, 1), (), is_new=False)


@pytest.mark.parametrize(("days", "is_right"), [(0, False), (1, True), (LONGEST_ITERATION, True), (367, False)])
def test_iterations_of_a_project_take_a_day_to_a_year(days: int, is_right: bool) -> None:
    change = ProjectChange(iteration_length=days)

    if is_right:
        assert change.columns() == {"default_iteration_length": days}
    else:
        with pytest.raises(BadRequest, match=f"not {days}"):
            change.columns()


@pytest.mark.parametrize(
    ("given", "top", "skip", "limit"),
    [
        *(({}, None, 0, TOP_DEFAULT), ({"$top": "0"}, 0, 0, 0), ({"$top": "1000"}, 1000, 0, TOP_LIMIT)),
        *(({"$top": "1001"}, 1001, 0, TOP_LIMIT), ({"$skip": " 7 "}, None, 7, TOP_DEFAULT)),
        ({"$skip": "9" * 30}, None, NUMBER_LIMIT, TOP_DEFAULT),
        ({"$top": "9" * 5000}, NUMBER_LIMIT, 0, TOP_LIMIT),
        ({"$top": str(NUMBER_LIMIT + 1)}, NUMBER_LIMIT, 0, TOP_LIMIT),
        ({"$top": "0" * 30 + "7", "$skip": "0" * 30}, 7, 0, 7),
    ],
)
def test_a_page_has_a_size_and_a_place(given: dict[str, str], top: int | None, skip: int, limit: int) -> None:
    options = options_of(QueryParams(given))

    assert (options.top, options.skip, options.limit) == (top, skip, limit)


AREA_PROPERTIES = properties_of(name=ValueType.TEXT, parentId=ValueType.INTEGER)


@pytest.mark.parametrize(
    ("query", "total", "ids"),
    [
        ({}, 150, range(150, 0, -1)),
        ({"$top": "0"}, 150, ()),
        ({"$top": "2000"}, 150, range(150, 0, -1)),
        ({"$top": "2", "$skip": "148"}, 150, (2, 1)),
        ({"$skip": "148"}, 150, (2, 1)),
        ({"$top": "5", "$skip": "150"}, 150, ()),
        ({"$top": "3", "$filter": "id le 4"}, 4, (4, 3, 2)),
        ({"$top": "4", "$orderby": "name"}, 150, (3, 6, 9, 12)),
        ({"$top": "4", "$orderby": "name desc"}, 150, (2, 5, 8, 11)),
        ({"$top": "4", "$orderby": "name desc,id desc"}, 150, (149, 146, 143, 140)),
        ({"$top": "2", "$orderby": "parentId,name"}, 150, (3, 6)),
    ],
)
def test_a_list_in_memory_is_filtered_sorted_and_paged_whole(
    query: dict[str, str], total: int, ids: Sequence[int]
) -> None:
    nodes = [Area(id=n, project_id=1, parent_id=1, name=f"n{n % 3}") for n in range(150, 0, -1)]

    options = options_of(QueryParams(query), AREA_PROPERTIES, default_top=TOP_LIMIT)
    document = json.loads(resource_page(options, nodes, AREA_PROPERTIES).body)

    assert [each["id"] for each in document["results"]] == list(ids)
    assert (document["totalResults"], document["top"]) == (total, int(query.get("$top", len(ids))))


ROLES = {1: Role.READER, 2: Role.CONTRIBUTOR, 3: Role.MANAGER}


@pytest.mark.parametrize(
    ("project_id", "refusals"),
    [
        (1, (None, Forbidden, Forbidden)),
        (2, (None, None, Forbidden)),
        (3, (None, None, None)),
        (4, (NotFound,) * 3),
        (None, (NotFound,) * 3),
    ],
)
def test_a_role_counts_in_its_own_project_alone(
    project_id: int | None, refusals: tuple[type[BacklitError] | None, ...]
) -> None:
    caller = Caller(7, "eve", ROLES, {})
    found: list[type[BacklitError] | None] = []
    for must in (caller.must_see, caller.must_write, caller.must_manage):
        try:
            must(project_id, "It")
            found.append(None)
        except BacklitError as error:
            found.append(type(error))

    assert tuple(found) == refusals
    if project_id is not None:
        assert caller.can_see(project_id) is (refusals[0] is None)
        assert caller.is_manager_of(project_id) is (refusals[2] is None)


@pytest.mark.parametrize(
    ("given", "is_match"),
    [
        *((None, True), ("*", True), (" * ", True), ("{}", True), ('"old", {}', True), ("{},*", True)),
        *(("", False), ('"old"', False), ("W/{}", False), ("{}x", False), ('"*"', False)),
    ],
)
def test_if_match_names_the_version_among_others_or_any(given: str | None, is_match: bool) -> None:
    document, headers = b"{}", {} if given is None else {"if-match": given.format(etag_of(b"{}"))}

    if is_match:
        must_match(Headers(headers), document)
    else:
        with pytest.raises(PreconditionFailed):
            must_match(Headers(headers), document)


@pytest.mark.parametrize(
    ("kind", "text", "value"),
    [
        *((Kind.INTEGER, "5", 5), (Kind.NUMBER, "0.5", 0.5), (Kind.BOOLEAN, "true", True)),
        *((Kind.BOOLEAN, "false", False), (Kind.CHOICE, "Web", "Web"), (Kind.TEXT, "5", "5"), (Kind.TEXT, None, None)),
        *((Kind.NUMBER, "inf", REFUSED), (Kind.INTEGER, "0.5", REFUSED), (Kind.BOOLEAN, "True", REFUSED)),
    ],
)
def test_the_default_of_a_field_has_the_type_of_its_kind(kind: Kind, text: str | None, value: object) -> None:
    field = custom_field("X_cf", kind, default=text)

    if value is REFUSED:
        with pytest.raises(ValueError):  # noqa: PT011 - callers translate each
            SETTINGS.default("Story", field)
    else:
        assert SETTINGS.default("Story", field) == value
        assert type(SETTINGS.default("Story", field)) is type(value)


@pytest.mark.parametrize("text", ["-1", "", "1.5", "²", "0x1"])
def test_a_page_that_is_no_number_is_refused(text: str) -> None:
    with pytest.raises(BadRequest) as caught:
        options_of(QueryParams({"$top": text}))

    assert set(caught.value.errors) == {"$top"}
