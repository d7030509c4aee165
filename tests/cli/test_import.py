"""backlit items import: what a file comes to, and the real command once."""

import json
import subprocess
from collections.abc import Sequence
from pathlib import Path

import pytest
from tests.cli.conftest import COMMAND, DEMO, Home

from backlit.cli.commands.items_import import Import, ImportRow, planned, rows_of
from backlit.model.errors import BadRequest
from backlit.model.fields import FIELDS, Field, Settable
from backlit.store import Row, Store, ViewSpec
from backlit.store.edits.items import Family


async def first(store: Store, query: str) -> Row:
    view = store.view(ViewSpec(query=query))
    await view.load()
    return view.rows(0, 1)[0]


def told(store: Store, *lines: str) -> Import:
    return planned(store, rows_of("\n".join(lines), store.lookups.custom_fields(), is_json=False))


def test_a_csv_file_makes_items_with_their_tasks(demo_home: Home) -> None:
    lines = ("id,type,Name,est,owner,tags", ',story,"Zebra, striped",5,maya,"wild, big"', ",task,Feed the zebra,,jon,")

    done = demo_home.run(*DEMO, "items", "import", "-", given="\n".join(lines))
    listed = demo_home.run(*DEMO, "items", "list", "--json", "--query", "zebra")

    assert done.stdout.endswith("2 new, 0 changed.\nWritten.\n"), (done.stdout, done.stderr)
    story, task = json.loads(listed.stdout)
    assert (story["fields"]["Estimate"], story["fields"]["Tags"]) == ("5", ["wild", "big"])
    assert (task["type"], task["fields"]["ParentID"]) == ("Task", story["id"])


@pytest.mark.slow
async def test_a_row_with_a_number_changes_what_differs_and_an_empty_cell_says_nothing(store: Store) -> None:
    row = await first(store, "type:story status:open est:any")

    found = told(store, "id,Name,est,owner", f"{row.id},,21,")
    same = told(store, "id\tPoints", f"{row.id}\t{row.estimate}")

    assert found.changes == {row.id: {"Estimate": "21"}}
    assert same.changes == {}


async def test_tasks_belong_to_the_new_item_above_them_or_to_the_item_that_they_name(store: Store) -> None:
    row = await first(store, "type:story status:open")
    lines = ("type,Name,est,ParentID", "Story,A,3,", "Task,B,,", "bug,C,,", f"Task,D,,{row.id}", "Task,E,,", "Task,F,,")

    found = told(store, *lines)

    assert (found.faults, found.changes, found.is_for_customers) == ([], {}, False)
    assert found.families == [
        Family("Story", {"Name": "A", "Estimate": "3"}, [{"Name": "B"}]),
        Family("Bug", {"Name": "C"}),
        Family("Task", {"Name": "D", "ParentID": row.id}, [{"Name": "E"}, {"Name": "F"}]),
    ]


async def test_import_reads_the_json_of_items_list(store: Store) -> None:
    row = await first(store, "type:bug")
    item = store.item(row.id)
    assert item is not None
    empty = {key: None if value in ("", []) else value for key, value in item.fields.items()}
    written = json.dumps([{"id": row.id, "type": "Bug", "projectId": 1, "fields": {**empty, "Name": "Renamed"}}])

    found = planned(store, rows_of(written, store.lookups.custom_fields(), is_json=True))

    assert (found.faults, found.changes) == ([], {row.id: {"Name": "Renamed"}})
    people = json.dumps([{"type": "Story", "Name": "jon", "AssignedToID": "jon", "Tags": ["jon"]}])
    (family,) = planned(store, rows_of(people, (), is_json=True)).families
    assert family.fields == {"Name": "jon", "AssignedToID": 2, "Tags": ["jon"]}


@pytest.mark.slow
def test_an_import_tells_what_it_does_and_whether_it_does_anything(demo_home: Home) -> None:
    def done(*lines: str, options: tuple[str, ...] = ()) -> tuple[list[str], str]:
        ended = demo_home.run(*DEMO, "items", "import", "-", *options, given="\n".join(lines))
        return ended.stdout.splitlines(), ended.stderr.removeprefix("backlit: writing to demo-60-1 · Aurora\n")

    lines = ("id,type,Name,points,owner", "19,,,8,jon", ",risk,A [b]risk[/],,", ",feedback,Praise,,")

    assert done("id,Name", "19,") == (["Nothing changes."], "")
    told_lines = [
        "new  Risk  A [b]risk[/]",
        "new  Feedback  Praise",
        "#19  Estimate 5 → 8, Owner Maya Kent → Jon Bellamy  (Suggest categories beside articles while typing)",
        "2 new, 1 changed.",
    ]
    assert done(*lines, options=("--dry-run",)) == (told_lines, "")
    assert done(*lines[:-1])[0] == [told_lines[0], *told_lines[2:-1], "1 new, 1 changed.", "Written."]
    assert done(*lines[:2]) == (["Nothing changes."], "")


