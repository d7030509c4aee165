"""The figures beside a chart, and what they mean."""

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

    assert texts(open_rows(items[:1], "Still open", 24, 9)) == ["", "Still open 1", "◐ Item 0", "  lena · 2 pts"]
    assert texts(open_rows(items, "Still open", 24, 7))[-2:] == ["  lena · 2 pts", "1 more"]
    assert open_rows(items, "Still open", 24, 3) == []


def test_nothing_stands_below_the_figures_where_no_sentence_fits() -> None:
    assert definition_rows(["Done is what is done."], 8, 2) == []
