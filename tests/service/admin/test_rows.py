"""Rows that `backlit admin` reads and writes: projects, names, fields and values, without a command."""

from collections.abc import Callable
from datetime import date
from functools import partial
from itertools import product
from typing import Any

import pytest
from sqlalchemy import Connection, Table
from tests.service.admin.rows import is_taken, refusal, rows_of, set_custom

from backlit.model.errors import Conflict, NotFound
from backlit.model.fields import ItemType, Kind
from backlit.service.admin import custom_fields, projects, users, value_lists
from backlit.service.admin.custom_fields import CustomFieldChange
from backlit.service.admin.projects import ProjectChange
from backlit.service.admin.workspace import NAME_LIMIT, checked_name, project_id_of, user_id_of
from backlit.service.storage import schema
from backlit.service.storage.clock import clock_of
from backlit.service.tables import projects as project_table
from backlit.service.tables import work_items
from backlit.service.tables.work_items import item_of

BORDERS = [(0, False), (1, True), (NAME_LIMIT, True), (NAME_LIMIT + 1, False)]


# Names


@pytest.mark.parametrize(("length", "is_right"), BORDERS)
def test_a_name_has_one_to_a_hundred_characters(length: int, is_right: bool) -> None:
    assert is_taken(lambda: checked_name(f" {'x' * length} ", "It")) is is_right
    assert is_taken(lambda: value_lists.checked_choices(["x" * length], "It")) is is_right


@pytest.mark.parametrize(("text", "is_right"), [("a\x1fb", False), ("a\x7fb", False), ("a\x9fb", False), ("a b", True)])
def test_a_name_has_no_control_characters(text: str, is_right: bool) -> None:
    assert is_taken(lambda: checked_name(text, "It")) is is_right


def test_a_user_has_a_plain_name_and_an_address_or_none() -> None:
    names = dict.fromkeys(("maya", "Émile"), True) | dict.fromkeys(("", "a b", "a/b", "a\\b", "a:b"), False)
    emails = dict.fromkeys(("", "a@b"), True) | dict.fromkeys(("a", "a@b@c", "a b@c", "@c", "a@"), False)

    for (name, is_name), (email, is_email) in product(names.items(), emails.items()):
        assert is_taken(partial(users.must_be_usable, name, email)) is (is_name and is_email), (name, email)


def test_users_and_projects_are_found_by_their_own_name_before_another_case(connection: Connection) -> None:
    ids = {"AURORA": 91, "AURora": 92}
    for table, name in ((schema.users, "MAYA"), *((schema.projects, name) for name in ids)):
        first = rows_of(connection, table, id=1)[0]
        connection.execute(table.insert().values(first | {"id": ids.get(name, 90), "name": name}))

    assert [user_id_of(connection, name) for name in ("maya", "Jon")] == [1, 2]
    assert user_id_of(connection, "MAYA") == 90
    assert [project_id_of(connection, name) for name in ("Aurora", "2", "beacon")] == [1, 2, 2]
    assert project_id_of(connection, "AURORA") == ids["AURORA"]
    assert str(ids["AURora"]) in refusal(lambda: project_id_of(connection, "aurora"))
    assert "projects list" in refusal(lambda: project_id_of(connection, "9999"), NotFound)


# Projects


def test_a_project_is_preset_to_a_year_of_two_weeks_each(connection: Connection) -> None:
    today = clock_of(connection).now().date()
    made = [
        projects.create(connection, ProjectChange(name="Usual")),
        projects.create(connection, ProjectChange(name="Later", start=date(2030, 1, 2), template=" Kanban ")),
    ]

    usual, later = [rows_of(connection, schema.projects, id=each["id"])[0] for each in made]
    assert (usual["start_date"].date(), (usual["end_date"].date() - today).days) == (today, 365)
    assert (usual["default_iteration_length"], usual["template"], usual["description"]) == (14, "Scrum", "")
    assert (later["start_date"].date(), later["end_date"].date()) == (date(2030, 1, 2), date(2031, 1, 2))
    assert later["template"] == "Kanban"


