"""Pictures as terminals draw them: in kitty's protocol, or as half blocks where they do not know it."""

import base64
import io
import re

import pytest
from PIL import Image
from tests.quiet import workers_done
from tests.tui.bare_app import BareApp, text_of
from textual.drivers.headless_driver import HeadlessDriver

from backlit.tui.attachments.file_preview import FilePreviewDialog, preview_of
from backlit.tui.drawing.images import ImageProtocol, cells_for, choose_protocol, kitty_image

KITTY, BLOCKS = ImageProtocol.KITTY, ImageProtocol.BLOCKS


def picture(width: int = 40, height: int = 24) -> Image.Image:
    """Red above, blue below, and nothing in a corner."""
    made = Image.new("RGBA", (width, height), "#ff0000")
    made.paste((0, 0, 255, 255), (0, height // 2, width, height))
    made.putpixel((0, 0), (0, 0, 0, 0))
    return made


def png_of(made: Image.Image) -> bytes:
    file = io.BytesIO()
    made.save(file, "PNG")
    return file.getvalue()


@pytest.mark.parametrize(
    ("wanted", "environment", "way"),
    [
        ("auto", {"TERM": "xterm-kitty"}, KITTY),
        ("auto", {"TERM": "xterm-256color", "TERM_PROGRAM": "ghostty"}, KITTY),
        ("auto", {"TERM": "xterm-256color", "KITTY_WINDOW_ID": "1"}, KITTY),
        ("auto", {"TERM": "foot-extra"}, BLOCKS),
        ("auto", {"TERM": "xterm-256color"}, BLOCKS),
        ("auto", {}, BLOCKS),
        ("auto", {"TERM": "tmux-256color", "KITTY_WINDOW_ID": "1"}, BLOCKS),
        ("auto", {"TERM": "xterm-kitty", "TMUX": "/tmp/x"}, BLOCKS),
        ("kitty", {"TERM": "xterm-256color"}, KITTY),
        ("blocks", {"TERM": "xterm-kitty"}, BLOCKS),
    ],
)
def test_the_way_is_the_one_that_is_named_or_that_the_terminal_is_known_for(
    wanted: str, environment: dict[str, str], way: ImageProtocol
) -> None:
    assert choose_protocol(wanted, environment) is way


@pytest.mark.parametrize(
    ("size", "room", "cells"),
    [((400, 200), (80, 24), (80, 20)), ((200, 400), (80, 24), (24, 24)), ((10, 20), (80, 24), (4, 4))],
)
def test_a_picture_keeps_its_shape_in_cells_that_are_higher_than_wide(
    size: tuple[int, int], room: tuple[int, int], cells: tuple[int, int]
) -> None:
    assert cells_for(Image.new("RGBA", size), *room, (10, 20)) == cells


def test_kittys_chunks_together_are_the_picture() -> None:
    noise = Image.effect_noise((200, 100), 90).convert("RGBA")
    parts = re.findall(r"\x1b_G([^;]*);([^\x1b]*)\x1b\\", kitty_image(noise, 30, 8, (10, 20)))

    assert parts[0][0].startswith("a=T,f=100,") and "c=30,r=8,C=1,q=2," in parts[0][0]  # noqa: PT018 - one line of keys
    assert [keys[-1] for keys, _ in parts] == [*"1" * (len(parts) - 1), "0"]
    assert max(len(data) for _, data in parts) == 4096
    assert Image.open(io.BytesIO(base64.b64decode("".join(data for _, data in parts)))).size == (200, 100)


async def test_a_picture_is_drawn_at_its_place_and_taken_away(monkeypatch: pytest.MonkeyPatch) -> None:
    written: list[str] = []
    monkeypatch.setattr(HeadlessDriver, "write", lambda _driver, data: written.append(data))
    content = png_of(picture())

    async with BareApp().run_test(size=(60, 20)) as pilot:
        pilot.app.push_screen(FilePreviewDialog("a.png", preview_of(content, "a.png", len(content)), KITTY))
        await pilot.pause()
        await workers_done(pilot.app)
        shown = [each for each in written if "a=T" in each]
        text = text_of(pilot.app)
        written.clear()
        await pilot.press("q")
        await pilot.pause()

        assert re.match(r"\x1b7\x1b\[\d+;\d+H\x1b_Ga=T", shown[0].partition("\x1b\\")[2])
        assert shown[0].endswith("\x1b8")
        assert "▀" not in text
        assert [each for each in written if "a=d" in each]


@pytest.mark.slow
async def test_a_terminal_that_does_not_know_kittys_protocol_gets_half_blocks() -> None:
    content = png_of(picture())

    async with BareApp().run_test(size=(60, 20)) as pilot:
        pilot.app.push_screen(FilePreviewDialog("a.png", preview_of(content, "a.png", len(content)), BLOCKS))
        await pilot.pause()

        assert "▀▀▀" in text_of(pilot.app)
