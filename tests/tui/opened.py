"""How the application is opened over a store."""

from contextlib import AbstractAsyncContextManager
from typing import Protocol

from textual.pilot import Pilot

from backlit.store import Store


class Open(Protocol):
    """Opens the application over a store; the backlog is on the screen when it is entered."""

    def __call__(self, store: Store, size: tuple[int, int] = (120, 40)) -> AbstractAsyncContextManager[Pilot[None]]: ...
