"""Questions about an item's Feature and its criteria, by keys."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from tests.store.related import criteria_in
from tests.store.views.forest import forest
from tests.store.world import until
from tests.tui.bare_app import text_of
from tests.tui.list_steps import press
from tests.tui.opened import Open
from textual.pilot import Pilot

from backlit.model.fields import ItemType
from backlit.model.ready_check import ready_rules_of
from backlit.store import Store
from backlit.tui.groom.screen import GroomScreen

pytestmark = pytest.mark.slow
STORY, FEATURE = 5, 3


@asynccontextmanager
async def groomed(folder: Path, opened: Open, *rules: str) -> AsyncIterator[tuple[Store, Pilot[None]]]:
    """The story without a Feature and without criteria, alone in grooming."""
    with forest(folder) as store:
        store.names.own_rules = ready_rules_of({ItemType.STORY: rules})
        async with opened(store, (100, 30)) as pilot:
            await press(pilot, "#", str(STORY), "enter", "space", "g", "q")
            await until(lambda: isinstance(pilot.app.screen, GroomScreen), lambda: text_of(pilot.app))
            await pilot.pause()
            yield store, pilot


def feature_of(store: Store) -> int | None:
    return store.relations.parents([STORY]).get(STORY)


async def test_a_feature_is_chosen_by_a_digit_undone_declined_and_made(tmp_path: Path, opened: Open) -> None:
    async with groomed(tmp_path, opened, "feature") as (store, pilot):
        asked = text_of(pilot.app)
        await press(pilot, "2")
        chosen = feature_of(store)
        await press(pilot, "u")
        undone = feature_of(store), "Part of which Feature?" in text_of(pilot.app)
        await press(pilot, "9")
        declined = text_of(pilot.app)
        await press(pilot, "k", "0", *"Paying", "enter")
        made = store.item(feature_of(store) or 0)

        assert "Part of which Feature?" in asked
        assert "1  Search same area    2  Suggestions same area" in asked
        assert "9  none" in asked
        assert (chosen, undone) == (FEATURE, (None, True))
        assert "All answered" in declined
        assert made is not None
        assert (made.name, made.type) == ("Paying", "Feature")


async def test_criteria_are_written_one_a_line_until_an_empty_one(tmp_path: Path, opened: Open) -> None:
    async with groomed(tmp_path, opened, "criteria") as (store, pilot):
        asked = text_of(pilot.app)
        await press(pilot, "0", *"By keyboard", "enter", *"Translated", "enter", "enter")
        written = criteria_in(store, STORY)

        assert "Done when?" in asked
        assert written == [("By keyboard", "Not Executed"), ("Translated", "Not Executed")]
        assert "2 criteria added" in text_of(pilot.app)
        assert "✓ Criteria 2" in text_of(pilot.app)