@pytest.mark.slow
def test_an_import_with_a_fault_or_for_customers_changes_nothing(demo_home: Home) -> None:
    def refused(*lines: str, form: str = "csv") -> str:
        done = demo_home.run(*DEMO, "items", "import", "-", "--format", form, given="\n".join(lines))
        assert done.returncode == 1
        return done.stderr.partition("Aurora\n")[2]

    faults = refused("type,Name,area,status", "Story,Zebra,Nowhere,", "Story,Zebra,,", "Bug,Zebra,,odd")
    shown = refused("type,Name,IsVisibleInPortal", "Story,Zebra,", "Feedback,Zebra,yes")
    listed = demo_home.run(*DEMO, "items", "list", "--query", "zebra", "--json")

    assert "unknown field '[]'" in refused("[]")
    assert "not valid JSON" in refused("type,Name", form="json")
    first, second, last = faults.splitlines()
    assert first == "backlit: Line 2: There is no area “Nowhere”."
    assert second.startswith("Line 4: Status must be one of: ")
    assert last == "No changes were made."
    assert shown == "backlit: Customers can see some of these changes. To allow that, add --customers-see.\n"
    assert json.loads(listed.stdout) == []


@pytest.mark.parametrize("field", [each for each in FIELDS if each.settable is not Settable.NEVER], ids=str)
def test_a_heading_names_a_field_by_its_key_or_label_in_any_case(field: Field) -> None:
    for name in (field.key, field.key.upper(), field.label, field.label.upper()):
        (row,) = rows_of(f"id,{name}\n7,x", (), is_json=False)

        assert row.values == {field.key: "x"}


@pytest.mark.parametrize("opening", ["[", '{"id":'])
def test_a_file_that_is_nested_too_deeply_is_named(home: Home, tmp_path: Path, opening: str) -> None:
    path = tmp_path / "deep.json"
    path.write_text(opening * 100_000)
    done = home.run("items", "import", str(path))

    assert done.returncode == 1
    assert f"backlit: Could not read the items in {path}.\nThe file is not valid JSON: lists" in done.stderr


async def test_every_fault_is_told_with_its_line(store: Store) -> None:
    lines = ("type,Name,area,IsVisibleInPortal", "Bug,One,Nowhere,", "Story,,,", "Feedback,Seen,,yes", "Task,Lost,,")

    found = told(store, *lines)

    assert found.is_for_customers
    assert [fault.partition(":")[0] for fault in found.faults] == ["Line 2", "Line 3"]
    assert "There is no area “Nowhere”" in found.faults[0]
    with pytest.raises(BadRequest, match="Line 1: unknown field 'colour'"):
        told(store, "type,colour", "Story,red")
    with pytest.raises(BadRequest, match="Line 2: a new item needs a type"):
        told(store, "type,Name", ",One")
    for number in ("0", "-1", "1.5", "٣", "1" * 19, "9" * 5000):
        with pytest.raises(BadRequest, match=f"Line 2: '{number[:24]}' is not an item number"):
            told(store, "id,Name", f"{number},Zero")


async def test_a_row_is_an_item_once_and_only_with_fields_that_it_can_have(store: Store) -> None:
    row = await first(store, "type:story status:open est:any")

    found = told(store, "id,type,Name,est", " , ,,", ",Feedback,Seen,5", f"{row.id},,Once,", f"{row.id},,Twice,")

    assert [fault.partition(":")[0] for fault in found.faults] == ["Line 3", "Line 5"]
    assert "Feedback" in found.faults[0]
    assert found.faults[1].endswith(f"item {row.id} appears twice in the file.")
    assert found.changes == {row.id: {"Name": "Once"}}


@pytest.mark.parametrize(
    ("lines", "fault"),
    [
        (("type,Name,est,Points", "Story,A,1,2"), "Line 1: two columns name the field Estimate."),
        (("type,Name", 'Story,"A'), "Line 2: unexpected end of data."),
        (("type,Name", "Story,A,B"), "Line 2: expected 2 columns, found 3."),
        (("id,type,Name", "1.0,Story,A"), "Line 2: '1.0' is not an item number."),
    ],
)
def test_a_file_that_is_no_table_of_items_is_refused(lines: Sequence[str], fault: str) -> None:
    with pytest.raises(BadRequest) as refused:
        rows_of("\n".join(lines), (), is_json=False)

    assert str(refused.value) == fault


