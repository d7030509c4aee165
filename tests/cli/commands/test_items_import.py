"""backlit items import: what a file comes to, and the real command once."""

import json
import subprocess
from collections.abc import Sequence
from pathlib import Path

import pytest
from tests.cli.home import COMMAND, DEMO, Home
from tests.store.world import World
from tests.terminal import terminal

from backlit.cli.commands.items_import import ImportEffect, ImportRow, planned, rows_of, write_import
from backlit.cli.item_fields import document_of
from backlit.model.fields import FIELDS, Field, Settable
from backlit.store import ItemRow, Store, ViewSpec
from backlit.store.edits.items import ItemWithTasks


async def first(store: Store, query: str) -> ItemRow:
    view = store.view(ViewSpec(query=query))
    await view.load()
    return view.rows(0, 1)[0]


def told(store: Store, *lines: str) -> ImportEffect:
    return planned(store, "\n".join(lines), is_json=False)


def rows(text: str, *, is_json: bool = False) -> list[ImportRow]:
    return rows_of(text, (), [], is_json=is_json)


def test_a_csv_file_makes_items_with_their_tasks(demo_home: Home) -> None:
    lines = ("id,type,Name,est,owner,tags", ',story,"Zebra, striped",5,maya,"wild, big"', ",task,Feed the zebra,,jon,")

    done = demo_home.run(*DEMO, "items", "import", "-", given="\n".join(lines))
    listed = demo_home.run(*DEMO, "items", "list", "--json", "--query", "zebra")

    assert done.stdout.splitlines()[-3:] == [
        "2 new, 0 changed.",
        "1 task without a parent below the new item above.",
        "Written.",
    ]
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


@pytest.mark.slow
async def test_the_history_names_an_import_in_new_and_changed_items(world: World, store: Store) -> None:
    row = await first(store, "type:story status:open")
    (newest,) = (await world.rival.work_items.page(order="id desc", top=1)).results

    await write_import(store, told(store, "type,name,id,est", "Story,New,,", "Task,Below it,,", f",,{row.id},99"))

    for item_id in (newest["id"] + 1, newest["id"] + 2, row.id):
        changes = (await world.rival.work_items.history(item_id))["results"]
        assert next(change["cause"] for change in changes if change["cause"] != "rollUp") == "import"


async def test_tasks_belong_to_the_new_item_above_them_or_to_the_item_that_they_name(store: Store) -> None:
    row = await first(store, "type:story status:open")
    below = told(store, "type,Name,est", "Story,A,3", "Task,B,", "bug,C,", "Task,D,", "Task,E,")
    named = told(store, "type,Name,ParentID", f"Task,F,{row.id}")

    assert (below.faults, below.changes, below.is_for_customers) == ([], {}, False)
    assert below.families == [
        ItemWithTasks("Story", {"Name": "A", "Estimate": "3"}, [{"Name": "B"}]),
        ItemWithTasks("Bug", {"Name": "C"}, [{"Name": "D"}, {"Name": "E"}]),
    ]
    assert below.tasks_below == 3
    assert named.families == [ItemWithTasks("Task", {"Name": "F", "ParentID": row.id})]
    assert named.tasks_below == 0


async def test_a_task_without_a_parent_is_a_fault_where_the_file_names_parents(store: Store) -> None:
    row = await first(store, "type:story status:open")

    found = told(store, "type,Name,ParentID", "Story,A,", f"Task,B,{row.id}", "Task,C,")

    assert found.faults == ["Line 4: the task names no parent; give it a ParentID."]


async def test_import_reads_the_json_of_items_list(store: Store) -> None:
    row = await first(store, "type:bug")
    item = store.item(row.id)
    assert item is not None
    empty = {key: None if value in ("", []) else value for key, value in item.fields.items()}
    written = json.dumps([{"id": row.id, "type": "Bug", "projectId": 1, "fields": {**empty, "Name": "Renamed"}}])

    found = planned(store, written, is_json=True)

    assert (found.faults, found.changes) == ([], {row.id: {"Name": "Renamed"}})
    people = json.dumps([{"type": "Story", "Name": "jon", "AssignedToID": "jon", "Tags": ["jon"]}])
    (family,) = planned(store, people, is_json=True).families
    assert family.fields == {"Name": "jon", "AssignedToID": 2, "Tags": ["jon"]}


