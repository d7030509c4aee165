"""Commands on the preview beside a list, and on how much is sent to the terminal."""

from backlit.tui.commands.command import Call
from backlit.tui.lists.target import ListTarget

LINES = 3
"""Lines that one step scrolls the preview by."""


def toggle(target: ListTarget, _call: Call) -> None:
    """Show or hide the preview."""
    target.panes.toggle_preview()


def place(target: ListTarget, _call: Call) -> None:
    """Put the preview at the right or below."""
    target.panes.turn_preview()


def scroll(target: ListTarget, call: Call) -> None:
    """Scroll the preview the way of the argument's sign."""
    target.panes.scroll_preview(LINES * int(call.command.argument) * (call.count or 1))


def toggle_sparing(target: ListTarget, _call: Call) -> None:
    """Send less to the terminal, or all again."""
    is_sparing = not target.items.is_sparing
    target.panes.spare(is_sparing)
    target.say("Low bandwidth: p shows the preview." if is_sparing else "As much as there is to show is sent again.")
