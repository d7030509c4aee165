"""Navigation: the dialog that finds an item, and the commands that go to modes, items and former locations."""

import asyncio
import time
from collections.abc import Sequence
from typing import Protocol

from backlit.model.amounts import counted
from backlit.model.query import Candidate
from backlit.store.records.changes import ConnectionState
from backlit.store.store import Store
from backlit.store.views.query import ViewSpec
from backlit.store.views.search import MatchField as HitPlace
from backlit.store.views.search import SearchHit
from backlit.tui.app.screen_navigator import AppLocation, ScreenNavigator
from backlit.tui.commands.command import CannotAct, CommandContext, item_number
from backlit.tui.commands.table import key_of
from backlit.tui.dialogs.dialog import AnswerKey, ConfirmDialog
from backlit.tui.dialogs.finder import Offer
from backlit.tui.dialogs.line import PathDialog
from backlit.tui.dialogs.palette import ItemFinder, ItemSearch, item_offer
from backlit.tui.inbox.screen import InboxScreen
from backlit.tui.outbox.screen import OutboxScreen
from backlit.tui.shell.drafts import StoredLines
from backlit.tui.shell.paths import completions, fault_of, file_to_read
from backlit.tui.shell.target import StoreCommandTarget

INTERRUPT_WINDOW = 2.0
"""Seconds in which a second ctrl+c quits."""
MAX_NAME_MATCHES = 30
MAX_TEXT_MATCHES = 20


class NavigationCommandTarget(StoreCommandTarget, Protocol):
    """The application, as the commands of navigation see it."""

    navigator: ScreenNavigator
    interrupted_at: float
    """The time of the last ctrl+c that stopped nothing."""

    def stop_running(self) -> bool:
        """Cancel the macro or the transfer under way; return False where there is none."""

    def exit(self) -> None: ...


async def go(target: NavigationCommandTarget, call: CommandContext) -> None:
    await target.navigator.go(call.command.argument)


def go_to_inbox(target: NavigationCommandTarget, _call: CommandContext) -> None:
    target.navigator.show_over(InboxScreen(target.store), "inbox")


def go_to_outbox(target: NavigationCommandTarget, _call: CommandContext) -> None:
    target.navigator.show_over(OutboxScreen(target.store), "outbox")


def go_to_settings(target: NavigationCommandTarget, _call: CommandContext) -> None:
    from backlit.tui.settings.screen import SettingsScreen
    from backlit.tui.settings.setting_rows import OwnSettings

    own = OwnSettings(target.session.estimate_scale, target.navigator.own_columns)
    target.navigator.show_over(SettingsScreen(target.store, own), "settings screen")


async def import_file(target: NavigationCommandTarget, call: CommandContext) -> None:
    """Show what a file of another tracker comes to; without a name, ask for the file."""
    from backlit.config.settings import find_locations
    from backlit.tui.imports.screen import ImportScreen

    target.store.lookups.need_writer()
    text: str | None = call.text
    if not text:
        kept = StoredLines(target.store, "import")
        text = await target.ask(
            PathDialog("Import", "", lambda typed: fault_of(lambda: file_to_read(typed)), kept=kept)
        )
    if not text:
        return
    try:
        path = file_to_read(text)
        content = await asyncio.to_thread(path.read_bytes)
    except ValueError as error:
        raise CannotAct(str(error)) from None
    except OSError as error:
        raise CannotAct(f"Could not read {text}: {error.strerror}.") from error
    target.navigator.show_over(ImportScreen(target.store, path, content, find_locations().state), "import")


def complete_path(_target: NavigationCommandTarget, text: str, cursor: int) -> Sequence[Candidate]:
    return [Candidate(path, 0, cursor) for path in completions(text[:cursor])]


async def go_to_item(target: NavigationCommandTarget, _call: CommandContext) -> None:
    store = target.store
    recent = [offer for item_id in target.navigator.recent.ids() if (offer := _offer(store, item_id))]
    item_id = await target.ask(GoToDialog(recent, _search(store)))
    if item_id is not None:
        await target.navigator.go_to_item(item_id)


