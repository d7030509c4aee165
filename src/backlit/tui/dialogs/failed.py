"""What could not be changed, why, and the offer to try only that again."""

from collections.abc import Mapping

from textual.app import ComposeResult
from textual.content import Content
from textual.widgets import Static

from backlit.tui.dialogs.dialog import Dialog
from backlit.tui.text import literal, safe

MOST_LINES = 12


class FailedDialog(Dialog[bool | None]):
    """Lists the items that failed with their reasons; r tries them again, the others are done."""

    def __init__(self, total: int, failed: Mapping[int, str], names: Mapping[int, str]) -> None:
        super().__init__(f"{len(failed):,} of {total:,} could not be changed")
        self._failed = dict(failed)
        self._names = dict(names)
        self.frame.border_subtitle = literal("r try these again  esc leave them")

    def content(self) -> ComposeResult:
        """One line for an item, one for its reason."""
        lines: list[Content] = []
        for item_id, reason in list(self._failed.items())[:MOST_LINES]:
            number = f"#{item_id} " if item_id > 0 else "new "
            lines.append(Content.assemble((number, "$muted"), safe(self._names.get(item_id, ""))))
            lines.append(Content.assemble((f"  {safe(reason)}", "$error")))
        if len(self._failed) > MOST_LINES:
            lines.append(literal(f"… and {len(self._failed) - MOST_LINES:,} more"))
        yield Static(Content("\n").join(lines))

    def type_early(self, character: str) -> None:
        """Try again, or leave."""
        if character == "r":
            self.dismiss(True)
        elif character == "q":
            self.dismiss(None)

    def press(self, key: str) -> bool:
        """Leave."""
        return super().press("escape" if key == "enter" else key)
