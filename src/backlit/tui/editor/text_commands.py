"""Commands on a long text in the editor: its preview as Markdown, and the user's own editor."""

from backlit.model.fields import Kind
from backlit.tui.commands.command import Call, CannotAct
from backlit.tui.editor.edit_field import edit_field
from backlit.tui.editor.target import EditorTarget
from backlit.tui.fields.line_endings import taken_back


def toggle_preview(target: EditorTarget, _call: Call) -> None:
    """Show the long text as Markdown, or hide it."""
    form = target.form
    if target.preview.is_shown:
        target.preview.hide()
    elif form.field.kind is Kind.LONG_TEXT:
        target.preview.show()
    else:
        raise CannotAct("p shows a long text, such as the description, as Markdown.")
    form.call_after_refresh(form.grid.stay_in_sight)


async def toggle_preview_in_text(target: EditorTarget, _call: Call) -> None:
    """Leave the long text and show it as Markdown; from there, go on editing it."""
    form = target.form
    if target.preview.is_shown:
        target.preview.hide()
        await edit_field(target)
    elif form.field.kind is Kind.LONG_TEXT:
        form.leave()
        target.preview.show()
    elif not form.is_editing:
        raise CannotAct("ctrl+t shows a long text, such as the description, as Markdown.")


def edit_outside(target: EditorTarget, _call: Call) -> None:
    """Edit the long text in the user's own editor; in an open line the key goes to the line's end."""
    form = target.form
    field = form.field
    if form.is_editing and field.kind is not Kind.LONG_TEXT:
        form.grid.input.action_end()
        return
    if field.kind is not Kind.LONG_TEXT:
        raise CannotAct("ctrl+e is for long texts; E opens the whole item.")
    if (why := target.lines.why_fixed(field)) is not None:
        raise CannotAct(why)
    form.leave()
    before = str(target.draft.value(field.key) or "")
    text = taken_back(before, target.edit_outside(before, ".md"))
    if text != before:
        form.put(field, text)