def test_a_project_may_be_created_with_its_manager(connection: Connection) -> None:
    made = [projects.create(connection, ProjectChange(name=name), who) for name, who in (("7a", "REX"), ("7b", None))]

    assert rows_of(connection, schema.grants, project_id=made[0]["id"]) == [
        {"user_id": 4, "project_id": made[0]["id"], "role": "manager"}
    ]
    assert rows_of(connection, schema.grants, project_id=made[1]["id"]) == []


def test_a_project_keeps_what_is_not_changed_and_takes_its_name_in_another_case(connection: Connection) -> None:
    old, others = rows_of(connection, schema.projects, id=1)[0], rows_of(connection, schema.projects)[1:]
    end = old["end_date"].date()

    changed = projects.change(connection, "Aurora", ProjectChange(name="AURORA", start=end))

    new = rows_of(connection, schema.projects, id=1)[0]
    changed_keys = {key for key, value in old.items() if new[key] != value}
    assert changed_keys == {"name", "start_date", "settings_revision", "last_modified_at"}
    assert changed == {"id": 1, "changed": ["name", "start_date"], "itemsRendered": 0}
    assert (new["name"], new["start_date"], new["last_modified_by"]) == ("AURORA", old["end_date"], "backlit")
    assert rows_of(connection, schema.projects)[1:] == others
    for nodes in (schema.areas, schema.iterations):
        paths = [row["path"] for row in rows_of(connection, nodes, project_id=1)]
        assert {path.split("\\")[0] for path in paths} == {"AURORA"}
    for name in ("beacon", "BEACON"):
        refusal(partial(projects.change, connection, "1", ProjectChange(name=name)), Conflict)
    early = ProjectChange(end=date(2020, 1, 1))
    assert "2020-01-01" in refusal(lambda: projects.change(connection, "1", early))


def test_the_keys_of_a_synced_project_are_shown_without_a_stamp(connection: Connection) -> None:
    def rows() -> dict[int, dict[str, Any]]:
        return {row["id"]: row for row in rows_of(connection, schema.work_items)}

    before = rows()
    changed = projects.change(connection, "Aurora", ProjectChange(is_syncable=True))
    synced = rows()
    projects.change(connection, "Aurora", ProjectChange(is_syncable=False))

    mine = [row for row in synced.values() if row["project_id"] == 1]
    assert changed["itemsRendered"] == len(mine) > 0
    for row in mine:
        keys = {"IsSyncable", "SyncID"} - ({"SyncID"} if row["type"] == "Feedback" else set())
        assert keys & item_of(row["doc"]).values.keys() == keys
        assert row | {"doc": b""} == before[row["id"]] | {"doc": b""}
    assert all(row == before[row["id"]] for row in synced.values() if row["project_id"] != 1)
    assert rows() == before


@pytest.mark.parametrize("table", [schema.teams, schema.time_entry_types], ids=str)
def test_a_name_is_one_projects_and_unlike_its_others_in_any_case(connection: Connection, table: Table) -> None:
    owls = projects.add_name(connection, table, "Aurora", " Owls ")
    elsewhere = projects.add_name(connection, table, "Beacon", "owls")
    others = [row for row in rows_of(connection, table) if row["id"] != owls["id"]]

    assert (owls["name"], owls["projectId"], elsewhere["projectId"]) == ("Owls", 1, 2)
    refusal(lambda: projects.add_name(connection, table, "Aurora", "OWLS"), Conflict)
    renamed = projects.rename_name(connection, table, "Aurora", "Owls", "OWLS")
    assert renamed == {"id": owls["id"], "projectId": 1, "name": "OWLS"}
    row = rows_of(connection, table, id=owls["id"])[0]
    assert (row["name"], row["created_by"], row["last_modified_by"]) == ("OWLS", "backlit", "backlit")
    assert row["last_modified_at"] > row["created_at"]
    projects.add_name(connection, table, "Aurora", "Bats")
    refusal(lambda: projects.rename_name(connection, table, "Aurora", "Bats", "owls"), Conflict)
    refusal(lambda: projects.rename_name(connection, table, "Beacon", "Bats", "Cats"), NotFound)
    names = {each["name"] for each in projects.list_names(connection, table, "Beacon")}
    assert "owls" in names
    assert "OWLS" not in names
    projects.remove_name(connection, table, "Aurora", "Bats")
    removed = projects.remove_name(connection, table, "Aurora", str(owls["id"]))
    assert removed == {"id": owls["id"], "projectId": 1, "name": "OWLS", "itemsChanged": 0}
    assert rows_of(connection, table) == others


