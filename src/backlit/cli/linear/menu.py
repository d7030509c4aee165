"""The first menu of the linear mode, from which the other parts are reached."""

from collections.abc import Callable, Mapping
from contextlib import suppress

from backlit.cli.linear.console import InputEnded, LineKind
from backlit.cli.linear.grooming import LinearGrooming
from backlit.cli.linear.planning import LinearPlanning
from backlit.cli.linear.reading import LinearReading
from backlit.cli.linear.session import Changed, Left, LinearSession, WentBack
from backlit.model.amounts import counted
from backlit.store.edits.conflicts import UNRESOLVED

_MENU = {"1": "groom", "2": "plan", "3": "list", "4": "inbox", "5": "outbox"}


def run_menu(session: LinearSession) -> None:
    """Say where one is, and carry out choices until the user or the input ends the session."""
    store = session.store
    project = next((each.name for each in store.lookups.projects() if each.id == store.project_id), "none")
    me = store.lookups.me()
    session.console.line(f"backlit, linear mode. Project {project}, signed in as {me.username if me else 'nobody'}.")
    held = [each for each in store.outbox_entries() if each.state in UNRESOLVED]
    if held:
        session.console.say(LineKind.OUTBOX, f"{counted(len(held), 'change needs', 'changes need')} a decision: 5.")
    try:
        while _is_going_on(session):
            session.sync()
    except InputEnded:
        session.sync()


def _is_going_on(session: LinearSession) -> bool:
    """Ask for one choice and carry it out; return whether there is more to do."""
    try:
        choice = session.chosen(LineKind.MENU, "", {**_MENU, "?": "help", "q": "quit"})
    except Left:
        return False
    except (WentBack, Changed):
        return True
    with suppress(Left, WentBack, Changed):
        _ACTS[choice](session)
    return True


_ACTS: Mapping[str, Callable[[LinearSession], None]] = {
    "1": lambda session: LinearGrooming(session).run(),
    "2": lambda session: LinearPlanning(session).run(),
    "3": lambda session: LinearReading(session).list_items(),
    "4": lambda session: LinearReading(session).read_inbox(),
    "5": lambda session: LinearReading(session).read_outbox(),
}
