"""The messages of undo and redo, without a screen."""

from pathlib import Path

import pytest
from tests.store.papers import item, offline_store

from backlit.store.records.entry import EntryKind, OutboxEntry
from backlit.store.records.people import TreeKind
from backlit.store.undo.history import Reversal
from backlit.store.undo.operations import DeleteNode, FieldChange, Named, RestoreNode
from backlit.tui.app.history import contested_words, done_words

NAMED, NEW = Named(7, "Story", "Lamp"), Named(-1, "Story", "New")
POINTS = FieldChange(7, "Estimate", "3", "5")


@pytest.mark.parametrize(
    ("done", "undone", "redone"),
    [
        (
            {"changes": (POINTS,)},
            "Undone: Estimate of #7 back to 5.",
            "Redone: Estimate of #7 to 5.",
        ),
        ({"changes": (FieldChange(-1, "Name", "a", "b"),)}, "Undone: Name of the new item back to b.", None),
        ({"changes": (FieldChange(7, "Name", "a", None),)}, "Undone: Name of #7 back to –.", None),
        ({"changes": (FieldChange(7, "Status", "Done", "Deleted"),)}, "Undone: Status of #7 to Deleted.", None),
        ({"changes": (FieldChange(7, "Name", "a", "x" * 50),)}, f"Undone: Name of #7 back to {'x' * 39}….", None),
        ({"changes": (POINTS, FieldChange(7, "Name", "a", "b"))}, "Undone: Estimate, Name of #7.", None),
        (
            {"changes": (POINTS, FieldChange(8, "Estimate", "3", "5"))},
            "Undone: 2 items changed back.",
            "Redone: 2 items changed again.",
        ),
        (
            {"changes": (FieldChange(7, "Estimate", "3", "5", is_contested=True),)},
            "Undone: Estimate of #7 back to 5; someone else has changed it since: resolve the conflict (go).",
            None,
        ),
        ({"moved": (NAMED,)}, "Undone: #7 “Lamp” moved back.", "Redone: #7 “Lamp” moved again."),
        ({"given_up": (NEW,)}, "Undone: “New” not added.", None),
        ({"deleted": (NAMED,)}, "Undone: #7 “Lamp” deleted permanently.", None),
        ({"deleted": (NAMED, Named(8, "Bug", "x"))}, "Undone: 2 items deleted permanently.", None),
        ({"returned": (NAMED,)}, "Undone: #7 “Lamp” restored.", None),
        ({"made_again": (NAMED,)}, "Undone: #7 “Lamp” created again with a new number.", None),
        ({"made_again": (NAMED, Named(9, "Task", "x"))}, "Undone: 1 item, 1 task created again.", None),
        ({"comments_deleted": ("Hello",)}, "Undone: comment “Hello” deleted.", None),
        ({"comments_written": ("a", "b")}, "Undone: 2 comments posted again.", None),
        (
            {"changes": (POINTS,), "missing": (9,), "item_ids": frozenset({7, 9})},
            "Undone: Estimate of #7 back to 5; #9 no longer exists.",
            None,
        ),
        ({}, "Nothing to undo: the values are already the same.", "Nothing to redo: the values are already the same."),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_undo_and_redo_say_what_they_did(
    tmp_path: Path, done: dict[str, tuple[object, ...]], undone: str, redone: str | None
) -> None:
    with offline_store(tmp_path, [item(7), item(8)]) as store:
        assert done_words(store, Reversal(1, is_redo=False, **done)) == undone  # type: ignore[arg-type] # by name
        if redone is not None:
            assert done_words(store, Reversal(1, is_redo=True, **done)) == redone  # type: ignore[arg-type] # by name


def test_an_undo_of_deleted_items_is_impossible(tmp_path: Path) -> None:
    with offline_store(tmp_path) as store:
        one, two = Reversal(1, is_redo=False, missing=(7,)), Reversal(1, is_redo=True, missing=(7, 8))

        assert done_words(store, one) == "Could not undo: #7 no longer exists."
        assert done_words(store, two) == "Could not redo: 2 items no longer exist."


def test_contested_fields_are_named_once() -> None:
    contested = [FieldChange(each, "Estimate", "3", "5", is_contested=True) for each in (7, 8)]

    assert contested_words([POINTS]) == ""
    assert contested_words([POINTS, *contested, FieldChange(7, "Name", "a", "b", is_contested=True)]) == (
        "≠ Someone else has changed Estimate, Name since: this will cause a conflict."
    )


def test_a_message_names_one_of_several_areas_and_counts_the_others(tmp_path: Path) -> None:
    tree = TreeKind.AREAS.value
    first, second = (
        OutboxEntry(number, 0.0, 1, 0, EntryKind.NODE_DELETE, {"tree": tree, "name": name, "id": number})
        for number, name in ((4, "Pay"), (5, "Ship"))
    )
    with offline_store(tmp_path) as store:
        deleted = (DeleteNode(first, ""), DeleteNode(second, ""))
        words = [
            done_words(store, Reversal(1, is_redo=False, nodes_deleted=deleted)),
            done_words(store, Reversal(1, is_redo=False, nodes_deleted=deleted[:1])),
            done_words(store, Reversal(1, is_redo=False, nodes_made=(RestoreNode(first), RestoreNode(second)))),
            done_words(store, Reversal(1, is_redo=False, nodes_made=(RestoreNode(second),))),
        ]

    assert words == [
        "Undone: area “Pay” and 1 more deleted.",
        "Undone: area “Pay” deleted.",
        "Undone: area “Pay” and 1 more created again, with a new number.",
        "Undone: area “Ship” created again, with a new number.",
    ]
