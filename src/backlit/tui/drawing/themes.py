"""Themes from TOML files, their styles for widgets that draw their own lines, and the signs of types and statuses."""

from collections.abc import Mapping
from dataclasses import fields
from functools import cache
from pathlib import Path
from typing import Any
from weakref import WeakKeyDictionary

from rich.style import Style
from textual.app import App
from textual.color import Color, ColorParseError
from textual.css.stylesheet import Stylesheet
from textual.theme import Theme

from backlit.model.fields import ItemType
from backlit.model.settings.user_settings import toml_in
from backlit.model.statuses import StatusGroup, StatusGroups
from backlit.tui.drawing.textual_private import has_variables, keep_parsed_sources

VARIABLE_DEFAULTS: Mapping[str, str] = {
    "type-feature": "#c3a2e0",
    "type-story": "#8fc1e3",
    "type-bug": "#f08a7e",
    "type-issue": "#e690b5",
    "type-risk": "#eb9f6b",
    "type-feedback": "#7fcbb9",
    "type-task": "#a5a39d",
    "status-open": "#a5a39d",
    "status-progress": "#d6cdb4",
    "status-test": "#b4c8d6",
    "status-done": "#a9c49c",
    "status-excluded": "#a0a4ad",
    "muted": "#a5a39d",
    "faint": "#81838b",
    "cursor-background": "#453824",
    "cursor-foreground": "#fff1d6",
    "mark": "#a8cfe2",
    "pending": "#e4e07c",
    "conflict": "#f08a7e",
    "rule": "#454955",
    "bar": "#4f7896",
    "bar-done": "#a9c49c",
    "bar-over": "#c4695f",
    "heading-style": "bold",
}
"""Defaults of backlit's own theme variables, so that a theme that leaves one out still parses."""

BLENDED: Mapping[str, tuple[str, float, str]] = {
    "behind-dialog": ("foreground", 0.45, "faint"),
    "selected-background": ("mark", 0.14, "background"),
    "bar-gap": ("bar", 0.55, "faint"),
}
"""Colours between the background and another variable: that one, its share, and the variable used in an ANSI theme."""

FIELD_TYPES: Mapping[str, type] = {
    "name": str,
    "dark": bool,
    "ansi": bool,
    "luminosity_spread": float,
    "text_alpha": float,
}
TEXT_STYLES = frozenset({"none", "not", "bold", "dim", "italic", "underline", "reverse", "strike"})
ANSI_DEFAULTS: Mapping[str, str] = {"ansi-background": "ansi_default", "ansi-foreground": "ansi_default"}
COLOURS = frozenset(field.name for field in fields(Theme)) - frozenset(FIELD_TYPES) - {"variables"}


class CachedStylesheet(Stylesheet):
    """A style sheet that parses a source once for the same variables.

    Textual parses every source again for each screen with styles of its own, and after each change of the theme.
    """

    _SOURCES = 1024

    def __init__(self, variables: dict[str, str]) -> None:
        super().__init__(variables=variables)
        keep_parsed_sources(self, self._SOURCES)

    def set_variables(self, variables: dict[str, str]) -> None:
        """Set the variables; the parsed sources are kept where none changed."""
        if not has_variables(self, variables):
            super().set_variables(variables)

    def reparse(self) -> None:
        self.parse()


def use_themes(app: App[Any], wanted: str, folder: Path | None) -> tuple[list[Theme], list[str]]:
    """Offer the themes, also those of a folder, and use one; return the themes, and what is wrong with them."""
    found, problems = load_themes(folder)
    for each in found:
        app.register_theme(each)
    app.theme = wanted if wanted in app.available_themes else "backlit"
    app.animation_level = "none"
    return found, problems if app.theme == wanted else [*problems, f"Unknown theme “{wanted}”. tT lists the themes."]


