"""Keeps the screens running after a StorageError: shows the message, keeps the old content."""

from collections.abc import Iterator
from contextlib import contextmanager

from textual.message import Message
from textual.message_pump import CallbackError, MessagePump

from backlit.model.errors import BacklitError, StorageError
from backlit.tui.drawing.text import safe

SECONDS = 6
_ENDS = frozenset({"_process_messages_loop", "_pre_process"})
"""Methods of a message pump whose error ends it."""


@contextmanager
def showing_storage_errors(pump: MessagePump) -> Iterator[None]:
    """Show a StorageError of a message's handling, which would otherwise end the pump."""
    try:
        yield
    except (StorageError, CallbackError) as error:
        failed = storage_error_of(error)
        if failed is None:
            raise
        show_error(pump, failed)


class StorageErrorGuard(MessagePump):
    """Mixin for panes that read the store while they handle a message."""

    async def _dispatch_message(self, message: Message) -> None:
        """Handle a message."""
        with showing_storage_errors(self):
            await super()._dispatch_message(message)


def storage_error_of(error: BaseException) -> StorageError | None:
    """Return the StorageError that an error is or was caused by; Textual wraps those of timers and workers."""
    for each in (error, error.__context__, getattr(error, "error", None)):
        if isinstance(each, StorageError):
            return each
    return None


def is_survivable(error: Exception) -> bool:
    """Return whether only a worker or a callback ended with an error, not a message pump."""
    caught = error.__traceback__
    return caught is None or caught.tb_frame.f_code.co_name not in _ENDS


def show_error(pump: MessagePump, error: BacklitError) -> None:
    """Show the message."""
    pump.app.notify(safe(error.message), severity="error", timeout=SECONDS, markup=False)