def test_a_removed_team_leaves_its_own_items_only(connection: Connection) -> None:
    def teams() -> dict[int, int | None]:
        return {row["id"]: row["team_id"] for row in rows_of(connection, schema.work_items)}

    before = teams()
    removed = projects.remove_name(connection, schema.teams, "Aurora", "Money")

    assert teams() == {item_id: None if team == 2 else team for item_id, team in before.items()}
    assert removed["itemsChanged"] == list(before.values()).count(2) > 0


# Custom fields


@pytest.mark.parametrize(
    ("key", "suggested"),
    [
        *(("Risk", "Risk_cf"), ("risk level_cf", "risklevel_cf"), ("9 lives", "lives_cf"), ("_cf", "Name_cf")),
        *(("Größe_cf", "Gre_cf"), (f"{'x' * 61}_cf", "letters")),
    ],
)
def test_a_wrong_key_is_refused_with_a_right_one(connection: Connection, key: str, suggested: str) -> None:
    said = refusal(lambda: custom_fields.add(connection, "Aurora", key, Kind.TEXT, CustomFieldChange()))

    assert said.endswith(f" {suggested}") or suggested in said
    assert is_taken(lambda: custom_fields.add(connection, "Aurora", f"{'x' * 60}_cf", Kind.TEXT, CustomFieldChange()))


def test_a_field_is_one_projects_and_has_all_types_unless_some_are_named(connection: Connection) -> None:
    made = custom_fields.add(connection, "Beacon", "Channel_cf", Kind.INTEGER, CustomFieldChange(default="7"))
    some = CustomFieldChange(types=[ItemType.BUG, ItemType.STORY, ItemType.BUG])
    custom_fields.add(connection, "Harbour", "Channel_cf", Kind.TEXT, some)

    assert made["types"] == [each.value for each in ItemType]
    assert made["default"] == "7"
    assert made["itemsRendered"] == len(rows_of(connection, schema.work_items, project_id=2))
    assert [each["types"] for each in custom_fields.listed(connection, "Harbour")] == [["Bug", "Story"]]
    listed = [(each["projectId"], each["key"]) for each in custom_fields.listed(connection)]
    assert listed == sorted(listed)
    custom_fields.remove(connection, "Harbour", "Channel_cf")
    custom_fields.change(connection, "Beacon", "Channel_cf", CustomFieldChange(default=""))
    kept = {each["projectId"]: each for each in custom_fields.listed(connection) if each["key"] == "Channel_cf"}
    assert {project: each["default"] for project, each in kept.items()} == {1: "Web", 2: None}
    assert (kept[1]["kind"], kept[1]["choices"]) == ("choice", ["Web", "Store", "Phone"])


