"""Styles of the theme for widgets that draw their own lines, and the signs of types and statuses."""

from collections.abc import Mapping

from rich.style import Style
from textual.app import App
from textual.color import Color, ColorParseError

from backlit.model.fields import ItemType
from backlit.model.statuses import StatusGroup, group_of

TYPE_SIGNS: Mapping[str, str] = {
    ItemType.FEATURE: "▲",
    ItemType.STORY: "◆",
    ItemType.BUG: "×",
    ItemType.ISSUE: "■",
    ItemType.RISK: "◇",
    ItemType.FEEDBACK: "»",
    ItemType.TASK: "·",
}
STATUS_SIGNS: Mapping[StatusGroup, str] = {
    StatusGroup.NOT_STARTED: "○",
    StatusGroup.IN_PROGRESS: "◐",
    StatusGroup.READY_FOR_TEST: "◑",
    StatusGroup.DONE: "●",
    StatusGroup.EXCLUDED: "⊘",
}
_STATUS_COLOURS: Mapping[StatusGroup, str] = {
    StatusGroup.NOT_STARTED: "status-open",
    StatusGroup.IN_PROGRESS: "status-progress",
    StatusGroup.READY_FOR_TEST: "status-test",
    StatusGroup.DONE: "status-done",
    StatusGroup.EXCLUDED: "status-excluded",
}
_STATUS_WORDS: Mapping[str, str] = {
    "Not Done": "Not",
    "In Progress": "Prog",
    "Ready For Test": "Test",
    "Done": "Done",
    "Deferred": "Defer",
    "Deleted": "Del",
    "Active": "Actv",
    "Closed": "Clsd",
}


def type_sign(item_type: str) -> str:
    """Return the sign of a type; ? for an unknown one."""
    return TYPE_SIGNS.get(item_type, "?")


def type_colour(item_type: str) -> str:
    """Return the theme variable that colours a type's sign."""
    return f"type-{item_type.lower()}" if item_type in TYPE_SIGNS else "muted"


def status_sign(status: str | None) -> str:
    """Return the sign of a status; a blank without one."""
    return STATUS_SIGNS[group_of(status)] if status else " "


def status_colour(status: str | None) -> str:
    """Return the theme variable that colours a status."""
    return _STATUS_COLOURS[group_of(status)]


def status_word(status: str | None) -> str:
    """Return a status in at most five letters, for columns."""
    return _STATUS_WORDS.get(status or "", (status or "")[:5])


class ThemeStyles:
    """Rich styles by the names of theme variables, made once per theme."""

    def __init__(self, variables: Mapping[str, str], *, is_colourless: bool = False) -> None:
        self._variables = variables
        self.is_colourless = is_colourless
        self._styles: dict[tuple[str, str | None, bool, bool], Style] = {}

    @classmethod
    def of(cls, app: App[object]) -> "ThemeStyles":
        """Return the styles of the app's theme."""
        return cls(app.theme_variables, is_colourless=app.no_color)

    def style(
        self, name: str = "foreground", *, on: str | None = None, bold: bool = False, strike: bool = False
    ) -> Style:
        """Return the style of a theme variable, on another one as background (by default the theme's own)."""
        key = (name, on, bold, strike)
        if key not in self._styles:
            is_cursor = on == "cursor-background"
            reverse = self.is_colourless and is_cursor
            # Of the terminal's own colours only this pair is known to be readable together.
            shown = "cursor-foreground" if is_cursor and self._colour(on or "").ansi is not None else name
            self._styles[key] = Style(
                color=self._colour(shown).rich_color,
                bgcolor=self._colour(on or "background").rich_color,
                bold=bold or None,
                strike=strike or None,
                reverse=reverse or None,
            )
        return self._styles[key]

    def in_one_colour(self) -> "ThemeStyles":
        """Return styles without colours, as each change of colour has to be sent."""
        return _OneColourStyles(self._variables, is_colourless=self.is_colourless)

    def _colour(self, name: str) -> Color:
        try:
            return Color.parse(self._variables.get(name) or self._variables["foreground"])
        except ColorParseError:
            return Color.parse(self._variables["foreground"])


class _OneColourStyles(ThemeStyles):
    """Styles of one colour; signs carry the information, and headings stay bold."""

    def style(
        self, name: str = "foreground", *, on: str | None = None, bold: bool = False, strike: bool = False
    ) -> Style:
        """Return a style in the foreground colour."""
        return super().style("foreground", on=on, bold=bold and name in {"accent", "foreground"}, strike=strike)