@pytest.mark.slow
def test_an_import_tells_what_it_does_and_whether_it_does_anything(demo_home: Home) -> None:
    def done(*lines: str, options: tuple[str, ...] = ()) -> tuple[list[str], str]:
        ended = demo_home.run(*DEMO, "items", "import", "-", *options, given="\n".join(lines))
        return ended.stdout.splitlines(), ended.stderr.removeprefix("backlit: writing to demo-60-1 · Aurora\n")

    lines = ("id,type,Name,points,owner", "19,,,8,jon", ",risk,A [b]risk[/],,", ",feedback,Praise,,")

    assert done("id,Name", "19,") == (["Nothing changes."], "")
    told_lines = [
        "#19  Estimate 5 → 8, Owner Maya Kent → Jon Bellamy  (Suggest categories beside articles while typing)",
        "new  Risk  A [b]risk[/]",
        "new  Feedback  Praise",
        "2 new, 1 changed.",
    ]
    assert done(*lines, options=("--dry-run",)) == (told_lines, "")
    assert done(*lines[:-1], options=("--yes",))[0] == [*told_lines[:2], "1 new, 1 changed.", "Written."]
    assert done(*lines[:2]) == (["Nothing changes."], "")


@pytest.mark.slow
def test_an_import_with_a_fault_or_for_customers_changes_nothing(demo_home: Home) -> None:
    def refused(*lines: str, form: str = "csv") -> str:
        done = demo_home.run(*DEMO, "items", "import", "-", "--format", form, given="\n".join(lines))
        assert done.returncode == (2 if "add --" in done.stderr else 6)
        return done.stderr.partition("Aurora\n")[2]

    faults = refused("type,Name,area,status", "Story,Zebra,Nowhere,", "Story,Zebra,,", "Bug,Zebra,,odd")
    shown = refused("type,Name,IsVisibleInPortal", "Story,Zebra,", "Feedback,Zebra,yes")
    listed = demo_home.run(*DEMO, "items", "list", "--query", "zebra", "--json")

    assert "unknown field '[]'" in refused("[]")
    assert "not valid JSON" in refused("type,Name", form="json")
    heading, first, second, last = faults.splitlines()
    assert heading == "backlit: Could not import the items in standard input."
    assert first == "Line 2: There is no area “Nowhere”."
    assert second.startswith("Line 4: Status must be one of: ")
    assert last == "No changes were made."
    assert shown == "backlit: Customers can see some of these changes. To allow that, add --customers-see.\n"
    assert json.loads(listed.stdout) == []


@pytest.mark.parametrize("field", [each for each in FIELDS if each.settable is not Settable.NEVER], ids=str)
def test_a_heading_names_a_field_by_its_key_or_label_in_any_case(field: Field) -> None:
    for name in (field.key, field.key.upper(), field.label, field.label.upper()):
        (row,) = rows(f"id,{name}\n7,x")

        assert row.values == {field.key: "x"}


@pytest.mark.parametrize("opening", ["[", '{"id":'])
def test_a_file_that_is_nested_too_deeply_is_named(home: Home, tmp_path: Path, opening: str) -> None:
    path = tmp_path / "deep.json"
    path.write_text(opening * 100_000)
    done = home.run("--profile", "local", "items", "import", str(path))

    assert done.returncode == 6
    assert f"backlit: Could not import the items in {path}.\nThe file is not valid JSON: lists" in done.stderr


