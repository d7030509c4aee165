"""The options of an address that begin with `$`: the known ones, and `$select`."""

from collections.abc import Collection, Iterable, Mapping
from typing import TYPE_CHECKING, Any

import orjson

from backlit.model.errors import BadRequest
from backlit.model.fields import FIELD_BY_KEY

if TYPE_CHECKING:
    from starlette.datastructures import QueryParams

_KNOWN = frozenset({"$top", "$skip", "$filter", "$orderby", "$select"})
_GRANTED: Mapping[str, Collection[str]] = {
    "$format": ("json",),
    "$count": ("true", "false"),
    "$inlinecount": ("allpages", "none"),
}
"""Options whose values change nothing: every answer is JSON, and every list has its total."""
_FIELDS = "fields"
_ALL = "*"


def must_be_known(query: "QueryParams") -> None:
    """Raise BadRequest for an option that the service does not have."""
    for name, value in query.multi_items():
        if name.startswith("$") and name not in _KNOWN and value.lower() not in _GRANTED.get(name, ()):
            sentence = f"The option {name[:40]} is not supported; use {', '.join(sorted(_KNOWN))}."
            raise BadRequest(sentence, {name[:40]: sentence})


class Selection:
    """The keys that `$select` names, in lower case; keys of `fields` stand alone or after `fields/`."""

    def __init__(self, text: str) -> None:
        names = [name.strip() for name in text.split(",")]
        self._names = frozenset(name.lower().removeprefix(f"{_FIELDS}/") for name in names)
        if not all(names):
            _refuse("a name is missing")

    def must_be_of(self, keys: Iterable[str]) -> None:
        """Raise BadRequest for a name outside the keys."""
        unknown = self._names - {key.lower() for key in keys} - {_ALL}
        if unknown:
            _refuse(f"unknown property {min(unknown)[:40]!r}")

    def of(self, document: Mapping[str, Any]) -> dict[str, Any]:
        """Return the selected part of a resource."""
        if _ALL in self._names:
            return dict(document)
        own = {key: value for key, value in document.items() if key.lower() in self._names}
        if _FIELDS in document and _FIELDS not in own:
            fields = {key: value for key, value in document[_FIELDS].items() if key.lower() in self._names}
            if fields or self._names - {key.lower() for key in document}:
                own[_FIELDS] = fields
        return own


def selection_of(query: "QueryParams") -> Selection | None:
    """Return the selection of an address, if it has one."""
    text = query.get("$select")
    return None if text is None else Selection(text)


def selected(document: bytes, query: "QueryParams") -> bytes:
    """Return the selected part of one resource; raises BadRequest for a key that no such resource has."""
    selection = selection_of(query)
    if selection is None:
        return document
    read = orjson.loads(document)
    selection.must_be_of([*read, *read[_FIELDS], *FIELD_BY_KEY] if _FIELDS in read else read)
    return orjson.dumps(selection.of(read))


def _refuse(reason: str) -> None:
    sentence = f"$select has an error: {reason}."
    raise BadRequest(sentence, {"$select": sentence})
