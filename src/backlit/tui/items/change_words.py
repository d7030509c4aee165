"""A change of a field in words: both values, or the numbers of added and removed lines of a text."""

from collections.abc import Iterator, Sequence
from functools import lru_cache

from rich.cells import cell_len
from rich.segment import Segment

from backlit.model.amounts import counted
from backlit.store.records.item import FieldNews
from backlit.store.records.merge import is_empty, is_long
from backlit.store.store import Store
from backlit.tui.dialogs.reading import changed_lines
from backlit.tui.drawing.text import Line, safe, wrapped
from backlit.tui.drawing.themes import ThemeStyles
from backlit.tui.fields.values import label_of, short_words_of, words_of

COLOURS = {"-": "conflict", "+": "status-done"}
"""Colours of removed and added lines."""
HANGING, LABEL_WIDTH = 2, 13


def change_words(store: Store, field: FieldNews) -> str:
    label = label_of(field.key)
    if is_text_change(field):
        return f"{label} ({line_count(field)})"
    before, after = (short_words_of(store, field.key, each) for each in (field.before, field.after))
    return f"{label} {before} → {after}"


def fields_lines(
    store: Store,
    fields: Sequence[FieldNews],
    width: int,
    theme: ThemeStyles,
    most: int,
    *,
    is_brief: bool = False,
    is_new: bool = False,
) -> Iterator[Line]:
    """Yield changed fields: both values of each, then below its label the changed lines of each text.

    A field ends after `most` lines, and the line of a text that it began, with the number of changed lines left. In
    brief there are no blank lines, and no unchanged lines around the changed ones. Of a new item, only the values that
    it began with are shown.
    """
    fields = [each for each in fields if not (is_new and is_empty(each.after))]
    labels = {each.key: safe(label_of(each.key)) for each in fields}
    label_width = max([LABEL_WIDTH - 2, *map(cell_len, labels.values())])
    for field in short_first(fields):
        label = Segment(labels[field.key] + " " * (label_width + 2 - cell_len(labels[field.key])), theme.style("muted"))
        if not is_text_change(field):
            words = both_words(store, field)[is_new:]
            lines = wrapped(" → ".join(words), max(1, width - label.cell_length))
            for at, line in enumerate(lines[:most]):
                yield [Segment(" " * label.cell_length) if at else label, Segment(line, theme.style())]
            yield from _others(len(lines[most:]), theme)
            continue
        yield from () if is_brief else ([],)
        yield [label, Segment(line_count(field), theme.style())]
        changes = [each for each in line_changes(field) if not is_brief or (each[0] in COLOURS and each[1].strip())]
        shown = 0
        for index, (sign, line) in enumerate(changes):
            if shown >= most:
                yield from _others(sum(each in COLOURS for each, _ in changes[index:]), theme)
                break
            style = theme.style(COLOURS.get(sign, "muted"))
            for at, part in enumerate(wrapped(line, width - HANGING) if line.strip() or sign in COLOURS else ()):
                yield [Segment(f"{' ' if at else sign} {part}", style)]
                shown += 1


def _others(count: int, theme: ThemeStyles) -> Iterator[Line]:
    if count:
        yield [Segment(f"{' ' * HANGING}… {counted(count, 'more line')}", theme.style("muted"))]


def short_first(fields: Sequence[FieldNews]) -> Sequence[FieldNews]:
    return sorted(fields, key=is_text_change)


def is_text_change(field: FieldNews) -> bool:
    return is_long(field.key, field.before, field.after)


def both_words(store: Store, field: FieldNews) -> tuple[str, str]:
    return words_of(store, field.key, field.before), words_of(store, field.key, field.after)


def line_count(field: FieldNews) -> str:
    lines = line_changes(field)
    more, less = (sum(each == sign for each, _ in lines) for sign in "+-")
    signed = " ".join(part for part in (f"+{more}" if more else "", f"−{less}" if less else "") if part)
    return f"{signed} {'line' if more + less == 1 else 'lines'}"


def line_changes(field: FieldNews) -> Sequence[tuple[str, str]]:
    """Return the changed lines of a text, each after its sign: + for added, - for removed."""
    return _changed_lines(str(field.before or ""), str(field.after or ""))


@lru_cache(64)
def _changed_lines(before: str, after: str) -> Sequence[tuple[str, str]]:
    """Compare two texts once for all drawings of a change."""
    return tuple(changed_lines(before.splitlines(), after.splitlines()))
