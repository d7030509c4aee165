"""Help on topics, and on commands."""

import argparse

from backlit.cli import pages
from backlit.cli.arguments import parser
from backlit.cli.late_parser import LateParser
from backlit.cli.manual_page import manual_page
from backlit.cli.output import announce
from backlit.cli.pager import write_paged
from backlit.cli.published import DOCUMENTS
from backlit.model.errors import EXIT_MEANINGS, NameNotFound
from backlit.model.nearest import did_you_mean
from backlit.model.plain import plain
from backlit.model.query.keys import all_keys


def explain(arguments: argparse.Namespace) -> None:
    """Print a topic, the help of a command, or a page of the documentation; raise NameNotFound for another word."""
    if arguments.man:
        announce(manual_page())
        return
    if not arguments.topic:
        parser().print_help()
        print(f"\ntopics of backlit help: {', '.join(TOPICS)}\npages: {', '.join(pages.names())}")
        return
    topic = TOPICS.get(" ".join(arguments.topic))
    if topic is not None:
        announce(topic())
        return
    command: LateParser = parser()
    first = arguments.topic[0]
    if arguments.topic == [first] and first in pages.names():
        usage = f"{command.verbs[first].format_help()}\n" if first in command.verbs else ""
        write_paged(arguments, usage + pages.page(first))
        return
    for word in arguments.topic:
        verbs = command.verbs
        if word not in verbs:
            names = [*TOPICS, *pages.names(), *verbs] if word == first else list(verbs)
            raise NameNotFound(f"There is no help on “{plain(word, 60)}”.{did_you_mean(word, names)}")
        command = verbs[word]
    command.print_help()


def _exit_codes() -> list[str]:
    return [f"{code:>3}  {words}" for code, words in EXIT_MEANINGS.items()]


def _columns() -> list[str]:
    keys = all_keys()
    width = max(map(len, keys))
    return [f"{key:{width}}  {label}" for key, label in keys.items()]


def _json() -> list[str]:
    width = max(map(len, DOCUMENTS))
    return [
        "With --json a command writes one of these documents, or an array of it; --ndjson writes an element a line.",
        "--json=FIELDS writes flat objects of these fields. backlit schema DOCUMENT writes the JSON Schema.",
        "",
        *(f"{name:{width}}  {', '.join([*each.one, *each.many])}" for name, each in DOCUMENTS.items()),
    ]


TOPICS = {"exit-codes": _exit_codes, "columns": _columns, "json": _json}
