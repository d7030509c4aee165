"""What a service does not do, in sentences, with what backlit does instead."""

from collections.abc import Iterator, Mapping
from datetime import datetime

from backlit.store.probes import Filtering, Traits

EXTENSIONS = {
    "capabilities": "It does not say what statuses, custom fields and teams a project has: they are learnt from the"
    " items, and more may be typed in.",
    "etag": "It does not name versions: before each change the item is read and compared, which leaves a moment in"
    " which two changes can meet.",
    "rank": "Items cannot be ranked: an order that is made here stays on this machine.",
    "teams": "It does not name teams: they are shown by number.",
}


def missing_words(traits: Traits, capabilities: Mapping[str, object] | None) -> tuple[str, ...]:
    """A sentence for everything that is missing."""
    return (*_lists(traits), *_extensions(traits, capabilities))


def has_words(traits: Traits) -> tuple[str, ...]:
    """A sentence for everything that was tried and is there."""
    dates = f", dates as {traits.dates.write(datetime(2026, 3, 1, 14, 30))}" if traits.dates else ""
    said = (
        (traits.is_ranged, f"It filters{dates}."),
        (traits.orders, "It orders."),
        (True, f"Pages of {traits.page} are asked for."),
        (traits.etag, "It names versions: a change is refused where somebody else's came first."),
    )
    return tuple(sentence for is_so, sentence in said if is_so)


def _lists(traits: Traits) -> Iterator[str]:
    if traits.filtering is not Filtering.WORKS:
        what = "ignores" if traits.filtering is Filtering.IGNORED else "refuses"
        yield f"It {what} $filter: everything is read page by page and filtered here."
    elif not traits.by_id:
        yield "It does not filter by id: everything is read page by page."
    if not traits.orders:
        yield "It does not order lists: pages are read until everything has come, and ordered here."
    if traits.filtering is Filtering.WORKS and traits.dates is None:
        yield "It does not filter by the time of a change: " + _instead(traits)
    if not traits.is_ranged and not traits.by_change:
        yield "Changes cannot be asked for: " + _instead(traits)
    if not traits.is_ranged:
        yield "What was deleted is found by reading everything again when the number of items has changed."


def _instead(traits: Traits) -> str:
    if traits.by_change:
        return "the latest changes are read until known ones come."
    return "everything is read again every five minutes, and when a refresh is asked for."


def _extensions(traits: Traits, capabilities: Mapping[str, object] | None) -> Iterator[str]:
    named = capabilities.get("extensions") if capabilities else ()
    has = {*named} if isinstance(named, list | tuple) else set()
    has |= {"capabilities"} if capabilities else set()
    has |= {"etag"} if traits.etag else set()
    yield from (sentence for name, sentence in EXTENSIONS.items() if name not in has)
