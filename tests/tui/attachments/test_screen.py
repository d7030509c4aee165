"""The files of an item: list, look, attach, save, describe, delete, over the service."""

import asyncio
import os
import stat
import threading
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from tests.quiet import workers_done
from tests.store.store_items import mirrored
from tests.store.world import Said, World, until
from tests.tui.attachments.pictures import picture
from tests.tui.bare_app import line_with, lines_of, messages_of, missing, text_of
from tests.tui.opened import Open
from textual.pilot import Pilot

from backlit.store import Store
from backlit.store.records.entry import FOR_CUSTOMERS
from backlit.tui.app.command_line import CommandLine
from backlit.tui.attachments.file_preview import PREVIEW_BYTES, FilePreviewDialog
from backlit.tui.attachments.screen import AttachmentsScreen, bar
from backlit.tui.dialogs.line import PathDialog

Write = Callable[[str, bytes], Path]


def test_a_bar_is_as_full_as_it_says() -> None:
    assert [bar(share, 4) for share in (0, 0.5, 1, 2)] == ["····", "██··", "████", "████"]


@pytest.fixture
def write(tmp_path: Path) -> Write:
    def write(name: str, content: bytes) -> Path:
        folder = tmp_path / "given"
        folder.mkdir(exist_ok=True)
        path = folder / name
        path.write_bytes(content)
        return path

    return write


@pytest.fixture
def item_id(store: Store) -> int:
    return min(mirrored(store))


async def attached(store: Store, item_id: int, path: Path, kind: str | None = None) -> int:
    return await store.transfers.upload(item_id, path, lambda *_: None, kind=kind)


@asynccontextmanager
async def showing(
    opened: Open, store: Store, item_id: int, size: tuple[int, int] = (120, 30)
) -> AsyncIterator[Pilot[None]]:
    async with opened(store, size) as pilot:
        pilot.app.push_screen(AttachmentsScreen(store, item_id))
        await pilot.pause()
        yield pilot


async def typed(pilot: Pilot[None], text: str) -> None:
    """Put a text in the place of what stands in the dialog, and accept it."""
    dialog = pilot.app.screen
    assert isinstance(dialog, PathDialog)
    dialog.input.value = text
    await pilot.press("enter")


async def said(pilot: Pilot[None], words: str) -> None:
    await until(lambda: any(words in each for each in messages_of(pilot.app)), lambda: text_of(pilot.app))
    await pilot.pause()


@pytest.mark.slow
async def test_files_are_listed_with_all_that_is_known(store: Store, opened: Open, item_id: int, write: Write) -> None:
    attachment_id = await attached(store, item_id, write("plan.txt", b"x" * 2048))
    await store.transfers.describe(attachment_id, "What we\nagreed on")
    await attached(store, item_id, write("shot.png", picture()), FOR_CUSTOMERS)

    async with showing(opened, store, item_id) as pilot:
        line = line_with(pilot.app, "▌plan.txt")
        assert missing(pilot.app, ["Files 2", "shot.png", "customers"]) == []
        assert missing(pilot.app, ["Visible to"]) == []
        for part in ("2.0 KB", "maya", "What we agreed on"):
            assert part in line


@pytest.mark.slow
async def test_the_file_under_the_cursor_is_previewed_below_the_list(
    store: Store, opened: Open, item_id: int, write: Write
) -> None:
    await attached(store, item_id, write("table.csv", b"name,hours\nquokka,3\n"))
    await attached(store, item_id, write("notes.txt", b"All about wombats"))

    async with showing(opened, store, item_id) as pilot:
        for key, words in (("j", "All about wombats"), ("k", "quokka      3")):
            await pilot.press(key)

            await until(lambda words=words: words in text_of(pilot.app), lambda: text_of(pilot.app))  # type: ignore[misc] # one each


@pytest.mark.slow
async def test_low_bandwidth_fetches_a_file_only_on_request(store: Store, opened: Open, write: Write) -> None:
    async with opened(store) as pilot:
        await pilot.press("t", "l", "g", "t")
        await pilot.pause()
        screen = pilot.app.screen
        assert isinstance(screen, AttachmentsScreen)
        await attached(store, screen.item_id, write("notes.txt", b"All about wombats"))
        await until(lambda: "notes.txt" in text_of(pilot.app), lambda: text_of(pilot.app))
        await workers_done(pilot.app)
        assert "All about wombats" not in text_of(pilot.app)

        await pilot.press("enter")
        await until(lambda: "All about wombats" in text_of(pilot.app), lambda: text_of(pilot.app))


