"""Drafts and long texts, without a screen."""

import asyncio
from collections.abc import Mapping
from pathlib import Path

import pytest
from tests.store.documents import item, offline_store
from tests.tui.editor.fake_editor import FakeEditor
from tests.tui.target import run

from backlit.store.edits.conflicts import KeptSide
from backlit.tui.commands.command import CommandContext
from backlit.tui.commands.table import COMMANDS
from backlit.tui.editor.item_draft import ItemDraft
from backlit.tui.fields.values import merged, taken_back
from backlit.tui.shell.dispatch import function_of


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


def test_a_field_that_is_being_edited_does_not_follow_the_store() -> None:
    draft = ItemDraft({"Name": "a", "Estimate": "1"})

    draft.rebase({"Name": "theirs", "Estimate": "3"}, "Name")

    assert (draft.elsewhere, draft.arrived) == ({"Name": "a"}, {"Estimate": "1"})


def test_what_was_typed_while_it_was_saved_stays() -> None:
    draft = ItemDraft({"Name": "a"})
    draft.set("Name", "b")
    draft.set("Name", "bc")

    draft.saved({"Name": "b"})

    assert draft.changes == {"Name": "bc"}
    assert draft.base == {"Name": "b"}


def test_changes_of_both_sides_merge_and_the_others_arrive() -> None:
    draft = ItemDraft({"Tags": ["a"], "Estimate": "1"})
    draft.set("Tags", ["a", "mine"])

    draft.rebase({"Tags": ["a", "theirs"], "Estimate": "2"})
    news = dict(draft.arrived)
    draft.rebase({"Tags": ["a", "theirs"], "Estimate": "1"})

    assert (draft.changes, draft.elsewhere) == ({"Tags": ["a", "theirs", "mine"]}, {})
    assert news == {"Tags": ["a"], "Estimate": "1"}
    assert draft.arrived == {"Tags": ["a"]}


def test_values_that_are_followed_silently_are_no_news() -> None:
    draft = ItemDraft({"Estimate": "1"})
    draft.rebase({"Estimate": "2"})

    draft.rebase({"Estimate": "3"}, is_told=False)

    assert draft.arrived == {}


def test_a_change_made_from_older_values_is_left_to_decide_until_it_is_decided() -> None:
    draft = ItemDraft({"Name": "theirs", "Estimate": "2"})
    draft.set("Name", "mine")
    draft.set("Estimate", "3")

    draft.made_from({"Name": "old", "Estimate": "2"}, "Name")
    draft.made_from({"Name": "old", "Estimate": "2"}, "Estimate")
    undecided = dict(draft.elsewhere)
    draft.decide("Name", "both")

    assert undecided == {"Name": "old"}
    assert (draft.elsewhere, draft.changes) == ({}, {"Name": "both", "Estimate": "3"})


def test_a_restored_draft_knows_what_the_store_changed_meanwhile() -> None:
    draft = ItemDraft({"Name": "a", "Tags": []})
    draft.set("Name", "mine")
    draft.set("Tags", ["x"])
    content = draft.content(0.0)

    later = ItemDraft({"Name": "theirs", "Tags": []})
    later.restore(content)

    assert later.touched == ("Name", "Tags")
    assert later.elsewhere == {"Name": "a"}


def test_a_draft_that_is_kept_again_keeps_the_value_before_both_and_what_cannot_be_read() -> None:
    draft = ItemDraft({"Name": "a", "Priority": 3})
    draft.set("Name", "mine")
    draft.set_unread("Priority", "high")
    draft.rebase({"Name": "theirs", "Priority": 4})

    later = ItemDraft({"Name": "theirs", "Priority": 4})
    later.restore(draft.content(0.0))

    assert later.elsewhere == draft.elsewhere == {"Name": "a", "Priority": 3}
    assert (later.changes, later.unread) == ({"Name": "mine"}, {"Priority": "high"})


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


async def test_what_is_typed_while_a_new_item_is_saved_is_kept_as_the_draft_of_that_item(tmp_path: Path) -> None:
    draft = ItemDraft({})
    draft.set("Name", "Half")
    draft.set("IsPrivate", True)

    def answer(_dialog: object) -> str:
        draft.set("Name", "Half a name")
        return "y"

    with offline_store(tmp_path, [item(1)]) as store:
        target = FakeEditor(store, draft, [answer], "Feedback")
        target.autosave.write()
        await asyncio.gather(*target.writes)
        assert store.drafts.find("new:Feedback") is not None
        await run(target, "editor.save")
        await asyncio.gather(*target.writes)
        (made,) = store.outbox_entries()
        kept, left = (store.drafts.find(key) for key in (f"edit:{made.temporary_id}", "new:Feedback"))

    assert made.fields["Name"] == "Half"
    assert (kept or {})["changes"] == {"Name": "Half a name"}
    assert left is None


async def test_a_value_that_arrives_during_the_question_about_it_is_left_to_decide(tmp_path: Path) -> None:
    draft = ItemDraft({"Name": "a", "Estimate": "1"})
    draft.set("Name", "mine")
    draft.set("Estimate", "2")
    draft.rebase({"Name": "theirs", "Estimate": "3"})

    def answer(_dialog: object) -> Mapping[str, object]:
        draft.rebase({"Name": "theirs, later", "Estimate": "3"})
        return {"Name": KeptSide.MINE, "Estimate": KeptSide.MINE}

    with offline_store(tmp_path, [item(1)]) as store:
        await function_of("editor.saving:resolve")(FakeEditor(store, draft, [answer]), CommandContext(COMMANDS[0]))

    assert draft.changes == {"Name": "mine", "Estimate": "2"}
    assert draft.elsewhere == {"Name": "theirs"}
