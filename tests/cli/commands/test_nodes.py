"""Areas and iterations on the command line."""

import pytest
from tests.cli.admin_world import Done
from tests.cli.home import DEMO, Home

from backlit.config.settings import NO_WORKSPACE


def offline(home: Home, *words: str) -> Done:
    return home.run(*DEMO, "--offline", "--quiet", *words)


def test_areas_are_listed_with_their_paths(demo_home: Home) -> None:
    rows = offline(demo_home, "areas", "list", "--json=name,path,parentId").json

    assert rows[0] == {"name": "Aurora", "path": "Aurora", "parentId": None}
    assert {"name": "Basket", "path": r"Aurora\Checkout\Basket", "parentId": 2} in rows


@pytest.mark.parametrize(
    ("option", "names"), [("--current", "Sprint 14"), ("--ended", "Sprint 1"), ("--releases", "Release 3.2")]
)
def test_iterations_are_listed_by_what_they_are(demo_home: Home, option: str, names: str) -> None:
    found = {row["name"] for row in offline(demo_home, "iterations", "list", option, "--json=name").json}

    assert names in found
    assert "Sprint 17" not in found


def test_a_node_is_made_changed_moved_and_deleted_offline(demo_home: Home) -> None:
    words = (
        ("areas", "new", "Gift cards", "--parent", "Checkout", "--first"),
        ("areas", "set", "Gift cards", "name=Coupons"),
        ("areas", "move", "Coupons", "--parent", "Search"),
    )
    states = [offline(demo_home, *each).stdout.split("\t")[-1].strip() for each in words]
    moved = offline(demo_home, "areas", "list", "--json=path").json
    deleted = offline(demo_home, "areas", "delete", "Coupons", "--to", "Search", "--yes")

    assert states == ["queued"] * 3
    assert {"path": r"Aurora\Search\Coupons"} in moved
    assert deleted.returncode == 0
    assert "Coupons" not in offline(demo_home, "areas", "list").stdout


def test_an_iteration_has_dates_and_capacities(demo_home: Home) -> None:
    made = offline(
        demo_home, "iterations", "new", "Sprint 99", "--start", "2027-02-01", "--end", "2027-02-12", "--max", "30"
    )
    offline(demo_home, "iterations", "set", "Sprint 99", "min=20", "end=2027-02-14")

    rows = offline(demo_home, "iterations", "list", "--json=name,start,end,min,max").json
    assert made.returncode == 0
    assert {"name": "Sprint 99", "start": "2027-02-01", "end": "2027-02-14", "min": 20.0, "max": 30.0} in rows


def test_a_series_of_iterations_follows_those_that_exist(demo_home: Home) -> None:
    made = offline(demo_home, "iterations", "new", "Sprint {n}", "--series", "3", "--max", "20", "--json")
    dated = offline(
        demo_home, "iterations", "new", "Week {n}", "--series", "2", "--start", "2027-05-03", "--end", "+1w"
    )

    rows = offline(demo_home, "iterations", "list", "--json=name,start,end,max").json
    assert [each["state"] for each in made.json["items"]] == ["queued"] * 3
    assert len({each["local"] for each in made.json["items"]}) == 3
    names = [each["changes"][0]["after"] for each in made.json["items"]]
    assert [row["max"] for row in rows if row["name"] in names] == [20.0] * 3
    assert dated.returncode == 0
    assert {"name": "Week 2", "start": "2027-05-10", "end": "2027-05-16", "max": None} in rows


@pytest.mark.parametrize(
    ("words", "status", "sentence"),
    [
        (("areas", "new", "X", "--parent", "Serch"), 4, "There is no area “Serch”. Did you mean “Search”?"),
        (("areas", "new", "a\\b"), 6, "backslash"),
        (("areas", "new", ""), 6, "Name cannot be empty."),
        (("areas", "set", "Search"), 2, "Say what to change"),
        (("areas", "set", "Search", "colour=red"), 2, "There is no field “colour”."),
        (("areas", "set", "Search", "start=today"), 2, "There is no field “start”."),
        (("areas", "move", "Aurora", "--parent", "Search"), 6, "The root cannot be moved."),
        (("areas", "delete", "Search", "--to", "Checkout"), 2, "add --yes"),
        (("areas", "delete", "Aurora", "--to", "Search", "--yes"), 6, "The root cannot be deleted."),
        (("iterations", "set", "next", "max=many"), 6, "max is a number of points"),
        (("iterations", "set", "next", "end=2020-01-01"), 6, "is before the start"),
        (("iterations", "set", "Sprint 1411", "max=3"), 4, "Unknown iteration"),
        (("iterations", "new", "X", "--start", "someday"), 6, "someday"),
        (("iterations", "new", "Sprint", "--series", "3"), 6, "The name needs {n} where the number goes"),
        (("iterations", "new", "S{n}", "--series", "100"), 6, "Sprints to add must be a number from 1 to 60."),
        (("iterations", "new", "S{n}", "--series", "0"), 2, "--series"),
        (("iterations", "new", "S{n}", "--series", "2", "--release"), 2, "A release holds a series"),
        (
            ("iterations", "new", "S{n}", "--series", "2", "--start", "2027-01-04", "--end", "2027-01-12"),
            6,
            "whole weeks",
        ),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, tuple) else "",
)
def test_bad_input_ends_with_its_code(demo_home: Home, words: tuple[str, ...], status: int, sentence: str) -> None:
    done = offline(demo_home, *words)

    assert (done.returncode, done.stdout) == (status, ""), done.stderr
    assert sentence in done.stderr


@pytest.mark.parametrize("words", [("areas", "list"), ("iterations", "new", "X"), ("plan", "show")])
def test_without_a_workspace_they_say_how_to_begin(home: Home, words: tuple[str, ...]) -> None:
    done = home.run(*words)

    assert (done.returncode, done.stderr) == (3, f"backlit: {NO_WORKSPACE}\n")


def test_the_plan_has_the_load_of_each_iteration(demo_home: Home) -> None:
    rows = offline(demo_home, "plan", "show", "current", "--json").json

    assert [row["name"] for row in rows] == ["Sprint 14"]
    assert rows[0]["points"] > 0


def test_a_draft_that_is_not_there_is_not_discarded(demo_home: Home) -> None:
    done = offline(demo_home, "plan", "discard")

    assert (done.returncode, done.stdout) == (0, "There is no planning draft.\n")
