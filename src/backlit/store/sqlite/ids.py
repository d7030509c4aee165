"""Ids as one bound value."""

from collections.abc import Iterable

from msgspec import json


# One value for any number of ids: a list of bound values is another statement for each length, and has a limit.
def ids_json(ids: Iterable[int]) -> str:
    """Write ids as one bound value: `IN (SELECT value FROM json_each(?))`."""
    return json.encode(list(ids)).decode()
