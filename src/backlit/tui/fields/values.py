"""Values of fields on the screens, and texts merged with their own line endings."""

from collections.abc import Sequence

from backlit.model.errors import BadRequest
from backlit.model.field_values import day_text, holds_days, show
from backlit.model.fields import FIELD_BY_KEY, TOP_LEVEL, Field, Kind, Settable, custom_field
from backlit.model.query.keys import field_named
from backlit.store.field_words import FieldReading, FieldWords
from backlit.store.records.entry import ITEM_PLACES
from backlit.store.records.item import Item
from backlit.store.store import Store
from backlit.tui.drawing.html_shape import is_html
from backlit.tui.drawing.themes import owner_colour


def is_replaced(field: Field, value: object) -> bool:
    """Return whether typing replaces the value that a prompt for the field holds; a text such as a name is edited."""
    return field.kind is not Kind.TEXT or field.key == "Estimate" or holds_days(field, value)


class ScreenFieldWords(FieldWords):
    """Values as the screens write them: a text in HTML by its words."""

    def lines_of(self, text: str) -> Sequence[str]:
        return _html_lines(text) if is_html(text) else super().lines_of(text)


def _html_lines(text: str) -> list[str]:
    """Return the words of an HTML text, a line for each of its blocks."""
    from backlit.tui.drawing.html import html_tokens  # 2 ms of the start, for texts in HTML alone

    blocks = ("".join(child.content for child in token.children or ()) for token in html_tokens(text))
    return [line for block in blocks for line in block.splitlines() if line.strip()]


# Values of other items


def label_of(key: str) -> str:
    """Return the name of a field."""
    field = FIELD_BY_KEY.get(key) or next((each for each in TOP_LEVEL if each.key == key), None)
    return (field or custom_field(key, Kind.TEXT)).label


def words_of(store: Store, key: str, value: object) -> str:
    """Return a whole value as text: an id without a name as what it is, an unset value as –."""
    if key == "projectId":
        return next((each.name for each in store.lookups.projects() if each.id == value), f"project {value}")
    if key == "IterationID" and value is not None and value == store.plan.iterations.place_of(None):
        return "backlog"
    field = field_named(key, store.lookups.custom_fields()) or custom_field(key, Kind.TEXT)
    return show(field, value, FieldWords(store).reference, store.today())


def short_words_of(store: Store, key: str, value: object) -> str:
    """Return a value as lists write it: a user by the user name, an area or an iteration by its own name."""
    field = FIELD_BY_KEY.get(key)
    if field is not None and field.kind is Kind.USER and isinstance(value, int):
        return user_name(store, value)
    return own_words_of(store, key, value)


def own_words_of(store: Store, key: str, value: object) -> str:
    """Return a value as text, an area or an iteration by its own name."""
    words = words_of(store, key, value)
    return words.rpartition(" › ")[2] if key in ITEM_PLACES else words


def user_name(store: Store, user_id: int) -> str:
    person = store.everybody.person(user_id)
    return person.username if person else f"user {user_id}"


def user_colour(store: Store, user_id: int | None) -> str:
    """Return the colour of a user's name; nobody has a faint one."""
    return "faint" if user_id is None else owner_colour(user_id, sorted(store.lookups.known_people()))


def author_colour(store: Store, name: str) -> str:
    """Return the colour of a user by one of their names; that of texts for an unknown one."""
    people = store.lookups.known_people()
    author = next((each for each in people.values() if name in {each.username, each.display_name}), None)
    return "foreground" if author is None else owner_colour(author.id, sorted(people))


# Line endings

NEWLINES = ("\n", "\r\n", "\r")


def merged(raw: str, lines: Sequence[str]) -> str:
    """Put the lines of an editor back into the text they came from.

    An editor knows one kind of line ending and breaks lines at several signs; what it shows unchanged at the
    beginning and at the end stays byte for byte, lines in between get the text's first kind of ending.
    """
    before, endings = _lines_and_endings(raw)
    same = min(len(before), len(lines))
    head = next((index for index in range(same) if before[index] != lines[index]), same)
    same -= head
    tail = next((index for index in range(same) if before[-1 - index] != lines[-1 - index]), same)
    newline = next((ending for ending in endings if ending in NEWLINES), "\n")
    middle = [newline] * (len(lines) - head - tail)
    kept = [*endings[:head], *middle, *endings[len(endings) - tail :]]
    last = kept[-1] if tail or head == len(lines) == len(before) else ""
    joined = "".join(line + (ending or newline) for line, ending in zip(lines[:-1], kept[:-1], strict=True))
    return joined + "".join(lines[-1:]) + last


def taken_back(raw: str, written: str) -> str:
    """Return a text as an external editor left it, without the newline that the editor adds, and `merged`."""
    if not raw.endswith(NEWLINES):
        ending = next((each for each in ("\r\n", "\n", "\r") if written.endswith(each)), "")
        written = written.removesuffix(ending)
    if written == raw:
        return raw
    return merged(raw, lines_of(written))


def lines_of(raw: str) -> list[str]:
    return _lines_and_endings(raw)[0]


def _lines_and_endings(raw: str) -> tuple[list[str], list[str]]:
    lines = raw.splitlines()
    endings = [whole[len(line) :] for whole, line in zip(raw.splitlines(keepends=True), lines, strict=True)]
    if not raw or raw.endswith(NEWLINES):
        return [*lines, ""], [*endings, ""]
    return lines, endings


MOST_FAULTS = 11
"""Faults of a text that are shown after its first."""


class TextFault(Exception):
    """A fault in a text and its place, with the faults after it; lines and columns count from 1."""

    def __init__(self, line: int, column: int, sentence: str, others: Sequence["TextFault"] = ()) -> None:
        more = [f"{len(others) - MOST_FAULTS:,} more."] if len(others) > MOST_FAULTS else []
        shown = [f"Line {line}, column {column}: {sentence}", *map(str, others[:MOST_FAULTS]), *more]
        super().__init__("\n".join(shown))
        self.sentence = sentence
        self.line = line
        self.column = column


def raise_all(faults: Sequence[TextFault]) -> None:
    """Raise the faults of a text as one; does nothing without any."""
    if faults:
        first = faults[0]
        raise TextFault(first.line, first.column, first.sentence, faults[1:])


class TextReading(FieldReading):
    """Reads values in a text that is edited outside; a fault has its place."""

    def read_at(self, field: Field, item: Item, text: str, line: int, column: int) -> object:
        """Return the checked value that a text means for an item; raises TextFault for a value that it cannot have."""
        from backlit.store.edits.checks import check
        from backlit.tui.fields.field_edits import DoesNotApply, require_field

        try:
            require_field(field.key, item, self._store.lookups)
            value = self.read(field, item.type, text)
            if isinstance(value, str) and value and holds_days(field, item.fields.get(field.key)):
                value = day_text(value, self._store.today())
            check(item.type, {field.key: value}, self._store.lookups, frozenset({Settable.ALWAYS}))
        except (BadRequest, DoesNotApply) as reason:
            raise TextFault(line, column, str(reason)) from reason
        return value
