"""The line for filters and commands, driven by keys."""

from pathlib import Path

import pytest
from tests.quiet import strips_of
from tests.store.documents import item, offline_store, put
from tests.store.world import until
from tests.tui.bare_app import heading_of, lines_of, position_of, said, text_of
from tests.tui.board_steps import on_board
from tests.tui.list_steps import items, press, shown
from tests.tui.opened import Open
from textual import events
from textual.pilot import Pilot

from backlit.store import Store, ViewSpec
from backlit.tui.app.app import BacklitApp
from backlit.tui.drawing.themes import ThemeStyles
from backlit.tui.lists.filtering import text_and_query


async def count_of(store: Store, query: str) -> int:
    view = store.view(ViewSpec(query=query))
    await view.load()
    return view.count or 0


async def matching(store: Store, typed: str) -> int:
    """Return the number of items that a typed text leaves, by the list's own rules, without tasks."""
    text, query = text_and_query(typed)
    view = store.view(ViewSpec(text=text, query=query))
    return (await view.read_totals()).count


async def type_in(pilot: Pilot[None], text: str, *then: str) -> None:
    await press(pilot, *("space" if sign == " " else sign for sign in text), *then)


@pytest.mark.slow
async def test_a_query_typed_into_the_filter_finds_by_field(store: Store, opened: Open) -> None:
    wanted = await count_of(store, "type:bug est:none")
    async with opened(store) as pilot:
        await type_in(pilot, "/type:bug est:none", "enter")

        assert items(pilot).row_count() == wanted > 0
        assert "type bug › est:none" in heading_of(pilot.app)


@pytest.mark.slow
async def test_a_malformed_query_is_explained_under_the_line(store: Store, opened: Open) -> None:
    async with opened(store) as pilot:
        await type_in(pilot, "/type:bug colour:red", "enter")

        assert "/type:bug colour:red" in lines_of(pilot.app)[-4]
        assert "character 10" in lines_of(pilot.app)[-3]


@pytest.mark.slow
async def test_keys_and_values_are_offered_and_tab_takes_them(store: Store, opened: Open) -> None:
    async with opened(store) as pilot:
        await type_in(pilot, "/sever")
        offered = lines_of(pilot.app)[-2]
        await press(pilot, "tab", *"hi", "tab", "enter")

        assert "tab  severity:  filter by severity" in offered
        assert "severity:" in heading_of(pilot.app)
        assert "High" in heading_of(pilot.app)


async def test_a_completion_stands_below_the_word_it_completes(store: Store, opened: Open) -> None:
    async with opened(store) as pilot:
        await type_in(pilot, "/type:bug seve")
        typed, offered = lines_of(pilot.app)[-3:-1]
        bold = [each.text.strip() for each in strips_of(pilot.app)[-2] if each.style and each.style.bold]

        assert typed.index("seve") == offered.index("severity:")
        assert "severity:" in bold
        assert "filter by severity" not in bold


@pytest.mark.slow
async def test_the_line_counts_the_matches_of_what_is_typed_as_the_heading_does(store: Store, opened: Open) -> None:
    rows = await shown(store)
    items = [each for each in rows if each.type != "Task"]
    async with opened(store) as pilot:
        for typed in ("se", "type:bug", "type:bug se"):
            wanted = await matching(store, typed)
            words = f"{wanted:,} of {len(items)} items"
            await type_in(pilot, f"/{typed}")
            await said(pilot, words)
            await press(pilot, "enter", "/")
            await said(pilot, words)
            await press(pilot, "escape")

        assert f"of {len(items)} items" not in text_of(pilot.app)
        assert f"1 of {len(rows)}" in position_of(pilot.app)


@pytest.mark.slow
async def test_the_board_counts_the_tasks_that_alone_match(store: Store) -> None:
    async with on_board(store) as pilot:
        deleted = await count_of(store, "type:task status:deleted")
        tasks = sum(each.type == "Task" for each in await shown(store, with_done=True)) - deleted
        await type_in(pilot, "/type:task ")
        await said(pilot, f"{tasks} tasks")
        await press(pilot, "enter", "/")
        await said(pilot, f"{tasks} tasks")