def test_every_change_of_settings_is_published_for_its_project_alone(connection: Connection) -> None:
    teams, ticks = schema.teams, schema.time_entry_types
    text, statuses = CustomFieldChange(types=["Risk"]), ["Active", "Closed", "Odd"]
    acts: list[Callable[[], object]] = [
        lambda: projects.add_name(connection, teams, "Beacon", "Owls"),
        lambda: projects.rename_name(connection, teams, "Beacon", "Owls", "Bats"),
        lambda: projects.remove_name(connection, teams, "Beacon", "Bats"),
        lambda: projects.add_name(connection, ticks, "Beacon", "Travel"),
        lambda: custom_fields.add(connection, "Beacon", "Odd_cf", Kind.TEXT, text),
        lambda: custom_fields.change(connection, "Beacon", "Odd_cf", CustomFieldChange(default="x")),
        lambda: custom_fields.remove(connection, "Beacon", "Odd_cf"),
        lambda: value_lists.set_values(connection, "Beacon", "Risk", "Status", statuses),
        lambda: value_lists.set_groups(connection, "Beacon", ["Odd=done"]),
        lambda: value_lists.reset(connection, "Beacon", "Risk", "Status"),
        lambda: projects.change(connection, "Beacon", ProjectChange(description="")),
    ]

    def revisions() -> list[int]:
        return [row["settings_revision"] for row in rows_of(connection, schema.projects)]

    for act in acts:
        first, second, third = revisions()
        act()
        assert revisions() == [first, second + 1, third]
    assert rows_of(connection, schema.projects, id=2)[0]["description"] == ""


def test_a_field_has_choices_if_it_is_a_choice_and_a_key_of_its_own(connection: Connection) -> None:
    add = partial(custom_fields.add, connection, "Aurora")

    assert "takes no --choice" in refusal(lambda: add("Odd_cf", Kind.TEXT, CustomFieldChange(choices=["a"])))
    assert "needs its values" in refusal(lambda: add("Odd_cf", Kind.CHOICE, CustomFieldChange()))
    for key in ("Channel_cf", "CHANNEL_cf"):
        assert "already has a field" in refusal(partial(add, key, Kind.TEXT, CustomFieldChange()), Conflict)


def test_a_change_of_a_field_keeps_its_other_settings(connection: Connection) -> None:
    types = [each for each in ItemType if each is not ItemType.TASK]

    assert custom_fields.change(connection, "Aurora", "Channel_cf", CustomFieldChange(default="Phone")) == {
        "projectId": 1, "key": "Channel_cf", "kind": "choice", "types": types, "choices": ["Web", "Store", "Phone"],
        "default": "Phone", "due": False, "itemsChanged": 0, "itemsRendered": 0,
    }  # fmt: skip
    wrong = CustomFieldChange(choices=["Web", "Store"])
    assert "not among its values: Web, Store" in refusal(
        lambda: custom_fields.change(connection, "Aurora", "Channel_cf", wrong)
    )


def test_a_text_of_days_becomes_a_date_and_others_are_named(connection: Connection) -> None:
    change = partial(custom_fields.change, connection, "Beacon", "Day_cf")
    custom_fields.add(connection, "Beacon", "Day_cf", Kind.TEXT, CustomFieldChange())
    first, second, third = (row["id"] for row in rows_of(connection, schema.work_items, project_id=2)[:3])
    for item_id, text in ((first, "2026-03-01T09:30:00"), (second, " "), (third, "soon")):
        set_custom(connection, item_id, {"Day_cf": text})

    said = refusal(lambda: change(CustomFieldChange(kind=Kind.DATE)), Conflict)
    set_custom(connection, third, {"Day_cf": "2026-02-03"})
    changed = change(CustomFieldChange(kind=Kind.DATE, is_due=True))

    assert said == f"Day_cf is no day such as 2026-03-01 in #{third} 'soon'; nothing was changed."
    assert (changed["kind"], changed["due"], changed["itemsChanged"]) == ("date", True, 2)
    days = [row["cf"] for row in rows_of(connection, schema.work_items, project_id=2)[:3]]
    assert days == [{"Day_cf": "2026-03-01"}, None, {"Day_cf": "2026-02-03"}]
    assert "only a text can become" in refusal(
        lambda: custom_fields.change(
            connection, "Aurora", "Channel_cf", CustomFieldChange(kind=Kind.DATE, choices=[], default="")
        )
    )


