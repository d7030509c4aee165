"""The application between the compositor and a terminal: the same screen, and nothing that waits in line."""

import os
import pty
import select
import signal
import sys
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from rich.console import RenderableType
from tests.quiet import every_frame
from tests.tui.drawing import shouting
from tests.tui.drawing.drawn import Drawn
from tests.tui.widgets.wrapped_words import Words
from textual._compositor import ChopsUpdate, LayoutUpdate
from textual.app import App
from textual.driver import Driver
from textual.drivers.headless_driver import HeadlessDriver
from textual.geometry import Region, Size
from textual.screen import Screen
from textual.widget import Widget

from backlit.store import Store
from backlit.tui.app.app import BacklitApp
from backlit.tui.drawing.direct_painter import DirectPainter, colours_of
from backlit.tui.drawing.frame import Frame
from backlit.tui.drawing.loop_driver import LoopDriver
from backlit.tui.widgets.view_list import BacklogList

KEYS = (
    *("j", "pagedown", "k", "G", "p", "slash", "c", "escape", "question_mark", "escape", "g", "k", "l", "g", "b"),
    *("tab", "c", "n", "X", "escape"),
)
KEYS_OF_LISTS = (
    *("j", "j", "k", "pagedown", "ctrl+d", "G", "g", "g", "space", "space", "V", "j", "j", "k", "V", "escape"),
    *("t", "l", "j", "j", "k", "t", "l", "j", "F5", "j", "k", "question_mark", "down", "pagedown", "escape", "j"),
    *("p", "j", "j", "p", "j", "z", "a", "j", "slash", "a", "enter", "j", "escape", "j", "1", "2", "j", "g", "k"),
    *("j", "k", "l", "j", "h", "g", "a", "j", "j", "k", "g", "b", "j", "colon", "t", "h", "e", "m", "e", "space"),
    *("p", "a", "p", "e", "r", "enter", "j", "k"),
)
SIZE = (80, 24)


class ComparedApp(BacklitApp):
    """Writes what it paints to two terminals, as Textual does and as frames."""

    def __init__(self, store: Store, stock: Drawn, framed: Drawn) -> None:
        super().__init__(store)
        self._stock, self._framed = stock, framed
        self._compared = Frame()
        self.sizes = [0, 0]
        self.differing: list[int] = []

    def _display(self, screen: Screen[object], renderable: RenderableType | None) -> None:
        if isinstance(renderable, LayoutUpdate | ChopsUpdate):
            usual = renderable.render_segments(self.console)
            self._compared.take(renderable, colours_of(self.console))
            own = self._compared.flush()
            self._stock.feed(usual.replace("\n", "\r\n"))
            self._framed.feed(own)
            self.sizes = [self.sizes[0] + len(usual), self.sizes[1] + len(own)]
            both = zip(self._stock.cells(), self._framed.cells(), strict=True)
            self.differing += [y for y, (usual_line, own_line) in enumerate(both) if usual_line != own_line]
        super()._display(screen, renderable)


class PaperDriver(HeadlessDriver, LoopDriver):
    """Draws on paper in place of a terminal."""

    _writer_thread = None
    starts = 1

    def __init__(self, app: App[None], **options: Any) -> None:
        Driver.__init__(self, app, **options)
        self.paper = Drawn(*SIZE)

    def write(self, data: str) -> None:
        self.paper.feed(data)


class ComparingPainter(DirectPainter):
    """Has each painting compared; `numbers` counts those done directly, and those left to Textual."""

    def __init__(self, app: "LinedApp", frame: Frame) -> None:
        super().__init__(app, frame)
        self.numbers: Counter[bool] = Counter()
        self._compare = app.compare
        self._direct: list[Widget] = []
        self.scrolled: set[str] = set()

    def scroll(self, widget: Widget, region: Region, lines: int) -> bool:
        is_moved = super().scroll(widget, region, lines)
        self.scrolled |= {type(widget).__name__} if is_moved else set()
        return is_moved

    def paint_directly(self, widget: Widget, regions: set[Region]) -> bool:
        is_direct = super().paint_directly(widget, regions)
        self.numbers[is_direct] += 1
        self._direct += [widget] if is_direct else []
        return is_direct

    def paint(self) -> None:
        super().paint()
        for widget in self._direct:
            self._compare(widget.region)
        self._direct.clear()


