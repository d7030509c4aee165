"""Files with backlit's own headings: what they come to, against a project."""

import json
from collections.abc import Mapping, Sequence

import pytest

from backlit.imports.own import planned_rows
from backlit.imports.plan import ImportPlan
from backlit.imports.reading.source import read_source
from backlit.model.fields import FIELDS, Field, Settable
from backlit.store import ItemRow, Store, ViewSpec
from backlit.store.edits.imports import NewItem
from backlit.store.item_documents import document_of


async def first(store: Store, query: str) -> ItemRow:
    view = store.view(ViewSpec(query=query))
    await view.load()
    return view.rows(0, 1)[0]


def planned(store: Store, text: str) -> ImportPlan:
    return planned_rows(store, read_source(text.encode(), "items"))


def told(store: Store, *lines: str) -> ImportPlan:
    return planned(store, "\n".join(lines))


def faults(plan: ImportPlan) -> list[str]:
    return [f"Line {fault.line}: {fault.sentence}" for fault in plan.faults]


def task(name: str) -> NewItem:
    return NewItem("Task", {"Name": name})


def changes(plan: ImportPlan) -> dict[int, Mapping[str, object]]:
    return {change.item_id: change.fields for change in plan.changes}


@pytest.mark.slow
async def test_a_row_with_a_number_changes_what_differs_and_an_empty_cell_says_nothing(store: Store) -> None:
    row = await first(store, "type:story status:open est:any")

    found = told(store, "id,Name,est,owner", f"{row.id},,21,")
    same = told(store, "id\tPoints", f"{row.id}\t{row.estimate}")

    assert changes(found) == {row.id: {"Estimate": "21"}}
    assert changes(same) == {}


async def test_tasks_belong_to_the_new_item_above_them_or_to_the_item_that_they_name(store: Store) -> None:
    row = await first(store, "type:story status:open")
    below = told(store, "type,Name,est", "Story,A,3", "Task,B,", "bug,C,", "Task,D,", "Task,E,")
    named = told(store, "type,Name,ParentID", f"Task,F,{row.id}")

    assert (faults(below), below.changes) == ([], [])
    assert below.items == [
        NewItem("Story", {"Name": "A", "Estimate": "3"}, tasks=[task("B")]),
        NewItem("Bug", {"Name": "C"}, tasks=[task("D"), task("E")]),
    ]
    assert below.notes == ["3 tasks without a parent below the new item above."]
    assert named.items == [NewItem("Task", {"Name": "F", "ParentID": row.id})]
    assert named.notes == []


async def test_a_task_without_a_parent_is_a_fault_where_the_file_names_parents(store: Store) -> None:
    row = await first(store, "type:story status:open")

    found = told(store, "type,Name,ParentID", "Story,A,", f"Task,B,{row.id}", "Task,C,")

    assert faults(found) == ["Line 4: the task names no parent; give it a ParentID."]


async def test_import_reads_the_json_of_items_list(store: Store) -> None:
    row = await first(store, "type:bug")
    item = store.item(row.id)
    assert item is not None
    empty = {key: None if value in ("", []) else value for key, value in item.fields.items()}
    written = json.dumps([{"id": row.id, "type": "Bug", "projectId": 1, "fields": {**empty, "Name": "Renamed"}}])

    found = planned(store, written)

    assert (faults(found), changes(found)) == ([], {row.id: {"Name": "Renamed"}})
    people = json.dumps([{"type": "Story", "Name": "jon", "AssignedToID": "jon", "Tags": ["jon"]}])
    (family,) = planned(store, people).items
    assert family.fields == {"Name": "jon", "AssignedToID": 2, "Tags": ["jon"]}


@pytest.mark.parametrize("field", [each for each in FIELDS if each.settable is not Settable.NEVER], ids=str)
async def test_a_heading_names_a_field_by_its_key_or_label_in_any_case(store: Store, field: Field) -> None:
    for name in (field.key, field.key.upper(), field.label, field.label.upper()):
        found = told(store, f"id,type,{name}", "999999,,x")

        assert found.left_out == {}
        assert {fault.column for fault in found.faults} <= {"id", field.key}


async def test_every_fault_is_told_with_its_line(store: Store) -> None:
    lines = ("type,Name,area,IsVisibleInPortal", "Bug,One,Nowhere,", "Story,,,", "Feedback,Seen,,yes", "Task,Lost,,")

    found = told(store, *lines)

    assert [fault.partition(":")[0] for fault in faults(found)] == ["Line 2", "Line 3"]
    assert "There is no area “Nowhere”" in faults(found)[0]
    assert told(store, "type,Name,colour", "Story,A,red").left_out == {"colour": 1}
    assert faults(told(store, "type,Name", ",One"))[0].startswith("Line 2: a new item needs a type")
    for number in ("0", "-1", "1.5", "٣", "1" * 19, "9" * 5000):
        assert faults(told(store, "id,type,Name", f"{number},,Zero")) == [
            f"Line 2: {number[:24]!r} is not an item number."
        ]


async def test_a_row_is_an_item_once_and_only_with_fields_that_it_can_have(store: Store) -> None:
    row = await first(store, "type:story status:open est:any")

    found = told(store, "id,type,Name,est", " , ,,", ",Feedback,Seen,5", f"{row.id},,Once,", f"{row.id},,Twice,")

    assert [fault.partition(":")[0] for fault in faults(found)] == ["Line 3", "Line 5"]
    assert "Feedback" in faults(found)[0]
    assert faults(found)[1].endswith(f"item {row.id} appears twice in the file.")
    assert changes(found) == {row.id: {"Name": "Once"}}


