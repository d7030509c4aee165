"""README, CONTRIBUTING and the page of keys agree with the program."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from tests.keys_page import DOCUMENT, page
from tests.scenes import IN_README
from tests.terminal import terminal

from backlit.model.settings.key_sequences import spelled
from backlit.tui.commands.table import COMMANDS

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")
CONTRIBUTING = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("*.md"))]


def anchors_of(path: Path) -> set[str]:
    """Return the anchors of a page's headings, as GitHub makes them."""
    headings = re.findall(r"^#+ (.+)$", path.read_text(encoding="utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def test_every_key_of_the_readme_is_a_command() -> None:
    section = README.split("## First keys")[1].split("## ")[0]
    named = [key for row in section.splitlines() if row.startswith("| `") for key in row.split("|")[1].split()]
    known = {f"`{spelled(key)}`" for command in COMMANDS for key in command.keys}

    assert len(named) > 4
    assert set(named) <= known, set(named) - known


def test_the_page_of_keys_is_the_command_table() -> None:
    assert DOCUMENT.read_text(encoding="utf-8") == page(), "run python -m tests.keys_page"


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.name)
def test_every_link_leads_to_a_file_and_a_heading(path: Path) -> None:
    links = re.findall(r"\]\((?!http)([^)\s]+)\)", path.read_text(encoding="utf-8"))
    targets = [(link, *link.partition("#")[::2]) for link in links]

    missing = [link for link, file, _ in targets if not (path.parent / file).exists()]
    assert missing == []
    pages = [(link, path.parent / file if file else path, anchor) for link, file, anchor in targets if anchor]
    assert [link for link, target, anchor in pages if anchor not in anchors_of(target)] == []


def test_every_still_of_the_readme_has_a_light_source_that_exists() -> None:
    pairs = re.findall(
        r'<source media="\(prefers-color-scheme: light\)" srcset="([^"]+)"><img alt="[^"]+" src="([^"]+)"', README
    )

    assert len(pairs) == len(IN_README)
    assert [path for pair in pairs for path in pair if not (ROOT / path).exists()] == []
    assert [light for light, dark in pairs if light != dark.replace(".svg", "-light.svg")] == []


def test_the_readme_is_short() -> None:
    assert len(README.splitlines()) <= 100


def test_the_map_names_every_part() -> None:
    parts = {path.name for path in (ROOT / "src" / "backlit").iterdir()} - {"__init__.py", "__pycache__", "__main__.py"}
    rooms = CONTRIBUTING.split("## The map")[1].split("## ")[0]

    assert {part for part in parts if not re.search(rf"(^|  ){re.escape(part)}/\s", rooms, re.MULTILINE)} == set()


def test_every_file_of_the_walk_exists() -> None:
    walk = CONTRIBUTING.split("## One key press")[1].split("\n## ")[0]
    files = re.findall(r"`((?:tui|store|client|service|model)/[\w/]+\.py)`", walk)

    assert len(files) > 8
    assert [file for file in files if not (ROOT / "src" / "backlit" / file).exists()] == []


@pytest.mark.slow
def test_the_command_that_tries_backlit_needs_a_clone_and_python_alone(tmp_path: Path) -> None:
    home, clone = tmp_path / "home", tmp_path / "backlit"
    home.mkdir()
    subprocess.run(["git", "clone", "-q", ROOT, clone], check=True)
    (command,) = re.findall(r"^python3 -m venv .* demo$", README, re.MULTILINE)
    *installing, opening = command.split(" && ")
    of_pip = {name: value for name, value in os.environ.items() if name.startswith(("PIP_", "SSL_"))}
    path = f"{sys.base_exec_prefix}/bin:/usr/bin:/bin"
    environment = {"HOME": str(home), "PATH": path, "TERM": "xterm-256color", "LANG": "C.UTF-8"}
    nowhere = dict.fromkeys(("http_proxy", "https_proxy", "all_proxy"), "http://127.0.0.1:9")

    subprocess.run(" && ".join(installing), shell=True, check=True, cwd=clone, env=environment | of_pip)
    shell = ("/bin/sh", "-c", f"cd '{clone}' && {opening}")
    with terminal((), environment | nowhere, program=shell) as shown:
        shown.wait_for(r"Aurora")
        shown.press("q")
        status = shown.ended()

    assert status == 0
    assert subprocess.check_output(["git", "status", "--porcelain"], cwd=clone) == b""
    assert list(home.iterdir())
