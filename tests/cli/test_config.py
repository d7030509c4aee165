"""Where things are, and what is remembered."""

import json
import re
import stat
from pathlib import Path

import pytest
from tests.cli.home import Home

from backlit.config.repository import Pins, read_pins
from backlit.config.schema.settings import ConfigFile
from backlit.config.settings import (
    Locations,
    Profile,
    ProfileKind,
    Profiles,
    demo_profile,
    find_locations,
    local_profile,
    read_settings,
    remote_profile,
)
from backlit.config.view_files import read_views
from backlit.model.errors import BadRequest, StorageError

DEEP = pytest.param("a = " + "[" * 100_000, id="deep")
LONG = pytest.param("a = " + "9" * 5000, id="long")


@pytest.fixture
def locations(tmp_path: Path) -> Locations:
    return find_locations({"BACKLIT_HOME": str(tmp_path)})


def test_config_accepts_one_directory_for_everything(locations: Locations, tmp_path: Path) -> None:
    assert {locations.config, locations.data, locations.state, locations.cache} == {
        tmp_path / name for name in ("config", "data", "state", "cache")
    }


def test_without_it_the_system_has_places_of_its_own() -> None:
    locations = find_locations({})

    assert all("backlit" in str(place) for place in (locations.config, locations.data, locations.state))


def test_without_a_file_the_settings_are_the_defaults(locations: Locations) -> None:
    assert read_settings(locations).theme == "backlit"


PROFILE_AND_PROJECT = 'profile = "here"\nproject = "Aurora"\n'


@pytest.mark.parametrize(
    ("files", "environment", "pins"),
    [
        ({}, {}, Pins()),
        ({".backlit.toml": PROFILE_AND_PROJECT}, {}, Pins("here", "Aurora")),
        ({"backlit-views.toml": "project = 2"}, {}, Pins("", "2")),
        ({"below/.backlit.toml": 'profile = "below"', ".backlit.toml": PROFILE_AND_PROJECT}, {}, Pins("below")),
        ({".backlit.toml": "project = 2", "backlit-views.toml": PROFILE_AND_PROJECT}, {}, Pins("", "2")),
        ({".backlit.toml": PROFILE_AND_PROJECT}, {"BACKLIT_PROJECT": "3"}, Pins("here", "3")),
        ({".backlit.toml": PROFILE_AND_PROJECT}, {"BACKLIT_PROFILE": "demo"}, Pins("demo", "Aurora")),
        ({".backlit.toml": PROFILE_AND_PROJECT}, {"BACKLIT_PROFILE": ""}, Pins("here", "Aurora")),
        ({".backlit.toml": "profile = 3"}, {}, '"profile" must be a name'),
        ({".backlit.toml": "project = true"}, {"BACKLIT_PROJECT": "3"}, '"project" must be a name'),
        (
            {"below/.backlit.toml": "project ="},
            {},
            "line 1: there is no value after the =, or a text without quotes. Correct",
        ),
    ],
)
def test_profile_and_project_are_named_by_the_environment_or_the_nearest_file(
    tmp_path: Path, files: dict[str, str], environment: dict[str, str], pins: Pins | str
) -> None:
    below = tmp_path / "below" / "deeper"
    below.mkdir(parents=True)
    for name, content in files.items():
        (tmp_path / name).write_text(content)

    if isinstance(pins, str):
        with pytest.raises(StorageError, match=pins):
            read_pins(below, environment)
    else:
        assert read_pins(below, environment) == pins


def test_no_profile_is_the_last_one_before_the_first(locations: Locations) -> None:
    assert Profiles(locations).last() is None


@pytest.mark.parametrize("before", [None, local_profile(), remote_profile("https://tracker.example", "maya")])
def test_a_sample_is_known_but_never_the_last_profile(locations: Locations, before: Profile | None) -> None:
    if before is not None:
        Profiles(locations).remember(before)
    Profiles(locations).remember(demo_profile(20, 3))

    assert Profiles(locations).last() == before
    assert "demo-20-3" in Profiles(locations).names()


def test_the_last_profile_is_remembered_with_the_others(locations: Locations) -> None:
    remote = remote_profile("https://tracker.example", "maya")
    Profiles(locations).remember(demo_profile(20, 3))
    Profiles(locations).remember(remote)

    assert Profiles(locations).last() == remote
    assert Profiles(locations).named("demo-20-3") == demo_profile(20, 3)
    assert stat.S_IMODE((locations.state / "profiles.json").stat().st_mode) == 0o600


def test_a_profile_that_is_last_already_is_not_written_again(locations: Locations) -> None:
    Profiles(locations).remember(local_profile())
    before = (locations.state / "profiles.json").stat()
    Profiles(locations).remember(local_profile())

    assert (locations.state / "profiles.json").stat().st_ino == before.st_ino


