"""What the plan says of items that are planned before what they wait for, and lanes by Feature on the board."""

from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest
from tests.store.documents import node, put_nouns
from tests.store.views.forest import DOCUMENTS, PARENTS, forest, put_relations
from tests.tui.bare_app import text_of
from tests.tui.list_steps import press
from tests.tui.opened import Open
from tests.tui.plan.fake_plan import FakePlan
from tests.tui.target import run, words_of

from backlit.store import Store

SPRINT = 21


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    """Items in the backlog before a sprint that is under way; #5 blocks #2."""
    with forest(tmp_path, DOCUMENTS, {}) as store:
        put_relations(store, [*((item_id, "Parent", above) for item_id, above in PARENTS.items()), (5, "Blocks", 2)])
        today = store.today()
        dates = {"startDate": str(today), "endDate": str(today + timedelta(7))}
        put_nouns(store, iterations=[node(1, "Root"), node(SPRINT, "Sprint 1", 1, **dates)])
        yield store


@pytest.mark.slow
async def test_item_planned_before_its_blocker_is_named_and_listed(store: Store, opened: Open) -> None:
    async with opened(store, (120, 40)) as pilot:
        await press(pilot, "g", "p", "/", *"Synonyms", "enter", ">")
        warned = text_of(pilot.app)
        await press(pilot, "W")
        listed = text_of(pilot.app)

        assert "#2 comes before its blocker #5 (backlog)." in warned
        assert "! #2 comes before its blocker #5 (backlog)." in listed


@pytest.mark.slow
async def test_board_has_a_lane_for_each_feature_with_its_progress(store: Store, opened: Open) -> None:
    await store.items.edit([2, 4, 5], {"IterationID": SPRINT})
    async with opened(store, (120, 40)) as pilot:
        await press(pilot, "g", "k", "t", "g", *"feature", "enter")
        shown = text_of(pilot.app)

        assert "▲ #1 Search" in shown
        assert "0/5 pts" in shown
        assert "▲ #3 Suggestions" in shown
        assert "no Feature" in shown


async def test_a_dialog_of_a_feature_counts_the_other_selected_items(store: Store) -> None:
    target = FakePlan(store, [1, 2], answers=["y"], targets=[store.lookups.iterations()[SPRINT]])

    await run(target, "plan.send")

    assert "1 other selected item will be planned with them." in words_of(target.asked[0])
    assert store.plan.state.changes.keys() >= {2}
