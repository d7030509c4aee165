"""The pages about commands agree with the program, and their command lines do what they say in the sample."""

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
from tests import errors_page
from tests.cli import command_reference
from tests.cli.home import DEMO, Home
from tests.config import settings_page

from backlit.cli.arguments import parser

DOCS = Path(__file__).resolve().parents[2] / "docs"
NOT_HERE = ("admin", "commands.app:", "commands.linear:", "commands.mcp:", "commands.serve:", "commands.session:log_in")
"""Handlers that need a terminal, a server or a person; their lines are only read."""
ENDS_WITH = {"backlit trash 1042": 4}
"""Exit codes of lines about what the sample does not have."""
LINES = {
    path.name: [
        re.sub(r"\s+# .*", "", line)
        for block in re.findall(r"```sh\n(.*?)```", path.read_text(encoding="utf-8"), re.DOTALL)
        for line in block.splitlines()
        if line.startswith("backlit")
    ]
    for path in [*sorted(DOCS.glob("*.md")), DOCS.parent / "README.md"]
}


@pytest.mark.slow
def test_the_page_of_commands_is_the_grammar() -> None:
    assert command_reference.PAGE.read_text(encoding="utf-8") == command_reference.page(), (
        "run python -m tests.cli.command_reference"
    )


@pytest.mark.slow
def test_the_page_of_errors_is_what_is_raised() -> None:
    assert errors_page.PAGE.read_text(encoding="utf-8") == errors_page.page(), "run python -m tests.errors_page"


@pytest.mark.slow
def test_the_page_of_settings_is_the_models() -> None:
    written = settings_page.PAGE.read_text(encoding="utf-8")

    assert written == settings_page.page(), "run python -m tests.config.settings_page"
    assert "|  |  |  |" not in written  # a setting without a word


def shell(home: Home, folder: Path, text: str) -> subprocess.CompletedProcess[str]:
    """Run a text as a script of bash in which `backlit` is this program on the sample."""
    command = folder / "bin" / "backlit"
    command.parent.mkdir(exist_ok=True)
    command.write_text(f'#!/bin/sh\nexec {shlex.quote(sys.executable)} -m backlit "$@"\n')
    command.chmod(0o700)
    environment = home.environment | {"PATH": f"{command.parent}:{os.environ['PATH']}", "BACKLIT_PROFILE": "demo-60-1"}
    return subprocess.run(
        ["bash", "-o", "pipefail", "-c", text],
        check=False,
        cwd=folder,
        env=environment,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
    )


def is_run(line: str) -> bool:
    """Return whether a line does something here; a line that cannot be read ends the test."""
    words = shlex.split(re.split(r" [|<>] ?", line)[0])[1:]
    if words[-1:] == ["--help"]:
        return False
    return not str(parser().parse_args(words).handler).startswith(NOT_HERE)


@pytest.mark.slow
@pytest.mark.parametrize("page", [name for name, lines in LINES.items() if any(map(is_run, lines))])
def test_the_command_lines_of_a_page_can_be_run(
    page: str, demo_home: Home, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for line in filter(is_run, LINES[page]):
        is_plain = not re.search(r"[|<>]", line)
        words = shlex.split(line)[1:]
        done = demo_home.run(*DEMO, *words) if is_plain else shell(demo_home, tmp_path, line)

        assert done.returncode == ENDS_WITH.get(line, 0), (line, done.stdout, done.stderr)


@pytest.mark.slow
def test_the_other_command_lines_can_be_read() -> None:
    others = [line for lines in LINES.values() for line in lines if not is_run(line)]

    assert len(others) > 20


@pytest.mark.slow
def test_the_sprint_of_the_page_is_worked_off(demo_home: Home, tmp_path: Path) -> None:
    page = (DOCS / "scripting.md").read_text(encoding="utf-8")
    (script,) = re.findall(r"```bash\n(.*?)```", page, re.DOTALL)
    (tickets,) = re.findall(r"```text\n(.*?)```", page, re.DOTALL)
    (tmp_path / "tickets.csv").write_text(tickets)

    done = shell(demo_home, tmp_path, script)
    listed = shell(demo_home, tmp_path, "backlit items list --query tag:spring --json=name,est,owner,iter")

    assert done.returncode == 0, (done.stdout, done.stderr)
    assert (tmp_path / "sprint.md").read_text().startswith("# Sprint 14\n")
    assert listed.stdout.count('"maya"') == 3
    assert listed.stdout.count("Sprint 15") == 3
    assert '"est": 3' in listed.stdout
