"""Themes from TOML files, their styles for widgets that draw their own lines, and the signs of types and statuses."""

from bisect import bisect_left
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import fields
from functools import cache
from pathlib import Path
from typing import Any
from weakref import WeakKeyDictionary

from rich.segment import Segment
from rich.style import Style
from textual.app import App
from textual.color import Color, ColorParseError
from textual.css.stylesheet import Stylesheet
from textual.theme import Theme

from backlit.config.folders import shipped_folder
from backlit.config.settings import DEFAULT_THEME
from backlit.model.fields import ItemType
from backlit.model.settings.user_settings import toml_in
from backlit.model.statuses import StatusGroup, StatusGroups
from backlit.tui.drawing.textual_private import has_variables, keep_parsed_sources

VARIABLE_DEFAULTS: Mapping[str, str] = {
    "key-background": "#2a2d36",
    "cursor-background": "#453824",
    "cursor-foreground": "#fff1d6",
    "muted": "#a5a39d",
    "type-task": "#a5a39d",
    "status-open": "#a5a39d",
    "faint": "#888a92",
    "status-excluded": "#888a92",
    "lamp": "#f5a855",
    "lamp-foreground": "#1a1408",
    "rule": "#3c404b",
    "focus": "#9a7038",
    "warn": "#c6bb52",
    "conflict": "#f1897d",
    "pending": "#8ecae6",
    "mark": "#8ecae6",
    "type-feature": "#c3a2e0",
    "type-story": "#7fb8e6",
    "type-bug": "#f08a7e",
    "type-issue": "#e690b5",
    "type-risk": "#e39a78",
    "type-feedback": "#7fcbb9",
    "status-progress": "#6fd0e2",
    "status-test": "#ad9af3",
    "status-done": "#a8d684",
    "bar": "#5683ad",
    "bar-done": "#8fbf6f",
    "bar-over": "#d9534a",
    "bar-track": "#23262e",
    "bar-band": "#454c5a",
    "owner-1": "#ec9eaf",
    "owner-2": "#b2c079",
    "owner-3": "#8dc895",
    "owner-4": "#73cbb0",
    "owner-5": "#71c4e7",
    "owner-6": "#96b8f5",
    "owner-7": "#c0aaec",
    "owner-8": "#e0a0cd",
    "heading-style": "bold",
}
"""Defaults of backlit's own theme variables, so that a theme that leaves one out still parses."""

BLENDED: Mapping[str, tuple[str, float, str]] = {
    "behind-dialog": ("faint", 0.4, "faint"),
    "selected-background": ("mark", 0.14, "background"),
    "flash": ("lamp", 0.3, "lamp"),
    "chart-area": ("bar", 0.38, "faint"),
    "chart-shade": ("bar", 0.5, "faint"),
    "chart-done": ("bar-done", 0.38, "faint"),
    "span-progress": ("status-progress", 0.2, "faint"),
    "span-test": ("status-test", 0.2, "faint"),
    "table-bar": ("type-feedback", 0.5, "faint"),
}
"""Colours between the background and another variable: that one, its share, and the variable used in an ANSI theme."""

