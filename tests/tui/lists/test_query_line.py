"""The line for filters and commands, driven by keys."""

from pathlib import Path

import pytest
from tests.store.documents import item, offline_store, put
from tests.store.world import until
from tests.tui.bare_app import heading_of, lines_of, text_of
from tests.tui.list_steps import items, press, shown
from tests.tui.opened import Open
from textual import events
from textual.pilot import Pilot

from backlit.store import Store, ViewSpec
from backlit.tui.app.app import BacklitApp


async def count_of(store: Store, query: str) -> int:
    view = store.view(ViewSpec(query=query))
    await view.load()
    return view.count or 0


async def type_in(pilot: Pilot[None], text: str, *then: str) -> None:
    await press(pilot, *("space" if sign == " " else sign for sign in text), *then)


async def test_a_query_typed_into_the_filter_finds_by_field(store: Store, opened: Open) -> None:
    wanted = await count_of(store, "type:bug est:none")
    async with opened(store) as pilot:
        await type_in(pilot, "/type:bug est:none", "enter")

        assert items(pilot).row_count() == wanted > 0
        assert "type bug › est:none" in heading_of(pilot.app)


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

        assert "severity:" in offered
        assert "severity:" in heading_of(pilot.app)
        assert "High" in heading_of(pilot.app)


async def test_a_completion_stands_below_the_word_it_completes(store: Store, opened: Open) -> None:
    async with opened(store) as pilot:
        await type_in(pilot, "/type:bug seve")
        typed, offered = lines_of(pilot.app)[-3:-1]

        assert typed.index("seve") == offered.index("severity:")


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

        assert "type bug" in heading_of(pilot.app)


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
