"""The inbox: what others did is listed until it was looked at, wherever that happened."""

import asyncio
import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from tests.quiet import strips_of, workers_done
from tests.store.documents import item, offline_store
from tests.store.world import World, until
from tests.tui.bare_app import heading_of, line_with, lines_of, missing, text_of, title_of
from tests.tui.opened import Open
from tests.tui.target import FakeTarget
from textual.pilot import Pilot

from backlit.client.client import Client
from backlit.client.tokens import TokenCache
from backlit.store import ConnectionState, Store, ViewSpec
from backlit.store.records.item import FieldNews
from backlit.store.views.items import CommentEntry
from backlit.tui.commands.command import CommandContext
from backlit.tui.commands.table import COMMAND_BY_ID
from backlit.tui.comments.screen import CommentsScreen
from backlit.tui.drawing.themes import VARIABLE_DEFAULTS, ThemeStyles
from backlit.tui.editor.screen import ItemEditorScreen
from backlit.tui.fields.values import user_colour
from backlit.tui.inbox.inbox_list import EARLIER, FeedList
from backlit.tui.inbox.screen import InboxScreen
from backlit.tui.items.change_words import fields_lines
from backlit.tui.shell.dispatch import function_of
from backlit.tui.shell.target import ItemDestination


async def stories(store: Store) -> list[int]:
    view = store.view(ViewSpec())
    await view.load()
    return [row.id for row in view.rows(0, 60) if row.type == "Story"]


@asynccontextmanager
async def inbox_of(opened: Open, store: Store, size: tuple[int, int] = (120, 40)) -> AsyncIterator[Pilot[None]]:
    async with opened(store, size) as pilot:
        await pilot.press("g", "h")
        await pilot.pause()
        yield pilot


def rows_of(pilot: Pilot[None]) -> list[str]:
    """The lines of the list's current entry: its item and the sentence below."""
    return [line.removeprefix("│") for line in lines_of(pilot.app) if line.removeprefix("│").startswith("▌")]


async def commented(world: World, item_id: int, text: str) -> None:
    await world.rival.comments.create({"projectId": 1, "workItemId": item_id, "description": text})


async def shown(pilot: Pilot[None], *parts: str) -> None:
    await until(lambda: missing(pilot.app, parts) == [], lambda: text_of(pilot.app))


@pytest.mark.slow
async def test_an_empty_inbox_says_that_nothing_is_new(store: Store, opened: Open) -> None:
    async with inbox_of(opened, store) as pilot:
        await pilot.press("space")
        await pilot.pause()

        assert missing(pilot.app, ["Nothing new since ", "tc  recent comments", "Nothing selected."]) == []
        assert len([line for line in lines_of(pilot.app) if re.match(r"│ ▌ (?!maya)\w+ +#\d+ ", line)]) == 3
        assert "Inbox" in title_of(pilot.app)


async def test_changes_are_told_in_words(world: World, store: Store, opened: Open) -> None:
    (item_id, *_) = await stories(store)
    people = {person.username: person for person in store.lookups.people().values()}
    await world.rival.work_items.update(
        item_id, {"Name": "A [b] name", "AssignedToID": people["jon"].id, "Estimate": ""}
    )
    await store.refresh()
    async with inbox_of(opened, store) as pilot:
        row, sentence = rows_of(pilot)[:2]

        assert f"#{item_id}" in row
        assert "A [b] name" in row
        assert row.startswith("▌▌ jon ")
        assert sentence.startswith("▌▌ ")
        assert "Name" in sentence
        assert missing(pilot.app, [" by jon ─╮", "→ Jon Bellamy", "→ –", "→ A [b]", "Inbox 1"]) == []


async def test_a_row_names_the_new_owner_by_the_user_name(world: World, store: Store, opened: Open) -> None:
    (item_id, *_) = await stories(store)
    people = {person.username: person for person in store.lookups.people().values()}
    await world.rival.work_items.update(item_id, {"AssignedToID": people["jon"].id})
    await store.refresh()
    async with inbox_of(opened, store) as pilot:
        row, sentence = rows_of(pilot)[:2]

        assert row.startswith("▌▌ jon ")
        assert "→ jon " in sentence


