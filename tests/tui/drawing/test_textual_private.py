"""The private names of Textual: all there as expected, in one module, and done without where one is missing."""

import ast
from pathlib import Path

import pytest
import textual
import textual.screen
from tests.store.world import until
from tests.tui.bare_app import BareApp
from tests.tui.drawing.shouting import ShoutingApp
from textual.app import ComposeResult
from textual.containers import Horizontal
from textual.drivers.linux_driver import LinuxDriver
from textual.strip import Strip
from textual.widget import Widget

from backlit.tui.drawing import textual_private


class Pane(Widget):
    """Keeps the widths that it was told."""

    DEFAULT_CSS = "Pane { width: 1fr; height: 1fr; }"

    def __init__(self) -> None:
        super().__init__()
        self.widths: list[int] = []

    def on_resize(self) -> None:
        self.widths.append(self.size.width)


class NarrowPane(Pane):
    """Takes 20 columns, once it was told of more, and keeps the widths that were painted."""

    def __init__(self) -> None:
        super().__init__()
        self.painted: set[int] = set()

    def on_resize(self) -> None:
        self.styles.width = 20  # Textual calls the handler of the base class too

    def render_line(self, y: int) -> Strip:
        self.painted.add(self.size.width)
        return super().render_line(y)


class NarrowScreen(textual_private.BatchScreen[None]):
    def __init__(self) -> None:
        super().__init__()
        self.pane = NarrowPane()

    def compose(self) -> ComposeResult:
        yield self.pane


class PanesScreen(textual_private.BatchScreen[None]):
    """Two panes beside each other, the first of them hidden."""

    def __init__(self) -> None:
        super().__init__()
        self.hidden, self.shown = Pane(), Pane()
        self.side = Horizontal()

    def compose(self) -> ComposeResult:
        self.side.display = False
        with Horizontal():
            with self.side:
                yield self.hidden
            yield self.shown


TUI = Path(textual_private.__file__).parents[1]


def test_textual_has_the_private_names() -> None:
    assert textual_private.missing_names() == []
    assert textual_private.fault() == ""


@pytest.mark.slow
def test_no_other_module_imports_private_modules_of_textual() -> None:
    imports = [
        (path.name, node.module or "")
        for path in TUI.rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.ImportFrom) and node.module and node.module.startswith("textual.")
    ]

    private = {name for name, module in imports if any(part.startswith("_") for part in module.split("."))}
    assert private == {"textual_private.py"}


def test_newer_textual_is_left_to_its_own_drawing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "textual-8.9.0.dist-info").mkdir()
    monkeypatch.setattr(textual, "__file__", str(tmp_path / "textual" / "__init__.py"))
    textual_private.fault.cache_clear()
    try:
        app = ShoutingApp()

        assert textual_private.fault() == "Textual 8.9 is newer than 8.2, the newest that was tested"
        assert app.painter is None
        assert not app.is_framed
        assert app.driver_class is LinuxDriver
    finally:
        textual_private.fault.cache_clear()


def test_missing_name_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(textual.screen.Screen, "_compositor_refresh")

    assert textual_private.missing_names() == ["Screen._compositor_refresh"]


async def test_pane_is_told_its_new_size_after_its_region_was_asked_for_before_the_layout() -> None:
    screen = PanesScreen()
    async with BareApp().run_test(size=(80, 24)) as pilot:
        await pilot.app.push_screen(screen)
        await pilot.pause()
        screen.hidden.refresh()  # what is not in sight makes Textual lay all out anew for the next that asks
        await pilot.pause()
        screen.side.display = True
        await until(lambda: screen.shown.region.x == 40)
        await pilot.pause()

        assert screen.shown.widths == [80, 40]
        assert screen.hidden.widths == [40]


@pytest.mark.usefixtures("every_frame")
async def test_first_frame_is_painted_once_the_widgets_have_chosen_by_their_sizes() -> None:
    screen = NarrowScreen()
    async with BareApp().run_test(size=(80, 24)) as pilot:
        await pilot.app.push_screen(screen)
        await pilot.pause()

        assert screen.pane.widths == [80, 20]
        assert screen.pane.painted == {20}
