"""The options of a list ($top, $skip, $filter, $orderby) and its envelope."""

from collections.abc import Callable, Collection, Mapping, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import orjson
from msgspec import Struct

from backlit.model.fields import FIELDS, TOP_LEVEL
from backlit.model.filters import Filter, SortKey, matches
from backlit.model.odata import parse_filter, parse_order
from backlit.model.resources import Resource
from backlit.service.http.endpoint import ContinueOnSlowQueue, HandlerResponse, RequestContext
from backlit.service.http.options import (
    NO_EXTRA_KEYS,
    TOP_DEFAULT,
    TOP_LIMIT,
    ExtraKeys,
    Selection,
    selection_of,
    whole_number,
)
from backlit.service.storage.filter_sql import Properties

if TYPE_CHECKING:
    from sqlalchemy import Connection
    from starlette.datastructures import QueryParams

    from backlit.model.fields import Field


class ListOptions(Struct, frozen=True):
    """Options of a list; `top` is None if absent."""

    top: int | None
    skip: int
    filter: Filter | None
    order: tuple[SortKey, ...]
    selection: Selection | None = None
    default_top: int = TOP_DEFAULT
    extras: ExtraKeys = NO_EXTRA_KEYS

    @property
    def limit(self) -> int:
        return self.default_top if self.top is None else min(self.top, TOP_LIMIT)

    def extras_of(self, connection: "Connection") -> "ExtraValues":
        return lambda ids: self.extras.of(connection, ids, self.selection)


def options_of(
    query: "QueryParams",
    properties: Properties | None = None,
    custom: Sequence["Field"] = (),
    unsearched: Sequence[str] = (),
    *,
    virtual: Sequence["Field"] = (),
    default_top: int = TOP_DEFAULT,
    extras: ExtraKeys = NO_EXTRA_KEYS,
) -> ListOptions:
    """Read the list options; raises BadRequest naming the option.

    `unsearched` are keys for `$select` only, `virtual` are fields of filters and orders only.
    """
    table = {} if properties is None else {"properties": properties}
    selection = selection_of(query)
    if selection is not None and properties is not None:
        selection.must_be_of((*(field.key for field in properties.values()), *unsearched, *extras.names))
    elif selection is not None:
        outer, inner = (field.key for field in TOP_LEVEL), (field.key for field in (*FIELDS, *custom))
        selection.must_be_of((*outer, "fields", *extras.names), inner)
    text, order = query.get("$filter", "").strip(), query.get("$orderby", "").strip()
    searched = (*custom, *virtual)
    return ListOptions(
        whole_number(query, "$top"),
        whole_number(query, "$skip") or 0,
        _filter(text, properties, searched),
        parse_order(order, searched, **table) if order else (),
        selection,
        default_top,
        extras,
    )


def _filter(text: str, properties: Properties | None, custom: Sequence["Field"]) -> Filter | None:
    if not text:
        return None
    return _item_filter(text, tuple(custom)) if properties is None else parse_filter(text, custom, properties)


# Clients repeat their filters. With parsing for each request, a filtered page takes 1.2 times the CPU
# (`python -m benchmarks service`).
@lru_cache(128)
def _item_filter(text: str, custom: tuple["Field", ...]) -> Filter:
    return parse_filter(text, custom)


ExtraValues = Callable[[Collection[int]], Mapping[int, Mapping[str, Any]]]
"""Function from the ids of resources to the selected keys that their documents do not have."""


def _no_extras(_ids: Collection[int]) -> Mapping[int, Mapping[str, Any]]:
    return {}


def envelope(
    documents: Sequence[bytes],
    total: int,
    options: ListOptions,
    *,
    with_skip: bool = False,
    extras: ExtraValues = _no_extras,
) -> HandlerResponse:
    """Wrap rendered documents; `top` is the requested or else the returned count."""
    if options.selection is not None:
        read = [orjson.loads(each) for each in documents]
        more = extras([each["id"] for each in read if "id" in each])
        documents = [orjson.dumps(options.selection.of({**each, **more.get(each.get("id"), {})})) for each in read]
    # Section 2.9 of the interface has `top` in the envelope.
    top = len(documents) if options.top is None else options.top
    skip = b'"skip":%d,' % options.skip if with_skip else b""
    return HandlerResponse(b'{"totalResults":%d,"top":%d,%b"results":[%b]}' % (total, top, skip, b",".join(documents)))


def list_resources(
    call: RequestContext,
    read: "Callable[[Connection], Sequence[Resource]]",
    properties: Properties,
    extras: ExtraKeys = NO_EXTRA_KEYS,
    *,
    unsearched: Sequence[str] = (),
) -> HandlerResponse:
    """Filter, sort and page resources in memory, as SQL does for large tables.

    `unsearched` are keys for `$select` only. A heavy filter of 1,000 resources takes half a second, in which the event
    loop would answer nobody: the slow queue takes over what has to be compared.
    """
    options = options_of(call.query, properties, unsearched=unsearched, default_top=TOP_LIMIT, extras=extras)

    def listed(call: RequestContext) -> HandlerResponse:
        return resource_page(options, read(call.connection), properties, options.extras_of(call.connection))

    if options.filter is None and not options.order:
        return listed(call)
    raise ContinueOnSlowQueue(call, listed)


def resource_page(
    options: ListOptions, resources: Sequence[Resource], properties: Properties, extras: ExtraValues = _no_extras
) -> HandlerResponse:
    rows = [({f.key: getattr(r, f.column) for f in properties.values()}, r) for r in resources]
    if options.filter is not None:
        rows = [row for row in rows if matches(options.filter, row[0])]
    if options.order:
        # Python's sort keeps the order of equals. So the last key is sorted by first, and for each the nulls are moved
        # to the end afterwards, as in SQL; the id decides what is left.
        rows.sort(key=lambda row: int(str(row[0].get("id", 0))))
    for key in reversed(options.order):
        rows.sort(key=_sorter(key.name), reverse=key.descending)
        rows.sort(key=lambda row, name=key.name: row[0][name] is None)  # type: ignore[misc] # the default binds the name
    page = [orjson.dumps(resource.wire()) for _, resource in rows[options.skip : options.skip + options.limit]]
    return envelope(page, len(rows), options, extras=extras)


def _sorter(name: str) -> Callable[[tuple[Mapping[str, Any], object]], Any]:
    def key(row: tuple[Mapping[str, Any], object]) -> Any:
        value = row[0][name]
        return (value is not None, value)

    return key
