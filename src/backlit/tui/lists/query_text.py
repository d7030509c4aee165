"""The text of the filter line: a part of a name, or a query."""

from backlit.model.errors import BadRequest
from backlit.model.query import AllOf, AnyOf, Condition, Node, NotThis, Word, parse_query
from backlit.model.query.keys import ANYWHERE_KEY
from backlit.model.query.syntax import quoted
from backlit.store.records.people import TreeKind
from backlit.tui.lists.node_filter import NodeFilter

SIGNS = frozenset(':=<>@#"()')


def text_and_query(text: str) -> tuple[str, str]:
    """A single word is a part of a name, and `#1042` an id; all else is a query. Raises BadRequest for a bad one."""
    text = text.strip()
    if text.startswith("#") and text[1:].isdecimal():
        return text, ""
    try:
        tree = parse_query(text)
    except BadRequest:
        if SIGNS.isdisjoint(text):
            return text, ""
        raise
    is_plain = tree == AllOf() or (isinstance(tree, Word) and '"' not in text)
    return (text, "") if is_plain else ("", text)


def joined(first: str, second: str) -> str:
    """The query that wants what both want."""
    return f"({first}) ({second})" if first and second else first or second


def words_wanted(query: str) -> str:
    """The words that a query looks for in texts, without those that must not be there."""
    return " ".join(_words(parse_query(query)))


def _words(node: Node) -> list[str]:
    match node:
        case AllOf(parts) | AnyOf(parts):
            return [word for part in parts for word in _words(part)]
        case Condition(key, _, values) if key.lower() == ANYWHERE_KEY:
            return list(values)
        case Condition() | NotThis() | Word():
            return []


def query_to_keep(query: str, text: str, node: NodeFilter | None, path: str) -> str:
    """All that narrows a list down, as one query; `path` is that of the node."""
    parts = [query, quoted(text) if text and not text.startswith("#") else text]
    if node is not None:
        key = "area" if node.kind is TreeKind.AREAS else "iter"
        parts.append(f"{key}{':' if node.has_subtree else '='}{quoted(path)}")
    found = ""
    for part in parts:
        found = joined(found, part)
    return found
