"""The editor of one work item, made from the field table."""

import time
from collections.abc import Callable, Mapping

from textual import on
from textual.app import ComposeResult
from textual.timer import Timer

from backlit.model.errors import BacklitError, NotFound
from backlit.model.fields import Kind
from backlit.store.changes import Subject
from backlit.store.store import Store
from backlit.tui.acting import CannotAct
from backlit.tui.ages import moment
from backlit.tui.commands import COMMAND_BY_ID
from backlit.tui.dialogs.confirm import Answer, ConfirmDialog
from backlit.tui.dialogs.difference import Difference, DifferenceDialog
from backlit.tui.field_lines import FieldLines
from backlit.tui.gathered import Gathered
from backlit.tui.item_draft import ItemDraft
from backlit.tui.looks import type_colour, type_sign
from backlit.tui.screens.editor_moves import EditorMoves
from backlit.tui.widgets.field_form import FieldForm
from backlit.tui.widgets.lines import Part, RuleLine, SidesLine, hints
from backlit.tui.work import work

SAVE_DELAY = 0.3
"""Seconds without a change before the draft is written."""
HINTS = ("editor.edit", "editor.save", "editor.revert", "editor.difference", "editor.close", "app.help")
FEW_HINTS = ("editor.edit", "editor.save", "app.help")
WHILE_TYPING = (("  esc leave the field", "muted"), ("  ctrl+s save", "muted"))
ROOM_FOR_HINTS = 100
ROOM_FOR_AUTHOR = 80
ANSWERS = (Answer("s", "save"), Answer("k", "keep as a draft, not saved"), Answer("d", "discard what was changed"))