@pytest.mark.slow
async def test_the_item_stands_below_its_changes(world: World, store: Store, opened: Open) -> None:
    (item_id, *_) = await stories(store)
    await world.rival.work_items.update(item_id, {"Description": "\n\n".join(f"Quokka {n}" for n in range(9))})
    await store.refresh()
    await store.inbox.seen([item_id])
    await world.rival.work_items.update(item_id, {"Estimate": "71", "Status": "In Progress"})
    await store.refresh()
    async with inbox_of(opened, store) as pilot:
        lines = lines_of(pilot.app)
        now, text = (lines.index(line_with(pilot.app, words)) for words in ("In progress · 71 pts", "Quokka 8"))
        await pilot.resize_terminal(60, 20)
        await pilot.pause()
        first = text_of(pilot.app)
        await pilot.press("9", "ctrl+e")
        await pilot.pause()

        assert now < text
        assert "Quokka 8" not in first
        assert missing(pilot.app, ["Quokka 8"]) == []


@pytest.mark.slow
async def test_a_long_text_is_told_by_its_lines_and_shown_line_by_line(
    world: World, store: Store, opened: Open
) -> None:
    (item_id, *_) = await stories(store)
    await world.rival.work_items.update(item_id, {"Description": "One\nTwo\nThree"})
    await store.refresh()
    await store.inbox.seen([item_id])
    await world.rival.work_items.update(item_id, {"Description": "One\n2\nThree\nFour"})
    await store.refresh()
    async with inbox_of(opened, store) as pilot:
        assert " Description (+2 −1 lines)" in rows_of(pilot)[1]
        assert missing(pilot.app, ["Description  +2 −1 lines", "- Two", "+ 2", "+ Four"]) == []
        await pilot.press("g", "D")
        await pilot.pause()
        assert missing(pilot.app, ["- Two", "+ Four"]) == []


async def test_changed_fields_are_cut_only_with_the_number_of_their_other_lines(store: Store) -> None:
    news = [FieldNews("Description", "", "\n".join(f"Line {number}" for number in range(70)))]

    def drawn(most: int) -> str:
        lines = fields_lines(
            store, news, 40, ThemeStyles({**VARIABLE_DEFAULTS, "foreground": "#ffffff", "background": "#000000"}), most
        )
        return "\n".join("".join(segment.text for segment in line) for line in lines)

    assert "+ Line 69" in drawn(70)
    assert "Line 60" not in drawn(60)
    assert drawn(60).endswith("… 10 more lines")


async def test_new_items_deleted_items_and_comments_are_told(world: World, store: Store, opened: Open) -> None:
    first, second, *_ = await stories(store)
    name = str((await world.rival.work_items.get(first))["fields"]["Name"])
    await commented(world, second, "Do we ship this?")
    await world.rival.work_items.create({"type": "Bug", "projectId": 1, "fields": {"Name": "Fresh bug"}})
    await world.rival.work_items.delete(first)
    await store.refresh()
    async with inbox_of(opened, store) as pilot:
        said = [
            "“Do we ship this?”",
            "New bug",
            "Deleted",
            name[:20],
            "Inbox 3",
        ]
        assert missing(pilot.app, said) == []


async def test_a_long_number_is_shown_whole(store: Store, opened: Open) -> None:
    entries = [CommentEntry(each, each, "Ok", "ada", None, False, False) for each in (12345, 7)]
    async with inbox_of(opened, store) as pilot:
        feed = pilot.app.screen.query_one(FeedList)
        await pilot.press("t", "c")
        await pilot.pause()
        feed.show(entries)

        assert [feed.render_row_line(at, 0, is_cursor=False).text.split()[2] for at in (0, 1)] == ["#12345", "#7"]


@pytest.mark.slow
@pytest.mark.parametrize("has_history", [True, False])
async def test_changes_of_several_people_are_ascribed_by_the_history_alone(
    world: World, store: Store, opened: Open, *, has_history: bool
) -> None:
    (item_id, *_) = await stories(store)
    world.faults.lacks = frozenset() if has_history else frozenset({"/capabilities"})
    await store.refresh()
    await world.rival.work_items.update(item_id, {"Estimate": "71"})
    await store.refresh()
    other = Client.inside(world.asgi, TokenCache(world.folder / "other.json", "other"))
    await other.auth.sign_in_with_code(await asyncio.to_thread(world.service.invite, "priya"))
    await other.comments.create({"projectId": 1, "workItemId": item_id, "description": "Why?"})
    await other.aclose()
    await store.refresh()
    async with inbox_of(opened, store) as pilot:
        by = "jon: " if has_history else ""
        assert rows_of(pilot)[1].split(f"{by}Estimate")[0].strip(" ▌") == ""
        assert missing(pilot.app, ["Estimate", "· priya: “Why?”", " by priya, jon ─╮"]) == []


