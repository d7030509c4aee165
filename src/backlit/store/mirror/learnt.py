"""Subjects of what the mirror learns from items, and the kind that learnt values have together."""

from collections.abc import Iterable

from backlit.model.fields import Kind

STATUS, TAG, TEAM, CUSTOM = "status", "tag", "team", "custom"


def widest(kinds: Iterable[Kind]) -> Kind:
    """Return the one kind that holds values of all these kinds: text for kinds without a common one."""
    found = set(kinds)
    if len(found) == 1:
        return found.pop()
    if found == {Kind.INTEGER, Kind.NUMBER}:
        return Kind.NUMBER
    return Kind.LONG_TEXT if Kind.LONG_TEXT in found else Kind.TEXT
