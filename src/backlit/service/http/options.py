"""The options of an address that begin with `$`: which an address takes, and the keys that `$select` leaves."""

from collections.abc import Callable, Collection, Iterable, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple, NoReturn

import orjson
from msgspec import Struct
from starlette.datastructures import QueryParams

from backlit.model.errors import BadRequest
from backlit.model.fields import FIELD_BY_KEY

if TYPE_CHECKING:
    from sqlalchemy import Connection

TOP_DEFAULT = 100
"""The results of a list that may be long, unless `$top` asks for another number."""
TOP_LIMIT = 1000
"""The most results of a page; the lists of small nouns come whole up to here."""
NUMBER_LIMIT = 2**31 - 1
"""A larger `$top` or `$skip` counts as this one, and is answered as this one: clients read 32 bits."""

NO_OPTIONS: frozenset[str] = frozenset()
ONE_OPTIONS = frozenset({"$select"})
"""The options of one resource."""
LIST_OPTIONS = frozenset({"$top", "$skip", "$filter", "$orderby", "$select"})
_GRANTED: Mapping[str, Collection[str]] = {"$format": ("json",)}
_GRANTED_TO_LISTS: Mapping[str, Collection[str]] = {
    **_GRANTED,
    "$count": ("true", "false"),
    "$inlinecount": ("allpages", "none"),
}
"""Options whose values change nothing: every answer is JSON, and every list has its total."""
_NAME_WIDTH = 40


def must_be_taken(query: QueryParams, options: frozenset[str]) -> None:
    """Raise BadRequest for an option that the address does not take, and for one that is given twice."""
    granted = _GRANTED_TO_LISTS if options >= LIST_OPTIONS else _GRANTED
    met = set()
    for name, value in query.multi_items():
        if not name.startswith("$"):
            continue
        shown = name[:_NAME_WIDTH]
        if name not in options and value.lower() not in granted.get(name, ()):
            _refuse(shown, f"The option {shown} is not supported here; {_taken(options)}.")
        if name in met:
            _refuse(shown, f"The option {shown} is given twice; give it once.")
        met.add(name)


def _taken(options: Collection[str]) -> str:
    return f"this address takes {', '.join(sorted(options))}" if options else "this request takes none"


def _refuse(name: str, sentence: str) -> NoReturn:
    raise BadRequest(sentence, {name: sentence})


def is_id_text(text: str) -> bool:
    """Return whether a text may be an id: digits, no more than the largest one has."""
    return text.isascii() and text.isdigit() and len(text) <= len(str(NUMBER_LIMIT))


def whole_number(query: QueryParams, name: str) -> int | None:
    """Return the number of an option, at most NUMBER_LIMIT, None if absent; raise BadRequest for anything else."""
    if name not in query:
        return None
    text = query[name].strip()
    if not (text.isascii() and text.isdigit()):
        _refuse(name, f"{name} must be a whole number that is not negative, not {text[:20]!r}.")
    digits = text.lstrip("0") or "0"
    return min(int(digits), NUMBER_LIMIT) if len(digits) <= len(str(NUMBER_LIMIT)) else NUMBER_LIMIT


_FIELDS = "fields"
_ALL_KEYS = "*"


class _SelectedName(NamedTuple):
    """A name of `$select` in lower case, whether it stands after `fields/`, and its place, from 1."""

    key: str
    is_in_fields: bool
    at: int


class Selection:
    """The keys that `$select` names; keys of `fields` stand alone or after `fields/`."""

    def __init__(self, text: str) -> None:
        self._given: list[_SelectedName] = []
        at = 1
        for part in text.split(","):
            name = part.strip().lower()
            place = at + len(part) - len(part.lstrip())
            if not name:
                _refuse_select("a name is missing", place)
            key = name.removeprefix(f"{_FIELDS}/")
            self._given.append(_SelectedName(key, key != name, place))
            at += len(part) + 1
        self._keys = frozenset(each.key for each in self._given)

    def must_be_of(self, keys: Iterable[str], in_fields: Iterable[str] = ()) -> None:
        """Raise BadRequest for a name outside a resource's keys and those of its `fields`."""
        inner = {key.lower() for key in in_fields}
        outer = {_ALL_KEYS, *(key.lower() for key in keys)}
        for name in self._given:
            if name.is_in_fields and name.key not in inner:
                _refuse_select(f"fields has no {name.key[:_NAME_WIDTH]!r}", name.at)
            if not name.is_in_fields and name.key not in outer and name.key not in inner:
                _refuse_select(f"unknown property {name.key[:_NAME_WIDTH]!r}", name.at)

    def names(self, key: str) -> bool:
        return key.lower() in self._keys

    def of(self, document: Mapping[str, Any]) -> dict[str, Any]:
        if _ALL_KEYS in self._keys:
            return dict(document)
        own = {key: value for key, value in document.items() if key.lower() in self._keys}
        if _FIELDS in document and _FIELDS not in own:
            fields = {key: value for key, value in document[_FIELDS].items() if key.lower() in self._keys}
            if fields or self._keys - {key.lower() for key in document}:
                own[_FIELDS] = fields
        return own


def selection_of(query: QueryParams) -> Selection | None:
    text = query.get("$select")
    return None if text is None else Selection(text)


Values = Mapping[str, Any]


class ExtraKeys(Struct, frozen=True):
    """Keys that an answer has only where `$select` names them, so that no document of the interface gains one.

    `read` returns their values by the ids of resources; an id without a value may be absent.
    """

    names: tuple[str, ...] = ()
    read: Callable[["Connection", Collection[int]], Mapping[int, Values]] = lambda _connection, _ids: {}

    def of(self, connection: "Connection", ids: Collection[int], selection: Selection | None) -> Mapping[int, Values]:
        """Return the selected keys of each resource."""
        named = [] if selection is None else [name for name in self.names if selection.names(name)]
        if not named:
            return {}
        found = self.read(connection, ids)
        return {each: {name: found.get(each, {}).get(name) for name in named} for each in ids}

    def of_one(self, connection: "Connection", resource_id: int, query: QueryParams) -> Values:
        """Return all keys, null ones among them, of a resource of which some are to be selected."""
        if "$select" not in query or not self.names:
            return {}
        found = self.read(connection, [resource_id]).get(resource_id, {})
        return {name: found.get(name) for name in self.names}


NO_EXTRA_KEYS = ExtraKeys()


def selected(document: bytes, query: QueryParams, extras: Values) -> bytes:
    """Return the selected part of one resource; raises BadRequest for a key that no such resource has."""
    selection = selection_of(query)
    if selection is None:
        return document
    read = orjson.loads(document)
    selection.must_be_of((*read, *extras), (*read[_FIELDS], *FIELD_BY_KEY) if _FIELDS in read else ())
    return orjson.dumps(selection.of({**read, **{key: extras[key] for key in extras if selection.names(key)}}))


def _refuse_select(reason: str, at: int) -> NoReturn:
    _refuse("$select", f"$select has an error at character {at}: {reason}.")
