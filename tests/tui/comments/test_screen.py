"""Comments: Markdown as lines, the thread, and the screen over the service."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len
from tests.store.world import World, sent, until
from tests.tui.bare_app import heading_of, line_with, lines_of, missing, text_of
from tests.tui.comments.threads import comment, comments_of, showing, story
from tests.tui.opened import Open

from backlit.store import Store
from backlit.tui.drawing import themes
from backlit.tui.drawing.markdown import markdown_lines
from backlit.tui.drawing.themes import ThemeStyles

LOOKS = ThemeStyles({**themes.VARIABLE_DEFAULTS, "foreground": "#ffffff", "background": "#000000", "panel": "#222222"})


def laid_out(text: str, width: int = 40) -> list[str]:
    return ["".join(segment.text for segment in line).rstrip() for line in markdown_lines(text, width, LOOKS)]


# Markdown


def test_lists_quotes_headings_and_code_are_laid_out() -> None:
    text = (
        "# Head\nAs a **guest** I\n\n- one\n- two *it*\n  1. deep\n\n> quoted\n> twice\n\n```\ncode <b>\n```\nend `x`"
    )

    assert laid_out(text) == [
        *("Head", "As a guest I", "", "• one", "• two it", "  1. deep", ""),
        *("▏ quoted", "▏ twice", "", "code <b>", "", "end x"),
    ]


def test_lines_break_where_they_were_broken() -> None:
    assert laid_out("*one*\ntwo\nthree") == ["one", "two", "three"]


def test_what_is_wrapped_in_a_list_hangs_under_its_text() -> None:
    assert laid_out("- one two three four", 12) == ["• one two", "  three four"]


@pytest.mark.parametrize(
    "text",
    [
        "a <script>alert(1)</script> b",
        "&lt; &#27;",
        r"C:\temp\*.txt",
        "[x]: http://a.b",
        "snake_case_name",
        "[b]x[/oops]",
    ],
)
def test_nothing_that_was_typed_disappears(text: str) -> None:
    assert laid_out(f"{text} `code`", 200) == [f"{text} code"]


def test_every_line_lies_on_the_background_of_the_theme() -> None:
    lines = markdown_lines("plain words that take two lines", 20, LOOKS) + markdown_lines("*marked* words", 20, LOOKS)

    assert all(segment.style and segment.style.bgcolor for line in lines for segment in line)


def test_links_and_images_are_text_with_their_address() -> None:
    text = "[here](http://a.b/c) ![pic](http://x/y) [http://z](http://z)"

    assert laid_out(text, 200) == ["here (http://a.b/c) pic (http://x/y) http://z"]
    assert all(segment.style is None or segment.style.link is None for segment in markdown_lines(text, 200, LOOKS)[0])


def test_a_script_is_no_link() -> None:
    assert laid_out("[here](javascript:alert(1)) `x`", 200) == ["[here](javascript:alert(1)) x"]


@given(st.text(alphabet=st.characters() | st.sampled_from("*_`#>-+[]()!~\n\\<&0123. \x1b"), max_size=200))
def test_any_text_makes_printable_lines_that_fit(text: str) -> None:
    for line in markdown_lines(text, 40, LOOKS):
        assert all(segment.text.isprintable() for segment in line)
        assert sum(cell_len(segment.text) for segment in line) <= 40 + 24


# The thread


async def test_a_comment_says_who_and_when() -> None:
    async with showing(comment(98)) as (_pilot, app):
        assert line_with(app, "Maya").startswith("▌ ▏ Maya Kent  2h ago  ")
        assert line_with(app, "Maya").endswith("  2026-03-10 10:00")


async def test_what_waits_and_what_customers_see_is_marked() -> None:
    waiting = comment(-1, created_at=None, pending=True)
    async with showing(comment(98, is_internal=False), waiting) as (_pilot, app):
        assert "» customers see this" in line_with(app, "2h ago")
        assert "↑ waiting to be sent" in line_with(app, "▌ ▏ Maya")


async def test_it_opens_at_the_newest_and_moves_by_comment() -> None:
    async with showing(*(comment(number) for number in range(1, 30))) as (pilot, app):
        assert lines_of(app)[1] == "▌ ▏ Comment 29."
        await pilot.press("j")
        assert "Comment 28." in [line for line in lines_of(app) if line.startswith("▌")][1]
        await pilot.press("G")
        assert "Comment 1." in lines_of(app)[-1]
        await pilot.press("g", "g", "3", "j")
        assert app.thread.cursor == 3


async def test_the_chosen_comment_has_its_whole_time_and_a_bar_on_all_its_lines() -> None:
    async with showing(*(comment(number) for number in (1, 2))) as (pilot, app):
        await pilot.press("j")
        lines = lines_of(app)

        assert [line.startswith("▌") for line in lines[:5]] == [False, False, False, True, True]
        assert ["2026-" in line for line in lines[:5]] == [False, False, False, True, False]


async def test_a_comment_without_room_for_its_whole_time_has_its_age() -> None:
    async with showing(comment(98), size=(30, 8)) as (_pilot, app):
        assert line_with(app, "Maya").strip() == "▌ ▏ Maya Kent  2h ago"


async def test_scrolling_takes_the_cursor_along() -> None:
    async with showing(*(comment(number) for number in range(1, 30))) as (pilot, app):
        await pilot.press("g", "g", "ctrl+d", "ctrl+d")

        assert "▌" in text_of(app)
        assert app.thread.cursor > 0


async def test_a_page_is_as_many_lines_as_are_in_sight() -> None:
    async with showing(*(comment(number) for number in range(1, 30))) as (pilot, app):
        await pilot.press("g", "g")
        before = app.thread.scroll_y
        await pilot.press("pagedown")

        assert app.thread.scroll_y == before + app.thread.page


async def test_a_comment_is_scrolled_to_the_top_the_middle_and_the_bottom() -> None:
    async with showing(*(comment(number) for number in range(1, 30))) as (pilot, app):
        await pilot.press("1", "5", "g", "g")
        lines = []
        for key in "tzb":
            await pilot.press("z", key)
            lines.append(next(at for at, line in enumerate(lines_of(app)) if "Comment 15." in line))

        assert lines[0] < lines[1] < lines[2]
        assert app.thread.cursor == 14


async def test_a_new_comment_leaves_the_cursor_and_the_lines_where_they_were() -> None:
    comments = [comment(number) for number in range(1, 30)]
    async with showing(*comments) as (pilot, app):
        await pilot.press("j", "j", "j", "j", "j", "j", "j")
        before = [line[:50].rstrip() for line in lines_of(app)]
        app.thread.show([*comments, comment(30)])
        await pilot.pause()

        assert [line[:50].rstrip() for line in lines_of(app)] == before


async def test_at_the_newest_the_cursor_goes_to_a_newer_one() -> None:
    comments = [comment(number) for number in range(1, 30)]
    async with showing(*comments) as (pilot, app):
        app.thread.show([*comments, comment(30)])
        await pilot.pause()

        assert [line for line in lines_of(app) if line.startswith("▌")][1] == "▌ ▏ Comment 30."


async def test_a_newest_comment_stays_where_it_was_scrolled_to_when_it_gets_a_file() -> None:
    newest = comment(2, "\n\n".join(f"Line {number}." for number in range(9)))
    async with showing(comment(1), newest, size=(60, 8)) as (pilot, app):
        app.thread.scroll_to(y=4, animate=False, force=True)
        await pilot.pause()
        app.thread.show([comment(1), newest], {2: []})
        await pilot.pause()

        assert app.thread.cursor == 0
        assert round(app.thread.scroll_y) == 4


@pytest.mark.long
async def test_a_long_thread_draws_what_is_in_sight() -> None:
    async with showing(*(comment(number, "text *x* " * 30) for number in range(400))) as (pilot, app):
        await pilot.press("G")  # lays all of it out
        app.thread.lines_drawn = 0
        await pilot.press("k")

        assert app.thread.lines_drawn <= 16
        await pilot.press("g", "g")
        assert app.thread.cursor == 0


async def test_hostile_comments_are_drawn_as_text() -> None:
    text = "\x1b]0;owned\x07 [bold]x[/oops] \u202egnp.exe \x9b31m\n# \x1b[5m"
    async with showing(comment(1, text)) as (_pilot, app):
        assert "␛]0;owned␇ [bold]x[/oops] �gnp.exe �31m" in text_of(app)


async def test_an_empty_thread_says_what_to_do() -> None:
    async with showing() as (pilot, app):
        app.thread.empty_text = "No comments. C to add one."
        app.thread.refresh()
        await pilot.pause()
        await pilot.press("j", "k", "G", "ctrl+d")

        assert "No comments." in text_of(app)


# The screen, over the service


@pytest.mark.slow
async def test_a_comment_is_written_and_reaches_the_service(world: World, store: Store, opened: Open) -> None:
    item_id = await story(store)
    async with comments_of(opened, store, item_id) as pilot:
        await pilot.press("a", *"ThemeStyles **good**", "ctrl+s")
        await until(lambda: "ThemeStyles good" in text_of(pilot.app), lambda: text_of(pilot.app))
        await sent(store)

        page = await world.rival.work_items.comments(item_id).page()
        assert [each["description"] for each in page.results] == ["ThemeStyles **good**"]
        await until(lambda: "↑" not in text_of(pilot.app), lambda: text_of(pilot.app))
        assert store.drafts.find(f"comment:{item_id}") is None


async def test_a_comment_of_somebody_else_arrives_on_opening(world: World, store: Store, opened: Open) -> None:
    item_id = await story(store)
    await world.rival.comments.create({"projectId": 1, "workItemId": item_id, "description": "From jon"})
    async with comments_of(opened, store, item_id) as pilot:
        await until(lambda: "From jon" in text_of(pilot.app), lambda: text_of(pilot.app))


async def test_refreshing_brings_what_somebody_else_wrote(world: World, store: Store, opened: Open) -> None:
    item_id = await story(store)
    async with comments_of(opened, store, item_id) as pilot:
        await until(lambda: ("GET", f"/api/v1/workitems/{item_id}/comments") in world.faults.requests)
        await world.rival.comments.create({"projectId": 1, "workItemId": item_id, "description": "From jon"})
        await pilot.press("R")

        await until(lambda: "From jon" in text_of(pilot.app), lambda: text_of(pilot.app))


@pytest.mark.slow
async def test_offline_a_comment_is_shown_as_waiting(world: World, store: Store, opened: Open) -> None:
    item_id = await story(store)
    world.faults.is_down = True
    async with comments_of(opened, store, item_id) as pilot:
        await pilot.press("C", *"Later", "ctrl+s")

        await until(lambda: "waiting to be sent" in text_of(pilot.app), lambda: text_of(pilot.app))


@pytest.mark.slow
async def test_an_answer_begins_with_the_quoted_comment(store: Store, opened: Open) -> None:
    item_id = await story(store)
    await store.items.comment(item_id, "one\ntwo")
    async with comments_of(opened, store, item_id) as pilot:
        await pilot.press("r", *"no", "ctrl+s")
        await until(lambda: len(store.comments.of_item(item_id)) == 2)

        assert store.comments.of_item(item_id)[1].text == "> one\n> two\n\nno"


@pytest.mark.slow
async def test_a_quote_goes_after_what_was_half_written(store: Store, opened: Open) -> None:
    item_id = await story(store)
    await store.items.comment(item_id, "one")
    await store.drafts.save(f"comment:{item_id}", {"text": "half"})
    async with comments_of(opened, store, item_id) as pilot:
        await pilot.press("r")
        await until(lambda: not missing(pilot.app, ["half", "> one"]), lambda: text_of(pilot.app))


@pytest.mark.slow
async def test_the_footer_offers_to_go_on_with_what_was_left_half_written(store: Store, opened: Open) -> None:
    item_id = await story(store)
    async with comments_of(opened, store, item_id) as pilot:
        await pilot.press("a", *"half", "escape")
        await until(lambda: "C go on with your draft" in lines_of(pilot.app)[-1], lambda: text_of(pilot.app))
        await pilot.press("C", "ctrl+s")
        await until(lambda: "C add" in lines_of(pilot.app)[-1], lambda: text_of(pilot.app))

        assert [each.text for each in store.comments.of_item(item_id)] == ["half"]


async def test_copying_says_what_was_copied(store: Store, opened: Open) -> None:
    item_id = await story(store)
    await store.items.comment(item_id, "Some *words*")
    async with comments_of(opened, store, item_id) as pilot:
        await pilot.press("y", "y")
        await pilot.pause()

        assert pilot.app.clipboard == "Some *words*"
        assert "Copied the comment: Some *words*" in text_of(pilot.app)


async def test_there_is_nothing_to_quote_in_an_empty_thread(store: Store, opened: Open) -> None:
    async with comments_of(opened, store, await story(store)) as pilot:
        await pilot.press("r")
        await pilot.pause()

        assert missing(pilot.app, ["No comments.", "C add", "Nothing selected."]) == []
        assert "quote" not in lines_of(pilot.app)[-1]


async def test_the_name_stands_across_and_the_item_beside_the_comments(store: Store, opened: Open) -> None:
    item_id = await story(store)
    item = store.item(item_id)
    async with comments_of(opened, store, item_id) as pilot:
        await pilot.resize_terminal(120, 40)
        await until(lambda: text_of(pilot.app).count("╭") == 2, lambda: text_of(pilot.app))

        assert item is not None
        assert [at for at, line in enumerate(lines_of(pilot.app)) if item.name in line] == [1]
        assert "╭─ Details ─" in line_with(pilot.app, "Comments")


async def test_the_frame_says_the_whole_time_and_whether_there_is_more(store: Store, opened: Open) -> None:
    item_id = await story(store)
    for number in range(3):
        await store.items.comment(item_id, "\n\n".join(f"Line {line} of {number}." for line in range(8)))
    async with comments_of(opened, store, item_id) as pilot:
        await pilot.resize_terminal(120, 40)
        foot = re.compile(r"─ newest first ─+ more ↓  \d{4}-\d\d-\d\d \d\d:\d\d  1 of 3 ─")
        await until(lambda: foot.search(text_of(pilot.app)) is not None, lambda: text_of(pilot.app))
        await pilot.press("G")

        await until(lambda: "3 of 3" in text_of(pilot.app), lambda: text_of(pilot.app))
        assert "more ↓" not in text_of(pilot.app)


async def test_the_item_below_the_comments_goes_beside_them_and_back(store: Store, opened: Open) -> None:
    async with comments_of(opened, store, await story(store)) as pilot:
        heights = []
        for size in ((80, 24), (120, 40), (80, 24)):
            await pilot.resize_terminal(*size)
            await pilot.pause()
            heights.append(pilot.app.screen.query_one("#thread").region.height)

        assert heights == [heights[0], 35, heights[0]]


async def test_the_footer_names_the_way_back_in_a_narrow_terminal(store: Store, opened: Open) -> None:
    item_id = await story(store)
    async with comments_of(opened, store, item_id) as pilot:
        await pilot.resize_terminal(40, 20)
        await until(lambda: "q back" in lines_of(pilot.app)[-1], lambda: text_of(pilot.app))
        await store.items.comment(item_id, "A comment")
        await until(
            lambda: all(each in lines_of(pilot.app)[-1] for each in ("q back", "1 of 1")), lambda: text_of(pilot.app)
        )


async def test_q_goes_back(store: Store, opened: Open) -> None:
    async with comments_of(opened, store, await story(store)) as pilot:
        await pilot.press("q")
        await pilot.pause()

        assert "Open items" in heading_of(pilot.app)


async def test_an_item_that_is_gone_is_called_gone(store: Store, opened: Open) -> None:
    async with comments_of(opened, store, 999_999) as pilot:
        assert "#999999 no longer exists" in lines_of(pilot.app)[1]
        await pilot.press("a")
        await pilot.pause()
        assert "Item #999999 no longer exists." in text_of(pilot.app)
