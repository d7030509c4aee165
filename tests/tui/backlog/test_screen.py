"""The backlog screen, driven by keys over a real store and service."""

import pytest
from tests.quiet import every_frame, strips_of
from tests.store.world import World, sent, until
from tests.tui.bare_app import (
    heading_of,
    line_with,
    lines_of,
    missing,
    pane_lines,
    scrollbar_beside,
    text_of,
    title_of,
)
from tests.tui.list_steps import items, press, shown
from tests.tui.opened import Open
from textual.app import App
from textual.pilot import Pilot

from backlit.store import ConnectionState, Store, ViewSpec
from backlit.tui.backlog.screen import BacklogScreen
from backlit.tui.items.preview import ItemPreview
from backlit.tui.widgets.view_list import BacklogList

HOSTILE = (
    "[bold]x[/]",
    "\x1b[31mred\x1b[0m",
    "😀 party 👨\u200d👩\u200d👧",
    "漢字の名前",
    "x" * 500,
    "مرحبا שלום",
    "a\u202eb\u0007c",
)


def rows_of(app: App[None]) -> list[str]:
    """The lines of the list, without the preview."""
    return [line.rstrip(" █") for line in pane_lines(app)[3:-2]]


async def go_to(pilot: Pilot[None], store: Store, item_type: str) -> int:
    """Put the cursor on the first open item of a type."""
    row = next(each for each in await shown(store) if each.type == item_type)
    await press(pilot, "/", "#", *str(row.id), "enter")
    await until(lambda: items(pilot).current_id == row.id)
    return row.id


async def field(world: World, item_id: int, key: str) -> object:
    return (await world.rival.work_items.get(item_id))["fields"][key]


async def test_open_items_are_in_backlog_order_with_tasks_under_their_item(store: Store, opened: Open) -> None:
    expected = await shown(store)
    async with opened(store) as pilot:
        await press(pilot, "k")
        lines = rows_of(pilot.app)

        ids = [line[3:].split()[0] for line in lines[: len(expected)]]
        assert ids == [str(row.id) for row in expected][: len(lines)]
        assert f"{sum(row.type != 'Task' for row in expected)} items" in heading_of(pilot.app)


async def test_the_help_names_its_place(store: Store, opened: Open) -> None:
    async with opened(store) as pilot:
        await pilot.press("?")

        await until(lambda: " Keys · Backlog " in text_of(pilot.app), lambda: text_of(pilot.app))


async def test_counts_and_jumps_move_the_cursor(store: Store, opened: Open) -> None:
    ids = [row.id for row in await shown(store)]
    async with opened(store, (80, 16)) as pilot:
        places = []
        for keys in (
            ("5", "j"),
            ("2", "k"),
            ("G",),
            ("g", "g"),
            ("1", "0", "G"),
            ("g", "g"),
            ("ctrl+d",),
            ("pagedown",),
        ):
            await press(pilot, *keys)
            places.append(items(pilot).current_id)

        assert places[:5] == [ids[5], ids[3], ids[-1], ids[0], ids[9]]
        assert ids.index(places[6] or 0) == items(pilot).page // 2
        assert ids.index(places[7] or 0) == items(pilot).page // 2 + items(pilot).page


@pytest.mark.slow
async def test_moving_inside_the_page_draws_two_rows(store: Store, opened: Open) -> None:
    drawn: list[int] = []
    with every_frame():
        async with opened(store) as pilot:
            await press(pilot, "j")
            with _Watched(items(pilot), drawn):
                await pilot.press("j")
                await pilot.pause()

    assert len(set(drawn)) == 2


class _Watched:
    """Notes which lines a list is asked to draw."""

    def __init__(self, widget: BacklogList, drawn: list[int]) -> None:
        self._widget, self._drawn = widget, drawn

    def __enter__(self) -> None:
        draw = self._widget.render_line

        def noted(y: int) -> object:
            self._drawn.append(y)
            return draw(y)

        self._widget.render_line = noted  # type: ignore[method-assign,assignment] # a spy on one instance

    def __exit__(self, *_: object) -> None:
        del self._widget.render_line


