"""The page of an item in the preview: its head and its facts at a width."""

from collections.abc import Sequence
from pathlib import Path

import pytest
from tests.store.documents import item, node, offline_store, put_nouns

from backlit.store.views.items import CommentEntry
from backlit.tui.drawing import themes
from backlit.tui.drawing.themes import ThemeStyles
from backlit.tui.items.preview import PreviewLayout, item_context

LOOKS = ThemeStyles({**themes.VARIABLE_DEFAULTS, "foreground": "#ffffff", "background": "#000000"})
CHANGED = {"lastModifiedBy": "maya", "lastModifiedAt": "2026-03-01T10:00:00"}
COMMENT = CommentEntry(1, 1, "Said once", "jon", None, is_internal=True, pending=False)


def page(folder: Path, width: int, comments: Sequence[CommentEntry] = (), *, is_brief: bool = False) -> list[str]:
    tags, name = ["quick win", "search"], "Learn synonyms"
    paper = item(1, Name=name, PriorityClass="Must have", Estimate="5", AreaID=2, Description="A text", Tags=tags)
    with offline_store(folder, [paper | CHANGED]) as store:
        put_nouns(store, areas=[node(1, "Aurora"), node(2, "Suggestions", 1)])
        found = store.item(1)
        assert found is not None
        lines = PreviewLayout(LOOKS, width, is_brief=is_brief).lines(found, comments, item_context(store, found))
        return ["".join(segment.text for segment in line).rstrip() for line in lines]


def test_the_last_change_stands_at_the_right_of_the_type(tmp_path: Path) -> None:
    first = page(tmp_path, 60)[0]

    assert first.startswith("#1 ◆ Story  ")
    assert first.endswith("ago by maya")
    assert len(first) == 60


def test_tags_stand_beside_the_area_where_one_line_holds_both(tmp_path: Path) -> None:
    assert page(tmp_path, 60)[2:4] == [
        "○ Not done · 5 pts · Must have · unassigned",
        "Suggestions · #quick win #search",
    ]


def test_facts_break_in_place_of_a_separator_and_tags_stand_on_their_own_line(tmp_path: Path) -> None:
    assert page(tmp_path, 31)[2:6] == [
        "○ Not done · 5 pts · Must have",
        "unassigned",
        "Suggestions",
        "#quick win #search",
    ]


@pytest.mark.parametrize("comments", [(), (COMMENT,)])
def test_the_brief_head_has_two_lines_and_names_the_comments(tmp_path: Path, comments: Sequence[CommentEntry]) -> None:
    facts = "○ Not done · 5 pts · Must have · unassigned" + " · 1 comment" * len(comments)

    brief = page(tmp_path, 60, comments, is_brief=True)

    assert brief[:5] == ["Learn synonyms", facts, "A text", "", "Suggestions · #quick win #search"]
