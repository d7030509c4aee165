"""What a list shows where nothing matches its filter: how far that is true, and what is near."""

from collections.abc import Mapping, Sequence

from msgspec import Struct
from msgspec.structs import replace

from backlit.model.trees import NO_TOTALS, NodeTotals
from backlit.store.store import Store
from backlit.store.views.groups import KeyedHeading
from backlit.store.views.query import ViewSpec
from backlit.store.views.view import View
from backlit.tui.lists.filtering import FilterState, NearFilter
from backlit.tui.shell.status_text import near_keys

NEAR_KEY = "near"
"""The key of the groups of what is near."""
MAX_NEAR = 5
MIN_ROWS_OF_NEAR, MAX_ROWS_OF_NEAR, MAX_ROWS_ALONE = 3, 8, 200
"""Items that are shown for a changed filter: the least and the most of one of several, and of one alone.

More of each would hide that nothing matches, and its key shows all of them.
"""


class EmptyListFigures(Struct, frozen=True):
    """A spec that no item matches, the done items that do, the totals without the filter, and what is near."""

    spec: ViewSpec | None = None
    done: int | None = None
    all: NodeTotals = NO_TOTALS
    near: Sequence[tuple[NearFilter, NodeTotals]] = ()
    """Changes of the filter that give items, and the totals of these."""
    near_view: View | None = None
    """The first items of each, under its heading; None without any."""


class EmptyListReader:
    """Reads the figures of specs that no item matches; the totals without text and query once, until `forget`."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._kept: dict[ViewSpec, NodeTotals] = {}

    def forget(self) -> None:
        self._kept = {}

    async def read(self, spec: ViewSpec, now: FilterState, room: int) -> EmptyListFigures:
        """Return the figures of a spec with a filter; `room` is the number of lines for what is near."""
        kept, bare = self._kept, replace(spec, text="", query="")
        if bare not in kept:
            kept[bare] = (await self._loaded(bare)).totals or NO_TOTALS
        done = None if spec.with_done else (await self._loaded(replace(spec, with_done=True))).count
        flat = replace(spec, group=(), is_tree=False)
        views: dict[NearFilter, View] = {}
        known: set[int] = set()
        for near in await self._near(now):
            if len(views) == MAX_NEAR:
                break
            view = await self._loaded(near.filter.applied_to(flat, self._store))
            if not known.issuperset(view.ids()):
                views[near] = view
                known.update(view.ids())
        totals = [(near, view.totals or NO_TOTALS) for near, view in views.items()]
        joined = self._joined(flat, views, room) if views else None
        return EmptyListFigures(spec, done, kept[bare], totals, joined)

    async def _near(self, now: FilterState) -> Sequence[NearFilter]:
        """Return changed filters: without a part, with words that names have, and with texts and comments too."""
        found = [*now.without_each()]
        for word in now.name_words:
            near = await self._store.search.near_words(word)
            spelled = [now.with_word(word, each) for each in near]
            found += [NearFilter(f"names with “{each}”", it, each) for each, it in zip(near, spelled, strict=True)]
            found += [_in_texts(near[0], spelled[0])] if near else []
        return [*found, *([_in_texts("” and “".join(now.name_words), now)] if now.name_words else ())]

    def _joined(self, spec: ViewSpec, views: Mapping[NearFilter, View], room: int) -> View:
        """Return a view of the first items of some views, each under its heading; an item stands there once.

        The words that the first one looks for are marked in names.
        """
        share = min(max(MIN_ROWS_OF_NEAR, room // len(views) - 1), MAX_ROWS_OF_NEAR)
        most = share if len(views) > 1 else MAX_ROWS_ALONE
        near = next(iter(views)).filter
        joined, ids = self._store.view(replace(spec, text=near.text, query=near.query)), dict[int, None]()
        parts: list[tuple[object, int, NodeTotals]] = []
        for number, (each, view) in enumerate(views.items(), 1):
            rows = [row for row in view.rows(0, MAX_ROWS_ALONE) if row.id not in ids]
            items = [row for row in rows if not row.is_task] or rows
            ids.update(dict.fromkeys(row.id for row in items[:most]))
            totals = view.totals or NO_TOTALS
            whole = NodeTotals(totals.count or totals.tasks, totals.points)
            parts.append((KeyedHeading(near_keys(number), f"{each.words[0].upper()}{each.words[1:]}"), len(ids), whole))
        joined.hold([*ids])
        joined.divide(NEAR_KEY, parts)
        return joined

    async def _loaded(self, spec: ViewSpec) -> View:
        view = self._store.view(spec)
        await view.load()
        return view


def _in_texts(words: str, of: FilterState) -> NearFilter:
    return NearFilter(f"texts with “{words}”", of.in_texts() or of)