@pytest.mark.slow
async def test_the_filter_narrows_as_it_is_typed_and_escape_widens(store: Store, opened: Open) -> None:
    everything = await shown(store)
    word = everything[3].name.split()[0]
    expected = [row.id for row in everything if word.casefold() in row.name.casefold()]
    async with opened(store) as pilot:
        await press(pilot, "/", *word)
        found = items(pilot).row_count()
        await press(pilot, "enter")
        still = items(pilot).row_count()
        await press(pilot, "escape")

        assert (found, still) == (len(expected), len(expected))
        assert items(pilot).row_count() == len(everything)


@pytest.mark.slow
async def test_a_filter_without_matches_shows_the_way_out(store: Store, opened: Open) -> None:
    every = store.view(ViewSpec())
    await every.load()
    count = every.totals.count if every.totals else 0
    async with opened(store) as pilot:
        await press(pilot, "/", *"zzzz")

        assert missing(pilot.app, ["change the filter", "clear the filter"]) == []
        await until(lambda: f"0 of {count} items" in heading_of(pilot.app), lambda: text_of(pilot.app))
        assert "No item matches “zzzz” in its name, open or done" in text_of(pilot.app)
        await press(pilot, "escape", "escape")
        assert "zzzz" not in text_of(pilot.app)


@pytest.mark.slow
async def test_a_filter_without_matches_shows_the_way_out_offline_too(world: World, store: Store, opened: Open) -> None:
    await shown(store)
    world.faults.is_down = True
    async with opened(store) as pilot:
        await until(lambda: store.connection.state is ConnectionState.OFFLINE, lambda: store.connection)
        await press(pilot, "/", *"zzzz")

        assert missing(pilot.app, ["item matches “zzzz”", "clear the filter"]) == []
        await press(pilot, "escape")
        assert "R  try again" in lines_of(pilot.app)[-1]


async def test_a_filter_that_only_done_items_match_counts_them(store: Store, opened: Open) -> None:
    every = store.view(ViewSpec(with_done=True))
    await every.load()
    open_ids = {row.id for row in await shown(store)}
    done = next(row for row in every.rows(0, every.count or 0) if row.id not in open_ids)
    async with opened(store) as pilot:
        await press(pilot, "/", *f"#{done.id}", "enter")
        await until(lambda: not missing(pilot.app, [f"No open item matches “#{done.id}” · 1 done item does"]))

        assert missing(pilot.app, ["include done items"]) == []


async def test_done_items_come_and_go(store: Store, opened: Open) -> None:
    async with opened(store) as pilot:
        before = items(pilot).row_count()
        await press(pilot, "t", "d")
        more = items(pilot).row_count()
        await press(pilot, "t", "d")

        assert more > before == items(pilot).row_count()
        assert "Open items" in heading_of(pilot.app)


@pytest.mark.slow
async def test_status_estimate_owner_name_and_iteration_change_from_the_list(
    world: World, store: Store, opened: Open
) -> None:
    async with opened(store) as pilot:
        item_id = await go_to(pilot, store, "Story")
        await press(pilot, "s", *"test", "enter")
        await press(pilot, "c", "e", "ctrl+u", *"13", "enter")
        await press(pilot, "i")
        await press(pilot, "c", "n", "ctrl+u", *"Better", "enter")
        await press(pilot, "c", "i", *"Sprint 15", "enter")
        await press(pilot, "c", "r", *"Search", "enter")
        await sent(store)
        fields = (await world.rival.work_items.get(item_id))["fields"]
        iteration, area = store.lookups.iterations()[fields["IterationID"]], fields["AreaID"]

        assert (fields["Status"], fields["Estimate"], fields["Name"]) == ("Ready For Test", "13", "Better")
        assert store.lookups.people()[fields["AssignedToID"]].username == "maya"
        assert iteration.name == "Sprint 15"
        assert area != 1
        assert missing(pilot.app, ["Better", "◑ Test", "13", "maya", "Sprint 15"]) == []


