"""A place for commands that is no screen: answers are given beforehand, and everything said is recorded."""

import asyncio
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext, suppress
from functools import cache, partial
from typing import Any, ClassVar, TypeVar, cast

from tests.tui.bare_app import BareApp
from textual.app import ScreenError
from textual.compose import compose
from textual.screen import Screen
from textual.widget import Widget
from textual.widgets import Static

from backlit.model.fields import ItemType
from backlit.store import Item, Store
from backlit.tui.commands.command import CannotAct, CommandContext
from backlit.tui.commands.table import COMMAND_BY_ID
from backlit.tui.dialogs.dialog import Dialog
from backlit.tui.dialogs.line import LineDialog
from backlit.tui.dialogs.pick import Choice, PickerDialog
from backlit.tui.fields.field_edits import FieldEdit
from backlit.tui.items.bulk_edit import journal
from backlit.tui.shell.dispatch import function_of
from backlit.tui.shell.target import ItemDestination, UiSession

Answer = TypeVar("Answer")
Reply = Callable[[Screen[object]], object]


class _Application(BareApp):
    """An application that never runs, so that it has no screen."""

    def clear_selection(self) -> None:
        """Leave the selection of no screen."""


_application = cache(_Application)


def stage() -> AbstractContextManager[None]:
    """Return a context in which dialogs can be made."""
    return _application()._context()  # noqa: SLF001 - Textual's


async def run(target: object, command_id: str, count: int | None = None, letter: str = "", text: str = "") -> None:
    """Run a command of the table against a target."""
    command = COMMAND_BY_ID[command_id]
    with nullcontext() if isinstance(target, FakeTarget) and target.shown_on else stage():
        done = function_of(command.handler)(target, CommandContext(command, count, letter, text))
        if done is not None:
            await done


class FakeTarget:
    """An `items.target.AddTarget` over a store, with some items as the chosen ones.

    `answers` are the answers to dialogs in their order; a callable is given the dialog first. A number of rows takes
    that many of the items. `shown_on` shows the dialogs beyond the answers.
    """

    shown_on: BareApp | None = None

    def __init__(self, store: Store, ids: Sequence[int] = (), answers: Sequence[object] = ()) -> None:
        self.store = store
        self.session = UiSession()
        self.ids = list(ids)
        self.answers = list(answers)
        self.asked: list[Screen[object]] = []
        self.said: list[str] = []
        self.forgotten = 0
        self.copied: list[str] = []
        self.opened: list[tuple[int, ItemDestination, int | None]] = []
        self.added: list[int] = []

    async def ask(self, dialog: Screen[Answer]) -> Answer:
        """Answer as was given beforehand, else as the keys that the application gets."""
        self.asked.append(cast("Screen[object]", dialog))
        if self.shown_on is not None and not self.answers:
            answered: asyncio.Future[Answer] = asyncio.get_running_loop().create_future()
            self.shown_on.push_screen(dialog, answered.set_result)  # type: ignore[arg-type] # no dialog is dismissed without
            return await answered
        answer = self.answers.pop(0)
        return cast("Answer", cast("Reply", answer)(cast("Screen[object]", dialog)) if callable(answer) else answer)

    def forget_messages(self) -> None:
        self.forgotten = len(self.said)

    def say(self, sentence: str, *, is_bad: bool = False) -> None:
        """Record a message."""
        self.said.append(f"! {sentence}" if is_bad else sentence)

    def copy(self, text: str, words: str) -> None:
        """Record a text."""
        self.copied.append(text)
        self.said.append(words)

    def edit_outside(self, text: str, suffix: str) -> str:
        """Answer as was given beforehand."""
        return cast("Callable[[str, str], str]", self.answers.pop(0))(text, suffix)

    def open(
        self,
        item_id: int,
        place: ItemDestination,
        comment_id: int | None = None,
        field: str = "",  # noqa: ARG002 - of the history alone
    ) -> None:
        """Record another place."""
        self.opened.append((item_id, place, comment_id))

    def page_item(self) -> Item:
        return self.current()

    def current(self) -> Item:
        """Return the first of the chosen items."""
        return self.chosen()[0]

    def chosen_ids(self, rows: int | None = None) -> Sequence[int]:
        """Return the chosen ids."""
        return self.ids[:rows]

    def chosen(self, rows: int | None = None) -> list[Item]:
        """Return the chosen items."""
        items = self.store.batch.items(self.chosen_ids(rows))
        if not items:
            raise CannotAct("There is no item under the cursor.")
        return items

    async def open_field(self, key: str) -> bool:  # noqa: ARG002 - there is no form
        """Open nothing."""
        return False

    async def apply(self, act: FieldEdit, items: Sequence[Item]) -> None:
        """Journal a change."""
        await journal(self, act, items)

    def preset(self, item_type: ItemType) -> Mapping[str, object]:  # noqa: ARG002 - the same for all types
        """Return no values."""
        return {}

    def expected_type(self) -> ItemType | None:
        """Return no type."""
        return None

    def item_added(self, item_id: int) -> None:
        """Record a new item."""
        self.added.append(item_id)

    def item_added_below(self, feature_id: int, item_id: int) -> None:  # noqa: ARG002 - for trees
        self.added.append(item_id)


class FakeScreen(FakeTarget):
    """A target that runs the methods of a screen; what a test does not fake is the screen's own."""

    stands_for: ClassVar[type]

    def __getattr__(self, name: str) -> Any:
        return partial(getattr(self.stands_for, name), self)


def rows_of(dialog: object) -> list[Choice]:
    """Return the rows of a picker."""
    assert isinstance(dialog, PickerDialog), dialog
    at, found = dialog.list.cursor, []
    for row in range(dialog.list.row_count()):
        dialog.list.move_to(row)
        found.append(cast("Choice", dialog.current))
    dialog.list.move_to(at)
    return found


def words_of(dialog: object) -> str:
    """Return the title and the words of a dialog that is not shown, one line for each widget."""
    assert isinstance(dialog, Dialog), dialog
    with stage():
        widgets = compose(dialog)
    return "\n".join(" ".join(each.split()) for each in (str(dialog.frame.border_title), *_words(widgets)))


def _words(widgets: Iterable[Widget]) -> Iterator[str]:
    for widget in widgets:
        if isinstance(widget, Static):
            yield str(widget.content)
        yield from _words(widget._pending_children)  # noqa: SLF001 - Textual's


def fault_of(dialog: object, text: str) -> str:
    """Return the fault that a dialog names for a typed line; empty where it takes the line."""
    assert isinstance(dialog, LineDialog), dialog
    with stage():
        dialog.input.value = text
        with suppress(ScreenError):  # a dialog that is not shown cannot close
            dialog.press("enter")
            return words_of(dialog).splitlines()[-1]
    return ""


def taken_by(dialog: object, keys: str) -> str:
    """Return the keys among some that close a dialog."""
    assert isinstance(dialog, Dialog), dialog
    found = ""
    for key in keys:
        try:
            with stage():
                dialog.type_early(key)
        except ScreenError:  # a dialog that is not shown cannot close
            found += key
    return found