class EditorScreen(EditorMoves):
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
        self._item_type = item.type if item else item_type
        draft = ItemDraft(item.fields if item else preset or {})
        self._note = self._restored(draft)
        self._lines = FieldLines(store, self._item_type, is_new=item is None)
        self.form = FieldForm(self._lines, draft)
        self._title, self._status, self._help = SidesLine(id="title"), SidesLine(id="status"), SidesLine(id="help")
        self._timer: Timer | None = None

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
            self.run_worker(work(self.store.look_at, self.item_id), exclusive=True, group="look")
        self.draw_words()

    def on_resize(self) -> None:
        """More or fewer hints."""
        self.draw_words()

    async def on_unmount(self) -> None:
        """Write what is not written yet, for an application that is being quit."""
        if self._timer is not None:
            self._stop_timer()
            await self._write_draft()

    # Drafts

    @property
    def draft(self) -> ItemDraft:
        """What is being changed."""
        return self.form.draft

    @property
    def _draft_key(self) -> str:
        return f"edit:{self.item_id}" if self.item_id is not None else f"new:{self._item_type}"

    def _restored(self, draft: ItemDraft) -> str:
        kept = self.store.draft(self._draft_key)
        if not kept:
            return ""
        draft.restore(kept)
        at = kept.get("at")
        when = time.strftime(" from %d %b %H:%M", time.localtime(at)) if isinstance(at, int | float) else ""
        return f"Kept changes{when} restored; gu reverts a field." if draft else ""

    @on(FieldForm.Touched)
    def _touched(self) -> None:
        self._keep_soon()
        self._say("")

    def _keep_soon(self) -> None:
        self._stop_timer()
        self._timer = self.set_timer(SAVE_DELAY, self._keep)

    def _keep(self) -> None:
        self._timer = None
        self.app.run_worker(work(self._write_draft), group="drafts")

    async def _write_draft(self) -> None:
        if self.draft:
            await self.store.save_draft(self._draft_key, self.draft.content(time.time()))
        else:
            await self.store.discard_draft(self._draft_key)

    def _stop_timer(self) -> None:
        if self._timer is not None:
            self._timer.stop()
            self._timer = None

    async def _forget_draft(self) -> None:
        self._stop_timer()
        await self.store.discard_draft(self._draft_key)

    # The store

    def store_changed(self, gathered: Gathered) -> None:
        """Follow the store where nothing was touched here; say so where it was."""
        if self.item_id is None:
            self.form.redraw()
            return
        if self.item_id in gathered.renamed:
            before, self.item_id = self._draft_key, gathered.renamed[self.item_id]
            self.app.run_worker(work(self.store.discard_draft, before), group="drafts")
            self._keep_soon()
        item = self.store.item(self.item_id)
        if item is None:
            self._note = "This item is no longer there; what you changed is kept until you close."
        elif Subject.ITEMS in gathered and gathered.touches(Subject.ITEMS, self.item_id):
            self.draft.rebase(item.fields)
        self.form.redraw()
        self.draw_words()

    # Saving

    def do_editor_save(self, _count: int | None) -> None:
        """Save, after the input has taken the keys typed before."""
        (self.focused or self).call_later(self._save)

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
                await self._add(changes)
            else:
                await self.store.edit([self.item_id], changes)
        except BacklitError as error:
            self.draft.faults.update(error.errors)
            self._show_faults(str(error))
            return
        self.draft.saved(changes)
        if not self.draft:
            await self._forget_draft()
        self.form.redraw()
        self._say("Saved; it is sent as soon as the service can be reached.")
        if then:
            then()

    async def _add(self, changes: Mapping[str, object]) -> None:
        before = self._draft_key
        self.item_id = await self.store.add(self._item_type, {**self.draft.base, **changes})
        self._lines.is_new = False
        await self.store.discard_draft(before)
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
        if not self.form.leave():
            self._guarded(lambda: self.dismiss(None))

    def do_app_unwind(self, _count: int | None) -> None:
        """Esc does the same while a text has the focus."""
        self.do_editor_close(None)

    def do_app_backlog(self, _count: int | None) -> None:
        """Close and go to the backlog."""
        self._go("app.backlog")

    def do_app_iterations(self, _count: int | None) -> None:
        """Close and go to the iterations."""
        self._go("app.iterations")

    def do_app_areas(self, _count: int | None) -> None:
        """Close and go to the areas."""
        self._go("app.areas")

    def _go(self, command_id: str) -> None:
        app = self.chord_app

        def leave() -> None:
            self.dismiss(None)
            app.call_later(app.run_command, COMMAND_BY_ID[command_id])

        self._guarded(leave)

    def _guarded(self, leave: Callable[[], object]) -> None:
        self.form.leave()
        if not self.draft:
            self._stop_timer()
            self.app.run_worker(work(self._forget_draft), group="drafts")
            leave()
            return

        def answered(key: str | None) -> None:
            if key == "s":
                self._save(leave)
            elif key is not None:
                self._stop_timer()
                keep = self._write_draft if key == "k" else self._forget_draft
                self.app.run_worker(work(keep), group="drafts")
                leave()

        names = ", ".join(field.label for field in self._lines.fields(self.draft) if field.key in self.draft.touched)
        question = f"Not saved: {names}."
        self.app.push_screen(ConfirmDialog("Unsaved changes", question, ANSWERS, "stay here"), answered)

    # What changed

    def do_editor_difference(self, _count: int | None) -> None:
        """Show the changed fields as the service has them and as they are here."""
        self.form.leave()
        item = self.store.item(self.item_id) if self.item_id is not None else None
        theirs = item.base if item else {}
        shown = []
        for field in self._lines.fields(self.draft):
            before, after = theirs.get(field.key), self.draft.value(field.key)
            texts = [
                str(value or "") if field.kind is Kind.LONG_TEXT else self._lines.words.shown(field, value)
                for value in (before, after)
            ]
            texts[1] = self.draft.unread.get(field.key, texts[1])
            if texts[0] != texts[1]:
                shown.append(Difference(field.label, *texts))
        if not shown:
            raise CannotAct("Nothing differs from what the service has.")
        self.app.push_screen(DifferenceDialog("Changed against the service", shown))

    # Words

    def _say(self, sentence: str) -> None:
        self._note = sentence
        self.draw_words()

    @on(FieldForm.Moved)
    def _moved(self) -> None:
        self._say("")

    def draw_words(self) -> None:
        """Title, help and status."""
        self._title.say(self._left_title(), self._right_title())
        field = self.form.grid.field
        about = self._lines.help(field) if field else ""
        self._help.say([(f" {self._note}", "foreground")] if self._note else [(f" {about}", "muted")])
        hint_ids = HINTS if self.size.width >= ROOM_FOR_HINTS else FEW_HINTS
        self._status.say(self._left_status(), WHILE_TYPING if self.form.is_editing else hints(hint_ids))

    def _left_title(self) -> list[Part]:
        sign = (f"{type_sign(self._item_type)} {self._item_type}  ", type_colour(self._item_type))
        number = "new " if self.item_id is None or self.item_id < 0 else f"#{self.item_id} "
        return [(" backlit ", "accent"), (number, "muted"), sign, (str(self.draft.value("Name") or ""), "foreground")]

    def _right_title(self) -> list[Part]:
        item = self.store.item(self.item_id) if self.item_id is not None else None
        if item is None or item.last_modified_at is None or self.size.width < ROOM_FOR_AUTHOR:
            return []
        return [(f"  {item.last_modified_by}, {moment(item.last_modified_at)} ", "muted")]

    def _left_status(self) -> list[Part]:
        changes, faults = len(self.draft.touched), len(self.draft.faults)
        words: list[Part] = [(f" {changes} changed" if changes else " no changes", "accent" if changes else "muted")]
        if faults:
            words.append((f"  {faults} to put right", "conflict"))
        return words
