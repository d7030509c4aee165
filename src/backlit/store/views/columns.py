"""The columns of a view, in their written form: `tags 14+ drop 1`."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from backlit.model.errors import BadRequest
from backlit.model.fields import Kind
from backlit.model.query.keys import LINT_KEY, field_named

NEVER = frozenset({"Name", "id", "type"})
"""Fields that every row shows anyway."""
WIDEST = 60
_WRITTEN = re.compile(r"(?P<key>\w+)(?: +(?P<width>\d{1,3}))?(?P<grows> *\+)?(?: +drop +(?P<drop>\d{1,2}))?", re.ASCII)


@dataclass(frozen=True, slots=True)
class ColumnWish:
    """A requested column: its field, width (0: usual), whether it grows, and its drop order in narrow lists.

    The ready-check's findings are a column too.

    The column with the smallest `drop` goes first. Columns with 0 follow, the last one first.
    """

    key: str
    width: int = 0
    grows: bool = False
    drop: int = 0

    def __str__(self) -> str:
        """Return the written form."""
        parts = [self.key, str(self.width) if self.width else "", f"drop {self.drop}" if self.drop else ""]
        parts[1] += "+" if self.grows else ""
        return " ".join(part for part in parts if part)


def column_wish(text: str, key_of: Callable[[str], str]) -> ColumnWish:
    """Read a column. `key_of` resolves the field's name. Raises BadRequest with the fault."""
    found = _WRITTEN.fullmatch(" ".join(text.split()))
    if found is None:
        raise BadRequest(f"Unknown column “{text.strip()}”. Example: status, tags 14+, iter drop 1.")
    key = LINT_KEY if found["key"].lower() == LINT_KEY else key_of(found["key"])
    width = int(found["width"] or 0)
    field = field_named(key)
    if key in NEVER:
        raise BadRequest(f"{found['key']} is always shown and cannot be a column.")
    if field is not None and field.kind is Kind.LONG_TEXT:
        raise BadRequest(f"{field.label} is too long for a column. Use the preview.")
    if width > WIDEST:
        raise BadRequest(f"A column can be {WIDEST} wide at most, {found['key']} has {width}.")
    return ColumnWish(key, width, bool(found["grows"]), int(found["drop"] or 0))


def without_repeats(wishes: Sequence[ColumnWish]) -> tuple[ColumnWish, ...]:
    """Return each field once, at its first place."""
    return tuple({wish.key: wish for wish in reversed(wishes)}[key] for key in dict.fromkeys(w.key for w in wishes))
