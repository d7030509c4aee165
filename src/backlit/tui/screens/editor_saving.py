"""Saving in the editor: what is wrong, what others changed, what customers will see, then the journal."""

from collections.abc import Callable, Mapping

from backlit.model.errors import BacklitError
from backlit.tui.acting import CannotAct
from backlit.tui.acts import is_for_customers
from backlit.tui.dialogs.confirm import Answer, ConfirmDialog
from backlit.tui.screens.editor_verbs import EditorVerbs
from backlit.tui.settling import settle_item
from backlit.tui.work import work

Then = Callable[[], object]


class EditorSaving(EditorVerbs):
    """An editor that saves its draft, and asks first where somebody has to decide."""

    def open_next(self) -> None:
        """Close, and begin another item of the type at the same place."""
        raise NotImplementedError

    def do_editor_save(self, _count: int | None) -> None:
        """Save."""
        self.in_order(self.save)

    def do_editor_save_close(self, _count: int | None) -> None:
        """Save and close."""
        self.in_order(lambda: self.save(lambda: self.dismiss(None)))

    def do_editor_save_next(self, _count: int | None) -> None:
        """Save, and begin another."""
        self.in_order(lambda: self.save(self.open_next))

    def do_editor_discard(self, _count: int | None) -> None:
        """Close without saving; the draft is thrown away."""
        self.form.leave()
        self.kept.forget()
        self.dismiss(None)

    def save(self, then: Then | None = None) -> None:
        """Save if nothing is wrong and nothing is to be decided; what follows is done once it is on disk."""
        self.form.leave()
        self.form.judge_all()
        draft = self.draft
        if draft.faults:
            self.show_faults()
        elif draft.elsewhere:
            self._decide(lambda: self.save(then))
        elif draft or self.item_id is None:
            self._agree(dict(draft.changes), dict(draft.seen), then)
        else:
            self.tell("Nothing was changed.")
            if then:
                then()

    def _agree(self, changes: Mapping[str, object], seen: Mapping[str, object], then: Then | None) -> None:
        """Ask first where customers see what changes (FEATURES rule 36)."""
        words = [
            f"{field.label} → {self.lines.words.shown(field, changes[field.key])}"
            for field in self.lines.fields(self.draft)
            if field.key in changes and is_for_customers(field.key)
        ]

        def send() -> None:
            self.run_worker(work(self._send, changes, seen, then), exclusive=True, group="save")

        def answered(key: str | None) -> None:
            if key is not None:
                send()

        if words:
            question = ConfirmDialog("» Customers see this", "; ".join(words), [Answer("y", "save")], "not yet")
            self.app.push_screen(question, answered)
        else:
            send()

    async def _send(self, changes: Mapping[str, object], seen: Mapping[str, object], then: Then | None) -> None:
        try:
            if self.item_id is None:
                await self._add_new(changes)
            else:
                await self.store.edit([self.item_id], changes, seen)
        except BacklitError as error:
            self.draft.faults.update(error.errors)
            self.show_faults(str(error))
            return
        self.draft.saved(changes)
        if not self.draft:
            self.kept.forget()
        self.form.redraw()
        self.tell("Saved; it is sent as soon as the service can be reached.")
        if then:
            then()

    async def _add_new(self, changes: Mapping[str, object]) -> None:
        self.item_id = await self.store.add(self.item_type, {**self.draft.base, **changes})
        self.lines.is_new = False
        self.kept.move(f"edit:{self.item_id}")
        item = self.store.item(self.item_id)
        if item is not None:
            self.draft.rebase(item.fields, is_told=False)

    def show_faults(self, sentence: str = "") -> None:
        """Put the cursor on the first field that is wrong."""
        self.form.redraw()
        for field in self.lines.fields(self.draft):
            if field.key in self.draft.faults:
                self.form.grid.go_to(field.key)
                break
        self.tell(sentence if not self.draft.faults else f"Not saved. {' '.join(self.draft.faults.values())}")

    # What others changed

    def do_editor_conflict(self, _count: int | None) -> None:
        """Decide what others changed meanwhile, else settle what the service did not take of the item."""
        self.form.leave()
        if self.item_id is None:
            raise CannotAct("This item is not saved yet.")
        if self.draft.elsewhere:
            self._decide()
        else:
            settle_item(self, self.item_id)

    def _decide(self, then: Then | None = None) -> None:
        from backlit.tui.dialogs.draft_conflict import DraftConflictDialog

        def decided(is_done: bool | None) -> None:
            if is_done:
                self.form.changed()
                if then:
                    then()

        dialog = DraftConflictDialog(self.store, self.draft, self.item_id or 0, self.item_type)
        self.app.push_screen(dialog, decided)
