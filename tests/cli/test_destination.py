"""The profile and project on which a command acts: pinned, or by the last sign-in, never by the screens."""

import json
from pathlib import Path

import pytest
from tests.cli.home import Home, Server
from tests.terminal import terminal

from backlit.config.settings import Profiles, demo_profile, find_locations

DEMO = ("--profile", "demo-20-1")
NEW = "type,name\nStory,Pinned\n"


def found(home: Home, *words: str) -> int:
    return len(json.loads(home.run(*words, "items", "list", "--json", "--query", "Pinned").stdout))


@pytest.mark.slow
def test_a_screen_that_opens_another_profile_redirects_no_command(home: Home, server: Server) -> None:
    home.run("login", server.address, "--user", "maya", given="lantern\n")
    Profiles(find_locations(home.environment)).remember(demo_profile(20, 1))  # as the screens do

    done = home.run("items", "import", "-", "--yes", given=NEW)

    assert done.returncode == 0
    assert f"writing to maya@{server.address.partition('//')[2]} · Aurora" in done.stderr
    assert found(home) == 1


@pytest.mark.slow
def test_a_project_is_named_by_name_or_number_and_said(home: Home) -> None:
    done = home.run(*DEMO, "items", "import", "-", "--yes", "--project", "beacon", given=NEW)
    unknown = home.run(*DEMO, "items", "list", "--project", "nowhere")

    assert "writing to demo-20-1 · Beacon" in done.stderr
    assert found(home, *DEMO) == 0
    assert len(json.loads(home.run(*DEMO, "items", "list", "--project", "2", "--json").stdout)) > 0
    assert "There are: Aurora (1), Beacon (2)" in unknown.stderr


@pytest.mark.slow
def test_the_environment_and_a_file_of_the_directory_pin_profile_and_project(
    home: Home, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "repository" / "below").mkdir(parents=True)
    (tmp_path / "repository" / ".backlit.toml").write_text('profile = "demo-20-1"\nproject = 2\n')
    monkeypatch.chdir(tmp_path / "repository" / "below")

    by_file = home.run("items", "import", "-", "--yes", given=NEW)
    monkeypatch.setenv("BACKLIT_PROJECT", "Aurora")
    by_environment = home.run("items", "import", "-", "--yes", given=NEW)

    assert "writing to demo-20-1 · Beacon" in by_file.stderr
    assert "writing to demo-20-1 · Aurora" in by_environment.stderr


def test_an_option_goes_before_the_file_of_the_directory(
    demo_home: Home, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / ".backlit.toml").write_text('profile = "demo-60-1"\nproject = "beacon"\n')
    monkeypatch.chdir(tmp_path)

    by_file = demo_home.run("items", "import", "-", "--dry-run", given=NEW)
    by_option = demo_home.run("items", "import", "-", "--dry-run", "--project", "1", given=NEW)

    assert by_file.stderr == "backlit: writing to demo-60-1 · Beacon\n"
    assert by_option.stderr == "backlit: writing to demo-60-1 · Aurora\n"


@pytest.mark.slow
def test_the_screens_open_on_the_named_project_and_do_not_remember_it(home: Home) -> None:
    home.run(*DEMO, "items", "list", "--limit", "1")

    with terminal([*DEMO, "--project", "beacon"], home.environment) as shown:
        shown.wait_for(r"Beacon.*synced")
    with terminal(DEMO, home.environment | {"BACKLIT_PROJECT": "2"}) as shown:
        shown.wait_for(r"Beacon.*synced")
    with terminal(DEMO, home.environment) as shown:
        shown.wait_for(r"Aurora.*synced")


@pytest.mark.slow
def test_the_screens_name_an_unknown_project_and_the_known_ones(home: Home) -> None:
    home.run(*DEMO, "items", "list", "--limit", "1")

    with terminal([*DEMO, "--project", "nowhere"], home.environment) as shown:
        shown.wait_for(r"(?s)no single project 'nowhere'.*Aurora \(1\).*Beacon.*\(2\).*--project")
