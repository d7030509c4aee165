"""Tables of words: headings, types, statuses and priorities of other trackers, in TOML files beside this one."""

import tomllib
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import Any

NOT_STARTED, PROGRESS, TEST, DONE, DROPPED, DELETED = "todo", "progress", "test", "done", "dropped", "deleted"
"""Groups of statuses."""


@cache
def words_of(name: str) -> Mapping[str, Any]:
    return tomllib.loads(files(__package__).joinpath(f"{name}.toml").read_text(encoding="utf-8"))


@cache
def _inverse(name: str, table: str = "") -> Mapping[str, str]:
    groups = words_of(name)[table] if table else words_of(name)
    return {word.casefold(): group for group, words in groups.items() if isinstance(words, list) for word in words}


def folded(text: str) -> str:
    return " ".join(text.replace("_", " ").replace("’", "'").split()).casefold()


def type_named(text: str) -> str:
    """Return the type that a word means, `Work` for a task that may stand alone, or an empty text."""
    return _inverse("types").get(folded(text), "")


def status_group(text: str) -> str:
    return _inverse("statuses").get(folded(text), "")


def category_group(text: str) -> str:
    return _inverse("statuses", "categories").get(folded(text), "")


def priority_named(text: str, scale: str = "") -> int | None:
    found = _inverse("priorities", scale).get(folded(text)) if scale else None
    found = found or _inverse("priorities").get(folded(text))
    return int(found) if found else None


def role_of_heading(key: str) -> str:
    """Return what a column of this heading usually holds, or an empty text."""
    return _inverse("headings").get(key, "")
