"""The figures of the columns of a table."""

from collections.abc import Sequence

import pytest

from backlit.tui.attachments.table_figures import ColumnFigures, column_figures, figure_lines
from backlit.tui.drawing.themes import VARIABLE_DEFAULTS, ThemeStyles

LOOKS = ThemeStyles({**VARIABLE_DEFAULTS, "foreground": "#ffffff", "background": "#000000", "panel": "#222222"})


def test_numbers_have_a_range_and_a_shape_and_repeated_values_are_counted() -> None:
    rows = [["at", "answer", "note"], *([str(2 * at), "503" if at % 3 else "200", f"note {at}"] for at in range(8))]

    numbers, answers = column_figures(rows)

    assert (numbers.name, numbers.words, numbers.median) == ("at", "0 to 14, median 7", 7)
    assert numbers.numbers == [2.0 * at for at in range(8)]
    assert answers == ColumnFigures("answer", [("503", 5), ("200", 3)])


def test_a_column_that_counts_the_rows_names_them_and_has_no_figures() -> None:
    rows = [["attempt", "seconds"], *([str(at), str(at * at)] for at in range(1, 40))]

    (figures,) = column_figures(rows)

    assert (figures.name, figures.ends) == ("seconds", ("attempt 1", "attempt 39"))


def test_a_column_of_texts_or_of_none_has_no_figures() -> None:
    assert column_figures([["a", "b", "c"], ["x", "", "nan"], ["y", "", "1"], ["1", "", "2"]]) == []
    assert column_figures([["a", "b"]]) == []


def test_the_shape_of_numbers_has_one_cell_for_neighbours_where_it_is_narrow() -> None:
    figures = column_figures([["a"], *([str(2 * at)] for at in range(16))])
    flat = column_figures([["a"], ["7"]])

    shapes = [[*figure_lines(each, width, 4, LOOKS)][-1][-1].text for each, width in ((figures, 8), (flat, 8))]

    assert shapes == ["▁▂▃▄▅▆▇█", "▁"]


def test_a_single_number_has_no_chart() -> None:
    lines = [*figure_lines(column_figures([["a"], ["7"]]), 40, 9, LOOKS)]

    assert ["".join(part.text for part in line) for line in lines] == ["a  7", "▁"]


def test_the_chart_of_numbers_has_its_median_and_the_rows_at_its_axes() -> None:
    figures = column_figures([["a"], *([str(2 * at)] for at in range(1, 5))])

    lines = ["".join(part.text for part in line).rstrip() for line in figure_lines(figures, 33, 6, LOOKS)]

    assert lines == [
        "a",
        "8 ┤                       ▄▄▄▄▄▄▄",
        "  │── median 5 ──────────────────",
        "  │        ▄▄▄▄▄▄▄███████████████",
        "2 └────────▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀",
        "   row 1                    row 4",
    ]


def test_the_bars_of_values_have_one_scale_and_fit() -> None:
    figures = [ColumnFigures("answer", [("503", 20), ("200", 5)])]

    lines = ["".join(part.text for part in line) for line in figure_lines(figures, 40, 9, LOOKS)]

    assert [line.count("━") for line in lines] == [0, 27, 7]
    assert lines[0] == "answer"
    assert lines[1].startswith("503  ━")
    assert lines[2].endswith("━  5 rows")
    assert max(map(len, lines)) <= 40


def test_bars_and_charts_begin_at_one_column() -> None:
    rows = [["size", "answer"], *([str(at * at), "yes" if at % 2 else "no"] for at in range(12))]

    lines = ["".join(part.text for part in line) for line in figure_lines(column_figures(rows), 60, 14, LOOKS)]

    assert lines[-1].index("━") == lines[-5].index("row 1") == lines[1].index("┤") + 1


def test_a_high_chart_has_round_steps_of_whole_lines() -> None:
    figures = column_figures([["a"], *([str(at * at / 4)] for at in range(1, 40))])

    lines = ["".join(part.text for part in line) for line in figure_lines(figures, 60, 24, LOOKS)]

    steps = [(at, line.split()[0]) for at, line in enumerate(lines) if "┤" in line or "└" in line]
    assert steps == [(1, "400"), (6, "300"), (11, "200"), (16, "100"), (21, "0")]
    assert lines[16].startswith("100 ┤── median 100 ──")


@pytest.mark.parametrize(
    ("numbers", "ticks"),
    [
        ((0.25, 1.5), ["1.5", "1.0", "0.5", "0.0"]),
        ((-3, 12), ["15", "10", "5", "0", "-5"]),
        ((1010, 1950), ["2,000", "1,500", "1,000"]),
    ],
)
def test_the_ticks_of_a_chart_are_round_and_have_the_same_decimals(numbers: Sequence[float], ticks: list[str]) -> None:
    assert ColumnFigures("a", numbers=numbers).labels() == ticks
