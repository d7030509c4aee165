"""Acceptance criteria that stand in a description."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from backlit.model.criteria_lists import criteria_in
from backlit.model.fields import NAME_LIMIT
from backlit.model.resources import CriterionStatus

PLAIN = "Words are found.\n\n## Done when\n\n- one\n- two\n  goes on\n* three\n\n## Notes\n\n- a note"


def titles(text: str) -> list[str]:
    return [each.title for each in criteria_in(text).criteria]


@pytest.mark.parametrize(
    ("text", "expected", "rest"),
    [
        (PLAIN, ["one", "two goes on", "three"], "Words are found.\n\n## Notes\n\n- a note"),
        ("Done when:\n- one\nThe end.", ["one"], "The end."),
        ("**Acceptance criteria**\n1. one\n2) two", ["one", "two"], ""),
        ("Definition of Done\n\n- one\n\n- two\n\nAfter.", ["one", "two"], "After."),
        ("# Done when\nAll of these hold:\n- one\n", ["one"], "# Done when\nAll of these hold:"),
        ("Done when\n- one\n  - below", ["one", "below"], ""),
        ("Buy:\n- [ ] one\n- [x] two\n\nDone.", ["one", "two"], "Buy:\n\nDone."),
        ("- a\n\n\n\nDone when\n- one", ["one"], "- a"),
        ("Done when\n\nNothing.\n\n## Ideas\n- idea", [], None),
        ("```\nDone when\n- one\n```", [], None),
        ("- bullets alone\n- are no criteria", [], None),
        ("", [], None),
        ("<p>Hi</p><h3>Done when</h3><ul><li>one &amp; <b>all</b></li><li>two</li></ul><p>x</p>", ["one & all", "two"],
         "<p>Hi</p><p>x</p>"),
        ("<p><strong>Acceptance criteria:</strong></p><ol><li>one<li>two</ol>", ["one", "two"], ""),
        ("<h2>Done when</h2><ul><li>one<ul><li>two</li></ul></li></ul>x", ["one", "two"], "x"),
        ("<h2>Done when</h2><ul><li>one", ["one"], ""),
        ("<p>Colours</p><ul><li>red</li></ul>", [], None),
    ],
)  # fmt: skip
def test_criteria_are_the_list_below_their_heading_or_a_checklist(
    text: str, expected: list[str], rest: str | None
) -> None:
    found = criteria_in(text)

    assert [each.title for each in found.criteria] == expected
    assert found.rest == (text if rest is None else rest)


def test_a_ticked_entry_is_a_passed_criterion() -> None:
    found = criteria_in("- [x] one\n- [ ] two")

    assert [each.status for each in found.criteria] == [CriterionStatus.PASS, CriterionStatus.NOT_EXECUTED]


def test_a_long_entry_is_whole_in_the_description_of_its_criterion() -> None:
    (found,) = criteria_in(f"Done when\n- {'word ' * 200}").criteria

    assert len(found.title) == NAME_LIMIT
    assert found.description == ("word " * 200).strip()


WORDS = st.text(st.sampled_from("ab #-*[]x1.)\t"), max_size=9)


@given(
    st.lists(st.one_of(WORDS, st.sampled_from(["Done when", "## Done when", "- one", "- [x] two", "", "  on", "```"])))
)
def test_no_word_of_a_description_is_lost(lines: list[str]) -> None:
    text = "\n".join(lines)
    found = criteria_in(text)

    kept = " ".join([found.rest, *(each.description or each.title for each in found.criteria)])
    signs = "#-*[]x1.) \t\n"
    letters = [letter for letter in kept if letter not in signs]
    gone = "Donewhen" if found.criteria and kept.count("Done when") < text.count("Done when") else ""
    assert sorted([*letters, *gone]) == sorted(letter for letter in text if letter not in signs)
