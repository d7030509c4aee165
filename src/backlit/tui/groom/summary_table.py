"""The table of a grooming session's results, and the words for its changes and open checks."""

from collections.abc import Iterator, Sequence

from rich.cells import cell_len
from textual.strip import Strip

from backlit.model.ready_check import ReadyRule, RuleInputs
from backlit.store.grooming import GroomedItem
from backlit.store.records.merge import is_empty
from backlit.store.store import Store
from backlit.tui.drawing.text import fit, fit_right, wrapped
from backlit.tui.drawing.themes import type_colour, type_sign
from backlit.tui.fields.field_edits import field_named
from backlit.tui.fields.values import ScreenFieldWords
from backlit.tui.widgets.item_rows import UNREADY_SIGN
from backlit.tui.widgets.line_list import LineList

NONE = "–"
"""An empty value, before or after a change."""
TITLES = ("Changed", "Skipped", "Unchanged")
RESULT, GAP = 13, 2
"""Cells of the first column, and between the others."""
SIGN = 2
"""Cells of the sign before open checks."""
LOW, NARROW = 16, 40
"""Lines of the terminal below which the table has rows alone, and cells below which it shows a result by its sign."""
RESULT_LOOKS = {TITLES[0]: ("✓", "status-done"), TITLES[1]: (" ", "muted"), TITLES[2]: (" ", "muted")}
"""The sign and the colour of each result."""
LEAST_NAMES, ENOUGH = 22, 29
"""Cells that names have at least, and that they leave to the changes and the open checks."""
MAX_HEIGHT_SHARE, MAX_HEIGHT_SHARE_OF_LOW_SCREEN, HEIGHTS = 0.5, 0.3, (9, 2, 1)
"""Shares of a high and of a low screen that rows of several lines may take, and the most lines of a row, in turn."""


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
        self._number = self._names = self._outcome = 0
        """Cells that the numbers, the names, and the changes and checks need for the longest of them."""

    def show(self, results: Sequence[GroomedItem]) -> None:
        self._rows = [(title, each) for title, found in grouped(results) for each in found]
        inputs = self._store.ready_check.rule_inputs()
        self._texts = [self._texts_of(each, inputs) for _, each in self._rows]
        self._number = max([len("ID"), *(len(str(each.item_id)) for each in results)])
        self._names = max((cell_len(name) for name, *_ in self._texts), default=0) + GAP
        self._outcome = max(
            (max(cell_len(change), cell_len(check) + SIGN) for _, change, check in self._texts), default=0
        )
        self.rows_replaced(self.cursor)

    @property
    def current(self) -> GroomedItem | None:
        return self._rows[self.cursor][1] if self.cursor < len(self._rows) else None

    def row_count(self) -> int:
        return len(self._rows)

    def render_header(self, y: int) -> Strip:  # noqa: ARG002 - there is one
        name, outcome = self._widths()
        first = f" {'Result'[: self._result - SIGN]:<{self._result}}{'ID':>{self._number}}   "
        return self.draw_headings(f"{first}{fit('Item', name)}{fit('Changes and checks', outcome)}")

    def render_row_line(self, index: int, line: int, *, is_cursor: bool) -> Strip:
        title, each = self._rows[index]
        sign, colour = RESULT_LOOKS[title]
        number, kind = (str(each.item_id) if each.item_id > 0 else "", type_sign(each.type)) if not line else ("", "")
        names, outcome = self._widths()
        last = self._height_of(index) - 1
        name, words = (self._line_of(index, at, line, last) for at in range(2))
        change, unready, check = fit(words, outcome).partition(UNREADY_SIGN)
        return self.draw_parts(
            [
                (f"{sign} {title}"[: 0 if line else self._result].ljust(self._result), colour),
                (fit_right(number, self._number) + " ", "muted"),
                (f"{kind or ' '} ", type_colour(each.type)),
                (fit(name, names - GAP) + " " * GAP, "foreground"),
                (change, "muted" if change.startswith(" ") else "foreground"),
                (unready, "warn"),
                (check, "muted"),
            ],
            is_cursor=is_cursor,
        )

    def _line_of(self, index: int, column: int, line: int, last: int) -> str:
        """Return a line of a column; the last line of a row has the rest of the text."""
        lines = self._wrapped(index, column)
        lines = [*lines[:last], " ".join(each.strip() if at else each for at, each in enumerate(lines[last:]))]
        return lines[line] if line < len(lines) else ""

    def _wrapped(self, index: int, column: int) -> list[str]:
        """Return the lines of a name, or of the changes and the open checks after their sign, in their column."""
        (name, change, check), (names, outcome) = self._texts[index], self._widths()
        if not column:
            return wrapped(name, max(1, names - GAP))
        if outcome <= SIGN:
            return []
        checks = wrapped(check, outcome - SIGN) if check else []
        signs = (UNREADY_SIGN, *" " * len(checks))
        changes = wrapped(change, outcome) if change else []
        return [*changes, *(f"{sign} {line}" for sign, line in zip(signs, checks, strict=False))]

    def _height_of(self, index: int) -> int:
        return max(1, min(self._most, max(len(self._wrapped(index, column)) for column in range(2))))

    @property
    def _result(self) -> int:
        return RESULT if self.size.width >= NARROW else SIGN

    def _widths(self) -> tuple[int, int]:
        """Return the cells of names, and of changes and checks; names are as wide as their texts where they can be."""
        room = max(0, self.size.width - self._result - self._number - 5)
        name = min(self._names, room, max(LEAST_NAMES, room - min(self._outcome, ENOUGH)))
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
    def cut_texts(self) -> list[tuple[str, str]]:
        """Return the texts of the row under the cursor that the row leaves a part out of, and their styles."""
        if not self._texts:
            return []
        at, (name, change, check) = self.cursor, self._texts[self.cursor]
        is_cut = [not (lines := self._wrapped(at, column)) or len(lines) > self._height_of(at) for column in range(2)]
        texts = (name, "bold", is_cut[0]), (change, "", is_cut[1]), (check, "$muted", is_cut[1])
        return [(text, style) for text, style, cut in texts if cut and text]

    def _texts_of(self, each: GroomedItem, inputs: RuleInputs) -> tuple[str, str, str]:
        name = each.name if each.type else f"{each.name} (deleted)"
        return name, ", ".join(changes_of(self._store, each, " ")), listed(open_words(each.open, inputs))


