"""The frames of panes, and the rows in them, over the backlog."""

import re

import pytest
from rich.color import Color
from rich.segment import Segment
from tests.quiet import strips_of, workers_done
from tests.store.world import until
from tests.tui.bare_app import BareApp, lines_of, missing, pane_lines, position_of, text_of
from tests.tui.list_steps import press
from tests.tui.opened import Open
from textual.app import ComposeResult
from textual.strip import Strip
from textual.widgets import Static

from backlit.store import Store
from backlit.tui.drawing.themes import FRAME_WIDTH, KEY, ThemeStyles
from backlit.tui.widgets.line_list import LineList
from backlit.tui.widgets.pane_frame import PaneFrame


@pytest.mark.parametrize(("size", "is_framed"), [((120, 30), True), ((100, 30), True), ((99, 30), False)])
@pytest.mark.long_but("size0", "size2")
async def test_panes_have_frames_where_there_is_room_and_their_position_and_scrollbar_in_them(
    store: Store, opened: Open, size: tuple[int, int], *, is_framed: bool
) -> None:
    async with opened(store, size) as pilot:
        await press(pilot, "j")
        await until(lambda: "2 of" in position_of(pilot.app), lambda: text_of(pilot.app))
        lines = lines_of(pilot.app)
        await press(pilot, "t", "z")
        bare = text_of(pilot.app)

        assert lines[1].startswith("╭") is is_framed
        assert lines[-2].startswith("╰") is is_framed
        assert not set(bare) & set("╭╮╰╯")
        assert all(strip.cell_length == size[0] for strip in strips_of(pilot.app))


async def test_the_scrollbar_in_a_frame_follows_the_rows(store: Store, opened: Open) -> None:
    async with opened(store, (120, 16)) as pilot:
        await press(pilot, "p")
        begun = [y for y, line in enumerate(lines_of(pilot.app)) if line.endswith("┃")]
        await press(pilot, "G")
        ended = [y for y, line in enumerate(lines_of(pilot.app)) if line.endswith("┃")]

        assert begun[0] == 3
        assert ended[-1] == 16 - 3
        assert len(begun) == len(ended)


class NumberedRows(LineList):
    def row_count(self) -> int:
        return 128

    def render_row(self, index: int, *, is_cursor: bool) -> Strip:  # noqa: ARG002 - all rows look the same
        return Strip([Segment(f"{index}".ljust(self.size.width))])


class FramedRows(BareApp):
    """Rows in a frame above a widget of some height."""

    CSS = f"{BareApp.CSS} .-framed PaneFrame > * {{ margin: 1; }} NumberedRows {{ height: 1fr; }}"

    def compose(self) -> ComposeResult:
        self.rows, self.below = NumberedRows(), Static("below")
        yield PaneFrame(self.rows)
        yield self.below


async def test_the_scrollbar_in_a_frame_is_right_where_the_frame_is_drawn_before_it_knows_its_size() -> None:
    app = FramedRows()
    async with app.run_test(size=(120, 40)) as pilot:
        # Textual draws a new layout before its widgets get their new sizes.
        app.screen.screen_layout_refresh_signal.subscribe(app.rows, lambda _: strips_of(app), immediate=True)
        for height in (3, 10, 4):
            app.below.styles.height = height
            await pilot.pause()
            bars = [y for y, line in enumerate(lines_of(app)) if line.endswith("┃")]

            assert bars == [app.rows.region.y + line for line in app.rows.bar_lines()]


@pytest.mark.parametrize("key", ["M", "  M", "M  ", "{ }"])
async def test_keys_at_the_ends_of_a_frames_edges_have_the_whole_of_their_cap(key: str) -> None:
    app = FramedRows()
    async with app.run_test(size=(120, 20)) as pilot:
        words = [(key, KEY), (" first ", "muted"), (key, KEY)]
        app.query_one(PaneFrame).say(words, words, words, words)
        await pilot.pause()
        ground = ThemeStyles.of(app.screen.app).style(KEY).bgcolor
        edges = strips_of(app)[0], strips_of(app)[app.query_one(PaneFrame).size.height - 1]

        for edge in edges:
            caps = [each.text for each in edge if each.style and each.style.bgcolor == ground]
            assert caps == [f" {key.strip()} "] * 4