CURSOR_BAR, CURRENT_PLACE, CURRENT_ITERATION, TODAY = "cursor-bar", "current-place", "current-iteration", "today"
WORDMARK, FOCUSED_HEAD = "wordmark", "focused-head"
LAMP_USES = frozenset({CURSOR_BAR, CURRENT_PLACE, CURRENT_ITERATION, TODAY, WORDMARK, FOCUSED_HEAD})
"""What has the colour of the lamp: with the flash of a changed cell and the frame of a pane, all that may have it."""
KEY = "key"
"""The style of a key that can be pressed: bold, on a ground of its own where there is room for it."""
FRAME_WIDTH = 100
"""Columns of a terminal from which panes have frames, and keys their ground."""
DIMMED_UNDER_CURSOR = frozenset({"faint", "status-excluded"})
"""Colours too close to the cursor's ground, in place of which `muted` is drawn on it."""
GROUNDS_OF_PANES = frozenset({"surface", "key-background"})
"""Grounds next to the background, which a terminal of few colours does not tell from it."""
PAIRED: Mapping[str, str] = {
    "cursor-background": "cursor-foreground",
    CURRENT_PLACE: "lamp-foreground",
    "flash": "lamp-foreground",
}
"""Grounds, and the one colour that is readable on each of them among the terminal's own colours."""
STAND_INS: Mapping[str, str] = {
    "lamp": "accent",
    "focus": "accent",
    "warn": "warning",
    "key-background": "boost",
    "bar-track": "panel",
}
"""Variables for which a theme without them has a colour of its own that says the same."""
OWNERS = 8
"""Colours of owners."""

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


# Parsed nine times, the styles took 35 ms of a start, and as much again at the first visit of each screen.
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


def use_themes(app: App[Any], wanted: str, folder: Path | None) -> list[str]:
    """Use a theme, and return what is wrong with those of a folder; the other shipped ones are read when offered."""
    problems: list[str] = []
    own = _themes_in(folder.glob("*.toml") if folder else (), problems)
    shipped = {path.stem: path for path in Path(shipped_folder("themes")).glob("*.toml")}
    for name in (wanted, DEFAULT_THEME):
        found = _themes_in([shipped[name]], problems) if name in shipped else {}  # a millisecond a file
        for theme in (found | own).values():
            app.register_theme(theme)
        if name in app.available_themes:
            app.theme = name
            break
    # Each frame of an animation is sent: a dialog that fades in takes 97 KB as Textual sends it, one that appears 49.
    app.animation_level = "none"
    return problems if app.theme == wanted else [*problems, f"Unknown theme “{wanted}”. :theme lists the themes."]


def offered_themes(app: App[Any], folder: Path | None) -> list[Theme]:
    """Return all themes, from now on known to the application."""
    themes, _ = load_themes(folder)
    for theme in themes:
        app.register_theme(theme)
    return themes


def load_themes(extra: Path | None) -> tuple[list[Theme], list[str]]:
    """Return the shipped themes and those of the folder `extra`; a later theme replaces an earlier one of its name.

    The second value is the list of errors, one sentence each. A bad key or colour is left out and the rest of the
    theme kept; a theme without a readable name and primary colour is left out as a whole.
    """
    problems: list[str] = []
    shipped = _themes_in(Path(shipped_folder("themes")).glob("*.toml"), problems)
    own = _themes_in(extra.glob("*.toml") if extra else (), problems)
    return list((shipped | own).values()), problems


def _themes_in(files: Iterable[Path], problems: list[str]) -> dict[str, Theme]:
    themes = (_read(path, problems) for path in sorted(files))
    return {theme.name: theme for theme in themes if theme is not None}


def _read(path: Path, problems: list[str]) -> Theme | None:
    try:
        content = toml_in(path.read_bytes(), Path(path.name))
    except OSError as error:
        problems.append(f"{path.name} could not be read: {error.strerror}.")
        return None
    except ValueError as error:
        problems.append(f"{error}. Correct it; until then the theme is left out.")
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
    right = {name: values[own] for name, own in STAND_INS.items() if own in values} | right
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


def owner_colour(user_id: int, known: Sequence[int]) -> str:
    """Return the colour of a user: that of the id's rank among all known ones, so that few people share one."""
    return f"owner-{bisect_left(known, user_id) % OWNERS + 1}"


def cap_words(keys: str, *, has_caps: bool) -> tuple[str, str]:
    """Return a key to press for a text with styles by name, with a blank on either side where it has a ground."""
    return (f" {keys} ", "bold $foreground on $key-background") if has_caps else (keys, "bold $foreground")


