"""The columns of the backlog: chosen, written, scrolled, saved."""

import itertools
import re
from pathlib import Path

import pytest
from tests.store.world import World, until
from tests.tui.bare_app import lines_of, pane_lines, text_of
from tests.tui.list_steps import go_to, items, press
from tests.tui.lists.saved_views import LARGE, viewed
from tests.tui.opened import Open
from textual.pilot import Pilot

from backlit.model.errors import BadRequest
from backlit.model.settings.view_settings import ChosenColumn, column_wish
from backlit.store import ConnectionState, Store, ViewSpec
from backlit.tui.app.app import BacklitApp
from backlit.tui.drawing.themes import ThemeStyles, load_themes
from backlit.tui.items.preview import MAX_TEXT_WIDTH, ItemPreview
from backlit.tui.widgets.column_scroll import ColumnScroll
from backlit.tui.widgets.item_rows import (
    USUAL_COLUMNS,
    DisplayNames,
    ListColumn,
    RowLayout,
    fitting_columns,
)
from backlit.tui.widgets.name_widths import MAX_FURTHER_BLANKS, MAX_NAME_BLANKS
from backlit.tui.widgets.view_list import BacklogList


async def say(pilot: Pilot[None], line: str) -> None:
    await press(pilot, ":", *("space" if sign == " " else sign for sign in line), "enter")
    await pilot.pause()


def headings(pilot: Pilot[None]) -> list[str]:
    return pane_lines(pilot.app)[2].split()


# What fits


@pytest.mark.parametrize(
    ("room", "titles"),
    [
        (74, ["Iteration", "Owner", "Status", "Pts"]),
        (73, ["Owner", "Status", "Pts"]),
        (51, ["Status", "Pts"]),
        (36, ["Pts"]),
        (30, ["Pts"]),
        (26, []),
    ],
)
def test_columns_go_by_their_priority_where_it_is_narrow(room: int, titles: list[str]) -> None:
    assert [each.title for each in fitting_columns(USUAL_COLUMNS, room)] == titles


def test_without_priorities_the_last_column_goes_first() -> None:
    columns = [ListColumn("a", "A", 10), ListColumn("b", "B", 10), ListColumn("c", "C", 10, drop=2)]

    assert [each.title for each in fitting_columns(columns, 54)] == ["A", "B"]
    assert [each.title for each in fitting_columns(columns, 41)] == ["A"]


def test_growing_columns_share_half_of_what_the_name_can_spare() -> None:
    grown = fitting_columns([ListColumn("a", "A", 10, grows=True), ListColumn("b", "B", 10)], 102)

    assert [each.width for each in grown] == [28, 10]


# How they are written


@pytest.mark.parametrize(
    ("text", "wish"),
    [
        ("Tags", ChosenColumn("Tags")),
        ("Tags 14", ChosenColumn("Tags", 14)),
        ("Tags 14+ drop 1", ChosenColumn("Tags", 14, grows=True, drop=1)),
        ("Tags +", ChosenColumn("Tags", grows=True)),
        ("Size_cf drop 12", ChosenColumn("Size_cf", drop=12)),
    ],
)
def test_a_column_is_written_as_it_is_read(text: str, wish: ChosenColumn) -> None:
    assert column_wish(text, str) == wish
    assert column_wish(str(wish), str) == wish


@pytest.mark.parametrize("text", ["", "Tags wide", "Name", "Description", "Tags 99", "Tags drop"])
def test_an_unknown_column_is_refused_with_a_sentence(text: str) -> None:
    with pytest.raises(BadRequest, match=r"\.$"):
        column_wish(text, str)


# Their widths


@pytest.mark.parametrize(
    ("spec", "is_kept"),
    [
        (ViewSpec(), True),
        (ViewSpec(text="pay"), True),
        (ViewSpec(query="est>5"), False),
        (ViewSpec(iteration_ids=frozenset({2})), False),
    ],
)
def test_a_column_keeps_its_width_in_the_same_list_only(store: Store, spec: ViewSpec, is_kept: bool) -> None:
    theme = load_themes(None)[0][0]
    styles = ThemeStyles({**theme.to_color_system().generate(), **theme.variables})
    columns = ColumnScroll(
        USUAL_COLUMNS,
        lambda: 120,
        lambda width, shown: RowLayout(width, DisplayNames(str, str), styles, 0, shown),
        lambda: None,
    )
    needed = dict.fromkeys((each.key for each in USUAL_COLUMNS), 4)
    columns.need(needed, store.view(ViewSpec()))
    columns.need({**needed, "IterationID": 0}, store.view(spec))

    assert ("Iteration" in [each.title for each in columns.layout.columns]) == is_kept