async def test_at_most_a_few_rows_of_a_page_carry_a_warning(store: Store, opened: Open) -> None:
    async with opened(store, (120, 40)) as pilot:
        await until(lambda: "not ready" in lines_of(pilot.app)[1], lambda: text_of(pilot.app))
        warn = ThemeStyles.of(pilot.app.screen.app).style("warn").color
        rows = [
            strip
            for strip, line in zip(strips_of(pilot.app), pane_lines(pilot.app), strict=True)
            if line[4:9].strip().isdigit()
        ]
        warned = [row for row in rows if any(each.style and each.style.color == warn for each in row)]

        assert rows
        assert len(warned) <= 0.15 * len(rows)
        assert "○" not in "".join(pane_lines(pilot.app)[3:-2])


@pytest.mark.parametrize("width", [160, 120, 100, 80])
@pytest.mark.long_but("160", "80")
async def test_the_totals_stand_in_the_head_of_the_list_and_what_to_do_at_its_right(
    store: Store, opened: Open, width: int
) -> None:
    async with opened(store, (width, 30)) as pilot:
        await until(lambda: "gq" in lines_of(pilot.app)[1], lambda: text_of(pilot.app))
        heading = lines_of(pilot.app)[1]

        assert re.search(r"Open items \d+ items( \+ \d+ tasks)? · \d+ pts ─+ ¬ \d+ not ready +gq +groom", heading)
        assert heading.startswith("╭─") is (width >= FRAME_WIDTH)


@pytest.mark.slow
async def test_the_preview_is_a_card_whose_state_stands_on_grounds_and_whose_facts_have_labels(
    store: Store, opened: Open
) -> None:
    async with opened(store, (120, 40)) as pilot:
        await press(pilot, "/", *"owner:none type:story", "enter")
        await until(lambda: "Owner   unassigned" in text_of(pilot.app), lambda: text_of(pilot.app))
        ground = ThemeStyles.of(pilot.app.screen.app).style("foreground", on="key-background").bgcolor
        chips = [each.text for strip in strips_of(pilot.app)[2:8] for each in strip if _ground(each) == ground]

        assert missing(pilot.app, ["Area    ", "i take it"]) == []
        assert any("Not done" in each or "In progress" in each for each in chips)
        assert lines_of(pilot.app)[1].partition("╮")[2].startswith("╭─ #")


def _ground(segment: Segment) -> Color | None:
    return segment.style.bgcolor if segment.style else None


PLACES = {"backlog": "gb", "plan": "gp", "inbox": "gh", "iterations": "gi", "areas": "ga"}


@pytest.mark.slow
@pytest.mark.parametrize("keys", PLACES.values(), ids=PLACES)
@pytest.mark.long_but("backlog", "inbox")
async def test_a_pane_with_the_focus_has_a_bright_frame_and_in_a_narrow_terminal_a_bright_head(
    store: Store, opened: Open, keys: str
) -> None:
    async with opened(store, (120, 40)) as pilot:
        await press(pilot, *keys)
        await workers_done(pilot.app)
        frames = [frame for frame in pilot.app.screen.query(PaneFrame) if frame.display]
        corners = [strips_of(pilot.app)[frame.region.y].crop(frame.region.x, frame.region.x + 2) for frame in frames]
        await pilot.resize_terminal(80, 24)
        await workers_done(pilot.app)
        styles = ThemeStyles.of(pilot.app.screen.app)
        lit = [
            each.text
            for strip in strips_of(pilot.app)[1:-1]
            for each in strip
            if each.style == styles.style("lamp", bold=True)
        ]

        assert [corner.text for corner in corners] == ["╭─"] * len(frames)
        assert [_colour(corner) == styles.style("focus").color for corner in corners] == [
            frame.is_current for frame in frames
        ]
        assert sum(frame.is_current for frame in frames) == 1
        assert len([each for each in lit if each.strip("▌")]) == 1


def _colour(strip: Strip) -> Color | None:
    (segment, *_) = strip
    return segment.style.color if segment.style else None


@pytest.mark.parametrize(("width", "titles"), [(160, ("Area",)), (180, ("Area",)), (200, ("Area", "Tags"))])
@pytest.mark.long_but("180")
async def test_a_wide_list_has_more_columns_in_place_of_blanks_behind_the_names(
    store: Store, opened: Open, width: int, titles: tuple[str, ...]
) -> None:
    async with opened(store, (width, 40)) as pilot:
        header = pane_lines(pilot.app)[2]
        name = re.search(r"Name +", header)

        assert tuple(title for title in ("Area", "Tags") if f"  {title}" in header) == titles
        assert name is not None
        assert len(name.group()) <= 72
        assert "›" not in header
