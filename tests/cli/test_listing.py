"""The formats of listings."""

import csv
import io
import json
from datetime import datetime, timedelta

import pytest
from tests.cli.home import DEMO, Home

from backlit.cli.arguments import parser
from backlit.cli.listing import Column, Row, write_rows

COLUMNS = (Column("id", "ID", is_right=True), Column("name", "Name"), Column("at", "At"))
ROW = {"id": 7, "name": 'a\tb\nc "|\\ \x1b[2J\u202e', "at": datetime(2026, 3, 1, 9, 30)}


def written(capsys: pytest.CaptureFixture[str], *options: str) -> str:
    arguments = parser().parse_args(["items", "list", *options])
    write_rows(arguments, COLUMNS, [ROW], local=lambda moment: moment + timedelta(hours=2))
    return capsys.readouterr().out


def test_off_a_terminal_rows_are_separated_by_tabs_without_headings(capsys: pytest.CaptureFixture[str]) -> None:
    assert written(capsys) == '7\ta b c "|\\ �[2J�\t2026-03-01T09:30:00.000Z\n'


def test_tsv_adds_headings(capsys: pytest.CaptureFixture[str]) -> None:
    assert written(capsys, "--tsv").splitlines()[0] == "id\tname\tat"


def test_csv_is_exact(capsys: pytest.CaptureFixture[str]) -> None:
    head, row = csv.reader(io.StringIO(written(capsys, "--csv"), newline=""))

    assert head == ["id", "name", "at"]
    assert row == ["7", ROW["name"], "2026-03-01T09:30:00.000Z"]


def test_a_markdown_table_has_local_times_and_no_control_characters(capsys: pytest.CaptureFixture[str]) -> None:
    assert written(capsys, "--md").splitlines()[2] == '| 7 | a b c "\\|\\\\ �[2J� | 2026-03-01 11:30 |'


def test_a_table_has_headings_and_local_times(capsys: pytest.CaptureFixture[str]) -> None:
    assert written(capsys, "--table").splitlines() == [
        "ID  Name             At",
        ' 7  a b c "|\\ �[2J�  2026-03-01 11:30',
    ]


def test_values_are_yes_and_no_lists_and_numbers_at_the_right(capsys: pytest.CaptureFixture[str]) -> None:
    columns = (Column("id", "ID", is_right=True), Column("is", "On"), Column("of", "Of"), Column("name", "Name"))
    rows: list[Row] = [
        {"id": 7, "is": True, "of": ["a", "b"], "name": None},
        {"id": 12, "is": False, "of": (), "name": "x"},
    ]

    write_rows(parser().parse_args(["items", "list", "--table"]), columns, rows)

    assert capsys.readouterr().out.splitlines() == ["ID  On   Of    Name", " 7  yes  a, b", "12  no         x"]


def test_groups_head_the_rows_of_a_table_and_stand_first_elsewhere(capsys: pytest.CaptureFixture[str]) -> None:
    at = datetime(2026, 3, 1, 23, 30)
    rows: list[Row] = [
        {"id": 7, "at": at, "by": "jon"},
        {"id": 8, "at": at, "by": "jon"},
        {"id": 9, "at": None, "by": "\x1b"},
    ]
    groups = [Column("at", "At"), Column("by", "By")]
    for options in (["--table"], ["--tsv"]):
        arguments = parser().parse_args(["items", "list", *options])
        write_rows(arguments, COLUMNS[:1], rows, groups=groups, local=lambda moment: moment + timedelta(hours=2))

    assert capsys.readouterr().out.splitlines() == [
        *("ID", "", "2026-03-02 · jon (2)", "7", "8", "", "none · � (1)", "9"),
        *("at\tby\tid", "2026-03-01T23:30:00.000Z\tjon\t7", "2026-03-01T23:30:00.000Z\tjon\t8", "\t�\t9"),
    ]


@pytest.mark.parametrize("option", ["--json", "--ndjson", "--json=id,name,at"])
def test_json_keeps_every_character_and_escapes_what_a_terminal_obeys(
    capsys: pytest.CaptureFixture[str], option: str
) -> None:
    text = written(capsys, option)
    found = json.loads(text)

    assert (found if option == "--ndjson" else found[0]) == {**ROW, "at": "2026-03-01T09:30:00.000Z"}
    assert "\x1b" not in text
    assert "\u202e" not in text


def test_nothing_is_written_for_no_rows_but_a_note(capsys: pytest.CaptureFixture[str]) -> None:
    write_rows(parser().parse_args(["items", "list"]), COLUMNS, [], nothing="No items match.")

    captured = capsys.readouterr()
    assert (captured.out, captured.err) == ("", "backlit: No items match.\n")


def test_quiet_leaves_the_note_out(capsys: pytest.CaptureFixture[str]) -> None:
    write_rows(parser().parse_args(["items", "list", "--quiet"]), COLUMNS, [])

    captured = capsys.readouterr()
    assert (captured.out, captured.err) == ("", "")


@pytest.mark.slow
def test_items_have_names_beside_ids_and_flat_fields_by_choice(demo_home: Home) -> None:
    whole = demo_home.run(*DEMO, "items", "show", "19", "--json", "--offline").json
    flat = demo_home.run(*DEMO, "items", "show", "19", "--json=id,owner,iter,est,Channel_cf", "--offline").json

    assert whole["project"] == "Aurora"
    assert whole["names"]["AssignedToID"] == {"user": "maya", "name": "Maya Kent"}
    assert whole["names"]["IterationID"] == {"name": "Sprint 14", "path": r"Aurora\Release 3.2\Sprint 14"}
    assert flat == [
        {
            "id": 19,
            "owner": "maya",
            "iter": r"Aurora\Release 3.2\Sprint 14",
            "est": 5,
            "Channel_cf": "Web",
        }
    ]


@pytest.mark.slow
def test_an_export_is_what_the_import_reads(demo_home: Home) -> None:
    exported = demo_home.run(*DEMO, "items", "export", "--query", "id:19 or id:2", "--fields", "id,type,Name,Priority")
    renamed = exported.stdout.replace("Suggest categories", "Propose categories")

    done = demo_home.run(*DEMO, "items", "import", "-", "--dry-run", given=renamed)

    assert (exported.returncode, done.returncode) == (0, 0), done.stderr
    assert "changed 1 ·" in done.stdout


@pytest.mark.slow
def test_a_copy_in_sync_a_moment_ago_is_listed_without_the_service(demo_home: Home) -> None:
    (database,) = demo_home.path.glob("data/workspaces/*/service.db")
    database.write_bytes(b"no database" * 1000)
    demo_home.date_copies(age=1.0)

    recent = demo_home.run(*DEMO, "items", "list", "--limit", "1")
    demanded = demo_home.run(*DEMO, "items", "list", "--limit", "1", "--fresh")
    demo_home.date_copies(age=61.0)
    old = demo_home.run(*DEMO, "items", "list", "--limit", "1")

    assert (recent.returncode, recent.stderr) == (0, "")
    assert demanded.returncode != 0
    assert "Showing the local copy." in old.stderr