@pytest.mark.parametrize(
    ("lines", "fault"),
    [
        (("type,Name,est,Points", "Story,A,1,2"), "Line 1: two columns name the field Estimate."),
        (("id,type,Name", "1.0,Story,A"), "Line 2: '1.0' is not an item number."),
    ],
)
async def test_a_file_that_is_no_table_of_items_is_refused(store: Store, lines: Sequence[str], fault: str) -> None:
    assert faults(told(store, *lines)) == [fault]


async def test_rows_that_do_not_fit_the_project_are_faults(store: Store) -> None:
    row = await first(store, "type:story")

    found = told(store, "id,type,Name", f"{row.id},Bug,A", "999999,,C", ",Task,Alone")
    store.pin_project(2)
    elsewhere = told(store, "id,type,Name", f"{row.id},,A")

    assert faults(found) == [
        f"Line 2: item {row.id} is a Story; an import cannot change the type.",
        "Line 3: this project has no item 999999.",
        "Line 4: place a task below its new item, or give it a ParentID.",
    ]
    assert faults(elsewhere) == [f"Line 2: this project has no item {row.id}."]
    assert faults(told(store, "type,Name,Estimate", "Story,A,", "Task,B,5"))[0].startswith("Line 3: ")
    assert faults(told(store, "type,Name", *["Story,A"] * 2001)) == []


async def test_an_import_names_an_iteration_by_a_word(store: Store) -> None:
    found = told(store, "type,Name,iteration", "Bug,One,current")

    assert found.items[0].fields["IterationID"] == store.names.iteration("current").id


NEEDS_A_TYPE = "a new item needs a type, one of: Feature, Story, Bug, Issue, Risk, Feedback, Task."


NEEDS_A_TYPE = "a new item needs a type, one of: Feature, Story, Bug, Issue, Risk, Feedback, Task."


async def test_a_fault_of_a_json_file_is_told_with_the_line_of_its_item(store: Store) -> None:
    text = '[\n  {"type": "Story",\n   "Name": "One"},\n  [7],\n  {"Name": "]"}, {"type": "Hat"}\n]'

    found = planned(store, text)

    assert faults(found) == [
        "Line 4: an item is a JSON object; this is not one.",
        f"Line 5: {NEEDS_A_TYPE}",
        "Line 5: Name cannot be empty.",
    ]


async def test_what_is_not_taken_over_is_told_with_the_reason(store: Store) -> None:
    row, task = await first(store, "type:story"), await first(store, "type:task")
    lines = (",Story,Old,2020-01-01,", ",Bug,New,,", f"{row.id},,Known,2020-01-01,", f"{task.id},,Known,,8")

    found = told(store, "id,type,Name,Created,est", *lines)

    assert faults(found) == []
    assert found.notes == [
        "Left out: Created of 1 existing item, which the server sets.",
        "Left out: Estimate of 1 existing item, whose type has no such field.",
    ]


async def test_an_export_that_is_imported_again_is_taken_over_whole_and_a_changed_date_is_named(store: Store) -> None:
    row = await first(store, "type:story")
    item = store.item(row.id)
    assert item is not None
    exported = document_of(item)

    same = planned(store, json.dumps([exported]))
    changed = planned(store, json.dumps([exported | {"createdAt": "2020-01-01T00:00:00"}]))
    copied = planned(store, json.dumps([{"type": "Bug", "Name": "A", "createdAt": "2020-01-01T00:00:00"}]))

    assert (faults(same), changes(same), same.notes) == ([], {}, [])
    assert changed.notes == ["Left out: Created of 1 existing item, which the server sets."]
    assert copied.items[0].fields["Description"] == "---\nCreated 2020-01-01 00:00"


async def test_faults_of_structure_and_of_values_are_told_at_once(store: Store) -> None:
    row = await first(store, "type:story")
    lines = (
        f"{row.id},Bug,,Nowhere,",
        "999999,,A,Nowhere,",
        "x,,B,Nowhere,",
        ",,C,Nowhere,1",
        ",Task,D,Nowhere,",
        f"{row.id},,E,,",
        ",Story,F,Nowhere,",
    )

    found = told(store, "id,type,Name,area,colour", *lines)

    texts: dict[int, list[str]] = {place: [] for place in range(2, 9)}
    for fault in faults(found):
        place, _, sentence = fault.partition(": ")
        texts[int(place.removeprefix("Line "))].append(sentence)
    nowhere = "There is no area “Nowhere”."
    assert texts == {
        2: [f"item {row.id} is a Story; an import cannot change the type.", nowhere],
        3: ["this project has no item 999999.", nowhere],
        4: ["'x' is not an item number.", nowhere],
        5: [NEEDS_A_TYPE, nowhere],
        6: [nowhere],
        7: [f"item {row.id} appears twice in the file."],
        8: [nowhere],
    }


async def test_every_fault_of_a_row_is_told(store: Store) -> None:
    found = told(store, "type,Name,WorkRemaining,ParentID", "Task,,soon,99999", "Task,No parent,later,88888")

    texts = ["Name", "“soon”", "99999", "“later”", "88888"]
    assert len(faults(found)) == 5
    assert all(any(text in fault for fault in faults(found)) for text in texts)
