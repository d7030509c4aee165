"""Jira's wiki markup as Markdown."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.imports.markup.shown import numbered, shown, words_shown

from backlit.imports.markup.wiki import wiki_to_markdown

PEOPLE = {"712020:0f3a": "Maya Lind", "ben": "Ben Adler"}
PARTS = (
    *("word", "word ", "word\n", "word", "h2. ", "* ", "** ", "# ", "*# ", "- ", "|", "||", "{code}", "{code:java}"),
    *(
        "{noformat}",
        "{quote}",
        "{panel:title=T}",
        "{panel}",
        "{color:red}",
        "{color}",
        "\n",
        "\n\n",
        "*",
        "_",
        "-",
        "+",
    ),
    *("{{", "}}", "[", "|http://q.r]", "]", "[~ben]", "!", "!x.png!", "\\\\", "\\", "bq. ", "----", "{*}", "^", "~"),
    *("-", "+", "??", "http://q.r/_x_ ", "{", "}", "[^f.txt]", "{info}", "<p>", "`", "](", "{expand:More}"),
)


@pytest.mark.parametrize(
    ("wiki", "markdown"),
    [
        ("h2. Acceptance\ntext", "## Acceptance\n\ntext"),
        ("a *bold* _it_ -old- +new+ {{mono}} ??cite??", "a **bold** *it* ~~old~~ new `mono` *cite*"),
        ("*_both_* and {*}mid{*}dle", "***both*** and **mid**dle"),
        ("a well-known-thing, 2 * 3 * 4, snake_case, 5 - 3", "a well-known-thing, 2 * 3 * 4, snake_case, 5 - 3"),
        ("* one\n** two\n* three", "- one\n  - two\n- three"),
        ("# one\n#* two\n# three", "1. one\n   - two\n2. three"),
        ("text\n* one\nmore", "text\n\n- one\n  more"),
        ("- one\n- two\n\n# three", "- one\n- two\n\n1. three"),
        ("{code:java}\nif (a[0] == *b*) {}\n{code}", "```java\nif (a[0] == *b*) {}\n```"),
        ("{code:title=Foo.java|borderStyle=solid}\nx\n{code}", "**Foo.java**\n\n```\nx\n```"),
        ("{noformat}\n*a*\n{noformat}", "```\n*a*\n```"),
        ("{code}\nnever closed", "```\nnever closed\n```"),
        ("* one\n{code}\nx\n{code}\n* two", "- one\n\n  ```\n  x\n  ```\n- two"),
        ("{quote}a\nb{quote}\nc", "> a\n> b\n\nc"),
        ("bq. said", "> said"),
        ("{panel:title=Note|bgColor=#fff}\na\n{panel}", "> **Note**\n>\n> a"),
        ("{color:red}red{color} text", "red text"),
        ("||A||B||\n|1|2|", "| A | B |\n| --- | --- |\n| 1 | 2 |"),
        ("|a [b|http://x.y]|c\\|d|", "| a [b](http://x.y) | c\\|d |\n| --- | --- |"),
        ("[sketch|https://x.y/c?v=2&lang=en]", "[sketch](https://x.y/c?v=2&lang=en)"),
        ("[https://x.y] [a@b.de|mailto:a@b.de] [https://x.y|https://x.y|smart-link]", "https://x.y a@b.de https://x.y"),
        ("[*bold*|http://x.y]", "[**bold**](http://x.y)"),
        ("[SHOP-1] arr[0] [a|b]", "[SHOP-1] arr[0] [a|b]"),
        ("[~accountid:712020:0f3a] [~ben]", "@Maya Lind @Ben Adler"),
        ("[~accountid:99] [~nobody]", "[~accountid:99] [~nobody]"),
        ("!x.png|thumbnail! !http://x.y/z.png!", "![](x.png) ![](http://x.y/z.png)"),
        ("Hello! World! !my shot.png!", "Hello! World! my shot.png"),
        ("[^log.txt] [the log|^log.txt]", "log.txt the log (log.txt)"),
        ("one\\\\two", "one\ntwo"),
        ("\\*no bold\\* \\{code} \\\\server\\share C:\\temp", "`*no bold*` {code} \\\\server\\share C:\\temp"),
        ("a\n----\nb", "a\n\n---\n\nb"),
        ("{unknown:x} {toc}", "{unknown:x} {toc}"),
        ("First line,\nsecond", "First line,\nsecond"),
        ("", ""),
    ],
)
def test_wiki_markup_becomes_markdown(wiki: str, markdown: str) -> None:
    assert wiki_to_markdown(wiki, PEOPLE) == markdown


def test_a_row_over_several_lines_is_one_row() -> None:
    assert shown(wiki_to_markdown("||A||B||\n|one\ntwo|three|")) == ["A       │ B", "─" * 15, "one two │ three"]


def test_addresses_keep_their_signs() -> None:
    assert shown(wiki_to_markdown("see https://x.y/_a_/-b-/*c*/d, then")) == ["see https://x.y/_a_/-b-/*c*/d, then"]


@pytest.mark.slow
@given(st.lists(st.sampled_from(PARTS), max_size=30))
def test_no_word_is_lost(parts: list[str]) -> None:
    wiki, words = numbered(parts)

    assert words_shown(wiki_to_markdown(wiki, PEOPLE)) == words


@pytest.mark.parametrize(
    "part", ["{{", "{", "[", "![", "*a", "{quote}", "{code:", "\\\\", "|", "`", "{*}", "[x](", "<", "\x1b"]
)
def test_unfinished_markup_keeps_what_follows(part: str) -> None:
    assert wiki_to_markdown(part * 1000 + " w0z").count("w0z") == 1


@pytest.mark.slow
@pytest.mark.parametrize("part", ["{{", "[", "![", "{code:", "\\\\", "`"])
@pytest.mark.long_but("[", "`", "{code:")
def test_a_megabyte_of_unfinished_markup_is_read(part: str) -> None:
    assert wiki_to_markdown(part * (1_000_000 // len(part)) + " w0z").count("w0z") == 1


def test_lists_thousands_deep_keep_the_words() -> None:
    wiki = "\n".join(f"{'*' * depth} w{depth}z" for depth in range(1, 60)) + f"\n{'*' * 5000} w60z"

    assert words_shown(wiki_to_markdown(wiki)) == [f"w{depth}z" for depth in range(1, 61)]
