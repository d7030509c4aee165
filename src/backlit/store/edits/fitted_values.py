"""Values of items as another type, or in another project: which stay, and which are lost."""

from collections.abc import Iterator, Mapping

from msgspec import Struct

from backlit.model.conversions import fits, fitted_status
from backlit.model.fields import FIELD_BY_KEY, Field, Kind
from backlit.store.records.item import Document, fields_in
from backlit.store.records.merge import is_empty
from backlit.store.records.people import TreeKind
from backlit.store.views.lookups import Lookups

_TREES: Mapping[Kind, TreeKind] = {Kind.AREA: TreeKind.AREAS, Kind.ITERATION: TreeKind.ITERATIONS}


class ChangedValue(Struct, frozen=True):
    """A value that does not stay as it is. `words` are those of the new one, empty for a lost one."""

    key: str
    before: object
    after: object
    words: str = ""
    is_alike: bool = False
    """Whether it means the same: the area of the same path, the team of the same name."""


class FittedValues:
    """Items of one project, as the service will have them as another type, or in another project.

    What this machine does not know of the other project is left to the service.
    """

    def __init__(self, lookups: Lookups, new_project_id: int | None = None) -> None:
        self._lookups = lookups
        self._new = lookups if new_project_id is None else lookups.of_project(new_project_id)
        self._is_move = self._new is not lookups
        self.project_id = self._new.project_id or 0
        """The project that the items are in then."""

    def changes(self, document: Document, item_type: str) -> list[ChangedValue]:
        """Return what an item has no longer, or in another form."""
        return list(self._changes(fields_in(document), item_type))

    def _changes(self, fields: Mapping[str, object], item_type: str) -> Iterator[ChangedValue]:
        old_custom = {field.key: field for field in self._lookups.custom_fields()}
        new_custom = {field.key: field for field in self._new.custom_fields()}
        status = FIELD_BY_KEY["Status"]
        if status.applies_to(item_type) and is_empty(fields.get(status.key)):
            fields = {**fields, status.key: ""}  # a Feedback has none, and gets one
        for key, value in fields.items():
            old, new = FIELD_BY_KEY.get(key) or old_custom.get(key), FIELD_BY_KEY.get(key) or new_custom.get(key)
            if old is None or old.kind is Kind.COMPUTED or (is_empty(value) and old is not status):
                continue
            if new is None or not new.applies_to(item_type):
                yield ChangedValue(key, value, None)
            elif (changed := self._changed(old, new, value, item_type)) is not None:
                yield changed

    def _changed(self, old: Field, new: Field, value: object, item_type: str) -> ChangedValue | None:
        choices = self._new.choices(new, item_type)
        match old.kind:
            case Kind.STATUS:
                groups = self._lookups.status_groups(), self._new.status_groups()
                status = fitted_status(str(value), groups[0], choices, groups[1])
                return None if status == value else ChangedValue(old.key, value or None, status, status or "")
            case Kind.AREA | Kind.ITERATION if self._is_move and isinstance(value, int):
                return self._place(old, value)
            case Kind.TEAM if self._is_move and isinstance(value, int):
                return self._team(old, value)
            case _:
                return None if fits(new, old, value, choices) else ChangedValue(old.key, value, None)

    def _team(self, field: Field, team_id: int) -> ChangedValue:
        """Return the team of the same name."""
        name = self._lookups.teams().get(team_id, "")
        new_id = next((each for each, other in self._new.teams().items() if other == name), None)
        return ChangedValue(field.key, team_id, new_id, "" if new_id is None else name, is_alike=new_id is not None)

    def _place(self, field: Field, node_id: int) -> ChangedValue:
        """Return the node with the same path below the root, else the root."""
        kind = _TREES[field.kind]
        old, new = self._lookups.tree(kind), self._new.tree(kind)
        if not new.roots:
            return ChangedValue(field.key, node_id, None, "the same path, or the root", is_alike=True)
        root = new.roots[0]
        rest = old.path(node_id).partition("\\")[2] if node_id in old else ""
        path = f"{root.name}\\{rest}"
        alike = root if not rest else next((node for node in new.walk() if new.path(node.id) == path), None)
        found = alike or root
        return ChangedValue(field.key, node_id, found.id, new.path(found.id), is_alike=alike is not None)
