"""Texts that are longer than the terminal."""

import argparse
import io
from contextlib import redirect_stdout
from pathlib import Path

import pytest

from backlit.cli.pager import write_paged

LONG = "".join(f"line {at} ✓\n" for at in range(30))


class Screen(io.StringIO):
    """Standard output that is a terminal."""

    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize(
    ("text", "is_wanted", "is_paged"),
    [(LONG, True, True), (LONG, False, False), ("short\n", True, False)],
    ids=["long", "without", "short"],
)
def test_a_text_that_is_longer_than_the_terminal_goes_through_the_pager(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str, is_wanted: bool, is_paged: bool
) -> None:
    paged = tmp_path / "paged"
    monkeypatch.setenv("BACKLIT_PAGER", f"sh -c 'cat > {paged}'")
    monkeypatch.setenv("LINES", "24")

    with redirect_stdout(Screen()) as shown:
        write_paged(argparse.Namespace(no_pager=not is_wanted), text)

    assert shown.getvalue() == ("" if is_paged else text)
    assert paged.exists() == is_paged
    assert not is_paged or paged.read_text() == text


def test_a_pager_that_cannot_run_leaves_the_text(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BACKLIT_PAGER", "/no/such/pager")
    monkeypatch.setenv("LINES", "24")

    with redirect_stdout(Screen()) as shown:
        write_paged(argparse.Namespace(no_pager=False), LONG)

    assert shown.getvalue() == LONG
