"""A store that is up to date, for commands that read once and leave."""

import argparse
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager

from backlit.cli.chosen import chosen_profile
from backlit.cli.wiring import store_of
from backlit.config import find_locations
from backlit.model.errors import BacklitError, Offline, SignInNeeded
from backlit.model.plain import plain
from backlit.store.changes import Change, Connection, ConnectionState, Subject
from backlit.store.store import Store

PATIENCE = 600.0
"""Seconds a first load of a large backlog may take."""
_SETTLED = frozenset(
    {ConnectionState.ONLINE, ConnectionState.OFFLINE, ConnectionState.SIGNED_OUT, ConnectionState.FAILED}
)


@contextmanager
def synced_store(arguments: argparse.Namespace) -> Iterator[Store]:
    """Open the chosen profile's store and wait until it is up to date, or is known not to become so.

    With the service out of reach what is on this machine is shown and that is said; with nothing here, or nobody
    signed in, it raises why.
    """
    locations = find_locations()
    profile = chosen_profile(arguments, locations)
    store = store_of(profile, locations)
    store.open()
    try:
        connection = _settled(store)
        if connection.state is ConnectionState.SIGNED_OUT:
            raise SignInNeeded(f"{connection.sentence} Use: backlit login {profile.url or 'URL'}")
        if connection.state is not ConnectionState.ONLINE:
            if not store.projects():
                raise BacklitError(connection.sentence)
            print(f"backlit: {plain(connection.sentence)} This is what was here.", file=sys.stderr)
        yield store
    finally:
        store.close()


def _settled(store: Store) -> Connection:
    changed = threading.Event()

    def note(change: Change) -> None:
        if change.kind is Subject.CONNECTION:
            changed.set()

    unsubscribe = store.subscribe(note)
    store.start()
    try:
        while store.connection.state not in _SETTLED:
            if not changed.wait(PATIENCE):
                raise Offline("The service does not get ready.")
            changed.clear()
        return store.connection
    finally:
        unsubscribe()
