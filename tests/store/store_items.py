"""Items as a store has them."""

from backlit.store import Store
from backlit.store.journal.undo_log import ItemCopy
from backlit.store.records.item import Item


def shown(store: Store, item_id: int) -> Item:
    found = store.item(item_id)
    assert found is not None
    return found


def field(store: Store, item_id: int, key: str = "Name") -> object:
    found = store.item(item_id)
    return found.fields.get(key) if found else None


def mirrored(store: Store) -> dict[int, str]:
    return dict(store.files.mirror.execute("SELECT id, name FROM items WHERE project_id = 1"))


def copy_of(store: Store, item_id: int) -> ItemCopy:
    found = store.files.journal.trash.of_item(item_id)
    assert found is not None
    return found
