"""The three-way merge by field."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from backlit.store.records.merge import is_long, kept_otherwise, merge, merge_tags


def test_what_they_did_not_touch_is_sent() -> None:
    merged = merge({"Name": "a"}, {"Name": "b"}, {"Name": "a", "Status": "Done"})

    assert (merged.changes, merged.conflicts) == ({"Name": "b"}, {})


def test_what_both_made_the_same_is_neither_sent_nor_a_conflict() -> None:
    merged = merge({"Name": "a"}, {"Name": "b"}, {"Name": "b"})

    assert (merged.changes, merged.conflicts) == ({}, {})


def test_what_both_changed_differently_is_a_conflict() -> None:
    merged = merge({"Name": "a", "Estimate": "1"}, {"Name": "b", "Estimate": "2"}, {"Name": "c", "Estimate": "1"})

    assert (merged.changes, merged.conflicts) == ({"Estimate": "2"}, {"Name": "c"})


VALUES = st.dictionaries(st.sampled_from(["Name", "Status", "Owner_cf", "Estimate"]), st.sampled_from("abc"))


@given(VALUES, VALUES, VALUES)
def test_each_field_is_merged_by_itself(base: dict[str, str], mine: dict[str, str], theirs: dict[str, str]) -> None:
    merged = merge(base, mine, theirs)

    differing = {key: value for key, value in mine.items() if theirs.get(key) != value}
    assert merged.changes == {key: each for key, each in differing.items() if theirs.get(key) == base.get(key)}
    assert merged.conflicts == {key: theirs.get(key) for key in differing if theirs.get(key) != base.get(key)}


@pytest.mark.parametrize("empty", [None, ""])
def test_unset_and_empty_text_are_the_same(empty: object) -> None:
    assert merge({"Estimate": empty}, {"Estimate": "2"}, {"Estimate": None}).changes == {"Estimate": "2"}


def test_tags_put_on_and_taken_off_by_both_are_all_honoured() -> None:
    assert merge_tags(["a", "b"], ["b", "c"], ["a", "b", "d"]) == ["b", "d", "c"]
    assert merge({"Tags": ["a"]}, {"Tags": []}, {"Tags": ["b"]}).changes == {}


def test_a_tag_that_others_removed_stays_away() -> None:
    assert merge_tags(["a", "b"], ["a", "b", "c"], ["a"]) == ["a", "c"]


def test_a_text_that_others_changed_the_same_way_and_further_is_not_sent() -> None:
    merged = merge({"Description": "a\nb\nc"}, {"Description": "A\nb\nc"}, {"Description": "A\nb\nC"})

    assert (merged.changes, merged.conflicts) == ({}, {})


@pytest.mark.parametrize(
    ("key", "mine", "theirs", "is_so"),
    [
        ("Notes_cf", "one", "two", False), ("Notes_cf", "a\nb", "two", True), ("Notes_cf", "one", "a\nb", True),
        ("Notes_cf", "one", "a\rb", True), ("Notes_cf", None, "a\nb", True), ("Notes_cf", 5, "a\nb", False),
        ("Description", "one", "two", True), ("Name", "a\nb", "two", False),
    ],
)  # fmt: skip
def test_a_custom_text_is_long_if_either_side_has_lines(key: str, mine: object, theirs: object, is_so: bool) -> None:
    assert is_long(key, mine, theirs) is is_so


def test_a_long_text_merges_by_line_and_a_name_does_not() -> None:
    base, mine, theirs = "a\nb\nc", "A\nb\nc", "a\nb\nC"

    merged = merge(
        dict.fromkeys(("Description", "Notes_cf", "Name"), base),
        dict.fromkeys(("Description", "Notes_cf", "Name"), mine),
        dict.fromkeys(("Description", "Notes_cf", "Name"), theirs),
    )

    assert merged.changes == {"Description": "A\nb\nC", "Notes_cf": "A\nb\nC"}
    assert merged.conflicts == {"Name": theirs}


def test_a_long_text_in_which_both_changed_a_line_is_a_conflict() -> None:
    assert merge({"Resolution": "a\nb"}, {"Resolution": "A\nb"}, {"Resolution": "1\nb"}).conflicts == {
        "Resolution": "1\nb"
    }
    assert merge({"Description": None}, {"Description": "mine"}, {"Description": "theirs"}).conflicts


def test_a_list_of_words_of_a_project_s_own_merges_as_tags_do() -> None:
    assert merge({"Places_cf": ["a"]}, {"Places_cf": ["a", "b"]}, {"Places_cf": ["c", "a"]}).changes == {
        "Places_cf": ["c", "a", "b"]
    }
    assert merge({"Places_cf": ["a"]}, {"Places_cf": None}, {"Places_cf": ["a", "c"]}).changes == {"Places_cf": ["c"]}


def test_true_is_not_one() -> None:
    assert merge({"X_cf": 1}, {"X_cf": True}, {"X_cf": 1}).changes == {"X_cf": True}


def test_a_value_that_comes_back_different_is_named() -> None:
    sent = {"Name": "a b", "Estimate": "3", "Tags": ["x", "y"], "Status": "Done", "WorkRemaining": 3}
    echo = {"Name": "a  b ", "Estimate": "3", "Tags": ["y", "x"], "Status": "Active", "WorkRemaining": 3.0}

    assert kept_otherwise(sent, echo) == ["Status"]
