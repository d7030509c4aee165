"""Query language of the search line: parser, writer, meaning and completion."""

from backlit.model.query.keys import Candidate, Vocabulary, complete
from backlit.model.query.meaning import NameKind, NameResolver, check_keys, filter_of, mentions_status
from backlit.model.query.syntax import (
    AllOf,
    AnyOf,
    Condition,
    NameText,
    Node,
    NotThis,
    accepted_conditions,
    parse_query,
    write_query,
)

__all__ = [
    "AllOf",
    "AnyOf",
    "Candidate",
    "Condition",
    "NameKind",
    "NameResolver",
    "NameText",
    "Node",
    "NotThis",
    "Vocabulary",
    "accepted_conditions",
    "check_keys",
    "complete",
    "filter_of",
    "mentions_status",
    "parse_query",
    "write_query",
]
