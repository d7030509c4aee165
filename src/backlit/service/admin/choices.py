"""Lists of valid values: checks, and updates of the items with them."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from backlit.model.errors import BadRequest, Conflict
from backlit.service.admin.rendering import Alter

VALUE_LIMIT = 100


def checked_choices(values: Sequence[str], what: str) -> tuple[str, ...]:
    """Return the values without surrounding blanks; raise BadRequest that names an invalid one."""
    cleaned = tuple(value.strip() for value in values)
    for value in cleaned:
        if not value or len(value) > VALUE_LIMIT or not value.isprintable():
            raise BadRequest(f"A value of {what} must have 1 to {VALUE_LIMIT} characters on one line, not {value!r}.")
    twice = [value for value, count in Counter(cleaned).items() if count > 1]
    if twice:
        raise BadRequest(f"{what} has {twice[0]!r} twice; name each value once.")
    return cleaned


def renames_of(texts: Sequence[str], choices: Sequence[str]) -> dict[str, str]:
    """Read `OLD=NEW` arguments; each NEW has to be among the choices."""
    renames = {}
    for text in texts:
        old, equals, new = text.partition("=")
        if not equals:
            raise BadRequest(f"Write a renaming as OLD=NEW; {text!r} has no equals sign.")
        if new.strip() not in choices:
            raise BadRequest(
                f"{old.strip()!r} cannot become {new.strip()!r}: the new list has only {', '.join(choices)}."
            )
        renames[old.strip()] = new.strip()
    return renames


class Carrier:
    """Renaming of the values of one key in items, with a count of values outside the new list."""

    def __init__(
        self,
        types: Sequence[str],
        key: str,
        choices: Mapping[str, Sequence[str]] | Sequence[str],
        renames: Mapping[str, str],
    ) -> None:
        self._types, self._key, self._renames = frozenset(types), key, renames
        self._choices = choices
        self._lost: Counter[tuple[str, str]] = Counter()

    @property
    def alter(self) -> Alter:
        """Return the change to each item's values."""
        return self._alter

    def must_fit(self) -> None:
        """Raise Conflict for items with invalid values."""
        if not self._lost:
            return
        (item_type, value), count = self._lost.most_common(1)[0]
        raise Conflict(
            f"{self._key} of {count} {item_type} items is {value!r}, which the new list lacks; nothing was changed."
            f" Keep the value, or replace it: --rename '{value}=NEW'"
        )

    def _alter(self, item_type: str, values: Mapping[str, Any]) -> Mapping[str, Any]:
        value = values.get(self._key)
        if item_type not in self._types or value is None:
            return values
        renamed = self._renames.get(value, value)
        choices = self._choices.get(item_type, ()) if isinstance(self._choices, Mapping) else self._choices
        if choices and renamed not in choices:
            self._lost[item_type, renamed] += 1
        return values if renamed == value else {**values, self._key: renamed}
