"""Themes: what is shipped is legible, and a broken file costs only what is broken in it."""

import re
from functools import cache
from itertools import product
from pathlib import Path

import pytest
from rich.segment import Segment
from tests.quiet import strips_of
from tests.screenshots import opened, settled, write_workspace
from textual.app import App
from textual.color import Color
from textual.theme import Theme

from backlit.tui.drawing import themes
from backlit.tui.drawing.themes import (
    BLENDED,
    LAMP_USES,
    OWNERS,
    TEXT_STYLES,
    VARIABLE_DEFAULTS,
    CachedStylesheet,
    ThemeStyles,
    load_themes,
    offered_themes,
    owner_colour,
    use_themes,
)

SHIPPED, SHIPPED_PROBLEMS = load_themes(None)
BY_NAME = {theme.name: theme for theme in SHIPPED}
COLOURED = ("backlit", "paper", "contrast")
"""The themes with colours of their own; those of ansi are the terminal's."""
OWNER_COLOURS = tuple(f"owner-{number}" for number in range(1, OWNERS + 1))
SIGNS = tuple(name for name in VARIABLE_DEFAULTS if name.startswith(("type-", "status-")))
SOFT = frozenset({"faint", "status-excluded"})
"""Colours in place of which `muted` is drawn under the cursor."""
TEXTS = ("muted", "lamp", "warn", "conflict", "error", "mark", "pending", *SIGNS, *OWNER_COLOURS)
BARS = ("bar", "bar-done", "bar-over")
LEAST_OF_TEXT = {"backlit": 4.4, "paper": 4.5, "contrast": 6.0}
LEAST_OF_CURSOR = {"backlit": 1.6, "paper": 1.3, "contrast": 1.6}
LAMP_IN_STYLES = {"styles/dialogs.tcss", "styles/welcome.tcss", "items/conflict_dialog.py"}
"""Files whose cursor is drawn by a style sheet or a text with styles, which have no other name for its colour."""
LEAST_BEHIND = 1.75
"""The contrast of the screen behind a dialog, which is there for orientation."""
BLOCKS = frozenset("▏▎▍▌▋▊▉█▁▂▃▄▅▆▇▒│ ")
LINES = frozenset("─│┃┤┬┴╭╮╰╯░▄▁▂▃▄▅▆▇")
BLUE, BRIGHT_WHITE = 4, 15
"""The terminal's own colours of the cursor row."""
BLACK, YELLOW = 0, 3
"""Those of the current place."""
GROUNDS = frozenset({0, 7})
"""Black and white, one of which is the ground of many terminals."""


@cache
def colours_of(name: str) -> dict[str, Color]:
    theme = BY_NAME[name]
    values = {**theme.to_color_system().generate(), **theme.variables}
    colours = {name: Color.parse(value) for name, value in values.items() if value.startswith("#")}
    styles = ThemeStyles(values)
    blended = {name: styles.style(name).color for name in BLENDED}
    return colours | {name: Color.from_rich_color(colour) for name, colour in blended.items() if colour is not None}


def linear(colour: Color) -> list[float]:
    parts = (part / 255 for part in colour.rgb)
    return [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]


def luminance(colour: Color) -> float:
    """Relative luminance as WCAG 2 defines it."""
    red, green, blue = linear(colour)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def ratio(one: Color, other: Color) -> float:
    darker, lighter = sorted((luminance(one), luminance(other)))
    return (lighter + 0.05) / (darker + 0.05)


def difference(one: Color, other: Color) -> float:
    """The difference that people see between two colours, as CIE 1976 has it."""

    def lab(colour: Color) -> tuple[float, float, float]:
        red, green, blue = linear(colour)
        x = (0.4124 * red + 0.3576 * green + 0.1805 * blue) / 0.9505
        y = 0.2126 * red + 0.7152 * green + 0.0722 * blue
        z = (0.0193 * red + 0.1192 * green + 0.9505 * blue) / 1.089
        x, y, z = (each ** (1 / 3) if each > 0.008856 else 7.787 * each + 16 / 116 for each in (x, y, z))
        return 116 * y - 16, 500 * (x - y), 200 * (y - z)

    return float(sum((a - b) ** 2 for a, b in zip(lab(one), lab(other), strict=True)) ** 0.5)


def test_four_themes_are_shipped_without_a_complaint() -> None:
    assert (sorted(BY_NAME), SHIPPED_PROBLEMS) == (["ansi", "backlit", "contrast", "paper"], [])


