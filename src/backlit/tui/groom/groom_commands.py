"""Commands on the groom queue: answer, go on, skip, go back, pause; and opening it."""

from collections.abc import Sequence
from typing import Protocol

from backlit.store.journal.groom_queue import Stop
from backlit.store.store import Store
from backlit.tui.commands.command import Call, CannotAct
from backlit.tui.dialogs.confirm import Answer, ConfirmDialog
from backlit.tui.groom.answers import act_of, common_values
from backlit.tui.groom.questions import ItemQuestions
from backlit.tui.groom.screen import GroomScreen
from backlit.tui.items.target import ItemTarget
from backlit.tui.lists.list_screen import ListScreen
from backlit.tui.shell.chord_app import ChordApp


class GroomTarget(ItemTarget, Protocol):
    """The current item of the queue and its questions; `stop` is None once the queue is over."""

    questions: ItemQuestions
    stop: Stop | None

    def show_questions(self) -> None:
        """Draw the questions."""

    def show_stop(self, stop: Stop) -> None:
        """Show another item of the queue."""

    def leave_item(self, *, is_skipped: bool) -> None:
        """Note that the item is done or skipped, and show the next one."""

    def scroll_item(self, pages: int) -> None:
        """Scroll the item by half pages."""

    def dismiss(self, result: None = None) -> object:
        """Close the queue."""


async def answer(target: GroomTarget, call: Call) -> None:
    """Give the answer of the digit; 0 asks for another one."""
    digit, asked = int(call.letter or 0), target.questions.current
    if asked is None:
        raise CannotAct("Nothing is missing here; enter goes on.")
    if digit == 0:
        await target.change_field(asked.field.key, [target.current()])
        return
    if digit > len(asked.answers):
        raise CannotAct(f"{digit} is no answer here; 0 asks for another one.")
    items = [target.current()]
    target.questions.go_on()  # before the change is journalled, so that the next digit answers the next question
    target.show_questions()
    await target.apply(act_of(asked.field, asked.answers[digit - 1]), items)


def step(target: GroomTarget, call: Call) -> None:
    """Go to the question after or before, by the command's argument."""
    target.questions.walk(int(call.command.argument))
    target.show_questions()


def scroll_item(target: GroomTarget, call: Call) -> None:
    """Scroll the item by half a page, in the direction of the command's argument."""
    target.scroll_item(int(call.command.argument))


def accept(target: GroomTarget, _call: Call) -> None:
    """Take the item as it is now, and go to the next."""
    target.leave_item(is_skipped=False)


def skip(target: GroomTarget, _call: Call) -> None:
    """Leave the item for another time, and go to the next."""
    target.leave_item(is_skipped=True)


def go_back(target: GroomTarget, _call: Call) -> None:
    """Go back to the item before this one."""
    queue, here = target.store.grooming, target.stop.place if target.stop is not None else 0
    found, known = queue.previous_stop(here), target.questions.last_place_before(here)
    if found is None or found.place < known:
        found = queue.stop_at(known)
    if found is None or target.store.item(found.item_id) is None:
        raise CannotAct("This is the first item of the queue.")
    target.show_stop(found)


def pause(target: GroomTarget, _call: Call) -> None:
    """Leave the queue; it goes on from here, also after a restart."""
    progress = target.store.grooming.progress()
    if target.stop is not None and progress is not None:
        target.say(f"Paused at {target.stop.place + 1:,} of {progress.count:,}; gq goes on.")
    target.dismiss(None)


# Opening


async def open_queue(app: ChordApp, store: Store, place: ListScreen) -> None:
    """Go on with the paused queue or begin a new one, as the user wants; raises CannotAct for an open queue."""
    if any(isinstance(screen, GroomScreen) for screen in app.screen_stack):
        raise CannotAct("The groom queue is open already.")
    progress = store.grooming.progress()
    if progress is not None:
        at = "at its summary" if progress.is_over else f"at item {progress.place + 1:,} of {progress.count:,}"
        marked = len(place.items.marks.ids())
        new = f"begin a new one of {f'{marked:,} marked' if marked else 'what the list shows'} in its place"
        answers = [Answer("r", "go on with it"), Answer("n", new)]
        sentence = f"A groom queue of {progress.began_on} is paused {at}."
        key = await app.ask(ConfirmDialog("Groom queue", sentence, answers, "not now"))
        if key is None:
            return
        if key == "r":
            app.push_screen(GroomScreen(store, await common_values(store), progress.place))
            return
    await _begin(app, store, place)


async def _begin(app: ChordApp, store: Store, place: ListScreen) -> None:
    ids = await _ids(place)
    if await store.grooming.begin(ids):
        app.push_screen(GroomScreen(store, await common_values(store)))
    else:
        noun = "item" if len(ids) == 1 else "items"
        app.say(f"Nothing to groom in {len(ids):,} {noun}: every open one is ready.")


async def _ids(place: ListScreen) -> Sequence[int]:
    """Return the marked items in the order of the list, those not shown last; without marks all items shown."""
    await place.loaded()
    marked, shown = set(place.items.marks.ids()), place.items.ids_between(0, None)
    return [*(each for each in shown if each in marked), *marked.difference(shown)] if marked else shown