async def test_what_several_people_changed_stands_below_their_names(world: World, store: Store, opened: Open) -> None:
    (item_id, *_) = await stories(store)
    await world.rival.work_items.update(item_id, {"Estimate": "71"})
    other = Client.inside(world.asgi, TokenCache(world.folder / "other.json", "other"))
    await other.auth.sign_in_with_code(await asyncio.to_thread(world.service.invite, "priya"))
    await other.work_items.update(item_id, {"Description": "Another text."})
    await other.aclose()
    await store.refresh()
    async with inbox_of(opened, store) as pilot:
        assert missing(pilot.app, ["priya: Description (", "jon: Estimate", "→ 71", "+ Another text."]) == []


@pytest.mark.slow
async def test_a_sentence_takes_two_lines_where_the_list_has_room(world: World, store: Store, opened: Open) -> None:
    (item_id, *_) = await stories(store)
    await commented(world, item_id, "Tried it on staging: the second retry still loses the basket of the guest.")
    await store.refresh()
    async with inbox_of(opened, store) as wide:
        whole = [row.split("│")[0].strip(" ▌") for row in rows_of(wide)[1:]]
    async with inbox_of(opened, store, (80, 24)) as narrow:
        (_, cut) = rows_of(narrow)

    assert " ".join(whole).endswith("still loses the basket of the guest.”")
    assert cut.endswith("…")


@pytest.mark.slow
async def test_a_click_on_either_line_goes_to_its_entry(world: World, store: Store, opened: Open) -> None:
    first, second, *_ = await stories(store)
    for item_id in (first, second):
        await world.rival.work_items.update(item_id, {"Estimate": "71"})
    await store.refresh()
    async with inbox_of(opened, store) as pilot:
        await pilot.click("#news", offset=(10, 5))
        await pilot.pause()

        assert f"#{first}" in rows_of(pilot)[0]
        assert "2 of 2" in text_of(pilot.app)


async def test_a_status_is_written_as_in_lists(world: World, store: Store, opened: Open) -> None:
    (item_id, *_) = await stories(store)
    await world.rival.work_items.update(item_id, {"Status": "Ready For Test"})
    await store.refresh()
    async with inbox_of(opened, store) as pilot:
        assert "→ Testing" in rows_of(pilot)[1]


async def test_space_marks_one_as_read_and_the_next_moves_up(world: World, store: Store, opened: Open) -> None:
    first, second, *_ = await stories(store)
    await world.rival.work_items.update(first, {"Estimate": "71"})
    await world.rival.work_items.update(second, {"Estimate": "72"})
    await store.refresh()
    async with inbox_of(opened, store) as pilot:
        await pilot.press("space")
        await until(lambda: store.inbox.ids() == [first])
        await shown(pilot, "Inbox 1")

        assert f"#{first}" in rows_of(pilot)[0]


@pytest.mark.slow
@pytest.mark.parametrize(("keys", "left"), [(("M", "enter"), 2), (("M", "M", "n", "escape"), 2), (("M", "y"), 0)])
async def test_marking_all_as_read_asks(
    world: World, store: Store, opened: Open, keys: tuple[str, ...], left: int
) -> None:
    for item_id in (await stories(store))[:2]:
        await world.rival.work_items.update(item_id, {"Estimate": "73"})
    await store.refresh()
    async with inbox_of(opened, store) as pilot:
        await pilot.press(*keys)
        await workers_done(pilot.app)
        await pilot.pause()

        assert store.inbox.unread() == left


async def test_a_single_item_is_marked_without_a_question(world: World, store: Store, opened: Open) -> None:
    await world.rival.work_items.update((await stories(store))[0], {"Estimate": "74"})
    await store.refresh()
    async with inbox_of(opened, store) as pilot:
        assert text_of(pilot.app).count("M  mark all read") == 1
        await pilot.press("M")

        await until(lambda: store.inbox.unread() == 0)
        await shown(pilot, "Nothing new since ")
        assert lines_of(pilot.app)[-1].split("Sprint")[0].split() == [
            "tc",
            "recent",
            "comments",
            "q",
            "back",
            "?",
            "keys",
        ]


