"""A text of many lines that gives back byte for byte what was not touched."""

from backlit.tui.kept_text import merged
from backlit.tui.text import literal
from backlit.tui.widgets.inputs import TextInput


class LongText(TextInput):
    """Takes the lower half of the editor while a long text is edited."""

    def __init__(self) -> None:
        super().__init__(id="long-text")
        self._raw = ""
        self._loaded = ""

    def open(self, label: str, raw: str) -> None:
        """Show a text, from its beginning."""
        self._raw = raw
        self.load_text(raw)
        self._loaded = self.text
        self.border_title = literal(label)
        self.border_subtitle = literal("ctrl+t Markdown  ctrl+e $EDITOR  esc leaves")

    @property
    def edited(self) -> str:
        """The text as it is now."""
        if self.text == self._loaded:
            return self._raw
        return merged(self._raw, [self.document.get_line(row) for row in range(self.document.line_count)])
