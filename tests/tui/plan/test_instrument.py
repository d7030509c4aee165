"""The instrument of an iteration: one scale for load, people and target."""

from datetime import date

import pytest
from rich.cells import cell_len

from backlit.model.person_load import PersonLoad
from backlit.model.planning import Capacity, PlannedLoad
from backlit.tui.plan.instrument import AddedItem, Instrument, scale_end
from backlit.tui.plan.other_sprints import OtherSprint

TARGET = Capacity(26, 36)
PEOPLE = {7: PersonLoad(8.0), None: PersonLoad(16.0), 3: PersonLoad(5.0)}


def instrument(points: float, added: float | None = None) -> Instrument:
    item = AddedItem("#22", added) if added is not None else None
    return Instrument(PlannedLoad(8, points, people=PEOPLE), TARGET, scale_end(TARGET), item)


@pytest.mark.parametrize(
    ("points", "words", "colour"),
    [
        (20.0, "6 to target", "pending"),
        (26.0, "✓ on target", "status-done"),
        (36.0, "✓ on target", "status-done"),
        (49.0, "13 over", "conflict"),
    ],
)
def test_the_verdict_is_a_word_and_a_colour(points: float, words: str, colour: str) -> None:
    assert instrument(points).verdict(points) == (words, colour)


@pytest.mark.parametrize("points", [0.0, 3.3, 25.9, 29.0, 36.0, 48.0, 90.0])
@pytest.mark.parametrize("width", [1, 12, 38, 58, 77])
def test_a_bar_fills_its_width_and_the_shares_end_where_the_load_does(points: float, width: int) -> None:
    drawn = instrument(points)

    assert cell_len("".join(text for text, _ in drawn.bar(width))) == width
    assert cell_len("".join(text for text, _ in drawn.shares(width, [3, 7]))) <= width


def test_a_load_is_blue_below_the_target_green_on_it_and_red_above() -> None:
    below, reached, above = (
        {colour for text, colour in instrument(points).bar(48) if text[0] == "█"} for points in (20, 29, 42)
    )

    assert (below, reached, above) == ({"bar"}, {"bar-done"}, {"bar-done", "bar-over"})


def test_another_sprints_bar_is_green_where_it_is_done_alone_as_its_legend_says() -> None:
    load = PlannedLoad(8, 29.0, done=12.0, people=PEOPLE)
    sprint = OtherSprint("Sprint 14", date(2026, 3, 2), date(2026, 3, 15), TARGET, load, scale_end(TARGET))
    bar = [(text, colour) for text, colour, *_ in sprint.lines(50, date(2026, 3, 11))[1].left if "█" in text]

    assert [(len(text), colour) for text, colour in bar] == [(12, "bar-done"), (17, "bar")]


def test_the_target_is_a_ground_of_the_same_cells_as_its_bracket() -> None:
    drawn = instrument(0.0)
    bar = "".join(("=" if "bar-band" in colour else " ") * len(text) for text, colour in drawn.bar(96))
    scale = "".join(text for text, _ in drawn.target(96))

    assert (scale.index("╰"), scale.index("╯")) == (bar.index("="), bar.rindex("="))
    assert scale[: scale.index("╰")].endswith("26 ")
    assert scale.endswith("╯ 36")


def test_the_added_item_goes_on_from_the_load_in_the_colour_of_its_own_verdict() -> None:
    on, over = (
        next(colour for text, colour in instrument(29.0, added).bar(48) if "▒" in text) for added in (5.0, 12.0)
    )

    assert (on.split()[0], over.split()[0]) == ("bar-done", "bar-over")
    assert "".join(text for text, _ in instrument(29.0, 5.0).words()[1]) == "with #22 34 of 36"


def test_an_added_item_without_points_says_so() -> None:
    drawn = Instrument(PlannedLoad(), TARGET, 48.0, AddedItem("#19", None))

    assert "".join(text for text, _ in drawn.words()[1]) == "with #19 ? pts"


def test_shares_are_the_fullest_first_in_the_colours_of_their_owners() -> None:
    assert [colour for _, colour in instrument(29.0).shares(48, [3, 7])] == ["faint", "owner-2", "owner-1"]
