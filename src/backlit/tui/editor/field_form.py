"""The editor's form: the grid of fields, the input of a long text, and its preview."""

from collections.abc import Iterator
from contextlib import contextmanager

from textual import on
from textual.app import ComposeResult
from textual.containers import Container
from textual.message import Message
from textual.widgets import Input, TextArea

from backlit.model.errors import BadRequest
from backlit.model.fields import Field, Kind
from backlit.tui.commands.command import CannotAct
from backlit.tui.drawing.text import literal
from backlit.tui.editor.field_grid import FieldGrid, FieldLines
from backlit.tui.editor.item_draft import ItemDraft
from backlit.tui.fields.choices import can_be_empty
from backlit.tui.fields.dates import day_text, holds_days
from backlit.tui.fields.values import merged, read_text, typed_text
from backlit.tui.widgets.inputs import TextInput
from backlit.tui.widgets.line_list import LineList
from backlit.tui.widgets.text_view import TextView

_LEAVING_STEPS = {"enter": 0, "tab": 1, "shift+tab": -1, "down": 1, "up": -1}


class LongText(TextInput):
    """The input in the lower half of the editor; gives back byte for byte what was not touched."""

    def __init__(self) -> None:
        super().__init__(id="long-text")
        self._raw = ""
        self._loaded = ""

    def open(self, label: str, raw: str) -> None:
        """Show a text, from its beginning."""
        self._raw = raw
        self.load_text(raw)
        self._loaded = self.text
        self.border_title = literal(label)
        self.border_subtitle = literal("ctrl+t Markdown  ctrl+e $EDITOR  esc leaves")

    @property
    def edited(self) -> str:
        """The text with the edits."""
        if self.text == self._loaded:
            return self._raw
        return merged(self._raw, [self.document.get_line(row) for row in range(self.document.line_count)])