@pytest.mark.slow
async def test_unassigning_takes_the_owner_off(world: World, store: Store, opened: Open) -> None:
    async with opened(store) as pilot:
        item_id = await go_to(pilot, store, "Bug")
        await press(pilot, "i")
        await press(pilot, "I")
        await sent(store)

        assert await field(world, item_id, "AssignedToID") is None


@pytest.mark.slow
async def test_a_verb_that_does_not_apply_says_why(store: Store, opened: Open) -> None:
    async with opened(store) as pilot:
        await go_to(pilot, store, "Feedback")
        await pilot.press("s")
        await pilot.pause()

        assert "A feedback has no status." in text_of(pilot.app)


async def test_an_unknown_chord_says_so(store: Store, opened: Open) -> None:
    async with opened(store) as pilot:
        await pilot.press("g", "z")
        await pilot.pause()

        assert "gz is not a command here" in text_of(pilot.app)


async def test_the_keys_after_a_chord_are_shown_after_a_delay_until_escape(store: Store, opened: Open) -> None:
    async with opened(store) as pilot:
        await pilot.press("c")
        await pilot.pause(0.6)
        popup = text_of(pilot.app)
        await press(pilot, "escape")

        assert "ce estimate" in popup
        assert "ce estimate       " not in text_of(pilot.app)
        assert isinstance(pilot.app.screen, BacklogScreen)


@pytest.mark.slow
async def test_an_item_is_added_here_and_the_cursor_is_on_it(world: World, store: Store, opened: Open) -> None:
    async with opened(store) as pilot:
        item_id = await go_to(pilot, store, "Story")
        here = store.item(item_id)
        await press(pilot, "f", "0")
        await press(pilot, "a", "enter", *"Brand new story", "enter")
        await sent(store)
        await until(lambda: items(pilot).current_id not in {item_id, None} and (items(pilot).current_id or 0) > 0)
        added = await world.rival.work_items.get(items(pilot).current_id or 0)

        assert (added["type"], added["fields"]["Name"]) == ("Story", "Brand new story")
        assert here
        assert added["fields"]["IterationID"] == here.fields["IterationID"]
        assert added["fields"]["AreaID"] == here.fields["AreaID"]
        assert "Brand new story" in line_with(pilot.app, "▌")


@pytest.mark.slow
async def test_a_task_is_added_under_the_item(world: World, store: Store, opened: Open) -> None:
    async with opened(store) as pilot:
        item_id = await go_to(pilot, store, "Story")
        await press(pilot, "A", *"Write the docs", "enter")
        await sent(store)
        tasks = await world.rival.work_items.tasks(item_id).page()

        assert "Write the docs" in [task["fields"]["Name"] for task in tasks.results]


@pytest.mark.slow
async def test_a_comment_is_sent_and_shown_in_the_preview(world: World, store: Store, opened: Open) -> None:
    async with opened(store) as pilot:
        item_id = await go_to(pilot, store, "Story")
        await press(pilot, "C", *"Ship it [b]now[/b]", "ctrl+s")
        await sent(store)
        await pilot.pause(0.2)
        comments = await world.rival.work_items.comments(item_id).page()

        assert [each["description"] for each in comments.results][-1] == "Ship it [b]now[/b]"
        await press(pilot, *["ctrl+e"] * 9)
        assert "Ship it [b]now[/b]" in text_of(pilot.app)


