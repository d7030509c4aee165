"""The editor of one work item, made from the field table."""

import asyncio
from collections.abc import Mapping, Sequence
from functools import partial

from msgspec.structs import replace
from textual import on
from textual.app import ComposeResult

from backlit.model.amounts import counted
from backlit.model.errors import NotFound
from backlit.model.fields import FIELD_BY_KEY, Field, Kind
from backlit.store.records.changes import Subject
from backlit.store.records.item import Item, RowSign, number_of
from backlit.store.store import Store
from backlit.tui.commands.command import CannotAct
from backlit.tui.commands.table import key_of, with_keys
from backlit.tui.dialogs.dialog import AnswerKey, ConfirmDialog
from backlit.tui.drawing.themes import KEY
from backlit.tui.editor.field_form import FieldForm
from backlit.tui.editor.field_grid import EditorFields
from backlit.tui.editor.form_commands import edit_field
from backlit.tui.editor.item_draft import DraftAutosave, ItemDraft
from backlit.tui.editor.item_top import StatusStepper, status_steps
from backlit.tui.editor.saving import EditorNotice, save_draft
from backlit.tui.fields.field_edits import FieldEdit, field_named
from backlit.tui.items.item_head import COUNTED_SUBJECTS, TAB_COMMANDS, ItemHeader, last_change
from backlit.tui.items.item_screen import ItemScreen
from backlit.tui.items.preview import item_words
from backlit.tui.shell.status_text import status_words
from backlit.tui.shell.store_screen import ChangeBatch
from backlit.tui.shell.target import ItemDestination
from backlit.tui.shell.workers import work
from backlit.tui.widgets.footer_line import FooterLine, Hint
from backlit.tui.widgets.line_list import LineList
from backlit.tui.widgets.side_lines import RuleLine, TwoSidedLine, Word, length

CARRIED_OVER_FIELDS = ("AreaID", "IterationID", "TeamID", "ParentID")
"""Fields that the next new item takes over from the one before."""
LEAVING_ANSWERS = (AnswerKey("s", "save"), AnswerKey("k", "keep as a draft"), AnswerKey("d", "discard changes"))
HINTS = (
    *("editor.edit", "item.status", "item.description", "item.comment", "item.next-tab", "editor.fold", "editor.name"),
    *("editor.close", "app.help"),
)
HINTS_ON_CHANGES = ("editor.edit", "editor.save", "editor.close", "editor.revert", "editor.difference", "app.help")
HINTS_WHILE_TYPING: Sequence[Hint] = (("esc", "leave the field", ""), ("ctrl+s", "save", "editor.save"))
HINTS_IN_LONG_TEXT: Sequence[Hint | str] = (
    HINTS_WHILE_TYPING[1],
    "editor.look-in-text",
    "editor.outside",
    HINTS_WHILE_TYPING[0],
)
SIGN_NOTES: Mapping[RowSign, str] = {
    RowSign.REFUSED: "The server rejected a change of this item. [editor.conflict] to see why.",
    RowSign.CONFLICT: "Changed here and on the server. [editor.conflict] to resolve.",
}