async def test_every_fault_is_told_with_its_line(store: Store) -> None:
    lines = ("type,Name,area,IsVisibleInPortal", "Bug,One,Nowhere,", "Story,,,", "Feedback,Seen,,yes", "Task,Lost,,")

    found = told(store, *lines)

    assert found.is_for_customers
    assert [fault.partition(":")[0] for fault in found.faults] == ["Line 2", "Line 3"]
    assert "There is no area “Nowhere”" in found.faults[0]
    assert told(store, "type,Name,colour", "Story,A,red").faults == ["Line 1: unknown field 'colour'."]
    assert told(store, "type,Name", ",One").faults[0].startswith("Line 2: a new item needs a type")
    for number in ("0", "-1", "1.5", "٣", "1" * 19, "9" * 5000):
        assert told(store, "id,Name", f"{number},Zero").faults == [f"Line 2: {number[:24]!r} is not an item number."]


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
async def test_a_file_that_is_no_table_of_items_is_refused(store: Store, lines: Sequence[str], fault: str) -> None:
    assert told(store, *lines).faults == [fault]


def test_a_heading_names_a_field_by_key_short_key_or_label_and_a_read_only_one_is_left_out() -> None:
    text = "\ufeff ID \tTYPE\tname\tOwner\tPTS\tTags\tBacklogPriority\tlastModifiedAt\n #7 \t bug \tA\tjon\t\tx\t1\ty\n"
    given = json.dumps({"id": 7, "projectId": 3, "unsent": "edited", "fields": {"Name": None}, "type": "Story"})

    (written,) = rows(text.replace("PTS", "points"))
    (value,) = rows(given, is_json=True)

    (tabbed,) = rows('type,Name\nStory,"A\tB"\n')

    computed = {"BacklogPriority": "1", "lastModifiedAt": "y"}
    assert tabbed.values == {"Name": "A\tB"}
    assert written == ImportRow("Line 2", 7, "Bug", {"Name": "A", "AssignedToID": "jon", "Tags": "x"}, True, computed)
    assert value == ImportRow("Line 1, item 1", 7, "Story", {"Name": None}, is_written=False, computed={"projectId": 3})


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
    assert told(store, "type,Name", *["Story,A"] * 2001).faults == [
        "Line 2: the file has 2,001 items; the limit is 2,000 per import. Split the file."
    ]


def test_customers_see_changes_of_items_as_they_see_new_ones() -> None:
    assert ImportEffect(changes={1: {"IsVisibleInPortal": True}}).is_for_customers
    assert not ImportEffect(changes={1: {"IsVisibleInPortal": False, "Name": "Seen"}}).is_for_customers


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


NEEDS_A_TYPE = "a new item needs a type, one of: Feature, Story, Bug, Issue, Risk, Feedback, Task."


async def test_a_fault_of_a_json_file_is_told_with_the_line_of_its_item(store: Store) -> None:
    text = '[\n  {"type": "Story",\n   "Name": "One"},\n  7,\n  {"Name": "]"}, {"type": "Hat"}\n]'

    found = planned(store, text, is_json=True)

    assert [line.partition(": ")[::2] for line in found.faults] == [
        ("Line 4, item 2", "an item is a JSON object; this is not one."),
        ("Line 5, item 3", NEEDS_A_TYPE),
        ("Line 5, item 4", NEEDS_A_TYPE),
    ]


def test_import_names_every_fault_of_a_file_on_a_line_of_its_own(demo_home: Home) -> None:
    lines = ("id,type,Name,colour,weight", "x,story,A,,", ",hat,B,,", ",story,C", ",story,D,,")

    done = demo_home.run(*DEMO, "items", "import", "-", given="\n".join(lines))

    assert done.returncode == 6
    assert done.stderr.splitlines()[-7:] == [
        "backlit: Could not import the items in standard input.",
        "Line 1: unknown field 'colour'.",
        "Line 1: unknown field 'weight'.",
        "Line 2: 'x' is not an item number.",
        "Line 3: a new item needs a type, one of: Feature, Story, Bug, Issue, Risk, Feedback, Task.",
        "Line 4: expected 5 columns, found 3.",
        "No changes were made.",
    ]


