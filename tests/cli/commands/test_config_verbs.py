"""The verbs of `backlit config`."""

import json
from pathlib import Path

import pytest
from tests.cli.home import Home

WRITTEN = """# my settings
theme = "paper"  # light
mouse = false

[lint]
stale_days = 30
"""


@pytest.fixture
def written(home: Home) -> Home:
    (home.path / "config").mkdir(parents=True)
    (home.path / "config" / "config.toml").write_text(WRITTEN)
    return home


def text_of(home: Home) -> str:
    return (home.path / "config" / "config.toml").read_text()


def test_the_file_is_named_and_shown(written: Home) -> None:
    assert written.run("config", "path").stdout == f"{written.path / 'config' / 'config.toml'}\n"
    assert written.run("config", "show").stdout == WRITTEN
    assert written.run("config", "check").returncode == 0


def test_every_fault_is_listed_with_its_place_and_ends_with_1(home: Home) -> None:
    (home.path / "config").mkdir(parents=True)
    (home.path / "config" / "config.toml").write_text('them = "paper"\nmouse = "yes"\n')

    done = home.run("config", "check")

    assert done.returncode == 1
    assert "line 1, column 1). Did you mean 'theme'?" in done.stdout
    assert "line 2, column 9)" in done.stdout


@pytest.mark.parametrize(
    ("key", "value"),
    [("theme", '"paper"\n'), ("lint.stale_days", "30\n"), ("motion", '"auto"\n'), ("project", "null\n")],
)
def test_a_setting_is_read_or_its_default(written: Home, key: str, value: str) -> None:
    assert written.run("config", "get", key).stdout == value


@pytest.mark.parametrize(
    ("key", "value", "after"),
    [
        ("theme", "backlit", WRITTEN.replace('"paper"  # light', '"backlit"')),
        ("mouse", "true", WRITTEN.replace("false", "true")),
        ("lint.stale_days", "60", WRITTEN.replace("30", "60")),
        ("motion", "reduced", WRITTEN.replace("false\n", 'false\nmotion = "reduced"\n')),
        ("capacity.maya", "8", f"{WRITTEN}\n[capacity]\nmaya = 8\n"),
    ],
)
def test_a_setting_is_written_and_the_rest_stays(written: Home, key: str, value: str, after: str) -> None:
    done = written.run("config", "set", key, value)

    assert done.returncode == 0, done.stderr
    assert text_of(written) == after


def test_a_setting_is_removed(written: Home) -> None:
    assert written.run("config", "unset", "mouse").returncode == 0
    assert text_of(written) == WRITTEN.replace("mouse = false\n", "")


@pytest.mark.parametrize(
    ("words", "status", "sentence"),
    [
        (("set", "mouse", "perhaps"), 6, 'The setting "mouse" must be true or false'),
        (("set", "thme", "paper"), 4, "There is no setting “thme”. Did you mean “theme”?"),
        (("set", "theme", "papr"), 4, "There is no theme “papr”. Did you mean “paper”?"),
        (("set", "theme", "x"), 4, "There is no theme “x”. Themes: ansi, backlit, contrast, paper."),
        (("get", "a\x1b[2J"), 4, "There is no setting “a�[2J”."),
        (("set", "board.column.name", "x"), 6, "use: backlit config edit"),
    ],
)
def test_what_is_wrong_is_not_written(written: Home, words: tuple[str, ...], status: int, sentence: str) -> None:
    done = written.run("config", *words)

    assert (done.returncode, done.stdout) == (status, "")
    assert sentence in done.stderr
    assert text_of(written) == WRITTEN


def test_the_schema_has_every_setting(home: Home) -> None:
    assert {"theme", "lint", "board", "template"} <= home.run("config", "schema").json["properties"].keys()