@pytest.mark.slow
async def test_enter_opens_the_editor_and_then_it_has_been_seen(world: World, store: Store, opened: Open) -> None:
    await world.rival.work_items.update((await stories(store))[0], {"Estimate": "75"})
    await store.refresh()
    async with inbox_of(opened, store) as pilot:
        await pilot.press("enter")
        await pilot.pause()
        assert isinstance(pilot.app.screen, ItemEditorScreen)
        await until(lambda: store.inbox.unread() == 0)
        await pilot.press("q")

        await shown(pilot, "Nothing new since ")


@pytest.mark.slow
async def test_enter_opens_the_comments_where_only_they_are_new(world: World, store: Store, opened: Open) -> None:
    await commented(world, (await stories(store))[0], "Do we ship this?")
    await store.refresh()
    async with inbox_of(opened, store) as pilot:
        await pilot.press("enter")
        await pilot.pause()
        assert isinstance(pilot.app.screen, CommentsScreen)

        await until(lambda: store.inbox.unread() == 0)


@pytest.mark.parametrize(
    ("command_id", "place"), [("inbox.open", ItemDestination.COMMENTS), ("inbox.edit", ItemDestination.NAME)]
)
def test_only_the_editor_gives_way_to_the_comments_where_only_they_are_new(
    tmp_path: Path, command_id: str, place: ItemDestination
) -> None:
    class FakeFeed(FakeTarget):
        shows_feed = True

        def current_id(self) -> int:
            return 1

    with offline_store(tmp_path, [item(1)]) as store:
        target = FakeFeed(store)

        function_of("inbox.screen:InboxScreen.open_item")(target, CommandContext(COMMAND_BY_ID[command_id]))

    assert target.opened == [(1, place, None)]


async def test_what_comes_while_the_comments_are_open_was_seen_when_they_are_left(
    world: World, store: Store, opened: Open
) -> None:
    (item_id, *_) = await stories(store)
    async with opened(store) as pilot:
        await pilot.app.push_screen(CommentsScreen(store, item_id))
        await workers_done(pilot.app)
        await commented(world, item_id, "Just now")
        await store.refresh()
        await shown(pilot, "Just now")
        assert store.inbox.unread() == 1
        await pilot.press("q")

        await until(lambda: store.inbox.unread() == 0)


@pytest.mark.slow
async def test_an_item_that_is_gone_says_so_and_is_taken_off(world: World, store: Store, opened: Open) -> None:
    await world.rival.work_items.delete((await stories(store))[0])
    await store.refresh()
    async with inbox_of(opened, store) as pilot:
        await pilot.press("enter")
        await pilot.pause()
        assert "The item no longer exists. space removes it from the list." in text_of(pilot.app)
        await pilot.press("space")

        await until(lambda: store.inbox.unread() == 0)


async def test_news_that_come_while_it_is_open_are_listed(world: World, store: Store, opened: Open) -> None:
    async with inbox_of(opened, store) as pilot:
        await world.rival.work_items.update((await stories(store))[0], {"Name": "Came in"})
        await pilot.press("R")

        await shown(pilot, "Came in", "Inbox 1")


@pytest.mark.slow
async def test_the_feed_shows_the_latest_comments_and_esc_goes_back(world: World, store: Store, opened: Open) -> None:
    (item_id, *_) = await stories(store)
    await commented(world, item_id, "Words [i] in the feed")
    await store.refresh()
    async with inbox_of(opened, store) as pilot:
        await pilot.press("t", "c")
        await pilot.pause()
        row, words = rows_of(pilot)[:2]
        assert row.startswith("▌▌ jon ")
        assert f"#{item_id}" in row
        assert "“Words [i] in the feed”" in words
        assert "Recent comments" in heading_of(pilot.app)
        await pilot.press("escape")
        await pilot.pause()
        assert heading_of(pilot.app).startswith("Inbox 1 new")
        await pilot.press("escape")
        await pilot.pause()

        assert not isinstance(pilot.app.screen, InboxScreen)


