"""How the application is opened over a store."""

from contextlib import AbstractAsyncContextManager
from typing import Protocol

from tests.store.world import until
from textual.pilot import Pilot

from backlit.store import Store
from backlit.tui.lists.folds import TASKS_KEY
from backlit.tui.lists.saved_views import DEFAULT_VIEW


class Open(Protocol):
    """Opens the application over a store; the backlog is on the screen when it is entered."""

    def __call__(self, store: Store, size: tuple[int, int] = (120, 40)) -> AbstractAsyncContextManager[Pilot[None]]: ...


async def leave_tasks_shown(store: Store) -> None:
    """Have the backlog open as after zR in an earlier run: with all tasks, which a first start folds."""
    key = f"{TASKS_KEY}{DEFAULT_VIEW.name}"
    store.kept.keep(key, [True, []])
    await until(lambda: store.kept.find(key))