def groom(target: NavigationCommandTarget, _call: CommandContext) -> None:
    target.navigator.groom()


async def jump_back(target: NavigationCommandTarget, call: CommandContext) -> None:
    navigator = target.navigator
    await _return(navigator, [navigator.jumps.back(navigator.here) for _ in range(call.count or 1)], "before")


async def jump_forward(target: NavigationCommandTarget, call: CommandContext) -> None:
    navigator = target.navigator
    await _return(navigator, [navigator.jumps.forward() for _ in range(call.count or 1)], "after")


async def _return(navigator: ScreenNavigator, found: list[AppLocation | None], side: str) -> None:
    reached = [location for location in found if location is not None]
    if not reached:
        raise CannotAct(f"No place {side} this one.")
    await navigator.return_to(reached[-1])


async def back(target: NavigationCommandTarget, _call: CommandContext) -> None:
    """Close the screen on top, else go to the backlog, else quit; ask first about unsent changes."""
    if target.navigator.close_top():
        return
    waiting = target.store.outbox.pending
    changes = counted(waiting, "change is", "changes are")
    kept = "It is" if waiting == 1 else "They are"
    sentence = f"{changes} waiting to be sent. {kept} kept and sent the next time backlit runs."
    if not waiting or await target.ask(ConfirmDialog("Quit", sentence, [AnswerKey("y q", "quit")])) is not None:
        target.exit()


def unwind(target: NavigationCommandTarget, _call: CommandContext) -> None:
    """Close the screen on top, else go to the backlog; never quit."""
    target.navigator.close_top()


def interrupt(target: NavigationCommandTarget, _call: CommandContext) -> None:
    """Stop the running operation; quit at the second press within two seconds."""
    if target.stop_running():
        return
    now = time.monotonic()
    if now - target.interrupted_at <= INTERRUPT_WINDOW:
        target.exit()
    target.interrupted_at = now
    if target.store.connection.state is ConnectionState.LOADING:
        target.store.engine.cancel()
        target.say(f"Loading stopped. {key_of('app.refresh')} resumes it; ctrl+c again quits.")
    else:
        target.say(f"Press {key_of('app.interrupt')} again to quit.")


class GoToDialog(ItemFinder[int | None]):
    """Finds an item by its number or by words in its name, texts and comments; recent items come first.

    The answer is its id, also of a done item; None when the dialog was closed.
    """

    def __init__(self, recent: Sequence[Offer], search: ItemSearch) -> None:
        offers = [Offer(None, "", "Recent"), *recent] if recent else []
        super().__init__("Go to an item", "number or words", offers, search)

    def arranged(self, query: str, found: Sequence[Offer]) -> Sequence[Offer]:
        """Return the item of a typed number, other results, recent ones first, and recent items with these letters."""
        if not query:
            return self._grouped
        recent, values = {offer.value for offer in self._offers}, {offer.value for offer in found}
        ordered = sorted(found, key=lambda offer: (offer.value != item_number(query), offer.value not in recent))
        return [*ordered, *(offer for offer in self.fitting(query) if offer.value not in values)]


def _search(store: Store) -> ItemSearch:
    async def find(query: str) -> Sequence[Offer]:
        view = store.view(ViewSpec(text=query, with_done=True))
        await view.load()
        hits = [] if query.startswith("#") else await store.search.find(query, MAX_TEXT_MATCHES)
        groups = store.lookups.status_groups()
        offers = {row.id: item_offer(row, groups) for row in view.rows(0, MAX_NAME_MATCHES)}
        for hit in hits:
            offer = None if hit.item_id in offers else _offer(store, hit.item_id, hit)
            if offer is not None:
                offers[hit.item_id] = offer
        return list(offers.values())

    return ItemSearch(find, lambda item_id: _offer(store, item_id))


def _offer(store: Store, item_id: int, hit: SearchHit | None = None) -> Offer | None:
    """Return the offer of an item, with the text around a match outside its name."""
    item = store.item(item_id)
    if item is None:
        return None
    about = f"  “{hit.snippet}”" if hit is not None and hit.place is not HitPlace.NAME else ""
    return item_offer(item, store.lookups.status_groups(), about)
