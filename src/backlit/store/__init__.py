"""The store of work that screens and commands share; headless, without Textual."""

from backlit.store.attachments import AttachmentEntry
from backlit.store.changes import Change, Connection, ConnectionState, OutboxState, Subject
from backlit.store.conflicts import Case, Contested, Keep
from backlit.store.entries import EntryKind, EntryState, OutboxEntry
from backlit.store.people import IterationEntry, Person, ProjectEntry, TreeKind
from backlit.store.places import Places
from backlit.store.rows import Item, Row, RowSign
from backlit.store.store import CommentEntry, Connect, Store
from backlit.store.views import View
from backlit.store.views_query import ViewSpec

__all__ = [
    "AttachmentEntry",
    "Case",
    "Change",
    "CommentEntry",
    "Connect",
    "Connection",
    "ConnectionState",
    "Contested",
    "EntryKind",
    "EntryState",
    "Item",
    "IterationEntry",
    "Keep",
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
