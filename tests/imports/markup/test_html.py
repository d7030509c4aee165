"""HTML of other trackers as Markdown."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.imports.markup.shown import numbered, shown, words_shown

from backlit.imports.markup.html import html_to_markdown

PARTS = (
    *("word", "word ", "word\n", "word", "&amp;", "&nbsp;", "&#27;", "&lt;b&gt;", " ", "\n", "<", "<a"),
    *("&", "<b x='", '">'),
    *("<p>", "</p>", "<div>", "</div>", "<br>", "<ul>", "</ul>", "<ol>", "</ol>", "<li>", "</li>", "<b>", "</b>"),
    *("<i>", "</i>", "<s>", "</s>", "<code>", "</code>", "<pre>", "</pre>", "<blockquote>", "</blockquote>", "<hr>"),
    *("<table>", "</table>", "<tr>", "</tr>", "<td>", "</td>", "<th>", "<h2>", "</h2>", "</span>"),
    *("<span style='font-weight:bold'>", "<a href='http://q.r'>", "</a>", "<img src='http://q.r/x.png' alt='x'>"),
    *("<foo>", "<!--", "<![CDATA["),
    *("*", "_", "`", "[", "](", "# ", "- ", "|", "<script>", "<style>"),
)  # fmt: skip


@pytest.mark.parametrize(
    ("html", "markdown"),
    [
        ("<p>Pay&nbsp;<b>by card</b> &amp; cash<br>twice</p>", "Pay **by card** & cash\ntwice"),
        ("<div>one</div><div>two</div><div><br></div><div>three</div>", "one\ntwo\n\nthree"),
        ("<h2>Goal</h2><p>a</p>", "## Goal\n\na"),
        ("<ul><li>one</li><li>two<ul><li>deep</li></ul></li></ul>", "- one\n- two\n  - deep"),
        ("<ul><li>one<ul><li>deep</ul><li>two</ul>", "- one\n  - deep\n- two"),
        ("<ul><li>one</li><ul><li>deep</li></ul></ul>", "- one\n  - deep"),
        ("<ol start='3'><li>a</li><li>b</li></ol>", "3. a\n4. b"),
        ('<a href="https://x.y/c?v=2&amp;lang=en">sketch</a>', "[sketch](https://x.y/c?v=2&lang=en)"),
        ('<a href="https://x.y">https://x.y</a>', "https://x.y"),
        ('<a href="javascript:alert(1)">here</a>', "here"),
        ('<a href="#" data-vss-mention="version:2.0">@Ben Adler</a>', "@Ben Adler"),
        ('<img src="http://x.y/p.png" alt="Till">', "![Till](http://x.y/p.png)"),
        ('<img src="data:image/png;base64,AAAA">', "(picture)"),
        ("<pre>if a:\n  b()</pre>", "```\nif a:\n  b()\n```"),
        ('<pre class="code-java"><span class="k">int</span> x;</pre>', "```java\nint x;\n```"),
        ("run <code>make</code>", "run `make`"),
        ("<blockquote>a<p>b</p></blockquote>", "> a\n>\n> b"),
        ("<s>old</s> <em>new</em> <span style='font-weight: bold'>x</span>", "~~old~~ *new* **x**"),
        ("<table><tr><th>A<th>B</th></tr><tr><td>1</td><td>2</td></tr></table>", "| A | B |\n| --- | --- |\n| 1 | 2 |"),
        ("<p>never <b>closed", "never **closed**"),
        ("a<script>alert('<b>')</script>b<STYLE>p {}</STYLE>c<!-- d -->e", "abce"),
        ("the &lt;b&gt; tag, 5 < 6", "the `<b>` tag, 5 < 6"),
        ("Maya <maya@example.com>", "Maya `<maya@example.com>`"),
        ("see <https://x.y/z> and <o:p>this</o:p>", "see `<https://x.y/z>` and this"),
        ("<p>First line,\nsecond &quot;quoted&quot; line</p>", 'First line,\nsecond "quoted" line'),
        ("<div>1. Open</div><div>2. Click</div>", "1. Open\n2. Click"),
        ("", ""),
    ],
)  # fmt: skip
def test_html_becomes_markdown(html: str, markdown: str) -> None:
    assert html_to_markdown(html) == markdown


def test_lists_and_code_in_a_cell_stay_in_it() -> None:
    html = "<table><tr><td>a<ul><li>b<li>c</ul></td><td><pre>d\ne</pre></td></tr></table>after"

    assert shown(html_to_markdown(html)) == ["a • b • c │ d e", "", "after"]


@pytest.mark.slow
@given(st.lists(st.sampled_from(PARTS), max_size=30))
def test_no_word_is_lost_and_no_tag_is_left(parts: list[str]) -> None:
    html, words = numbered(parts)

    markdown = html_to_markdown(html)

    assert words_shown(markdown) == words


@pytest.mark.parametrize(
    "tag", ["ul><li", "blockquote", "table><tr><td", "b", "div", "span", "h1", "pre", "a href='x'"]
)
def test_tags_nested_hundreds_deep_keep_the_words(tag: str) -> None:
    html = f"w0z<{tag}>" * 300 + "w1z" + f"</{tag.partition('>')[0].partition(' ')[0]}>" * 300

    assert html_to_markdown(html).count("w0z") == 300


@pytest.mark.parametrize("part", ["<", "<a ", '<a x="', "<!--", "<![CDATA[", "<script>", "</b>", "&", "<i><b>", "<td>"])
def test_broken_html_keeps_what_follows(part: str) -> None:
    html = part * 1000 + " w0z"

    assert html_to_markdown(html).count("w0z") == 1


@pytest.mark.slow
@pytest.mark.parametrize("part", ["<", "<a ", '<a x="', "<!--", "<script>", "&"])
@pytest.mark.long_but("<script>", "&", "<!--")
def test_a_megabyte_of_broken_html_is_read(part: str) -> None:
    """The standard parser alone takes minutes for the second of these."""
    assert html_to_markdown(part * (1_000_000 // len(part)) + " w0z").count("w0z") == 1