def load_themes(extra: Path | None) -> tuple[list[Theme], list[str]]:
    """Return the shipped themes and those of the folder `extra`; a later theme replaces an earlier one of its name.

    The second value is the list of errors, one sentence each. A bad key or colour is left out and the rest of the
    theme kept; a theme without a readable name and primary colour is left out as a whole.
    """
    themes: dict[str, Theme] = {}
    problems: list[str] = []
    for folder in (_shipped_folder(), extra):
        for path in sorted(folder.glob("*.toml")) if folder else ():
            theme = _read(path, problems)
            if theme is not None:
                themes[theme.name] = theme
    return list(themes.values()), problems


def _shipped_folder() -> Path:
    """Return the folder inside the installed package, or beside src in a checkout."""
    here = Path(__file__).resolve()
    installed = here.parents[2] / "themes"
    return installed if installed.is_dir() else here.parents[4] / "themes"


def _read(path: Path, problems: list[str]) -> Theme | None:
    try:
        content = toml_in(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        problems.append(f"{path.name} could not be read: {error}.")
        return None
    variables = content.pop("variables", {})
    values = {key: value for key, value in content.items() if _is_right(path, key, value, problems)}
    if not values.get("name") or "primary" not in values:
        problems.append(f"{path.name} is not a theme: it needs a name and a primary colour.")
        return None
    if not isinstance(variables, dict):
        problems.append(f"{path.name}: variables is not a table; left out.")
        variables = {}
    right = {name: value for name, value in variables.items() if _is_right_variable(path, name, value, problems)}
    if values.get("ansi"):  # Textual's own styles read these two and have no values for them
        right = {**ANSI_DEFAULTS, **right}
    return Theme(**values, variables=right)


def _is_right(path: Path, key: str, value: Any, problems: list[str]) -> bool:
    if key in COLOURS:
        return _is_colour(path, key, value, problems)
    wanted = FIELD_TYPES.get(key)
    if wanted is None:
        problems.append(f"{path.name}: a theme has no key {key!r}; left out.")
        return False
    if isinstance(value, wanted):
        return True
    problems.append(f"{path.name}: {key} must be a {wanted.__name__}, not {value!r}; left out.")
    return False


def _is_right_variable(path: Path, name: str, value: Any, problems: list[str]) -> bool:
    if name not in VARIABLE_DEFAULTS and name not in _textual_variables():
        problems.append(f"{path.name}: there is no variable {name!r}; left out.")
        return False
    if "style" in name:
        if isinstance(value, str) and set(value.split()) <= TEXT_STYLES:
            return True
        problems.append(f"{path.name}: {name} = {value!r} is not a text style; left out.")
        return False
    return _is_colour(path, name, value, problems)


def _is_colour(path: Path, name: str, value: Any, problems: list[str]) -> bool:
    if isinstance(value, str):
        try:
            Color.parse(value)
        except ColorParseError:
            pass
        else:
            return True
    problems.append(f"{path.name}: {name} = {value!r} is not a colour; left out.")
    return False


@cache
def _textual_variables() -> frozenset[str]:
    systems = [Theme(name="any", primary="#000000", ansi=ansi).to_color_system() for ansi in (False, True)]
    return frozenset(name for system in systems for name in system.generate())


TYPE_SIGNS: Mapping[str, str] = {
    ItemType.FEATURE: "▲",
    ItemType.STORY: "◆",
    ItemType.BUG: "×",
    ItemType.ISSUE: "■",
    ItemType.RISK: "◇",
    ItemType.FEEDBACK: "»",
    ItemType.TASK: "□",
}
STATUS_SIGNS: Mapping[StatusGroup, str] = {
    StatusGroup.NOT_STARTED: "○",
    StatusGroup.IN_PROGRESS: "◐",
    StatusGroup.READY_FOR_TEST: "◑",
    StatusGroup.DONE: "●",
    StatusGroup.EXCLUDED: "⊘",
    StatusGroup.UNKNOWN: "?",
}
STATUS_COLOURS: Mapping[StatusGroup, str] = {
    StatusGroup.NOT_STARTED: "status-open",
    StatusGroup.IN_PROGRESS: "status-progress",
    StatusGroup.READY_FOR_TEST: "status-test",
    StatusGroup.DONE: "status-done",
    StatusGroup.EXCLUDED: "status-excluded",
    StatusGroup.UNKNOWN: "muted",
}


def type_sign(item_type: str) -> str:
    return TYPE_SIGNS.get(item_type, "?")


def type_colour(item_type: str) -> str:
    return f"type-{item_type.lower()}" if item_type in TYPE_SIGNS else "muted"


def status_sign(status: str | None, groups: StatusGroups) -> str:
    return STATUS_SIGNS[groups.of(status)] if status else " "


def status_colour(status: str | None, groups: StatusGroups) -> str:
    return STATUS_COLOURS[groups.of(status)]


class ThemeStyles:
    """Rich styles by the names of theme variables, made once per theme."""

    def __init__(self, variables: Mapping[str, str], *, is_colourless: bool = False) -> None:
        self._variables = variables
        self.is_colourless = is_colourless
        self._styles: dict[tuple[str, str | None, bool], Style] = {}

    @classmethod
    def of(cls, app: App[object]) -> "ThemeStyles":
        """Return the styles of the app's theme; the same ones until it takes another."""
        variables, styles = _STYLES.get(app, (None, None))
        if styles is None or variables is not app.theme_variables:
            styles = cls(app.theme_variables, is_colourless=app.no_color)
            _STYLES[app] = app.theme_variables, styles
        return styles

    def style(self, name: str = "foreground", *, on: str | None = None, bold: bool = False) -> Style:
        """Return the style of a theme variable, on another one as background (by default the theme's own)."""
        key = (name, on, bold)
        if key not in self._styles:
            is_cursor = on == "cursor-background"
            reverse = self.is_colourless and is_cursor
            # Of the terminal's own colours only this pair is known to be readable together.
            shown = "cursor-foreground" if is_cursor and self._colour(on or "").ansi is not None else name
            self._styles[key] = Style(
                color=self._colour(shown).rich_color,
                bgcolor=self._colour(on or "background").rich_color,
                bold=bold or None,
                reverse=reverse or None,
            )
        return self._styles[key]

    def tint(self, on: str) -> Style:
        """Return the style that puts texts of any colour on a background."""
        style = self.style(on=on)
        is_terminals = self._colour(on).ansi is not None
        return Style(color=style.color if is_terminals else None, bgcolor=style.bgcolor, reverse=style.reverse)

    def heading(self, name: str = "foreground", *, on: str | None = None) -> Style:
        """Return the style of a heading, which is bold, and underlined in a theme that says so."""
        is_underlined = "underline" in self._variables.get("heading-style", "").split()
        style = self.style(name, on=on, bold=True)
        return style + Style(underline=True) if is_underlined else style

    def in_one_colour(self) -> "ThemeStyles":
        """Return styles without colours, as each change of colour has to be sent."""
        return _OneColourStyles(self._variables, is_colourless=self.is_colourless)

    def _colour(self, name: str) -> Color:
        if name in BLENDED:
            other, share, in_ansi = BLENDED[name]
            ground = self._colour("background")
            return self._colour(in_ansi) if ground.ansi is not None else ground.blend(self._colour(other), share)
        try:
            colour = Color.parse(self._variables.get(name) or self._variables["foreground"])
        except ColorParseError:
            return Color.parse(self._variables["foreground"])
        # Among the terminal's own colours Textual makes panels transparent, which would be sent as black.
        return colour if colour.a else Color.parse(self._variables["background"])


_STYLES = WeakKeyDictionary[App[object], tuple[Mapping[str, str], ThemeStyles]]()


class _OneColourStyles(ThemeStyles):
    """Styles of one colour; signs carry the information, and headings stay bold."""

    def style(self, name: str = "foreground", *, on: str | None = None, bold: bool = False) -> Style:
        return super().style("foreground", on=on, bold=bold and name in {"accent", "foreground"})