@pytest.mark.slow
async def test_accepted_conditions_are_chips_and_what_is_being_typed_is_not(store: Store, opened: Open) -> None:
    async with opened(store) as pilot:
        await type_in(pilot, "/type:bug est:2")
        ground = ThemeStyles.of(pilot.app.screen.app).style(on="key-background").bgcolor
        line = strips_of(pilot.app)[next(y for y, text in enumerate(lines_of(pilot.app)) if "/type:bug" in text)]

        assert "".join(part.text for part in line if part.style and part.style.bgcolor == ground) == "type:bug"


async def test_the_key_that_grooms_is_named_while_no_line_takes_the_keys(store: Store, opened: Open) -> None:
    async with opened(store) as pilot:
        await until(lambda: "gq  groom" in heading_of(pilot.app), lambda: heading_of(pilot.app))
        await press(pilot, "/")
        typing = heading_of(pilot.app)
        await press(pilot, "escape")

        assert "gq" not in typing
        assert "not ready" in typing
        assert "gq  groom" in heading_of(pilot.app)


@pytest.mark.slow
async def test_tab_again_takes_the_next_one_offered(store: Store, opened: Open) -> None:
    async with opened(store) as pilot:
        await type_in(pilot, "/type:", "tab")
        first = lines_of(pilot.app)[-3]
        await press(pilot, "tab")
        second = lines_of(pilot.app)[-3]
        await press(pilot, "shift+tab")

        assert first != second
        assert lines_of(pilot.app)[-3] == first


@pytest.mark.slow
async def test_escape_takes_the_query_away(store: Store, opened: Open) -> None:
    everything = len(await shown(store))
    async with opened(store) as pilot:
        await type_in(pilot, "/type:bug", "enter", "escape")

        assert items(pilot).row_count() == everything


@pytest.mark.slow
async def test_a_burst_of_keys_goes_to_the_line_and_after_enter_to_the_list(store: Store, opened: Open) -> None:
    wanted = await count_of(store, "type:bug")
    async with opened(store) as pilot:
        for key in (*"/type:bug", "enter", "j", "j"):
            pilot.app.post_message(events.Key(key, key if len(key) == 1 else None))
        await until(lambda: "type bug" in heading_of(pilot.app) and "/type:bug" not in lines_of(pilot.app)[-1])
        await until(lambda: items(pilot).cursor == 2, lambda: text_of(pilot.app))

        assert items(pilot).row_count() == wanted


async def test_escape_behind_a_burst_leaves_the_line_and_takes_nothing_else(store: Store, opened: Open) -> None:
    everything = len(await shown(store))
    async with opened(store) as pilot:
        for key in (*"/abc", "escape", "j"):
            pilot.app.post_message(events.Key(key, key if len(key) == 1 else None))
        await until(lambda: items(pilot).cursor == 1)

        assert items(pilot).row_count() == everything
        assert len(pilot.app.screen_stack) == 1


@pytest.mark.slow
async def test_lines_come_back_with_up_even_in_the_next_run(store: Store, opened: Open) -> None:
    async with opened(store) as pilot:
        await type_in(pilot, "/type:bug", "enter", "escape")
    async with opened(store) as pilot:
        await press(pilot, "/", "up", "enter")

        await until(lambda: "type bug" in heading_of(pilot.app), lambda: text_of(pilot.app))


@pytest.mark.slow
async def test_words_in_texts_are_shown_where_they_were_found(store: Store, opened: Open) -> None:
    story = next(row for row in await shown(store) if row.type == "Story")
    await store.items.comment(story.id, "The zeppelin lands at noon")
    async with opened(store) as pilot:
        await type_in(pilot, "/text:zepp", "enter")
        await until(lambda: "in the comment: The" in text_of(pilot.app), lambda: text_of(pilot.app))

        assert items(pilot).row_count() == 1


async def test_a_list_of_words_says_what_it_cannot_have_yet(tmp_path: Path) -> None:
    with offline_store(tmp_path) as store:
        app = BacklitApp(store)
        async with app.run_test(size=(120, 40)) as pilot:
            await type_in(pilot, "/text:refund", "enter")
            with store.files.indexing.held():
                put(store, [item(number, Description="About refunds") for number in range(1, 101)])
                await until(lambda: "indexing 100 items …" in text_of(app), lambda: text_of(app))
            await until(lambda: "100 items" in heading_of(app), lambda: text_of(app))

            assert "indexing" not in text_of(app)
