"""What a stream says of changes, sorted by how it is read."""

from typing import Any

import pytest

from backlit.store.records.others import OthersAct, OthersEdit
from backlit.store.sync.followed import MOST_ITEMS, FollowedChanges, FollowedRow

MAYA, JON = 1, 2


def row(kind: str = "item", act: str = "changed", identity: int = 7, **more: Any) -> dict[str, Any]:
    return {"r": 1, "p": 1, "k": kind, "a": act, "id": identity, "by": JON, **more}


def changes(*rows: object) -> FollowedChanges:
    return FollowedChanges.of(map(FollowedRow.read, rows), MAYA)


@pytest.mark.parametrize("damaged", [None, "row", {}, row() | {"r": "x"}, row() | {"id": None}, row() | {"k": 3}])
def test_a_row_that_cannot_be_read_needs_a_sync(damaged: object) -> None:
    assert changes(damaged).is_more


def test_a_new_kind_needs_a_sync() -> None:
    assert changes(row("dashboard")).is_more


def test_an_item_that_is_gone_is_not_read() -> None:
    found = changes(row(), row(act="removed"), row("comment", "changed", 9, item=7))

    assert found.gone == {7}
    assert not found.changed | found.below


def test_rows_of_several_kinds_are_read_each_in_its_way() -> None:
    found = changes(
        row("comment", "created", 9, item=7), row("area", "created", 3), row("view"), row(f=["BacklogPriority"])
    )

    assert found.has_comments
    assert found.has_trees
    assert found.has_views
    assert found.ranked == {7}
    assert not found.is_more | found.has_files | bool(found.changed)


def test_too_many_items_need_a_sync() -> None:
    assert changes(*(row(identity=number) for number in range(1, MOST_ITEMS + 2))).is_more


def test_what_others_did_with_an_item_is_one_edit() -> None:
    found = changes(row(f=["Name"]), row(f=["Status"], by=3), row(f=["BacklogPriority"], by=3))

    assert found.edits == (OthersEdit(7, 3, OthersAct.CHANGED, frozenset({"Name", "Status", "BacklogPriority"})),)


@pytest.mark.parametrize("more", [{"by": MAYA}, {"by": None}, {"c": "renumbered"}, {"c": "rollUp"}])
def test_what_nobody_else_did_on_purpose_is_no_edit(more: dict[str, Any]) -> None:
    assert changes(row(**more)).edits == ()


def test_a_new_item_has_nothing_below_it_but_what_is_told() -> None:
    found = changes(row(act="created"), row(act="created", identity=8), row("link", "created", 3, item=8))

    assert found.created == {7}
    assert found.changed == {7, 8}
