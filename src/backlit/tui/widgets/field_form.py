"""The editor's form: the grid of fields, and what each kind of field is edited with."""

from textual import on
from textual.app import ComposeResult
from textual.message import Message
from textual.widgets import Input, TextArea

from backlit.model.errors import BadRequest
from backlit.model.fields import Field, Kind
from backlit.tui.acting import CannotAct
from backlit.tui.field_choices import PICKED, can_be_empty
from backlit.tui.field_lines import FieldLines
from backlit.tui.field_text import read_text, typed_text
from backlit.tui.item_draft import ItemDraft
from backlit.tui.typed_days import day_text, holds_days
from backlit.tui.widgets.field_grid import FieldGrid
from backlit.tui.widgets.field_picks import FieldPicks
from backlit.tui.widgets.line_list import LineList
from backlit.tui.widgets.long_text import LongText

_LEAVING_STEPS = {"enter": 0, "tab": 1, "shift+tab": -1, "down": 1, "up": -1}


class FieldForm(FieldPicks):
    """Changes a draft, field by field; says so with `Touched`.

    What is typed goes into the draft at once; whether it is right is checked when the field is left.
    """

    class Touched(Message):
        """The draft is another."""

    class Moved(Message):
        """Another field is the current one."""

    def __init__(self, lines: FieldLines, draft: ItemDraft) -> None:
        super().__init__(lines, draft)
        self.grid = FieldGrid()
        self._long: LongText | None = None
        self._edited: Field | None = None
        self._is_open = False
        self._opened: tuple[str, bool] = ("", False)
        self.redraw()

    def compose(self) -> ComposeResult:
        """The grid; long texts get their place when they are edited."""
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
        """Whether a field is open."""
        return self._is_open

    @property
    def open_key(self) -> str:
        """The key of the field that is being edited or picked for; empty where none is."""
        return self._edited.key if self._is_open and self._edited is not None else self.asked

    def redraw(self) -> None:
        """Show the draft as it is now."""
        self.grid.show(self.lines.lines(self.draft))

    # Editing

    def edit(self) -> None:
        """Open the current field with what fits its kind; a yes or no turns over at once."""
        field = self.field
        fixed = self.lines.why_fixed(field)
        if fixed:
            raise CannotAct(fixed)
        value = self.draft.value(field.key)
        if field.kind in PICKED:
            self.pick(field, value)
        elif field.kind is Kind.TAGS:
            self.pick_tags(field, value)
        elif field.kind is Kind.ITEM:
            self.pick_item(field)
        elif field.kind is Kind.BOOLEAN:
            self.put(field, value is not True)
        elif field.kind is Kind.LONG_TEXT:
            self._open_long(field, value)
        else:
            text = self.draft.unread.get(field.key, typed_text(value))
            self._begin(field, text)
            self.grid.open_input(text)

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
        self.judge(field)
        self.changed()
        return True

    def put(self, field: Field, value: object) -> None:
        """Give a field a value, as if it had been edited."""
        self.draft.set(field.key, value)
        self.draft.tidy()
        self.judge(field)
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
        """Words for a day become the day when the field is left."""
        text = self.draft.changes.get(field.key)
        if isinstance(text, str) and text and holds_days(field, self.draft.base.get(field.key)):
            self.draft.set(field.key, day_text(text, self.lines.store.today()))

    def _is_as_opened(self, text: str) -> bool:
        """Whether nothing was typed into a field that was not changed before: then it follows the store."""
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
        self.grid.step(steps)
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

    @on(LineList.Chosen)
    def _double_clicked(self, event: LineList.Chosen) -> None:
        event.stop()
        if not self.lines.why_fixed(self.field):
            self.edit()


_EMPTY: dict[Kind, object] = {Kind.TAGS: [], Kind.TEXT: "", Kind.LONG_TEXT: ""}
