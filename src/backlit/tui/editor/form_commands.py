"""Commands on the editor's form: moves, edits of a field, the difference, and closing."""

from collections.abc import Mapping

from backlit.model.fields import Field, Kind
from backlit.tui.commands.command import Call, CannotAct
from backlit.tui.dialogs.difference import Difference, DifferenceDialog
from backlit.tui.editor.edit_field import edit_field
from backlit.tui.editor.field_lines import FieldLines
from backlit.tui.editor.item_draft import ItemDraft
from backlit.tui.editor.target import EditorTarget


def step(target: EditorTarget, call: Call) -> None:
    """Move by a field, in the direction of the command's argument."""
    target.form.grid.move_by(int(call.command.argument) * (call.count or 1))


async def edit(target: EditorTarget, _call: Call) -> None:
    """Edit the field."""
    await edit_field(target)


def clear(target: EditorTarget, _call: Call) -> None:
    """Empty the field."""
    target.form.clear()


def revert(target: EditorTarget, _call: Call) -> None:
    """Put the field back to its value in the store."""
    target.form.revert()


async def close(target: EditorTarget, _call: Call) -> None:
    """Leave the open field, else the editor; asks about unsaved changes."""
    if target.form.is_editing:
        target.form.leave()
    elif await target.may_leave():
        target.dismiss(None)


def refuse_project(_target: EditorTarget, _call: Call) -> None:
    """Refuse to switch the project while the editor is open."""
    raise CannotAct("The editor belongs to this project; q closes it first.")


async def show_difference(target: EditorTarget, _call: Call) -> None:
    """Show the changed fields as the service has them and as they are here."""
    target.form.leave()
    item = target.store.item(target.item_id) if target.item_id is not None else None
    shown = differences(target.lines, target.draft, item.base if item else {})
    if not shown:
        raise CannotAct("Nothing differs from what the service has.")
    await target.ask(DifferenceDialog("Changed against the service", shown))


def differences(lines: FieldLines, draft: ItemDraft, theirs: Mapping[str, object]) -> list[Difference]:
    """Return the fields whose value differs from the service's."""

    def text(field: Field, value: object) -> str:
        return str(value or "") if field.kind is Kind.LONG_TEXT else lines.words.shown(field, value)

    found = []
    for field in lines.fields(draft):
        before = text(field, theirs.get(field.key))
        after = draft.unread.get(field.key) or text(field, draft.value(field.key))
        if before != after:
            found.append(Difference(field.label, before, after))
    return found
