"""The editor's form: the long texts, and the grid of the other fields beside them."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from textual import events, on
from textual.app import ComposeResult
from textual.containers import Container, Vertical
from textual.message import Message
from textual.widgets import Input, TextArea

from backlit.model.errors import BadRequest
from backlit.model.field_values import day_text, holds_days, read_text, typed_text
from backlit.model.fields import Field, Kind
from backlit.store.views.items import CommentEntry
from backlit.tui.commands.command import CannotAct
from backlit.tui.drawing.text import Line
from backlit.tui.drawing.themes import ThemeStyles
from backlit.tui.editor.field_grid import EditorFields, FieldGrid
from backlit.tui.editor.item_draft import ItemDraft
from backlit.tui.editor.item_texts import LongTextPane, begins_comment, writing_line
from backlit.tui.fields.choices import can_be_empty
from backlit.tui.fields.values import is_replaced
from backlit.tui.items.latest_changes import LatestChangesFrame
from backlit.tui.items.preview import CommentsPreview, author_colours
from backlit.tui.widgets.line_list import LineList
from backlit.tui.widgets.pane_frame import FRAME_LINES, PaneFrame
from backlit.tui.widgets.side_lines import TwoSidedLine

MIN_WIDTH_BESIDE = 80
"""Columns from which the texts are beside the grid."""
MIN_WIDTH_OF_THREE_PANES = 160
"""Columns from which the comments have a pane of their own; in a narrower form they are below the texts."""
MIN_HEIGHT_WITH_BLANK = 30
"""Lines from which a blank stands below the head of each frame."""
MIN_LINES_OF_COMMENTS = 9
"""Lines below the texts from which the comments have a pane there."""
TEXTS_FRAME = 2
"""Cells beside texts above the grid."""
STEPPER_LINES = 1
_LEAVING_STEPS = {"enter": 0, "tab": 1, "shift+tab": -1, "down": 1, "up": -1}


class EditorThread(CommentsPreview):
    """The comments beside the fields; their tab has all of them, and its keys."""

    MORE_KEY = ""
    can_write = True

    def lines_for(self, width: int, theme: ThemeStyles) -> Sequence[Line]:
        lines = super().lines_for(width, theme)
        return [writing_line(width, theme), [], *lines] if self.can_write else lines

    def on_click(self, event: events.Click) -> None:
        if begins_comment(event):
            self.post_message(TwoSidedLine.Asked("item.comment"))


class FieldForm(Container):
    """Changes a draft, field by field; says so with `Touched`.

    A typed value goes into the draft at once and is checked when the field is left.
    """

    class Touched(Message):
        """The draft has changed."""

    class Moved(Message):
        """Another field is the current one."""

    def __init__(self, lines: EditorFields, draft: ItemDraft) -> None:
        super().__init__(id="form")
        self.draft = draft
        self.lines = lines
        self.grid = FieldGrid()
        self.texts = LongTextPane(lines.store.now, lines.store.lookups.mentionable)
        self._thread = EditorThread()
        self._comments: Sequence[CommentEntry] = ()
        self.texts_frame = PaneFrame(self.texts, self.texts.view, id="texts-frame")
        self.grid_frame = PaneFrame(self.grid, id="grid-frame")
        self.comments_frame = PaneFrame(self._thread, id="comments-frame")
        self.latest_frame = LatestChangesFrame(lines.store)
        self._texts_side = Vertical(id="texts-side")
        self._lines_below = 0
        """The lines beside the latest changes, which the comments may have."""
        self._asked = ""
        self._edited: Field | None = None
        self._is_open = False
        self._opened: tuple[str, bool] = ("", False)
        self.redraw()

    def compose(self) -> ComposeResult:
        with self._texts_side:
            yield self.texts_frame
            yield self.comments_frame
        with Vertical(id="fields-side"):
            yield self.grid_frame
            yield self.latest_frame

    def on_resize(self, event: events.Resize) -> None:
        self.set_class(event.size.width < MIN_WIDTH_BESIDE, "-stacked")
        self.set_class(event.size.width >= MIN_WIDTH_OF_THREE_PANES and not self.lines.is_new, "-three")
        self.set_class(event.size.height >= MIN_HEIGHT_WITH_BLANK, "-tall")
        self._share()
        self.share_fields()

    @on(FieldGrid.Arranged)
    def share_fields(self) -> None:
        """Give the fields the lines that they need where the latest changes of the item have room below them."""
        is_framed = self.grid_frame.is_wanted and not self.has_class("-stacked")
        gaps = FRAME_LINES + self.grid.styles.padding.height
        room = self.size.height - gaps if is_framed and not self.lines.is_new else 0
        if room != self.grid.room:
            self.grid.room = room
            self.redraw()
        lines = self.grid.row_count()
        self.latest_frame.display = bool(room) and lines + LatestChangesFrame.LEAST_LINES <= room
        self.grid_frame.styles.height = lines + gaps if self.latest_frame.display else "1fr"
        if not self.grid.is_unfolded:  # the texts stay where they are while all fields are shown
            self._lines_below = room - lines if self.latest_frame.display else 0
        self._place_comments()

    def _place_comments(self) -> None:
        """Put comments beside the texts, below them at the height of the latest changes, or in one view with them."""
        is_beside = self.has_class("-three")
        has_room = self._lines_below >= MIN_LINES_OF_COMMENTS and not self.has_class("-writing")
        is_below = has_room and bool(self._comments)
        self.comments_frame.styles.height = "100%" if is_beside else self._lines_below
        if self.comments_frame.display is not (is_beside or is_below):
            self.comments_frame.display = is_beside or is_below
            self._show_comments()

    def _share(self) -> None:
        """Give texts above the grid the lines they need, at most half of them; a text that is edited gets the half."""
        if not self.has_class("-stacked"):
            self.texts_frame.styles.height = "1fr"
            return
        half = self.size.height // 2
        is_edited = self.is_editing and not self.texts.view.display
        needed = half if is_edited else self.texts.view.height_at(self.size.width - TEXTS_FRAME) + 1 + STEPPER_LINES
        self.texts_frame.styles.height = min(half, needed)

    @property
    def field(self) -> Field:
        field = self.grid.field
        if field is None:
            raise CannotAct("There is no field here. enter shows the other fields.")
        return field

    @property
    def is_editing(self) -> bool:
        return self._is_open

    @property
    def open_key(self) -> str:
        """The key of the field that is being edited or picked for; empty where none is."""
        return self._edited.key if self._is_open and self._edited is not None else self._asked

    @property
    def edge(self) -> int | None:
        """The column of the line between the texts and the grid; None where they are not side by side."""
        is_beside = self.has_texts and not self.has_class("-stacked")
        return self.texts.region.right - 1 if is_beside else None

    def redraw(self) -> None:
        self.grid.show(self.lines.lines(self.draft, has_top=self.has_texts))
        if self.size.height:
            self.share_fields()  # at once: what is below a field is seen in the same frame
        if self.texts.view.show(self.lines.texts(self.draft)) and self.size.height:
            self._share()

    def show_comments(self, comments: Sequence[CommentEntry]) -> None:
        """Show comments in a pane of their own, where there is room for one, else below the texts."""
        self._comments = comments
        self._place_comments()
        self._show_comments()

    def _show_comments(self) -> None:
        store, comments, has_pane = self.lines.store, self._comments, self.comments_frame.display
        self.texts.view.colours = author_colours(store.lookups.known_people())
        self._thread.can_write = not store.lookups.is_read_only
        self.texts.view.can_write = self._thread.can_write and not has_pane and not self.lines.is_new
        if has_pane:
            self._thread.show(comments, store.now(), self.texts.view.colours)
        if self.texts.view.show(comments=() if has_pane else comments) and self.size.height:
            self._share()

    # Editing

    def open(self) -> None:
        field = self.field
        value = self.draft.value(field.key)
        if field.kind is Kind.LONG_TEXT:
            self._open_long(field, value)
            return
        text = self.draft.unread.get(field.key, typed_text(value))
        self._begin(field, text)
        self.grid.open_input(text, is_replaced=is_replaced(field, value))

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
        field = self.field
        if self.lines.why_fixed(field) or not can_be_empty(field):
            raise CannotAct(self.lines.why_fixed(field) or f"{field.label} cannot be empty.")
        self.put(field, _EMPTY.get(field.kind))

    def revert(self) -> None:
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
        self.draft.set(field.key, value)
        self.draft.tidy()
        self.lines.check(field, self.draft)
        self.changed()

    def changed(self) -> None:
        self.redraw()
        self.post_message(self.Touched())

    # One line

    @on(Input.Changed)
    def _line_changed(self, event: Input.Changed) -> None:
        event.stop()
        # A field that was left since is read and checked already: reading it again would forget its fault.
        if self._is_open and self._edited is not None and self._edited.kind is not Kind.LONG_TEXT:
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
            self.draft.set(field.key, read_text(field, text, self.lines.store.today()))
        except BadRequest:
            self.draft.set_unread(field.key, text)

    def _read_day(self, field: Field) -> None:
        text = self.draft.changes.get(field.key)
        if isinstance(text, str) and text and holds_days(field, self.draft.base.get(field.key)):
            self.draft.set(field.key, day_text(text, self.lines.store.today()))

    def _is_as_opened(self, text: str) -> bool:
        """Return whether nothing was typed into a field that was not changed before: such a field follows the store."""
        opened, was_touched = self._opened
        return text == opened and not was_touched

    def press(self, key: str) -> bool:
        steps = _LEAVING_STEPS.get(key)
        if steps is None or not self._is_open or self._edited is None:
            return False
        if self._edited.kind is Kind.LONG_TEXT and "tab" not in key:
            return False
        self.leave()
        self.grid.move_by(steps)
        return True

    # Long texts

    @property
    def has_texts(self) -> bool:
        return self._texts_side.display

    def show_texts(self, *, is_shown: bool) -> None:
        self._texts_side.display = is_shown
        self.set_class(not is_shown, "-alone")
        self.redraw()
        self.grid.scroll_cursor_to(self.grid.cursor)  # the fields that stood above the texts are the first ones

    def _open_long(self, field: Field, value: object) -> None:
        self.show_texts(is_shown=True)
        text = str(value or "")
        self._begin(field, text)
        self.add_class("-writing")
        self._place_comments()
        self.texts.open_input(field.label, text)
        self._share()
        self.call_after_refresh(lambda: self.grid.move_to(self.grid.cursor))  # the grid is lower now

    def _close_long(self) -> None:
        self.remove_class("-writing")
        self._place_comments()
        self.texts.close_input()
        self._share()
        self.screen.set_focus(self.grid)

    @on(TextArea.Changed)
    def _long_changed(self, event: TextArea.Changed) -> None:
        event.stop()
        if self._edited is not None and self._edited.kind is Kind.LONG_TEXT:
            self._read_long()
            self.changed()

    def _read_long(self) -> None:
        text = self.texts.edited
        if text is None or self._edited is None:
            return
        if self._is_as_opened(text):
            self.draft.forget(self._edited.key)
        else:
            self.draft.set(self._edited.key, text)

    # The grid's mouse and cursor

    @on(LineList.Highlighted)
    def _moved(self, event: LineList.Highlighted) -> None:
        event.stop()
        field = self.grid.field
        if self._is_open and (field is None or field.key != self.open_key):
            self.leave()
        if field is not None and field.kind is Kind.LONG_TEXT:
            self.texts.view.go_to(field.key)
        self.post_message(self.Moved())


_EMPTY: dict[Kind, object] = {Kind.TAGS: [], Kind.TEXT: "", Kind.LONG_TEXT: ""}
