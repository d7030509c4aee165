"""Editing the current field of the form with what fits its kind."""

from backlit.model.fields import Field, Kind
from backlit.tui.commands.command import CannotAct
from backlit.tui.dialogs.palette import PickItemDialog
from backlit.tui.dialogs.pick import PickDialog, PickManyDialog
from backlit.tui.editor.target import EditorTarget
from backlit.tui.fields.choices import PICKED, choices_for, unknown_status


async def edit_field(target: EditorTarget) -> None:
    """Open the current field, or a picker for it; a yes or no is turned over. Raises CannotAct for a fixed field."""
    form = target.form
    field = form.field
    fixed = target.lines.why_fixed(field)
    if fixed:
        raise CannotAct(fixed)
    value = target.draft.value(field.key)
    if field.kind is Kind.BOOLEAN:
        form.put(field, value is not True)
    elif field.kind in PICKED:
        await _pick(target, field, value)
    elif field.kind is Kind.TAGS:
        await _pick_tags(target, field, value)
    elif field.kind is Kind.ITEM:
        await _pick_item(target, field)
    else:
        form.open()


async def _pick(target: EditorTarget, field: Field, value: object) -> None:
    store, item_type = target.store, target.item_type
    choices = choices_for(store, field, item_type, value)
    dialog = PickDialog(field.label, choices, value, free=store.lookups.is_free(field, item_type))
    with target.form.asking(field):
        choice = await target.ask(dialog)
    if choice is not None:
        target.form.put(field, choice.value)
        if warning := unknown_status(store, field, {item_type}, choice.value):
            target.say(warning, is_bad=True)


async def _pick_tags(target: EditorTarget, field: Field, value: object) -> None:
    present = [str(tag) for tag in value] if isinstance(value, list | tuple) else []
    with target.form.asking(field):
        tags = await target.ask(PickManyDialog(field.label, target.store.lookups.tags(), present, free=True))
    if tags is not None:
        target.form.put(field, list(tags))


async def _pick_item(target: EditorTarget, field: Field) -> None:
    with target.form.asking(field):
        item_id = await target.ask(PickItemDialog(target.store, field.label))
    if item_id is not None:
        target.form.put(field, item_id)
