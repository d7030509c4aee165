"""A bare application for widgets and dialogs: our keys and themes, no store."""

import re
from collections.abc import Iterable

from tests.quiet import strips_of
from tests.store.world import until
from textual.app import App
from textual.pilot import Pilot
from textual.strip import Strip

from backlit.tui.dialogs.dialog import Dialog
from backlit.tui.drawing.themes import CURRENT_PLACE, ThemeStyles, use_themes
from backlit.tui.shell.chord_app import ChordApp
from backlit.tui.widgets.footer_line import FooterLine
from backlit.tui.widgets.side_lines import RuleLine


class BareApp(ChordApp):
    """Shows what a test pushes, and keeps what it answers."""

    CSS = "Screen { background: $background; color: $foreground; }"
    ENABLE_COMMAND_PALETTE = False

    def __init__(self) -> None:
        super().__init__()
        use_themes(self, "backlit", None)
        self.answers: list[object] = []


def lines_of(app: App[None]) -> list[str]:
    """Return the text of the screen, line by line."""
    return _lines(strips_of(app))


def _lines(strips: Iterable[Strip]) -> list[str]:
    return [strip.text.rstrip() for strip in strips]


def pane_lines(app: App[None]) -> list[str]:
    """Return the lines of the first pane, without a frame and what is beside it."""
    return [re.split("[│┃]", line.removeprefix("│"))[0].rstrip() for line in lines_of(app)]


def position_of(app: App[None]) -> str:
    """Return the words in the bottom edge of the first pane, or on the rule below it."""
    lines = lines_of(app)
    edge = next((line for line in lines if line.startswith("╰")), lines[-2])
    return re.sub("[╰─┴]+", " ", edge.partition("╯")[0]).strip()


def scrollbar_beside(app: App[None]) -> list[int]:
    """Return the lines of the screen that end with a scrollbar."""
    ground = ThemeStyles.of(app.screen.app).style(on="rule").bgcolor
    ends = [style for strip in strips_of(app) for _, style, _ in [*strip][-1:]]
    return [y for y, style in enumerate(ends) if style is not None and style.bgcolor == ground]


def words_of_dialog(app: App[None]) -> str:
    """Return the words inside the frame of the open dialog, as one line."""
    dialog = app.screen
    assert isinstance(dialog, Dialog), dialog
    inside = dialog.frame.content_region
    lines = strips_of(app)[inside.y : inside.bottom]
    return " ".join(" ".join(line.crop(inside.x, inside.right).text for line in lines).split())


def title_of(app: App[None]) -> str:
    """Return the first line: places, project, state."""
    return lines_of(app)[0]


def place_of(app: App[None], line: int = 0) -> str:
    """Return the name of the current tab in the title, or in another line."""
    return _current(strips_of(app)[line], app)


def _current(strip: Strip, app: App[None]) -> str:
    """Return the texts that are underlined, or stand on the ground of the current place."""
    ground = ThemeStyles.of(app.screen.app).style(on=CURRENT_PLACE).bgcolor
    styled = ((each.text, each.style) for each in strip if each.style)
    return "".join(text for text, style in styled if style.underline or style.bgcolor == ground).strip()


def heading_of(app: App[None]) -> str:
    """Return the words on the line above the panes, or in the top edge of the first pane's frame."""
    lines = lines_of(app)
    above = [lines[each.region.y] for each in app.screen.query("#heading").results(RuleLine) if each.region.height]
    line = next(line for line in [*above, *lines[1:]] if line in above or "──" in line or "─┬" in line)
    return re.sub(" ?[╭─━┬┯]+ ?", "  ", line.partition("╮")[0]).strip()


def messages_of(app: App[None]) -> set[str]:
    """Return the short messages that are shown."""
    confirmed = [footer.confirmed for footer in app.screen.query(FooterLine)]
    return {*(each.message for each in app._notifications), *filter(None, confirmed)}


def clear_messages(app: App[None]) -> None:
    """Remove the short messages that are shown."""
    app.clear_notifications()
    for footer in app.screen.query(FooterLine):
        footer.confirm("")


def text_of(app: App[None]) -> str:
    return "\n".join(lines_of(app))


async def said(pilot: Pilot[None], *parts: str) -> None:
    """Wait until texts are on the screen."""
    await until(lambda: not missing(pilot.app, parts), lambda: (missing(pilot.app, parts), text_of(pilot.app)))


def line_with(app: App[None], part: str) -> str:
    """The one line of the screen that holds some text."""
    found = [line for line in lines_of(app) if part in line]
    assert len(found) == 1, (part, text_of(app))
    return found[0]


def missing(app: App[None], parts: Iterable[str]) -> list[str]:
    """Return the texts that are not on the screen; brackets stand for the current tab in one of the first lines.

    A blank stands for one or two, which are between a key on its ground and its label.
    """
    strips = strips_of(app)
    shown = "\n".join([*_lines(strips), "".join(f"[{_current(each, app)}]" for each in strips[:3])])
    return [part for part in parts if re.search(re.escape(part).replace(r"\ ", " {1,2}"), shown) is None]
