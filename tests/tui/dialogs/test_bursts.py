"""Every dialog ends the same whether its keys come slowly or in one write, and so do the keys behind it."""

import asyncio
import importlib
import pkgutil
import random
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from tests.store.documents import item, offline_store
from tests.store.world import until
from tests.tui.bare_app import BareApp, clear_messages, text_of, words_of_dialog
from tests.tui.target import FakeTarget
from textual import events
from textual.containers import VerticalScroll
from textual.pilot import Pilot
from textual.theme import Theme
from textual.widgets import Input

import backlit.tui
from backlit.model.planning import PlannedLoad
from backlit.model.statuses import StatusGroups
from backlit.store import Store
from backlit.store.edits.conflicts import ContestedField
from backlit.store.records.people import IterationEntry
from backlit.tui.app.command_line import CommandLine, CommandLineParser
from backlit.tui.app.global_commands import ThemeDialog
from backlit.tui.app.locked import LockedScreen
from backlit.tui.app.navigation import GoToDialog
from backlit.tui.app.projects import ProjectsDialog
from backlit.tui.app.sign_in import SignInDialog, WelcomeDialog
from backlit.tui.attachments.file_preview import FilePreviewDialog, preview_of
from backlit.tui.commands.command import Context
from backlit.tui.dialogs.compose import CommentDialog, ComposedComment, ComposeDialog
from backlit.tui.dialogs.dialog import AnswerKey, ConfirmDialog, Dialog
from backlit.tui.dialogs.keys_help import KeysHelp
from backlit.tui.dialogs.line import FormDialog, LineDialog, PathDialog
from backlit.tui.dialogs.palette import Palette, PickItemDialog, command_offers, item_search
from backlit.tui.dialogs.pick import (
    Choice,
    PickDialog,
    PickManyDialog,
    PickSortKeysDialog,
    PickTagsDialog,
    PickValuesDialog,
)
from backlit.tui.dialogs.reading import DifferenceDialog, FieldDifference, ReadingDialog
from backlit.tui.drawing.text import literal
from backlit.tui.items.conflict_dialog import ConflictDialog, ConflictQuestion
from backlit.tui.items.log_work import LogWorkDialog, LogWorkForm
from backlit.tui.items.relation_commands import FeatureDialog, RelatedItemsDialog
from backlit.tui.items.split import SplitDialog
from backlit.tui.plan.rollover import EndedIteration, RolloverDialog
from backlit.tui.shell.drafts import StoredDraft, StoredLines
from backlit.tui.shell.input_queue import AnswerRefused
from backlit.tui.widgets.inputs import LineInput

SEED = 13
WORDS = ("Not Done", "In Progress", "Ready For Test", "Done")
CHOICES = [Choice(word, word) for word in WORDS]
KEYS = (
    *("enter", "enter", "escape", "tab", "tab", "shift+tab", "down", "up", "left", "right", "home", "end"),
    *("backspace", "ctrl+u", "ctrl+w", "ctrl+s", "ctrl+t", "ctrl+n", "pagedown", "space"),
    *"1234", *"abdnjkqymtDG", *"/:#.",
)  # fmt: skip
"""Keys that dialogs know, and some that they take as text."""
MEANT = ("2Fast typed title", "done enter 3", "q 1 enter jj", "3kcn", "enter jk", "end up kkk home down jj pagedown")
"""What somebody types who knows the dialog and does not wait for it: first a text, an answer, and leaving."""


class Gate:
    """A server that takes one password and one code."""

    server, username, reason, is_signed_in = "https://tracker.example/", "maya", "", False
    profile = "tracker"

    async def sign_in(self, _username: str, _password: str, _approved: str = "") -> None:
        self.is_signed_in = True

    async def sign_in_with_code(self, code: str, approved: str = "") -> None:
        await self.sign_in(code, code, approved)


Make = Callable[[Store], Dialog[Any]]


def at_least_three(text: str) -> str | None:
    return None if len(text) > 2 else "At least three characters."


def read_lines(lines: Sequence[str]) -> str:
    return " and ".join(lines)


def conflict(_store: Store) -> Dialog[Any]:
    async def edit(*_: object) -> None:
        return None

    long_text = "\n".join(map(str, range(60)))
    fields = [ContestedField("Name", "was", "mine", "theirs"), ContestedField("Estimate", 1, 2, 3)]
    fields += [ContestedField("Description", long_text, f"{long_text} mine", long_text.replace("\n", " \n"))]
    question = ConflictQuestion("Conflict", "Both changed it.", fields, lambda _key, value: str(value), edit, "Ann")
    return ConflictDialog(question, {}, {})


