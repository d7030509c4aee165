"""Options of lists: groups, trees, counts, and what is one's own."""

from collections import Counter

import pytest
from tests.cli.admin_world import Done
from tests.cli.home import DEMO, Home


def offline(home: Home, *words: str) -> Done:
    return home.run(*DEMO, "--offline", "--quiet", *words)


def test_groups_order_the_items_and_head_a_table(demo_home: Home) -> None:
    rows = offline(demo_home, "items", "list", "--group", "status", "--json=id,status").json
    lines = offline(demo_home, "items", "list", "--group", "status", "--table").stdout.splitlines()

    statuses = [each["status"] for each in rows]
    headings = [line for before, line in zip(["x", *lines], lines, strict=False) if not before]
    assert headings == [f"{status or 'none'} ({count})" for status, count in Counter(statuses).items()]
    assert len(lines) == 1 + len(rows) + 2 * len(headings)


def test_groups_are_counted(demo_home: Home) -> None:
    rows = offline(demo_home, "items", "list", "--json=owner,type").json

    counted = offline(demo_home, "items", "list", "--group", "type,owner", "--count", "--json").json

    found = {(each["type"], each["owner"]): each["items"] for each in counted}
    assert found == Counter((each["type"], each["owner"]) for each in rows)


def test_times_are_grouped_by_their_day(demo_home: Home) -> None:
    counted = offline(demo_home, "items", "list", "--group", "created", "--count", "--query", "type:story").stdout

    assert all(len(line.split("\t")[0]) == len("2026-03-01") for line in counted.splitlines())


def test_areas_are_a_tree_for_people_and_paths_elsewhere(demo_home: Home) -> None:
    paths = [each["path"] for each in offline(demo_home, "areas", "list", "--json").json]
    flat = offline(demo_home, "areas", "list", "--table", "--flat").stdout.splitlines()[1:]
    tree = offline(demo_home, "areas", "list", "--table").stdout.splitlines()[1:]

    assert all(path in line for path, line in zip(paths, flat, strict=True))
    indented = ["  " * path.count("\\") + path.rpartition("\\")[2] for path in paths]
    assert all(f"  {name}  " in line for name, line in zip(indented, tree, strict=True))


@pytest.mark.parametrize("noun", ["areas", "iterations"])
def test_counts_include_all_below(demo_home: Home, noun: str) -> None:
    rows = offline(demo_home, noun, "list", "--counts", "--json").json

    assert rows[0]["allItems"] == sum(each["items"] for each in rows)
    assert rows[0]["allPoints"] == pytest.approx(sum(each["points"] for each in rows))


def test_own_projects_and_teams_are_among_all(demo_home: Home) -> None:
    for noun in ("projects", "teams"):
        every = offline(demo_home, noun, "list", "--json=name").json
        mine = offline(demo_home, noun, "list", "--mine", "--json=name").json
        assert mine
        assert [each for each in every if each in mine] == mine


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("items", "list", "--group", "statsu"), "There is no field “statsu”. Did you mean “status”?"),
        (("items", "list", "--group", "lint"), "can be shown and sorted by, not grouped by"),
        (("items", "list", "--group", "iter,owner,team"), "--group takes 2 fields at most."),
        (("areas", "list", "--releases"), "unrecognized arguments: --releases"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, tuple) else "",
)
def test_what_cannot_be_listed_so_is_refused(demo_home: Home, words: tuple[str, ...], sentence: str) -> None:
    done = offline(demo_home, *words)

    assert done.returncode in {2, 6}
    assert sentence in done.stderr
