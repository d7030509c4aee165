"""The editor of one work item, made from the field table."""

from collections.abc import Callable, Mapping
from functools import partial

from textual import on
from textual.app import ComposeResult

from backlit.model.errors import NotFound
from backlit.store.changes import Subject
from backlit.store.store import Store
from backlit.tui.acting import CannotAct
from backlit.tui.dialogs.confirm import Answer, ConfirmDialog
from backlit.tui.dialogs.difference import DifferenceDialog
from backlit.tui.field_lines import FieldLines
from backlit.tui.gathered import Gathered
from backlit.tui.item_draft import ItemDraft
from backlit.tui.kept_draft import KeptDraft
from backlit.tui.log_verbs import timer_words
from backlit.tui.screens.editor_texts import EditorTexts
from backlit.tui.screens.editor_words import SIGN_NOTES, differences, left_status, left_title, right_status, right_title
from backlit.tui.widgets.field_form import FieldForm
from backlit.tui.widgets.lines import RuleLine, SidesLine
from backlit.tui.work import work

SAME_PLACE = ("AreaID", "IterationID", "TeamID", "ParentID")
"""What the next new item has in common with the one before."""
ANSWERS = (Answer("s", "save"), Answer("k", "keep as a draft, not saved"), Answer("d", "discard what was changed"))


class EditorScreen(EditorTexts):
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
        self.kept = KeptDraft(self, store, f"edit:{item_id}" if item else f"new:{item_type}", draft)
        self._note = self.kept.restore() or (SIGN_NOTES.get(item.sign, "") if item else "")
        self.lines = FieldLines(store, self.item_type, is_new=item is None)
        self.form = FieldForm(self.lines, draft)
        self._is_unsent = item is None
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
        await self.kept.flush()

    @on(FieldForm.Touched)
    def _touched(self) -> None:
        self.kept.write_soon()
        self.tell("")

    # The store

    def store_changed(self, gathered: Gathered) -> None:
        """Follow the store where nothing was touched here; say so where it was."""
        if self.item_id is None:
            self.form.redraw()
            return
        if self.item_id in gathered.renamed:
            self.item_id = gathered.renamed[self.item_id]
            self.kept.move(f"edit:{self.item_id}")
        item = self.store.item(self.item_id)
        if item is None:
            self._note = "This item is no longer there; what you changed is kept until you close."
        elif Subject.ITEMS in gathered and gathered.touches(Subject.ITEMS, self.item_id):
            is_told = not self._is_unsent  # what the service presets is no news
            self._is_unsent = self.item_id < 0
            self.draft.rebase(item.fields, self.form.open_key, is_told=is_told)
        self.form.redraw()
        self.draw_words()

    # Leaving

    def do_editor_close(self, _count: int | None) -> None:
        """Leave the open field, else the editor; asks where something would be lost."""
        if self.form.is_editing:
            self.in_order(self.form.leave)
        else:
            self.guarded(lambda: self.dismiss(None))

    def guarded(self, leave: Callable[[], object]) -> None:
        """Leave at once, or after asking what becomes of the changes."""
        self.form.leave()
        if not self.draft:
            self.kept.forget()
            leave()
            return

        def answered(key: str | None) -> None:
            if key == "s":
                self.save(leave)
            elif key == "k":
                self.kept.write()
                leave()
            elif key == "d":
                self.kept.forget()
                leave()

        names = ", ".join(field.label for field in self.lines.fields(self.draft) if field.key in self.draft.touched)
        question = f"Not saved: {names}."
        self.app.push_screen(ConfirmDialog("Unsaved changes", question, ANSWERS, "stay here"), answered)

    # What changed

    def do_editor_difference(self, _count: int | None) -> None:
        """Show the changed fields as the service has them and as they are here."""
        self.form.leave()
        item = self.store.item(self.item_id) if self.item_id is not None else None
        shown = differences(self.lines, self.draft, item.base if item else {})
        if not shown:
            raise CannotAct("Nothing differs from what the service has.")
        self.app.push_screen(DifferenceDialog("Changed against the service", shown))

    # The next one

    def open_next(self) -> None:
        """Close, and begin another item of the type at the same place."""
        values = {key: self.draft.base.get(key) for key in SAME_PLACE}
        preset = {key: value for key, value in values.items() if value is not None}
        app, make = self.app, partial(EditorScreen, self.store, None, self.item_type, preset)
        self.dismiss(None)
        app.call_later(lambda: app.push_screen(make()))

    # Words

    def tell(self, sentence: str) -> None:
        """Say something in the line of the help."""
        self._note = sentence
        self.draw_words()

    @on(FieldForm.Moved)
    def _moved(self) -> None:
        self.tell("")

    def draw_words(self) -> None:
        """Title, help and status."""
        width = self.size.width
        item = self.store.item(self.item_id) if self.item_id is not None else None
        title = left_title(self.item_id, self.item_type, self.draft.value("Name"))
        self._title.say(title, right_title(item, width))
        field = self.form.grid.field
        about = self.lines.help(field, self.draft) if field else ""
        self._help.say([(f" {self._note}", "foreground")] if self._note else [(f" {about}", "muted")])
        self._status.say(
            [*left_status(self.draft), *timer_words(self.store)], right_status(width, is_editing=self.form.is_editing)
        )