class ItemEditorScreen(ItemScreen):
    """Edits an item, or a new one of a type with some fields preset; raises NotFound for an item that is gone.

    Its commands act on the form from the first key on, before anything is painted.
    """

    COMMAND_GROUPS = ("editor.form_commands", "editor.saving", *TAB_COMMANDS)
    AUTO_FOCUS = "FieldGrid"
    CSS_PATH = "../styles/editor.tcss"

    def __init__(
        self, store: Store, item_id: int | None = None, item_type: str = "", preset: Mapping[str, object] | None = None
    ) -> None:
        super().__init__(store, number_of(item_id))
        self.item_id = item_id
        item = store.item(item_id) if item_id is not None else None
        if item_id is not None and item is None:
            raise NotFound(f"Item #{item_id} no longer exists.")
        self.item_type = item.type if item else item_type
        draft = ItemDraft(item.fields if item else preset or {})
        self.autosave = DraftAutosave(self, store, f"edit:{item_id}" if item else f"new:{item_type}", draft)
        restored = self.autosave.restore()
        self.lines = EditorFields(store, self.item_type, is_new=item is None)
        self.form = FieldForm(self.lines, draft)
        self._note = EditorNotice(self.form, restored or (with_keys(SIGN_NOTES.get(item.sign, "")) if item else ""))
        self.is_saving = asyncio.Lock()
        self._edited_at: Mapping[str, object] = {}
        self._is_unsent = item is None
        self._head = ItemHeader(store, ItemDestination.EDITOR)
        self._rule = RuleLine("┴")
        self._help, self._footer = TwoSidedLine(id="help"), FooterLine(id="status")

    @property
    def draft(self) -> ItemDraft:
        return self.form.draft

    @property
    def has_unsaved_text(self) -> bool:
        return bool(self.draft)

    def compose(self) -> ComposeResult:
        yield self.title_line
        yield self._head.heading
        yield self._head.tabs
        yield self.form
        yield self._rule
        yield self._help
        yield self._footer

    def on_mount(self) -> None:
        """Have the item read anew; what is shown does not wait for it."""
        if self.item_id is not None:
            self.mark_seen(self.item_id)
            self.form.show_comments(self._head.read(self.item_id))
            self.run_worker(work(self.store.look_at, self.item_id), exclusive=True, group="look")
            if who := self.store.presence.words(self.item_id):
                self._note.say(f"{who}.")
        self.update_labels()

    def on_resize(self) -> None:
        """Have the rules meet the line between the panes, once these are placed."""
        self.call_after_refresh(self.update_labels)

    async def on_unmount(self) -> None:
        """Write what is not written yet, for an application that is being quit; what came meanwhile was seen."""
        self.mark_seen(self.item_id)
        if self.item_id is not None:
            self.store.presence.end(self.item_id)
        await self.autosave.flush()

    @on(FieldForm.Touched)
    def _touched(self) -> None:
        self.autosave.write_soon()
        self.tell("")

    @on(FieldForm.Moved)
    def _moved(self) -> None:
        self._note.moved()
        self.update_labels()

    @on(LineList.Chosen)
    def _double_clicked(self) -> None:
        if not self.lines.why_fixed(self.form.field):
            self.run_command("editor.edit")

    @on(StatusStepper.Chosen)
    def _step_clicked(self, message: StatusStepper.Chosen) -> None:
        message.stop()
        if not self.store.lookups.is_read_only:
            self.form.put(FIELD_BY_KEY["Status"], message.status)

    # The store

    def store_changed(self, changes: ChangeBatch) -> None:
        if self.item_id is None:
            self.form.redraw()
            return
        if self.item_id in changes.renamed:
            if self.item_id > 0:  # created again, after somebody had deleted it
                self._note.resume_save()
            self.item_id = changes.renamed[self.item_id]
            self.autosave.move(f"edit:{self.item_id}")
        item = self.store.item(self.item_id)
        if item is not None and item.type != self.item_type:
            self._open_as_converted()
            return
        if item is None:
            kept = (
                "Your changes are kept until you close the editor."
                if self.draft
                else f"{key_of('editor.close')} to go back."
            )
            self._note.say(f"This item no longer exists. {kept}")
        elif Subject.ITEMS in changes and changes.touches(Subject.ITEMS, self.item_id):
            # What the service presets is no news, nor is what an undo or a command of the user did.
            is_told = self.item_id > 0 and not self._is_unsent and item.id not in changes.acted_on
            self._is_unsent = self.item_id < 0
            author_of = partial(self.store.recent_edits.editor_of, item.id)
            self.draft.rebase(item.fields, self.form.open_key, is_told=is_told, author_of=author_of)
        is_counted = any(changes.touches(subject, self.item_id) for subject in COUNTED_SUBJECTS)
        if is_counted or Subject.ITEMS in changes:  # items below it have other ids
            self.form.show_comments(self._head.read(self.item_id))
            self.form.latest_frame.read_again()
        if item is not None:
            self._note.follow(self.store, item)
        self.form.redraw()
        self.update_labels()

    def _open_as_converted(self) -> None:
        """Open the item again where it was converted: its type has other fields."""
        item = self.store.item(self.item_id) if self.item_id is not None else None
        if item is not None and item.type != self.item_type and self.is_current:
            make = partial(ItemEditorScreen, self.store, item.id)
            app = self.app
            self.dismiss(None)
            app.call_later(lambda: app.push_screen(make()))

    # Leaving

    async def may_leave(self) -> bool:
        self.form.leave()
        if not self.draft:
            self.autosave.forget()
            return True
        names = ", ".join(field.label for field in self.lines.fields(self.draft) if field.key in self.draft.touched)
        key = await self.ask(ConfirmDialog("Unsaved changes", f"Not saved: {names}.", LEAVING_ANSWERS, "stay here"))
        if key == "s":
            return await save_draft(self)
        if key == "k":
            self.autosave.write()
        elif key == "d":
            self.autosave.forget()
        return key is not None

    @property
    def shown_place(self) -> tuple[int, ItemDestination, int | None] | None:
        return None if self.item_id is None else (self.item_id, ItemDestination.EDITOR, None)

    # Commands on the item change the draft

    def current(self) -> Item:
        """Return the open item as the store has it; raises CannotAct for one that was not saved yet."""
        if self.item_id is None:
            raise CannotAct(f"This item does not exist yet; {key_of('editor.save')} saves it.")
        item = self.store.item(self.item_id)
        if item is None:
            raise CannotAct(f"Item #{self.item_id} no longer exists.")
        return item

    def chosen(self, rows: int | None = None) -> list[Item]:  # noqa: ARG002 - there is one
        self.form.leave()
        nobody = Item(0, self.item_type, self.store.project_id or 0, {}, {}, "", None, "", None, RowSign.NONE)
        item = nobody if self.item_id is None else self.current()
        return [replace(item, fields={**item.fields, **self.draft.base, **self.draft.changes})]

    async def open_field(self, key: str) -> bool:
        self.form.grid.go_to(key)
        await edit_field(self)
        return True

    async def apply(self, act: FieldEdit, items: Sequence[Item]) -> None:
        """Fill the form; saving asks about changes that customers see."""
        plan = act.bulk_change(items, self.store.lookups)
        if not plan.changes:
            self.say(plan.why_nothing(), is_bad=not plan.already)
            return
        if act.is_repeatable:
            self.session.last_act = act
        for changes in plan.changes.values():
            for key, value in changes.items():
                self.form.put(field_named(key, self.store.lookups), value)
                if not act.is_repeatable:  # the text that was edited may be from a while ago
                    self.draft.made_from(self._edited_at, key)
                self.form.grid.go_to(key)
        self.form.changed()

    def edit_outside(self, text: str, suffix: str) -> str:
        self._edited_at = dict(self.draft.base)
        return super().edit_outside(text, suffix)

    # The next one

    def open_next(self) -> None:
        values = {key: self.draft.base.get(key) for key in CARRIED_OVER_FIELDS}
        preset = {key: value for key, value in values.items() if value is not None}
        app, following = self.app, partial(ItemEditorScreen, self.store, None, self.item_type, preset)

        def show() -> None:
            screen = following()
            app.push_screen(screen)
            screen.call_after_refresh(screen.open_field, "Name")

        self.dismiss(None)
        app.call_later(show)  # by the application, as a dismissed screen handles no more messages

    # Words

    def tell(self, sentence: str) -> None:
        self._note.say(sentence)
        self.update_labels()

    def follow_saved(self) -> None:
        self._note.begin_save()
        self.store_changed(ChangeBatch())

    def _tell_presence(self) -> None:
        """Tell others that the item is edited here: from the first change or open field to the last one."""
        if self.item_id is None:
            return
        if self.form.is_editing or self.draft:
            field = self.form.grid.field
            self.store.presence.begin(self.item_id, field.label if field is not None and self.form.is_editing else "")
        else:
            self.store.presence.end(self.item_id)

    def update_labels(self) -> None:
        self._tell_presence()
        item = self.store.item(self.item_id) if self.item_id is not None else None
        self.title_line.place = number_of(self.item_id)
        name = str(self.draft.value("Name") or "")
        self._head.say(item, self.item_type, name, changed_words(self.draft))
        self.form.latest_frame.show(item)
        steps = status_steps(self.store, self.item_type, str(self.draft.value("Status") or ""))
        self.form.texts.top.show(name, steps if item is not None else [])
        kind, edited = item_words(self.item_id or 0, self.item_type), last_change(item, self.store.now())
        self.form.texts_frame.say(kind if item is not None else kind[1:], edited)
        order = " newest first" if len(self._head.comments) > 1 else ""
        heading: list[Word] = [("Comments", "heading"), (order, "muted")]
        self.form.comments_frame.say(heading)
        for rule in (self._head.tabs, self._rule):
            rule.join_at(self.form.edge)
        field = self.form.grid.field
        self._tell_help(field, is_new=item is None)
        hints: Sequence[Hint | str] = HINTS_ON_CHANGES if self.draft or self.item_id is None else HINTS
        if not self.form.grid.has_fold:
            hints = [each for each in hints if each != "editor.fold"]
        if self.form.is_editing:
            hints = HINTS_IN_LONG_TEXT if field and field.kind is Kind.LONG_TEXT else HINTS_WHILE_TYPING
        labels = {"editor.edit": "show or hide"} if self.form.grid.is_at_fold else {}
        self._footer.show(hints, status_words(self.store), labels, is_reader=self.store.lookups.is_read_only)

    def _tell_help(self, field: Field | None, *, is_new: bool) -> None:
        """Say what the current field takes in the frame of the fields, or where there is none above the footer."""
        frame, note = self.form.grid_frame, self._note.sentence
        changed, is_framed = changed_words(self.draft), frame.is_wanted
        room = frame.head_room - length(changed) if is_framed else self.size.width
        about = self.lines.help(field, self.draft, room, is_open=self.form.is_editing) if field else []
        frame.say(self._head.tab_words(frame.head_room, is_new=is_new), (), about if is_framed else (), changed)
        self._help.say([(f" {note}", "foreground")] if note else about)
        self._help.display = bool(note) or not is_framed


def changed_words(draft: ItemDraft) -> list[Word]:
    """Return the number of changes with the key that saves them, and that of faults; nothing without either."""
    changes, faults, command = len(draft.touched), len(draft.faults), "editor.save"
    words: list[Word] = []
    if changes:
        words += [(f"  {counted(changes, 'change')} ", "pending"), (key_of(command), KEY, command), (" ", "muted")]
    if faults:
        words.append((f" {faults} to fix ", "conflict"))
    return words
