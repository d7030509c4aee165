"""Themes: what is shipped is legible, and a broken file costs only what is broken in it."""

from collections.abc import Iterator
from functools import cache
from itertools import pairwise, product
from pathlib import Path

import pytest
from rich.segment import Segment
from tests.quiet import strips_of
from tests.screenshots import opened, settled, write_workspace
from textual.app import App
from textual.color import Color
from textual.theme import Theme

from backlit.tui.drawing.themes import (
    BLENDED,
    TEXT_STYLES,
    VARIABLE_DEFAULTS,
    CachedStylesheet,
    ThemeStyles,
    load_themes,
)

SHIPPED, SHIPPED_PROBLEMS = load_themes(None)
BY_NAME = {theme.name: theme for theme in SHIPPED}
SIGNS = tuple(name for name in VARIABLE_DEFAULTS if name.startswith(("type-", "status-")))
TEXTS = ("foreground", "primary", "secondary", "accent", "success", "warning", "error", "muted", "mark", "pending")
BARS = ("bar", "bar-done", "bar-over")
LEAST_OF_TEXT = {"backlit": 4.5, "paper": 4.5, "contrast": 7.0}
LEAST_BEHIND = 2.5
"""The contrast of the screen behind a dialog, which is there for orientation."""
BLOCKS = frozenset("▏▎▍▌▋▊▉█▁▂▃▄▅▆▇▒│ ")
LINES = frozenset("─│┤┬┴╭╮╰╯░▄▁▂▃▄▅▆▇")
BLUE, BRIGHT_WHITE = 4, 15
"""The terminal's own colours of the cursor row."""
GROUNDS = frozenset({0, 7})
"""Black and white, one of which is the ground of many terminals."""
BACKGROUNDS = ("background", "surface", "panel", "cursor-background", "selected-background")


@cache
def colours_of(name: str) -> dict[str, Color]:
    theme = BY_NAME[name]
    values = {**theme.to_color_system().generate(), **theme.variables}
    colours = {name: Color.parse(value) for name, value in values.items() if value.startswith("#")}
    styles = ThemeStyles(values)
    blended = {name: styles.style(name).color for name in BLENDED}
    return colours | {name: Color.from_rich_color(colour) for name, colour in blended.items() if colour is not None}


def luminance(colour: Color) -> float:
    """Relative luminance as WCAG 2 defines it."""

    def linear(part: int) -> float:
        value = part / 255
        return value / 12.92 if value <= 0.04045 else ((value + 0.055) / 1.055) ** 2.4

    red, green, blue = (linear(part) for part in colour.rgb)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def ratio(one: Color, other: Color) -> float:
    darker, lighter = sorted((luminance(one), luminance(other)))
    return (lighter + 0.05) / (darker + 0.05)


def pairs(theme: Theme, texts: tuple[str, ...]) -> Iterator[tuple[str, float]]:
    colours = colours_of(theme.name)
    for text, background in product(texts, BACKGROUNDS):
        yield f"{text} on {background}", ratio(colours[text], colours[background])


def test_four_themes_are_shipped_without_a_complaint() -> None:
    assert (sorted(BY_NAME), SHIPPED_PROBLEMS) == (["ansi", "backlit", "contrast", "paper"], [])


@pytest.mark.parametrize("name", BY_NAME)
def test_a_shipped_theme_sets_every_variable_of_ours(name: str) -> None:
    assert set(VARIABLE_DEFAULTS) <= set(BY_NAME[name].variables)


def test_defaults_are_the_dark_themes_own() -> None:
    assert dict(VARIABLE_DEFAULTS) == {name: BY_NAME["backlit"].variables[name] for name in VARIABLE_DEFAULTS}


@pytest.mark.parametrize(("name", "least"), LEAST_OF_TEXT.items())
def test_text_is_legible_on_every_background_it_is_drawn_on(name: str, least: float) -> None:
    texts = (*TEXTS, *SIGNS, "conflict", "cursor-foreground")

    assert [f"{pair}: {value:.2f}" for pair, value in pairs(BY_NAME[name], texts) if value < least] == []


