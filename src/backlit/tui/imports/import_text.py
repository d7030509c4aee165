"""The text beside the mapping: faults, the first items as they will be, and the summary."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain, islice

from msgspec import Struct
from rich.segment import Segment

from backlit.imports.faults import grouped
from backlit.imports.mapping_rows import MappingRow, MappingTable
from backlit.imports.reading.source import Source
from backlit.imports.reading.tables import heading_key
from backlit.imports.run import PreparedImport
from backlit.imports.summary import from_before, summary
from backlit.model.amounts import counted
from backlit.model.fields import FIELD_BY_KEY
from backlit.store.edits.imports import NewItem
from backlit.store.field_words import FieldWords
from backlit.store.store import Store
from backlit.tui.commands.table import key_of
from backlit.tui.drawing.text import Line, fit, safe, wrapped
from backlit.tui.drawing.themes import TYPE_SIGNS, ThemeStyles, type_colour
from backlit.tui.imports.import_list import value_words

MAX_PREVIEW = 10
"""Items in the preview."""
MAX_EXAMPLES = 3
"""Values that are shown of a column."""
EXAMPLE_ROWS = 1000
"""Rows of the file that are read for them."""
PREVIEW_COLUMNS = (("Status", 12, 0), ("Estimate", 5, 34), ("AssignedToID", 14, 50), ("IterationID", 16, 74))
"""Fields of the preview, their cells, and the width of the text from which they are shown."""
SIGN = 2


class ImportText(Struct, frozen=True):
    """What is said beside the mapping: lines with their colours, and the preview."""

    head: Sequence[tuple[str, str]]
    preview: Sequence["PreviewRow"] = ()
    new: int = 0
    rest: Sequence[tuple[str, str]] = ()

    def lines(self, width: int, theme: ThemeStyles, about: Sequence[tuple[str, str]] = ()) -> list[Line]:
        """Lay the text out, below some lines about the current row."""
        lines = [*_wrapped(about, width, theme)]
        for block in (
            [*_wrapped(self.head, width, theme)],
            [*self._preview_lines(width, theme)],
            [*_wrapped(self.rest, width, theme)],
        ):
            lines += [[], *block] if lines and block else block
        return lines

    def _preview_lines(self, width: int, theme: ThemeStyles) -> Iterator[Line]:
        if not self.preview:
            return
        shown = [(key, cells) for key, cells, least in PREVIEW_COLUMNS if width >= least]
        room = max(0, width - SIGN - sum(cells + 1 for _, cells in shown))
        count = len(self.preview)
        title = f"First {count} of {counted(self.new, 'new item')}" if self.new > count else f"New items: {self.new}"
        yield [Segment(fit(title, SIGN + room), theme.style(bold=True)), *_headings(shown, theme)]
        for row in self.preview:
            cells = [Segment(f" {fit(row.values.get(key, ''), size)}", theme.style("muted")) for key, size in shown]
            sign = Segment(fit(f"{TYPE_SIGNS.get(row.type, ' ')}", SIGN), theme.style(type_colour(row.type)))
            yield [sign, Segment(fit(f"{'  ' * row.is_task}{row.name}", room), theme.style()), *cells]


def _headings(shown: Iterable[tuple[str, int]], theme: ThemeStyles) -> Iterator[Segment]:
    for key, size in shown:
        label = "Pts" if key == "Estimate" else FIELD_BY_KEY[key].label
        yield Segment(f" {fit(label, size)}", theme.style("muted"))


class PreviewRow(Struct, frozen=True):
    """A new item as it will be: its values in words, by field key."""

    type: str
    name: str
    values: Mapping[str, str]
    is_task: bool = False


def _wrapped(texts: Iterable[tuple[str, str]], width: int, theme: ThemeStyles) -> Iterator[Line]:
    for text, colour in texts:
        style = theme.style(bold=True) if colour == "bold" else theme.style(colour)
        yield from ([Segment(line, style)] for line in wrapped(text, width))


def text_before(store: Store, prepared: PreparedImport, report: str) -> ImportText:
    """Return what an import would do; `report` is the file with all faults, if there is one."""
    plan = prepared.plan
    head = [(f"! {sentence}", "conflict") for sentence in grouped(plan.faults)]
    head += [("Nothing can be imported until the rows above are right, or left out: see Choices.", "warn")] * bool(head)
    head += [(f"Left out: {sentence}", "warn") for sentence in grouped(prepared.skipped)]
    head += [(f"All faults are in {report}.", "muted")] if report else []
    head += [(sentence, "warn") for sentence in from_before(plan)]
    about, *rest, numbers = summary(store, prepared.source, plan, prepared.drafts)
    lines = [(numbers, "bold"), *((line, "foreground") for line in rest), (about, "muted")]
    items = islice(chain.from_iterable(_flat(item) for item in plan.items), MAX_PREVIEW)
    words = FieldWords(store)
    return ImportText(head, [_preview(words, item, is_task=is_task) for item, is_task in items], plan.new, lines)


def text_after(store: Store, prepared: PreparedImport, made: Sequence[int]) -> ImportText:
    about, *rest, numbers = summary(store, prepared.source, prepared.plan, prepared.drafts, made)
    head = [(numbers, "bold"), (f"{key_of('app.undo')} takes the whole import back.", "muted")]
    return ImportText(head, rest=[*((line, "foreground") for line in rest), (about, "muted")])


def _flat(item: NewItem) -> Iterator[tuple[NewItem, bool]]:
    yield item, False
    yield from ((task, True) for task in item.tasks)


def _preview(words: FieldWords, item: NewItem, *, is_task: bool) -> PreviewRow:
    shown = {
        key: safe(words.written(FIELD_BY_KEY[key], item.fields[key]))
        for key, _, _ in PREVIEW_COLUMNS
        if item.fields.get(key) is not None
    }
    shown |= {key: safe(path.rpartition("\\")[2]) for key, path in item.places.items()}
    return PreviewRow(item.type, safe(str(item.fields.get("Name") or "")), shown, is_task)


def about_row(row: MappingRow, source: Source | None, labels: Mapping[str, str]) -> list[tuple[str, str]]:
    """Return a row at length, with the first values of a column."""
    lines = [(safe(f"{row.name} → {value_words(row, labels)}"), "bold")]
    if row.table is MappingTable.COLUMNS and source is not None and source.table is not None:
        keys = source.table.keys
        places = [at for at, key in enumerate(keys) if key == heading_key(row.name)]
        cells = (each.cells[at].strip() for each in source.table.rows[:EXAMPLE_ROWS] for at in places)
        examples = [*islice(dict.fromkeys(filter(None, cells)), MAX_EXAMPLES)]
        shown = (safe(" ".join(each.split()))[:80] for each in examples)
        lines.append((f"Values: {' · '.join(shown)}" if examples else "No values in the file.", "muted"))
    return lines
