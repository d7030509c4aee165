"""Queries on a fresh copy: the store's own names and statements, on the files that `backlit.store.reading` opens."""

from collections.abc import Mapping
from datetime import timedelta
from itertools import islice

from msgspec import Struct, convert, field

from backlit.model.dates import DATE_STYLE
from backlit.model.ready_check import STALE_DAYS, USUAL_RULES, ReadyRules
from backlit.model.settings.shared_settings import WEEKDAY_KEYS
from backlit.model.settings.user_settings import OwnNames
from backlit.store.reading import FreshCopy
from backlit.store.records.changes import Signal
from backlit.store.sqlite.functions import add_functions
from backlit.store.views.clock import ProjectClock, local_time
from backlit.store.views.lookups import Lookups
from backlit.store.views.names import QueryNames
from backlit.store.views.query import ViewSpec, resolved_query


class QuerySettings(Struct, frozen=True):
    """The settings that a query depends on."""

    names: OwnNames = field(default_factory=OwnNames)
    lint: ReadyRules = USUAL_RULES
    stale_days: int = STALE_DAYS
    week_start: str = WEEKDAY_KEYS[0]


def matching_ids(
    copy: FreshCopy, spec: ViewSpec, settings: Mapping[str, object], limit: int | None
) -> list[int] | None:
    """Return the ids of a list's items in their order; None for a list that the store has to read.

    These are words in texts whose index is not complete, and orders of names. `settings` are those of the checked file,
    as JSON has them. Raises BadRequest for an invalid query.
    """
    names = _names(copy, convert(settings, QuerySettings, str_keys=True))
    query = resolved_query(spec, copy.project_id, names)
    if query.levels or (query.has_words and copy.mirror.execute("SELECT 1 FROM words_due LIMIT 1").fetchone()):
        return None
    add_functions(copy.mirror)
    return [item_id for (item_id,) in islice(copy.mirror.execute(*query.ids()), limit or None)]


def _names(copy: FreshCopy, settings: QuerySettings) -> QueryNames:
    lookups = Lookups(copy, Signal())
    lookups.project_id, lookups.own_names = copy.project_id, settings.names
    offset = timedelta(seconds=copy.clock_offset())
    names = QueryNames(lookups, ProjectClock(lookups, local_time, lambda: offset))
    names.own_rules, names.stale_days = settings.lint, settings.stale_days
    DATE_STYLE.first_weekday = WEEKDAY_KEYS.index(settings.week_start)
    return names