def test_a_heading_names_a_field_by_key_short_key_or_label_and_a_read_only_one_is_left_out() -> None:
    text = "\ufeff ID \tTYPE\tname\tOwner\tPTS\tTags\tBacklogPriority\tlastModifiedAt\n #7 \t bug \tA\tjon\t\tx\t1\ty\n"
    given = json.dumps({"id": 7, "projectId": 3, "unsent": "edited", "fields": {"Name": None}, "type": "Story"})

    (written,) = rows_of(text.replace("PTS", "points"), (), is_json=False)
    (value,) = rows_of(given, (), is_json=True)

    (tabbed,) = rows_of('type,Name\nStory,"A\tB"\n', (), is_json=False)

    assert tabbed.values == {"Name": "A\tB"}
    assert written == ImportRow("Line 2", 7, "Bug", {"Name": "A", "AssignedToID": "jon", "Tags": "x"}, is_written=True)
    assert value == ImportRow("Line 1, item 1", 7, "Story", {"Name": None}, is_written=False)


async def test_rows_that_do_not_fit_the_project_are_faults(store: Store) -> None:
    row = await first(store, "type:story")

    found = told(store, "id,type,Name", f"{row.id},Bug,A", "999999,,C", ",Task,Alone")
    store.pin_project(2)
    elsewhere = told(store, "id,Name", f"{row.id},A")

    assert found.faults == [
        f"Line 2: item {row.id} is a Story; an import cannot change the type.",
        "Line 3: this project has no item 999999.",
        "Line 4: place a task below its new item, or give it a ParentID.",
    ]
    assert elsewhere.faults == [f"Line 2: this project has no item {row.id}."]
    assert told(store, "type,Name,Estimate", "Story,A,", "Task,B,5").faults[0].startswith("Line 3: ")
    assert not told(store, "type,Name", *["Story,A"] * 2000).faults
    with pytest.raises(BadRequest, match="has 2,001 items; the limit is 2,000"):
        told(store, "type,Name", *["Story,A"] * 2001)


def test_customers_see_changes_of_items_as_they_see_new_ones() -> None:
    assert Import(changes={1: {"IsVisibleInPortal": True}}).is_for_customers
    assert not Import(changes={1: {"IsVisibleInPortal": False, "Name": "Seen"}}).is_for_customers


@pytest.mark.slow
def test_a_reader_that_has_enough_does_not_stop_the_writing(demo_home: Home, tmp_path: Path) -> None:
    rows = "".join(f"Story,Striped animal {number} {'x' * 200}\n" for number in range(60))  # more than a pipe's buffer
    (tmp_path / "items.csv").write_text(f"type,name\n{rows}")
    command = ["sh", "-c", '"$@" | head -n 1', "sh", *COMMAND, *DEMO, "items", "import", str(tmp_path / "items.csv")]
    done = subprocess.run(command, check=False, env=demo_home.environment, capture_output=True, text=True, timeout=60)
    listed = demo_home.run(*DEMO, "items", "list", "--json", "--query", "striped")

    assert done.stdout == f"new  Story  Striped animal 0 {'x' * 200}\n"
    assert done.stderr == "backlit: writing to demo-60-1 · Aurora\n"
    assert len(json.loads(listed.stdout)) == 60


async def test_an_import_names_an_iteration_by_a_word(store: Store) -> None:
    found = told(store, "type,Name,iteration", "Bug,One,current")

    assert found.families[0].fields["IterationID"] == store.names.iteration("current").id


def test_a_fault_of_a_json_file_is_told_with_the_line_of_its_item() -> None:
    text = '[\n  {"type": "Story",\n   "Name": "One"},\n  7,\n  {"Name": "]"}, {"type": "Hat"}\n]'

    with pytest.raises(BadRequest) as refused:
        rows_of(text, (), is_json=True)

    assert [line.partition(":")[0] for line in str(refused.value).splitlines()] == [
        "Line 4, item 2",
        "Line 5, item 3",
        "Line 5, item 4",
    ]


def test_import_names_every_fault_of_a_file_on_a_line_of_its_own(demo_home: Home) -> None:
    lines = ("id,type,Name,colour,weight", "x,story,A,,", ",hat,B,,", ",story,C", ",story,D,,")

    done = demo_home.run(*DEMO, "items", "import", "-", given="\n".join(lines))

    assert done.returncode == 1
    assert done.stderr.splitlines()[-7:] == [
        "backlit: Could not read the items in standard input.",
        "Line 1: unknown field 'colour'.",
        "Line 1: unknown field 'weight'.",
        "Line 2: 'x' is not an item number.",
        "Line 3: a new item needs a type, one of: Feature, Story, Bug, Issue, Risk, Feedback, Task.",
        "Line 4: expected 5 columns, found 3.",
        "No changes were made.",
    ]
