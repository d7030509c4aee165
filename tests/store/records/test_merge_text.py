"""Two versions of a text, merged by line."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from backlit.store.records.merge import LINES_LIMIT, MARKS, has_marks, merge_text, with_both

BASE = "one\ntwo\nthree\nfour\nfive"


def test_changes_of_different_lines_are_both_there() -> None:
    merged = merge_text(BASE, BASE.replace("one", "ONE"), BASE.replace("five", "FIVE\nsix"))

    assert merged == "ONE\ntwo\nthree\nfour\nFIVE\nsix"


def test_the_same_change_of_both_is_made_once() -> None:
    merged = merge_text(BASE, BASE.replace("two", "2") + "\nmine", "zero\n" + BASE.replace("two", "2"))

    assert merged == "zero\none\n2\nthree\nfour\nfive\nmine"


@pytest.mark.parametrize(
    ("mine", "theirs"),
    [
        (BASE.replace("two", "2"), BASE.replace("two", "II")),
        (BASE.replace("two", "2"), BASE.replace("three", "3")),
        (BASE + "\nmine", BASE + "\ntheirs"),
        (BASE.replace("two\n", ""), BASE.replace("two", "II")),
        ("", BASE + "\ntheirs"),
    ],
    ids=["the same line", "neighbours", "both at the end", "deleted and changed", "all deleted"],
)
def test_changes_that_touch_clash(mine: str, theirs: str) -> None:
    assert merge_text(BASE, mine, theirs) is None
    assert merge_text(BASE, theirs, mine) is None


def test_texts_written_where_there_was_none_clash() -> None:
    assert merge_text("", "mine", "theirs") is None
    assert merge_text("", "the same", "the same\n") == "the same\n"


def test_a_service_that_stores_crlf_has_changed_nothing_by_that() -> None:
    theirs = BASE.replace("\n", "\r\n")

    merged = merge_text(BASE, BASE.replace("two", "2\nand a half"), theirs)

    assert merged == "one\r\n2\r\nand a half\r\nthree\r\nfour\r\nfive"


def test_untouched_lines_keep_their_own_endings() -> None:
    base = "one\r\ntwo\nthree\r\nfour\n\n"

    assert merge_text(base, base.replace("one", "1"), base.replace("four", "4")) == "1\r\ntwo\nthree\r\n4\n\n"


def test_line_breaks_at_the_end_are_no_clash() -> None:
    assert merge_text("a", "a\nb", "a\n\n") == "a\nb\n\n"


def test_a_text_to_settle_holds_both_versions_and_what_merged() -> None:
    mine, theirs = BASE.replace("two", "2") + "\nmine", BASE.replace("two", "II").replace("four", "IV")

    text = with_both(BASE, mine, theirs)

    assert text.splitlines() == ["one", MARKS[0], "2", MARKS[1], "II", MARKS[2], "three", "IV", "five", "mine"]
    assert (has_marks(text), has_marks(mine)) == (True, False)


def test_a_text_of_very_many_lines_is_not_compared() -> None:
    base = "\n".join(map(str, range(LINES_LIMIT + 1)))

    assert merge_text(base, "mine\n" + base, base + "\ntheirs") is None


words = st.sampled_from("abcde") | st.text("xyz ", max_size=3)
texts = st.lists(words, max_size=12).flatmap(
    lambda lines: st.sampled_from(["\n", "\r\n"]).map(lambda newline: newline.join(lines))
)


@given(texts, texts)
def test_where_only_one_side_changed_its_text_stands(base: str, other: str) -> None:
    assert merge_text(base, other, base) == other
    assert merge_text(base, base, other) == other
    assert merge_text(base, other, other) == other


@pytest.mark.slow
@given(texts, texts, texts)
def test_who_merges_makes_no_difference_but_for_line_endings(base: str, one: str, other: str) -> None:
    forth, back = merge_text(base, one, other), merge_text(base, other, one)

    assert (forth is None) == (back is None)
    assert (forth or "").splitlines() == (back or "").splitlines()


@given(texts, texts, texts)
@example("a\na", "a\nb\na", "a\na\na")
@example("a\nb", "b", "a\nb\na")
def test_merging_once_more_changes_nothing(base: str, mine: str, theirs: str) -> None:
    merged = merge_text(base, mine, theirs)

    assert merged is None or merge_text(base, mine, merged) == merged


@given(texts, texts, texts)
def test_no_line_comes_from_nowhere(base: str, mine: str, theirs: str) -> None:
    merged = merge_text(base, mine, theirs)

    assert set((merged or "").splitlines()) <= {*mine.splitlines(), *theirs.splitlines(), ""}


@given(st.data())
def test_changes_with_a_line_between_them_are_all_there(data: st.DataObject) -> None:
    count = data.draw(st.integers(1, 15))
    editors = data.draw(st.lists(st.sampled_from(["mine", "theirs", ""]), min_size=count, max_size=count))
    acts = data.draw(st.lists(st.sampled_from(["replace", "delete", "insert"]), min_size=count, max_size=count))
    versions: dict[str, list[str]] = {"base": [], "mine": [], "theirs": [], "both": []}
    for number, (editor, act) in enumerate(zip(editors, acts, strict=True)):
        line = f"line {number}"
        new = {"replace": [f"new {number}"], "delete": [], "insert": [line, f"new {number}"]}[act]
        for version, lines in versions.items():
            is_changed = editor and version in {editor, "both"}
            lines.extend([*(new if is_changed else [line]), f"between {number}"])
    base, mine, theirs, both = ("\n".join(lines) for lines in versions.values())

    assert merge_text(base, mine, theirs) == both


@pytest.mark.parametrize(
    ("base", "mine", "theirs", "merged"),
    [
        ("a\n\n", "b\n", "a\n\n", "b\n"),
        ("a\n", "a\n\n", "b\n", "b\n\n"),
        ("a\n\n", "b\n\n", "a\n", "b\n"),
        ("a", "b\n", "a\n\n", "b\n\n"),
        ("a\nb\nc\n", "x\nb\nc", "a\nb\ny\n", "x\nb\ny"),
    ],
)
def test_breaks_at_the_end_are_those_of_the_side_that_changed_them(
    base: str, mine: str, theirs: str, merged: str
) -> None:
    assert merge_text(base, mine, theirs) == merged
