"""What is done with comments beyond reading: who sees them, corrected copies, files, the user's own editor."""

from pathlib import Path

import pytest
from tests.store.world import World, sent, until
from tests.terminal import terminal
from tests.tui.bare_app import line_with, missing, text_of
from tests.tui.comments.threads import comment, comments_of, showing, story
from tests.tui.items.editor_scripts import environment, script
from tests.tui.opened import Open

from backlit.store import Store
from backlit.store.views.items import AttachmentEntry
from backlit.tui.attachments.screen import AttachmentsScreen
from backlit.tui.dialogs.compose import CommentDialog


def file(number: int, comment_id: int, name: str) -> AttachmentEntry:
    return AttachmentEntry(number, 1, comment_id, name, "", 2048, "maya", None, is_internal=True)


async def mine(world: World, store: Store, item_id: int, text: str) -> int:
    """A comment of the user's that the service has."""
    await store.items.comment(item_id, text)
    await sent(store)
    return store.comments.of_item(item_id)[-1].id


# The thread


async def test_who_sees_a_comment_is_said_in_words() -> None:
    async with showing(comment(1), comment(2, is_internal=False)) as (_, app):
        assert missing(app, ["» customers see this"]) == []


async def test_a_comments_files_are_counted_below_it() -> None:
    async with showing(comment(1), comment(2)) as (pilot, app):
        app.thread.show([comment(1), comment(2)], {1: [file(1, 1, "plan.pdf"), file(2, 1, "x\x1b.png")]})
        await pilot.pause()

        assert "+ 2 files  plan.pdf 2.0 KB, x␛.png 2.0 KB" in line_with(app, "plan.pdf")


async def test_a_long_comment_is_folded_until_it_is_wanted() -> None:
    long = "\n".join(f"line {number}." for number in range(60))
    async with showing(comment(1, long), size=(60, 70)) as (pilot, app):
        assert missing(app, ["line 19.", "… 40 more lines: zo shows them"]) == []
        assert missing(app, ["line 20."]) == ["line 20."]
        await pilot.press("z", "o")
        await pilot.pause()
        assert missing(app, ["line 59."]) == []
        await pilot.press("z", "o")
        await pilot.pause()

        assert missing(app, ["line 59."]) == ["line 59."]


# Over the service


@pytest.mark.slow
async def test_a_comment_for_customers_is_asked_about_once_and_sent_as_such(
    world: World, store: Store, opened: Open
) -> None:
    item_id = await story(store)
    async with comments_of(opened, store, item_id) as pilot:
        await pilot.press("a", *"Fixed", "ctrl+t")
        await pilot.pause()
        assert missing(pilot.app, ["» visible to customers"]) == []
        await pilot.press("ctrl+s")
        await pilot.pause()
        assert missing(pilot.app, ["Customers will see this comment"]) == []
        await pilot.press("y")
        await until(lambda: "» customers see this" in text_of(pilot.app), lambda: text_of(pilot.app))
        await sent(store)

        page = await world.rival.work_items.comments(item_id).page()
        assert [(each["description"], each["type"]) for each in page.results] == [("Fixed", "Feedback")]


@pytest.mark.slow
async def test_the_choice_is_kept_with_the_draft_and_no_sends_nothing(store: Store, opened: Open) -> None:
    item_id = await story(store)
    async with comments_of(opened, store, item_id) as pilot:
        await pilot.press("a", *"Fixed", "ctrl+t", "ctrl+s", "enter", "escape")
        await until(lambda: store.drafts.find(f"comment:{item_id}") == {"text": "Fixed", "type": "Feedback"})
        await pilot.press("a")
        await pilot.pause()

        assert isinstance(pilot.app.screen, CommentDialog)
        assert pilot.app.screen.for_customers
        assert store.outbox_entries() == ()


async def test_undoing_a_deletion_writes_for_those_who_saw_it(world: World, store: Store, opened: Open) -> None:
    item_id = await story(store)
    await store.items.comment(item_id, "Fixed", for_customers=True)
    await sent(store)
    await store.deletions.delete_comment(store.comments.of_item(item_id)[-1].id)
    await sent(store)

    await store.history.undo()
    await sent(store)

    page = await world.rival.work_items.comments(item_id).page()
    assert [(each["description"], each["type"]) for each in page.results] == [("Fixed", "Feedback")]


@pytest.mark.slow
async def test_a_corrected_copy_is_offered_and_the_old_one_stays_unless_asked(
    world: World, store: Store, opened: Open
) -> None:
    item_id = await story(store)
    await mine(world, store, item_id, "Goood")
    async with comments_of(opened, store, item_id) as pilot:
        await pilot.press("e")
        await pilot.pause()
        assert missing(pilot.app, ["The interface has no way to change a comment."]) == []
        await pilot.press("c", "ctrl+a", "ctrl+k", *"Good", "ctrl+s")
        await until(lambda: len(store.comments.of_item(item_id)) == 2)
        await sent(store)

        page = await world.rival.work_items.comments(item_id).page()
        assert [each["description"] for each in page.results] == ["Goood", "Good"]


@pytest.mark.slow
async def test_a_corrected_copy_takes_the_place_of_the_old_one(world: World, store: Store, opened: Open) -> None:
    item_id = await story(store)
    await mine(world, store, item_id, "Goood")
    async with comments_of(opened, store, item_id) as pilot:
        await pilot.press("e", "d", "ctrl+a", "ctrl+k", *"Good", "ctrl+s")
        await until(lambda: [each.text for each in store.comments.of_item(item_id)] == ["Good"])
        await sent(store)

        page = await world.rival.work_items.comments(item_id).page()
        assert [each["description"] for each in page.results] == ["Good"]


async def test_comments_of_others_are_corrected_by_a_copy_only(world: World, store: Store, opened: Open) -> None:
    item_id = await story(store)
    await world.rival.comments.create({"projectId": 1, "workItemId": item_id, "description": "From jon"})
    async with comments_of(opened, store, item_id) as pilot:
        await until(lambda: "From jon" in text_of(pilot.app))
        await pilot.press("e")
        await pilot.pause()

        assert missing(pilot.app, ["write a corrected copy"]) == []
        assert missing(pilot.app, ["the same, and delete"]) == ["the same, and delete"]


@pytest.mark.slow
async def test_the_files_of_a_comment_are_opened_from_it(
    world: World, store: Store, opened: Open, tmp_path: Path
) -> None:
    item_id = await story(store)
    comment_id = await mine(world, store, item_id, "See the plan")
    for name in ("plan.txt", "other.txt"):
        (tmp_path / name).write_text("The plan.")
    await store.transfers.upload(item_id, tmp_path / "other.txt", lambda *_: None)
    async with comments_of(opened, store, item_id) as pilot:
        await store.transfers.upload(item_id, tmp_path / "plan.txt", lambda *_: None, comment_id)
        await until(lambda: "+ 1 file  plan.txt 9 B" in text_of(pilot.app), lambda: text_of(pilot.app))
        await pilot.press("o")
        await pilot.pause()

        assert isinstance(pilot.app.screen, AttachmentsScreen)
        assert missing(pilot.app, ["(on a comment)", "plan.txt", "other.txt"]) == ["other.txt"]


def test_a_comment_is_written_in_the_users_own_editor(tmp_path: Path) -> None:
    editor = script(tmp_path, "echo 'Written **outside**' > \"$1\"")
    with terminal(["demo", "--items", "40"], environment(tmp_path, editor)) as shown:
        shown.wait_until_synced()
        shown.press("g", "c")
        shown.wait_for("keys")
        shown.press("E")
        shown.wait_for("Written outside")
