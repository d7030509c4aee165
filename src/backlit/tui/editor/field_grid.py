"""The fields of an item, one to a line, drawn by one widget; the input of the one being edited lies over its value."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from itertools import groupby

from msgspec.structs import replace
from rich.cells import cell_len
from rich.segment import Segment
from textual.app import ComposeResult
from textual.message import Message
from textual.strip import Strip

from backlit.model.dates import NAMED_DAY_FORMS
from backlit.model.errors import BadRequest
from backlit.model.field_values import NOTHING, holds_days, read_text, value_word
from backlit.model.fields import SYNC_KEYS, Field, Kind, Section, Settable, fields_of
from backlit.store.edits.checks import ON_ADD, ON_EDIT, check
from backlit.store.records.item import is_seen_by_customers
from backlit.store.store import Store
from backlit.tui.commands.command import CannotAct
from backlit.tui.commands.table import key_of, with_keys
from backlit.tui.drawing.text import fit, safe
from backlit.tui.drawing.themes import ThemeStyles, status_colour, status_sign
from backlit.tui.editor.fold import FieldFold, GridLine
from backlit.tui.editor.item_draft import ItemDraft
from backlit.tui.editor.item_texts import ItemText
from backlit.tui.fields.choices import field_choices
from backlit.tui.fields.dates import DAY_HELP as DAYS_HELP
from backlit.tui.fields.values import ScreenFieldWords
from backlit.tui.widgets.inputs import LineInput
from backlit.tui.widgets.line_list import LineList
from backlit.tui.widgets.side_lines import HEADING, Part

LEAD = 2
"""Cells before the label: the cursor bar, and the sign."""
GAP = 2
LEAST_LABEL, WIDEST_LABEL, LEAST_VALUE = 10, 20, 17


# One list of lines, and an input where one is edited: 49 fields as widgets were 148 of them, and took 243 to 364 ms to
# open.
class FieldGrid(LineList):
    """Moves from field to field; headings and notes are skipped."""

    class Arranged(Message):
        """The grid has another number of lines."""

    def __init__(self) -> None:
        super().__init__(id="fields")
        self.input = LineInput()
        self.room = 0
        """The lines that there is room for, where a frame is only as high as the lines in it."""
        self._fold = FieldFold()
        self._lines: Sequence[GridLine] = ()

    def compose(self) -> ComposeResult:
        self.input.display = False
        yield self.input

    # Lines

    @property
    def field(self) -> Field | None:
        return self._lines[self.cursor].field if self.cursor < len(self._lines) else None

    def show(self, lines: Sequence[GridLine]) -> None:
        self._fold.show(lines)
        self._arrange()

    @property
    def is_at_fold(self) -> bool:
        return self.cursor < len(self._lines) and self._lines[self.cursor].is_fold

    @property
    def has_fold(self) -> bool:
        return any(line.is_fold for line in self._lines)

    @property
    def is_unfolded(self) -> bool:
        return self._fold.is_open

    def toggle_fold(self) -> None:
        """Show or hide the other fields; the cursor leaves those that go. Raises CannotAct where all have room."""
        fold = next((index for index, line in enumerate(self._lines) if line.is_fold), None)
        if fold is None:
            raise CannotAct("All fields are shown.")
        if self._fold.is_open:
            self.move_to(fold)
        self._fold.is_open = not self._fold.is_open
        self._arrange()

    def _arrange(self, wanted: str = "") -> None:
        """Lay the lines out for the size, the fold, and a field that is to be in sight, by default the current one."""
        before, current = self._lines, self.field
        key = current.key if current else ""
        lines = self._fold.lay_out(self.size.width - LEAD - 1, self.room or self.size.height, wanted or key)
        was_at_fold, self._lines = self.is_at_fold, lines
        if len(before) == len(lines):
            for index, (old, new) in enumerate(zip(before, lines, strict=True)):
                # The input covers a change of its line's text; closing it paints the line.
                is_open = self.input.display and index == self.cursor
                if old != new and not (is_open and replace(old, text=new.text, colour=new.colour) == new):
                    self.refresh_row(index)
            return
        is_opened = was_at_fold and self._fold.is_open  # the first of the other fields is where the fold was
        at = next(
            (
                index
                for index, line in enumerate(lines)
                if (line.is_fold and was_at_fold)
                or (line.field and (line.field.key == key or (is_opened and index >= self.cursor)))
            ),
            self._first,
        )
        self.rows_replaced(at)
        self._place_input()
        self.post_message(self.Arranged())

    def go_to(self, key: str) -> None:
        """Put the cursor on a field; opens the fold for one below it."""
        self._fold.reveal(key)
        self._arrange(key)
        for index, line in enumerate(self._lines):
            if line.field is not None and line.field.key == key:
                self.move_to(index)

    def move_by(self, rows: int) -> None:
        """Move by a number of fields, as far as there are any; headings and notes do not count."""
        places = self._places
        if places:
            here = places.index(self.cursor) if self.cursor in places else 0
            self.move_to(places[max(0, min(here + rows, len(places) - 1))])

    def page_by(self, step: float, count: int) -> None:
        """Move by pages, with as many fields to a page as there are lines."""
        self.move_by(int(step * count * self.page))

    def move_to(self, index: int) -> None:
        super().move_to(max((place for place in self._places if place <= index), default=self._first))
        if self._fold.revealed and (self.field is None or self.field.key != self._fold.revealed):
            self._fold.revealed = ""
            self._arrange()

    @property
    def _places(self) -> list[int]:
        return [index for index, line in enumerate(self._lines) if line.field is not None or line.is_fold]

    @property
    def _first(self) -> int:
        return next(iter(self._places), 0)

    # The input

    def open_input(self, text: str, *, is_replaced: bool) -> None:
        """Lay the input over the value of the current field, and give it the keys at once.

        With `is_replaced` the text is selected, so that what is typed takes its place.
        """
        self.input.value = text
        self.input.cursor_position = len(text)
        if is_replaced:
            self.input.select_all()
        self.input.display = True
        self._place_input()
        self.screen.set_focus(self.input)

    def close_input(self) -> None:
        if self.input.display:
            self.input.display = False
            self.refresh_row(self.cursor)
            self.screen.set_focus(self)

    def _place_input(self) -> None:
        if self.input.display:
            left = LEAD + self._label_width + GAP
            self.input.styles.offset = (left, self.cursor - self.top)
            self.input.styles.width = max(4, self.size.width - left)

    def on_resize(self) -> None:
        self._arrange()
        super().on_resize()
        self._place_input()

    # Drawing

    @property
    def _label_width(self) -> int:
        most = max(LEAST_LABEL, min(WIDEST_LABEL, self.size.width - LEAD - GAP - 1 - LEAST_VALUE))
        return min(most, max((len(line.field.label) for line in self._lines if line.field), default=0))

    def row_count(self) -> int:
        return len(self._lines)

    def render_row(self, index: int, *, is_cursor: bool) -> Strip:
        theme, line, width = ThemeStyles.of(self.app), self._lines[index], self.size.width
        if line.is_heading:
            text = safe(f"{' ' * LEAD}{line.text} ")
            rule = "─" * max(0, width - cell_len(text) - 1) + " "
            return Strip([Segment(text, theme.heading()), Segment(rule, theme.style("rule"))])
        if line.field is None:
            note = fit(line.text, max(0, width - LEAD - 1)), "foreground" if is_cursor else line.colour
            return self.draw_parts([(" " * (LEAD - 1), "muted"), note], is_cursor=is_cursor)
        label = fit(line.field.label, self._label_width) + " " * GAP
        value = _fitted(line.field, line.text, max(0, width - LEAD - cell_len(label) - 1))
        label_colour, colour = ("foreground" if is_cursor else each for each in ("muted", line.colour))
        parts = (line.sign, line.sign_colour), (label, label_colour), (value, colour)
        return self.draw_parts(parts, is_cursor=is_cursor)


def _fitted(field: Field, text: str, room: int) -> str:
    """Return a value in its room: of tags the first ones and the number of others, of a path its end."""
    if cell_len(safe(text)) <= room:
        return fit(text, room)
    if field.kind in _TREES:
        places = text.split(" › ")
        ends = (" › ".join(["…", *places[at:]]) for at in range(1, len(places)))
        return fit(next((end for end in ends if cell_len(safe(end)) <= room), f"… › {places[-1]}"), room)
    if field.kind is Kind.TAGS:
        tags = text.split(", ")
        heads = (f"{', '.join(tags[:shown])} +{len(tags) - shown}" for shown in range(len(tags) - 1, 0, -1))
        return fit(next((head for head in heads if cell_len(safe(head)) <= room), text), room)
    return fit(text, room)


class EditorFields:
    """Says what stands in the line of a field; `is_new` for an item that does not exist yet."""

    def __init__(self, store: Store, item_type: str, *, is_new: bool) -> None:
        self.store = store
        self.item_type = item_type
        self.is_new = is_new
        self.words = ScreenFieldWords(store)

    @property
    def settable(self) -> frozenset[Settable]:
        return ON_ADD if self.is_new else ON_EDIT

    def fields(self, draft: ItemDraft) -> list[Field]:
        """Return the fields of the type; those of an external tracker only where the item has them."""
        every = fields_of(self.item_type, self.store.lookups.custom_fields())
        shown = [field for field in every if not self.is_new or field.settable in ON_ADD]
        shown = [field for field in shown if field.key not in SYNC_KEYS or field.key in draft.base]
        order = list(Section)
        tail = {field.key: len(MAIN_FIELDS) + order.index(field.section) for field in shown}
        return sorted(shown, key=lambda field: MAIN_FIELDS.get(field.key, tail[field.key]))

    def texts(self, draft: ItemDraft) -> list[ItemText]:
        """Return the long texts: the description, and the others that are not empty."""
        found = []
        for field in self.fields(draft):
            text = str(draft.value(field.key) or "")
            empty_words = f"No description. {key_of('item.description')} to write one."
            if field.kind is Kind.LONG_TEXT and (text or field.key == DESCRIPTION):
                found.append(ItemText(field.key, field.label, text, empty_words))
        return found

    def why_fixed(self, field: Field) -> str | None:
        if field.settable in self.settable:
            return None
        if field.settable is Settable.NEVER:
            return f"{field.label} is worked out by the server."
        return f"{field.label} cannot be changed once the item exists."

    def check_all(self, draft: ItemDraft) -> None:
        """Note every fault of the draft, also in values that were restored or that are missing."""
        for field in self.fields(draft):
            self.check(field, draft)
            if field.required and not draft.value(field.key) and field.key not in draft.unread:
                draft.faults.setdefault(field.key, f"{field.label} is required.")

    def check(self, field: Field, draft: ItemDraft) -> None:
        key = field.key
        if key not in draft.touched:
            return
        try:
            if key in draft.unread:
                read_text(field, draft.unread[key], self.store.today())
            else:
                check(self.item_type, {key: draft.changes[key]}, self.store.lookups, self.settable)
        except BadRequest as error:
            draft.faults[key] = error.errors.get(key) or str(error)

    def help(self, field: Field, draft: ItemDraft, width: int, *, is_open: bool) -> list[Part]:
        """Return a line about a field: its values, or what to type into an open one.

        Its value before somebody else changed it comes first.
        """
        fixed = self.why_fixed(field)
        if field.kind in KINDS_WITH_LISTED_VALUES and not fixed and field.key not in draft.arrived:
            values = self._values(field, draft, width - 1)
            if values:
                return values
        about = self._about(field, draft, fixed, is_open=is_open)
        return [(f" {about}", "muted")] if about else []

    def _values(self, field: Field, draft: ItemDraft, room: int) -> list[Part]:
        """Return the values of a field that fit, the present one bold with its sign, and the number of the others."""
        value = draft.value(field.key)
        choices = [each for each in field_choices(self.store, field, self.item_type, value) if each.value is not None]
        texts = [self._signed(field, value, each.label) if each.value == value else each.label for each in choices]
        shown = len(texts)
        while shown > 1 and cell_len(" · ".join(texts[:shown]) + _more(len(texts) - shown)) > room:
            shown -= 1
        parts: list[Part] = []
        for choice, text in list(zip(choices, texts, strict=True))[:shown]:
            parts += [(" · " if parts else " ", "muted"), (text, HEADING if choice.value == value else "muted")]
        return [*parts, (_more(len(texts) - shown), "muted")] if shown < len(texts) else parts

    def _about(self, field: Field, draft: ItemDraft, fixed: str | None, *, is_open: bool) -> str:
        if field.key in draft.arrived:
            was = self.words.shown(field, draft.arrived[field.key])
            who = draft.authors.get(field.key) or "others"
            merged = "Changed at both sides and put together" if field.key in draft.touched else f"Changed by {who}"
            return f"{merged}; it was: {was}"
        about = field.help or with_keys(_HELP.get(field.kind, "")) if is_open else ""
        if is_open and holds_days(field, draft.base.get(field.key)):
            about = DAYS_HELP
        if is_seen_by_customers(field.key):
            about = f"{about} Customers see it; saving asks.".strip()
        if fixed:
            return fixed
        needed = "Required. " if field.required and is_open else ""
        return f"{needed}{about}"

    def lines(self, draft: ItemDraft, *, has_top: bool = False) -> list[GridLine]:
        """Return all lines: under the main fields the other sections; under a field its fault and changes of others.

        The name and the status of an item stand above its texts, where these are shown.
        """
        every = self.fields(draft)
        apart = {DESCRIPTION, *({NAME, STATUS} if has_top and not self.is_new else ())}
        lines = list(self._of_fields((field for field in every if field.key in MAIN_FIELDS), draft, apart))
        others = (field for field in every if field.key not in MAIN_FIELDS)
        for section, fields in groupby(others, lambda field: field.section):
            lines.append(GridLine(_HEADINGS.get(section, section.value), is_heading=True))
            lines += self._of_fields(fields, draft, apart)
        return lines

    def _of_fields(self, fields: Iterable[Field], draft: ItemDraft, apart: AbstractSet[str]) -> Iterator[GridLine]:
        """Yield the lines of fields; the values of those `apart` stand outside the grid."""
        for field in fields:
            line = self._of_field(field, draft)
            is_apart = field.key in apart
            is_empty = self._is_folded_when_empty(field) and draft.value(field.key) in EMPTY_VALUES
            is_plain = line.sign == " " and field.key not in draft.unread
            yield replace(line, is_apart=is_apart and is_plain, is_empty=is_empty and is_plain)
            if field.key in draft.faults:
                yield GridLine(f"! {draft.faults[field.key]}", "conflict")
            if field.key in draft.elsewhere:
                now = self.words.shown(field, draft.base.get(field.key))
                who = draft.authors.get(field.key) or "server now has"
                yield GridLine(f"≠ {who}: {now}  ({key_of('editor.conflict')} decides)", "conflict")

    def _is_folded_when_empty(self, field: Field) -> bool:
        """Return whether a field without a value has no line of its own: most fields of an item that exists."""
        return not (self.is_new or field.required or field.key in NEVER_FOLDED or field.kind is Kind.LONG_TEXT)

    def _of_field(self, field: Field, draft: ItemDraft) -> GridLine:
        sign, sign_colour = self._sign(field.key, draft)
        value = draft.value(field.key)
        text = draft.unread.get(field.key) or self.words.shown(field, value)
        if field.kind in _TREES:  # each path begins with the project
            text = text.partition(" › ")[2] or NOTHING
        elif field.kind is Kind.LONG_TEXT:  # the text is beside the fields
            text = text.rpartition("  … ")[2]
        return GridLine(self._signed(field, value, text), self._colour(field, value, text), field, sign, sign_colour)

    def _signed(self, field: Field, value: object, text: str) -> str:
        if text == NOTHING:
            preset = field.default_for(self.item_type) if self.is_new else None
            empty = "(required)" if field.required else UNSET_WORDS.get(field.key, "none")
            return f"({value_word(field, preset)})" if preset else empty
        if field.kind is not Kind.STATUS:
            return text
        return f"{status_sign(str(value or ''), self.store.lookups.status_groups())} {text}"

    def _sign(self, key: str, draft: ItemDraft) -> tuple[str, str]:
        if key in draft.faults:
            return "!", "conflict"
        if key in draft.elsewhere:
            return "≠", "conflict"
        if key in draft.touched:
            return "~", "pending"
        return ("↓", "pending") if key in draft.arrived else (" ", "muted")

    def _colour(self, field: Field, value: object, text: str) -> str:
        if text == NOTHING or self.why_fixed(field):
            return "muted"
        is_status = field.kind is Kind.STATUS
        return status_colour(str(value), self.store.lookups.status_groups()) if is_status else "foreground"


def _more(number: int) -> str:
    return f" · {number} more" if number else ""


MAIN_FIELDS: Mapping[str, int] = {
    key: place
    for place, key in enumerate(
        (
            *("Name", "Status", "AssignedToID", "IterationID", "Estimate", "PriorityClass", "Priority", "Severity"),
            *("IsBlocking", "WorkRemaining", "WorkCompleted", "FeedbackType", "Size", "AreaID", "TeamID", "Tags"),
            *("ParentID", "Description", "StepsToReproduce", "Resolution"),
        )
    )
}
"""The main fields, in their order."""
UNSET_WORDS: Mapping[str, str] = {"AssignedToID": "unassigned", "IterationID": "backlog"}
"""Words for fields whose emptiness means something."""
NEVER_FOLDED = frozenset({*UNSET_WORDS, "Name", "Status", "Estimate"})
"""Fields that are shown without a value too."""
EMPTY_VALUES: Sequence[object] = (None, "", [], ())
NAME, STATUS, DESCRIPTION = "Name", "Status", "Description"
_TREES = frozenset({Kind.AREA, Kind.ITERATION})
KINDS_WITH_LISTED_VALUES = frozenset({Kind.CHOICE, Kind.STATUS, Kind.TEAM})
"""Kinds of fields whose help names their values."""
_HEADINGS = {
    Section.PORTAL: f"{Section.PORTAL.value}: customers see this",
    Section.COMPUTED: f"{Section.COMPUTED.value} by the server",
}
_HELP = {
    Kind.TEXT: "One line of text.",
    Kind.BOOLEAN: "yes · no",
    Kind.INTEGER: "A whole number.",
    Kind.NUMBER: "A number; 2.5 and 2,5 are the same.",
    Kind.DATE: f"A day, such as {NAMED_DAY_FORMS}.",
    Kind.LONG_TEXT: "Markdown or plain text; [editor.look] shows it as Markdown, [editor.outside] opens it in $EDITOR.",
    Kind.ITEM: "Enter finds it by name or #id.",
}
