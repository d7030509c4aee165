"""Totals count to what an act made of them, and only then."""

from tests.store.world import until
from tests.tui.bare_app import BareApp

from backlit.tui.widgets.count_up import CountUp


async def test_figures_count_after_an_act_and_end_at_what_holds() -> None:
    app, drawn = BareApp(), list[tuple[float, ...]]()
    async with app.run_test():
        counting = CountUp(app.set_interval, lambda: drawn.append(counting.shown("Sprint 15", (30.0, 5.0))))
        counting.seconds = 0.02
        before = counting.shown("Sprint 15", (21.0, 5.0))
        counting.begin(has_motion=True)
        first = counting.shown("Sprint 15", (30.0, 5.0))
        await until(lambda: len(drawn) == 2, lambda: drawn)

    assert before == (21.0, 5.0)
    assert first == (24.0, 5.0)
    assert drawn == [(27.0, 5.0), (30.0, 5.0)]


async def test_figures_of_something_else_and_without_motion_just_change() -> None:
    app = BareApp()
    async with app.run_test():
        counting = CountUp(app.set_interval, lambda: None)
        counting.shown("Sprint 15", (21.0,))
        counting.begin(has_motion=True)
        other = counting.shown("Sprint 16", (30.0,))
        counting.begin(has_motion=False)
        still = counting.shown("Sprint 16", (40.0,))

    assert other == (30.0,)
    assert still == (40.0,)
