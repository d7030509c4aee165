"""The arrangement of a board: the fields of its columns and swimlanes, and the items that are cards."""

from collections.abc import Sequence
from dataclasses import replace

from backlit.model.fields import FIELD_BY_KEY, FIELDS, Field, ItemType
from backlit.model.filters import Comparison, Filter, In, Literal, Not, Operator, Property, all_of
from backlit.model.query import mentions_status, parse_query
from backlit.model.query.keys import values_of
from backlit.model.settings.boards import COLUMN_KINDS, LANE_KINDS, PARENT, RELEASE, STATUS, BoardSettings
from backlit.store.store import Store
from backlit.store.views.preferences import BoardKept
from backlit.store.views.query import ViewSpec
from backlit.store.views.view import View
from backlit.tui.board.columns import DELETED, BoardColumn, BoardColumns, field_of, has_field
from backlit.tui.fields.names import ListNames
from backlit.tui.widgets.choice_list import Choice

OFFERED = ("Status", "IterationID", RELEASE, "AssignedToID", "TeamID")
"""Fields of columns that are offered first."""


class Arrangement:
    """The columns and swimlanes that the user left in the current project, else those of the settings."""

    def __init__(self, store: Store, settings: BoardSettings, names: ListNames) -> None:
        self._store = store
        self._default = BoardKept(settings.columns, settings.lanes)
        self._columns = BoardColumns(store, settings, names)
        self._planned: Sequence[BoardColumn] = ()
        self.by, self.lanes = settings.columns, settings.lanes

    @property
    def field(self) -> Field:
        """The field that a move between columns writes."""
        return field_of(self._store, self.by)

    @property
    def has_tasks(self) -> bool:
        """True where the cards are the tasks of the lanes' items."""
        return self.lanes == PARENT

    @property
    def has_status(self) -> bool:
        """True where the columns are statuses."""
        return self.by == STATUS

    def restore(self) -> BoardKept:
        """Arrange the board as the user left it in the project; return the saved arrangement."""
        kept = self._store.boards.found(self._default)
        self.by, self.lanes = kept.columns, kept.lanes
        return kept

    async def save(self, collapsed: dict[object, bool]) -> None:
        """Save the arrangement, and the columns that the user collapsed or opened."""
        await self._store.boards.keep(self._default, BoardKept(self.by, self.lanes, collapsed))

    def hides_tasks(self, query: str) -> bool:
        """Return whether the board leaves out the tasks that match a query."""
        return not self.has_tasks and not values_of(query, "type")

    def arranged(self, spec: ViewSpec) -> ViewSpec:
        """Return the spec grouped by lanes and columns, without the items that are no cards."""
        self.by = self.by if has_field(self._store, self.by) else STATUS
        self.lanes = self.lanes if has_field(self._store, self.lanes) or self.lanes == "type" else ""
        asks_status = mentions_status(parse_query(spec.query))
        self._planned = self._columns.planned(self.by, with_done=spec.with_done or asks_status)
        alike = tuple(each.values for each in self._planned if len(each.values) > 1)
        hidden: list[Filter] = []
        if not values_of(spec.query, "type"):
            kind = Operator.EQ if self.has_tasks else Operator.NE
            hidden.append(Comparison(kind, Property("type"), Literal(ItemType.TASK.value)))
        if not asks_status:
            statuses = self._store.names.values(FIELD_BY_KEY[STATUS])
            deleted = [each for each in statuses if each.casefold() == DELETED]
            hidden.append(Not(In(Property(STATUS), tuple(map(Literal, deleted)))))
        lanes = (self.lanes,) if self.lanes else ()
        return replace(spec, group=(*lanes, self.field.key), alike=alike, filter=all_of(hidden))

    def columns_of(self, view: View) -> Sequence[BoardColumn]:
        """Return the columns to show for a view."""
        depth = len(view.spec.group)
        found = dict.fromkeys(header.group[-1] for header in view.outline.headers if header.level == depth)
        return self._columns.with_found(self.by, self._planned, found)

    def column_choices(self) -> list[Choice]:
        """Return the fields that columns can stand for in the current project."""
        more = [each.key for each in (*FIELDS, *self._store.custom_fields()) if each.kind in COLUMN_KINDS]
        keys = dict.fromkeys((*OFFERED, *more))
        return [Choice(key, "Release" if key == RELEASE else field_of(self._store, key).label) for key in keys]

    def lane_choices(self) -> list[Choice]:
        """Return the fields that swimlanes can stand for beside the columns."""
        fields = [each for each in (*FIELDS, *self._store.custom_fields()) if each.kind in LANE_KINDS]
        return [
            Choice("type", "Type"),
            *(
                Choice(each.key, each.label, "the cards are tasks" if each.key == PARENT else "")
                for each in fields
                if each.key != self.field.key
            ),
        ]
