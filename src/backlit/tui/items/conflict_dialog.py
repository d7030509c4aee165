"""The dialog that resolves a conflict or a rejected change: mine and theirs, field by field."""

from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from difflib import SequenceMatcher
from itertools import zip_longest

from msgspec import Struct
from msgspec.structs import replace
from rich.cells import cell_len
from textual import events
from textual.app import ComposeResult
from textual.content import Content
from textual.widgets import Static

from backlit.model.amounts import counted
from backlit.store.edits.conflicts import ContestedField, KeptSide
from backlit.store.records.merge import has_marks, is_long
from backlit.tui.dialogs.dialog import AIR_LINES, FRAME_LINES, Dialog
from backlit.tui.dialogs.scrolled_text import ScrolledText
from backlit.tui.drawing.text import fit, literal, safe, wrapped
from backlit.tui.drawing.themes import ThemeStyles, cap_words
from backlit.tui.fields.values import label_of
from backlit.tui.items.entry_text import MINE_COLOUR, cell, table_lines, version_cells
from backlit.tui.shell.workers import COMMANDS_GROUP, work


class ShownField(Struct, frozen=True):
    """A contested field as text: the chosen `side`, or the text of an `edited` value; both None while undecided."""

    label: str
    base: str
    mine: str
    theirs: str
    is_long: bool
    side: KeptSide | None = None
    edited: str | None = None
    fault: str = ""
    label_width: int = 5
    """Cells of the longest label of all fields."""
    theirs_colour: str = "$foreground"
    """The colour of the author of their version."""
    is_current: bool = False
    has_caps: bool = False

    def side_at(self, column: int, line: int, width: int) -> KeptSide | None:
        """Return the side that stands at a place in the lines of a field; None beside and below both."""
        if width < MIN_WIDTH_OF_COLUMNS:
            return None
        if self.is_long:
            begin, mine, end = MARGIN, MARGIN + _column(width), width
            top = 1 + len(self._fault_lines(width))
            bottom = len(self.lines(width)) - len(list(self._edited_lines(width)))
        else:
            label, was, side, _ = _columns(width, self.label_width, self._mark_width)
            begin = MARGIN + label + was + 2 * GAP
            mine, end = begin + side + GAP, begin + 2 * (side + GAP)
            top, bottom = 0, len(self._row(width))
        if not (begin <= column < end and top <= line < bottom):
            return None
        return KeptSide.MINE if column < mine else KeptSide.THEIRS

    def lines(self, width: int, *, is_ansi: bool = False) -> list[Content]:
        """Return all lines of one field: of a short one its row in the table, else the heading and what differs."""
        is_wide = width >= MIN_WIDTH_OF_COLUMNS
        lines = self._row(width) if is_wide and not self.is_long else [self._heading(width)]
        if self.is_long:
            body = list(self._beside(width) if is_wide else self._below(width))
        else:
            body = [] if is_wide else list(self._values(width))
        if len(body) > MAX_FIELD_LINES:
            more = counted(len(body) - MAX_FIELD_LINES, "more line")
            body = [*body[:MAX_FIELD_LINES], _coloured(f"… {more}; e shows all", "$muted")]
        shown = [*lines, *self._fault_lines(width), *body, *self._edited_lines(width)]
        tinted = 0 if not self.is_current else len(lines) if self.is_long else len(shown)
        tint, colour = (Content.stylize, "$cursor-foreground ") if is_ansi else (Content.stylize_before, "")
        padded = (line.pad_right(max(0, width - line.cell_length)) for line in shown[:tinted])
        return [*(tint(line, f"{colour}on $cursor-background") for line in padded), *shown[tinted:]]

    @property
    def _sign(self) -> str:
        return "▌" if self.is_current else " "

    def _row(self, width: int) -> list[Content]:
        cells = [cell(self.label, "bold"), cell(self.base, "$muted"), *self._both()]
        leads = [Content(""), Content(""), *(self._tick(keep) + " " for keep in SIDES)]
        columns = _columns(width, self.label_width, self._mark_width)
        return table_lines(cells, columns, (self._sign, "$lamp"), leads)

    def _both(self) -> list[Content]:
        mine, theirs = map(self._value_style, SIDES)
        return version_cells((self.mine, mine), (self.theirs, theirs))

    def _values(self, width: int) -> Iterator[Content]:
        names = cell("was", "$muted"), *map(self._marked, SIDES)
        for name, value in zip(names, (cell(self.base, "$muted"), *self._both()), strict=True):
            yield from table_lines([name, value], (LEAD - GAP, width - MARGIN - LEAD - GAP))

    def _fault_lines(self, width: int) -> Sequence[Content]:
        lines = wrapped(self.fault, width - MARGIN - 2) if self.fault else ()
        return [_coloured(f"! {line}", "$error") for line in lines]

    def _heading(self, width: int) -> Content:
        decision = "edited" if self.edited is not None else SIDES[self.side] if self.side is not None else ""
        words = f"{'!' if self.fault else '✓'} {decision}" if decision else ""
        label = fit(self.label, width - MARGIN - len(words) - 1)
        colour = "$error" if self.fault else "$status-done"
        return Content.assemble((f"{self._sign} ", "$lamp"), (label, "bold"), (words, colour))

    def _edited_lines(self, width: int) -> Iterator[Content]:
        if self.edited is None:
            return
        lines = [part for line in self.edited.splitlines() or [""] for part in wrapped(line, width - MARGIN - LEAD)]
        yield from _labelled_lines(cell("edited", "$muted"), lines[:MAX_FIELD_LINES], "bold")

    def _beside(self, width: int) -> Iterator[Content]:
        column = _column(width)
        mine, theirs = (self._marked(keep, self._value_style(keep)) for keep in SIDES)
        yield _pair(mine, theirs, column)
        for stretch in self._line_blocks():
            mark = "  " if stretch.is_same else f"{DIFFERENCE_MARK} "
            left_colour, right_colour = (self._colour(keep, is_same=stretch.is_same) for keep in SIDES)
            for left_line, right_line in zip_longest(stretch.mine, stretch.theirs):
                left, right = ([] if text is None else wrapped(text, column - 2) for text in (left_line, right_line))
                for one, other in zip_longest(left, right):
                    yield _pair(
                        cell("" if one is None else mark + one, left_colour),
                        cell("" if other is None else mark + other, right_colour),
                        column,
                    )

    def _below(self, width: int) -> Iterator[Content]:
        room = width - MARGIN - LEAD
        for stretch in self._line_blocks():
            if stretch.is_same:
                yield from _labelled_lines(
                    Content(""), [part for line in stretch.mine for part in wrapped(line, room)], "$muted"
                )
                continue
            for keep, lines in zip(SIDES, (stretch.mine, stretch.theirs), strict=True):
                parts = [part for line in lines or [NOTHING] for part in wrapped(line, room)]
                yield from _labelled_lines(self._marked(keep), parts, self._colour(keep, is_same=False))

    def _line_blocks(self) -> Iterator["_LineBlock"]:
        mine, theirs = self.mine.splitlines(), self.theirs.splitlines()
        for tag, i1, i2, j1, j2 in SequenceMatcher(None, mine, theirs).get_opcodes():
            if tag == "equal":
                same = _same(mine[i1:i2], is_first=i1 == 0, is_last=i2 == len(mine))
                yield _LineBlock(same, same, is_same=True)
            else:
                yield _LineBlock(mine[i1:i2], theirs[j1:j2], is_same=False)

    @property
    def _mark_width(self) -> int:
        return mark_width(has_caps=self.has_caps)

    def _tick(self, keep: KeptSide) -> Content:
        """Return a tick for the chosen side, else as many blanks."""
        return cell((CHOSEN if self.side is keep else " ").center(self._mark_width), "bold $status-done")

    def _marked(self, keep: KeptSide, style: str = "$muted") -> Content:
        """Return the name of a side after its tick, or in the current field the key that chooses it."""
        has_key = self.is_current and self.side is not keep
        mark = cap_words(SIDE_KEYS[keep], has_caps=self.has_caps) if has_key else self._tick(keep)
        return Content.assemble(mark, " ", (SIDES[keep], style))

    def _colour(self, keep: KeptSide, *, is_same: bool) -> str:
        if is_same or self.edited is not None or self.side not in {None, keep}:
            return "$muted"
        colour = MINE_COLOUR if keep is KeptSide.MINE else self.theirs_colour
        return colour if self.side is None else f"bold {colour}"

    def _value_style(self, keep: KeptSide) -> str:
        """Return the style of a version: the chosen one is a chip."""
        return f"{self._colour(keep, is_same=False)}{' on $key-background' if self.side is keep else ''}"


