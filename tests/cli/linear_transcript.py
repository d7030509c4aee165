"""The transcript in docs/accessibility.md, played on a pinned sample.

`python -m tests.cli.linear_transcript` writes it. The answers are those of the page: the lines behind its prompts.
"""

import argparse
import asyncio
import io
import re
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stdout
from datetime import UTC, date, datetime
from pathlib import Path

from tests.store.world import World, load_sample, make_sample, until

from backlit.cli.linear.console import PROMPT, Console
from backlit.cli.linear.menu import run_menu
from backlit.cli.linear.session import LinearSession
from backlit.config.settings import Settings
from backlit.store import ConnectionState, Store

PAGE = Path(__file__).resolve().parents[2] / "docs" / "accessibility.md"
TODAY = date(2026, 3, 11)
_BLOCK = re.compile(r"(?<=```text\n\$ backlit --linear\n).*?(?=```)", re.DOTALL)


def clock() -> datetime:
    return datetime(TODAY.year, TODAY.month, TODAY.day, 15, 30, tzinfo=UTC)


def written() -> str:
    """Return the transcript as it stands on the page."""
    found = _BLOCK.search(PAGE.read_text(encoding="utf-8"))
    assert found is not None
    return found[0]


def played(transcript: str, sample: Path, folder: Path) -> str:
    """Return what the answers of a transcript lead to on a sample."""
    answers = [line.removeprefix(PROMPT) for line in transcript.splitlines() if line.startswith(PROMPT.strip())]
    return asyncio.run(_played("".join(f"{answer}\n" for answer in answers), sample, folder))


async def _played(answers: str, sample: Path, folder: Path) -> str:
    world = World(folder, sample, clock=clock)
    world.service.shared.clock.follow(clock().replace(tzinfo=None))
    await world.start()
    try:
        return await asyncio.to_thread(_run, world, answers)
    finally:
        await world.stop()


def _run(world: World, answers: str) -> str:
    @contextmanager
    def opened() -> Iterator[Store]:
        store = world.store()
        store.start()
        asyncio.run(until(lambda: store.connection.state is ConnectionState.ONLINE, lambda: store.connection))
        yield store

    output, before = io.StringIO(), sys.stdin
    sys.stdin = io.TextIOWrapper(io.BytesIO(answers.encode()), "utf-8")
    try:
        with redirect_stdout(output):
            options = argparse.Namespace(wait=60.0, offline=False, scale=Settings().estimate_scale)
            session = LinearSession(Console(), opened, lambda _: None, frozenset(), options)
            run_menu(session)
            session.close()
    finally:
        sys.stdin = before
    return output.getvalue()


def make_pinned_sample(folder: Path) -> Path:
    make_sample(folder, 60, TODAY)
    load_sample(folder, clock)
    return folder


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as name:
        (Path(name) / "sample").mkdir()
        (Path(name) / "played").mkdir()
        lines = played(written(), make_pinned_sample(Path(name) / "sample"), Path(name) / "played")
    text = PAGE.read_text(encoding="utf-8")
    PAGE.write_text(_BLOCK.sub(lambda _: lines, text), encoding="utf-8")