def rollover(store: Store) -> Dialog[Any]:
    sprints = [IterationEntry(number, f"Sprint {number}", "", None, None, None, None, False) for number in (1, 2)]
    items = store.batch.items([2, 3])
    ending = EndedIteration(sprints[0], sprints[1], items, {2: 1}, PlannedLoad(), {}, StatusGroups())
    return RolloverDialog(ending, {}, StoredDraft(store, "rollover"))


def log_work(store: Store) -> Dialog[Any]:
    (task,) = store.batch.items([1])
    form = LogWorkForm(["Development", "Testing"], "Development", None, None, lambda: 0.0)
    return LogWorkDialog(task, form, StoredDraft(store, "log 1"))


MAKERS: dict[type[Dialog[Any]], Make] = {
    CommandLine: lambda store: CommandLine(CommandLineParser(LineInput()), store.typed.lines),
    CommentDialog: lambda store: CommentDialog(
        "C", ComposedComment("", False), StoredDraft(store, "comment:1"), act="send"
    ),
    ComposeDialog: lambda store: ComposeDialog("C", "text", StoredDraft(store, "text:1"), act="save"),
    ConfirmDialog: lambda _: ConfirmDialog(
        "Delete", "Delete it?", [AnswerKey("y", "delete it"), AnswerKey("3", "three")]
    ),
    ConflictDialog: conflict,
    DifferenceDialog: lambda _: DifferenceDialog("D", [FieldDifference("Name", "a", "b")]),
    GoToDialog: lambda store: GoToDialog((), item_search(FakeTarget(store))),
    FilePreviewDialog: lambda _: FilePreviewDialog("a.txt", preview_of(b"line\n" * 99, "a.txt", 495)),
    KeysHelp: lambda _: KeysHelp((Context.LIST, Context.GLOBAL)),
    LineDialog: lambda _: LineDialog("Name", "one", at_least_three, is_replaced=True),
    FeatureDialog: lambda _: FeatureDialog("Feature", CHOICES),
    FormDialog: lambda store: FormDialog("L", [("One", "1"), ("Two", "2")], read_lines, StoredLines(store, "l")),
    LockedScreen: lambda _: LockedScreen("The copy is locked."),
    LogWorkDialog: log_work,
    Palette: lambda store: Palette(command_offers((Context.LIST,)), item_search(FakeTarget(store))),
    PathDialog: lambda _: PathDialog("Save as", "/e", lambda text: None if text else "A path is needed."),
    PickDialog: lambda _: PickDialog("Status", CHOICES, "In Progress"),
    PickItemDialog: lambda store: PickItemDialog("Parent", item_search(FakeTarget(store))),
    PickSortKeysDialog: lambda _: PickSortKeysDialog("Sort", CHOICES, (), most=2, has_directions=True),
    PickManyDialog: lambda _: PickManyDialog("Tags", WORDS, ("Done",), free=True),
    PickTagsDialog: lambda _: PickTagsDialog("Tags", WORDS, {"Done": 1}, 2),
    PickValuesDialog: lambda _: PickValuesDialog("Values", "any", CHOICES, ("Done",)),
    ProjectsDialog: lambda _: ProjectsDialog("Projects", CHOICES, None),
    ReadingDialog: lambda _: ReadingDialog("R", [literal("line")] * 60, answers=[AnswerKey("a", "agree")]),
    RelatedItemsDialog: lambda store: RelatedItemsDialog("Relate", item_search(FakeTarget(store))),
    RolloverDialog: rollover,
    SignInDialog: lambda _: SignInDialog(Gate(), "Sign in", "About.", "later"),
    SplitDialog: lambda store: SplitDialog(store.batch.items([1])[0], [], [], StoredDraft(store, "split 1")),
    ThemeDialog: lambda _: ThemeDialog(
        [Theme(name, "#ffffff") for name in ("light", "dark", "3rd")], "dark", lambda _name: None
    ),
    WelcomeDialog: lambda _: WelcomeDialog(),
}


def dialogs() -> Iterator[type[Dialog[Any]]]:
    """Yield every class of a dialog that no other is derived from."""
    for module in pkgutil.walk_packages(backlit.tui.__path__, "backlit.tui."):
        importlib.import_module(module.name)
    waiting: list[type[Dialog[Any]]] = [Dialog]
    while waiting:
        derived = waiting.pop().__subclasses__()
        waiting += derived
        yield from (each for each in derived if not each.__subclasses__() and each.__module__.startswith("backlit."))


class Watched(BareApp):
    """Counts refusals, behind which waiting keys are dropped on purpose."""

    refused = 0

    def on_answer_refused(self, _message: AnswerRefused) -> None:
        self.refused += 1


