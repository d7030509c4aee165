"""Screens on terminals without colours, and in ASCII."""

import ast
import re
from pathlib import Path

import pytest
from rich.cells import cell_len
from tests.cli.home import DEMO, Home
from tests.terminal import BACKLIT, terminal

import backlit.tui
from backlit.model.ascii_signs import in_ascii
from backlit.tui.drawing.ascii_cells import AsciiCells

EMOJI = Path(backlit.tui.__file__).parent / "drawing" / "text.py"
"""The module with ranges of characters that others write."""
ATTRIBUTES = re.compile(rb"\x1b\[([0-9;]*)m")
BOLD_UNDERLINE_REVERSE = {b"", b"0", b"1", b"4", b"7", b"22", b"24", b"27"}
MOUSE = re.compile(rb"\x1b\[\?(?:1000|1002|1003|1006|1015|1016)h")


def written_signs() -> set[str]:
    """The characters beyond ASCII in the texts of the screens."""
    source = Path(backlit.tui.__file__).parent
    trees = [ast.parse(module.read_text(encoding="utf-8")) for module in source.rglob("*.py") if module != EMOJI]
    texts = [node.value for tree in trees for node in ast.walk(tree) if isinstance(node, ast.Constant)]
    return {sign for text in texts if isinstance(text, str) for sign in text if not sign.isascii()}


def test_every_sign_of_the_screens_has_a_likeness_of_its_width() -> None:
    cells = AsciiCells()
    signs = {sign for sign in written_signs() if sign.isprintable() and not sign.isalnum()}

    assert {"▌", "●", "…"} < signs
    assert {sign for sign in signs if cells[ord(sign)] == "?"} <= {"�", "␛", "␡"}
    assert {sign: len(cells[ord(sign)]) for sign in signs} == {sign: cell_len(sign) for sign in signs}


@pytest.mark.parametrize(("text", "drawn"), [("Inês 山 ok", "Ines ?? ok"), ("½ … ✓", "? . *"), ("e\u0301", "e")])
def test_a_text_keeps_its_width_in_ascii(text: str, drawn: str) -> None:
    assert text.translate(AsciiCells()) == drawn
    assert len(drawn) == cell_len(text)


@pytest.mark.slow
def test_a_terminal_without_colours_gets_none_and_ascii_and_no_mouse(tmp_path: Path) -> None:
    home = Home(tmp_path)
    home.run(*DEMO, "items", "list", "--limit", "1")
    environment = home.environment | {"TERM": "vt100", "LC_ALL": "C.UTF-8"}
    with terminal(DEMO, environment, program=BACKLIT) as shown:
        shown.wait_for(r"Open items")
        shown.wait_for(r"go to")
        shown.press("q")
        shown.ended()

    assert in_ascii("─") in shown.text
    attributes = {each for found in ATTRIBUTES.findall(shown.written) for each in found.split(b";")}
    assert attributes <= BOLD_UNDERLINE_REVERSE
    assert MOUSE.findall(shown.written) == []
    assert max(shown.written) < 0x80
