"""The values that complete a word, out of the local copy."""

import argparse
import os
import sqlite3
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress

from backlit.cli.fresh_listing import profile_files
from backlit.cli.late_parser import LateParser
from backlit.config.folders import PROFILE, folders
from backlit.store.copied_names import MOST, CopiedNames, Named, copied_names

PLACES = ("current", "next", "previous", "backlog")
"""Words that stand for iterations."""
_ITEMS = frozenset({"id", "ids", "others", "after", "before", "words"})
"""Arguments and options that take numbers of items; `words` take other words too."""
_OF_COMMAND: Mapping[tuple[str, str], str] = {
    ("items assign", "words"): "user",
    ("items move", "words"): "iterations",
    ("users show", "name"): "user",
    ("projects use", "name"): "project",
    ("projects show", "name"): "project",
    **{
        (f"{tree} {verb}", name): tree
        for tree in ("areas", "iterations")
        for verb in ("new", "set", "move", "delete")
        for name in ("node", "parent", "to", "after")
    },
}
"""What arguments of single commands take."""
_NOT_ITEMS = frozenset(key for key in _OF_COMMAND if key[1] != "words")
"""Arguments of them that have a name of _ITEMS."""
_OF_OPTION: Mapping[str, str] = {"project": "project", "iteration": "iterations", "area": "areas", "team": "team"}
_OF_FIELD: Mapping[str, str] = {
    "owner": "user",
    "iter": "iterations",
    "area": "areas",
    "status": "status",
    "tag": "tag",
    "tags": "tag",
    "team": "team",
}
"""What the values of a field in a query or an assignment are."""
_LEARNT = frozenset({"status", "tag", "team"})


def values_of(command: LateParser, action: argparse.Action, last: str, profile: str) -> Iterator[tuple[str, str]]:
    """Yield what may stand for a word, with its help; nothing where there is no copy, or it has a fault."""
    found = folders()
    files = profile_files(found, profile or os.environ.get(PROFILE, "")) if found is not None else None
    if files is None:
        return
    path, name = command.prog.removeprefix("backlit "), action.dest
    with suppress(sqlite3.Error, ValueError, OSError), copied_names(*files) as copy:
        if name == "query":
            yield from _of_query(copy, last)
            return
        if path == "items set" or (path == "items new" and name == "words"):
            yield from _of_assignment(copy, last)
        kind = _OF_COMMAND.get((path, name)) or _OF_OPTION.get(name, "")
        if kind:
            yield from _named(copy, kind)
        if name in _ITEMS and path != "items new" and (path, name) not in _NOT_ITEMS:
            sign = last[: last.startswith("#")]
            yield from ((f"{sign}{number}", words) for number, words in copy.items(last.removeprefix("#")))


def _named(copy: CopiedNames, kind: str) -> Named:
    return copy.learnt(kind) if kind in _LEARNT else copy.resources(kind)


def _of_assignment(copy: CopiedNames, last: str) -> Iterator[tuple[str, str]]:
    from backlit.model.query.keys import SHORT_KEYS

    name, sign, _ = last.partition("=")
    if not sign:
        yield from ((f"{key}=", "") for key in SHORT_KEYS)
        return
    for value, words in _values_of_field(copy, name.rstrip("+-")):
        yield f"{name}={value}", words


def _of_query(copy: CopiedNames, last: str) -> Iterable[tuple[str, str]]:
    from backlit.model.query.keys import Vocabulary, all_keys, complete

    vocabulary = Vocabulary(all_keys(), lambda key: [value for value, _ in _values_of_field(copy, key)])
    return [(f"{last[: each.start]}{each.text}", each.help) for each in complete(last, len(last), vocabulary)[:MOST]]


def _values_of_field(copy: CopiedNames, name: str) -> Iterator[tuple[str, str]]:
    kind = _OF_FIELD.get(name)
    if kind is None:
        return
    if kind == "user":
        yield "me", ""
    if kind == "iterations":
        yield from ((word, "") for word in PLACES)
    yield from _named(copy, kind)
