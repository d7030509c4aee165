"""One step back or forward, which must be there."""

from backlit.store import Store
from backlit.store.undo.history import Reversal


async def undone(store: Store) -> Reversal:
    found = await store.history.undo()
    assert found is not None
    return found


async def redone(store: Store) -> Reversal:
    found = await store.history.redo()
    assert found is not None
    return found
