"""backlit items import: the command with backlit's own headings."""

import json
import subprocess
from pathlib import Path

import pytest
from tests.cli.home import COMMAND, DEMO, Home
from tests.store.world import World
from tests.terminal import terminal

from backlit.cli.commands.items_import import write_import
from backlit.imports.own import planned_rows
from backlit.imports.reading.source import read_source
from backlit.store import ItemRow, Store, ViewSpec


async def first(store: Store, query: str) -> ItemRow:
    view = store.view(ViewSpec(query=query))
    await view.load()
    return view.rows(0, 1)[0]


def test_a_csv_file_makes_items_with_their_tasks(demo_home: Home) -> None:
    lines = ("id,type,Name,est,owner,tags", ',story,"Zebra, striped",5,maya,"wild, big"', ",task,Feed the zebra,,jon,")

    done = demo_home.run(*DEMO, "items", "import", "-", "--yes", given="\n".join(lines))
    listed = demo_home.run(*DEMO, "items", "list", "--json", "--query", "zebra")

    story, task = json.loads(listed.stdout)
    assert done.stdout.splitlines()[-3:] == [
        "1 task without a parent below the new item above.",
        f"Imported 2: #{story['id']} to #{task['id']} · changed 0",
        "Undo: backlit undo, or u in backlit.",
    ]
    assert (story["fields"]["Estimate"], story["fields"]["Tags"]) == ("5", ["wild", "big"])
    assert (task["type"], task["fields"]["ParentID"]) == ("Task", story["id"])


@pytest.mark.slow
async def test_the_history_names_an_import_in_new_and_changed_items(world: World, store: Store) -> None:
    row = await first(store, "type:story status:open")
    (newest,) = (await world.rival.work_items.page(order="id desc", top=1)).results

    lines = f"type,name,id,est\nStory,New,,\nTask,Below it,,\n,,{row.id},99"
    await write_import(store, planned_rows(store, read_source(lines.encode(), "items")))

    for item_id in (newest["id"] + 1, newest["id"] + 2, row.id):
        changes = (await world.rival.work_items.history(item_id))["results"]
        assert next(change["cause"] for change in changes if change["cause"] != "rollUp") == "import"


@pytest.mark.slow
def test_an_import_tells_what_it_does_and_whether_it_does_anything(demo_home: Home) -> None:
    def done(*lines: str, options: tuple[str, ...] = ("--yes",)) -> list[str]:
        ended = demo_home.run(*DEMO, "items", "import", "-", *options, given="\n".join(lines))
        assert ended.returncode == 0, ended.stderr
        return ended.stdout.splitlines()

    lines = ("id,type,Name,points,owner", "19,,,8,jon", ",risk,A [b]risk[/],,")
    heading = "standard input: backlit's own headings · UTF-8, comma"
    told = [heading, "Types       risk → Risk 1"]
    change = "#19  Estimate 5 → 8, Owner Maya Kent → Jon Bellamy  (Suggest categories beside articles while typing)"

    assert done("id,type,Name", "19,,") == [heading, "New 0 · changed 0 · unchanged 1"]
    assert done(*lines, options=("--dry-run",)) == [*told, change, "New 1 · changed 1"]
    assert done(*lines) == [*told, "Imported 1: #61 · changed 1", "Undo: backlit undo, or u in backlit."]
    assert done(*lines[:2])[-1] == "New 0 · changed 0 · unchanged 1"


@pytest.mark.slow
def test_an_import_with_a_fault_or_for_customers_changes_nothing(demo_home: Home) -> None:
    def refused(*lines: str, form: str = "backlit") -> str:
        done = demo_home.run(*DEMO, "items", "import", "-", "--from", form, given="\n".join(lines))
        assert done.returncode == (2 if "add --" in done.stderr else 6)
        return done.stderr.partition("Aurora\n")[2]

    faults = refused("type,Name,area,status", "Story,Zebra,Nowhere,", "Story,Zebra,,", "Bug,Zebra,,odd")
    shown = refused("type,Name,IsVisibleInPortal", "Story,Zebra,", "Feedback,Zebra,yes")
    listed = demo_home.run(*DEMO, "items", "list", "--query", "zebra", "--json")

    assert "The file has no items." in refused("[]", form="csv")
    heading, first, second, report, last = faults.splitlines()
    assert heading == "backlit: Could not import the items in standard input."
    assert first == "There is no area “Nowhere”: in line 2"
    assert second.startswith("Status must be one of: ")
    assert report.startswith("All faults are in ")
    assert last == "No changes were made."
    assert shown == "backlit: Customers can see some of these changes. To allow that, add --customers-see.\n"
    assert json.loads(listed.stdout) == []


