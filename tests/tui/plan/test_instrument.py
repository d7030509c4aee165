"""The instrument of an iteration: one scale for load and target."""

from collections.abc import Sequence
from datetime import date

import pytest
from rich.cells import cell_len

from backlit.model.person_load import PersonLoad
from backlit.model.planning import Capacity, PlannedLoad
from backlit.tui.plan.instrument import AddedItem, Instrument, scale_end
from backlit.tui.plan.other_sprints import OtherSprint, next_lines
from backlit.tui.widgets.side_lines import Word

TARGET = Capacity(26, 36)
PEOPLE = {7: PersonLoad(8.0), None: PersonLoad(16.0), 3: PersonLoad(5.0)}


def instrument(points: float, added: float | None = None) -> Instrument:
    item = AddedItem("#22", added) if added is not None else None
    return Instrument(PlannedLoad(8, points, people=PEOPLE), TARGET, scale_end(TARGET), item)


@pytest.mark.parametrize(
    ("points", "words", "colour"),
    [
        (20.0, "6 under", "muted"),
        (26.0, "✓ on target", "status-done"),
        (36.0, "✓ on target", "status-done"),
        (49.0, "13 over", "conflict"),
    ],
)
def test_the_verdict_is_a_word_and_a_colour(points: float, words: str, colour: str) -> None:
    assert instrument(points).verdict(points) == (words, colour)


@pytest.mark.parametrize("points", [0.0, 3.3, 25.9, 29.0, 36.0, 48.0, 90.0])
@pytest.mark.parametrize("width", [1, 12, 38, 58, 77])
def test_a_bar_fills_its_width(points: float, width: int) -> None:
    assert cell_len("".join(text for text, _ in instrument(points).bar(width))) == width


def test_a_load_is_blue_and_red_above_the_target() -> None:
    below, reached, above = (
        {colour for text, colour in instrument(points).bar(50) if text[0] == "█"} for points in (20, 29, 42)
    )

    assert (below, reached, above) == ({"bar"}, {"bar"}, {"bar", "bar-over"})


@pytest.mark.parametrize("width", [14, 33, 50, 77])
def test_only_what_is_above_the_maximum_is_red_whatever_the_width(width: int) -> None:
    def is_red(drawn: Instrument) -> bool:
        return any(colour.startswith("bar-over") for _, colour in drawn.bar(width))

    assert not any(is_red(drawn) for drawn in (instrument(36.0), instrument(28.0, 8.0), instrument(0.0, 36.0)))
    assert all(is_red(drawn) for drawn in (instrument(42.0), instrument(28.0, 14.0)))


def test_a_bar_is_green_where_it_is_done_alone_as_the_legend_says() -> None:
    load = PlannedLoad(8, 29.0, done=12.0, people=PEOPLE)
    sprint = OtherSprint("Sprint 14", date(2026, 3, 2), date(2026, 3, 15), TARGET, load, scale_end(TARGET))
    bar = [(text, colour) for text, colour, *_ in sprint.lines(52, date(2026, 3, 11))[1].left if "█" in text]

    assert [(len(text), colour) for text, colour in bar] == [(12, "bar-done"), (17, "bar")]


def test_the_target_is_a_ground_of_the_same_cells_as_its_bracket() -> None:
    drawn = instrument(0.0)
    bar = "".join(("=" if "bar-band" in colour else " ") * len(text) for text, colour in drawn.bar(96))
    ((scale, _colour),) = drawn.target(96)

    assert (scale.index("╰"), scale.index("╯")) == (bar.index("="), bar.rindex("="))
    assert scale.startswith("0 ")
    assert scale[: scale.index("╰")].endswith(" target 26 ")
    assert scale[scale.index("╯") :].startswith("╯ 36 ")
    assert scale.endswith(" 50 pts")


@pytest.mark.parametrize(
    ("least", "most", "width", "words"),
    [
        (None, 36.0, 40, "0───────────────────────────╯ 36 target"),
        (26.0, None, 24, "0  target 26 ╰─────────╯"),
        (2.0, 36.0, 24, "0╰───────────────╯ 36"),
        (26.0, 36.0, 8, ""),
        (None, None, 24, ""),
    ],
)
def test_a_scale_leaves_out_what_its_width_has_no_room_for(
    least: float | None, most: float | None, width: int, words: str
) -> None:
    capacity = Capacity(least, most)
    drawn = Instrument(PlannedLoad(), capacity, scale_end(capacity))

    assert "".join(text for text, _ in drawn.target(width)) == words


def test_the_added_item_goes_on_from_the_load_in_red_above_the_target() -> None:
    on, over = (
        [colour.split()[0] for text, colour in instrument(29.0, added).bar(50) if "▒" in text] for added in (5.0, 12.0)
    )

    assert (on, over) == (["bar"], ["bar", "bar-over"])
    assert "▒" not in "".join(text for text, _ in instrument(40.0, 5.0).bar(50))
    assert "".join(text for text, _ in instrument(29.0, 5.0).words()[1]) == "#22 makes 34 pts"


def words(parts: Sequence[Word]) -> str:
    return "".join(text for text, *_ in parts).strip()


def test_all_sprints_have_their_dates_or_none_has() -> None:
    today, load = date(2026, 12, 1), PlannedLoad(3, 9.0, people={})
    days = (date(2026, 12, 7), date(2026, 12, 20)), (date(2026, 12, 21), date(2027, 1, 3))
    sprints = [OtherSprint(f"Sprint {at}", *each, TARGET, load, 50.0) for at, each in enumerate(days, 15)]

    roomy, narrow = (
        [words(line.left) for line in next_lines(sprints, width, today, [(" } ", "")])] for width in (60, 36)
    )

    assert roomy == ["Sprint 15 7–20 Dec", "Sprint 16 21 Dec–3 Jan"]
    assert narrow == ["Sprint 15", "Sprint 16"]


@pytest.mark.parametrize(("width", "end"), [(52, "9 over   45 of 26–36  } next"), (36, "9 over   45 of 26–36")])
def test_the_key_of_the_next_sprint_yields_to_what_is_too_much(width: int, end: str) -> None:
    sprint = OtherSprint("Sprint 16", None, None, TARGET, PlannedLoad(3, 45.0, people={}), 50.0)

    (line,) = next_lines([sprint], width, date(2026, 12, 1), [(" } next", "")])

    assert words(line.right) == end
