"""What commands write: tables that fit a terminal, rows, and sentences or documents."""

import argparse
import io
import json
import sys
from contextlib import redirect_stdout

import pytest
from tests.cli.home import DEMO, Home
from tests.logs import logs_kept

from backlit.cli.arguments import parser
from backlit.cli.commands.items_list import list_items
from backlit.cli.output import cells_of, say, table


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_a_table_counts_wide_characters_and_combining_marks() -> None:
    lines = table(("ID", "Owner", "Name"), [["7", "日本", "x"], ["12", "e\u0301", "y\u200b\tz"]], frozenset({0}))

    assert lines == ["ID  Owner  Name", " 7  日本   x", "12  e\u0301      y� z"]
    assert cells_of("日本e\u0301") == 5


@pytest.mark.parametrize(
    ("columns", "last"),
    [(80, "a long name"), (17, "a long name"), (16, "a long na…"), (15, "a long na…"), (3, "a long na…")],
)
def test_a_table_cuts_its_last_column_to_a_terminal_and_to_ten_columns_at_least(
    monkeypatch: pytest.MonkeyPatch, columns: int, last: str
) -> None:
    monkeypatch.setenv("COLUMNS", str(columns))
    piped = table(("A", "B", "Name"), [["1", "2", "a long name"]])
    monkeypatch.setattr(sys, "stdout", Terminal())
    shown = table(("A", "B", "Name"), [["1", "2", "a long name"]])

    assert (piped[1], shown[1]) == ("1  2  a long name", f"1  2  {last}")


def test_a_table_cuts_no_wide_character_in_two(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "10")
    monkeypatch.setattr(sys, "stdout", Terminal())

    assert table(("Name",), [["日本語日本"], ["日本語日本x"], ["日本語a日本"]])[1:] == [
        "日本語日本",
        "日本語日…",
        "日本語a日…",
    ]


@pytest.mark.parametrize(
    ("is_json", "is_dry", "written"),
    [
        (False, False, "Done.\n"),
        (False, True, "Dry run, nothing was changed: Done.\n"),
        (True, False, '{\n  "a": 1\n}\n'),
        (True, True, '{\n  "a": 1,\n  "dryRun": true\n}\n'),
    ],
)
def test_an_outcome_is_a_sentence_or_a_document(is_json: bool, is_dry: bool, written: str) -> None:
    written_bytes = io.BytesIO()
    output = io.TextIOWrapper(written_bytes)
    with redirect_stdout(output):
        say(argparse.Namespace(json=is_json, dry_run=is_dry), "Done.", {"a": 1})
        output.flush()

    assert written_bytes.getvalue().decode() == written


def test_a_list_ends_with_its_counts_on_a_terminal_alone(demo_home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BACKLIT_HOME", str(demo_home.path))
    words = ("items", "list", "--limit", "40", "--no-pager")
    tasks = sum(each["type"] == "Task" for each in json.loads(demo_home.run(*DEMO, *words, "--json").stdout))
    with redirect_stdout(Terminal()) as shown, logs_kept():
        list_items(parser().parse_args([*DEMO, *words]))
    piped = demo_home.run(*DEMO, *words).stdout

    assert tasks
    assert shown.getvalue().splitlines()[-1] == f"{40 - tasks} items, {tasks} tasks"
    assert len(piped.splitlines()) == 40
