"""Atlassian Document Format as Markdown."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.imports.markup.shown import shown, words_shown

from backlit.imports.markup.adf import adf_to_markdown

KINDS = (
    *("paragraph", "heading", "bulletList", "orderedList", "listItem", "taskList", "taskItem", "codeBlock"),
    *("blockquote", "panel", "table", "tableRow", "tableCell", "rule", "hardBreak", "mediaSingle", "expand", "unknown"),
)
MARKS = ("strong", "em", "strike", "code", "link", "underline")


def text(words: str, *marks: str) -> dict[str, object]:
    return {"type": "text", "text": words, "marks": [{"type": mark, "attrs": {"href": "http://q.r"}} for mark in marks]}


def node(kind: str, *content: object, **attributes: object) -> dict[str, object]:
    return {"type": kind, "attrs": attributes, "content": list(content)}


def paragraph(*content: object) -> dict[str, object]:
    return node("paragraph", *content)


@pytest.mark.parametrize(
    ("content", "markdown"),
    [
        ([node("heading", text("Goal"), level=2), paragraph(text("Pay"))], "## Goal\n\nPay"),
        ([paragraph(text("a "), text("bold", "strong"), text(" b"))], "a **bold** b"),
        ([paragraph(text("both", "em", "strong"), text(" x "), text("old", "strike"))], "***both*** x ~~old~~"),
        ([paragraph(text("bold:", "strong"), text("then"))], "**bold**:then"),
        ([paragraph(text("x = 1", "code"))], "`x = 1`"),
        ([paragraph(text("terms", "link"))], "[terms](http://q.r)"),
        ([paragraph(text("a"), node("hardBreak"), text("b"))], "a\nb"),
        ([paragraph(node("mention", text="@Maya Lind", id="1"))], "@Maya Lind"),
        ([paragraph(node("emoji", shortName=":smile:", text="😄"))], "😄"),
        ([paragraph(node("inlineCard", url="https://x.y/SHOP-1"))], "https://x.y/SHOP-1"),
        ([paragraph(node("status", text="DONE"))], "**DONE**"),
        ([paragraph(node("date", timestamp="1770076800000"))], "2026-02-03"),
        ([node("codeBlock", text("a = [\n  1]"), language="python")], "```python\na = [\n  1]\n```"),
        ([node("codeBlock", text("```"), language="bad `one")], "````\n```\n````"),
        ([node("blockquote", paragraph(text("a")), paragraph(text("b")))], "> a\n>\n> b"),
        ([node("panel", paragraph(text("take care")), panelType="warning")], "> take care"),
        ([paragraph(text("a")), node("rule"), paragraph(text("b"))], "a\n\n---\n\nb"),
        ([node("expand", paragraph(text("b")), title="More")], "**More**\n\nb"),
        ([node("mediaSingle", node("media", alt="till.png", type="file"))], "![](till.png)"),
        ([node("mediaSingle", node("media", alt="Till", type="external", url="http://x.y/t.png"))], "![Till](http://x.y/t.png)"),
        ([node("futureNode", paragraph(text("kept")), node("other", text="too"))], "kept\n\ntoo"),
    ],
)  # fmt: skip
def test_nodes_become_markdown(content: list[object], markdown: str) -> None:
    assert adf_to_markdown({"version": 1, "type": "doc", "content": content}) == markdown


def test_lists_nest() -> None:
    inner = node("orderedList", node("listItem", paragraph(text("c"))), order=1)
    tasks = node("taskList", node("taskItem", text("d"), state="DONE"), node("taskItem", text("e")))
    outer = node("bulletList", node("listItem", paragraph(text("a"))), node("listItem", paragraph(text("b")), inner))

    markdown = adf_to_markdown(node("doc", outer, tasks))

    assert shown(markdown) == ["• a", "• b", "  1. c", "", "• [x] d", "• [ ] e"]


def test_table_has_a_row_for_each_of_its_rows() -> None:
    head = node("tableRow", node("tableHeader", paragraph(text("A"))), node("tableHeader", paragraph(text("B|C"))))
    row = node("tableRow", node("tableCell", paragraph(text("1")), paragraph(text("2"))), node("tableCell"))

    markdown = adf_to_markdown(node("doc", node("table", head, row)))

    assert markdown == "| A | B\\|C |\n| --- | --- |\n| 1 2 |  |"
    assert shown(markdown)[0] == "A   │ B|C"


@pytest.mark.parametrize(
    ("document", "markdown"),
    [(None, ""), ("plain", "plain"), (7, ""), ([], ""), ({}, ""), ({"type": 3, "content": "x"}, "x")],
)
def test_what_is_no_document_keeps_its_text(document: object, markdown: str) -> None:
    assert adf_to_markdown(document) == markdown


@pytest.mark.parametrize("kind", ["bulletList", "blockquote", "table", "paragraph", "unknown", "codeBlock"])
def test_a_document_nested_beyond_python_s_calls_keeps_its_words(kind: str) -> None:
    inner: dict[str, object] = text("w1z")
    for _ in range(1500):
        inner = node(kind, text("w0z") if kind == "unknown" else text(""), inner)

    assert words_shown(adf_to_markdown(node("doc", inner))[-2000:])[-1] == "w1z"


def test_links_that_run_code_are_text() -> None:
    bad = {"type": "text", "text": "here", "marks": [{"type": "link", "attrs": {"href": "JavaScript:alert(1)"}}]}

    assert adf_to_markdown(paragraph(bad)) == "here"


def test_control_characters_are_replaced() -> None:
    assert adf_to_markdown(paragraph(text("a\x1b[31m\x00\ud800b\u200b"))) == "a�[31m��b"


ENDS = ("", " ", "\n", " *", "](", "- ")
TEXTS = st.builds(
    lambda end, marks: text("word" + end, *marks),
    st.sampled_from(ENDS),
    st.lists(st.sampled_from(MARKS), max_size=2),
)
NODES: st.SearchStrategy[Any] = st.recursive(
    TEXTS,
    lambda inner: st.builds(
        lambda kind, content: node(kind, *content), st.sampled_from(KINDS), st.lists(inner, max_size=4)
    ),
    max_leaves=15,
)


def number(part: Any, words: list[str]) -> Any:
    """Return a node whose texts have words of their own, which are added to `words`."""
    if part["type"] == "text":
        words.append(f"w{len(words)}z")
        return {**part, "text": part["text"].replace("word", words[-1])}
    return {**part, "content": [number(inner, words) for inner in part["content"]]}


@pytest.mark.slow
@given(st.lists(NODES, max_size=3))
def test_no_word_is_lost(nodes: list[Any]) -> None:
    words: list[str] = []
    document = node("doc", *(number(part, words) for part in nodes))

    assert words_shown(adf_to_markdown(document)) == words
