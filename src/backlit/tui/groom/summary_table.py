"""The table of a grooming session's results, and the words for its changes and open checks."""

from collections.abc import Iterator, Sequence

from rich.cells import cell_len
from textual.strip import Strip

from backlit.model.fields import Field, Kind
from backlit.model.ready_check import ReadyRule, RuleInputs
from backlit.store.grooming import GroomedItem
from backlit.store.records.merge import is_empty
from backlit.store.store import Store
from backlit.tui.drawing.text import fit, fit_right, safe, wrapped
from backlit.tui.drawing.themes import type_colour, type_sign
from backlit.tui.fields.field_edits import field_named
from backlit.tui.fields.values import ScreenFieldWords, short_words_of
from backlit.tui.widgets.item_rows import UNREADY_SIGN
from backlit.tui.widgets.line_list import LineList

NONE = "–"
"""An empty value, before or after a change."""
TITLES = ("Changed", "Skipped", "Unchanged")
RESULT, GAP = 11, 2
"""Cells of the first column, and between the others."""
LOW, NARROW, WIDE = 16, 70, 96
"""Lines of the terminal below which the table has rows alone, and cells below which it shows no results.

From WIDE cells on what is open has a column of its own.
"""
LEAST_NAMES, ENOUGH = 22, 29
"""Cells that names have at least, and that they leave to the changes and the open checks."""
MAX_HEIGHT_SHARE, MAX_HEIGHT_SHARE_OF_LOW_SCREEN, HEIGHTS = 0.5, 0.3, (9, 2, 1)
"""Shares of a high and of a low screen that rows of several lines may take, and the most lines of a row, in turn."""
HEADS, NARROW_HEADS = ("Item", "Changes", "Readiness"), ("Item", "Changes and checks")
READY_SIGN = "✓"
SIGNS = {READY_SIGN: "status-done", UNREADY_SIGN: "warn"}
"""The signs before the last words of a row, and their colours."""


