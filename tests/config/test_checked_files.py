"""Checked files: what is kept of them, and the process that checks those that changed."""

import subprocess
import sys
from pathlib import Path

import pytest

from backlit.config.checked_files import CheckedConfigFile, CheckingProcess
from backlit.config.settings import Locations, Settings, find_locations, read_settings, settings_file
from backlit.model.errors import StorageError

TEXT = """theme = "paper"
mouse = false
colour = "red"
[lint]
Story = ["estimate"]
[capacity]
maya = 3
[teams]
3 = "Payments"
[[template]]
name = "Incident"
type = "Bug"
Priority = 3.0
tags = ["x"]
[[board.column]]
values = "Done"
"""
ASKED = """
import os, sys
from backlit.config.checked_files import CheckingProcess
from backlit.config.settings import find_locations, read_settings, settings_file
locations = find_locations()
checking = CheckingProcess([settings_file(locations)]) if sys.argv[1] == "apart" else None
print(read_settings(locations, checking).theme, "pydantic" in sys.modules)
"""


@pytest.fixture
def locations(tmp_path: Path) -> Locations:
    found = find_locations({"BACKLIT_HOME": str(tmp_path)})
    found.config.mkdir()
    return found


def write(locations: Locations, text: str) -> CheckedConfigFile[Settings]:
    file = settings_file(locations)
    file.path.write_text(text)
    return file


def test_what_was_checked_is_kept_as_it_was(locations: Locations) -> None:
    file = write(locations, TEXT)

    checked = read_settings(locations)

    assert file.is_known()
    assert read_settings(locations) == checked
    assert (checked.theme, len(checked.problems)) == ("paper", 1)


def test_a_changed_file_is_checked_again(locations: Locations) -> None:
    write(locations, TEXT)
    read_settings(locations)
    file = write(locations, TEXT.replace("paper", "ember"))

    assert not file.is_known()
    assert read_settings(locations).theme == "ember"


@pytest.mark.parametrize("damage", ["", "{", "{}", "null", '{"stamp": "0.0"}'])
def test_a_damaged_cache_is_written_again(locations: Locations, damage: str) -> None:
    file = write(locations, TEXT)
    read_settings(locations)
    [kept] = locations.checked.iterdir()
    kept.write_text(damage)

    assert not file.is_known()
    assert read_settings(locations).theme == "paper"
    assert file.is_known()


def test_what_another_version_checked_is_checked_again(locations: Locations) -> None:
    file = write(locations, TEXT)
    read_settings(locations)
    [kept] = locations.checked.iterdir()
    text = kept.read_text()
    kept.write_text(text.replace('{"stamp":"', '{"stamp":"0.0 '))

    assert not file.is_known()


def test_without_room_for_a_cache_the_file_is_checked_each_time(locations: Locations) -> None:
    file = write(locations, TEXT)
    locations.cache.mkdir()
    locations.checked.write_text("no directory")

    checking = CheckingProcess([file])

    assert read_settings(locations).theme == read_settings(locations, checking).theme == "paper"
    assert not file.is_known()


def test_a_missing_file_begins_no_check(locations: Locations) -> None:
    file = settings_file(locations)

    assert file.is_known()
    assert read_settings(locations, CheckingProcess([file])) == read_settings(locations) == Settings()


def test_a_file_that_cannot_be_read_is_named(locations: Locations) -> None:
    settings_file(locations).path.mkdir()

    with pytest.raises(StorageError, match=r"config\.toml"):
        read_settings(locations)


@pytest.mark.slow
def test_a_file_that_changes_while_it_is_checked_is_checked_again(locations: Locations) -> None:
    checking = CheckingProcess([write(locations, TEXT)])
    write(locations, TEXT.replace("paper", "ember"))

    assert read_settings(locations, checking).theme == "ember"


@pytest.mark.slow
def test_pydantic_is_loaded_by_a_check_in_this_process_alone(locations: Locations, tmp_path: Path) -> None:
    def ask(way: str) -> str:
        command, environment = [sys.executable, "-c", ASKED, way], {"BACKLIT_HOME": str(tmp_path)}
        return subprocess.run(command, env=environment, capture_output=True, text=True, check=True).stdout.strip()

    write(locations, 'theme = "paper"')
    assert [ask("apart"), ask("here")] == ["paper False", "paper False"]
    write(locations, 'theme = "ember"')
    assert [ask("here"), ask("here")] == ["ember True", "ember False"]


@pytest.mark.slow
def test_modules_of_the_directory_that_a_program_is_started_in_are_not_run(
    locations: Locations, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "pydantic.py").write_text("open('ran', 'w').close(); raise SystemExit(3)")
    monkeypatch.chdir(tmp_path)
    file = write(locations, TEXT)

    checking = CheckingProcess([file])

    assert read_settings(locations, checking).theme == "paper"
    assert not (tmp_path / "ran").exists()
