"""The grammar of `backlit areas`."""

from backlit.cli.grammar.nodes import add_node_verbs
from backlit.cli.late_parser import LateParser


def add_verbs(areas: LateParser) -> None:
    add_node_verbs(areas.add_verbs(), "areas")
