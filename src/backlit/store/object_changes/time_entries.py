"""Hours on tasks: logged, corrected, taken back."""

from collections.abc import Mapping
from typing import ClassVar

from backlit.model.amounts import hours_text
from backlit.store.object_changes.rows import RowChange, RowCreation, RowDeletion, RowEdit
from backlit.store.records.entry import EntryKind
from backlit.store.records.object_kinds import TIME_ENTRIES


class _TimeChange(RowChange):
    row = TIME_ENTRIES
    subject = TIME_ENTRIES.subject
    resource = TIME_ENTRIES.resource
    items_resource = TIME_ENTRIES.items
    noun, nouns = "time entry", "time entries"
    again = "logged again"
    keys = ("userId", "date", "hours", "type", "note")
    labels: ClassVar[Mapping[str, str]] = {"date": "day", "hours": "hours", "type": "type", "note": "note"}

    @classmethod
    def words(cls, values: Mapping[str, object]) -> str:
        hours = values.get("hours")
        amount = f"{hours_text(hours)}h" if isinstance(hours, int | float) else ""
        parts = (str(values.get("date") or "")[:10], amount, values.get("type"), values.get("note"))
        return " ".join(str(part) for part in parts if part)


class TimeCreation(_TimeChange, RowCreation):
    """A LOG_TIME. Its base has the work of the task before, where its hours count in that."""

    @property
    def item_fields(self) -> frozenset[str]:
        return frozenset(self.entry.base)


class TimeEdit(RowEdit, _TimeChange):
    """An EDIT_TIME."""


class TimeDeletion(_TimeChange, RowDeletion):
    """A DELETE_TIME."""

    deletion_kind = EntryKind.DELETE_TIME
