"""What the README says of the program is so."""

import re
from pathlib import Path

from backlit.tui.commands import COMMANDS, spelled

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")


def test_every_key_of_the_first_keys_is_a_command() -> None:
    table = README.split("## First keys")[1].split("## ")[0]
    named = [
        key
        for row in table.splitlines()
        if row.startswith("| `")
        for key in re.findall(r"`([^`]+)`", row.split(" | ")[0])
    ]
    known = {spelled(key) for command in COMMANDS for key in command.keys}

    assert len(named) > 20
    assert set(named) <= known, set(named) - known


def test_what_it_links_to_is_there() -> None:
    links = re.findall(r"\]\((?!http|#)([^)]+)\)", README)

    assert links
    assert [link for link in links if not (ROOT / link).exists()] == []


def test_the_map_names_every_part() -> None:
    parts = {path.name for path in (ROOT / "src" / "backlit").iterdir()} - {"__init__.py", "__pycache__", "py.typed"}

    assert {part for part in parts if not re.search(rf"^  {re.escape(part)}/?\s", README, re.MULTILINE)} == set()
