"""The figures beside a chart, and what they mean."""

import pytest

from backlit.model.reports.report import Figure
from backlit.tui.drawing.large_figures import figure_rows
from backlit.tui.reports.figures import DEFINITION_HEADING, UnfinishedItem, definition_rows, open_rows


def texts(rows: list[tuple[tuple[str, str], ...]]) -> list[str]:
    return ["".join(text for text, _ in row) for row in rows]


def test_as_many_whole_sentences_of_a_definition_are_shown_as_fit() -> None:
    sentences = ["Done is what is done.", "Scope is all that counts, in the whole sprint."]

    assert texts(definition_rows(sentences, 24, 3)) == [
        "",
        DEFINITION_HEADING,
        "Done is what is done.",
        "?  1 more rule",
    ]
    assert len(definition_rows(sentences, 24, 9)) == 6


def test_open_items_are_named_with_their_owner_as_many_as_fit() -> None:
    items = [UnfinishedItem("◐", "muted", f"Item {number}", "lena", "owner-1", " · 2 pts") for number in range(3)]

    assert texts(open_rows(items[:1], 24, 9)) == ["", "Still open 1", "◐ Item 0", "  lena · 2 pts"]
    assert texts(open_rows(items, 24, 7))[-2:] == ["  lena · 2 pts", "1 more"]
    assert open_rows(items, 24, 3) == []


def test_names_of_open_items_have_two_lines_where_all_have_room() -> None:
    items = [UnfinishedItem("◐", "muted", "Reconcile payouts with orders every night", "jon", "owner-1", " · 3 pts")]

    whole, cut = (texts(open_rows(items, 28, room))[2:] for room in (5, 4))

    assert whole == ["◐ Reconcile payouts with", "  orders every night", "  jon · 3 pts"]
    assert cut == ["◐ Reconcile payouts with or…", "  jon · 3 pts"]


def test_nothing_stands_below_the_figures_where_no_sentence_fits() -> None:
    assert definition_rows(["Done is what is done."], 8, 2) == []


@pytest.mark.parametrize(
    ("width", "beside", "below"),
    [
        (40, ["pts median", "of 6 sprints", "mean 28.5"], []),
        (26, [""] * 3, ["", "pts median", "of 6 sprints, mean 28.5"]),
    ],
)
def test_words_stand_below_a_figure_where_they_do_not_fit_beside_it(
    width: int, beside: list[str], below: list[str]
) -> None:
    _, *rows = texts(figure_rows([Figure("29.5", "pts median", "of 6 sprints, mean 28.5")], [], width))

    assert [row[:16] for row in rows[:3]] == ["▟▀▀▙ ▟▀▀▙   █▀▀▀", " ▗▟▛ ▜▄▄█   ▀▀▀▙", "▟█▄▄ ▗▄▄▛ ▄ ▜▄▄▛"]
    assert [row[18:] for row in rows[:3]] == beside
    assert rows[3:] == below
