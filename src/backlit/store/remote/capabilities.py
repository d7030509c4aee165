"""The service's traits that the interface leaves open, and their words for the user. `probing` determines them."""

from collections.abc import Iterator, Mapping
from datetime import datetime, timedelta
from enum import StrEnum

import orjson
from msgspec import Struct
from msgspec.structs import asdict

from backlit.store.files.files import LocalDatabase
from backlit.store.journal.schema import CLOCK
from backlit.store.records.item import whole

PAGE = 1000
"""The page size to request. Smaller pages are accepted."""
TRAITS = "traits"
"""The key of the note with the traits."""
SIZES = (PAGE, 500, 200, 100)
"""Page sizes to try, the largest first, until the service accepts one."""


class FilterSupport(StrEnum):
    """The effect of $filter."""

    WORKS = "works"
    IGNORED = "ignored"
    REFUSED = "refused"


class DateForm(StrEnum):
    """The form of a DateTime in $filter: OData 3, OData 4, or that of hand-made parsers."""

    V3 = "datetime'{}'"
    V4 = "{}Z"
    BARE = "{}"
    QUOTED = "'{}'"

    def write(self, value: datetime) -> str:
        """Write a server time, cut to the second because some parsers read no fractions."""
        return self.value.format(value.replace(microsecond=0).isoformat())


class ServiceTraits(Struct, frozen=True):
    """The traits of a service. Without an item to probe, `is_sure` is False and all traits count as present."""

    filtering: FilterSupport = FilterSupport.WORKS
    by_id: bool = True
    dates: DateForm | None = DateForm.V3
    orders: bool = True
    by_change: bool = True
    page: int = PAGE
    etag: bool = False
    is_sure: bool = False

    @property
    def is_ranged(self) -> bool:
        return self.filtering is FilterSupport.WORKS and self.by_id

    def document(self) -> dict[str, object]:
        found = asdict(self) | {"dates": None if self.dates is None else self.dates.name}
        del found["is_sure"]
        return found

    def missing_words(self, capabilities: Mapping[str, object] | None) -> tuple[str, ...]:
        return (*self._list_words(), *self._extension_words(capabilities))

    def has_words(self) -> tuple[str, ...]:
        dates = f", dates as {self.dates.write(datetime(2026, 3, 1, 14, 30))}" if self.dates else ""
        said = (
            (self.is_ranged, f"Filtering: yes{dates}."),
            (self.orders, "Sorting: yes."),
            (True, f"Page size: {self.page}."),
            (self.etag, "Conflict detection (ETag): yes."),
        )
        return tuple(sentence for is_so, sentence in said if is_so)

    def _list_words(self) -> Iterator[str]:
        if self.filtering is not FilterSupport.WORKS:
            what = "ignores" if self.filtering is FilterSupport.IGNORED else "rejects"
            yield f"Filtering: no, the server {what} $filter. All items are read page by page and filtered locally."
        elif not self.by_id:
            yield "Filtering by id: no. All items are read page by page."
        if not self.orders:
            yield "Sorting: no. Lists are read completely and sorted locally."
        if self.filtering is FilterSupport.WORKS and self.dates is None:
            yield "Filtering by change time: no. " + self._words_instead()
        if not self.is_ranged and not self.by_change:
            yield "Reading changes only: no. " + self._words_instead()
        if not self.is_ranged:
            yield "Deleted items are found by a full scan when the number of items changes."

    def _words_instead(self) -> str:
        if self.by_change:
            return "The latest changes are read back to known ones."
        return "All items are read again every five minutes and on refresh."

    def _extension_words(self, capabilities: Mapping[str, object] | None) -> Iterator[str]:
        named = capabilities.get("extensions") if capabilities else ()
        has = {*named} if isinstance(named, list | tuple) else set()
        has |= {"capabilities"} if capabilities else set()
        has |= {"etag"} if self.etag else set()
        yield from (sentence for name, sentence in EXTENSIONS.items() if name not in has)


UNSURE = ServiceTraits(FilterSupport.REFUSED, by_id=False, dates=None, orders=False, by_change=False, page=SIZES[-1])
"""The traits to rely on without a probe."""


def traits_of(note: object) -> ServiceTraits | None:
    """Read stored traits. Returns None for missing ones or those of another version."""
    if not isinstance(note, dict):
        return None
    try:
        dates = None if note["dates"] is None else DateForm[str(note["dates"])]
        flags = {key: note[key] is True for key in ("by_id", "orders", "by_change", "etag")}
        page = whole(note["page"]) or SIZES[-1]
        return ServiceTraits(filtering=FilterSupport(note["filtering"]), dates=dates, page=page, is_sure=True, **flags)
    except (KeyError, ValueError):
        return None


EXTENSIONS = {
    "capabilities": "Statuses, custom fields and teams: not listed. backlit learns them from the items, and you can"
    " type others.",
    "etag": "Conflict detection (ETag): no. backlit compares each item right before a change, so two changes within"
    " that moment can overwrite each other.",
    "rank": "Ranking: no. Your order is kept on this machine only.",
    "teams": "Team names: no. Teams are shown by number.",
}


ITERATION_EVENTS_EXTENSION = "iterationEvents"
"""The extension by which the service records the start and the close of an iteration."""
BATCH = "batch"
"""The extension by which the service makes several items in one request."""
OBJECT_BATCHES = "objectBatches"
"""The extension by which the service makes several objects below items in one request."""
HISTORY = "history"
"""The extension by which the service tells the changes of an item."""
CHANGES = "changes"
"""The extension by which the service lists what was changed, and waits for a change."""
CHANGES_STREAM = "changesStream"
"""The extension by which the service sends changes as they are made."""
PRESENCE = "presence"
"""The extension by which the service tells who edits what."""
UNREAD = "unread"
"""The extension by which the service keeps what each user has read."""
REPORTS = "reports"
"""The extension by which the service computes reports from its history."""
VIEWS = "views"
"""The extension by which the service keeps views, and shares them among the members of a project."""
CAPACITIES_EXTENSION = "capacities"
"""The extension by which the service keeps what people can do in sprints."""
SETTINGS = "settings"
"""The extension by which the service has settings that hold for everybody in a project."""


def announces(capabilities: object, extension: str) -> bool:
    named = capabilities.get("extensions") if isinstance(capabilities, Mapping) else None
    return isinstance(named, list) and extension in named


class ServiceFeatures:
    """The service's traits, as last probed. Each call reads them again."""

    def __init__(self, files: LocalDatabase) -> None:
        self._files = files

    def traits(self) -> ServiceTraits | None:
        return traits_of(self._note(TRAITS))

    def capabilities(self) -> Mapping[str, object] | None:
        told = self._note("capabilities")
        return told if isinstance(told, dict) else None

    def clock_offset(self) -> timedelta:
        """Return the service's clock offset from this machine's UTC, zero before it is known."""
        seconds = self._files.journal.settings.value(CLOCK)
        return timedelta(seconds=int(seconds or 0))

    def offers(self, extension: str) -> bool:
        return announces(self.capabilities(), extension)

    def missing(self) -> tuple[str, ...]:
        traits = self.traits()
        return () if traits is None else traits.missing_words(self.capabilities())

    def _note(self, key: str) -> object:
        found = self._files.mirror.execute("SELECT value FROM notes WHERE key = ?", (key,)).fetchone()
        return orjson.loads(found[0]) if found else None