def test_a_project_has_one_due_date_which_is_a_date(connection: Connection) -> None:
    due = CustomFieldChange(is_due=True)
    add = partial(custom_fields.add, connection, "Aurora")

    other = refusal(lambda: add("Deadline_cf", Kind.DATE, due), Conflict)
    kind = refusal(lambda: custom_fields.add(connection, "Beacon", "Deadline_cf", Kind.TEXT, due))
    custom_fields.change(connection, "Aurora", "TargetDate_cf", CustomFieldChange(is_due=False))
    add("Deadline_cf", Kind.DATE, due)

    assert "fields change PROJECT TargetDate_cf --due off" in other
    assert kind == "Deadline_cf is of kind text; a due date is of kind date: --kind date"
    assert project_table.settings(connection, 1).due_field == "Deadline_cf"
    assert project_table.settings(connection, 2).due_field is None


def test_an_item_without_a_value_is_no_obstacle_to_a_new_list(connection: Connection) -> None:
    given = CustomFieldChange(choices=["low", "high"])
    custom_fields.add(connection, "Beacon", "Risk_cf", Kind.CHOICE, given)

    changed = custom_fields.change(connection, "Beacon", "Risk_cf", CustomFieldChange(choices=["low"]))

    assert (changed["choices"], changed["itemsChanged"]) == (["low"], 0)


def test_settings_are_those_of_their_project(connection: Connection) -> None:
    for name, key in (("Beacon", "Dock_cf"), ("Harbour", "Berth_cf")):
        custom_fields.add(connection, name, key, Kind.TEXT, CustomFieldChange())
        value_lists.set_values(connection, name, "Issue", "Status", ["Active", "Closed", key])
        value_lists.set_groups(connection, name, [f"{key}=excluded"])

    found = project_table.settings(connection, 2)
    assert [field.key for field in found.custom] == ["Dock_cf"]
    assert "Dock_cf" in {field.key for field in found.fields_by_type["Task"]}
    assert dict(found.value_lists) == {("Issue", "Status"): ("Active", "Closed", "Dock_cf")}
    assert dict(found.status_groups) == {"Dock_cf": "excluded"}
    assert found.teams == ((4, "Floor"), (5, "Dock"))
    roots = [rows_of(connection, nodes, project_id=2, parent_id=-1)[0] for nodes in (schema.areas, schema.iterations)]
    assert (found.root_area_id, found.root_iteration_id) == tuple(row["id"] for row in roots)


# Values


@pytest.mark.parametrize(
    ("texts", "renames"),
    [
        ([" a = x ", "b=y"], {"a": "x", "b": "y"}),
        (["a=b=x"], "'b=x'"),
        (["a"], "no equals sign"),
        (["a=z"], "only x, y"),
    ],
)
def test_a_renaming_leads_to_one_of_the_values(texts: list[str], renames: dict[str, str] | str) -> None:
    if isinstance(renames, str):
        assert renames in refusal(lambda: value_lists.renames_of(texts, ["x", "y"]))
    else:
        assert value_lists.renames_of(texts, ["x", "y"]) == renames


def test_a_list_of_values_is_one_types_in_one_project(connection: Connection) -> None:
    def own() -> list[tuple[str, str, list[str]]]:
        listed = value_lists.listed(connection, "Beacon")
        return [(each["type"], each["key"], each["values"]) for each in listed if each["isOwn"]]

    before = rows_of(connection, schema.work_items)
    for first in ("Idea", "Open"):
        values = [first, "In Progress", "Done", "Deleted"]
        set_ = value_lists.set_values(
            connection, "Beacon", "Task", "Status", values, renames=[f"Not Done={first}", f"Idea={first}"]
        )
        assert own() == [("Task", "Status", values)]
    for project, item_type in (("Aurora", "Issue"), ("Beacon", "Risk")):
        value_lists.set_values(connection, project, item_type, "Status", ["Active", "Closed", "Odd"])

    was = {row["id"] for row in before if (row["project_id"], row["type"], row["status"]) == (2, "Task", "Not Done")}
    opened = {row["id"] for row in rows_of(connection, schema.work_items) if row["status"] == "Open"}
    assert opened == was
    assert set_["itemsChanged"] == len(was) > 0
    value_lists.reset(connection, "Beacon", "Task", "Status", ["Open=Not Done"])
    assert own() == [("Risk", "Status", ["Active", "Closed", "Odd"])]
    statuses = [{row["id"]: row["status"] for row in rows} for rows in (before, rows_of(connection, schema.work_items))]
    assert statuses[0] == statuses[1]


