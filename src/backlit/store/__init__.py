"""The headless store that screens and commands share. It never loads Textual.

Its names are imported when they are first used: a listing of a fresh copy reads without the store.
"""

from importlib import import_module

TYPE_CHECKING = False  # typing takes 4 ms
if TYPE_CHECKING:
    from typing import Any

    from backlit.store.records.changes import ConnectionState, ConnectionStatus, OutboxState, StoreChange, Subject
    from backlit.store.records.entry import EntryKind, EntryState, OutboxEntry
    from backlit.store.records.item import Item, ItemRow, RowSign
    from backlit.store.records.people import IterationEntry, Person, ProjectEntry, TreeKind
    from backlit.store.sqlite.database import ProfileFiles
    from backlit.store.store import Connect, Store
    from backlit.store.views.query import ViewSpec
    from backlit.store.views.view import View

__all__ = [
    "Connect",
    "ConnectionState",
    "ConnectionStatus",
    "EntryKind",
    "EntryState",
    "Item",
    "ItemRow",
    "IterationEntry",
    "OutboxEntry",
    "OutboxState",
    "Person",
    "ProfileFiles",
    "ProjectEntry",
    "RowSign",
    "Store",
    "StoreChange",
    "Subject",
    "TreeKind",
    "View",
    "ViewSpec",
]
_MODULES = {
    "ConnectionState": "records.changes",
    "ConnectionStatus": "records.changes",
    "OutboxState": "records.changes",
    "StoreChange": "records.changes",
    "Subject": "records.changes",
    "EntryKind": "records.entry",
    "EntryState": "records.entry",
    "OutboxEntry": "records.entry",
    "Item": "records.item",
    "ItemRow": "records.item",
    "RowSign": "records.item",
    "IterationEntry": "records.people",
    "Person": "records.people",
    "ProjectEntry": "records.people",
    "TreeKind": "records.people",
    "ProfileFiles": "sqlite.database",
    "Connect": "store",
    "Store": "store",
    "ViewSpec": "views.query",
    "View": "views.view",
}


def __getattr__(name: str) -> "Any":
    if name not in _MODULES:
        raise AttributeError(f"module {__name__} has no attribute {name}")
    return getattr(import_module(f"{__name__}.{_MODULES[name]}"), name)
