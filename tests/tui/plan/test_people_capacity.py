"""Capacities of people in the workload: changed for everybody, with what they come to below the lines."""

from datetime import date

import pytest
from tests.store.world import World, until
from tests.tui.bare_app import said, text_of, words_of_dialog
from tests.tui.opened import Open
from tests.tui.plan.plan_screens import plan_of
from textual.pilot import Pilot

from backlit.model.errors import BadRequest
from backlit.model.planning import PersonalCapacity
from backlit.store import Store
from backlit.tui.dialogs.line import FormDialog
from backlit.tui.dialogs.pick import PickDialog
from backlit.tui.dialogs.reading import ReadingDialog
from backlit.tui.plan.people_capacity import capacity_sentence, read_capacities

TODAY = date(2026, 3, 2)
OFF = PersonalCapacity(days_off=frozenset({date(2026, 3, 5)}))


async def asked(pilot: Pilot[None], kind: type) -> None:
    await until(lambda: isinstance(pilot.app.screen, kind), lambda: text_of(pilot.app))


@pytest.mark.slow
async def test_a_manager_changes_the_capacity_of_somebody_in_the_workload(
    world: World, store: Store, opened: Open
) -> None:
    async with plan_of(opened, store) as pilot:
        await pilot.press("W")
        await asked(pilot, ReadingDialog)
        await pilot.press("c")
        await asked(pilot, PickDialog)
        await pilot.press(*"jon", "enter")
        await asked(pilot, FormDialog)
        await pilot.press("8", "tab", "tab", "tab", "3")
        await pilot.pause()
        words = words_of_dialog(pilot.app)
        await pilot.press("enter")
        await asked(pilot, ReadingDialog)
        await said(pilot, "of 3")
        usual = (await world.rival.projects.capacities(1).fetch()).document["capacities"]

    assert ": 3 pts" in words
    assert [(row["userId"], row["points"]) for row in usual] == [(2, 8)]


def test_the_lines_are_the_usual_amounts_the_days_off_and_those_of_one_sprint() -> None:
    usual, own = read_capacities(("10", "", "2026-03-03 fri", "7", "2,5"), OFF, TODAY)

    assert usual == PersonalCapacity(10.0, None, frozenset({date(2026, 3, 3), date(2026, 3, 6)}))
    assert own == PersonalCapacity(7.0, 2.5, OFF.days_off)


@pytest.mark.parametrize("typed", [("x", "", "", "", ""), ("", "-1", "", "", ""), ("", "", "soon", "", "")])
def test_what_is_no_amount_or_no_day_is_named(typed: tuple[str, ...]) -> None:
    with pytest.raises(BadRequest, match=r"^(Points in each|Hours in each|Days off)"):
        read_capacities(typed, PersonalCapacity(), TODAY)


def test_a_sentence_says_what_it_comes_to_and_how_many_days_are_off() -> None:
    days = [date(2026, 3, day) for day in range(2, 7)]
    nothing = PersonalCapacity()

    assert capacity_sentence("S1", nothing, days, (nothing, nothing)) == "S1: nothing said, so no limit."
    assert (
        capacity_sentence("S1", PersonalCapacity(8.0, 30.0), days, (nothing, OFF)) == "S1: 8 pts, 30 h, 1 day of 5 off"
    )