class ThemeStyles:
    """Rich styles by the names of theme variables, made once per theme; in `has_frames` there is room for frames."""

    def __init__(
        self,
        variables: Mapping[str, str],
        *,
        is_colourless: bool = False,
        has_few_colours: bool = False,
        has_frames: bool = False,
    ) -> None:
        self._variables = variables
        self.is_colourless = is_colourless
        self.has_few_colours = has_few_colours
        self.has_frames = has_frames
        self._styles: dict[tuple[str, str | None, bool], Style] = {}
        self._on_surface: ThemeStyles | None = None

    @classmethod
    def of(cls, app: App[object]) -> "ThemeStyles":
        """Return the styles of the app's theme; the same ones until it takes another, or gets room for frames."""
        variables, styles = _STYLES.get(app, (None, None))
        has_frames = app.size.width >= FRAME_WIDTH
        if styles is None or variables is not app.theme_variables or styles.has_frames is not has_frames:
            few = not app.is_headless and app.console.color_system in {"standard", "256"}
            styles = cls(app.theme_variables, is_colourless=app.no_color, has_few_colours=few, has_frames=has_frames)
            _STYLES[app] = app.theme_variables, styles
        return styles

    def style(self, name: str = "foreground", *, on: str | None = None, bold: bool = False) -> Style:
        """Return the style of a theme variable, on another one as background (by default the theme's own)."""
        key = (name, on, bold)
        if key not in self._styles:
            if name == KEY:
                self._styles[key] = self.style(on="key-background" if self.has_frames and on is None else on, bold=True)
                return self._styles[key]
            is_cursor = on == "cursor-background"
            reverse = self.is_colourless and on in {"cursor-background", CURRENT_PLACE}
            # Of the terminal's own colours only these pairs are known to be readable together.
            is_terminals = self._colour(on or "background").ansi is not None
            shown = PAIRED.get(on or "", name) if is_terminals else name
            if is_cursor and shown in DIMMED_UNDER_CURSOR:
                shown = "muted"
            elif is_cursor and shown == "foreground":
                shown = "cursor-foreground"
            self._styles[key] = Style(
                color=self._colour(shown).rich_color,
                bgcolor=self._colour(on or "background").rich_color,
                bold=bold or None,
                reverse=reverse or None,
            )
        return self._styles[key]

    def cap(self, keys: str, *, on: str | None = None) -> Segment:
        """Return a key to press, with a blank on either side where it has a ground of its own."""
        return Segment(f" {keys} " if self.has_frames and on is None else keys, self.style(KEY, on=on))

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

    @property
    def on_surface(self) -> "ThemeStyles":
        """The styles of what stands on a surface by default, as in a dialog."""
        if self._on_surface is None:
            self._on_surface = _SurfaceStyles(
                self._variables,
                is_colourless=self.is_colourless,
                has_few_colours=self.has_few_colours,
                has_frames=self.has_frames,
            )
        return self._on_surface

    def in_one_colour(self) -> "ThemeStyles":
        """Return styles without colours, as each change of colour has to be sent."""
        return _OneColourStyles(self._variables, is_colourless=self.is_colourless)

    def _colour(self, name: str) -> Color:
        if name in LAMP_USES:
            name = "lamp"
        if name in GROUNDS_OF_PANES and self.has_few_colours:
            name = "background"
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


class _SurfaceStyles(ThemeStyles):
    """Styles on a surface, but for keys, which have grounds of their own."""

    def style(self, name: str = "foreground", *, on: str | None = None, bold: bool = False) -> Style:
        return super().style(name, on=on or (None if name == KEY else "surface"), bold=bold)


class _OneColourStyles(ThemeStyles):
    """Styles of one colour; signs carry the information, and headings stay bold."""

    def style(self, name: str = "foreground", *, on: str | None = None, bold: bool = False) -> Style:
        return super().style("foreground", on=on, bold=bold and name in {CURSOR_BAR, "foreground"})