@pytest.mark.parametrize("content", [DEEP, LONG])
def test_views_that_cannot_be_read_are_said_with_the_file(locations: Locations, content: str) -> None:
    locations.config.mkdir()
    (locations.config / "views.toml").write_text(content)

    found = read_views(locations, locations.config)

    assert found.own == ()
    [problem] = found.problems
    assert problem.startswith(f"Could not read {locations.config / 'views.toml'}")


@pytest.mark.parametrize(
    ("content", "fault"),
    [
        ("", "it is empty"),
        ("\n ", "it is empty"),
        ("\ud8ff\x89PNG\0", "it is not text in UTF-8"),
        ("{", "line 1, column 2 cannot be read as JSON"),
        pytest.param("[" * 100_000, "nested", id="deep"),
        ("[]", "it holds no list of profiles"),
        ('{"last": ""}', '"profiles" is missing'),
        ('{"profiles": 3}', "it holds no list of profiles"),
        ('{"profiles": [{"kind": "odd"}], "last": ""}', "it has a profile of an unknown kind, 'odd'"),
        ('{"profiles": [{"kind": "remote", "user": "maya"}], "last": ""}', "it holds no list of profiles"),
    ],
)
def test_a_damaged_file_of_profiles_is_said_and_never_replaced(locations: Locations, content: str, fault: str) -> None:
    locations.state.mkdir()
    path = locations.state / "profiles.json"
    path.write_bytes(content.encode("utf-8", "surrogatepass"))
    profiles = Profiles(locations)

    for use in (profiles.last, profiles.signed_in, profiles.names, lambda: profiles.remember(local_profile())):
        with pytest.raises(StorageError, match="Could not read the profiles: ") as raised:
            use()
        assert fault in raised.value.message
        assert str(path) in raised.value.message
    assert path.read_bytes() == content.encode("utf-8", "surrogatepass")


def test_an_unknown_profile_is_refused_with_the_known_ones(locations: Locations) -> None:
    with pytest.raises(BadRequest, match="local"):
        Profiles(locations).named("nowhere")


@pytest.mark.parametrize(
    ("url", "user"),
    [
        ("https://a.example/../../x", "maya"),
        ("https://a.example", "../maya"),
        ("https://a.example", "m/\x1b[2J"),
        ("https://a.example", ".."),
    ],
)
def test_a_profile_never_leaves_its_directory(locations: Locations, url: str, user: str) -> None:
    profile = remote_profile(url, user)

    assert locations.journal(profile).resolve().parent.parent == locations.state.resolve()
    assert profile.name.isprintable()


def test_two_profiles_never_share_their_files() -> None:
    names = {remote_profile("https://a.example", user).name for user in ("a/b", "a-b", "a b", "a\tb")}

    assert len(names) == 4


def test_a_user_has_one_profile_however_the_name_is_spelled(locations: Locations) -> None:
    profiles = Profiles(locations)
    profiles.remember(remote_profile("https://a.example", "maya"))

    assert profiles.of_user("https://a.example", "Maya") == remote_profile("https://a.example", "maya")
    assert profiles.of_user("https://a.example", "jon") == remote_profile("https://a.example", "jon")
    assert profiles.of_user("https://b.example", "Maya") == remote_profile("https://b.example", "Maya")


def test_a_profile_in_the_file_cannot_name_other_files(locations: Locations) -> None:
    locations.state.mkdir()
    entry = {"name": "../../etc", "kind": "remote", "url": "https://a.example", "user": "maya"}
    (locations.state / "profiles.json").write_text(json.dumps({"profiles": [entry], "last": "maya@a.example"}))

    last = Profiles(locations).last()
    assert last is not None
    assert (last.name, last.kind) == ("maya@a.example", ProfileKind.REMOTE)


@pytest.mark.slow
def test_faulty_settings_stop_no_command_and_doctor_repeats_them(home: Home) -> None:
    path = find_locations(home.environment).config / "config.toml"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text('mouse = "yes"\ncolour = "red"\n')

    listed = home.run("--profile", "demo-30-1", "items", "list", "--limit", "1")
    examined = home.run("--profile", "demo-30-1", "doctor")

    assert (listed.returncode, len(listed.stderr.splitlines())) == (0, 2)
    assert "line 2, column 1). It is ignored." in listed.stderr
    assert examined.returncode == 1
    assert examined.stdout.count("✗ settings") == 2


@pytest.mark.parametrize("key", sorted(ConfigFile.model_fields.keys() - ConfigFile.misplaced))
def test_every_setting_stands_in_a_page_of_the_documentation(key: str) -> None:
    pages = [path.read_text(encoding="utf-8") for path in (Path(__file__).parents[2] / "docs").glob("*.md")]
    written = re.compile(rf"(?:^|`){key} = |^\[+{key}[].]|`\[?{key}\]?`", re.MULTILINE)

    assert any(written.search(page) for page in pages)
