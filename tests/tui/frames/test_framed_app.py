"""The application between the compositor and a terminal: the same screen, and nothing that waits in line."""

import inspect
import os
import pty
import select
import signal
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from rich.console import RenderableType
from tests.tui.frames import shouting
from tests.tui.frames.drawn import Drawn
from textual._compositor import ChopsUpdate, CompositorUpdate, LayoutUpdate
from textual.app import App
from textual.drivers._writer_thread import WriterThread
from textual.screen import Screen

from backlit.store import Store
from backlit.tui.app.app import BacklitApp
from backlit.tui.drawing.frame import Frame
from backlit.tui.drawing.framed_app import colours_of, size_of, strips_of

KEYS = (
    *("j", "pagedown", "k", "G", "p", "slash", "c", "escape", "question_mark", "escape", "g", "k", "l", "g", "b"),
    *("tab", "c", "n", "X", "escape"),
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
            self._compared.resize(size_of(renderable))
            for x, y, strip in strips_of(renderable):
                self._compared.put(x, y, strip, colours_of(self.console))
            own = self._compared.flush()
            self._stock.feed(usual.replace("\n", "\r\n"))
            self._framed.feed(own)
            self.sizes = [self.sizes[0] + len(usual), self.sizes[1] + len(own)]
            both = zip(self._stock.cells(), self._framed.cells(), strict=True)
            self.differing += [y for y, (usual_line, own_line) in enumerate(both) if usual_line != own_line]
        super()._display(screen, renderable)


async def test_both_ways_of_writing_come_to_the_same_screen_at_every_frame_and_one_is_much_shorter(
    store: Store,
) -> None:
    app = ComparedApp(store, Drawn(*SIZE), Drawn(*SIZE))
    async with app.run_test(size=SIZE, notifications=True) as pilot:
        for key in KEYS:
            await pilot.press(key)
            assert app.differing == [], key

    assert app.sizes[1] < app.sizes[0] / 3


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


def test_textual_has_the_private_names_that_frames_rely_on() -> None:
    names = {"_batch_count", "_closed", "_driver", "_running", "_sync_available"}

    assert list(inspect.signature(App._display).parameters) == ["self", "screen", "renderable"]  # noqa: SLF001 - Textual's
    assert names <= vars(App()).keys()
    assert issubclass(LayoutUpdate, CompositorUpdate)
    assert list(inspect.signature(LayoutUpdate).parameters) == ["strips", "region"]
    assert list(inspect.signature(ChopsUpdate).parameters) == ["chops", "spans", "chop_ends"]
    assert hasattr(WriterThread(sys.stderr), "_queue")
    assert inspect.getsource(sys.modules["textual.drivers.linux_driver"]).count("self._writer_thread = WriterThread(")


def test_frames_can_be_switched_off(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BACKLIT_FRAME_DIFF", "0")

    assert shouting.ShoutingApp()._frame is None  # noqa: SLF001 - nothing else shows it without a terminal
