"""Lists as trees of Features, items and tasks: their lines, folds and paths."""

import random
from pathlib import Path

import pytest
from msgspec.structs import replace
from tests.store.documents import item, put
from tests.store.views.forest import forest

from backlit.model.filters import SortKey
from backlit.model.trees import NodeTotals
from backlit.store import Store, ViewSpec
from backlit.store.records.item import ItemRow
from backlit.store.views.tree import ALL_OPEN, TreeFolds
from backlit.store.views.view import View

TREE = ViewSpec(is_tree=True)


async def loaded(store: Store, spec: ViewSpec = TREE, folds: TreeFolds = ALL_OPEN) -> View:
    view = store.view(spec)
    view.tree_folds = folds
    await view.load()
    return view


def drawn(view: View) -> list[str]:
    """Return the lines as ids, indented, with the number of folded rows, and in brackets where they only lead on."""
    assert view.tree is not None
    lines = []
    for number, row in enumerate(view.lines(0, 99)):
        assert isinstance(row, ItemRow)
        mark = view.tree.mark(number)
        text = f"({row.id})" if mark.is_path else f"{row.id}"
        lines.append(f"{' ' * mark.depth}{text}{f' +{mark.folded}' if mark.folded else ''}")
    return lines


async def test_a_tree_has_items_below_their_features_and_tasks_below_their_items(tmp_path: Path) -> None:
    with forest(tmp_path) as store:
        view = await loaded(store)

        assert drawn(view) == ["1", " 2", "  6", " 3", "  4", "5", "(7)", " 8"]


async def test_a_tree_begins_with_the_outermost_features_open(tmp_path: Path) -> None:
    with forest(tmp_path) as store:
        view = await loaded(store, folds=TreeFolds())

        assert drawn(view) == ["1", " 2 +1", " 3 +1", "5", "(7)", " 8"]


async def test_the_totals_of_a_tree_leave_out_what_only_leads_to_items(tmp_path: Path) -> None:
    with forest(tmp_path) as store:
        view = await loaded(store, replace(TREE, text="old"))

        assert view.totals == NodeTotals(1, 0.0, 0)


async def test_a_filtered_tree_keeps_the_path_to_each_match(tmp_path: Path) -> None:
    with forest(tmp_path) as store:
        words = await loaded(store, replace(TREE, text="sugg"))
        task = await loaded(store, replace(TREE, text="write"))

        assert drawn(words) == ["(1)", " 3", "  4"]
        assert drawn(task) == ["(1)", " (2)", "  6"]


async def test_a_sorted_tree_sorts_the_items_of_each_feature(tmp_path: Path) -> None:
    with forest(tmp_path) as store:
        view = await loaded(store, replace(TREE, sort=(SortKey("Name", descending=True),)))

        assert drawn(view) == ["1", " 2", "  6", " 3", "  4", "5", "(7)", " 8"]


async def test_levels_open_and_close_one_after_the_other(tmp_path: Path) -> None:
    with forest(tmp_path) as store:
        tree = (await loaded(store, folds=TreeFolds(0))).tree
        assert tree is not None
        counts = [tree.count]
        for turn in (tree.open_level, tree.open_level, tree.open_level, tree.open_level):
            turn()
            counts.append(tree.count)
        for turn in (tree.close_level, tree.close_level, tree.close_level, tree.close_level):
            turn()
            counts.append(tree.count)

        assert counts == [3, 6, 7, 8, 8, 7, 6, 3, 3]


async def test_a_fold_hides_all_below_and_an_unfold_shows_what_was_open(tmp_path: Path) -> None:
    with forest(tmp_path) as store:
        view = await loaded(store, folds=TreeFolds())
        assert view.tree is not None
        view.tree.turn(3, is_open=True)  # the place of item 3, which is below 1
        view.tree.turn(0, is_open=False)
        folded = drawn(view)
        view.tree.turn(0, is_open=True)

        assert folded == ["1 +2", "5", "(7)", " 8"]
        assert drawn(view) == ["1", " 2 +1", " 3", "  4", "5", "(7)", " 8"]


async def test_folds_survive_a_reload(tmp_path: Path) -> None:
    with forest(tmp_path) as store:
        view = await loaded(store, folds=TreeFolds())
        assert view.tree is not None
        view.tree.turn(0, is_open=False)
        put(store, [item(9, Name="New", priority=99.0)])
        await view.reload()

        assert drawn(view) == ["1 +2", "5", "(7)", " 8", "9"]


async def test_an_item_is_revealed_by_opening_what_is_around_it(tmp_path: Path) -> None:
    with forest(tmp_path) as store:
        view = await loaded(store, folds=TreeFolds(0))
        was_folded = view.reveal(6)
        is_folded = view.reveal(6)

        assert (was_folded, is_folded) == (True, False)
        assert drawn(view) == ["1", " 2", "  6", " 3 +1", "5", "(7) +1"]


async def test_everything_that_matches_can_be_selected_but_tasks_that_are_folded(tmp_path: Path) -> None:
    with forest(tmp_path) as store:
        folded = (await loaded(store, folds=TreeFolds(0))).tree
        unfolded = (await loaded(store)).tree
        assert folded is not None
        assert unfolded is not None

        assert list(folded.selectable_ids()) == [1, 2, 3, 4, 5, 8]
        assert list(unfolded.selectable_ids()) == [1, 2, 6, 3, 4, 5, 8]


async def test_the_next_and_the_previous_top_are_found_from_inside_a_family(tmp_path: Path) -> None:
    with forest(tmp_path) as store:
        tree = (await loaded(store)).tree
        assert tree is not None

        assert tree.next_top(2, 1) == 5
        assert tree.next_top(2, -1) == 0
        assert tree.next_top(5, -1) == 0
        assert tree.next_top(0, -1) is None
        assert tree.next_top(7, 1) is None


async def test_a_circle_of_parents_and_an_unknown_parent_hide_no_item(tmp_path: Path) -> None:
    with forest(tmp_path, parents={1: 3, 3: 1, 2: 77, 5: 5}) as store:
        view = await loaded(store)

        assert sorted(row.id for row in view.lines(0, 99) if isinstance(row, ItemRow)) == [1, 2, 3, 4, 5, 6, 8]


@pytest.mark.parametrize("seed", range(5))
async def test_folds_in_any_order_show_what_a_walk_from_the_top_shows(tmp_path: Path, seed: int) -> None:
    chance = random.Random(seed)
    documents = [item(each, kind="Feature" if each < 8 else "Story") for each in range(1, 41)]
    parents = {each: chance.randrange(1, min(each, 8)) for each in range(2, 41) if chance.random() < 0.8}
    with forest(tmp_path, documents, parents) as store:
        view = await loaded(store, folds=TreeFolds())
        tree = view.tree
        assert tree is not None
        for _ in range(60):
            match chance.randrange(12):
                case 0:
                    tree.open_level()
                case 1:
                    tree.close_level()
                case _:
                    place = tree.place_at(chance.randrange(tree.count)) or 0
                    tree.turn(place, is_open=not tree.is_open(place))
        again = await loaded(store, folds=tree.folds)

        assert drawn(view) == drawn(again)
