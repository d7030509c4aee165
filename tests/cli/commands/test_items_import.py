"""backlit items import: what a file comes to, and the real command once."""

import asyncio
import json
import subprocess
from collections.abc import Sequence
from pathlib import Path

import pytest
from tests.cli.home import COMMAND, DEMO, Home
from tests.store.world import World, until
from tests.terminal import terminal

from backlit.cli.commands.items_import import ImportEffect, ImportRow, planned, rows_of, write_import
from backlit.model.errors import BadRequest
from backlit.model.fields import FIELDS, Field, Settable
from backlit.store import ItemRow, Store, ViewSpec
from backlit.store.edits.items import ItemWithTasks


async def first(store: Store, query: str) -> ItemRow:
    view = store.view(ViewSpec(query=query))
    await view.load()
    return view.rows(0, 1)[0]


def told(store: Store, *lines: str) -> ImportEffect:
    return planned(store, rows_of("\n".join(lines), store.lookups.custom_fields(), is_json=False))


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
        assert done.returncode == (2 if "add --" in done.stderr else 1)
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
    done = home.run("--profile", "local", "items", "import", str(path))

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

    left_out = ("Backlog priority", "Modified")
    assert tabbed.values == {"Name": "A\tB"}
    assert written == ImportRow("Line 2", 7, "Bug", {"Name": "A", "AssignedToID": "jon", "Tags": "x"}, True, left_out)
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


def test_a_fault_of_a_json_file_is_told_with_the_line_of_its_item() -> None:
    text = '[\n  {"type": "Story",\n   "Name": "One"},\n  7,\n  {"Name": "]"}, {"type": "Hat"}\n]'

    with pytest.raises(BadRequest) as refused:
        rows_of(text, (), is_json=True)

    assert [line.partition(":")[0] for line in str(refused.value).splitlines()] == [
        "Line 4, item 2",
        "Line 5, item 3; Line 5, item 4",
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


def test_an_id_changes_an_existing_item_off_a_terminal_only_with_yes(demo_home: Home) -> None:
    def name() -> str:
        return str(json.loads(demo_home.run(*DEMO, "items", "update_overlay", "19", "--json").stdout)["fields"]["Name"])

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


async def test_values_that_the_server_sets_are_said_to_be_left_out_of_new_items(store: Store) -> None:
    row = await first(store, "type:story")

    found = told(store, "id,type,Name,Created", ",Story,Old,2020-01-01", ",Bug,New,", f"{row.id},,Known,2020-01-01")

    assert found.faults == []
    assert found.left_out == {"Created": 1}


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

    assert done.returncode == 1
    assert sentence in done.stderr
    assert "codec" not in done.stderr


async def test_an_interrupted_import_says_what_was_sent_and_what_waits(
    world: World, store: Store, capsys: pytest.CaptureFixture[str]
) -> None:
    async def answer_one(method: str, _path: str) -> None:
        if method == "POST" and world.faults.count("POST") > 1:
            await asyncio.Event().wait()

    world.faults.before = answer_one
    found = told(store, "type,name", "Story,One", "Story,Two", "Story,Three")

    writing = asyncio.create_task(write_import(store, found))
    await until(lambda: store.outbox.pending == 2, lambda: store.outbox)
    writing.cancel()
    await asyncio.gather(writing, return_exceptions=True)

    waits = "2 wait on this machine: backlit sends them when the server is reachable."
    assert writing.cancelled()
    assert capsys.readouterr().err == f"backlit: Interrupted. 1 of 3 changes was sent; {waits}\n"
