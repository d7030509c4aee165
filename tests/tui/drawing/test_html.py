"""HTML descriptions and tables, as lines."""

from typing import cast

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len
from tests.tui.bare_app import BareApp
from textual.app import App

from backlit.tui.drawing.html_shape import is_html
from backlit.tui.drawing.markdown import markdown_lines
from backlit.tui.drawing.text import Line
from backlit.tui.drawing.themes import ThemeStyles

PARTS = (
    *("<p>", "</p>", "<ul>", "<ol>", "<li>", "</li>", "</ul>", "<h1>", "<blockquote>", "</blockquote>", "<br>", "<hr>"),
    *(
        "<table>",
        "<tr>",
        "<td>",
        "</td>",
        "</tr>",
        "</table>",
        "<b>",
        "</b>",
        "<pre>",
        "</pre>",
        "<a href='x'>",
        "</a>",
    ),
    *("&#27;", "&#x202e;", "\x1b", "\t", "word", " ", "日本"),
)


async def drawn(text: str, width: int = 40) -> list[Line]:
    async with BareApp().run_test() as pilot:
        return markdown_lines(text, width, ThemeStyles.of(cast("App[object]", pilot.app)))


async def plain(text: str, width: int = 40) -> list[str]:
    return ["".join(part.text for part in line).rstrip() for line in await drawn(text, width)]


@pytest.mark.parametrize(
    ("html", "lines"),
    [
        (
            "<h2>Goal</h2><p>Pay&nbsp;<b>by card</b> &amp; cash<br>twice</p>",
            ["Goal", "Pay by card & cash", "twice"],
        ),
        ("<ul><li>one</li><li>two<ul><li>deep</li></ul></li></ul>", ["• one", "• two", "  • deep"]),
        ("<ol start='3'><li>a</li><li>b</li></ol>", ["3. a", "4. b"]),
        ('<p>see <a href="http://x.y/z">terms</a></p>', ["see terms (http://x.y/z)"]),
        ('<p><img src="http://x.y/p.png" alt="Till"></p>', ["Till (http://x.y/p.png)"]),
        ("<pre>if a:\n  b()</pre>", ["if a:", "  b()"]),
        ("<div>a<script>alert(1)</script></div>", ["a"]),
        ("<p>never <b>closed", ["never closed"]),
        (
            "<table><tr><th>Field</th><th>Value</th></tr><tr><td>Name</td><td>Till</td></tr></table>",
            ["Field │ Value", "─" * 13, "Name  │ Till"],
        ),
    ],
)
async def test_html_is_drawn_by_its_meaning(html: str, lines: list[str]) -> None:
    assert await plain(html) == lines


async def test_a_markdown_table_is_drawn_as_a_table() -> None:
    lines = await plain("| Field | Value |\n|---|---|\n| *Name* | Till |\n\nafter")

    assert lines == ["Field │ Value", "─" * 13, "Name  │ Till", "", "after"]


async def test_a_wide_table_is_wrapped_in_its_cells() -> None:
    lines = await plain("| Name | Words |\n|---|---|\n| Till | never as wide as all that |", 20)

    assert lines[2:] == ["Till │ never as wide", "     │ as all that"]


@pytest.mark.parametrize("text", ["a <script>x</script> b", "1 < 2", "Use `<p>` here", "```\n<p>\n```", "x <b>y</b>"])
def test_markdown_that_mentions_a_tag_is_no_html(text: str) -> None:
    assert not is_html(text)


async def test_hostile_html_is_drawn_in_the_width_there_is() -> None:
    async with BareApp().run_test() as pilot:
        theme = ThemeStyles.of(cast("App[object]", pilot.app))

        @given(st.lists(st.sampled_from(PARTS), max_size=40).map(lambda parts: "<div>" + "".join(parts)))
        def check(text: str) -> None:
            lines = ["".join(part.text for part in line) for line in markdown_lines(text, 30, theme)]

            assert all(line.isprintable() and cell_len(line) <= 30 for line in lines)

        check()