async def test_a_column_that_grows_leaves_the_others_their_width(store: Store, opened: Open) -> None:
    async with opened(store, (160, 40)) as pilot:
        rows = items(pilot)
        assert rows.view is not None
        rows.columns.need({"Status": 13, "Points": 4, "AssignedToID": 8, "IterationID": 9}, rows.view)
        rows.columns.need({"Status": 4, "Points": 1, "AssignedToID": 5, "IterationID": 11}, rows.view)

        assert [each.width for each in rows.columns.layout.columns] == [11, 8, 13, 4]


# On the screen


async def test_columns_are_added_with_tab(store: Store, opened: Open) -> None:
    async with opened(store, (160, 40)) as pilot:
        await press(pilot, "t", "c", *"area", "enter")

        assert headings(pilot) == ["#", "Name", "Iteration", "Owner", "Status", "Pts", "Area"]


@pytest.mark.slow
async def test_written_columns_show_values_of_any_field(store: Store, opened: Open) -> None:
    async with opened(store, (160, 40)) as pilot:
        await say(pilot, "columns tags 20, channel, changed 10")
        cells = " ".join(pane_lines(pilot.app)[3:30])

        assert headings(pilot) == ["#", "Name", "Tags", "Channel", "Modified"]
        assert "Store" in cells
        assert "2026-" in cells


@pytest.mark.slow
async def test_an_unknown_field_is_named(store: Store, opened: Open) -> None:
    async with opened(store) as pilot:
        await say(pilot, "columns tags, colour")

        assert "There is no field 'colour'" in text_of(pilot.app)


@pytest.mark.slow
async def test_columns_that_do_not_fit_are_scrolled_to_and_id_and_name_stay(store: Store, opened: Open) -> None:
    async with opened(store, (80, 24)) as pilot:
        await say(pilot, "columns status 18, area 18, team 18, changed 12")
        before = headings(pilot)
        await until(lambda: "zl more columns" in lines_of(pilot.app)[-1], lambda: text_of(pilot.app))
        await press(pilot, "z", "l")
        after = headings(pilot)
        await press(pilot, "z", "l")
        await until(lambda: "zl more columns" not in lines_of(pilot.app)[-1], lambda: text_of(pilot.app))
        await press(pilot, "z", "h")
        await press(pilot, "z", "h")

        assert before == headings(pilot) == ["#", "Name", "Status", "Area", "+2", "›"]
        assert after == ["#", "Name", "‹", "1", "Area", "Team", "+1", "›"]


@pytest.mark.slow
async def test_a_status_is_its_sign_where_that_makes_room_for_other_columns(store: Store, opened: Open) -> None:
    async with opened(store, (80, 24)) as pilot:
        await say(pilot, "columns status, severity")
        roomy = headings(pilot)
        await say(pilot, "columns status, severity, tags 14")

        assert roomy == ["#", "Name", "Status", "Severity"]
        assert headings(pilot) == ["#", "Name", "Severity", "Tags"]


async def test_scrolling_is_refused_when_all_columns_are_in_sight(store: Store, opened: Open) -> None:
    async with opened(store, (160, 40)) as pilot:
        await press(pilot, "z", "l")

        assert "No more columns to the right" in text_of(pilot.app)


@pytest.mark.slow
async def test_a_changed_value_is_drawn_in_its_column(store: Store, opened: Open) -> None:
    async with opened(store, (160, 40)) as pilot:
        await say(pilot, "columns tags 30")
        item_id = pilot.app.screen.items.current_id  # type: ignore[attr-defined] # it is the backlog
        await store.items.edit([item_id], {"Tags": ["zebra"]})
        await pilot.pause(0.2)

        assert "zebra" in pane_lines(pilot.app)[3]


@pytest.mark.slow
async def test_a_saved_view_keeps_its_columns(store: Store, tmp_path: Path) -> None:
    async with viewed(store, tmp_path / "home", LARGE, size=(160, 40)) as pilot:
        await say(pilot, "columns area 18+ drop 1, team")
        await say(pilot, "save Places")
        await press(pilot, "g", "1")
        await say(pilot, "columns usual")
        usual = pane_lines(pilot.app)[3].split()
        await press(pilot, "g", "3")
        kept = (tmp_path / "home" / "config" / "views.toml").read_text()

        assert usual == ["#", "Name", "Iteration", "Owner", "Status", "Pts"]
        assert pane_lines(pilot.app)[3].split() == ["#", "Name", "Area", "Team"]
        assert 'columns = ["AreaID 18+ drop 1", "TeamID"]' in kept