@pytest.mark.parametrize("name", BY_NAME)
def test_a_shipped_theme_sets_every_variable_of_ours(name: str) -> None:
    assert set(VARIABLE_DEFAULTS) <= set(BY_NAME[name].variables)


def test_defaults_are_the_dark_themes_own() -> None:
    assert dict(VARIABLE_DEFAULTS) == {name: BY_NAME["backlit"].variables[name] for name in VARIABLE_DEFAULTS}


@pytest.mark.parametrize("name", COLOURED)
def test_every_colour_of_a_text_is_legible_on_every_ground_it_is_drawn_on(name: str) -> None:
    colours = colours_of(name)
    least = {
        **{("foreground", on): 7.0 for on in ("background", "surface", "key-background", "cursor-background")},
        ("cursor-foreground", "cursor-background"): 7.0,
        **dict.fromkeys(product(TEXTS, ("background", "surface")), 4.5),
        **{(text, "cursor-background"): 4.45 for text in TEXTS if text not in SOFT},
        **{(text, "selected-background"): 4.5 for text in TEXTS if text not in SOFT},
        ("muted", "key-background"): 4.5,
        **{(text, f"span-{each}"): 4.5 for each in ("progress", "test") for text in (f"status-{each}", "conflict")},
        ("lamp-foreground", "lamp"): 4.5,
        ("faint", "background"): 4.5,
        **{(bar, "background"): 3.0 for bar in (*BARS, "focus")},
    }

    found = {(text, on): ratio(colours[text], colours[on]) for text, on in least}
    assert {pair: round(value, 2) for pair, value in found.items() if value < least[pair]} == {}


@pytest.mark.parametrize("name", COLOURED)
def test_names_are_brighter_than_warnings_and_warnings_differ_from_quiet_texts(name: str) -> None:
    colours = colours_of(name)
    ground = colours["background"]

    assert ratio(colours["warn"], ground) < ratio(colours["foreground"], ground)
    assert ratio(colours["warn"], colours["muted"]) >= 1.5 or difference(colours["warn"], colours["muted"]) >= 25
    begun = ("status-progress", "status-test", "status-done")
    assert [each for each in begun if difference(colours[each], colours["status-open"]) < 25] == []


@pytest.mark.parametrize("name", COLOURED)
def test_grounds_rules_and_bars_stand_out_from_the_ground_as_far_as_they_should(name: str) -> None:
    colours = colours_of(name)
    found = {each: ratio(colours[each], colours["background"]) for each in colours}

    assert found["cursor-background"] >= LEAST_OF_CURSOR[name]
    assert found["surface"] >= 1.08
    assert 1.24 <= found["key-background"] <= 1.4
    assert found["rule"] >= 1.7
    assert LEAST_BEHIND <= found["behind-dialog"] < found["muted"]
    for area, line in (("chart-area", "bar"), ("chart-done", "bar-done"), ("table-bar", "type-feedback")):
        assert 1.2 <= found[area] <= found[line] / 1.4
    assert found["selected-background"] >= 1.14


def test_owners_of_a_team_of_eight_have_eight_colours() -> None:
    known = [3, 8, 21, 22, 40, 41, 57, 90]

    assert sorted(owner_colour(each, known) for each in known) == sorted(OWNER_COLOURS)
    assert owner_colour(91, [*known, 91]) == owner_colour(3, known)


def test_the_lamp_is_named_for_its_seven_uses_alone() -> None:
    root = Path(themes.__file__).parents[1]
    files = [path for kind in ("*.py", "*.tcss") for path in root.rglob(kind)]
    named = {str(path.relative_to(root)) for path in files if re.search(r"[\"$]lamp\b(?!-)", path.read_text())}

    assert named == {"drawing/themes.py", *LAMP_IN_STYLES}
    lit = {*LAMP_USES, *(name for name, (other, _, _) in BLENDED.items() if other == "lamp"), "focus"}
    assert lit == {
        *("flash", "wordmark", "cursor-bar", "current-place", "focus", "focused-head"),
        *("current-iteration", "today"),
    }


def test_a_theme_of_the_users_has_the_new_colours_from_its_own(tmp_path: Path) -> None:
    folder = write(tmp_path, 'name = "mine"\nprimary = "red"\naccent = "#123456"\nwarning = "#654321"\n')

    (mine,) = [theme for theme in load_themes(folder)[0] if theme.name == "mine"]

    assert (mine.variables["lamp"], mine.variables["warn"]) == ("#123456", "#654321")