def test_an_item_with_a_value_outside_the_list_is_counted_in_the_refusal(connection: Connection) -> None:
    tasks = rows_of(connection, schema.work_items, project_id=1, type="Task")
    done = [row for row in tasks if row["status"] == "Done"]
    open_ = sum(row["status"] == "Not Done" for row in tasks)

    said = refusal(
        lambda: (
            value_lists.set_values(
                connection,
                "Aurora",
                "Task",
                "Status",
                ["Not Done", "In Progress", "Deleted"],
                renames=["Done=Not Done"],
            )
            and value_lists.set_values(connection, "Aurora", "Task", "Status", ["In Progress", "Deleted"])
        ),
        Conflict,
    )

    assert done
    assert f"Status of {len(done) + open_} Task items is 'Not Done', which the new list lacks" in said
    assert "--rename 'Not Done=NEW'" in said


def test_a_meaning_replaces_the_one_of_its_status_in_its_project(connection: Connection) -> None:
    value_lists.set_groups(connection, "Beacon", ["Active=done"])
    value_lists.set_groups(connection, "Aurora", ["Active=done", "Closed=excluded"])
    told = value_lists.set_groups(connection, "Aurora", [" Active = in progress ", "Closed="])

    value_lists.set_values(connection, "Aurora", "Risk", "Status", ["Active", "Closed", "a=b"])
    assert told["statusGroups"] == {"Active": "in progress"}
    said = value_lists.set_groups(connection, "Aurora", ["a=b=done"])
    assert said["statusGroups"] == {"Active": "in progress", "a=b": "done"}
    assert value_lists.set_groups(connection, "Aurora", ["a=b="])["statusGroups"] == {"Active": "in progress"}
    refusal(lambda: value_lists.set_groups(connection, "Aurora", ["Idle=done"]))
    refusal(lambda: value_lists.set_groups(connection, "Aurora", ["Active=finished"]))
    assert [(row["project_id"], row["meaning"]) for row in rows_of(connection, schema.status_groups)] == [
        (1, "in progress"),
        (2, "done"),
    ]


def test_a_changed_value_stamps_its_item_and_a_new_key_does_not(connection: Connection) -> None:
    old = {row["id"]: row for row in rows_of(connection, schema.work_items, project_id=2)}
    custom_fields.add(connection, "Beacon", "Risk_cf", Kind.TEXT, CustomFieldChange())
    same = {row["id"]: row for row in rows_of(connection, schema.work_items, project_id=2)}
    changed = value_lists.set_values(
        connection, "Beacon", "Task", "Status", ["Open", "Done", "Deleted"], renames=["Not Done=Open"]
    )["itemsChanged"]

    assert all(row | {"doc": b""} == old[item_id] | {"doc": b""} for item_id, row in same.items())
    assert all("Risk_cf" in item_of(row["doc"]).values for row in same.values())
    new = {row["id"]: row for row in rows_of(connection, schema.work_items, project_id=2)}
    stamped = {item_id for item_id, row in new.items() if row["last_modified_at"] != old[item_id]["last_modified_at"]}
    assert stamped == {item_id for item_id, row in new.items() if row["status"] == "Open"}
    assert len(stamped) == changed > 0
    assert {new[item_id]["last_modified_by"] for item_id in stamped} == {"backlit"}
    found = work_items.read(connection, next(iter(stamped)))
    assert found is not None
    assert item_of(found[1]).values["Status"] == "Open"
