"""Commands that go to another place: the modes, any item, the groom queue, the place before, and out."""

import time
from typing import Protocol

from backlit.store.records.changes import ConnectionState
from backlit.tui.app.go_to import GoToDialog
from backlit.tui.app.places import Place, Places
from backlit.tui.commands.command import Call, CannotAct
from backlit.tui.dialogs.confirm import Answer, ConfirmDialog
from backlit.tui.inbox.screen import InboxScreen
from backlit.tui.outbox.screen import OutboxScreen
from backlit.tui.shell.target import StoreTarget

INTERRUPT_WINDOW = 2.0
"""Seconds in which a second ctrl+c quits."""


class NavigationTarget(StoreTarget, Protocol):
    """An application with places."""

    places: Places
    interrupted_at: float
    """The time of the last ctrl+c that stopped nothing."""

    def stop_running(self) -> bool:
        """Cancel the macro or the transfer under way; return False where there is none."""

    def exit(self) -> None:
        """End the application."""


async def go(target: NavigationTarget, call: Call) -> None:
    """Go to the mode that the command's argument names."""
    await target.places.go(call.command.argument)


def go_to_inbox(target: NavigationTarget, _call: Call) -> None:
    """Show the changes of others."""
    target.places.show_over(InboxScreen(target.store), "inbox")


def go_to_outbox(target: NavigationTarget, _call: Call) -> None:
    """Show the changes that wait to be sent."""
    target.places.show_over(OutboxScreen(target.store), "outbox")


async def go_to_item(target: NavigationTarget, _call: Call) -> None:
    """Find any item of the project and go to it."""
    item_id = await target.ask(GoToDialog(target.store, target.places.recent.ids()))
    if item_id is not None:
        await target.places.go_to_item(item_id)


def groom(target: NavigationTarget, _call: Call) -> None:
    """Open the groom queue: the paused one, or one of the marked items, or of all that the list shows."""
    target.places.groom()


async def jump_back(target: NavigationTarget, call: Call) -> None:
    """Go back to the place before the last jump."""
    places = target.places
    await _return(places, [places.jumps.back(places.here) for _ in range(call.count or 1)], "before")


async def jump_forward(target: NavigationTarget, call: Call) -> None:
    """Go forward again."""
    places = target.places
    await _return(places, [places.jumps.forward() for _ in range(call.count or 1)], "after")


async def _return(places: Places, found: list[Place | None], side: str) -> None:
    reached = [place for place in found if place is not None]
    if not reached:
        raise CannotAct(f"There is no place {side} this one.")
    await places.return_to(reached[-1])


async def back(target: NavigationTarget, _call: Call) -> None:
    """Close the screen on top, else go to the backlog, else quit; ask first while changes wait to be sent."""
    if target.places.close_top():
        return
    waiting = target.store.outbox.pending
    changes = "One change waits" if waiting == 1 else f"{waiting:,} changes wait"
    sentence = f"{changes} to be sent. They are kept, and sent when backlit is opened again."
    if not waiting or await target.ask(ConfirmDialog("Quit", sentence, [Answer("y", "quit")])) is not None:
        target.exit()


def unwind(target: NavigationTarget, _call: Call) -> None:
    """Close the screen on top, else go to the backlog; never quit."""
    target.places.close_top()


def interrupt(target: NavigationTarget, _call: Call) -> None:
    """Stop what is running; quit at the second press within two seconds."""
    if target.stop_running():
        return
    now = time.monotonic()
    if now - target.interrupted_at <= INTERRUPT_WINDOW:
        target.exit()
    target.interrupted_at = now
    if target.store.connection.state is ConnectionState.LOADING:
        target.store.engine.cancel()
        target.say("Loading stops, and R goes on with it. Press ctrl+c again to quit.")
    else:
        target.say("Press ctrl+c again to quit.")