MAX_DIALOG_WIDTH = 140
FRAME_CELLS = 5
"""The frame, a blank at each side, and the scroll bar."""
HALF_MARKED = "The text still holds both versions. Delete the lines with <<<<<<<, ======= and >>>>>>>."


class NewValue(Struct, frozen=True):
    """A value that is neither mine nor theirs."""

    value: object


AskForValue = Callable[[ContestedField, object], Awaitable[NewValue | None]]
"""Asks for another value of a field, beginning with its decision; None when it was left."""
Decisions = Mapping[str, object]
"""A side or a value for each field."""


class ConflictQuestion(Struct, frozen=True):
    """The fields to decide; `words` turns a field's value into text."""

    title: str
    sentence: str
    fields: Sequence[ContestedField]
    words: Callable[[str, object], str]
    edit: AskForValue
    theirs: str
    """The name of the other user; empty where it is not known."""
    theirs_colour: str = "$foreground"


class ConflictDialog(Dialog[Decisions | None]):
    """Asks for a decision on each field; the answer is None when it was left.

    `decided` and `faults` are the decisions to begin with and the reasons why some were rejected; `note` is a reason
    that concerns no single field.
    """

    AUTO_FOCUS = "ScrolledText"

    def __init__(
        self, question: ConflictQuestion, decided: Decisions, faults: Mapping[str, str], note: str = ""
    ) -> None:
        super().__init__(question.title)
        self._question = question
        self._fields = question.fields
        self._decided = dict(decided)
        self._faults = dict(faults)
        self._said = note
        self._label_width = max([5, *(min(LABEL_WIDTH, cell_len(label_of(each.key))) for each in self._fields)])
        self._places: Sequence[tuple[int, int]] = ()
        self._at = next((at for at, each in enumerate(self._fields) if each.key in faults), 0)
        self._scroll = ScrolledText()
        self._shown, self._heads, self._note = Static(), Static(), Static()

    def content(self) -> ComposeResult:
        yield Static(Content.assemble(literal(self._question.sentence), "\n"), classes="note")
        yield self._heads
        with self._scroll:
            yield self._shown
        yield self._note

    def on_mount(self) -> None:
        self._draw(self._said)

    on_resize = on_mount

    # Drawing

    @property
    def _width(self) -> int:
        return min(MAX_DIALOG_WIDTH, self.app.size.width) - FRAME_CELLS

    def _draw(self, note: str = "") -> None:
        self._said, width = note, self._width
        is_wide = width >= MIN_WIDTH_OF_COLUMNS
        self._heads.display = is_wide
        has_caps = ThemeStyles.of(self.app).has_frames
        self._heads.update(column_heads(width, self._label_width, self._question, has_caps=has_caps))
        taken = FRAME_LINES + AIR_LINES * self.has_class("-tall")
        taken += len(wrapped(self._question.sentence, width)) + is_wide + 2
        self._scroll.styles.max_height = max(3, self.app.size.height - taken)
        lines: list[Content] = []
        places: list[tuple[int, int]] = []
        was_row = False
        for index, field in enumerate(self._fields):
            shown = replace(self._in_words(field), is_current=index == self._at, has_caps=has_caps)
            found = shown.lines(width, is_ansi=self.app.current_theme.ansi)
            is_row = is_wide and not shown.is_long
            lines += [Content("")] if lines and not (is_row and was_row) else []
            was_row = is_row
            places.append((len(lines), len(lines) + len(found)))
            lines += found
        lines.append(Content(""))
        self._shown.update(Content("\n").join(lines))
        undecided = sum(not self._is_resolved(field) for field in self._fields)
        several = len(self._fields) > 1
        below = (("m", "mine"), ("t", "theirs"), *((("M T", "all"),) if several else ()))
        sides = (("M", "all mine"), ("T", "all theirs")) if is_wide and several else below
        move = (("j k", "move"),) if several else ()
        apply = (("enter", "apply"),) if is_wide or not undecided else ()
        self.name_keys(*apply, *sides, ("e", "edit"), *move, ("esc", "later"))
        left = f"{counted(undecided, 'field')} left to resolve: {' or '.join(SIDE_KEYS.values())} for each"
        words = left if undecided else "All fields are resolved."
        self._note.update(Content.styled(note, "$error") if note else Content.styled(words, "$muted"))
        self._places = places
        if places:
            self.call_after_refresh(self._keep_in_sight, *places[self._at])

    def _is_resolved(self, field: ContestedField) -> bool:
        """Return whether a field has a decision without a fault, so that it can be applied."""
        return field.key in self._decided and field.key not in self._faults

    def _keep_in_sight(self, top: int, bottom: int) -> None:
        height, at = self._scroll.size.height, self._scroll.scroll_y
        if top < at or bottom > at + height:
            line = top if bottom - top >= height or top < at else bottom - height
            self._scroll.scroll_to(y=line, animate=False, immediate=True)

    def _in_words(self, field: ContestedField) -> ShownField:
        decision = self._decided.get(field.key)
        side = decision if isinstance(decision, KeptSide) else None
        is_text = is_long(field.key, field.mine, field.theirs)

        def words(value: object) -> str:
            return str(value or "") if is_text else " ".join(self._question.words(field.key, value).split())

        return ShownField(
            label=label_of(field.key),
            base=words(field.base),
            mine=words(field.mine),
            theirs=words(field.theirs),
            is_long=is_text,
            side=side,
            edited=words(decision) if field.key in self._decided and side is None else None,
            fault=self._faults.get(field.key, ""),
            label_width=self._label_width,
            theirs_colour=self._question.theirs_colour,
        )

    # Keys and clicks

    def on_click(self, event: events.Click) -> None:
        at = event.screen_offset - self._shown.region.offset
        index = next((index for index, (top, bottom) in enumerate(self._places) if top <= at.y < bottom), None)
        if index is None or not self._scroll.region.contains_point(event.screen_offset):
            return
        self._at = index
        field, line = self._in_words(self._fields[index]), at.y - self._places[index][0]
        side = field.side_at(at.x, line, self._width)
        if side is None:
            self._draw()
        else:
            self._decide(side)

    def type_early(self, character: str) -> None:
        match character:
            case "j":
                self._step(1)
            case "k":
                self._step(-1)
            case "m":
                self._decide(KeptSide.MINE)
            case "t":
                self._decide(KeptSide.THEIRS)
            case "M" | "T":
                self._decide_all(KeptSide.MINE if character == "M" else KeptSide.THEIRS)
            case "e":
                self._edit()
            case "w":
                self._apply()
            case "q":
                self.dismiss(None)

    def press(self, key: str) -> bool:
        match key:
            case "down" | "up":
                self._step(1 if key == "down" else -1)
            case "ctrl+d" | "pagedown" | "ctrl+u" | "pageup" | "home" | "end":
                # Behind the scroll to the field of the key before it, which waits until its lines are laid out.
                self.call_after_refresh(self._scroll.press, key)
            case "enter":
                self._apply()
            case _:
                return super().press(key)
        return True

    def _step(self, by: int) -> None:
        self._at = max(0, min(self._at + by, len(self._fields) - 1))
        self._draw()

    def _decide(self, decision: object) -> None:
        """Decide the field under the cursor, and go on to the next one that is open."""
        if not self._fields:
            return
        key = self._fields[self._at].key
        self._decided[key] = decision
        self._faults.pop(key, None)
        if isinstance(decision, str) and is_long(key, decision, None) and has_marks(decision):
            self._faults[key] = HALF_MARKED
        else:
            self._go_to_open()
        self._draw()

    def _decide_all(self, side: KeptSide) -> None:
        """Decide all fields for one side, but those with an edited value."""
        for each in self._fields:
            if isinstance(self._decided.get(each.key, side), KeptSide):
                self._decided[each.key] = side
                self._faults.pop(each.key, None)
        self._draw()

    def _go_to_open(self) -> None:
        count = len(self._fields)
        for index in (*range(self._at + 1, count), *range(self._at)):
            if not self._is_resolved(self._fields[index]):
                self._at = index
                return

    def _edit(self) -> None:
        if self._fields:
            self.run_worker(work(self._ask_value, self._fields[self._at]), group=COMMANDS_GROUP)

    async def _ask_value(self, field: ContestedField) -> None:
        answer = await self._question.edit(field, self._decided.get(field.key))
        if answer is not None:
            self._decide(answer.value)

    def _apply(self) -> None:
        if len(self._decided) < len(self._fields):
            if self._fields[self._at].key in self._decided:
                self._go_to_open()
            self._draw("Not all fields are resolved. m mine, t theirs, e edit.")
        elif self._faults:
            self._at = next(index for index, each in enumerate(self._fields) if each.key in self._faults)
            self._draw(f"{label_of(self._fields[self._at].key)} is not valid. e to edit it.")
        else:
            self.dismiss(dict(self._decided))