@pytest.mark.parametrize(("name", "least"), [("backlit", 3.0), ("paper", 3.0), ("contrast", 7.0)])
def test_faint_text_can_still_be_read(name: str, least: float) -> None:
    assert [f"{pair}: {value:.2f}" for pair, value in pairs(BY_NAME[name], ("faint",)) if value < least] == []


@pytest.mark.parametrize("name", ["backlit", "paper", "contrast"])
def test_what_to_press_and_what_to_mend_differ_in_hue(name: str) -> None:
    colours = colours_of(name)
    hues = [360 * colours[each].hsl.h for each in ("conflict", "accent", "pending")]

    assert all(later - earlier > 15 for earlier, later in pairwise(hues)), hues


@pytest.mark.parametrize("name", ["backlit", "paper", "contrast"])
def test_the_cursor_row_rules_and_bars_stand_out_from_the_ground(name: str) -> None:
    colours = colours_of(name)
    least = {"cursor-background": 1.6, "rule": 2.0, "bar": 3.0, "bar-done": 3.0, "bar-over": 3.0}

    assert [each for each in least if ratio(colours[each], colours["background"]) < least[each]] == []
    assert (
        LEAST_BEHIND
        <= ratio(colours["behind-dialog"], colours["background"])
        < ratio(colours["muted"], colours["background"])
    )
    assert 1.4 <= ratio(colours["bar-gap"], colours["background"]) <= ratio(colours["bar"], colours["background"]) / 1.4
    assert ratio(colours["selected-background"], colours["background"]) >= 1.15
    assert [each for each in BARS if ratio(colours[each], colours["cursor-background"]) < 2.0] == []


