"""Deciding between what is being typed and what somebody else saved meanwhile."""

from collections.abc import Mapping
from typing import TYPE_CHECKING

from backlit.model.fields import Settable
from backlit.store.checks import check
from backlit.store.conflicts import Case, Contested, Keep
from backlit.store.entries import EntryKind, EntryState, OutboxEntry
from backlit.tui.dialogs.conflict import ConflictDialog
from backlit.tui.item_draft import ItemDraft

if TYPE_CHECKING:
    from backlit.store.store import Store

_ON_EDIT = frozenset({Settable.ALWAYS})


class DraftConflictDialog(ConflictDialog):
    """Asks field by field, and puts what was decided into the draft; the answer says whether that was done."""

    def __init__(self, store: "Store", draft: ItemDraft, item_id: int, item_type: str) -> None:
        self._draft = draft
        item = store.item(item_id)
        fields = tuple(
            Contested(key, before, draft.value(key), draft.base.get(key)) for key, before in draft.elsewhere.items()
        )
        entry = OutboxEntry(-abs(item_id), 0.0, 0, item_id, EntryKind.EDIT, {}, state=EntryState.CONFLICT)
        by, at = (item.last_modified_by, item.last_modified_at) if item else ("", None)
        super().__init__(store, Case(entry, fields, item_type, entry.id, by, at))

    def sentence(self) -> str:
        """Who was faster."""
        return f"{self._case.changed_by or 'Somebody'} changed it while you were editing."

    async def settle(self, decided: Mapping[str, object]) -> None:
        """Put the decisions into the draft; what came after they were asked for is to be decided again."""
        edited = {key: value for key, value in decided.items() if not isinstance(value, Keep)}
        edited = check(self._case.item_type, edited, self._store, _ON_EDIT)
        for field in self._case.fields:
            decision = decided[field.key]
            theirs_now = self._draft.base.get(field.key)
            if decision is Keep.THEIRS:
                self._draft.decide(field.key, theirs_now)
                continue
            self._draft.decide(field.key, field.mine if decision is Keep.MINE else edited[field.key])
            if theirs_now != field.theirs:
                self._draft.elsewhere[field.key] = field.theirs
        self._draft.tidy()