# The lines of a field

MIN_WIDTH_OF_COLUMNS = 72
"""Cells from which there are two columns."""
MAX_FIELD_LINES = 200
"""Lines shown of one field; its editor shows all of it."""
MARGIN = 2
LEAD = 12
LABEL_WIDTH, GAP = 16, 2
CONTEXT = 1
CHOSEN = "✓"
"""The sign of the side that is chosen."""
DIFFERENCE_MARK = "▎"
"""Stands before what differs, so that it does without colours."""
NOTHING = "–"
SIDES = {KeptSide.MINE: "mine", KeptSide.THEIRS: "theirs"}
SIDE_KEYS = {KeptSide.MINE: "m", KeptSide.THEIRS: "t"}


class _LineBlock(Struct, frozen=True):
    """Lines of both sides; `is_same` where there is no difference, or only a count of such lines."""

    mine: Sequence[str]
    theirs: Sequence[str]
    is_same: bool


def mark_width(*, has_caps: bool) -> int:
    """Return the cells of the key or the sign before a side."""
    return cell_len(cap_words(SIDE_KEYS[KeptSide.MINE], has_caps=has_caps)[0])


def column_heads(width: int, label: int, question: ConflictQuestion, *, has_caps: bool) -> Content:
    """Return the headings of the columns, with the keys of the sides; empty where these are one below the other."""
    if width < MIN_WIDTH_OF_COLUMNS:
        return Content("")
    marks = mark_width(has_caps=has_caps)
    _, was, side, _ = _columns(width, label, marks)
    mine_key, theirs_key = (cap_words(key, has_caps=has_caps) for key in SIDE_KEYS.values())
    theirs = f"theirs ({safe(question.theirs)})" if question.theirs else "theirs"
    mine = f"{'mine':{side + GAP - marks - 1}}", f"bold {MINE_COLOUR}"
    before = (" " * MARGIN, (f"{'Field':{label + GAP}}{'Was':{was + GAP}}", "bold $muted"))
    return Content.assemble(*before, mine_key, " ", mine, theirs_key, " ", (theirs, f"bold {question.theirs_colour}"))