def test_the_editor_is_asked_for_and_its_text_checked(written: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("VISUAL", "sh -c 'echo them = 1 >> \"$0\"'")

    done = written.run("config", "edit")

    assert done.returncode == 1
    assert "Unknown setting 'them'" in done.stdout


def test_keys_are_listed_with_the_users_own_and_their_faults_with_places(home: Home) -> None:
    (home.path / "config").mkdir(parents=True)
    keys = '[keys]\n"item.done" = ["j", "x"]\n"app.bord" = "B"\n"list.zen" = false\n'
    (home.path / "config" / "config.toml").write_text(f'preset = "arrows"\n{keys}')

    listed = home.run("keys", "--context", "items", "--json").stdout
    checked = home.run("keys", "--check", "--preset", "vim")

    done = next(each for each in json.loads(listed) if each["command"] == "item.done")
    assert done == {
        "keys": ["j", "x"],
        "command": "item.done",
        "effect": "Mark as done or closed.",
        "origin": "yours",
        "context": "Items",
    }
    assert checked.returncode == 1
    assert "item.done: j is a key of list.down too" in checked.stdout
    assert "line 4, column 1). Did you mean “app.board”?" in checked.stdout
    assert "list.zen" in checked.stderr


def origins(home: Home, *options: str) -> dict[str, tuple[str, str]]:
    rows = (line.split("\t") for line in home.run("config", "show", "--origin", *options).stdout.splitlines())
    return {setting: (value, origin) for setting, value, origin in rows}


def test_each_setting_is_shown_with_the_place_that_it_is_from(
    written: Home, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    file, repository = written.path / "config" / "config.toml", tmp_path / ".backlit.toml"
    file.write_text(f'{WRITTEN}[profile."local"]\ntheme = "ink"\n[connection]\nproxy = "http://me:secret@proxy:1"\n')
    repository.write_text('profile = "local"\nestimate_scale = [1, 2]\nmouse = true\n')
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("BACKLIT_READ_ONLY", "1")

    shown = origins(written, "--project", "7")

    assert shown["images"] == ('"auto"', "default")
    assert shown["mouse"] == ("false", f"{file}:3")
    assert shown["theme"] == ('"ink"', f"{file}:8, profile")
    assert shown["lint.stale_days"] == ("30", f"{file}:6")
    assert shown["estimate_scale"] == ("[1, 2]", f"{repository}:2")
    assert shown["read_only"] == ("true", "BACKLIT_READ_ONLY")
    assert shown["profile"] == ('"local"', f"{repository}:1")
    assert shown["project"] == ('"7"', "--project")
    assert shown["connection.proxy"] == ('"http://me:***@proxy:1"', f"{file}:10")


def test_a_faulty_setting_has_its_default(written: Home) -> None:
    (written.path / "config" / "config.toml").write_text("theme = 3\nmouse = false\nmouze = true\n")

    shown = origins(written)

    assert shown["theme"] == ('"backlit"', "default")
    assert "mouze" not in shown


def test_another_file_of_settings_is_named_by_a_variable(
    written: Home, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    other = tmp_path / "other.toml"
    monkeypatch.setenv("BACKLIT_CONFIG", str(other))

    assert written.run("config", "set", "theme", "contrast").returncode == 0
    assert (other.read_text(), text_of(written)) == ('theme = "contrast"\n', WRITTEN)
    assert written.run("config", "path").stdout == f"{other}\n"


def test_no_file_of_settings_is_none_and_stays_so(written: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BACKLIT_CONFIG", "/dev/null")

    done = written.run("config", "set", "theme", "contrast")

    assert origins(written)["mouse"] == ("true", "default")
    assert (done.returncode, done.stderr) == (
        6,
        "backlit: /dev/null is no file that can be written. Unset BACKLIT_CONFIG.\n",
    )
    assert Path("/dev/null").is_char_device()


def test_a_setting_is_written_before_the_first_table(home: Home) -> None:
    (home.path / "config").mkdir(parents=True)
    (home.path / "config" / "config.toml").write_text('[keys]\n"item.status" = "s"\n')

    assert home.run("config", "set", "theme", "paper").returncode == 0
    assert text_of(home) == 'theme = "paper"\n\n[keys]\n"item.status" = "s"\n'
    assert home.run("config", "unset", "theme").returncode == 0
    assert text_of(home).lstrip() == '[keys]\n"item.status" = "s"\n'
