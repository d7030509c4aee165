"""`$orderby`: text to sort keys and back."""

from collections.abc import Collection, Iterable, Mapping

from backlit.model.fields import PROPERTY_BY_LOWER_NAME, Field, ValueType
from backlit.model.filters import SortKey
from backlit.model.odata.tokens import Shape, Token, refuse, tokens_of

_OPTION = "$orderby"
_DIRECTIONS = {"asc": False, "desc": True}


def with_custom(
    properties: Mapping[str, Field], custom: Mapping[str, Field] | Collection[Field]
) -> Mapping[str, Field]:
    """Add a project's own fields to a table of properties by lower-case name."""
    fields = custom.values() if isinstance(custom, Mapping) else custom
    return {**properties, **{field.key.lower(): field for field in fields}} if custom else properties


def parse_order(
    text: str,
    custom: Mapping[str, Field] | Collection[Field] = (),
    properties: Mapping[str, Field] = PROPERTY_BY_LOWER_NAME,
) -> tuple[SortKey, ...]:
    """Read `name asc, createdAt desc`, names in any case; drop a repeated property.

    Raises BadRequest naming the place.
    """
    known = with_custom(properties, custom)
    tokens = list(reversed(tokens_of(text, _OPTION)))
    keys: dict[str, SortKey] = {}
    while True:
        key = _sort_key(tokens.pop(), known)
        if tokens[-1].text.lower() in _DIRECTIONS:
            key = SortKey(key.name, _DIRECTIONS[tokens.pop().text.lower()])
        keys.setdefault(key.name, key)
        separator = tokens.pop()
        if separator.shape is Shape.END:
            return tuple(keys.values())
        if not separator.is_sign(","):
            refuse(f"expected 'asc', 'desc', ',' or the end before {separator.text[:40]!r}", separator.at, _OPTION)


def _sort_key(token: Token, properties: Mapping[str, Field]) -> SortKey:
    if token.shape is not Shape.NAME:
        refuse("expected the name of a property", token.at, _OPTION)
    field = properties.get(token.text.lower())
    if field is None:
        refuse(f"unknown property {token.text[:40]!r}", token.at, _OPTION)
    if field.value_type is ValueType.TAGS:
        refuse(f"{field.key} is a list and has no order", token.at, _OPTION)
    return SortKey(field.key)


def write_order(keys: Iterable[SortKey]) -> str:
    """Write sort keys as `$orderby` text; ascending is not spelled out."""
    return ",".join(f"{key.name} desc" if key.descending else key.name for key in keys)
