"""Commands that change an item's Feature, and its place in the tree."""

from pathlib import Path

import pytest
from tests.store.documents import announce
from tests.store.views.forest import forest
from tests.tui.bare_app import text_of, words_of_dialog
from tests.tui.list_steps import items, press
from tests.tui.opened import Open

from backlit.store import Store

pytestmark = pytest.mark.slow


def feature_of(store: Store, item_id: int) -> int | None:
    return store.relations.parents([item_id]).get(item_id)


async def test_cf_offers_all_features_chooses_none_and_makes_the_one_that_is_typed(
    tmp_path: Path, opened: Open
) -> None:
    with forest(tmp_path) as store:
        async with opened(store, (100, 24)) as pilot:
            await press(pilot, "#", "5", "enter", "c", "f")
            offered = words_of_dialog(pilot.app)
            await press(pilot, *"sugg", "enter")
            changed = feature_of(store, 5)
            await press(pilot, "c", "f", *"none", "enter")
            none = feature_of(store, 5)
            await press(pilot, "u")
            undone = feature_of(store, 5)
            await press(pilot, "c", "f", *"Paying", "enter")
            made = store.item(feature_of(store, 5) or 0)

            assert "none ○ #1 Search ○ #3 Suggestions" in offered
            assert (changed, none, undone) == (3, None, 3)
            assert made is not None
            assert (made.name, made.type) == ("Paying", "Feature")


async def test_items_are_indented_and_outdented_in_the_tree(tmp_path: Path, opened: Open) -> None:
    with forest(tmp_path) as store:
        async with opened(store, (100, 24)) as pilot:
            await press(pilot, "t", "f", "#", "5", "enter", ">")
            indented, cursor = feature_of(store, 5), items(pilot).current_id
            await press(pilot, ">", ">")
            refusal = text_of(pilot.app)
            await press(pilot, "<", "<")

            assert (indented, cursor) == (1, 5)
            assert "It is below #3 already, and no Feature stands above it there." in refusal
            assert feature_of(store, 5) is None


@pytest.mark.parametrize("keys", ["t f", ""])
async def test_stories_are_added_under_a_feature_of_a_tree_or_a_flat_list(
    tmp_path: Path, opened: Open, keys: str
) -> None:
    with forest(tmp_path) as store:
        async with opened(store, (100, 24)) as pilot:
            await press(pilot, *keys.split(), "g", "g", "A", *"Spelling", "enter", "A", *"Stemming", "enter")
            cursor, *added = items(pilot).current_id, *map(store.item, store.relations.children(1)[-2:])

            assert cursor == 1, "so that the next one is a sibling"
            assert [(item.name, item.type) for item in added if item] == [("Spelling", "Story"), ("Stemming", "Story")]


async def test_an_item_is_added_beside_the_one_under_the_cursor_of_a_tree(tmp_path: Path, opened: Open) -> None:
    with forest(tmp_path) as store:
        async with opened(store, (100, 24)) as pilot:
            await press(pilot, "t", "f", "#", "2", "enter", "a", "enter", *"Spelling", "enter")
            story = store.item(items(pilot).current_id or 0)
            await press(pilot, "#", "6", "enter", "a", *"Read the list", "enter")
            task = store.item(items(pilot).current_id or 0)

            assert story is not None
            assert (story.name, story.type, feature_of(store, story.id)) == ("Spelling", "Story", 1)
            assert task is not None
            assert (task.name, task.type, feature_of(store, task.id)) == ("Read the list", "Task", 2)


async def test_items_move_among_those_of_their_feature(tmp_path: Path, opened: Open) -> None:
    with forest(tmp_path) as store:
        async with opened(store, (100, 24)) as pilot:
            await press(pilot, "t", "f", "#", "2", "enter", "J")
            moved = store.relations.children(1)
            await press(pilot, "J")

            assert moved == (3, 2)
            assert store.relations.children(1) == (3, 2)
            assert "#2 is already at the bottom." in text_of(pilot.app)


@pytest.mark.parametrize("keys", ["c f", "c l"])
async def test_a_server_without_relations_is_named(tmp_path: Path, opened: Open, keys: str) -> None:
    with forest(tmp_path) as store:
        announce(store, {"extensions": []})
        async with opened(store, (100, 24)) as pilot:
            await press(pilot, *keys.split())

            assert "This server has no relations between items." in text_of(pilot.app)


@pytest.mark.parametrize(("answer", "expected"), [("y", "Deleted"), ("escape", "Not Done")])
async def test_a_duplicate_is_closed_where_that_is_agreed_and_is_open_again_after_one_undo(
    tmp_path: Path, opened: Open, answer: str, expected: str
) -> None:
    with forest(tmp_path) as store:
        async with opened(store, (100, 24)) as pilot:
            await press(pilot, "#", "8", "enter", "c", "l", "4", *"Payment", "enter")
            question = words_of_dialog(pilot.app)
            await press(pilot, answer)
            said = text_of(pilot.app)
            closed = store.item(8)
            related = [each.word for each in store.relations.of_item(8)]
            await press(pilot, "u")
            undone = store.item(8)

            assert "Close #8 as a duplicate? Status → Deleted; the relation stays." in question
            assert closed is not None
            assert (closed.status, related) == (expected, ["Parent", "Duplicates"])
            assert f"#8 duplicates #5{', and closed' * (answer == 'y')}." in said
            assert undone is not None
            assert (undone.status, [each.word for each in store.relations.of_item(8)]) == ("Not Done", ["Parent"])
