"""The headless store that screens and commands share. It never loads Textual."""

from backlit.store.records.changes import Change, Connection, ConnectionState, OutboxState, Subject
from backlit.store.records.entry import EntryKind, EntryState, OutboxEntry
from backlit.store.records.item import Item, Row, RowSign
from backlit.store.records.people import IterationEntry, Person, ProjectEntry, TreeKind
from backlit.store.sqlite.database import Places
from backlit.store.store import Connect, Store
from backlit.store.views.query import ViewSpec
from backlit.store.views.view import View

__all__ = [
    "Change",
    "Connect",
    "Connection",
    "ConnectionState",
    "EntryKind",
    "EntryState",
    "Item",
    "IterationEntry",
    "OutboxEntry",
    "OutboxState",
    "Person",
    "Places",
    "ProjectEntry",
    "Row",
    "RowSign",
    "Store",
    "Subject",
    "TreeKind",
    "View",
    "ViewSpec",
]
