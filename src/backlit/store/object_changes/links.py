"""Web addresses on items: added, edited, deleted."""

from collections.abc import Mapping
from typing import ClassVar

from backlit.store.object_changes.rows import RowChange, RowCreation, RowDeletion, RowEdit
from backlit.store.records.entry import EntryKind
from backlit.store.records.object_kinds import LINKS


class _LinkChange(RowChange):
    row = LINKS
    subject = LINKS.subject
    resource = LINKS.resource
    noun = "link"
    again = "added again"
    keys = ("displayText", "url")
    labels: ClassVar[Mapping[str, str]] = {"displayText": "text", "url": "address"}

    @classmethod
    def words(cls, values: Mapping[str, object]) -> str:
        return f"{values.get('displayText') or ''} {values.get('url') or ''}".strip()


class LinkCreation(_LinkChange, RowCreation):
    """An ADD_LINK."""


class LinkEdit(RowEdit, _LinkChange):
    """An EDIT_LINK."""


class LinkDeletion(_LinkChange, RowDeletion):
    """A DELETE_LINK."""

    deletion_kind = EntryKind.DELETE_LINK
