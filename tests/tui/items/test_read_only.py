"""A user who only reads a project: every change is refused at once, before anything is asked."""

import asyncio
import sqlite3
from contextlib import closing

import pytest
from tests.store.world import World, raised
from tests.tui.bare_app import clear_messages, lines_of, missing, said, text_of
from tests.tui.list_steps import press
from tests.tui.opened import Open
from tests.tui.target import FakeTarget, run

from backlit.model.errors import Forbidden
from backlit.store import Store, ViewSpec
from backlit.tui.shell.target import UiSession
from backlit.tui.widgets.which_key import WHICH_KEY_DELAY

REFUSAL = "This project is read only for you"


@pytest.fixture
async def reader(world: World, store: Store) -> Store:
    def demote() -> None:
        with closing(sqlite3.connect(world.folder / "service.sqlite")) as database, database:
            database.execute("UPDATE grants SET role = 'reader' WHERE role = 'manager'")

    await asyncio.to_thread(demote)
    await store.refresh()
    return store


WRITING = (
    *("item.status", "item.assign-me", "item.unassign", "item.points", "item.estimate-up", "item.done", "item.reopen"),
    *("item.to-backlog", "item.name", "item.tags", "item.description", "item.blocking", "item.delete", "item.comment"),
    *("item.add", "item.add-task", "item.duplicate", "item.external", "item.rank-position", "item.rank-write"),
    *("item.repeat", "item.log", "item.timer"),
)


async def test_a_reader_is_told_before_anything_is_asked(reader: Store) -> None:
    view = reader.view(ViewSpec())
    await view.load()
    task, other = (
        next(row.id for row in view.rows(0, 60) if (row.type == "Task") is wanted) for wanted in (True, False)
    )

    for command_id in WRITING:
        target = FakeTarget(reader, [task if command_id in {"item.log", "item.timer"} else other])
        target.session = UiSession([5.0])
        with pytest.raises(Forbidden, match=REFUSAL):
            await run(target, command_id, letter="5")
        assert target.asked == [], command_id


@pytest.mark.slow
async def test_a_reader_is_told_at_once_that_nothing_can_be_changed(reader: Store, opened: Open) -> None:
    async with opened(reader) as pilot:
        for keys in ("+", "s", "x", "a", "E", "J", "mt", "m#", "gq"):
            clear_messages(pilot.app)
            await press(pilot, *keys)

            assert REFUSAL in text_of(pilot.app), keys
            assert len(pilot.app.screen_stack) == 1, keys
        assert reader.outbox_entries() == ()


async def test_the_title_shows_that_a_project_is_read_only(reader: Store, opened: Open) -> None:
    async with opened(reader) as pilot:
        await pilot.pause()
        assert "read only" in text_of(pilot.app).splitlines()[0]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("keys", "shown"),
    [
        ((), "enter open  / filter  g go to…  ? keys"),
        (("space",), "esc unselect  enter open  ? keys"),
        (("g", "i"), "enter show items  g go to…  ? keys"),
        (("enter",), "] next tab  za fold  q close  ? keys"),
    ],
)
@pytest.mark.long_but("keys0", "keys3")
async def test_a_reader_is_offered_no_key_that_is_refused(
    reader: Store, opened: Open, keys: tuple[str, ...], shown: str
) -> None:
    async with opened(reader) as pilot:
        await press(pilot, *keys)
        await said(pilot, shown)
        heading = lines_of(pilot.app)[1]
        await press(pilot, "?")

        assert "groom" not in heading
        assert missing(pilot.app, ["Change the status", "Add an item", "Edit the field"]) == [
            *("Change the status", "Add an item", "Edit the field")
        ]


@pytest.mark.parametrize(
    ("keys", "shown", "hidden"),
    [
        (("g",), "gb backlog", "gq groom"),
        (("c",), "read only", "cs status"),
        (("ctrl+p", *"undo"), "Undo the last", "Change"),
    ],
)
@pytest.mark.long_but("keys0", "keys2")
async def test_the_pop_up_and_the_palette_offer_a_reader_no_change(
    reader: Store, opened: Open, keys: tuple[str, ...], shown: str, hidden: str
) -> None:
    async with opened(reader) as pilot:
        await pilot.press(*keys)
        await asyncio.sleep(WHICH_KEY_DELAY)
        await said(pilot, shown)

        assert hidden not in text_of(pilot.app)


@pytest.mark.slow
async def test_a_reader_is_told_what_an_empty_plan_offers(reader: Store, opened: Open) -> None:
    async with opened(reader, (140, 30)) as pilot:
        await press(pilot, "g", "p", *["right_curly_bracket"] * 3)

        await said(pilot, "Nothing is planned here yet. Press tab")
        assert missing(pilot.app, ["press > to plan", "create sprints"]) == ["press > to plan", "create sprints"]


async def test_a_reader_copies_and_filters(reader: Store, opened: Open) -> None:
    async with opened(reader) as pilot:
        await press(pilot, "y", "y")

        assert "Copied" in text_of(pilot.app)


@pytest.mark.slow
async def test_the_editor_shows_a_reader_fields_that_do_not_open(reader: Store, opened: Open) -> None:
    async with opened(reader) as pilot:
        await press(pilot, "e", "enter")

        assert REFUSAL in text_of(pilot.app)


async def test_the_comments_and_the_fields_offer_a_reader_no_key(reader: Store, opened: Open) -> None:
    async with opened(reader) as pilot:
        await press(pilot, "g", "c")

        assert "Comments" in text_of(pilot.app)
        assert not {"C", "add"} & set(lines_of(pilot.app)[-1].split())


async def test_the_store_journals_nothing_of_a_reader(reader: Store) -> None:
    item_id = 1

    refused = [
        await raised(reader.items.edit([item_id], {"Name": "x"})),
        await raised(reader.items.comment(item_id, "x")),
        await raised(reader.deletions.delete_items([item_id])),
    ]

    assert [type(each) for each in refused] == [Forbidden] * 3


async def test_read_only_mode_is_in_the_title_and_refuses_with_its_own_sentence(store: Store, opened: Open) -> None:
    store.files.only_read("Nothing is changed: read-only mode.")
    async with opened(store) as pilot:
        await pilot.press("x")
        await said(pilot, "Nothing is changed: read-only mode.")

        assert "read only" in lines_of(pilot.app)[0]