class FieldForm(Container):
    """Changes a draft, field by field; says so with `Touched`.

    A typed value goes into the draft at once and is checked when the field is left.
    """

    class Touched(Message):
        """The draft has changed."""

    class Moved(Message):
        """Another field is the current one."""

    def __init__(self, lines: FieldLines, draft: ItemDraft) -> None:
        super().__init__(id="form")
        self.draft = draft
        self.lines = lines
        self.grid = FieldGrid()
        self._asked = ""
        self._long: LongText | None = None
        self._edited: Field | None = None
        self._is_open = False
        self._opened: tuple[str, bool] = ("", False)
        self.redraw()

    def compose(self) -> ComposeResult:
        """Yield the grid; the input of long texts is mounted when one is edited."""
        yield self.grid

    @property
    def field(self) -> Field:
        """The current field."""
        field = self.grid.field
        if field is None:
            raise CannotAct("This item has no fields.")
        return field

    @property
    def is_editing(self) -> bool:
        """True while a field is open."""
        return self._is_open

    @property
    def open_key(self) -> str:
        """The key of the field that is being edited or picked for; empty where none is."""
        return self._edited.key if self._is_open and self._edited is not None else self._asked

    def redraw(self) -> None:
        """Show the draft as it is now."""
        self.grid.show(self.lines.lines(self.draft))

    # Editing

    def open(self) -> None:
        """Open the input of the current field."""
        field = self.field
        value = self.draft.value(field.key)
        if field.kind is Kind.LONG_TEXT:
            self._open_long(field, value)
            return
        text = self.draft.unread.get(field.key, typed_text(value))
        self._begin(field, text)
        self.grid.open_input(text)

    @contextmanager
    def asking(self, field: Field) -> Iterator[None]:
        """Count the field as open while a dialog asks for its value."""
        self._asked = field.key
        try:
            yield
        finally:
            self._asked = ""

    def _begin(self, field: Field, text: str) -> None:
        self._edited, self._is_open = field, True
        self._opened = (text, field.key in self.draft.touched)
        self.post_message(self.Moved())

    def clear(self) -> None:
        """Empty the current field."""
        field = self.field
        if self.lines.why_fixed(field) or not can_be_empty(field):
            raise CannotAct(self.lines.why_fixed(field) or f"{field.label} cannot be empty.")
        self.put(field, _EMPTY.get(field.kind))

    def revert(self) -> None:
        """Put the current field back to what the store has."""
        field = self.field
        if field.key not in self.draft.touched:
            raise CannotAct(f"{field.label} has not been changed.")
        self.draft.revert(field.key)
        self.changed()

    def leave(self) -> bool:
        """Close the open field and keep what was typed; False where none was open."""
        if not self._is_open or self._edited is None:
            return False
        field, self._is_open = self._edited, False
        if field.kind is Kind.LONG_TEXT:
            self._read_long()
            self._close_long()
        else:
            self._read_line()
            self._read_day(field)
            self.grid.close_input()
        self.draft.tidy()
        self.lines.check(field, self.draft)
        self.changed()
        return True

    def put(self, field: Field, value: object) -> None:
        """Give a field a value, as if it had been edited."""
        self.draft.set(field.key, value)
        self.draft.tidy()
        self.lines.check(field, self.draft)
        self.changed()

    def changed(self) -> None:
        """Show the draft, and say that it is another."""
        self.redraw()
        self.post_message(self.Touched())

    # One line

    @on(Input.Changed)
    def _line_changed(self, event: Input.Changed) -> None:
        event.stop()
        if self._edited is not None and self._edited.kind is not Kind.LONG_TEXT:
            self._read_line()
            self.changed()

    def _read_line(self) -> None:
        field, text = self._edited, self.grid.input.value
        if field is None:
            return
        if text == typed_text(self.draft.base.get(field.key)) or self._is_as_opened(text):
            self.draft.forget(field.key)
            return
        try:
            self.draft.set(field.key, read_text(field, text))
        except BadRequest:
            self.draft.set_unread(field.key, text)

    def _read_day(self, field: Field) -> None:
        """Replace a typed day, such as fri, by its date."""
        text = self.draft.changes.get(field.key)
        if isinstance(text, str) and text and holds_days(field, self.draft.base.get(field.key)):
            self.draft.set(field.key, day_text(text, self.lines.store.today()))

    def _is_as_opened(self, text: str) -> bool:
        """Return whether nothing was typed into a field that was not changed before: such a field follows the store."""
        opened, was_touched = self._opened
        return text == opened and not was_touched

    def press(self, key: str) -> bool:
        """Leave the input with enter, tab and the arrows; leave a long text with tab."""
        steps = _LEAVING_STEPS.get(key)
        if steps is None or not self._is_open or self._edited is None:
            return False
        if self._edited.kind is Kind.LONG_TEXT and "tab" not in key:
            return False
        self.leave()
        self.grid.move_by(steps)
        return True

    # Long texts

    def _open_long(self, field: Field, value: object) -> None:
        if self._long is None:
            self._long = LongText()
            self.mount(self._long)
        text = str(value or "")
        self._begin(field, text)
        self._long.display = True
        self._long.open(field.label, text)
        self.screen.set_focus(self._long)
        self.call_after_refresh(self.grid.stay_in_sight)

    def _close_long(self) -> None:
        if self._long is not None:
            self._long.display = False
        self.screen.set_focus(self.grid)

    @on(TextArea.Changed)
    def _long_changed(self, event: TextArea.Changed) -> None:
        event.stop()
        if self._edited is not None and self._edited.kind is Kind.LONG_TEXT:
            self._read_long()
            self.changed()

    def _read_long(self) -> None:
        if self._long is None or self._edited is None:
            return
        if self._is_as_opened(self._long.edited):
            self.draft.forget(self._edited.key)
        else:
            self.draft.set(self._edited.key, self._long.edited)

    # The grid's mouse and cursor

    @on(LineList.Highlighted)
    def _moved(self, event: LineList.Highlighted) -> None:
        event.stop()
        if self._is_open and self.field.key != self.open_key:
            self.leave()
        self.post_message(self.Moved())


class LongTextPreview:
    """The preview of the current long text as Markdown, below the grid."""

    def __init__(self, form: FieldForm) -> None:
        self._form = form
        self._view: TextView | None = None

    @property
    def is_shown(self) -> bool:
        """True while the preview is shown."""
        return self._view is not None and bool(self._view.display)

    def show(self) -> None:
        """Show the preview."""
        if self._view is None:
            self._view = TextView()
            self._form.mount(self._view)
        self._view.display = True
        self.follow()

    def hide(self) -> None:
        """Hide the preview."""
        if self._view is not None:
            self._view.display = False

    def follow(self) -> None:
        """Show the text of the field under the cursor; hide the preview while a long text is edited."""
        field, view = self._form.grid.field, self._view
        if view is None or field is None or field.kind is not Kind.LONG_TEXT:
            return
        if self._form.is_editing:
            self.hide()
        elif self.is_shown:
            view.show(field.label, str(self._form.draft.value(field.key) or ""))


_EMPTY: dict[Kind, object] = {Kind.TAGS: [], Kind.TEXT: "", Kind.LONG_TEXT: ""}
