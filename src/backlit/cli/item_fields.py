"""Work items as rows of listings and as JSON documents, with names beside ids."""

from collections.abc import Iterable, Mapping, Sequence

from backlit.cli.item_columns import PART_COLUMNS, PLAIN, SHORT_NAMES, plain_value, short_columns
from backlit.cli.item_parts import ItemParts
from backlit.cli.listing import Column, Row
from backlit.model.fields import FIELDS
from backlit.store.records.entry_values import id_of
from backlit.store.records.item import Item
from backlit.store.records.people import TreeKind
from backlit.store.store import Store

_TREES = {"iter": TreeKind.ITERATIONS, "area": TreeKind.AREAS}


class ItemFields:
    """The columns of items and their values."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._keys = [field.key for field in (*FIELDS, *store.lookups.custom_fields())]

    def columns(self) -> list[Column]:
        """Return all columns; the usual ones first, in their order."""
        taken = {name.lower() for name in SHORT_NAMES}
        own = (Column(key, key, is_usual=False) for key in self._keys if key.lower() not in taken)
        return [*short_columns(), *own]

    def rows(self, items: Sequence[Item], columns: Iterable[Column]) -> list[Row]:
        names = [each.name for each in columns]
        if "owner" in names:
            self._store.run(self._load_owners(items))
        unready = self._store.cells.values([item.id for item in items], ["lint"]) if "lint" in names else {}
        parts = ItemParts(self._store, items) if PART_COLUMNS.intersection(names) else None
        return [
            {
                name: parts.cell(item, name)
                if parts is not None and name in PART_COLUMNS
                else self._value(item, name, unready)
                for name in names
            }
            for item in items
        ]

    async def _load_owners(self, items: Iterable[Item]) -> None:
        await self._store.everybody.load_users(item.fields.get("AssignedToID") for item in items)

    def _value(self, item: Item, name: str, unready: Mapping[int, Mapping[str, object]]) -> object:
        if name in PLAIN:
            return plain_value(item.id, item.type, item.fields, name, self._username)
        match name:
            case "created":
                return item.created_at
            case "changed":
                return item.last_modified_at
            case "by":
                return item.created_by
            case "unsent":
                return item.sign.name.lower() if item.sign else None
            case "lint":
                return unready.get(item.id, {}).get("lint")
            case "due":
                due = self._store.lookups.due_field()
                return None if due is None else item.fields.get(due.key)
        key = SHORT_NAMES[name][1] if name in SHORT_NAMES else name
        value = item.fields.get(key)
        if isinstance(value, int) and not isinstance(value, bool):
            return self._name(name, value)
        return value

    def _name(self, name: str, value: int) -> object:
        lookups = self._store.lookups
        if name == "team":
            return lookups.teams().get(value) or f"team {value}"
        if name in _TREES:
            tree = lookups.tree(_TREES[name])
            return tree.path(value) if value in tree else str(value)
        return id_of(value) if name == "parent" else value

    def _username(self, user_id: int) -> str | None:
        person = self._store.lookups.known_people().get(user_id)
        return None if person is None else person.username