async def test_without_the_service_it_says_that_it_may_not_be_up_to_date(
    world: World, store: Store, opened: Open
) -> None:
    world.faults.is_down = True
    async with inbox_of(opened, store) as pilot:
        await pilot.press("R")
        await until(lambda: store.connection.state is not ConnectionState.ONLINE, lambda: store.connection)

        await shown(pilot, "Nothing new at the last sync.")


@pytest.mark.parametrize("size", [(80, 24), (60, 20)])
async def test_a_small_terminal_shows_rows_and_what_is_new(
    world: World, store: Store, opened: Open, size: tuple[int, int]
) -> None:
    (item_id, *_) = await stories(store)
    await world.rival.work_items.update(item_id, {"Estimate": "76"})
    await store.refresh()
    async with inbox_of(opened, store, size) as pilot:
        row, words = rows_of(pilot)[:2]
        assert f"#{item_id}" in row
        assert "Estimate" in words
        assert missing(pilot.app, ["Inbox", "→ 76", "space mark read"]) == []


async def test_the_backlog_says_how_much_is_new_only_where_something_is(
    world: World, store: Store, opened: Open
) -> None:
    last = (await stories(store))[-1]
    async with opened(store) as pilot:
        assert "Inbox 1" not in title_of(pilot.app)
        await world.rival.work_items.update(last, {"Estimate": "77"})
        await store.refresh()

        await until(lambda: "Inbox 1" in title_of(pilot.app), lambda: text_of(pilot.app))


async def test_resting_on_an_item_in_the_backlog_is_looking_at_it(world: World, store: Store, opened: Open) -> None:
    async with opened(store) as pilot:
        await pilot.press("j")
        first = store.view(ViewSpec()).rows(0, 9)[0].id
        await world.rival.work_items.update(first, {"Name": "Changed"})
        await store.refresh()
        assert store.inbox.unread() == 1
        await pilot.press("k")

        await until(lambda: store.inbox.unread() == 0)


@pytest.mark.slow
async def test_entries_are_as_high_as_their_texts_and_a_blank_line(world: World, store: Store, opened: Open) -> None:
    first, second = (await stories(store))[:2]
    await commented(world, first, "Short")
    await commented(world, second, "More words than a line holds. " * 4)
    await store.refresh()
    async with inbox_of(opened, store) as pilot:
        wide = [line[:60].strip("│ ") for line in lines_of(pilot.app)[3:10] if EARLIER not in line]
        await pilot.resize_terminal(60, 20)
        await pilot.pause()
        narrow = [line.strip() for line in lines_of(pilot.app)[2:6]]

        entries = "\n".join(wide).strip().split("\n\n")
        assert sorted(each.count("\n") + 1 for each in entries) == [2, 3]
        assert all(narrow)


def test_a_change_in_brief_has_only_lines_that_were_changed(tmp_path: Path) -> None:
    before, after = "One\nTwo\nThree", "One\nTwo\nThree\n\nFour"
    with offline_store(tmp_path, [item(1)]) as store:
        looks = ThemeStyles({**VARIABLE_DEFAULTS, "foreground": "#ffffff", "background": "#000000"})
        changes = [FieldNews("Estimate", "1", "2"), FieldNews("Description", before, after)]
        lines = fields_lines(store, changes, 40, looks, 60, is_brief=True)
        texts = ["".join(segment.text for segment in line).strip() for line in lines]

    assert texts == ["Estimate     1 → 2", "Description  +2 lines", "+ Four"]


@pytest.mark.slow
async def test_entries_are_led_by_their_author_and_stand_below_their_day(
    world: World, store: Store, opened: Open
) -> None:
    (item_id, *_) = await stories(store)
    await world.rival.work_items.update(item_id, {"Estimate": "71"})
    await store.refresh()
    jon = next(each.id for each in store.lookups.people().values() if each.username == "jon")
    async with inbox_of(opened, store) as pilot:
        edges = [segment for strip in strips_of(pilot.app)[3:5] for segment in strip if segment.text.startswith("▌")]
        colour = ThemeStyles.of(pilot.app.screen.app).style(user_colour(store, jon)).color

        assert re.match(r"│  (Today|Yesterday)\s", lines_of(pilot.app)[2])
        assert [each.style and each.style.color == colour for each in edges] == [False, True, False, True]