@pytest.fixture(scope="module")
def workspace(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_workspace(tmp_path_factory.mktemp("workspace"))


@pytest.mark.slow
@pytest.mark.parametrize(
    "scene", ["backlog-selected", "conflict", "editor", "groom", "inbox", "keys", "plan", "reports-age", "sign-in"]
)
async def test_what_a_screen_draws_is_legible_in_every_theme(scene: str, workspace: Path, tmp_path: Path) -> None:
    async with opened(scene, tmp_path, workspace, (120, 40)) as pilot:
        for name, theme in BY_NAME.items():
            pilot.app.theme = name
            if scene == "conflict":
                await pilot.press("j", "k")  # draws the fields anew; no key changes the theme below a dialog
            await settled(pilot)

            segments = [each for strip in strips_of(pilot.app) for each in strip if each.text.strip()]
            assert (name, [fault for each in segments if (fault := fault_of(each, theme))]) == (name, [])


@pytest.mark.slow
async def test_no_cell_of_a_narrow_board_shows_the_terminals_own_ground(workspace: Path, tmp_path: Path) -> None:
    async with opened("board", tmp_path, workspace, (60, 20)) as pilot:
        cells = [each for strip in strips_of(pilot.app) for each in strip]

        assert [each.text for each in cells if each.style is None or each.style.bgcolor is None] == []


def fault_of(segment: Segment, theme: Theme) -> str:
    """What is wrong with the colours of a piece of a screen; empty if nothing."""
    style = segment.style
    assert style is not None
    assert style.color is not None
    assert style.bgcolor is not None
    if theme.ansi:
        own, under = style.color.number, style.bgcolor.number
        is_own = not style.color.triplet and not style.bgcolor.triplet
        is_seen = (own == BRIGHT_WHITE or under != BLUE) and not {own, under} & GROUNDS
        return "" if is_own and is_seen else f"{segment.text!r} is {style.color.name} on {style.bgcolor.name}"
    text, ground = Color.from_rich_color(style.color), Color.from_rich_color(style.bgcolor)
    if text == ground == colours_of(theme.name)["rule"]:
        return ""  # a scrollbar, which stands out as rules do
    if set(segment.text) & LINES and text == colours_of(theme.name)["rule"]:
        least = 2.0
    elif text == colours_of(theme.name)["behind-dialog"]:
        least = LEAST_BEHIND
    elif not set(segment.text) - BLOCKS:
        least = 2.0 if ground == colours_of(theme.name)["cursor-background"] else 3.0
    else:
        least = LEAST_OF_TEXT[theme.name]
    found = ratio(text, ground)
    return "" if found >= least else f"{segment.text!r} is {text.hex} on {ground.hex}: {found:.2f}"


def test_the_ansi_theme_uses_only_the_terminals_own_colours() -> None:
    theme = BY_NAME["ansi"]
    values = [
        value
        for value in (*theme.variables.values(), theme.primary, theme.background or "")
        if "ansi" not in value and not set(value.split()) <= TEXT_STYLES
    ]

    assert (theme.ansi, values) == (True, [])


@pytest.mark.parametrize("name", BY_NAME)
async def test_an_app_can_be_drawn_in_every_shipped_theme(name: str) -> None:
    app: App[None] = App()
    app.register_theme(BY_NAME[name])

    async with app.run_test(size=(40, 6)) as pilot:
        app.theme = name
        await pilot.pause()

        assert app.current_theme.name == name


def write(folder: Path, text: str) -> Path:
    (folder / "mine.toml").write_text(text, encoding="utf-8")
    return folder


def test_a_bad_colour_is_named_and_the_rest_of_the_theme_kept(tmp_path: Path) -> None:
    folder = write(
        tmp_path, 'name = "mine"\nprimary = "#112233"\naccent = "#zz"\n[variables]\nmark = "red"\nrule = 7\n'
    )

    themes, problems = load_themes(folder)

    mine = themes[-1]
    assert (mine.name, mine.primary, mine.accent, mine.variables) == ("mine", "#112233", None, {"mark": "red"})
    assert problems == [
        "mine.toml: accent = '#zz' is not a colour; left out.",
        "mine.toml: rule = 7 is not a colour; left out.",
    ]


def test_unknown_keys_and_variables_are_named(tmp_path: Path) -> None:
    folder = write(
        tmp_path, 'name = "mine"\nprimary = "red"\nprimery = "blue"\ndark = "no"\n[variables]\ntype-strory = "red"\n'
    )

    assert load_themes(folder)[1] == [
        "mine.toml: a theme has no key 'primery'; left out.",
        "mine.toml: dark must be a bool, not 'no'; left out.",
        "mine.toml: there is no variable 'type-strory'; left out.",
    ]


def test_text_styles_are_checked_too(tmp_path: Path) -> None:
    styles = 'link-style = "bold underline"\nblock-cursor-text-style = "loud"\n'
    folder = write(tmp_path, f'name = "mine"\nprimary = "red"\n[variables]\n{styles}')

    themes, problems = load_themes(folder)

    assert themes[-1].variables == {"link-style": "bold underline"}
    assert problems == ["mine.toml: block-cursor-text-style = 'loud' is not a text style; left out."]


@pytest.mark.parametrize(
    "text",
    [
        'primary = "red"',
        'name = "mine"',
        'name = "mine"\nprimary = "no"',
        "name = ",
        "\udcff",
        pytest.param("a = " + "[" * 100_000, id="deep"),
    ],
)
def test_a_file_that_is_no_theme_is_left_out_and_named(tmp_path: Path, text: str) -> None:
    (tmp_path / "mine.toml").write_bytes(text.encode("utf-8", "surrogateescape"))

    themes, problems = load_themes(tmp_path)

    assert (len(themes), problems[-1][:9]) == (4, "mine.toml")


def test_a_theme_of_the_users_takes_the_place_of_a_shipped_one(tmp_path: Path) -> None:
    folder = write(tmp_path, 'name = "paper"\nprimary = "#010203"\n')

    themes, problems = load_themes(folder)

    assert ([theme.primary for theme in themes if theme.name == "paper"], problems) == (["#010203"], [])


def test_a_missing_folder_is_not_an_error(tmp_path: Path) -> None:
    assert load_themes(tmp_path / "none")[1] == []


def test_styles_are_parsed_again_only_for_other_variables() -> None:
    styles = CachedStylesheet({"ground": "#112233"})
    styles.add_source("Label { background: $ground; }")
    (first,) = styles.rules

    styles.set_variables({"ground": "#112233"})
    styles.reparse()
    (same,) = styles.rules
    styles.set_variables({"ground": "#445566"})
    styles.reparse()
    (other,) = styles.rules

    assert same is first
    assert first.styles.background == Color.parse("#112233")
    assert other.styles.background == Color.parse("#445566")
