"""Commands on the editor's form: moves, edits of a field, long texts, the difference, and closing."""

import asyncio
from collections.abc import Mapping
from typing import Protocol

from backlit.model.fields import Field, Kind
from backlit.tui.commands.command import CannotAct, CommandContext
from backlit.tui.dialogs.palette import PickItemDialog, item_search
from backlit.tui.dialogs.pick import PickDialog, PickManyDialog
from backlit.tui.dialogs.reading import DifferenceDialog, FieldDifference
from backlit.tui.editor.field_form import FieldForm
from backlit.tui.editor.field_grid import DESCRIPTION, EditorFields
from backlit.tui.editor.item_draft import DraftAutosave, ItemDraft
from backlit.tui.fields.choices import PICKED_KINDS, field_choices, likely_value, unknown_status
from backlit.tui.fields.values import taken_back
from backlit.tui.items.target import ItemTarget
from backlit.tui.shell.target import ItemDestination


class EditorCommandTarget(ItemTarget, Protocol):
    """A form over the draft of one item; `item_id` is None until a new item is saved."""

    item_id: int | None
    item_type: str
    form: FieldForm
    lines: EditorFields
    autosave: DraftAutosave
    is_saving: asyncio.Lock

    @property
    def draft(self) -> ItemDraft: ...

    def tell(self, sentence: str) -> None: ...

    def follow_saved(self) -> None: ...

    async def may_leave(self) -> bool:
        """Return whether the editor may be closed; asks about unsaved changes."""

    def dismiss(self, result: None = None) -> object: ...

    def open_next(self) -> None: ...


def step(target: EditorCommandTarget, call: CommandContext) -> None:
    target.form.grid.move_by(int(call.command.argument) * (call.count or 1))


async def edit(target: EditorCommandTarget, call: CommandContext) -> None:
    if call.command.argument:
        target.form.grid.go_to(call.command.argument)
    await edit_field(target)


def clear(target: EditorCommandTarget, _call: CommandContext) -> None:
    target.store.lookups.need_writer()
    target.form.clear()


def revert(target: EditorCommandTarget, _call: CommandContext) -> None:
    target.form.revert()


async def close(target: EditorCommandTarget, _call: CommandContext) -> None:
    """Leave the open field, else the editor; asks about unsaved changes."""
    if target.form.is_editing:
        target.form.leave()
    elif await target.may_leave():
        target.dismiss(None)


def refuse_project(_target: EditorCommandTarget, _call: CommandContext) -> None:
    raise CannotAct("The editor belongs to this project; q closes it first.")


def who_changed(target: EditorCommandTarget, _call: CommandContext) -> None:
    """Show the history of the current field."""
    field, item = target.form.field, target.current()
    target.form.leave()
    target.open(item.id, ItemDestination.HISTORY, field=field.key)


async def show_difference(target: EditorCommandTarget, _call: CommandContext) -> None:
    target.form.leave()
    item = target.store.item(target.item_id) if target.item_id is not None else None
    shown = differences(target.lines, target.draft, item.base if item else {})
    if not shown:
        raise CannotAct("Nothing differs from what the server has.")
    await target.ask(DifferenceDialog("Changed against the server", shown))


def differences(lines: EditorFields, draft: ItemDraft, theirs: Mapping[str, object]) -> list[FieldDifference]:
    def text(field: Field, value: object) -> str:
        return str(value or "") if field.kind is Kind.LONG_TEXT else lines.words.shown(field, value)

    found = []
    for field in lines.fields(draft):
        before = text(field, theirs.get(field.key))
        after = draft.unread.get(field.key) or text(field, draft.value(field.key))
        if before != after:
            found.append(FieldDifference(field.label, before, after))
    return found


# Editing a field with a picker or an input


async def edit_field(target: EditorCommandTarget) -> None:
    """Open the current field, or a picker for it; a yes or no is turned over. Raises CannotAct for a fixed field.

    On the fold, show or hide the other fields.
    """
    form = target.form
    if form.grid.is_at_fold:
        form.grid.toggle_fold()
        return
    target.store.lookups.need_writer()
    field = form.field
    fixed = target.lines.why_fixed(field)
    if fixed:
        raise CannotAct(fixed)
    value = target.draft.value(field.key)
    if field.kind is Kind.BOOLEAN:
        form.put(field, value is not True)
    elif field.kind in PICKED_KINDS:
        await _pick(target, field, value)
    elif field.kind is Kind.TAGS:
        await _pick_tags(target, field, value)
    elif field.kind is Kind.ITEM:
        await _pick_item(target, field)
    else:
        form.open()


async def _pick(target: EditorCommandTarget, field: Field, value: object) -> None:
    store, item_type = target.store, target.item_type
    choices = field_choices(store, field, item_type, value)
    start, is_free = likely_value(store, field, value), store.lookups.is_free(field, item_type)
    dialog = PickDialog(field.label, choices, value, start=start, free=is_free)
    with target.form.asking(field):
        choice = await target.ask(dialog)
    if choice is not None:
        target.form.put(field, choice.value)
        if warning := unknown_status(store, field, {item_type}, choice.value):
            target.say(warning, is_bad=True)


async def _pick_tags(target: EditorCommandTarget, field: Field, value: object) -> None:
    present = [str(tag) for tag in value] if isinstance(value, list | tuple) else []
    with target.form.asking(field):
        tags = await target.ask(PickManyDialog(field.label, target.store.lookups.tags(), present, free=True))
    if tags is not None:
        target.form.put(field, list(tags))


async def _pick_item(target: EditorCommandTarget, field: Field) -> None:
    with target.form.asking(field):
        item_id = await target.ask(PickItemDialog(field.label, item_search(target, is_for_parent=True)))
    if item_id is not None:
        target.form.put(field, item_id)


# Long texts


def toggle_fold(target: EditorCommandTarget, _call: CommandContext) -> None:
    target.form.grid.toggle_fold()


def toggle_texts(target: EditorCommandTarget, _call: CommandContext) -> None:
    target.form.show_texts(is_shown=not target.form.has_texts)
    target.form.call_after_refresh(target.tell, "")


def read_on(target: EditorCommandTarget, _call: CommandContext) -> None:
    """Show the next page of the long texts; after the last, the first."""
    if target.form.has_texts:
        target.form.texts.view.read_on()
    else:
        target.form.show_texts(is_shown=True)


async def toggle_markdown(target: EditorCommandTarget, _call: CommandContext) -> None:
    """Leave the long text and show it as Markdown; from there, go on editing it."""
    form = target.form
    is_open = form.is_editing
    if is_open:
        if form.field.kind is Kind.LONG_TEXT:
            form.leave()
        return
    _go_to_text(form)
    await edit_field(target)


def _go_to_text(form: FieldForm) -> None:
    field = form.grid.field
    if field is None or field.kind is not Kind.LONG_TEXT:
        form.grid.go_to(DESCRIPTION)


def edit_outside(target: EditorCommandTarget, _call: CommandContext) -> None:
    """Edit a long text, else the description, in the user's own editor; in an open line the key goes to its end."""
    target.store.lookups.need_writer()
    form = target.form
    if form.is_editing and form.field.kind is not Kind.LONG_TEXT:
        form.grid.input.action_end()
        return
    _go_to_text(form)
    field = form.field
    if (why := target.lines.why_fixed(field)) is not None:
        raise CannotAct(why)
    form.leave()
    before = str(target.draft.value(field.key) or "")
    text = taken_back(before, target.edit_outside(before, ".md"))
    if text != before:
        form.put(field, text)
