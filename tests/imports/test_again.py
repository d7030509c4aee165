"""The same file again: nothing twice, what both sides changed is asked, and interrupted imports go on."""

import csv
import io
import shutil
import signal
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.cli.admin_world import PASSWORD, Workspace
from tests.cli.home import Home, Server
from tests.imports.expectations import CASES, Imported
from tests.imports.jira_files import jira_csv

FILE = (
    "Summary,Issue key,Issue Type,Status,Custom field (Story Points)\n"
    "Pay by card,S-1,Story,To Do,3\n"
    "Pay by bill,S-2,Story,To Do,5\n"
)


def imported(maya: Home, file: Path, text: str, *options: str) -> str:
    file.write_text(text, encoding="utf-8")
    done = maya.run("items", "import", str(file), "--yes", *options)
    assert done.returncode == 0, done.stderr
    return done.stdout


def estimates(webshop: Workspace) -> dict[str, str]:
    return {item["name"]: item["estimate"] for item in Imported(webshop).items}


@pytest.mark.slow
def test_a_file_that_comes_again_brings_nothing_twice(webshop: Workspace, maya: Home, tmp_path: Path) -> None:
    file = tmp_path / "shop.csv"
    imported(maya, file, FILE)
    before = Imported(webshop).counts

    again = imported(maya, file, FILE)

    assert Imported(webshop).counts == before
    assert "unchanged 2" in again


@pytest.mark.slow
def test_new_iterations_follow_each_other_in_the_order_of_their_numbers(
    webshop: Workspace, maya: Home, tmp_path: Path
) -> None:
    names = ("Sprint 10", "Sprint 2", "Sprint 1")
    rows = "".join(f"Item {name},Story,{name}\n" for name in names)

    imported(maya, tmp_path / "shop.csv", f"Summary,Issue Type,Sprint\n{rows}")

    places = sorted(Imported(webshop).places["iteration"].values(), key=lambda place: place["sequence"] or 0)
    made = [place for place in places if place["name"] in names]
    days = [day for place in made for day in (str(place["start_date"]), str(place["end_date"]))]
    assert [place["name"] for place in made] == ["Sprint 1", "Sprint 2", "Sprint 10"]
    assert days == sorted(set(days))


@pytest.mark.slow
def test_an_edit_on_one_side_is_kept_and_one_on_both_is_asked(webshop: Workspace, maya: Home, tmp_path: Path) -> None:
    file = tmp_path / "shop.csv"
    imported(maya, file, FILE)
    assert maya.run("items", "set", "1", "Estimate=8", "--yes").returncode == 0

    kept = imported(maya, file, FILE.replace("Pay by bill", "Pay by invoice"))
    on_one_side = estimates(webshop)
    asked = imported(maya, file, FILE.replace("Pay by bill", "Pay by invoice").replace("To Do,3", "To Do,13"))
    on_both_sides = estimates(webshop)
    imported(maya, file, FILE.replace("Pay by bill", "Pay by invoice").replace("To Do,3", "To Do,13"), "--overwrite")

    assert "to check" not in kept
    assert on_one_side == {"Pay by card": "8", "Pay by invoice": "5"}
    assert "to check 1" in asked
    assert on_both_sides == on_one_side
    assert estimates(webshop) == {"Pay by card": "13", "Pay by invoice": "5"}


@pytest.mark.slow
def test_rows_with_a_fault_can_be_left_out_and_are_told_in_a_file(
    webshop: Workspace, maya: Home, tmp_path: Path
) -> None:
    file, report = tmp_path / "shop.csv", tmp_path / "faults.tsv"
    file.write_text(FILE + ",S-3,Story,To Do,1\n,S-4,Story,To Do,1\n", encoding="utf-8")

    refused = maya.run("items", "import", str(file), "--yes")
    count = len(Imported(webshop).items)
    done = maya.run("items", "import", str(file), "--yes", "--skip-faulty", "--report", str(report))

    assert (refused.returncode, count) == (6, 0)
    assert done.returncode == 8
    assert done.stderr.endswith(f"backlit: 2 rows with a fault left out. All faults are in {report}.\n")
    assert estimates(webshop) == {"Pay by card": "3", "Pay by bill": "5"}
    assert [line.split("\t")[0] for line in report.read_text(encoding="utf-8").splitlines()] == ["line", "4", "5"]


