"""The commands that say how a list is shown: grouped, sorted, with what is done or without."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

from backlit.model.fields import PROPERTY_BY_LOWER_NAME, Kind
from backlit.model.filters import POINTS, SortKey
from backlit.model.query.keys import POINTS_FIELD, SHORT_KEYS
from backlit.store.store import Store
from backlit.store.views_query import ViewSpec
from backlit.store.views_saved import MOST_GROUPS
from backlit.tui.dialogs.choice_list import Choice
from backlit.tui.marked_list import MarkedList

USUAL = ("AreaID", "IterationID", "AssignedToID", "Status", "type", "Tags", "TeamID", POINTS, "Priority", "Severity")
"""Fields that are offered first."""
SORTED = ("BacklogPriority", "Name", "lastModifiedAt", "createdAt", "id")
"""Fields to sort by, but not to group by."""
MOST_SORTS = 5
SHORT_OF = {key: short for short, key in SHORT_KEYS.items()}
"""What people type for a field, also where they pick it."""
UNFIT = frozenset({Kind.LONG_TEXT})


def key_choices(store: Store, first: Sequence[str], without: Sequence[str] = ()) -> Iterator[Choice]:
    """The fields that lists can be put in order by, some of them first."""
    fields = {POINTS: POINTS_FIELD} | {
        each.key: each for each in (*PROPERTY_BY_LOWER_NAME.values(), *store.custom_fields())
    }
    rest = sorted(fields.keys() - {*first, *without, "Estimate"}, key=lambda key: fields[key].label.casefold())
    for key in (*first, *rest):
        if fields[key].kind not in UNFIT:
            yield Choice(key, fields[key].label, SHORT_OF.get(key, ""))


class ViewVerbs(MarkedList):
    """A list that is shown by a spec; subclasses say how another one is shown."""

    spec = ViewSpec()

    def show_spec(self, spec: ViewSpec) -> None:
        """Show the list otherwise."""
        raise NotImplementedError

    def do_list_group(self, _count: int | None) -> None:
        """Pick what the list is grouped by: one field, or two with tab."""

        def picked(keys: tuple[SortKey, ...]) -> None:
            self.show_spec(replace(self.spec, group=tuple(each.name for each in keys)))

        choices = [Choice(None, "no groups"), *key_choices(self.store, USUAL, (*SORTED, "ParentID"))]
        self._pick("Group by", choices, [SortKey(key) for key in self.spec.group], picked)

    def do_list_sort(self, _count: int | None) -> None:
        """Pick what the list is sorted by: one field, or several with tab."""

        def picked(keys: tuple[SortKey, ...]) -> None:
            self.show_spec(replace(self.spec, sort=keys))

        choices = [Choice(None, "the backlog's own order"), *key_choices(self.store, (*USUAL, *SORTED))]
        self._pick("Sort by", choices, self.spec.sort, picked, most=MOST_SORTS, has_directions=True)

    def _pick(
        self,
        title: str,
        choices: Sequence[Choice],
        chosen: Sequence[SortKey],
        take: Callable[[tuple[SortKey, ...]], None],
        *,
        most: int = MOST_GROUPS,
        has_directions: bool = False,
    ) -> None:
        from backlit.tui.dialogs.pick_keys import PickKeysDialog

        def picked(keys: tuple[SortKey, ...] | None) -> None:
            if keys is not None:
                take(keys)

        dialog = PickKeysDialog(title, choices, chosen, most=most, has_directions=has_directions)
        self.app.push_screen(dialog, picked)

    def do_list_zen(self, _count: int | None) -> None:
        """Hide title, tabs, rules and status, or show them again."""
        self.toggle_class("-zen")

    def do_list_done(self, _count: int | None) -> None:
        """Show or hide what is done."""
        self.show_spec(replace(self.spec, with_done=not self.spec.with_done))