class LinedApp(BacklitApp):
    """Compares the lines that it paints directly, and whole screens, with Textual's own drawing."""

    def __init__(self, store: Store) -> None:
        super().__init__(store)
        assert self._frame is not None
        self.painter: ComparingPainter = ComparingPainter(self, self._frame)
        self.differing: list[Region] = []

    def _build_driver(self, headless: bool, inline: bool, mouse: bool, size: tuple[int, int] | None) -> Driver:  # noqa: ARG002 - Textual's names
        self._driver = PaperDriver(self, mouse=mouse, size=size)
        return self._driver

    def drawn_at(self, x: int, y: int) -> object:
        """Return a cell of the paper."""
        assert isinstance(self._driver, PaperDriver)
        return self._driver.paper.cells()[y][x]

    def compare(self, region: Region) -> None:
        """Note a region whose cells on the paper differ from those that Textual draws from scratch."""
        assert isinstance(self._driver, PaperDriver)
        for widget in self.screen.walk_children(Widget):
            widget._styles_cache.clear()  # noqa: SLF001 - Textual's
        usual = Drawn(*SIZE)
        strips = self.screen._compositor.render_strips()  # noqa: SLF001 - Textual's
        usual.feed(
            LayoutUpdate([[each] for each in strips], self.size.region)
            .render_segments(self.console)
            .replace("\n", "\r\n")
        )
        both = zip(
            usual.cells()[region.y : region.bottom], self._driver.paper.cells()[region.y : region.bottom], strict=True
        )
        if any(line[region.x : region.right] != own[region.x : region.right] for line, own in both):
            self.differing.append(region)


@pytest.mark.slow
async def test_lines_painted_directly_are_those_that_textual_draws_at_every_frame(store: Store) -> None:
    app = LinedApp(store)
    with every_frame():
        async with app.run_test(size=SIZE, notifications=True) as pilot:
            for key in KEYS_OF_LISTS:
                await pilot.press(key)
                app.compare(app.size.region)
                assert app.differing == [], key

    assert app.painter.numbers[True] > app.painter.numbers[False] > 0


@pytest.mark.parametrize(
    "places",
    [
        pytest.param(("p", "g a z R"), marks=pytest.mark.slow),
        pytest.param(("g i", "g p", "g h", "g b space p"), marks=pytest.mark.long),
    ],
)
async def test_rows_that_a_list_moves_are_those_that_textual_draws_at_every_frame(
    store: Store, places: tuple[str, ...]
) -> None:
    app = LinedApp(store)
    with every_frame():
        async with app.run_test(size=(SIZE[0], 14), notifications=True) as pilot:
            for place in places:
                keys = (*place.split(), *"jjjjjjjjjjjjjj", *"kkkkkkkkkkkk", "G", *"kkkkkkkkk", *"Vjj", *"jzz")
                for key in (*keys, "ctrl+u", "ctrl+d", *"kkkk", "escape"):
                    await pilot.press(key)
                    app.compare(app.size.region)
                    assert app.differing == [], (place, key)

    assert app.painter.scrolled >= {"BacklogList", "TreeList"}


async def test_no_frame_is_kept_before_the_screen_has_taken_a_new_size(store: Store) -> None:
    app = LinedApp(store)
    async with app.run_test(size=SIZE):
        kept = app.kept_frame("Toast")
        app._size = Size(SIZE[0], SIZE[1] - 1)  # noqa: SLF001 - Textual's; the screen is told later

        assert (kept is None, app.kept_frame("Toast")) == (False, None)
        app._size = Size(*SIZE)  # noqa: SLF001 - Textual's


@pytest.mark.slow
async def test_a_bar_that_keeps_its_place_is_painted_with_the_lines_beside_it(store: Store) -> None:
    app, seen = LinedApp(store), list[object]()
    with every_frame():
        async with app.run_test(size=SIZE) as pilot:
            await app.push_screen(Screen())
            view = Words(id="words")
            await app.screen.mount(view)
            await pilot.pause()
            view.styles.overflow_y = "scroll"
            await pilot.pause()
            for count in (40, 80, 4, 40, 4):
                view.text = "four " * count
                view.lay_out()
                await pilot.pause()
                seen.append(app.drawn_at(view.region.right - 1, view.region.y))

    assert app.differing == []
    assert (seen[0] == seen[1] == seen[3], seen[2] == seen[4], seen[0] == seen[2]) == (True, True, False)


