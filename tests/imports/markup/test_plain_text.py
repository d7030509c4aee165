"""Text without markup: it is drawn as it was typed, whatever signs stand in it."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.imports.markup.shown import shown

from backlit.imports.markup.adf import adf_to_markdown

SIGNS = (
    *"*_`~[]()<>#-+|!\\.:;&=/^'\"{}",
    *("a", "foo", " ", "  ", "\n", "1", "2.", "1. ", "3) ", "- ", "* ", "# ", "> ", "``", "```", "~~", "**", "__"),
    *("](", "![", "<b>", "<p>", "</p>", "https://x.y/_a_", "\n\n", "---", "é", "日", "🛒", "&amp;"),
)
MARKS = ("strong", "em", "strike", "code", "link")


def document(*texts: tuple[str, list[str]]) -> object:
    """Return a document of one paragraph."""
    spans = [
        {"type": "text", "text": text, "marks": [{"type": mark, "attrs": {"href": "http://q.r"}} for mark in marks]}
        for text, marks in texts
    ]
    return {"type": "doc", "content": [{"type": "paragraph", "content": spans}]}


def without_signs_of_lists(text: str) -> str:
    """Return a text without what the screens draw otherwise: bullets, numbers with a bracket, rules, typed code."""
    lines = [line.strip().replace("`", "") for line in text.replace(" (http://q.r)", "").split("\n")]
    lines = [re.sub(r"^(\d+)[.)]", r"\1.", re.sub(r"^[-*•] ", "", line)) for line in lines]
    return "".join(re.sub(r"\s", "", line) for line in lines if not re.fullmatch(r"[-_*─\s]*", line))


@pytest.mark.parametrize(
    "text",
    [
        "snake_case and 2 * 3 and #12",
        "a_b_c, well-known, 5 < 6 > 4, R&D",
        "Name* and Phone* are required",
        "C:\\temp\\_x, \\\\server\\share",
        "see [1] and arr[0] (twice)",
        "it costs 5 EUR ~ 6 USD",
        "100% of #4 is done!",
    ],
)
def test_ordinary_text_stays_as_it_is(text: str) -> None:
    assert adf_to_markdown(document((text, []))) == text


@pytest.mark.parametrize(
    ("text", "markdown"),
    [
        ("a *bold* word", "a `*bold*` word"),
        ("def __init__(self)", "def `__init__`(self)"),
        ("~~gone~~", "`~~gone~~`"),
        ("[text](http://x.y)", "`[text](http://x.y)`"),
        ("the <b> tag", "the `<b>` tag"),
        ("# no heading", "`#` no heading"),
        ("> 5 items", "`>` 5 items"),
        ("- 5 EUR", "`-` 5 EUR"),
        ("it`s and that`s", "it`` ` ``s and that`` ` ``s"),
        ("https://x.y/_a_/b", "`https://x.y/_a_/b`"),
    ],
)
def test_signs_that_would_be_markup_become_code(text: str, markdown: str) -> None:
    assert adf_to_markdown(document((text, []))) == markdown
    assert shown(markdown) == [text]


@pytest.mark.parametrize("text", ["1. open\n2. click", "- one\n- two", "see `code` here"])
def test_what_was_typed_as_markdown_stays(text: str) -> None:
    assert adf_to_markdown(document((text, []))) == text


@pytest.mark.parametrize(
    ("text", "drawn"),
    [("\u200d# a", "# a"), ("+\ufe0f", "+"), ("\u200d> a", "> a"), ("[a]\u200d(b)", "[a](b)"), ("-\u200b 5", "- 5")],
)
def test_characters_that_are_not_drawn_hide_no_markup(text: str, drawn: str) -> None:
    assert shown(adf_to_markdown(document((text, [])))) == [drawn]


def test_typed_numbers_that_would_be_counted_anew_are_kept() -> None:
    markdown = adf_to_markdown(document(("1. open\n3. click", [])))

    assert shown(markdown) == ["1. open", "   3. click"]


@pytest.mark.slow
@given(
    st.lists(
        st.tuples(
            st.lists(st.sampled_from(SIGNS), min_size=1, max_size=12).map("".join),
            st.lists(st.sampled_from(MARKS), max_size=3, unique=True),
        ),
        min_size=1,
        max_size=4,
    )
)
def test_any_text_is_drawn_with_its_signs(texts: list[tuple[str, list[str]]]) -> None:
    typed = "".join(text for text, _ in texts)

    drawn = "\n".join(shown(adf_to_markdown(document(*texts))))

    assert without_signs_of_lists(drawn) == without_signs_of_lists(typed)
