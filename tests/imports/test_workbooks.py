"""Workbooks and archives as files to import, and the order that a column gives."""

import io
import zipfile
from datetime import date, datetime

import pytest
from openpyxl import Workbook

from backlit.imports.drafts.draft import Drafts
from backlit.imports.formats.detection import drafts_of
from backlit.imports.reading.source import read_source
from backlit.model.errors import BadRequest
from backlit.model.import_mappings import ImportMapping

RANKED = "Summary,Issue key,Issue Type,Rank\nLast,S-1,Story,0|i3:\nFirst,S-2,Story,0|i1:\nNone,S-3,Story,\n"


def archive(*names: str, content: bytes = b"name\nPay\n") -> bytes:
    written = io.BytesIO()
    with zipfile.ZipFile(written, "w") as made:
        for name in names:
            made.writestr(name, content)
    return written.getvalue()


def workbook(*rows: tuple[object, ...]) -> bytes:
    book, written = Workbook(), io.BytesIO()
    for row in rows:
        book.worksheets[0].append(row)
    book.create_sheet("Notes").append(("not", "read"))
    book.save(written)
    return written.getvalue()


def read(content: bytes, **columns: str) -> Drafts:
    return drafts_of(read_source(content, "shop.xlsx"), "", ImportMapping(columns=columns))


def test_the_first_sheet_of_a_workbook_is_a_table() -> None:
    table = read_source(
        workbook(
            ("Title", "Points", "Due date", "Created", "Flag"),
            ("Pay", 3.0, date(2026, 11, 2), datetime(2026, 11, 2, 9, 30), True),
            (None, None, None, None, None),
            ("Ship", 0.5, None, None, None),
        ),
        "shop.xlsx",
    ).table

    assert table is not None
    assert [(row.line, list(row.cells)) for row in table.rows] == [
        (2, ["Pay", "3", "2026-11-02", "2026-11-02 09:30:00", "true"]),
        (4, ["Ship", "0.5", "", "", ""]),
    ]


def test_an_item_of_a_workbook_has_its_values() -> None:
    [item] = read(workbook(("Title", "Due date"), ("Pay", date(2026, 11, 2)))).items

    assert (item.title, item.due and item.due.day) == ("Pay", date(2026, 11, 2))


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (
            archive("a.csv", "b/c.csv"),
            "The file is a ZIP archive of a.csv, b/c.csv. Unpack it, and import one of these files.",
        ),
        (archive(*(f"{each}.csv" for each in range(9))), "4.csv and 4 more. Unpack it"),
        (archive(), "The file is an empty ZIP archive"),
        (archive("a.csv")[:40], "The archive is damaged"),
        (archive("xl/workbook.xml", content=b"<no"), "The workbook cannot be read"),
        (workbook(), "The file has no items"),
        (workbook(("Title",)), "The file has no items"),
    ],
    ids=["two files", "nine files", "no file", "half a file", "no workbook", "an empty sheet", "a heading alone"],
)
def test_what_is_no_table_is_refused(content: bytes, said: str) -> None:
    with pytest.raises(BadRequest) as refused:
        read_source(content, "shop.zip")

    assert said in refused.value.message


def test_a_column_mapped_to_the_rank_orders_the_items() -> None:
    titles = [item.title for item in read(RANKED.encode(), Rank="rank").items]

    assert titles == ["First", "Last", "None"]


def test_ranks_that_are_numbers_are_ordered_as_numbers() -> None:
    titles = [item.title for item in read(b"Title,Order\nTen,10\nNine,9\n", Order="rank").items]

    assert titles == ["Nine", "Ten"]


def test_a_file_that_is_not_in_the_order_of_its_rank_says_so() -> None:
    found = read(RANKED.encode())
    sorted_file = read(b"Summary,Issue key,Issue Type,Rank\nFirst,S-2,Story,0|i1:\nLast,S-1,Story,0|i3:\n")

    assert [item.title for item in found.items] == ["Last", "First", "None"]
    assert [each.sentence for each in found.warnings] == [
        'The rows are not in the order of Rank. To take it, map the column to "rank"'
    ]
    assert sorted_file.warnings == []


@pytest.mark.parametrize("end", [b"Ship,S-2,Bu", b'"Ship, S-2'])
def test_a_file_that_ends_early_says_so(end: bytes) -> None:
    found = read(b"Summary,Issue key,Issue Type,Status\nPay,S-1,Story,To Do\n" + end)
    whole = read(b"Summary,Issue key,Issue Type,Status\nPay,S-1,Story,To Do\nShip\nSend\n")

    assert ["the file may be cut off" in each.sentence for each in found.warnings] == [True]
    assert whole.warnings == []


def test_a_file_that_ends_early_keeps_its_other_warnings() -> None:
    found = read(b'Summary,Issue key,Issue Type,Status\nPay,S-1,Story,To Do,more\n"Ship, S-2')

    assert [each.line for each in found.warnings] == [2, 3]
    assert "more values than headings" in found.warnings[0].sentence
    assert "the file may be cut off" in found.warnings[1].sentence
