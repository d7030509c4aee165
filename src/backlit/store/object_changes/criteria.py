"""Acceptance criteria: added, edited, deleted."""

from collections.abc import Mapping
from typing import ClassVar

from backlit.store.object_changes.rows import RowChange, RowCreation, RowDeletion, RowEdit
from backlit.store.records.entry import EntryKind
from backlit.store.records.object_kinds import CRITERIA


class _CriterionChange(RowChange):
    row = CRITERIA
    subject = CRITERIA.subject
    resource = CRITERIA.resource
    noun, nouns = "criterion", "criteria"
    again = "added again"
    keys = ("title", "description", "status", "sequence")
    labels: ClassVar[Mapping[str, str]] = {
        "title": "title",
        "description": "description",
        "status": "status",
        "sequence": "place",
    }

    @classmethod
    def words(cls, values: Mapping[str, object]) -> str:
        return " ".join(str(values.get("title") or "").split())


class CriterionCreation(_CriterionChange, RowCreation):
    """An ADD_CRITERION."""


class CriterionEdit(RowEdit, _CriterionChange):
    """An EDIT_CRITERION."""


class CriterionDeletion(_CriterionChange, RowDeletion):
    """A DELETE_CRITERION."""

    deletion_kind = EntryKind.DELETE_CRITERION