@pytest.mark.slow
async def test_tab_reads_on_in_the_preview_and_begins_again_behind_its_end(
    world: World, store: Store, opened: Open
) -> None:
    async with opened(store) as pilot:
        item_id = await go_to(pilot, store, "Story")
        preview = pilot.app.screen.query_one(ItemPreview)
        await store.items.edit([item_id], {"Description": "\n\n".join(f"Line {number}." for number in range(60))})
        await until(lambda: preview.max_scroll_y > preview.size.height)
        await press(pilot, "tab")
        page = preview.size.height - 1

        assert preview.scroll_y == page
        await press(pilot, "shift+tab")
        assert preview.scroll_y == 0
        await press(pilot, *["tab"] * (int(preview.max_scroll_y) // page + 2))
        assert preview.scroll_y == 0
        await press(pilot, "p", "tab")
        assert preview.region.height > 0


async def test_hostile_names_are_drawn_as_they_are_in_the_width_there_is(
    world: World, store: Store, opened: Open
) -> None:
    for name in HOSTILE:
        await world.rival.work_items.create({"type": "Bug", "projectId": 1, "fields": {"Name": name}})
    await store.refresh()
    async with opened(store) as pilot:
        await press(pilot, "G")
        await pilot.pause(0.2)
        lines = rows_of(pilot.app)
        screen = text_of(pilot.app)

        assert missing(pilot.app, ["[bold]x[/]", "␛[31mred␛[0m", "漢字の名前", "مرحبا שלום", "a�b␇c"]) == []
        assert all(character.isprintable() or character in "\n\u200d" for character in screen)
        assert "👨\u200d👩\u200d👧" in screen
        assert sum("…" in line for line in lines) >= 1
        widths = {strip.cell_length for strip in strips_of(pilot.app)}
        assert widths == {120}


@pytest.mark.slow
async def test_a_change_by_somebody_else_is_shown_without_a_reload(world: World, store: Store, opened: Open) -> None:
    async with opened(store) as pilot:
        item_id = await go_to(pilot, store, "Story")
        await world.rival.work_items.update(item_id, {"Name": "Changed by jon"})
        await store.refresh()
        await pilot.pause(0.2)

        assert "Changed by jon" in line_with(pilot.app, "▌")


@pytest.mark.slow
async def test_a_node_of_the_area_tree_filters_the_backlog(store: Store, opened: Open) -> None:
    everything = await shown(store)
    async with opened(store) as pilot:
        await press(pilot, "g", "a")
        await press(pilot, "enter")
        await press(pilot, "g", "a")
        await press(pilot, "enter")
        whole = items(pilot).row_count()
        title = heading_of(pilot.app)
        await press(pilot, "escape")

        assert whole == len(everything)
        assert "Aurora and below" in title
        assert "Open items" in heading_of(pilot.app)


async def test_the_preview_gives_way_where_it_is_narrow_and_low(store: Store, opened: Open) -> None:
    async with opened(store, (60, 20)) as pilot:
        lines = lines_of(pilot.app)

        assert "▌" in lines[3]
        assert not any("│" in line for line in lines)


async def test_a_preview_without_room_is_refused_each_time(store: Store, opened: Open) -> None:
    async with opened(store, (80, 16)) as pilot:
        await press(pilot, "p")

        assert "it needs 18 lines or 120 columns." in text_of(pilot.app)


async def test_at_80x24_the_preview_is_shown_on_request(store: Store, opened: Open) -> None:
    async with opened(store, (80, 24)) as pilot:
        await go_to(pilot, store, "Story")
        before = text_of(pilot.app)
        await press(pilot, "p")
        await pilot.pause(0.2)
        asked = text_of(pilot.app)
        await press(pilot, "p")

        assert "○ Not done · " not in before
        assert "○ Not done · " in asked
        assert "○ Not done · " not in text_of(pilot.app)


@pytest.mark.slow
async def test_another_project_starts_at_its_first_item(store: Store, opened: Open) -> None:
    async with opened(store) as pilot:
        await press(pilot, "G")
        await press(pilot, "g", "P", *"beacon", "enter")
        await until(lambda: "Beacon" in title_of(pilot.app), lambda: text_of(pilot.app))
        await until(lambda: "▌" in "".join(lines_of(pilot.app)), lambda: text_of(pilot.app))

        assert "▌" in lines_of(pilot.app)[3]


@pytest.mark.slow
async def test_a_lost_connection_is_shown_and_edits_are_queued(world: World, store: Store, opened: Open) -> None:
    async with opened(store) as pilot:
        item_id = await go_to(pilot, store, "Story")
        world.faults.is_down = True
        await press(pilot, "c", "e", "ctrl+u", *"21", "enter")
        await until(lambda: "offline" in title_of(pilot.app))
        waiting = store.outbox.pending
        world.faults.is_down = False
        await press(pilot, "R")
        await sent(store)

        assert waiting == 1
        assert await field(world, item_id, "Estimate") == "21"


async def test_the_scrollbar_stands_beside_the_share_of_rows_in_sight(store: Store, opened: Open) -> None:
    async with opened(store, (80, 24)) as pilot:
        page = items(pilot).page
        at_start = scrollbar_beside(pilot.app)
        await press(pilot, "G")

        assert at_start == list(range(3, 3 + page * page // items(pilot).row_count()))
        assert scrollbar_beside(pilot.app) == list(range(3 + page - len(at_start), 3 + page))
        await press(pilot, "g", "g", "s")
        assert scrollbar_beside(pilot.app) == [], "behind a dialog there is none"


async def test_a_list_that_fits_has_no_scrollbar(store: Store, opened: Open) -> None:
    async with opened(store, (80, 24)) as pilot:
        await press(pilot, "/", *"#1", "enter")
        await until(lambda: items(pilot).row_count() < items(pilot).page)

        assert "█" not in text_of(pilot.app)


@pytest.mark.slow
async def test_an_open_item_without_estimate_has_a_dash_and_a_done_one_none(store: Store, opened: Open) -> None:
    async with opened(store, (80, 24)) as pilot:
        await press(pilot, "t", "d", "/", *"type:story", "enter")
        await until(lambda: "◆" in rows_of(pilot.app)[0], lambda: text_of(pilot.app))
        row = next(each for each in rows_of(pilot.app) if "–" in each)
        name = row.split("◆")[1].strip()[:20]
        await press(pilot, *"/ #", *row.split("◆")[0].split()[-1], "enter", "s", *"done", "enter")

        await until(lambda: "●" in line_with(pilot.app, name), lambda: text_of(pilot.app))
        assert "–" not in line_with(pilot.app, name)


async def test_no_color_sends_no_colours_and_no_greys(
    store: Store, opened: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NO_COLOR", "1")

    async with opened(store) as pilot:
        colours = {
            colour
            for strip in strips_of(pilot.app)
            for segment in strip
            if segment.style is not None
            for colour in (segment.style.color, segment.style.bgcolor)
            if colour is not None and not colour.is_default
        }

        assert colours == set()
        assert text_of(pilot.app)


@pytest.mark.parametrize(("size", "is_beside"), [((120, 40), True), ((80, 40), False)])
async def test_a_wide_preview_below_the_list_has_the_comments_beside_the_texts(
    store: Store, opened: Open, size: tuple[int, int], is_beside: bool
) -> None:
    async with opened(store, size) as pilot:
        row = (await shown(store))[0]
        await store.items.comment(row.id, "Beside it")
        await press(pilot, "g", "g", *("P" if is_beside else ""))
        await until(lambda: "newest first" in text_of(pilot.app), lambda: text_of(pilot.app))

        assert (row.name[:15] in line_with(pilot.app, "newest first")) is is_beside


@pytest.mark.slow
async def test_the_head_of_a_group_offers_what_acts_on_groups(store: Store, opened: Open) -> None:
    async with opened(store) as pilot:
        await press(pilot, "t", "g", *"owner", "enter", "z", "M")
        await until(lambda: "▸ unassigned  " in text_of(pilot.app), lambda: text_of(pilot.app))

        footer = lines_of(pilot.app)[-1]
        assert "za  fold" in footer
        assert "status" not in footer