@pytest.mark.parametrize("size", [(80, 24), (60, 20)])
async def test_small_terminals_keep_name_and_size(
    store: Store, opened: Open, item_id: int, write: Write, size: tuple[int, int]
) -> None:
    await attached(store, item_id, write("plan.txt", b"x" * 2048))

    async with showing(opened, store, item_id, size) as pilot:
        assert "2.0 KB" in line_with(pilot.app, "▌plan.txt")
        assert ["Age" in text_of(pilot.app), "Visible to" in text_of(pilot.app)] == [False, False]


async def test_the_key_leads_there_and_an_empty_list_says_what_to_do(store: Store, opened: Open) -> None:
    async with opened(store) as pilot:
        await pilot.press("g", "t")

        assert isinstance(pilot.app.screen, AttachmentsScreen)
        assert missing(pilot.app, ["No files. a to attach one, A for one that customers see."]) == []
        assert "Visible to" not in text_of(pilot.app)
        assert "preview" not in lines_of(pilot.app)[-1]
        await pilot.press("enter")
        await pilot.pause()
        assert "Nothing selected." in text_of(pilot.app)


@pytest.mark.slow
async def test_files_are_attached_by_a_pattern(
    world: World, store: Store, opened: Open, item_id: int, write: Write
) -> None:
    folder = write("one.txt", b"1").parent
    write("two.txt", b"22")

    async with showing(opened, store, item_id) as pilot:
        await pilot.press("a")
        await typed(pilot, f"{folder}/*.txt")
        await said(pilot, "Attached 2 files.")

        assert missing(pilot.app, ["one.txt", "two.txt"]) == []
        page = await world.rival.work_items.attachments(item_id).page()
        assert [each["name"] for each in page.results] == ["one.txt", "two.txt"]


async def test_tab_goes_on_with_a_path(store: Store, opened: Open, item_id: int, write: Write) -> None:
    path = write("long name.txt", b"1")

    async with showing(opened, store, item_id) as pilot:
        await pilot.press("a")
        dialog = pilot.app.screen
        assert isinstance(dialog, PathDialog)
        dialog.input.value = str(path)[:-6]
        await pilot.press("tab")
        await until(lambda: dialog.input.value == str(path))


async def test_a_file_that_is_not_there_keeps_the_question_open(store: Store, opened: Open, item_id: int) -> None:
    async with showing(opened, store, item_id) as pilot:
        await pilot.press("a")
        await typed(pilot, "/nowhere/x.txt")

        assert missing(pilot.app, ["No such file: /nowhere/x.txt"]) == []


@pytest.mark.slow
async def test_for_customers_is_asked_once_and_sent(
    world: World, store: Store, opened: Open, item_id: int, write: Write
) -> None:
    async with showing(opened, store, item_id) as pilot:
        await pilot.press("A")
        await typed(pilot, str(write("offer.txt", b"1")))
        assert missing(pilot.app, ["Customers see them."]) == []
        await pilot.press("y")
        await said(pilot, "Attached offer.txt.")

        page = await world.rival.work_items.attachments(item_id).page()
        assert [each["type"] for each in page.results] == ["Feedback"]


@pytest.mark.slow
async def test_much_is_asked_about_and_enter_means_no(
    world: World, store: Store, opened: Open, item_id: int, write: Write
) -> None:
    path = write("large.bin", b"")
    os.truncate(path, 11 * 1024 * 1024)

    async with showing(opened, store, item_id) as pilot:
        await pilot.press("a")
        await typed(pilot, str(path))
        assert missing(pilot.app, ["large.bin, 11 MB."]) == []
        await pilot.press("enter")

        assert (await world.rival.work_items.attachments(item_id).page()).results == []