def _columns(width: int, label: int, marks: int) -> tuple[int, int, int, int]:
    """Return the widths of a table: the label, the value before, mine and theirs, which have room for their marks."""
    room = (width - MARGIN - label - 3 * GAP - 2 * (marks + 1)) // 3
    return label, room, room + marks + 1, room + marks + 1


def _same(lines: Sequence[str], *, is_first: bool, is_last: bool) -> Sequence[str]:
    """Return the lines next to a difference, and the number of the lines between."""
    head, tail = (0 if is_first else CONTEXT), (0 if is_last else CONTEXT)
    left_out = len(lines) - head - tail
    if left_out <= 1:
        return lines
    return [*lines[:head], f"⋯ {left_out} lines the same", *lines[len(lines) - tail :]]


def _column(width: int) -> int:
    return (width - MARGIN - 3) // 2


def _pair(left: Content, right: Content, column: int) -> Content:
    return Content.assemble(" " * MARGIN, left.pad_right(max(0, column - left.cell_length)), ("│ ", "$rule"), right)


def _labelled_lines(label: Content, lines: Sequence[str], colour: str) -> Iterator[Content]:
    for number, line in enumerate(lines):
        lead = Content("") if number else label
        yield Content.assemble(" " * MARGIN, lead.pad_right(LEAD - lead.cell_length), (line, colour))


def _coloured(text: str, colour: str) -> Content:
    return Content.assemble(" " * MARGIN, (safe(text), colour))