@pytest.mark.slow
def test_an_id_changes_an_existing_item_off_a_terminal_only_with_yes(demo_home: Home) -> None:
    def name() -> str:
        return str(json.loads(demo_home.run(*DEMO, "items", "show", "19", "--json").stdout)["fields"]["Name"])

    text, before = "id,type,Name\n19,,Of another tracker\n,Story,Zebra\n", name()

    refused = demo_home.run(*DEMO, "items", "import", "-", given=text)
    after_refusal, listed = name(), demo_home.run(*DEMO, "items", "list", "--query", "zebra", "--json").stdout
    written = demo_home.run(*DEMO, "items", "import", "-", "--yes", given=text)

    assert refused.returncode == 2
    assert "The ids in the file are those of 1 existing item. To change it, add --yes." in refused.stderr
    assert (after_refusal, json.loads(listed)) == (before, [])
    assert (written.returncode, name()) == (0, "Of another tracker")


@pytest.mark.slow
@pytest.mark.parametrize(("answer", "sentence"), [("n", "no changes were made"), ("y", "Written")])
def test_an_id_changes_an_existing_item_on_a_terminal_after_a_question(
    demo_home: Home, tmp_path: Path, answer: str, sentence: str
) -> None:
    (tmp_path / "items.csv").write_text("id,Name\n19,Of another tracker\n")

    with terminal([*DEMO, "items", "import", str(tmp_path / "items.csv")], demo_home.environment) as shown:
        shown.wait_for("Change 1 existing item")
        shown.press(answer, "enter")
        shown.wait_for(sentence)


@pytest.mark.slow
def test_an_answer_typed_before_the_question_stays_unseen_and_counts(demo_home: Home, tmp_path: Path) -> None:
    (tmp_path / "items.csv").write_text("id,Name\n19,Of another tracker\n")

    with terminal([*DEMO, "items", "import", str(tmp_path / "items.csv")], demo_home.environment) as shown:
        shown.wait_for("writing to")
        shown.press("y", "enter")
        shown.wait_for("Written")

        assert "y" not in [line.strip() for line in shown.lines]


def notes(found: ImportEffect) -> list[str]:
    return [f"{label} of {count} {noun}, {reason}" for (label, noun, reason), count in found.left_out.items()]


async def test_what_is_not_taken_over_is_told_with_the_reason(store: Store) -> None:
    row, task = await first(store, "type:story"), await first(store, "type:task")
    lines = (",Story,Old,2020-01-01,", ",Bug,New,,", f"{row.id},,Known,2020-01-01,", f"{task.id},,Known,,8")

    found = told(store, "id,type,Name,Created,est", *lines)

    assert found.faults == []
    assert notes(found) == [
        "Created of 1 new item, which the server sets",
        "Created of 1 existing item, which the server sets",
        "Estimate of 1 existing item, whose type has no such field",
    ]


async def test_an_export_that_is_imported_again_is_taken_over_whole_and_a_changed_date_is_named(store: Store) -> None:
    row = await first(store, "type:story")
    item = store.item(row.id)
    assert item is not None
    exported = document_of(item)

    same = planned(store, json.dumps([exported]), is_json=True)
    changed = planned(store, json.dumps([exported | {"createdAt": "2020-01-01T00:00:00"}]), is_json=True)
    copied = planned(
        store, json.dumps([{"type": "Bug", "Name": "A", "createdAt": "2020-01-01T00:00:00"}]), is_json=True
    )

    assert (same.faults, same.changes, notes(same)) == ([], {}, [])
    assert notes(changed) == ["Created of 1 existing item, which the server sets"]
    assert notes(copied) == ["Created of 1 new item, which the server sets"]


@pytest.mark.slow
def test_what_is_not_taken_over_is_told_before_the_question(demo_home: Home, tmp_path: Path) -> None:
    (tmp_path / "items.csv").write_text("id,Name,Created\n19,Renamed,2020-01-01\n")

    with terminal([*DEMO, "items", "import", str(tmp_path / "items.csv")], demo_home.environment) as shown:
        shown.wait_for("Change 1 existing item")

        assert "Left out: Created of 1 existing item, which the server sets." in shown.text