class SummaryTable(LineList):
    """The shown items by their result, with their changes and the checks they still fail."""

    HEADER_LINES = 1

    def __init__(self, store: Store) -> None:
        super().__init__(id="summary")
        self._store = store
        self._rows: Sequence[tuple[str, GroomedItem]] = ()
        self._texts: Sequence[tuple[str, str, str]] = ()
        """The name, the changes and the open checks of each row."""
        self._most = HEIGHTS[-1]
        """Most lines of a row."""
        self._number = 0
        self._needed = (0, 0, 0)
        """Cells that the numbers, and the names, the changes and the checks need for the longest of them."""

    def show(self, results: Sequence[GroomedItem]) -> None:
        self._rows = [(title, each) for title, found in grouped(results) for each in found]
        inputs = self._store.ready_check.rule_inputs()
        self._texts = [self._texts_of(each, inputs) for _, each in self._rows]
        self._number = max([len("ID"), *(len(str(each.item_id)) for each in results)])
        name, change, check = (max(cell_len(safe(row[at])) for row in (HEADS, *self._texts)) for at in range(3))
        self._needed = name + GAP, change + GAP, check
        self.rows_replaced(self.cursor)

    @property
    def current(self) -> GroomedItem | None:
        return self._rows[self.cursor][1] if self.cursor < len(self._rows) else None

    def row_count(self) -> int:
        return len(self._rows)

    def render_header(self, y: int) -> Strip:  # noqa: ARG002 - there is one
        widths = self._widths()
        heads = HEADS if len(widths) > len(NARROW_HEADS) else NARROW_HEADS
        first = f" {fit('Result', self._result)}{'ID':>{self._number}}   "
        return self.draw_headings(first + "".join(map(fit, heads, widths)))

    def render_row_line(self, index: int, line: int, *, is_cursor: bool) -> Strip:
        title, each = self._rows[index]
        number = str(each.item_id) if each.item_id > 0 else ""
        widths, last = self._widths(), self._height_of(index) - 1
        *change, words = (self._line_of(index, at, line, last) for at in range(1, len(widths)))
        if line:
            title = number = kind = name = ""
        else:
            kind, name = type_sign(each.type), self._texts[index][0]
        sign = words[:1] if words[:1] in SIGNS else ""
        colour = "muted" if sign or words.startswith(" ") else "foreground"
        return self.draw_parts(
            [
                (fit(title, self._result), "foreground" if title == TITLES[0] else "muted"),
                (fit_right(number, self._number) + " ", "muted"),
                (f"{kind or ' '} ", type_colour(each.type)),
                *(
                    (fit(text, width - GAP) + " " * GAP, "foreground")
                    for text, width in zip((name, *change), widths, strict=False)
                ),
                (sign, SIGNS.get(sign, "")),
                (fit(words[len(sign) :], max(0, widths[-1] - len(sign))), colour),
            ],
            is_cursor=is_cursor,
        )

    def _line_of(self, index: int, column: int, line: int, last: int) -> str:
        """Return a line of a column; the last line of a row has the rest of the text."""
        lines = self._wrapped(index, column)
        lines = [*lines[:last], " ".join(each.strip() if at else each for at, each in enumerate(lines[last:]))]
        return lines[line] if line < len(lines) else ""

    def _wrapped(self, index: int, column: int) -> list[str]:
        """Return the lines of changes or checks; without a column of their own, checks are below the changes."""
        (_, change, check), widths = self._texts[index], self._widths()
        width = widths[column]
        if len(widths) > len(NARROW_HEADS):
            return wrapped(change, max(1, width - GAP)) if column == 1 else _hanging(check, width)
        changes = wrapped(change, max(1, width)) if change else []
        return [*changes, *(_hanging(check, width) if check.startswith(UNREADY_SIGN) else ())]

    def _height_of(self, index: int) -> int:
        return max(1, min(self._most, self._whole_height_of(index)))

    def _whole_height_of(self, index: int) -> int:
        return max(len(self._wrapped(index, column)) for column in range(1, len(self._widths())))

    @property
    def _result(self) -> int:
        return RESULT if self.size.width >= NARROW else 0

    def _widths(self) -> Sequence[int]:
        """Return the cells of names, of changes, and of checks; names are as wide as their texts where they can be."""
        room = max(0, self.size.width - self._result - self._number - 5)
        names, changes, checks = self._needed
        if self.size.width >= WIDE:
            change, check = min(changes, room // 4), min(checks, room // 3)
            name = min(names, room - change - check)
            return name, change, room - name - change
        outcome = min(max(changes, checks), ENOUGH)
        name = min(names, room, max(LEAST_NAMES, room - outcome))
        return name, room - name

    def share(self, height: int) -> int:
        """Choose the lines of the rows, each as high as its texts, or lower where a height lacks room; return all."""
        self.HEADER_LINES = int(height >= LOW)
        most_lines = int(height * (MAX_HEIGHT_SHARE if self.HEADER_LINES else MAX_HEIGHT_SHARE_OF_LOW_SCREEN))
        room, self.row_lines, self._most = most_lines - self.HEADER_LINES, (), HEIGHTS[-1]
        for most in HEIGHTS if len(self._rows) <= room else ():
            self._most = most
            lines = [(at, line) for at in range(len(self._rows)) for line in range(self._height_of(at))]
            if len(lines) <= room:
                self.row_lines = lines
                break
        self.refresh()
        return self.HEADER_LINES + max(1, len(self.row_lines or self._rows))

    @property
    def is_cut(self) -> bool:
        """Whether the row under the cursor leaves a part of its changes or checks out."""
        return bool(self._rows) and self._whole_height_of(self.cursor) > self._height_of(self.cursor)

    def _texts_of(self, each: GroomedItem, inputs: RuleInputs) -> tuple[str, str, str]:
        name = each.name if each.type else f"{each.name} (deleted)"
        still_open = listed(open_words(each.open, inputs))
        check = f"{UNREADY_SIGN} {still_open}" if still_open else f"{READY_SIGN} Ready" * bool(each.type)
        return name, ", ".join(changes_of(self._store, each, " ")), check


def _hanging(text: str, width: int) -> list[str]:
    """Return the lines of a text after its sign, all but the first indented by it."""
    sign, _, words = text.partition(" ")
    lines = wrapped(words, max(1, width - len(sign) - 1)) if words else []
    return [f"{' ' * len(sign) if at else sign} {line}" for at, line in enumerate(lines)]


def open_words(rules: Sequence[ReadyRule], inputs: RuleInputs) -> list[str]:
    return [rule.failure_sentence(inputs).rstrip(".") for rule in rules]


def listed(words: Sequence[str]) -> str:
    return ", ".join(each if not at else f"{each[:1].lower()}{each[1:]}" for at, each in enumerate(words))


def grouped(results: Sequence[GroomedItem]) -> Iterator[tuple[str, list[GroomedItem]]]:
    groups: dict[str, list[GroomedItem]] = {title: [] for title in TITLES}
    for each in results:
        groups[TITLES[0] if each.answers else TITLES[1] if each.is_skipped else TITLES[2]].append(each)
    yield from ((title, found) for title, found in groups.items() if found)


def _value_words(store: Store, field: Field, value: object) -> str:
    if field.kind in {Kind.AREA, Kind.ITERATION}:
        return short_words_of(store, field.key, value)
    return ScreenFieldWords(store).shown(field, value)


def changes_of(store: Store, each: GroomedItem, colon: str) -> Iterator[str]:
    """Yield the changed fields with their values, those of other users named as such."""
    for answer in (*each.answers, *each.others):
        field = field_named(answer.key, store.lookups)
        values = (answer.before, answer.after)
        before, after = (NONE if is_empty(value) else _value_words(store, field, value) for value in values)
        by = "" if answer in each.answers else "by someone else: "
        yield f"{by}{field.label}{colon}{before} → {after}"
    if each.answers and each.is_skipped:
        yield "skipped"
