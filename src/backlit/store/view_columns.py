"""The columns that a view shows, as they are written: `tags 14+ drop 1`."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from backlit.model.errors import BadRequest
from backlit.model.fields import Kind
from backlit.model.query.keys import LINT_KEY, field_named

NEVER = frozenset({"Name", "id", "type"})
"""What every row shows anyway."""
WIDEST = 60
_WRITTEN = re.compile(r"(?P<key>\w+)(?: +(?P<width>\d{1,3}))?(?P<grows> *\+)?(?: +drop +(?P<drop>\d{1,2}))?", re.ASCII)


@dataclass(frozen=True, slots=True)
class ColumnWish:
    """A field to be shown: how wide, 0 as usual; whether it takes of what is left; which goes first where it is narrow.

    What the ready-check finds is shown as if it were one.

    The one with the smallest `drop` goes first; those with 0 follow, the last one before the others.
    """

    key: str
    width: int = 0
    grows: bool = False
    drop: int = 0

    def __str__(self) -> str:
        """As it is written."""
        parts = [self.key, str(self.width) if self.width else "", f"drop {self.drop}" if self.drop else ""]
        parts[1] += "+" if self.grows else ""
        return " ".join(part for part in parts if part)


def column_wish(text: str, key_of: Callable[[str], str]) -> ColumnWish:
    """Read one column; `key_of` finds the field. Raises BadRequest saying what is wrong with it."""
    found = _WRITTEN.fullmatch(" ".join(text.split()))
    if found is None:
        raise BadRequest(f"“{text.strip()}” is no column; write a field, its width, + to let it grow, and drop 1.")
    key = LINT_KEY if found["key"].lower() == LINT_KEY else key_of(found["key"])
    width = int(found["width"] or 0)
    field = field_named(key)
    if key in NEVER:
        raise BadRequest(f"{found['key']} is always shown; it is no column to choose.")
    if field is not None and field.kind is Kind.LONG_TEXT:
        raise BadRequest(f"{field.label} is too long for a column; the preview shows it.")
    if width > WIDEST:
        raise BadRequest(f"A column is {WIDEST} wide at most; {found['key']} has {width}.")
    return ColumnWish(key, width, bool(found["grows"]), int(found["drop"] or 0))


def without_repeats(wishes: Sequence[ColumnWish]) -> tuple[ColumnWish, ...]:
    """Each field once, where it was named first."""
    return tuple({wish.key: wish for wish in reversed(wishes)}[key] for key in dict.fromkeys(w.key for w in wishes))
