"""The headless store that screens and commands share. It never loads Textual."""

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