@pytest.mark.parametrize("key", ["escape", "ctrl+c"])
async def test_a_transfer_shows_its_progress_stays_in_sight_and_is_cancelled(
    *, world: World, store: Store, opened: Open, item_id: int, write: Write, key: str
) -> None:
    world.faults.stalls = frozenset({f"/workitems/{item_id}/attachments"})
    path = write("slow.bin", b"x" * 4096)

    async with showing(opened, store, item_id) as pilot:
        await pilot.press("a")
        await typed(pilot, str(path))
        await until(lambda: "Attaching slow.bin" in text_of(pilot.app))
        await pilot.press("q")
        await said(pilot, "esc to cancel it")
        await pilot.press("g", "k")
        await pilot.press(key)
        await said(pilot, "Cancelled: Attaching slow.bin.")

        assert isinstance(pilot.app.screen, AttachmentsScreen)
        assert (await world.rival.work_items.attachments(item_id).page()).results == []


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "content", "shown"),
    [
        ("a.txt", b"plain words", "plain words"),
        ("a.json", b'{"key": 1}', '  "key": 1'),
        ("a.csv", b"one,two\n1,2", "one  two"),
        ("a.md", b"- point", "• point"),
        ("a.png", picture(), "▀▀▀▀"),
        ("a.bin", b"\0\1\2", "It cannot be shown here"),
    ],
)
@pytest.mark.long_but("a.md", "a.bin", "a.png")
async def test_a_look_shows_each_kind(
    *, store: Store, opened: Open, item_id: int, write: Write, name: str, content: bytes, shown: str
) -> None:
    await attached(store, item_id, write(name, content))

    async with showing(opened, store, item_id) as pilot:
        await pilot.press("enter")
        await until(lambda: isinstance(pilot.app.screen, FilePreviewDialog))
        await pilot.pause()
        assert missing(pilot.app, [shown, name]) == []
        await pilot.press("q")

        assert isinstance(pilot.app.screen, AttachmentsScreen)


@pytest.mark.slow
async def test_a_look_that_comes_late_takes_no_text_from_what_was_opened_meanwhile(
    *, world: World, store: Store, opened: Open, item_id: int, write: Write
) -> None:
    await attached(store, item_id, write("a.txt", b"plain words"))

    async with showing(opened, store, item_id) as pilot:
        world.faults.delay = 0.5
        before = len(world.faults.requests)
        await pilot.press("enter", ":", *"typed")
        await until(lambda: len(world.faults.requests) > before)
        await asyncio.sleep(2 * world.faults.delay)
        during, words = pilot.app.screen, text_of(pilot.app)
        await pilot.press("escape")
        await until(lambda: isinstance(pilot.app.screen, FilePreviewDialog), lambda: text_of(pilot.app))

        assert isinstance(during, CommandLine)
        assert "typed" in words


@pytest.mark.slow
async def test_a_look_fetches_only_the_beginning(store: Store, opened: Open, item_id: int, write: Write) -> None:
    await attached(store, item_id, write("log.txt", b"line\n" * PREVIEW_BYTES))

    async with showing(opened, store, item_id) as pilot:
        await pilot.press("enter")
        await until(lambda: isinstance(pilot.app.screen, FilePreviewDialog))
        await pilot.pause()

        assert missing(pilot.app, ["only the first 256 KB"]) == []


@pytest.mark.slow
async def test_saving_leaves_what_is_there_and_stays_in_the_folder(
    store: Store, opened: Open, item_id: int, write: Write, tmp_path: Path
) -> None:
    await attached(store, item_id, write("plan.txt", b"The plan."))
    target = tmp_path / "target"
    target.mkdir()
    (target / "plan.txt").write_text("mine")

    async with showing(opened, store, item_id) as pilot:
        await pilot.press("s")
        await typed(pilot, f"{target}/")
        await said(pilot, "plan (1).txt")

    assert {each.name: each.read_text() for each in target.iterdir()} == {
        "plan.txt": "mine",
        "plan (1).txt": "The plan.",
    }


def parts_in(folder: Path) -> list[Path]:
    return list(folder.glob(".backlit-*"))


@pytest.mark.slow
async def test_a_download_that_broke_off_goes_on(
    store: Store, opened: Open, item_id: int, write: Write, tmp_path: Path
) -> None:
    attachment_id = await attached(store, item_id, write("plan.bin", bytes(range(256)) * 4096))
    begun, may_go_on = threading.Event(), threading.Event()

    def progress(_done: int, _total: int) -> None:
        begun.set()
        may_go_on.wait(60)

    task = asyncio.create_task(store.transfers.download(attachment_id, tmp_path, progress))
    await until(begun.is_set)
    task.cancel()
    await asyncio.wait([task])  # the engine's thread goes on only when it has been told
    may_go_on.set()
    await until(lambda: any(part.stat().st_size for part in parts_in(tmp_path)))

    async with showing(opened, store, item_id) as pilot:
        await pilot.press("s")
        await typed(pilot, f"{tmp_path}/")
        await said(pilot, "Saved")

    assert (tmp_path / "plan.bin").read_bytes() == bytes(range(256)) * 4096
    assert parts_in(tmp_path) == []


@pytest.mark.slow
async def test_a_description_is_changed(world: World, store: Store, opened: Open, item_id: int, write: Write) -> None:
    attachment_id = await attached(store, item_id, write("plan.txt", b"1"))

    async with showing(opened, store, item_id) as pilot:
        await pilot.press("c", "d", *"April", "enter")
        await until(lambda: "April" in text_of(pilot.app))
        await said(pilot, "plan.txt has another description.")

        assert (await world.rival.attachments.get(attachment_id))["description"] == "April"