@pytest.mark.slow
async def test_lines_below_a_toast_are_left_to_textual(store: Store) -> None:
    app = LinedApp(store)
    with every_frame():
        async with app.run_test(size=SIZE, notifications=True) as pilot:
            app.notify("words " * 40, timeout=60)
            await pilot.press(*"j" * 6, *"k" * 6, "G", "g", "g")
            app.compare(app.size.region)

    assert app.differing == []


@pytest.mark.slow
async def test_lines_below_a_dialog_are_left_to_textual(store: Store) -> None:
    app = LinedApp(store)
    with every_frame():
        async with app.run_test(size=SIZE, notifications=True) as pilot:
            await pilot.press("j")
            rows = app.screen.query_one(BacklogList)
            await pilot.press("question_mark")
            before = app.painter.numbers[True]
            rows.refresh()
            await pilot.pause()
            app.compare(app.size.region)

    assert app.differing == []
    assert app.painter.numbers[True] == before


async def test_a_widget_out_of_sight_is_painted_when_it_comes_and_not_before(store: Store) -> None:
    app = LinedApp(store)
    with every_frame():
        async with app.run_test(size=SIZE, notifications=True) as pilot:
            rows = app.screen.query_one(BacklogList)
            rows.display = False
            await pilot.pause()
            before = app.painter.numbers[False]
            rows.move_to(4)
            await pilot.pause()
            left_to_textual = app.painter.numbers[False] - before
            rows.display = True
            await pilot.pause()
            app.compare(app.size.region)

    assert (app.differing, left_to_textual) == ([], 0)


@contextmanager
def shouting_app(noted: Path) -> Iterator[tuple[int, int]]:
    """The process of the application and its terminal's file."""
    process, file = pty.fork()
    if process == 0:
        environment = {**os.environ, "TERM": "xterm-256color", "LINES": "50", "COLUMNS": "200"}
        os.execve(sys.executable, [sys.executable, shouting.__file__, str(noted)], environment)
    try:
        yield process, file
    finally:
        os.kill(process, signal.SIGKILL)
        os.waitpid(process, 0)
        os.close(file)


def read(file: int, until: bytes = b"") -> bytes:
    """What comes, up to something and until nothing does for half a second."""
    data = b""
    while select.select([file], [], [], 0.5 if data and until in data else 20)[0]:
        data += os.read(file, 1 << 16)
    return data


@pytest.mark.slow
def test_a_terminal_that_takes_nothing_for_a_while_gets_the_last_frame_and_keys_are_taken_meanwhile(
    tmp_path: Path,
) -> None:
    noted = tmp_path / "keys"
    noted.write_text("0")
    with shouting_app(noted) as (_process, file):
        assert read(file)
        for _ in range(60):
            os.write(file, b"j")
            time.sleep(0.01)
        deadline = time.monotonic() + 20
        while noted.read_text() != "60" and time.monotonic() < deadline:
            time.sleep(0.05)
        taken = noted.read_text()
        data = read(file, b"<60 ")

    assert taken == "60"
    assert b"<60 " in data
    assert len(data) < 60_000


@pytest.mark.slow
def test_when_the_shell_gives_the_terminal_back_everything_is_drawn_again(tmp_path: Path) -> None:
    with shouting_app(tmp_path / "keys") as (process, file):
        read(file)
        os.write(file, b"j")
        read(file, b"<1 ")
        os.write(file, b"z")
        _, status = os.waitpid(process, os.WUNTRACED)
        os.kill(process, signal.SIGCONT)
        data = read(file, b"<1 ")

    assert os.WIFSTOPPED(status)
    assert all(f"<1 {line * 7919}>".encode() in data for line in range(1, 51))


@pytest.mark.slow
async def test_both_ways_of_writing_come_to_the_same_screen_at_every_frame_and_one_is_much_shorter(
    store: Store,
) -> None:
    app = ComparedApp(store, Drawn(*SIZE), Drawn(*SIZE))
    async with app.run_test(size=SIZE, notifications=True) as pilot:
        for key in KEYS:
            await pilot.press(key)
            assert app.differing == [], key

    assert app.sizes[1] < app.sizes[0] / 3


def test_frames_can_be_switched_off(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BACKLIT_FRAME_DIFF", "0")

    assert shouting.ShoutingApp()._frame is None  # noqa: SLF001 - nothing else shows it without a terminal