async def test_faults_of_structure_and_of_values_are_told_at_once(store: Store) -> None:
    row = await first(store, "type:story")
    lines = (
        f"{row.id},Bug,,Nowhere,",
        "999999,,A,Nowhere,",
        "x,,B,Nowhere,",
        ",hat,C,Nowhere,1",
        ",Task,D,Nowhere,",
        "short,of",
        f"{row.id},,E,,",
        ",Story,F,Nowhere,",
    )

    found = told(store, "id,type,Name,area,colour", *lines)

    texts: dict[int, list[str]] = {place: [] for place in range(1, 10)}
    for fault in found.faults:
        place, _, sentence = fault.partition(": ")
        texts[int(place.removeprefix("Line "))].append(sentence)
    nowhere = "There is no area “Nowhere”."
    assert texts == {
        1: ["unknown field 'colour'."],
        2: [f"item {row.id} is a Story; an import cannot change the type.", nowhere],
        3: ["this project has no item 999999.", nowhere],
        4: ["'x' is not an item number.", nowhere],
        5: [NEEDS_A_TYPE, nowhere],
        6: [nowhere],
        7: ["expected 5 columns, found 2."],
        8: [f"item {row.id} appears twice in the file."],
        9: [nowhere],
    }


def test_faults_are_told_in_the_order_of_the_file(demo_home: Home) -> None:
    lines = ("type,Name,area,colour", "Story,A,Nowhere,", "Hat,B,,", "Story,C", "Story,D,Beyond,")

    done = demo_home.run(*DEMO, "items", "import", "-", given="\n".join(lines))

    assert [line.partition(":")[0] for line in done.stderr.splitlines()[2:-1]] == [f"Line {at}" for at in range(1, 6)]


async def test_every_fault_of_a_row_is_told(store: Store) -> None:
    found = told(store, "type,Name,WorkRemaining,ParentID", "Task,,soon,99999", "Task,No parent,later,88888")

    texts = ["Name", "“soon”", "99999", "“later”", "88888"]
    assert len(found.faults) == 5
    assert all(any(text in fault for fault in found.faults) for text in texts)


def test_faults_are_grouped_and_bounded_and_a_report_has_all(demo_home: Home, tmp_path: Path) -> None:
    same = [f",hat,{number}" for number in range(1000)]
    different = [f"x{number},Story,{number}" for number in range(1000)]
    report = tmp_path / "faults.txt"

    done = demo_home.run(
        *(*DEMO, "items", "import", "-", "--report", str(report)), given="\n".join(["id,type,Name", *same, *different])
    )

    lines = done.stderr.splitlines()
    assert len(lines) == 24
    assert lines[2].startswith("Line 2; Line 3; Line 4; Line 5; Line 6 and 995 more: a new item needs a type")
    assert lines[-2] == "… and 981 more faults; --report FILE writes all."
    assert len(report.read_text().splitlines()) == 2000


def test_effects_are_bounded_and_a_report_has_all(demo_home: Home, tmp_path: Path) -> None:
    report = tmp_path / "effects.txt"

    done = demo_home.run(
        *(*DEMO, "items", "import", "-", "--dry-run", "--report", str(report)),
        given="\n".join(["type,Name", *("Story,A" for _ in range(300))]),
    )

    assert done.stdout.splitlines()[-2:] == ["… and 260 more lines; --report FILE writes all.", "300 new, 0 changed."]
    assert len(done.stdout.splitlines()) == 42
    assert len(report.read_text().splitlines()) == 301


@pytest.mark.parametrize(
    ("written", "sentence"),
    [
        (b"", "The file has no headings on its first line, such as: type,Name"),
        (b"type,Name\nStory,\xdcber\n", "line 2 is not UTF-8. Save the file as UTF-8"),
        (b"\x89PNG\r\n\0\0\0\rIHDR", "it is not a text file in UTF-8."),
    ],
)
def test_a_file_that_is_no_text_of_items_is_refused_in_a_sentence(
    demo_home: Home, tmp_path: Path, written: bytes, sentence: str
) -> None:
    (tmp_path / "items.csv").write_bytes(written)

    done = demo_home.run(*DEMO, "items", "import", str(tmp_path / "items.csv"))

    assert done.returncode in {1, 6}
    assert sentence in done.stderr
    assert "codec" not in done.stderr
