"""Keeps the screens running after a StorageError: shows the message, keeps the old content."""

from textual.message import Message
from textual.message_pump import CallbackError, MessagePump

from backlit.model.errors import BacklitError, StorageError
from backlit.tui.drawing.text import safe
from backlit.tui.drawing.textual_private import ENDS_OF_PUMPS, MessageHook

STORAGE_ERROR_SECONDS = 6


class StorageErrorGuard(MessageHook):
    """Mixin for what reads the store while it handles a message: shows a StorageError, which would end the pump."""

    async def handle_message(self, message: Message) -> None:
        try:
            await super().handle_message(message)
        except (StorageError, CallbackError) as error:
            failed = storage_error_of(error)
            if failed is None:
                raise
            show_error(self, failed)


def storage_error_of(error: BaseException) -> StorageError | None:
    """Return the StorageError that an error is or was caused by; Textual wraps those of timers and workers."""
    for each in (error, error.__context__, getattr(error, "error", None)):
        if isinstance(each, StorageError):
            return each
    return None


def is_survivable(error: Exception) -> bool:
    """Return whether only a worker or a callback ended with an error, not a message pump."""
    caught = error.__traceback__
    return caught is None or caught.tb_frame.f_code.co_name not in ENDS_OF_PUMPS


def show_error(pump: MessagePump, error: BacklitError) -> None:
    pump.app.notify(safe(error.message), severity="error", timeout=STORAGE_ERROR_SECONDS, markup=False)
