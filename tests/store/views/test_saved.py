"""Views in files: read, and written back."""

import tomllib
from pathlib import Path

import msgspec

from backlit.config.settings import find_locations
from backlit.config.view_files import read_views
from backlit.model.filters import SortKey
from backlit.model.settings.view_settings import ViewTable
from backlit.store import ViewSpec
from backlit.store.views.saved import SavedView, saved_views, table_of, view_from, written_table

MINE = """
[[view]]
name = "Mine"
query = "@me status:open"
sort = ["changed desc", "-Score_cf", "name"]
group = "iter"
"""


def test_the_first_of_two_views_with_a_name_counts() -> None:
    tables = [ViewTable("Mine", query) for query in ("one", "other")]

    assert [view.spec.query for view in saved_views(tables)] == ["one"]


def test_the_users_views_come_first_and_those_of_the_repository_after(tmp_path: Path) -> None:
    locations = find_locations({"BACKLIT_HOME": str(tmp_path / "home")})
    inside = tmp_path / "work" / "deep"
    for folder in (inside, locations.config):
        folder.mkdir(parents=True)
    (locations.config / "views.toml").write_text(MINE)
    (tmp_path / "work" / ".backlit.toml").write_text(
        '[[view]]\nname = "Bugs"\nquery = "type:bug"\ndone = true\n' + MINE
    )

    read = read_views(locations, inside)
    first, second = saved_views([*read.own, *read.shared])

    order = (SortKey("lastModifiedAt", descending=True), SortKey("Score_cf", descending=True), SortKey("Name"))
    assert first == SavedView("Mine", ViewSpec(query="@me status:open", sort=order, group=("IterationID",)))
    assert read.problems == ()
    assert second == SavedView("Bugs", ViewSpec(query="type:bug", with_done=True))


def test_what_is_written_reads_back_as_the_same_views() -> None:
    tables = [
        ViewTable('A "b"\\\n\x7f~\x1f é', '"x y" or @me', sort=("changed DESC",), group=("owner", "type")),
        ViewTable("B", done=True, columns=("status", "tags 14+")),
    ]
    views = list(map(view_from, tables))

    read = tomllib.loads("\n".join(written_table(table_of(view)) for view in views))["view"]

    assert [view_from(msgspec.convert(table, ViewTable)) for table in read] == views
    assert views[0].spec.sort == (SortKey("lastModifiedAt", descending=True),)
