"""A change of a field in words: both values, or the numbers of added and removed lines of a text."""

from backlit.store.records.item import FieldNews
from backlit.store.records.merge import is_long
from backlit.store.store import Store
from backlit.tui.dialogs.reading import changed_lines
from backlit.tui.fields.values import label_of, words_of


def change_words(store: Store, field: FieldNews) -> str:
    """Return a change of a field in a few words."""
    label = label_of(field.key)
    if is_long(field.key, field.before, field.after):
        return f"{label} ({line_count(field)})"
    before, after = (each.rsplit(" › ", 1)[-1] for each in both_words(store, field))
    return f"{label} {before} → {after}"


def both_words(store: Store, field: FieldNews) -> tuple[str, str]:
    """Return both values of a changed field as lists write them."""
    return words_of(store, field.key, field.before), words_of(store, field.key, field.after)


def line_count(field: FieldNews) -> str:
    """Return the numbers of added and removed lines of a text."""
    lines = line_changes(field)
    more, less = (sum(each == sign for each, _ in lines) for sign in "+-")
    signed = " ".join(part for part in (f"+{more}" if more else "", f"−{less}" if less else "") if part)
    return f"{signed} {'line' if more + less == 1 else 'lines'}"


def line_changes(field: FieldNews) -> list[tuple[str, str]]:
    """Return the changed lines of a text, each after its sign: + for added, - for removed."""
    before, after = (str(each or "").splitlines() for each in (field.before, field.after))
    return list(changed_lines(before, after))
