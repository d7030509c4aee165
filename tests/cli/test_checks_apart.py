"""Where pydantic is loaded: by the check of a changed file, and in no program that stays."""

import signal
import subprocess
import sys
from pathlib import Path

import pytest
from tests.cli.home import DEMO, Home
from tests.terminal import BACKLIT, terminal

CONFIG = 'mouse = false\ncolour = "red"\n[lint]\nStory = ["estimate"]\n'
LOADED = """
import sys
from backlit.__main__ import run
try:
    run(sys.argv[1:])
except SystemExit:
    pass
print([name for name in sys.modules if name.startswith(("pydantic", "backlit.config.schema"))], file=sys.stderr)
"""
VIEWS = '[[view]]\nname = "Bugs"\nquery = "type:bug"\n[[view]]\nname = "Late"\ngroup = "statsu"\n'
MOUSE = b"?1000h"

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not Path("/proc/self/maps").exists(), reason="needs Linux's list of what a process has mapped"),
]


def has_pydantic(process: int) -> bool:
    """Whether a running program has loaded it: its larger part is a library in machine code."""
    return "pydantic_core" in Path(f"/proc/{process}/maps").read_text()


def configure(home: Home, text: str, views: str = "") -> None:
    (home.path / "config").mkdir(exist_ok=True)
    (home.path / "config" / "config.toml").write_text(text)
    if views:
        (home.path / "config" / "views.toml").write_text(views)


def test_the_screens_never_load_pydantic_for_views_read_or_saved(demo_home: Home) -> None:
    configure(demo_home, "", VIEWS)
    loaded = []
    with terminal(DEMO, demo_home.environment, program=BACKLIT) as shown:
        shown.wait_for("There is no field 'statsu'")
        shown.wait_for("2 Bugs")
        loaded.append(has_pydantic(shown.process))
        shown.press("S", *"Mine", "enter")
        shown.wait_for("3 Mine")
        loaded.append(has_pydantic(shown.process))

        assert loaded == [False, False]
    assert (demo_home.path / "config" / "views.toml").read_text() == VIEWS + '\n[[view]]\nname = "Mine"\n'


@pytest.mark.parametrize("is_changed", [True, False])
@pytest.mark.long_but("True")
def test_the_screens_never_load_pydantic_and_have_the_changed_settings(demo_home: Home, is_changed: bool) -> None:
    configure(demo_home, CONFIG)
    if not is_changed:
        assert demo_home.run(*DEMO, "items", "list", "--limit", "1").returncode == 0
    loaded = []
    with terminal(DEMO, demo_home.environment, program=BACKLIT) as shown:
        shown.wait_for(r"\b\d+ [▲◆×■◇»] ")
        loaded.append(has_pydantic(shown.process))
        shown.wait_for("Unknown setting 'colour'")
        shown.wait_for(r"synced +maya")
        loaded.append(has_pydantic(shown.process))
        shown.press("j", "j", "enter", "escape", "g", "b")
        shown.read(0.5)
        loaded.append(has_pydantic(shown.process))

        assert loaded == [False, False, False]
        assert MOUSE not in shown.written


def test_the_service_never_loads_pydantic(home: Home) -> None:
    process = home.start("serve", "--sample", "--items", "20", "--port", "0")
    assert process.stdout is not None
    lines = [process.stdout.readline() for _ in range(5)]
    is_loaded = has_pydantic(process.pid)
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=90)

    assert "http://127.0.0.1:" in lines[0]
    assert not is_loaded


@pytest.mark.parametrize(
    "arguments",
    [
        *("--help", "items list --limit 1", "doctor", "admin users list"),
        *(pytest.param(each, marks=pytest.mark.long) for each in ("items show 1", "plan export", "report velocity")),
    ],
)
@pytest.mark.long_but("items list --limit 1")
def test_a_command_loads_pydantic_after_a_change_of_its_files_alone(demo_home: Home, arguments: str) -> None:
    def run() -> str:
        command = [sys.executable, "-c", LOADED, *DEMO, *arguments.split()]
        done = subprocess.run(command, env=demo_home.environment, capture_output=True, text=True, check=False)
        return done.stderr.splitlines()[-1]

    configure(demo_home, CONFIG)
    demo_home.run(*DEMO, "items", "list", "--limit", "1")

    assert run() == "[]"