async def dealt_with(pilot: Pilot[None]) -> None:
    """Wait until every key is handled, and what it began is over."""
    app = pilot.app
    assert isinstance(app, Watched)
    has_all = asyncio.Event()
    app.call_later(has_all.set)
    await has_all.wait()
    await until(lambda: app.input.is_idle, lambda: text_of(app))


async def drawn_out(pilot: Pilot[None]) -> None:
    """Wait until what is shown is drawn, and what waited for the drawing is done."""
    is_drawn = asyncio.Event()
    pilot.app.screen.call_after_refresh(is_drawn.set)
    await is_drawn.wait()
    await pilot.pause()


@asynccontextmanager
async def watched() -> AsyncIterator[Pilot[None]]:
    """Open an application with a line behind the dialogs."""
    async with Watched().run_test(size=(100, 30)) as pilot:
        await pilot.app.screen.mount(LineInput())
        await pilot.pause()
        yield pilot


async def end_of(
    pilot: Pilot[None], make: Make, folder: Path, keys: Sequence[str], *, is_slow: bool
) -> tuple[int, dict[str, object]]:
    """Return how many keys were pressed until an answer was refused, and where they led."""
    app, pressed = pilot.app, 0
    assert isinstance(app, Watched)
    behind = app.screen.query_one(LineInput)
    behind.value, app.refused, app.answers = "", 0, []
    behind.focus()
    with offline_store(folder, [item(1, kind="Task"), item(2), item(3)]) as store:
        dialog = make(store)

        async def ask() -> None:
            app.answers.append(await app.ask(dialog))

        app.dispatch.begin(ask)
        await dealt_with(pilot)
        for key in ["f12", *keys]:  # a key without an effect, so that all others find one before them
            character = " " if key == "space" else key if len(key) == 1 else None
            app.post_message(events.Key(key, character))
            if is_slow:
                await dealt_with(pilot)
                pressed += key != "f12"
                if app.refused:
                    break
        await dealt_with(pilot)
        await drawn_out(pilot)
        end: dict[str, object] = {
            "answers": repr(app.answers),
            "behind": behind.value,
            "screen": type(app.screen).__name__,
            "fields": [each.value for each in app.screen.query(Input)],
            "places": [each.scroll_offset for each in app.screen.query(VerticalScroll)],
            "focus": app.focused and type(app.focused).__name__,
            "dialog": words_of_dialog(app) if app.screen is dialog else "",
        }
        if app.screen is dialog:
            dialog.dismiss(None)
        await dealt_with(pilot)
        clear_messages(app)
    return pressed, end


async def assert_equal_ends(pilot: Pilot[None], make: Make, folder: Path, keys: Sequence[str]) -> None:
    pressed, slowly = await end_of(pilot, make, folder / "slow", keys, is_slow=True)
    _, at_once = await end_of(pilot, make, folder / "fast", keys[:pressed], is_slow=False)

    assert at_once == slowly, " ".join(keys[:pressed])


def meant(text: str) -> list[str]:
    return [key for word in text.split() for key in ([word] if word in KEYS else word)]


def drawn(name: str, number: int) -> list[str]:
    """Return the keys of a number for a dialog; the same ones every time."""
    random_number = random.Random(f"{SEED} {name} {number}")
    return random_number.choices(KEYS, k=random_number.randrange(3, 13))


def test_every_dialog_is_driven() -> None:
    assert [each.__name__ for each in dialogs() if each not in MAKERS] == []


async def test_a_picker_and_the_keys_behind_it_end_the_same_in_one_write(tmp_path: Path) -> None:
    async with watched() as pilot:
        for number, text in enumerate(("3kcn", "2Fast typed title")):
            await assert_equal_ends(pilot, MAKERS[PickDialog], tmp_path / str(number), meant(text))


@pytest.mark.parametrize(
    ("texts", "numbers"),
    [
        pytest.param(MEANT[:3], range(1), marks=pytest.mark.slow, id="few"),
        pytest.param(MEANT[3:], range(1, 20), marks=pytest.mark.long, id="many"),
    ],
)
@pytest.mark.parametrize("dialog", MAKERS, ids=lambda each: each.__name__)
@pytest.mark.long_but(
    "LogWorkDialog",
    "FormDialog",
    "Palette",
    "PickDialog",
    "PickTagsDialog",
    "ComposeDialog",
    "LineDialog",
    "ConfirmDialog",
    "ConflictDialog",
    "GoToDialog",
)
async def test_a_dialog_ends_the_same_in_one_write(
    tmp_path: Path, dialog: type[Dialog[Any]], texts: Sequence[str], numbers: Sequence[int]
) -> None:
    async with watched() as pilot:
        for number, keys in enumerate([*map(meant, texts), *(drawn(dialog.__name__, each) for each in numbers)]):
            await assert_equal_ends(pilot, MAKERS[dialog], tmp_path / str(number), keys)