def open_words(rules: Sequence[ReadyRule], inputs: RuleInputs) -> list[str]:
    return [rule.failure_sentence(inputs).rstrip(".") for rule in rules]


def listed(words: Sequence[str]) -> str:
    return ", ".join(each if not at else f"{each[:1].lower()}{each[1:]}" for at, each in enumerate(words))


def grouped(results: Sequence[GroomedItem]) -> Iterator[tuple[str, list[GroomedItem]]]:
    groups: dict[str, list[GroomedItem]] = {title: [] for title in TITLES}
    for each in results:
        groups[TITLES[0] if each.answers else TITLES[1] if each.is_skipped else TITLES[2]].append(each)
    yield from ((title, found) for title, found in groups.items() if found)


def changes_of(store: Store, each: GroomedItem, colon: str) -> Iterator[str]:
    """Yield the changed fields with their values, those of other users named as such."""
    words = ScreenFieldWords(store)
    for answer in (*each.answers, *each.others):
        field = field_named(answer.key, store.lookups)
        values = (answer.before, answer.after)
        before, after = (NONE if is_empty(value) else words.shown(field, value) for value in values)
        by = "" if answer in each.answers else "by someone else: "
        yield f"{by}{field.label}{colon}{before} → {after}"
    if each.answers and each.is_skipped:
        yield "skipped"