@pytest.mark.slow
@pytest.mark.parametrize(("encoding", "name"), [("utf-16", "Größe wählen"), ("shift_jis", "カードで支払う")])
def test_a_file_is_read_in_its_encoding(
    webshop: Workspace, maya: Home, tmp_path: Path, encoding: str, name: str
) -> None:
    file = tmp_path / "shop.csv"
    file.write_bytes(FILE.replace("Pay by card", name).encode(encoding))

    assert maya.run("items", "import", str(file), "--yes").returncode == 0

    assert name in estimates(webshop)


@pytest.mark.slow
def test_a_written_mapping_imports_as_the_proposal_does(webshop: Workspace, maya: Home, tmp_path: Path) -> None:
    file, mapping = tmp_path / "shop.csv", tmp_path / "shop.toml"
    file.write_text(FILE, encoding="utf-8")

    written = maya.run("items", "import", str(file), "--write-map", str(mapping))
    count = len(Imported(webshop).items)
    text = mapping.read_text(encoding="utf-8").replace('"To Do" = "Not Done"', '"To Do" = "In Progress"')
    mapping.write_text(text, encoding="utf-8")
    imported(maya, file, FILE, "--map", str(mapping))

    assert (written.returncode, count) == (0, 0)
    assert {item["status"] for item in Imported(webshop).items} == {"In Progress"}


@pytest.mark.slow
def test_what_an_export_writes_comes_back_as_it_was(webshop: Workspace, maya: Home, tmp_path: Path) -> None:
    file = tmp_path / "export.csv"
    imported(maya, file, FILE.replace("Pay by card", "=SUM of the basket").replace("Pay by bill", 'カード "quick"'))
    before = Imported(webshop).items

    exported = maya.run("items", "export", "--excel").stdout
    again = imported(maya, file, exported)
    assert maya.run("undo", "--yes").returncode == 0
    emptied = Imported(webshop).items
    imported(maya, file, _without_numbers(exported))
    names = ("name", "type", "status", "estimate", "description")

    assert exported.startswith("\ufeff")
    assert "'=SUM of the basket" in exported
    assert "changed 0" in again
    assert emptied == []
    assert [[item[key] for key in names] for item in Imported(webshop).items] == [
        [item[key] for key in names] for item in before
    ]


def _without_numbers(exported: str) -> str:
    """Return an export for another workspace, which has its own numbers."""
    rows = list(csv.reader(io.StringIO(exported.removeprefix("\ufeff"))))
    kept = [at for at, name in enumerate(rows[0]) if name != "id"]
    text = io.StringIO()
    csv.writer(text).writerows([row[at] for at in kept] for row in rows)
    return text.getvalue()


@pytest.fixture
def other(empty_workspace: Workspace, tmp_path: Path) -> Iterator[tuple[Workspace, Home]]:
    """Another server with the same users and an empty project, and maya on it."""
    shutil.copytree(empty_workspace.folder, tmp_path / "other")
    workspace, home = Workspace(tmp_path / "other"), Home(tmp_path / "other maya")
    server = Server(workspace.settings)
    assert home.run("login", server.address, "--user", "maya", given=f"{PASSWORD}\n").returncode == 0
    yield workspace, home
    server.stop()


def content(workspace: Workspace) -> list[dict[str, Any]]:
    """Return what people see of all items, in their order, without what a block of an import says of their origin."""
    found = Imported(workspace)
    names = {item["id"]: item["name"] for item in found.items}
    values = ("name", "type", "status", "estimate", "priority", "severity", "tags", "work_remaining", "assigned_to_id")
    return [
        {
            **{key: item[key] for key in values},
            "parent": names.get(item["parent_id"]),
            "iteration": found.path("iteration", item),
            "area": found.path("area", item),
            "text": (item["description"] or "").partition("---\nImported from ")[0].strip(),
            "comments": [each["description"] for each in found.comments if each["work_item_id"] == item["id"]],
        }
        for item in found.items
    ]


