"""The editor of one work item, made from the field table."""

from collections.abc import Callable, Mapping

from textual import on
from textual.app import ComposeResult

from backlit.model.errors import BacklitError, NotFound
from backlit.store.changes import Subject
from backlit.store.store import Store
from backlit.tui.acting import CannotAct
from backlit.tui.dialogs.confirm import Answer, ConfirmDialog
from backlit.tui.dialogs.difference import DifferenceDialog
from backlit.tui.field_lines import FieldLines
from backlit.tui.gathered import Gathered
from backlit.tui.item_draft import ItemDraft
from backlit.tui.kept_draft import KeptDraft
from backlit.tui.screens.editor_verbs import EditorVerbs
from backlit.tui.screens.editor_words import SIGN_NOTES, differences, left_status, left_title, right_status, right_title
from backlit.tui.settling import settle_item
from backlit.tui.widgets.field_form import FieldForm
from backlit.tui.widgets.lines import RuleLine, SidesLine
from backlit.tui.work import work

ANSWERS = (Answer("s", "save"), Answer("k", "keep as a draft, not saved"), Answer("d", "discard what was changed"))


class EditorScreen(EditorVerbs):
    """Edits an item, or a new one of a type with some fields preset; raises NotFound for an item that is gone."""

    CSS_PATH = "../styles/editor.tcss"

    def __init__(
        self,
        store: Store,
        item_id: int | None = None,
        item_type: str = "",
        preset: Mapping[str, object] | None = None,
    ) -> None:
        super().__init__(store)
        self.item_id = item_id
        item = store.item(item_id) if item_id is not None else None
        if item_id is not None and item is None:
            raise NotFound(f"Item {item_id} is no longer there.")
        self.item_type = item.type if item else item_type
        draft = ItemDraft(item.fields if item else preset or {})
        self._kept = KeptDraft(self, store, f"edit:{item_id}" if item else f"new:{item_type}", draft)
        self._note = self._kept.restore() or (SIGN_NOTES.get(item.sign, "") if item else "")
        self._lines = FieldLines(store, self.item_type, is_new=item is None)
        self.form = FieldForm(self._lines, draft)
        self._title, self._status, self._help = SidesLine(id="title"), SidesLine(id="status"), SidesLine(id="help")

    def compose(self) -> ComposeResult:
        """Title, form, the help of the current field, status."""
        yield self._title
        yield RuleLine("─")
        yield self.form
        yield RuleLine("─")
        yield self._help
        yield self._status

    def on_mount(self) -> None:
        """Have the item read anew; what is shown does not wait for it."""
        if self.item_id is not None:
            self.mark_seen(self.item_id)
            self.run_worker(work(self.store.look_at, self.item_id), exclusive=True, group="look")
        self.draw_words()

    def on_resize(self) -> None:
        """More or fewer hints."""
        self.draw_words()

    async def on_unmount(self) -> None:
        """Write what is not written yet, for an application that is being quit; what came meanwhile was seen."""
        self.mark_seen(self.item_id)
        await self._kept.flush()

    @on(FieldForm.Touched)
    def _touched(self) -> None:
        self._kept.write_soon()
        self._say("")

    # The store

    def store_changed(self, gathered: Gathered) -> None:
        """Follow the store where nothing was touched here; say so where it was."""
        if self.item_id is None:
            self.form.redraw()
            return
        if self.item_id in gathered.renamed:
            self.item_id = gathered.renamed[self.item_id]
            self._kept.move(f"edit:{self.item_id}")
        item = self.store.item(self.item_id)
        if item is None:
            self._note = "This item is no longer there; what you changed is kept until you close."
        elif Subject.ITEMS in gathered and gathered.touches(Subject.ITEMS, self.item_id):
            self.draft.rebase(item.fields)
        self.form.redraw()
        self.draw_words()

    # Saving

    def do_editor_save(self, _count: int | None) -> None:
        """Save."""
        self._in_order(self._save)

    def _in_order(self, act: Callable[[], object]) -> None:
        """Act after the input has taken the keys that were typed before."""
        typing = self.focused
        if typing is None or not self.form.is_editing:
            act()
            return

        def after_keys() -> None:
            if self.focused is typing:
                act()
            else:  # enter or tab was among them, and what came behind it was sent to the app
                self.app.call_later(act)

        typing.call_later(after_keys)

    def _save(self, then: Callable[[], object] | None = None) -> None:
        self.form.leave()
        draft = self.draft
        for field in self._lines.fields(draft):
            if field.required and not draft.value(field.key) and field.key not in draft.unread:
                draft.faults[field.key] = f"{field.label} is needed."
        if draft.faults:
            self._show_faults()
        elif draft or self.item_id is None:
            self.run_worker(work(self._send, dict(draft.changes), then), exclusive=True, group="save")
        else:
            self._say("Nothing was changed.")
            if then:
                then()

    async def _send(self, changes: Mapping[str, object], then: Callable[[], object] | None) -> None:
        try:
            if self.item_id is None:
                await self._add_new(changes)
            else:
                await self.store.edit([self.item_id], changes)
        except BacklitError as error:
            self.draft.faults.update(error.errors)
            self._show_faults(str(error))
            return
        self.draft.saved(changes)
        if not self.draft:
            self._kept.forget()
        self.form.redraw()
        self._say("Saved; it is sent as soon as the service can be reached.")
        if then:
            then()

    async def _add_new(self, changes: Mapping[str, object]) -> None:
        self.item_id = await self.store.add(self.item_type, {**self.draft.base, **changes})
        self._lines.is_new = False
        self._kept.move(f"edit:{self.item_id}")
        item = self.store.item(self.item_id)
        if item is not None:
            self.draft.rebase(item.fields)

    def _show_faults(self, sentence: str = "") -> None:
        self.form.redraw()
        for field in self._lines.fields(self.draft):
            if field.key in self.draft.faults:
                self.form.grid.go_to(field.key)
                break
        self._say(sentence if not self.draft.faults else "")

    # Leaving

    def do_editor_close(self, _count: int | None) -> None:
        """Leave the open field, else the editor; asks where something would be lost."""
        if self.form.is_editing:
            self._in_order(self.form.leave)
        else:
            self.guarded(lambda: self.dismiss(None))

    def guarded(self, leave: Callable[[], object]) -> None:
        """Leave at once, or after asking what becomes of the changes."""
        self.form.leave()
        if not self.draft:
            self._kept.forget()
            leave()
            return

        def answered(key: str | None) -> None:
            if key == "s":
                self._save(leave)
            elif key == "k":
                self._kept.write()
                leave()
            elif key == "d":
                self._kept.forget()
                leave()

        names = ", ".join(field.label for field in self._lines.fields(self.draft) if field.key in self.draft.touched)
        question = f"Not saved: {names}."
        self.app.push_screen(ConfirmDialog("Unsaved changes", question, ANSWERS, "stay here"), answered)

    # What changed

    def do_editor_difference(self, _count: int | None) -> None:
        """Show the changed fields as the service has them and as they are here."""
        self.form.leave()
        item = self.store.item(self.item_id) if self.item_id is not None else None
        shown = differences(self._lines, self.draft, item.base if item else {})
        if not shown:
            raise CannotAct("Nothing differs from what the service has.")
        self.app.push_screen(DifferenceDialog("Changed against the service", shown))

    def do_editor_conflict(self, _count: int | None) -> None:
        """Settle what the service did not take of the item; what is being changed here stays."""
        self.form.leave()
        if self.item_id is None:
            raise CannotAct("This item is not saved yet.")
        settle_item(self, self.item_id)

    # Words

    def _say(self, sentence: str) -> None:
        self._note = sentence
        self.draw_words()

    @on(FieldForm.Moved)
    def _moved(self) -> None:
        self._say("")

    def draw_words(self) -> None:
        """Title, help and status."""
        width = self.size.width
        item = self.store.item(self.item_id) if self.item_id is not None else None
        title = left_title(self.item_id, self.item_type, self.draft.value("Name"))
        self._title.say(title, right_title(item, width))
        field = self.form.grid.field
        about = self._lines.help(field) if field else ""
        self._help.say([(f" {self._note}", "foreground")] if self._note else [(f" {about}", "muted")])
        self._status.say(left_status(self.draft), right_status(width, is_editing=self.form.is_editing))
