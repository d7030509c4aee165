"""What files of views say, and what is said of their faults."""

# ruff: noqa: E501 - a sentence stands on one line

import re
from pathlib import Path

import pytest

from backlit.config.schema.views import check_views
from backlit.config.view_files import CheckedViews
from backlit.model.settings.view_settings import ViewTable

THREE_FAULTY_AND_A_GOOD_ONE = """\
[[view]]
name = "Bugs by status"
qurey = "type:bug"
sort = ["estimat desc", "name"]
group = "statsu"

[[view]]
name = "Mine"
query = "@me status:open"
sort = "-est"
group = ["iter", "type"]
done = true
columns = ["status", "tags 14+"]

[[view]]
name = "Late"
done = "yes"
columns = ["statuss 12+", "est"]

[[view]]
query = "(a"
"""
ENTRIES = {
    "name-of-blanks": ('name = " "', 'The setting "name" of view 1 must not be empty (2:8).'),
    "query-of-another-type": (
        'name = "A"\nquery = 1',
        'The setting "query" of view 1 must be a text, such as query = "@me status:open" (3:9).',
    ),
    "key-of-no-project": (
        'name = "A"\nquery = "Ticket_cf:1 (due:week or -x:1)"',
        (
            'The query has an error at character 27: unknown key "x": use owner, iter, area, est, tag or a field\'s name,'
            " or search for the text in double quotes (3:9)."
        ),
    ),
    "order-of-no-direction": (
        'name = "A"\nsort = "name upwards"',
        "Unknown order 'name upwards' (3:8). Write a field name, followed by \"desc\" for descending order.",
    ),
    "no-list-of-fields": (
        'name = "A"\ngroup = 1',
        'The setting "group" of view 1 must be a list, such as group = ["iter"] (3:9).',
    ),
    "no-text-in-a-list": (
        'name = "A"\ncolumns = ["status", 3]',
        'In the setting "columns" of view 1, entry 2 must be a text (3:22).',
    ),
    "too-many-levels": (
        'name = "A"\ngroup = ["type", "status", "owner"]',
        'The setting "group" of view 1 must have 2 fields at most (3:9).',
    ),
    "column-of-every-row": (
        'name = "A"\ncolumns = ["name"]',
        "name is always shown and cannot be a column (3:12).",
    ),
}
"""Faulty tables, and the first part of the sentence."""


def placed(views: CheckedViews) -> list[str]:
    """Return the sentences with short places."""
    return [re.sub(r"\(views\.toml, line (\d+), column (\d+)\)", r"(\1:\2)", problem) for problem in views.problems]


def checked(text: str) -> CheckedViews:
    return check_views(Path("views.toml"), text.encode())


def test_each_fault_of_three_views_is_said_at_its_place_and_the_good_view_stays() -> None:
    views = checked(THREE_FAULTY_AND_A_GOOD_ONE)

    mine = ViewTable("Mine", "@me status:open", ("-est",), ("iter", "type"), done=True, columns=("status", "tags 14+"))
    assert views.tables == (mine,)
    assert placed(views) == [
        "Unknown setting 'qurey' of view 1 (3:1). Did you mean 'query'? The view is left out.",
        "There is no field 'estimat' (4:9). Custom fields end in _cf. Did you mean “estimate”? The view is left out.",
        "There is no field 'statsu' (5:9). Custom fields end in _cf. Did you mean “status”? The view is left out.",
        'The setting "done" of view 3 must be true or false (17:8). The view is left out.',
        "There is no field 'statuss' (18:12). Custom fields end in _cf. Did you mean “status”? The view is left out.",
        'The setting "name" of view 4 is missing (20:1). Add, for example: name = "Mine". The view is left out.',
        "The query has an error at character 1: this '(' has no closing ')'; add one, or put it in double quotes (21:9). The view is left out.",
    ]


@pytest.mark.parametrize(("table", "sentence"), ENTRIES.values(), ids=ENTRIES)
def test_any_fault_costs_the_view_and_no_other(table: str, sentence: str) -> None:
    views = checked(f'[[view]]\n{table}\n[[view]]\nname = "Good"\n')

    assert placed(views) == [f"{sentence} The view is left out."]
    assert views.tables == (ViewTable("Good"),)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("view = 3\n", 'The setting "view" is not a table (1:8). Write each view as a [[view]]. The default is used.'),
        ('[[views]]\nname = "A"\n', "Unknown setting 'views' (1:1). Did you mean 'view'? It is ignored."),
        ('name = "A"\n', "Unknown setting 'name' (1:1). Write each view as a [[view]]. It is ignored."),
        ("profile = 'demo'\n", "Unknown setting 'profile' (1:1). Write each view as a [[view]]. It is ignored."),
        (
            "[[view]\n",
            (
                "Could not read views.toml, line 1: the name of a table has no ]] after it. "
                "Correct it; until then its views are left out."
            ),
        ),
    ],
)
def test_a_file_without_views_is_said(text: str, sentence: str) -> None:
    views = checked(text)

    assert placed(views) == [sentence]
    assert views.tables == ()


def test_a_single_table_is_a_view() -> None:
    assert checked('[view]\nname = " A "\n') == CheckedViews((ViewTable("A"),))
