"""Sentences about missing service features and backlit's substitutes."""

from collections.abc import Iterator, Mapping
from datetime import datetime

from backlit.store.remote.capabilities import Filtering, Traits

EXTENSIONS = {
    "capabilities": "Statuses, custom fields and teams: not listed. backlit learns them from the items, and you can"
    " type others.",
    "etag": "Conflict detection (ETag): no. backlit compares each item right before a change, so two changes within"
    " that moment can overwrite each other.",
    "rank": "Ranking: no. Your order is kept on this machine only.",
    "teams": "Team names: no. Teams are shown by number.",
}


def missing_words(traits: Traits, capabilities: Mapping[str, object] | None) -> tuple[str, ...]:
    """Return a sentence for each missing feature."""
    return (*_lists(traits), *_extensions(traits, capabilities))


def has_words(traits: Traits) -> tuple[str, ...]:
    """Return a sentence for each proven feature."""
    dates = f", dates as {traits.dates.write(datetime(2026, 3, 1, 14, 30))}" if traits.dates else ""
    said = (
        (traits.is_ranged, f"Filtering: yes{dates}."),
        (traits.orders, "Sorting: yes."),
        (True, f"Page size: {traits.page}."),
        (traits.etag, "Conflict detection (ETag): yes."),
    )
    return tuple(sentence for is_so, sentence in said if is_so)


def _lists(traits: Traits) -> Iterator[str]:
    if traits.filtering is not Filtering.WORKS:
        what = "ignores" if traits.filtering is Filtering.IGNORED else "rejects"
        yield f"Filtering: no, the service {what} $filter. All items are read page by page and filtered locally."
    elif not traits.by_id:
        yield "Filtering by id: no. All items are read page by page."
    if not traits.orders:
        yield "Sorting: no. Lists are read completely and sorted locally."
    if traits.filtering is Filtering.WORKS and traits.dates is None:
        yield "Filtering by change time: no. " + _instead(traits)
    if not traits.is_ranged and not traits.by_change:
        yield "Reading changes only: no. " + _instead(traits)
    if not traits.is_ranged:
        yield "Deleted items are found by a full scan when the number of items changes."


def _instead(traits: Traits) -> str:
    if traits.by_change:
        return "The latest changes are read back to known ones."
    return "All items are read again every five minutes and on refresh."


def _extensions(traits: Traits, capabilities: Mapping[str, object] | None) -> Iterator[str]:
    named = capabilities.get("extensions") if capabilities else ()
    has = {*named} if isinstance(named, list | tuple) else set()
    has |= {"capabilities"} if capabilities else set()
    has |= {"etag"} if traits.etag else set()
    yield from (sentence for name, sentence in EXTENSIONS.items() if name not in has)
