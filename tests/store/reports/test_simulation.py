"""Four sprints of several clients: every figure of each equals that of the list of all that was done."""

import sys
from pathlib import Path

import pytest
from tests.store.reports.simulation import Simulation

MOMENTS = (10, 25, 40)
"""Days after the first planning."""


@pytest.mark.long
async def test_every_client_shows_the_figures_of_the_list_of_events(tmp_path: Path) -> None:
    async with Simulation(tmp_path, 1, visits_a_day=1) as simulation:
        await simulation.run(MOMENTS, questions=4)

        sys.stdout.write(f"\n{simulation.compared:,} figures, {simulation.counts}\n")
        assert simulation.wrong == []
        assert simulation.compared > 2_000


@pytest.mark.long
@pytest.mark.parametrize("seed", range(2, 8))
async def test_every_figure_of_a_busy_project_equals_that_of_the_list_of_events(tmp_path: Path, seed: int) -> None:
    async with Simulation(tmp_path, seed, visits_a_day=4) as simulation:
        await simulation.run(MOMENTS)

        sys.stdout.write(f"\n{simulation.compared:,} figures, {simulation.counts}\n")
        assert simulation.wrong == []
        assert simulation.compared > 100_000
