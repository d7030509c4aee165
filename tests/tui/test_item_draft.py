"""Drafts and long texts, without a screen."""

import pytest

from backlit.tui.editor.item_draft import ItemDraft
from backlit.tui.fields.values import merged, taken_back


@pytest.mark.parametrize(
    ("raw", "lines", "expected"),
    [
        ("", [""], ""),
        ("a\r\nb\nc", ["a", "b", "c"], "a\r\nb\nc"),
        ("a\r\nb\nc\n", ["a", "x", "c", ""], "a\r\nx\r\nc\n"),
        ("a\rb", ["a", "b", "c"], "a\rb\rc"),
        ("a\x0bb\n", ["new", "a", "b", ""], "new\na\x0bb\n"),
        ("a\n\n\nb", ["a", "", "b"], "a\n\nb"),
        ("a\nb\n", ["a", "b"], "a\nb"),
        ("a\nb", ["a", "b", ""], "a\nb\n"),
        ("a\nb", [""], ""),
        ("same\nsame\n", ["same", "same", "same", ""], "same\nsame\nsame\n"),
        ("a\x0b", ["a"], "a\x0b"),
    ],
)
def test_lines_that_were_not_touched_keep_their_endings(raw: str, lines: list[str], expected: str) -> None:
    assert merged(raw, lines) == expected


def test_the_stores_own_value_is_no_change() -> None:
    draft = ItemDraft({"Estimate": None, "Priority": 3})
    draft.set("Priority", 4)
    draft.set("Estimate", "")

    draft.set("Priority", 3.0)

    assert not draft


def test_a_text_that_cannot_be_read_is_kept_and_counts_as_a_change() -> None:
    draft = ItemDraft({"Priority": 3})
    draft.set("Priority", 4)

    draft.set_unread("Priority", "high")

    assert draft.touched == ("Priority",)
    assert draft.changes == {}


def test_a_value_that_the_store_comes_to_have_is_no_longer_a_change() -> None:
    draft = ItemDraft({"Name": "a"})
    draft.set("Name", "b")

    draft.rebase({"Name": "b"})

    assert not draft
    assert draft.elsewhere == {}


def test_what_was_typed_while_it_was_saved_stays() -> None:
    draft = ItemDraft({"Name": "a"})
    draft.set("Name", "b")
    draft.set("Name", "bc")

    draft.saved({"Name": "b"})

    assert draft.changes == {"Name": "bc"}


def test_a_restored_draft_knows_what_the_store_changed_meanwhile() -> None:
    draft = ItemDraft({"Name": "a", "Tags": []})
    draft.set("Name", "mine")
    draft.set("Tags", ["x"])
    content = draft.content(0.0)

    later = ItemDraft({"Name": "theirs", "Tags": []})
    later.restore(content)

    assert later.touched == ("Name", "Tags")
    assert later.elsewhere == {"Name": "a"}


@pytest.mark.parametrize(
    ("raw", "written", "expected"),
    [
        ("no end", "no end\n", "no end"),
        ("no end", "no end, more\n", "no end, more"),
        ("end\n", "end\n", "end\n"),
        ("end\n", "end", "end"),
        ("", "begun\n", "begun"),
        ("", "", ""),
        ("a\r\nb\r\n", "a\r\nb\r\n", "a\r\nb\r\n"),
        ("a\r\nb\r\n", "a\nb!\n", "a\r\nb!\r\n"),
        ("a\r\nb", "a\r\nb!\r\n", "a\r\nb!"),
        ("a\r\nb\nc\n", "a\nx\nb\nc\n", "a\r\nx\r\nb\nc\n"),
        ("a\x0bb\u2028c", "a\x0bb\u2028c!\n", "a\x0bb\u2028c!"),
        ("\n\n", "\n\n", "\n\n"),
    ],
)
def test_what_an_editor_did_not_touch_stays_byte_for_byte(raw: str, written: str, expected: str) -> None:
    assert taken_back(raw, written) == expected
