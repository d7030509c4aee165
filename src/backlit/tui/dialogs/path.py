"""A line for a path, which tab goes on with."""

import asyncio
from collections.abc import Callable, Sequence

from backlit.tui.dialogs.line import LineDialog
from backlit.tui.paths import completions, gone_on
from backlit.tui.work import work

MOST_SHOWN = 12


class PathDialog(LineDialog):
    """Asks for a path; tab completes it and lists what there is, folders with a slash."""

    def __init__(self, title: str, text: str, check: Callable[[str], str | None], note: str = "") -> None:
        super().__init__(title, text, check, note=note)
        self.frame.border_subtitle = "tab completes  enter accepts  esc leaves"
        self.frame.styles.width = 80

    def press(self, key: str) -> bool:
        """Complete, accept or leave."""
        if key != "tab":
            return super().press(key)
        self.run_worker(work(self._complete, self.input.value), exclusive=True, group="complete")
        return True

    async def _complete(self, text: str) -> None:
        found = await asyncio.to_thread(completions, text)
        if text == self.input.value:
            self._take(text, found)

    def _take(self, text: str, found: Sequence[str]) -> None:
        self.input.value = gone_on(text, found)
        self.input.cursor_position = len(self.input.value)
        if len(found) != 1:
            names = [each.rstrip("/").rpartition("/")[2] + "/" * each.endswith("/") for each in found]
            more = f" … {len(names) - MOST_SHOWN:,} more" if len(names) > MOST_SHOWN else ""
            self.tell("  ".join(names[:MOST_SHOWN]) + more or "Nothing begins like that.")
