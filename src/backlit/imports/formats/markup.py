"""Descriptions of other trackers as Markdown."""

import re
from collections.abc import Collection, Mapping

from backlit.imports.markup.html import html_to_markdown
from backlit.imports.markup.wiki import wiki_to_markdown

_TAG = re.compile(r"<[a-zA-Z/!][^>]*>")


def to_markdown(text: str, markup: str, people: Mapping[str, Collection[str]]) -> str:
    """Return a text of a markup (`wiki`, `html`, `markdown`) as Markdown with LF at the ends of lines."""
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    if markup == "wiki":
        text = wiki_to_markdown(text, display_names(people))
    elif markup == "html" and _TAG.search(text):
        text = html_to_markdown(text)
    return text.strip()


def display_names(people: Mapping[str, Collection[str]]) -> dict[str, str]:
    """Return the name by which each person is called, by every other name of theirs."""
    return {
        key: name
        for folded, names in people.items()
        if (name := display_name(names))
        for key in (folded, *(each for each in names if each.casefold() == folded))
    }


def display_name(names: Collection[str]) -> str:
    """Return the name among names, logins, addresses and account ids that a person reads."""
    return max(names, key=lambda name: (" " in name, not _is_id(name), "@" not in name, -len(name), name), default="")


def _is_id(name: str) -> bool:
    return bool(re.search(r"\d{4,}|^[0-9a-f:-]{12,}$", name))
