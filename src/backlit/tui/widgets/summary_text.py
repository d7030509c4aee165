"""A text of ours as Markdown, with the focus and its own keys."""

from backlit.tui.commands import Context
from backlit.tui.widgets.text_view import TextView


class SummaryText(TextView, can_focus=True, inherit_bindings=False):
    """Scrolls by keys of the table of commands."""

    CONTEXTS = (Context.SUMMARY,)

    def __init__(self) -> None:
        super().__init__(id="summary")
