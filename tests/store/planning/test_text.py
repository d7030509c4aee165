"""A plan as text: written, changed by people, read again."""

import pytest

from backlit.model.errors import BadRequest
from backlit.store import IterationEntry
from backlit.store.planning.text import ExportedItem, PlanLine, labels_of, plan_text, read_base, read_plan

LABELS = {7: "Sprint 1", 8: "Sprint 2"}
BACKLOG_ID = 1
SECTIONS = {
    7: [PlanLine(12, "5", "maya", "Save address"), PlanLine(1003, None, None, "Retry [card]  twice")],
    8: [],
    BACKLOG_ID: [PlanLine(4, "2 pts", "user 99", "# hostile \x1b[31m")],
}


def iteration(number: int, name: str, path: str) -> IterationEntry:
    return IterationEntry(number, name, path, None, None, None, None, is_release=False)


def test_what_is_written_is_read_again() -> None:
    found = read_plan(plan_text("Aurora", SECTIONS, LABELS, {7: "a note"}), LABELS, BACKLOG_ID)

    assert {place: [(line.id, line.estimate, line.owner) for line in lines] for place, lines in found.items()} == {
        7: [(12, "5", "maya"), (1003, None, None)],
        8: [],
        BACKLOG_ID: [(4, "2 pts", "user 99")],
    }


def test_what_it_starts_from_is_read_again_and_is_no_part_of_the_plan() -> None:
    was = {12: ExportedItem(7, "5", "maya"), 4: ExportedItem(None, None, "user 99")}

    text = plan_text("Aurora", SECTIONS, LABELS, {}, was)

    assert read_base(text) == was
    assert read_plan(text, LABELS, BACKLOG_ID) == read_plan(plan_text("Aurora", SECTIONS, LABELS, {}), LABELS, 1)


@pytest.mark.parametrize(
    "line",
    [
        "12 7 5 maya",
        "12  7  5",
        "12  7  5  maya  5",
        "12  x  5  maya",
        "x  7  5  maya",
        f"{10**18}  7  5  maya",
        "²  7  5  maya",
    ],
)
def test_a_line_of_what_it_starts_from_that_was_changed_is_named(line: str) -> None:
    with pytest.raises(BadRequest, match="Line 2: invalid export values"):
        read_base(f"[Sprint 1]\n#= {line}\n")


def test_values_with_gaps_stay_in_their_columns() -> None:
    text = plan_text("Aurora", {7: [PlanLine(12, "a  few", "maya\truiz", "Save  it")]}, LABELS, {})

    ((line,),) = read_plan(text, LABELS, BACKLOG_ID).values()
    assert (line.estimate, line.owner, line.name) == ("a few", "maya ruiz", "Save  it")


def test_two_headings_of_an_iteration_are_one() -> None:
    found = read_plan("[Sprint 1]\n1  -  -\n[Sprint 2]\n[Sprint 1] # again\n2  -  -\n", LABELS, BACKLOG_ID)

    assert {place: [line.id for line in lines] for place, lines in found.items()} == {7: [1, 2], 8: []}


def test_it_is_the_same_text_for_the_same_plan_and_has_no_control_characters() -> None:
    text = plan_text("Aurora", SECTIONS, LABELS, {})

    assert text == plan_text("Aurora", SECTIONS, LABELS, {})
    assert all(character.isprintable() or character == "\n" for character in text)


def test_lines_may_be_indented_and_have_tabs_and_no_name() -> None:
    found = read_plan("[Sprint 2]\n   12\t3\tjon\n\n# a remark\n", LABELS, BACKLOG_ID)

    assert found == {8: [PlanLine(12, "3", "jon")]}


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("[Sprint 9]", "Line 1: unknown iteration 'Sprint 9'."),
        ("12  3  jon", "Line 1: no iteration above this item"),
        ("[Sprint 1]\n12 3 jon", "Line 2: expected number, points and owner"),
        ("[Sprint 1]\n12  3", "Line 2: expected number, points and owner"),
        ("[Sprint 1]\n²  3  jon", "Line 2: expected number, points and owner"),
        ("[Sprint 1]\nabc  3  jon", "Line 2: expected number, points and owner"),
        ("[Sprint 1]\n12  3  jon\n[Sprint 2]\n12  3  jon", "Line 4: item 12 is already in line 2."),
    ],
)
def test_what_is_wrong_is_said_with_its_line(text: str, sentence: str) -> None:
    with pytest.raises(BadRequest, match="Line") as caught:
        read_plan(text, LABELS, BACKLOG_ID)

    assert sentence in str(caught.value)


def test_iterations_of_one_name_are_told_apart_by_their_paths() -> None:
    entries = [iteration(7, "Sprint 1", "A\\R1\\Sprint 1"), iteration(8, "Sprint 1", "A\\R2\\Sprint 1")]

    assert labels_of([*entries, iteration(9, "Last", "A\\Last")]) == {7: "R1\\Sprint 1", 8: "R2\\Sprint 1", 9: "Last"}
    assert labels_of([iteration(9, "Backlog", "A\\R1\\Backlog")]) == {9: "R1\\Backlog"}
