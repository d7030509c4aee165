"""The messages of undo and redo, without a screen."""

from pathlib import Path

import pytest
from tests.store.documents import item, node, offline_store, put_nouns
from tests.tui.target import words_of

from backlit.model.planning import EVENT_KEYS, IterationEvent
from backlit.model.trees import NodeTotals
from backlit.store import Store
from backlit.store.records.entry import EntryKind, OutboxEntry
from backlit.store.records.people import TreeKind
from backlit.store.undo.history import Reversal
from backlit.store.undo.operations import (
    DeleteNodeOperation,
    FieldChange,
    IrreversibleNodeChange,
    NamedItem,
    NamedObject,
    RecreateNodesOperation,
)
from backlit.tui.app.history import contested_words, done_words, question_of
from backlit.tui.drawing.themes import type_sign

NAMED, NEW = NamedItem(7, "Story", "Lamp"), NamedItem(-1, "Story", "New")
POINTS = FieldChange(7, "Estimate", "3", "5")


def comment(text: str) -> NamedObject:
    return NamedObject("comment", text, "posted again")


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
        (
            {"changes": (FieldChange(7, "Name", "a", "Aurora › The second release of the year › Sprint 14"),)},
            "Undone: Name of #7 back to … › Sprint 14.",
            None,
        ),
        ({"changes": (POINTS, FieldChange(7, "Name", "a", "b"))}, "Undone: Estimate, Name of #7.", None),
        (
            {"changes": (POINTS, FieldChange(8, "Estimate", "3", "5"))},
            "Undone: 2 items changed back.",
            "Redone: 2 items changed again.",
        ),
        (
            {"changes": (FieldChange(8, "Status", "Not Done", "Deleted"), POINTS)},
            "Undone: #8 “Item 8” set to Deleted; Estimate of #7 back to 5.",
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
        ({"deleted": (NAMED, NamedItem(8, "Bug", "x"))}, "Undone: 2 items deleted permanently.", None),
        ({"returned": (NAMED,)}, "Undone: #7 “Lamp” restored.", None),
        ({"made_again": (NAMED,)}, "Undone: #7 “Lamp” created again with a new number.", None),
        ({"made_again": (NAMED, NamedItem(9, "Task", "x"))}, "Undone: 1 item, 1 task created again.", None),
        ({"objects_deleted": (comment("Hello"),)}, "Undone: comment “Hello” deleted.", None),
        ({"objects_made_again": (comment("a"), comment("b"))}, "Undone: 2 comments posted again.", None),
        (
            {"objects_deleted": (NamedObject("criterion", "a", "added again", nouns="criteria"),) * 4},
            "Undone: 4 criteria deleted.",
            None,
        ),
        (
            {"objects_made_again": (NamedObject("criterion", "Sum", "changed back", "changed again"),)},
            "Undone: criterion “Sum” changed back.",
            "Redone: criterion “Sum” changed again.",
        ),
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


def lines_of(store: Store, **done: object) -> list[str]:
    """Return the words of the question whether some steps may be undone."""
    return words_of(question_of(store, Reversal(1, is_redo=False, **done))).splitlines()  # type: ignore[arg-type] # by name


def test_the_question_about_an_undo_names_all_that_it_changes_and_warns(tmp_path: Path) -> None:
    area = OutboxEntry(4, 0.0, 1, 0, EntryKind.NODE_DELETE, {"tree": "areas", "name": "Pay", "id": 4})
    maybe = OutboxEntry(3, 0.0, 1, 9, EntryKind.DELETE, {})
    name = FieldChange(8, "Name", "x" * 61, None, is_contested=True)
    sign, permanent = type_sign("Story"), "! Permanent deletion affects everyone."
    again = "Deleted items are created again with new numbers; comments name their authors, files are lost."
    withdrawn = "#9 restored; if the server has deleted it already, it is created again with a new number"
    other = "with a new number; 1 other stays in place"
    with offline_store(tmp_path, [item(7, Name="Lamp"), item(8, Name="Sofa")]) as store:
        found = [
            lines_of(store, changes=(POINTS, name), item_ids=frozenset({0, 7, 8}), missing=(5, 6)),
            lines_of(store, changes=(POINTS,), item_ids=frozenset({0, 7})),
            lines_of(store, deleted=(NAMED,), given_up=(NEW,), item_ids=frozenset({7})),
            lines_of(store, made_again=(NAMED,), returned=(NamedItem(9, "", "Gone"),), recalled=(maybe,)),
            lines_of(store, nodes_deleted=(DeleteNodeOperation(area, "Shop", NodeTotals(2), is_changed=True),)),
            lines_of(store, nodes_made=(RecreateNodesOperation(area, (7,), 1),), objects_deleted=(comment("a\nb"),)),
            lines_of(store, objects_made_again=(comment("c"),)),
        ]

    assert [[line for line in lines if line] for lines in found] == [
        [
            *("Undo", "2 items are affected. ≠ Someone else has changed Name since: this will cause a conflict."),
            f"#7 {sign} Lamp Estimate 3 → 5 #8 {sign} Sofa Name {'x' * 59}… → – 2 no longer exist",
        ],
        ["Undo", f"#7 {sign} Lamp Estimate 3 → 5"],
        ["Undo", permanent, f"#7 {sign} Lamp deleted permanently new {sign} New not added"],
        [
            *("Undo", again),
            f"#7 {sign} Lamp created again #9 Gone restored {withdrawn}",
        ],
        [
            *("Undo", permanent),
            "The area “Pay” deleted; 2 items moved to “Shop”, although someone else has changed it since",
        ],
        [
            "Undo",
            f"The area “Pay” created again with its 1 item, {other} comment deleted a b",
        ],
        ["Undo", "comment posted again c"],
    ]


def test_an_undo_of_very_many_changes_is_shown_in_part(tmp_path: Path) -> None:
    with offline_store(tmp_path) as store:
        shown = [
            lines_of(store, objects_made_again=(comment("c"),) * count)[-1].split(" comment").pop()
            for count in (400, 401)
        ]

    assert [each.endswith("…") for each in shown] == [False, True]


def test_an_undo_of_deleted_items_is_impossible(tmp_path: Path) -> None:
    with offline_store(tmp_path) as store:
        one, two = Reversal(1, is_redo=False, missing=(7,)), Reversal(1, is_redo=True, missing=(7, 8))

        assert done_words(store, one) == "Could not undo: #7 no longer exists."
        assert done_words(store, two) == "Could not redo: 2 items no longer exist."


def test_undone_changes_of_trees_and_unclear_deletions_are_told(tmp_path: Path) -> None:
    def entry(kind: EntryKind, item_id: int = 0, **base: object) -> OutboxEntry:
        return OutboxEntry(3, 0.0, 1, item_id, kind, {"tree": "areas", "name": "Pay", "id": 4}, base)

    renamed = entry(EntryKind.NODE_EDIT, name="Buy")
    deleted, comment = entry(EntryKind.DELETE, 7), entry(EntryKind.DELETE_COMMENT, 7)
    node = entry(EntryKind.NODE_DELETE)
    later = "; if the server has deleted it already, it is created again with a new number."
    table: list[tuple[dict[str, tuple[object, ...]], str, str]] = [
        ({"nodes": (renamed,)}, "Undone: area “Pay” (name).", "Redone: area “Pay” (name)."),
        (
            {"nodes": (renamed,) * 3},
            "Undone: area “Pay” and 2 more (name).",
            "Redone: area “Pay” and 2 more (name).",
        ),
        ({"recalled": (deleted,)}, f"Undone: #7 restored{later}", ""),
        ({"recalled": (comment,)}, f"Undone: comment on #7 restored{later}", ""),
        ({"recalled": (node,)}, f"Undone: area “Pay” restored{later}", ""),
        (
            {"recalled": (deleted, comment)},
            "Undone: 2 deletions withdrawn; items that the server has deleted already are created again.",
            "",
        ),
        (
            {"final": (IrreversibleNodeChange(renamed, "its parent is deleted"),)},
            "The change of area “Pay” (name) cannot be undone: its parent is deleted.",
            "The change of area “Pay” (name) cannot be redone: its parent is deleted.",
        ),
    ]
    with offline_store(tmp_path) as store:
        for done, undone, redone in table:
            assert done_words(store, Reversal(1, is_redo=False, **done)) == undone  # type: ignore[arg-type] # by name
            again = done_words(store, Reversal(1, is_redo=True, **done))  # type: ignore[arg-type] # by name
            assert again == (redone or undone.replace("Undone", "Redone"))


@pytest.mark.parametrize(
    ("event", "at", "words"),
    [
        (IterationEvent.CLOSE, None, "Sprint 14 is open again"),
        (IterationEvent.CLOSE, "2026-03-09T12:00:00", "Sprint 14 is closed again"),
        (IterationEvent.START, None, "Sprint 14 is no longer started"),
        (IterationEvent.START, "2026-03-09T12:00:00", "Sprint 14 is started again"),
    ],
)
def test_the_undo_of_an_event_says_what_the_sprint_is_then(
    tmp_path: Path, event: IterationEvent, at: str | None, words: str
) -> None:
    payload = {"tree": "iterations", "name": "Sprint 14", "id": 4, "values": {EVENT_KEYS[event]: at}}
    entry = OutboxEntry(
        3, 0.0, 1, 0, EntryKind.NODE_EDIT, payload, {EVENT_KEYS[event]: "before" if at is None else None}
    )
    with offline_store(tmp_path) as store:
        said = done_words(store, Reversal(1, is_redo=False, changes=(POINTS,), nodes=(entry,)))
        asked = lines_of(store, nodes=(entry,))

    assert said == f"Undone: Estimate of #7 back to 5; {words}."
    assert asked == ["Undo", words]


def test_an_undo_names_an_iteration_by_its_own_name_and_a_capacity_as_its_dialog_does(tmp_path: Path) -> None:
    iterations = [node(1, "Aurora"), node(2, "Release 3.2", 1), node(3, "Sprint 15", 2), node(4, "Sprint 16", 2)]
    moved = FieldChange(7, "IterationID", 3, 4)
    limits = {"minCapacity": 10.0, "maxCapacity": 20.0}
    entry = OutboxEntry(3, 0.0, 1, 0, EntryKind.NODE_EDIT, {"tree": "iterations", "name": "Sprint 15", "id": 3}, limits)
    with offline_store(tmp_path, [item(7)]) as store:
        put_nouns(store, iterations=iterations)
        said = done_words(store, Reversal(1, is_redo=False, changes=(moved,), nodes=(entry,)))
        asked = lines_of(store, changes=(moved,))

    assert said == (
        "Undone: Iteration of #7 back to Sprint 16; iteration “Sprint 15” (minimum points, maximum points)."
    )
    assert asked[-1].endswith("Iteration Sprint 15 → Sprint 16")


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
        deleted = (DeleteNodeOperation(first, ""), DeleteNodeOperation(second, ""))
        words = [
            done_words(store, Reversal(1, is_redo=False, nodes_deleted=deleted)),
            done_words(store, Reversal(1, is_redo=False, nodes_deleted=deleted[:1])),
            done_words(
                store,
                Reversal(1, is_redo=False, nodes_made=(RecreateNodesOperation(first), RecreateNodesOperation(second))),
            ),
            done_words(store, Reversal(1, is_redo=False, nodes_made=(RecreateNodesOperation(second),))),
        ]

    assert words == [
        "Undone: area “Pay” and 1 more deleted.",
        "Undone: area “Pay” deleted.",
        "Undone: area “Pay” and 1 more created again, with a new number.",
        "Undone: area “Ship” created again, with a new number.",
    ]