@pytest.mark.slow
async def test_the_first_views_columns_survive_a_restart_and_show_missing_readiness(world: World, store: Store) -> None:
    async with BacklitApp(store).run_test(size=(160, 40), notifications=True) as pilot:
        await pilot.pause()
        await say(pilot, "columns lint 30, est")
    await until(lambda: store.connection.state is not ConnectionState.LOADING)
    await world.close(store)
    again = world.store()
    async with BacklitApp(again).run_test(size=(160, 40), notifications=True) as pilot:
        await pilot.pause()
        cells = " ".join(pane_lines(pilot.app)[3:30])

        assert headings(pilot) == ["#", "Name", "Not", "ready", "Pts"]
        assert "no estimate" in cells


# The cells of default columns


async def test_a_column_that_the_groups_name_gives_its_cells_to_the_name(store: Store, opened: Open) -> None:
    async with opened(store, (120, 40)) as pilot:
        await press(pilot, "p")
        before = headings(pilot)
        await press(pilot, "t", "g", *"owner", "enter")
        await until(lambda: "Owner" not in headings(pilot), lambda: text_of(pilot.app))

        assert "Owner" in before


@pytest.mark.slow
async def test_a_column_without_values_is_shown_once_it_has_one(store: Store, opened: Open) -> None:
    async with opened(store, (120, 40)) as pilot:
        await press(pilot, "p", "/", *"owner:none", "enter", "t", "g", *"type", "enter")
        await until(lambda: "Owner" not in headings(pilot), lambda: text_of(pilot.app))
        await press(pilot, "j", "escape")
        await until(lambda: "Owner" in headings(pilot), lambda: text_of(pilot.app))


async def test_a_narrow_list_shows_the_sign_of_the_status_without_its_word(store: Store, opened: Open) -> None:
    async with opened(store, (60, 20)) as pilot:
        assert headings(pilot)[:2] == ["#", "Name"]
        assert "Status" not in headings(pilot)
        assert "◐" in text_of(pilot.app)
        assert "Not done" not in text_of(pilot.app)


@pytest.mark.slow
async def test_a_wider_screen_loses_no_column_and_no_text_beside_is_over_72(store: Store, opened: Open) -> None:
    titles, texts = dict[int, set[str]](), dict[int, int]()
    async with opened(store, (60, 40)) as pilot:
        for width in (60, 80, 100, 120, 160, 200, 220):
            await pilot.resize_terminal(width, 40)
            await press(pilot)
            titles[width] = set(headings(pilot)) - {"‹", "›"}
            if width >= 120:  # below that the preview is under the list, as wide as the screen
                texts[width] = widest_text_of_preview(pilot)

    lost = {wide: titles[narrow] - titles[wide] for narrow, wide in itertools.pairwise(titles)}
    assert {width: columns for width, columns in lost.items() if columns} == {}
    assert titles[60] < titles[220]
    assert {width: cells for width, cells in texts.items() if not 20 < cells <= 72} == {}


def widest_text_of_preview(pilot: Pilot[None]) -> int:
    preview = pilot.app.screen.query_one(ItemPreview).region
    lines = lines_of(pilot.app)[preview.y : preview.bottom]
    return max(len(line[preview.x : preview.right].strip(" │┃")) for line in lines)


def gaps_of(rows: BacklogList) -> list[int]:
    """Return the blanks between the names in sight and the next column."""
    at = len(re.findall(r".*Name +", rows.render_header(0).text)[0])
    lines = [rows.render_row(index, is_cursor=False).text[:at] for index in range(rows.top, rows.top + rows.page)]
    return [at - len(line.rstrip()) for line in lines if line.strip()]


@pytest.mark.slow
@pytest.mark.parametrize("width", [160, 180, 200, 220])
async def test_a_name_is_near_its_next_column_in_a_wide_terminal(store: Store, opened: Open, width: int) -> None:
    async with opened(store, (width, 50)) as pilot:
        await until(lambda: items(pilot).is_complete)
        gaps = gaps_of(items(pilot))

        assert len(gaps) > 10
        assert sum(gaps) / len(gaps) <= MAX_NAME_BLANKS + MAX_FURTHER_BLANKS
        preview = pilot.app.screen.query_one(ItemPreview)
        assert 48 <= preview.outer_size.width + 2 <= 60


@pytest.mark.slow
async def test_text_below_a_wide_list_has_short_lines(store: Store, opened: Open) -> None:
    async with opened(store, (200, 50)) as pilot:
        item_id = await go_to(pilot, store, "Story")
        await store.items.edit([item_id], {"Description": "word " * 100})
        await press(pilot, "P")
        await until(lambda: "word word" in text_of(pilot.app), lambda: text_of(pilot.app))
        lines = [line.strip(" │┃") for line in lines_of(pilot.app) if "word word" in line]

        assert 60 < max(map(len, lines)) <= MAX_TEXT_WIDTH
