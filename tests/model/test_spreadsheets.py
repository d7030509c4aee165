"""Cells that a spreadsheet would take as formulas."""

import pytest

from backlit.model.spreadsheets import defused, undefused


@pytest.mark.parametrize(
    ("cell", "written"),
    [
        ("=SUM(A1:A9)", "'=SUM(A1:A9)"),
        ("@me", "'@me"),
        ("+1 for this", "'+1 for this"),
        ("- one\n- two", "'- one\n- two"),
        ("'=SUM(A1)", "''=SUM(A1)"),
        ("'quoted'", "'quoted'"),
        ("-5", "-5"),
        ("+2,5", "+2,5"),
        ("a=b", "a=b"),
        ("", ""),
    ],
)
def test_a_formula_is_written_as_text_and_read_as_it_was(cell: str, written: str) -> None:
    assert defused(cell) == written
    assert undefused(written) == cell
