"""Long texts in the editor: as Markdown, and in the user's own editor."""

from textual import on

from backlit.model.fields import Kind
from backlit.tui.acting import CannotAct
from backlit.tui.external_editor import edit_text
from backlit.tui.kept_text import taken_back
from backlit.tui.screens.editor_saving import EditorSaving
from backlit.tui.widgets.field_form import FieldForm
from backlit.tui.widgets.text_view import TextView


class EditorTexts(EditorSaving):
    """An editor whose long texts can be looked at, and written outside."""

    _view: TextView | None = None

    # As Markdown

    def do_editor_look(self, _count: int | None) -> None:
        """Show the long text as Markdown, or no longer."""
        view = self._view
        if view is not None and view.display:
            view.display = False
        elif self.form.field.kind is Kind.LONG_TEXT:
            self._show_view()
        else:
            raise CannotAct("p shows a long text, such as the description, as Markdown.")
        self.call_after_refresh(self.form.grid.stay_in_sight)

    def do_editor_look_in_text(self, _count: int | None) -> None:
        """Leave the long text and show it as Markdown; again goes on writing."""
        if self._view is not None and self._view.display:
            self._view.display = False
            self.form.edit()
        elif self.form.field.kind is Kind.LONG_TEXT:
            self.in_order(self._look)
        elif not self.form.is_editing:
            raise CannotAct("ctrl+t shows a long text, such as the description, as Markdown.")

    def _look(self) -> None:
        self.form.leave()
        self._show_view()

    def _show_view(self) -> None:
        if self._view is None:
            self._view = TextView()
            self.form.mount(self._view)
        self._view.display = True
        self._draw_view()

    def _draw_view(self) -> None:
        field, view = self.form.grid.field, self._view
        if view is not None and view.display and field is not None and field.kind is Kind.LONG_TEXT:
            view.show(field.label, str(self.draft.value(field.key) or ""))

    @on(FieldForm.Moved)
    @on(FieldForm.Touched)
    def _follow(self) -> None:
        if self.form.is_editing and self._view is not None and self.form.field.kind is Kind.LONG_TEXT:
            self._view.display = False
        self._draw_view()

    # In the user's own editor

    def do_editor_outside(self, _count: int | None) -> None:
        """Open the long text outside; in a line the key goes to its end."""
        typing = self.form.grid.input
        if self.form.is_editing and self.focused is typing:
            typing.call_later(typing.action_end)
        elif self.form.field.kind is not Kind.LONG_TEXT:
            raise CannotAct("ctrl+e is for long texts; E opens the whole item.")
        elif (why := self.lines.why_fixed(self.form.field)) is not None:
            raise CannotAct(why)
        else:
            self.in_order(self._open_outside)

    def _open_outside(self) -> None:
        field = self.form.field
        self.form.leave()
        before = str(self.draft.value(field.key) or "")
        try:
            text = taken_back(before, edit_text(self.chord_app, before, ".md"))
        except CannotAct as reason:
            self.say(str(reason), is_bad=True)
            return
        if text != before:
            self.form.put(field, text)