@pytest.mark.parametrize("opening", ["[", '{"id":'])
def test_a_file_that_is_nested_too_deeply_is_named(home: Home, tmp_path: Path, opening: str) -> None:
    path = tmp_path / "deep.json"
    path.write_text(opening * 100_000)
    done = home.run("--profile", "local", "items", "import", str(path))

    assert done.returncode == 6
    assert f"backlit: Could not import the items in {path}.\nThe JSON is nested over 200 levels" in done.stderr


@pytest.mark.slow
def test_a_reader_that_has_enough_does_not_stop_the_writing(demo_home: Home, tmp_path: Path) -> None:
    rows = "".join(f"Story,Striped animal {number} {'x' * 200}\n" for number in range(60))  # more than a pipe's buffer
    (tmp_path / "items.csv").write_text(f"type,name\n{rows}")
    file = str(tmp_path / "items.csv")
    command = ["sh", "-c", '"$@" | head -n 1', "sh", *COMMAND, *DEMO, "items", "import", file, "--yes"]
    done = subprocess.run(command, check=False, env=demo_home.environment, capture_output=True, text=True, timeout=60)
    listed = demo_home.run(*DEMO, "items", "list", "--json", "--query", "striped")

    assert done.stdout == "items.csv: backlit's own headings · UTF-8, comma\n"
    assert done.stderr == "backlit: writing to demo-60-1 · Aurora\n"
    assert len(json.loads(listed.stdout)) == 60


def test_import_names_every_kind_of_fault_on_a_line_of_its_own(demo_home: Home) -> None:
    lines = ("id,type,Name,area", "x,story,A,", ",,B,", ",story,,", ",story,D,Nowhere")

    done = demo_home.run(*DEMO, "items", "import", "-", "--yes", given="\n".join(lines))

    assert done.returncode == 6
    assert done.stderr.splitlines()[-7:-2] == [
        "backlit: Could not import the items in standard input.",
        "'x' is not an item number: in line 2",
        "a new item needs a type, one of: Feature, Story, Bug, Issue, Risk, Feedback, Task: in line 3",
        "Name cannot be empty: in line 4",
        "There is no area “Nowhere”: in line 5",
    ]
    assert done.stderr.endswith("\nNo changes were made.\n")


@pytest.mark.slow
def test_an_id_changes_an_existing_item_off_a_terminal_only_with_yes(demo_home: Home) -> None:
    def name() -> str:
        return str(json.loads(demo_home.run(*DEMO, "items", "show", "19", "--json").stdout)["fields"]["Name"])

    text, before = "id,type,Name\n19,,Of another tracker\n,Story,Zebra\n", name()

    refused = demo_home.run(*DEMO, "items", "import", "-", given=text)
    after_refusal, listed = name(), demo_home.run(*DEMO, "items", "list", "--query", "zebra", "--json").stdout
    written = demo_home.run(*DEMO, "items", "import", "-", "--yes", given=text)

    assert refused.returncode == 2
    assert "Import 1 new and change 1 item in Aurora? To do so without a question, add --yes." in refused.stderr
    assert (after_refusal, json.loads(listed)) == (before, [])
    assert (written.returncode, name()) == (0, "Of another tracker")


@pytest.mark.slow
@pytest.mark.parametrize(("answer", "sentence"), [("n", "no changes were made"), ("y", "Imported")])
def test_an_id_changes_an_existing_item_on_a_terminal_after_a_question(
    demo_home: Home, tmp_path: Path, answer: str, sentence: str
) -> None:
    (tmp_path / "items.csv").write_text("id,type,Name\n19,,Of another tracker\n")

    with terminal([*DEMO, "items", "import", str(tmp_path / "items.csv")], demo_home.environment) as shown:
        shown.wait_for("Import 0 new and change 1 item")
        shown.press(answer, "enter")
        shown.wait_for(sentence)