@pytest.mark.slow
def test_an_export_of_all_comes_back_whole_in_an_empty_project(
    webshop: Workspace, maya: Home, other: tuple[Workspace, Home], tmp_path: Path
) -> None:
    empty, there = other
    file = tmp_path / "moved.csv"
    imported(maya, tmp_path / "shop.csv", (CASES / "jira-cloud-all.csv").read_text(encoding="utf-8-sig"))
    assert maya.run("comments", "add", "1", "=1+1 is two; said by Maya").returncode == 0
    before = content(webshop)

    exported = maya.run("items", "export", "--all")
    imported(there, file, exported.stdout)
    after, counts = content(empty), Imported(empty).counts
    again = imported(there, file, exported.stdout)
    back = imported(maya, file, exported.stdout)

    commented = [(item.pop("comments"), found.pop("comments")) for item, found in zip(before, after, strict=True)]
    for texts, found in commented:
        assert all(each.startswith("**") for each in found)
        assert [each.partition("\n\n")[2] for each in found] == texts
    assert sum(len(texts) for texts, _ in commented) > 1
    assert after == before
    assert _dates(empty) == _dates(webshop)
    assert Imported(empty).counts == counts
    assert f"New 0 · changed 0 · unchanged {len(before)}" in again
    assert "Left out" not in back
    assert f"unchanged {len(before)}" in back


def _dates(workspace: Workspace) -> dict[str, tuple[object, object]]:
    found = Imported(workspace).places["iteration"].values()
    return {each["name"]: (each["start_date"], each["end_date"]) for each in found}


def _killed_in_the_middle(webshop: Workspace, maya: Home, file: Path, count: int) -> int:
    """Kill an import once the service has a number of items; return how many it has then."""
    program = maya.start("items", "import", str(file), "--yes")
    while program.poll() is None and len(Imported(webshop).items) < count:
        time.sleep(0.1)
    program.send_signal(signal.SIGKILL)
    program.communicate()
    return len(Imported(webshop).items)


@pytest.mark.slow
def test_ctrl_c_says_how_to_go_on_and_the_same_command_does(webshop: Workspace, maya: Home, tmp_path: Path) -> None:
    file = tmp_path / "shop.csv"
    file.write_text(jira_csv(1_000), encoding="utf-8")

    program = maya.start("items", "import", str(file), "--yes")
    while program.poll() is None and len(Imported(webshop).items) < 200:
        time.sleep(0.1)
    program.send_signal(signal.SIGINT)
    _, said = program.communicate()
    first = len(Imported(webshop).items)
    done = maya.run("items", "import", str(file), "--yes")
    names = [item["name"] for item in Imported(webshop).items]

    assert program.returncode == 130, said
    assert "backlit: Interrupted. " in said.splitlines()[-1]
    assert said.endswith("The same command goes on with the rest. Undo: backlit undo.\n")
    assert 200 <= first < 1_000
    assert done.returncode == 0, done.stderr
    assert len(names) == len(set(names)) == 1_000


@pytest.mark.long
def test_an_import_that_is_killed_twice_brings_each_item_once(webshop: Workspace, maya: Home, tmp_path: Path) -> None:
    file = tmp_path / "large.csv"
    file.write_text(jira_csv(10_000), encoding="utf-8")

    first = _killed_in_the_middle(webshop, maya, file, 2_000)
    second = _killed_in_the_middle(webshop, maya, file, first + 3_000)
    done = maya.run("items", "import", str(file), "--yes")
    names = [item["name"] for item in Imported(webshop).items]

    assert first < second < 10_000
    assert done.returncode == 0, done.stderr
    assert len(names) == 10_000
    assert len(set(names)) == 10_000
