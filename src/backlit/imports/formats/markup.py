"""Descriptions of other trackers as Markdown."""

import re
from collections.abc import Collection, Mapping
from importlib import import_module

_TAG = re.compile(r"<[a-zA-Z/!][^>]*>")


def to_markdown(text: str, markup: str, people: Mapping[str, Collection[str]]) -> str:
    """Return a text of a markup (`wiki`, `html`, `markdown`) as Markdown with LF at the ends of lines."""
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    if markup == "wiki" and text:
        return _rendered("wiki", text, display_names(people))
    if markup == "html" and _TAG.search(text):
        return _rendered("html", text)
    return text.strip()


def document_to_markdown(document: Mapping[str, object]) -> str:
    """Return a document of the Atlassian Document Format as Markdown."""
    return _rendered("adf", document)


def _rendered(markup: str, *values: object) -> str:
    try:
        module = import_module(f"backlit.imports.markup.{markup}")
    except ModuleNotFoundError:
        return str(values[0]).strip()  # without its renderer a text stays as it is
    return str(getattr(module, f"{markup}_to_markdown")(*values)).strip()


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
