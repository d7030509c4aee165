"""What the settings may say of a board."""

import pytest

from backlit.model.errors import BadRequest
from backlit.model.settings.user_settings import RELEASE, BoardSettings, ColumnSettings, board_settings


def test_board_defaults_to_columns_by_status() -> None:
    assert board_settings({}) == BoardSettings("Status", "", written="{}")


def test_a_board_has_columns_lanes_and_limits_by_the_names_of_queries() -> None:
    doing = {"values": ["In Progress", "Active"], "name": "Doing", "limit": 5, "collapsed": True}
    found = board_settings({"columns": "owner", "lanes": "area", "column": [doing, {"of": "status", "values": "Done"}]})

    assert (found.columns, found.lanes) == ("AssignedToID", "AreaID")
    assert found.column == (
        ColumnSettings("AssignedToID", ("In Progress", "Active"), "Doing", 5, is_collapsed=True),
        ColumnSettings("Status", ("Done",)),
    )


@pytest.mark.parametrize(
    ("lanes", "key"),
    [
        ("", ""),
        ("type", "type"),
        ("tags", "Tags"),
        ("parent", "ParentID"),
        ("priority", "Priority"),
        ("Own_cf", "Own_cf"),
    ],
)
def test_a_board_has_lanes_by_many_kinds_of_fields(lanes: str, key: str) -> None:
    assert board_settings({"lanes": lanes}).lanes == key


def test_the_least_limit_of_a_column_is_one_item() -> None:
    assert board_settings({"column": [{"values": "Done", "limit": 1}]}).column[0].limit == 1


def test_columns_can_be_releases_and_own_fields() -> None:
    assert board_settings({"columns": "Release"}).columns == RELEASE
    assert board_settings({"columns": "Channel_cf"}).columns == "Channel_cf"


@pytest.mark.parametrize(
    ("entry", "words"),
    [
        (5, "must be a table"),
        ({"columns": "Description"}, "cannot have columns by"),
        ({"columns": 3}, "cannot have columns by"),
        ({"lanes": "name"}, "cannot have swimlanes by"),
        ({"lanes": 3}, "cannot have swimlanes by"),
        ({"columns": ""}, "cannot have columns by"),
        ({"column": [{"values": [3]}]}, "has no values"),
        ({"column": [{"values": []}]}, "has no values"),
        ({"column": [{"values": ["Done"], "limit": 1.5}]}, "limit"),
        ({"colums": "status"}, "'colums'"),
        ({"column": "Done"}, "[[board.column]]"),
        ({"column": [{}]}, "has no values"),
        ({"column": [{"values": ["Done"], "limit": 0}]}, "'Done': \"limit\""),
        ({"column": [{"values": ["Done"], "limit": True}]}, "limit"),
        ({"column": [{"values": ["Done"], "name": 3}]}, "name"),
        ({"column": [{"values": ["Done"], "collapsed": 1}]}, "collapsed"),
        ({"column": [{"values": ["Done"], "wip": 1}]}, "'wip'"),
    ],
)
def test_board_errors_name_the_setting(entry: object, words: str) -> None:
    with pytest.raises(BadRequest) as raised:
        board_settings(entry)

    assert words in str(raised.value)