async def test_deleting_asks_and_enter_means_no(
    world: World, store: Store, opened: Open, item_id: int, write: Write
) -> None:
    await attached(store, item_id, write("plan.txt", b"1"))

    async with showing(opened, store, item_id) as pilot:
        await pilot.press("d", "enter")
        assert len((await world.rival.work_items.attachments(item_id).page()).results) == 1
        await pilot.press("d", "y")
        await until(lambda: "No files." in text_of(pilot.app))

        assert (await world.rival.work_items.attachments(item_id).page()).results == []


@pytest.mark.slow
async def test_the_address_is_copied(store: Store, opened: Open, item_id: int, write: Write) -> None:
    attachment_id = await attached(store, item_id, write("plan.txt", b"1"))

    async with showing(opened, store, item_id) as pilot:
        await pilot.press("y", "y")

        assert pilot.app.clipboard.endswith(f"/{attachment_id}/plan.txt")


async def test_without_an_opener_the_address_is_shown(
    store: Store, opened: Open, item_id: int, write: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("OPENER", raising=False)
    attachment_id = await attached(store, item_id, write("plan.txt", b"1"))

    async with showing(opened, store, item_id) as pilot:
        await pilot.press("o")
        await pilot.pause()

        assert missing(pilot.app, ["OPENER names no program", f"/{attachment_id}/plan.txt"]) == []


@pytest.mark.parametrize("keys", ["o", "yy"])
@pytest.mark.parametrize("kind", ["is_local", "is_sample"])
@pytest.mark.long_but("is_local-o", "is_sample-yy")
async def test_no_address_is_offered_that_answers_inside_the_program_only(  # noqa: PLR0917 - fixtures
    store: Store, opened: Open, item_id: int, write: Write, monkeypatch: pytest.MonkeyPatch, kind: str, keys: str
) -> None:
    monkeypatch.delenv("OPENER", raising=False)
    await attached(store, item_id, write("plan.txt", b"1"))
    setattr(store, kind, True)

    async with showing(opened, store, item_id) as pilot:
        await pilot.press(*keys)
        await said(pilot, "s saves the file")

        assert "http://" not in text_of(pilot.app)
        assert pilot.app.clipboard == ""


@pytest.mark.slow
async def test_what_is_opened_lies_in_a_folder_of_the_users_own(
    store: Store, opened: Open, item_id: int, write: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENER", "less")
    await attached(store, item_id, write("plan.txt", b"1"))

    async with showing(opened, store, item_id) as pilot:
        await pilot.press("o")
        await said(pilot, "cannot run less. The file is in ")
        (message,) = [each for each in messages_of(pilot.app) if "The file is in" in each]
        path = Path(message.rpartition(" is in ")[2].rstrip("."))

    assert (path.name, path.parent.name[:8]) == ("plan.txt", "backlit-")
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700


@pytest.mark.slow
async def test_offline_it_is_said_in_a_sentence(
    world: World, store: Store, opened: Open, item_id: int, write: Write
) -> None:
    path = write("plan.txt", b"1")
    await attached(store, item_id, path)

    async with showing(opened, store, item_id) as pilot:
        world.faults.says = lambda _method, _path: Said(503)
        await pilot.press("a")
        await typed(pilot, str(path))
        await said(pilot, "not queued")

        assert missing(pilot.app, ["plan.txt"]) == []
        assert store.outbox.pending == 0


@pytest.mark.slow
async def test_a_new_item_says_why_it_takes_no_files(world: World, store: Store, opened: Open) -> None:
    world.faults.says = lambda _method, _path: Said(503)
    new_id = await store.items.add("Story", {"Name": "New"})

    async with showing(opened, store, new_id) as pilot:
        await pilot.press("a")
        await said(pilot, "The server does not have this item yet")


@pytest.mark.slow
async def test_hostile_names_are_drawn_as_text_and_saved_harmlessly(
    world: World, store: Store, opened: Open, item_id: int, write: Write
) -> None:
    attachment_id = await attached(store, item_id, write("[b]x[oops].txt", b"1"))
    await store.transfers.describe(attachment_id, "\x1b[31m[/b]")

    async with showing(opened, store, item_id) as pilot:
        line = line_with(pilot.app, "▌[b]x[oops].txt")

        assert "\x1b" not in line
        await pilot.press("d")
        await pilot.pause()
        assert missing(pilot.app, ["“[b]x[oops].txt” is deleted"]) == []
