"""Views in files: read, refused with their name and file, written back."""

import tomllib
from pathlib import Path

import pytest

from backlit.config.settings import find_locations
from backlit.config.view_files import read_views
from backlit.model.filters import SortKey
from backlit.store import ViewSpec
from backlit.store.views.saved import SavedView, saved_views, view_from, write_views

MINE = """
[[view]]
name = "Mine"
query = "@me status:open"
sort = ["changed desc", "-Score_cf", "name"]
group = "iter"
"""


def test_the_first_of_two_views_with_a_name_counts() -> None:
    tables: list[tuple[Path, object]] = [(Path(path), {"name": "Mine", "query": path}) for path in ("one", "other")]

    assert [view.spec.query for view in saved_views(tables)[0]] == ["one"]


def test_the_users_views_come_first_and_those_of_the_repository_after(tmp_path: Path) -> None:
    locations = find_locations({"BACKLIT_HOME": str(tmp_path / "home")})
    inside = tmp_path / "work" / "deep"
    for folder in (inside, locations.config):
        folder.mkdir(parents=True)
    (locations.config / "views.toml").write_text(MINE)
    (tmp_path / "work" / ".backlit.toml").write_text(
        '[[view]]\nname = "Bugs"\nquery = "type:bug"\ndone = true\n' + MINE
    )

    (first, second), problems = saved_views(read_views(locations, inside).tables)

    order = (SortKey("lastModifiedAt", descending=True), SortKey("Score_cf", descending=True), SortKey("Name"))
    assert first == SavedView("Mine", ViewSpec(query="@me status:open", sort=order, group=("IterationID",)))
    assert problems == []
    assert second == SavedView("Bugs", ViewSpec(query="type:bug", with_done=True))


def test_what_is_written_reads_back_as_the_same_views() -> None:
    views = [
        view_from(
            {
                "name": 'A "b"\\\n\x7f~\x1f é',
                "query": '"x y" or @me',
                "sort": "changed DESC",
                "group": ["owner", "type"],
            }
        ),
        view_from({"name": "B", "done": True}),
    ]

    read = tomllib.loads(write_views(views))["view"]

    assert [view_from(each) for each in read] == views
    assert views[0].spec.sort == (SortKey("lastModifiedAt", descending=True),)


@pytest.mark.parametrize(
    ("entry", "words"),
    [
        ({}, "has no name"),
        ({"name": "A", "colour": "red"}, "'A' has no 'colour'; valid keys: name, query"),
        ({"name": "A", "done": "yes"}, "true or false"),
        ({"name": "A", "query": 1}, "must be a text"),
        ({"name": "A", "query": "(a"}, "no closing"),
        ({"name": "A", "sort": "colour"}, "no field 'colour'"),
        ({"name": "A", "sort": "name upwards"}, "Unknown order"),
        ({"name": "A", "group": 1}, "a list of fields"),
        ({"name": "A", "group": ["type", "status", "owner"]}, "levels of groups"),
    ],
)
def test_a_view_that_makes_no_sense_is_refused_with_its_file(entry: dict[str, object], words: str) -> None:
    good = {"name": "Good"}

    views, [problem] = saved_views([(Path("views.toml"), entry), (Path("views.toml"), good)])

    assert words in problem
    assert problem.endswith("(views.toml)")
    assert [each.name for each in views] == ["Good"]


@pytest.mark.parametrize("text", ["[[view]", "[views]"])
def test_a_file_that_is_no_list_of_views_is_refused_with_its_path(tmp_path: Path, text: str) -> None:
    locations = find_locations({"BACKLIT_HOME": str(tmp_path / "home")})
    locations.config.mkdir(parents=True)
    (locations.config / "views.toml").write_text(MINE)
    (tmp_path / "backlit-views.toml").write_text(text)

    found = read_views(locations, tmp_path)

    [problem] = found.problems
    assert "backlit-views.toml" in problem
    assert [table["name"] for _, table in found.tables if isinstance(table, dict)] == ["Mine"]


def test_an_unknown_key_of_a_repositorys_file_leaves_all_views(tmp_path: Path) -> None:
    locations = find_locations({"BACKLIT_HOME": str(tmp_path / "home")})
    locations.config.mkdir(parents=True)
    (locations.config / "views.toml").write_text(MINE)
    (tmp_path / ".backlit.toml").write_text('colour = "red"\n[[view]]\nname = "Bugs"\n')

    found = read_views(locations, tmp_path)

    assert [each.name for each in saved_views(found.tables)[0]] == ["Mine", "Bugs"]
    assert found.problems == [
        f"Unknown in a file of views: 'colour'. Write each view as a [[view]] ({tmp_path / '.backlit.toml'})."
    ]