@pytest.mark.slow
def test_an_answer_typed_before_the_question_stays_unseen_and_counts(demo_home: Home, tmp_path: Path) -> None:
    (tmp_path / "items.csv").write_text("id,type,Name\n19,,Of another tracker\n")

    with terminal([*DEMO, "items", "import", str(tmp_path / "items.csv")], demo_home.environment) as shown:
        shown.wait_for("writing to")
        shown.press("y", "enter")
        shown.wait_for("Imported")

        assert "y" not in [line.strip() for line in shown.lines]


@pytest.mark.slow
def test_e_at_the_question_edits_the_mapping_and_asks_again(demo_home: Home, tmp_path: Path) -> None:
    file, editor = tmp_path / "shop.csv", tmp_path / "editor"
    file.write_text("Summary,Issue key,Issue Type,Status\nPay by card,S-1,Story,At the carrier\n")
    editor.write_text('#!/bin/sh\nsed -i \'s/"Not Done"/"In Progress"/\' "$1"\n')
    editor.chmod(0o700)
    environment = demo_home.environment | {"VISUAL": str(editor)}

    with terminal([*DEMO, "items", "import", str(file)], environment) as shown:
        shown.wait_for("“At the carrier” → Not Done 1")
        shown.wait_for("e edits the mapping]")
        shown.press("e", "enter")
        shown.wait_for("At the carrier → In Progress 1")
        shown.press("n", "enter")
        shown.wait_for("no changes were made")


@pytest.mark.slow
def test_what_is_not_taken_over_is_told_before_the_question(demo_home: Home, tmp_path: Path) -> None:
    (tmp_path / "items.csv").write_text("id,type,Name,Created\n19,,Renamed,2020-01-01\n")

    with terminal([*DEMO, "items", "import", str(tmp_path / "items.csv")], demo_home.environment) as shown:
        shown.wait_for("Import 0 new and change 1 item")

        assert "Left out: Created of 1 existing item, which the server sets." in shown.text


def test_faults_are_told_in_the_order_of_the_file(demo_home: Home) -> None:
    lines = ("type,Name,area", "Story,A,Nowhere", "Story,,", "Story,D,Beyond")

    done = demo_home.run(*DEMO, "items", "import", "-", given="\n".join(lines))

    assert [line.rpartition(" ")[2] for line in done.stderr.splitlines()[2:-2]] == ["2", "3", "4"]


def test_faults_are_grouped_and_bounded_and_a_report_has_all(demo_home: Home, tmp_path: Path) -> None:
    same = [f",,{number}" for number in range(1000)]
    different = [f"x{number},Story,{number}" for number in range(1000)]
    report = tmp_path / "faults.tsv"

    done = demo_home.run(
        *(*DEMO, "items", "import", "-", "--report", str(report)), given="\n".join(["id,type,Name", *same, *different])
    )

    lines = done.stderr.splitlines()
    assert len(lines) == 25
    assert lines[2].startswith("a new item needs a type")
    assert lines[2].endswith("Task: 1,000 rows, first in lines 2, 3, 4")
    assert lines[-3:-1] == ["and 981 other kinds", f"All faults are in {report}."]
    assert len(report.read_text().splitlines()) == 2001


def test_a_summary_is_short_whatever_the_size_of_the_file(demo_home: Home) -> None:
    rows = [f"Kind {number},A,Person {number}" for number in range(300)]

    done = demo_home.run(*DEMO, "items", "import", "-", "--dry-run", given="\n".join(["type,Name,owner", *rows]))

    assert done.stdout.splitlines()[-1] == "New 300 · changed 0"
    assert len(done.stdout.splitlines()) < 30


@pytest.mark.parametrize(
    ("written", "sentence"),
    [(b"", "The file has no items."), (b"type,Name\n", "The file has no items."), (b"\x89PNG\r\n\0", "is a picture.")],
)
def test_a_file_that_is_no_text_of_items_is_refused_in_a_sentence(
    demo_home: Home, tmp_path: Path, written: bytes, sentence: str
) -> None:
    (tmp_path / "items.csv").write_bytes(written)

    done = demo_home.run(*DEMO, "items", "import", str(tmp_path / "items.csv"))

    assert done.returncode == 6
    assert sentence in done.stderr