def test_with_few_colours_cards_and_keys_have_the_ground_of_the_screen() -> None:
    styles = ThemeStyles({**VARIABLE_DEFAULTS, "background": "#14151a", "surface": "#1d1f26"}, has_few_colours=True)

    assert styles.style("muted", on="surface").bgcolor == styles.style("muted").bgcolor
    assert styles.style("muted", on="key-background").bgcolor == styles.style("muted").bgcolor


@pytest.fixture(scope="module")
def workspace(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_workspace(tmp_path_factory.mktemp("workspace"))


@pytest.mark.slow
@pytest.mark.parametrize(
    "scene", ["backlog-selected", "conflict", "editor", "groom", "inbox", "keys", "plan", "reports-age", "sign-in"]
)
@pytest.mark.long_but("editor", "reports-age")
async def test_what_a_screen_draws_is_legible_in_every_theme(scene: str, workspace: Path, tmp_path: Path) -> None:
    async with opened(scene, tmp_path, workspace, (120, 40)) as pilot:
        for name, theme in BY_NAME.items():
            use_themes(pilot.app, name, None)
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
        is_block = (own, under) == (BLACK, YELLOW)
        is_seen = is_block or ((own == BRIGHT_WHITE or under != BLUE) and not {own, under} & GROUNDS)
        return "" if is_own and is_seen else f"{segment.text!r} is {style.color.name} on {style.bgcolor.name}"
    text, ground = Color.from_rich_color(style.color), Color.from_rich_color(style.bgcolor)
    if text == ground == colours_of(theme.name)["rule"]:
        return ""  # a scrollbar, which stands out as rules do
    if set(segment.text) & LINES and text == colours_of(theme.name)["rule"]:
        least = 1.4 if ground == colours_of(theme.name)["surface"] else 1.7
    elif set(segment.text) & LINES and text == colours_of(theme.name)["focus"]:
        least = 3.0  # the frame of the pane with the focus: a line, no text
    elif set(segment.text) <= LINES and text == colours_of(theme.name)["background"]:
        least = 3.0  # a limit over the bars, which goes on above and below them: a line, no text
    elif segment.text == "█" and text == colours_of(theme.name)["bar-band"]:
        least = 1.2  # the ground of a target in the words that explain it
    elif text == colours_of(theme.name)["behind-dialog"]:
        least = LEAST_BEHIND
    elif not set(segment.text) - BLOCKS:
        least = 2.0 if ground in {colours_of(theme.name)[name] for name in ("cursor-background", "bar-band")} else 3.0
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

    async with app.run_test(size=(40, 6)) as pilot:
        problems = use_themes(app, name, None)
        await pilot.pause()

        assert problems == []
        assert app.current_theme == BY_NAME[name]


async def test_the_usual_theme_is_drawn_in_place_of_an_unknown_one(tmp_path: Path) -> None:
    app: App[None] = App()

    problems = use_themes(app, "sepia", write(tmp_path, 'name = "mine"\nprimary = "red"\n'))

    assert problems == ["Unknown theme “sepia”. :theme lists the themes."]
    assert app.theme == "backlit"
    assert [theme.name for theme in offered_themes(app, tmp_path)] == ["ansi", "backlit", "contrast", "paper", "mine"]
    assert set(app.available_themes) >= {*BY_NAME, "mine"}


def write(folder: Path, text: str) -> Path:
    (folder / "mine.toml").write_text(text, encoding="utf-8")
    return folder


def test_a_bad_colour_is_named_and_the_rest_of_the_theme_kept(tmp_path: Path) -> None:
    folder = write(
        tmp_path, 'name = "mine"\nprimary = "#112233"\naccent = "#zz"\n[variables]\nmark = "red"\nrule = 7\n'
    )

    found, problems = load_themes(folder)

    mine = found[-1]
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

    found, problems = load_themes(folder)

    assert found[-1].variables == {"link-style": "bold underline"}
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

    found, problems = load_themes(tmp_path)

    assert (len(found), problems[-1][:9]) == (4, "mine.toml")


def test_a_theme_of_the_users_takes_the_place_of_a_shipped_one(tmp_path: Path) -> None:
    folder = write(tmp_path, 'name = "paper"\nprimary = "#010203"\n')

    found, problems = load_themes(folder)

    assert ([theme.primary for theme in found if theme.name == "paper"], problems) == (["#010203"], [])


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
