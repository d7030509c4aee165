"""The note at the foot of the screen that keys wait."""

from textual.content import Content
from textual.widgets import Static


class WaitingKeys(Static):
    """The number of keys that wait for a command to end."""

    def __init__(self, count: int) -> None:
        super().__init__(_words(count))

    def say(self, count: int) -> None:
        """Show another number."""
        self.update(_words(count), layout=False)


def _words(count: int) -> Content:
    return Content(f" {count:,} {'key waits' if count == 1 else 'keys wait'}; esc drops them ")
