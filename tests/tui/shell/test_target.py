"""What a run of the program has for the commands of every screen."""

from pathlib import Path

import pytest
from tests.store.documents import item, offline_store, state_project
from tests.tui.target import FakeTarget, run

from backlit.tui.commands.command import CannotAct


async def test_estimates_step_on_the_scale_of_the_project(tmp_path: Path) -> None:
    with offline_store(tmp_path, [item(3)]) as store:
        state_project(store, estimateScale=[2, 20, 40])

        await run(FakeTarget(store, [3]), "item.estimate-up")

        assert [dict(each.payload) for each in store.outbox_entries()] == [{"Estimate": "2"}]
        with pytest.raises(CannotAct, match=r"5 is not on the scale \(2, 20, 40\)"):
            await run(FakeTarget(store, [3]), "item.points", letter="5")
