"""Opening the groom queue: gone on with where it was paused, or begun of what is marked or shown."""

from collections.abc import Sequence

from backlit.model.errors import BacklitError
from backlit.store.store import Store
from backlit.tui.acting import CannotAct
from backlit.tui.chord_app import ChordApp
from backlit.tui.groom_answers import usual_values
from backlit.tui.item_finding import ItemFinding
from backlit.tui.marked_list import MarkedList
from backlit.tui.work import work


def open_queue(app: ChordApp, store: Store, place: MarkedList) -> None:
    """Ask whether to go on where one was paused; begin one else."""
    from backlit.tui.dialogs.confirm import Answer, ConfirmDialog
    from backlit.tui.screens.groom import GroomScreen

    if any(isinstance(screen, GroomScreen) for screen in app.screen_stack):
        raise CannotAct("The groom queue is open already.")
    progress = store.grooming.progress()
    if progress is None:
        app.run_worker(work(_begin, app, store, place), group="queue")
        return

    def answered(key: str | None) -> None:
        if key is not None:
            app.run_worker(work(_go_on if key == "r" else _begin, app, store, place), group="queue")

    at = "at its summary" if progress.is_over else f"at item {progress.place + 1:,} of {progress.count:,}"
    marked = len(place.items.marked_ids())
    new = f"begin a new one of {f'{marked:,} marked' if marked else 'what the list shows'} in its place"
    answers = [Answer("r", "go on with it"), Answer("n", new)]
    sentence = f"A groom queue of {progress.began_on} is paused {at}."
    app.push_screen(ConfirmDialog("Groom queue", sentence, answers, "not now"), answered)


async def _go_on(app: ChordApp, store: Store, _place: MarkedList) -> None:
    from backlit.tui.screens.groom import GroomScreen

    progress, usual = store.grooming.progress(), await usual_values(store)
    if progress is not None:
        app.push_screen(GroomScreen(store, usual, progress.place))


async def _begin(app: ChordApp, store: Store, place: MarkedList) -> None:
    from backlit.tui.screens.groom import GroomScreen

    try:
        ids = await _ids(place)
        count = await store.grooming.begin(ids)
        usual = await usual_values(store)
    except BacklitError as error:
        app.say(str(error), is_bad=True)
        return
    if count:
        app.push_screen(GroomScreen(store, usual))
    else:
        noun = "item" if len(ids) == 1 else "items"
        app.say(f"Nothing to ask: {len(ids):,} {noun}, and what is open of them lacks nothing.")


async def _ids(place: MarkedList) -> Sequence[int]:
    """The marked items in the order of the list, those that it does not show at the end; else all that it shows."""
    if isinstance(place, ItemFinding):
        await place.loaded()
    marked, shown = set(place.items.marked_ids()), place.items.ids_between(0, None)
    return [*(each for each in shown if each in marked), *marked.difference(shown)] if marked else shown
