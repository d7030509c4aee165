"""The recording in the README shows what the screens show."""

import asyncio
import re
from html import unescape
from pathlib import Path

import pytest
from tests import quiet
from tests.recording import RECORDING, animated, frames
from tests.screenshots import write_workspace

MAX_BYTES, MAX_SECONDS = 320_000, 24.0


MAX_OTHER_WORDS = 0.02
"""Share of words that may differ: how long a message or a scroll position is seen depends on the machine's load."""


def words_of(svg: str) -> set[str]:
    texts = re.findall(r">([^<]+)</text>", svg)
    return {word for text in texts for word in unescape(text).replace("\xa0", " ").split()}


@pytest.mark.slow
@pytest.mark.long
async def test_the_recording_has_the_words_of_the_screens(tmp_path: Path) -> None:
    quiet.wait_so_with_keys()
    for name in ("workspace", "recording"):
        (tmp_path / name).mkdir()
    workspace = await asyncio.to_thread(write_workspace, tmp_path / "workspace")

    played = animated(await frames(tmp_path / "recording", workspace))

    now, recorded = words_of(played), words_of(RECORDING.read_text(encoding="utf-8"))
    assert len(now ^ recorded) <= MAX_OTHER_WORDS * len(now), f"run python -m tests.recording: {now ^ recorded}"


def test_the_recording_is_small_and_short() -> None:
    svg = RECORDING.read_text(encoding="utf-8")
    (seconds,) = re.findall(r"animation:play ([0-9.]+)s", svg)

    assert len(svg.encode()) < MAX_BYTES
    assert float(seconds) <= MAX_SECONDS
    assert "infinite" in svg
