"""Values of fields as text, texts as values, and texts merged with their own line endings."""

import csv
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import date

from backlit.model.amounts import plain_estimate
from backlit.model.errors import BadRequest
from backlit.model.fields import FIELD_BY_KEY, Field, Kind, Settable, choice_word
from backlit.model.query import NameKind
from backlit.model.statuses import status_word
from backlit.store.records.item import Item
from backlit.store.records.people import TreeKind
from backlit.store.store import Store
from backlit.tui.fields.dates import day_text, holds_days

NOTHING = "–"
_WHOLE = re.compile(r"[+-]?\d{1,18}", re.ASCII)
_NUMBER = re.compile(r"[+-]?(?:\d+(?:[.,]\d*)?|[.,]\d+)(?:e[+-]?\d{1,2})?", re.ASCII | re.IGNORECASE)
_SHOWN = 24


def number_text(value: float) -> str:
    """Return a number without a needless fraction."""
    text = repr(value)
    return text.removesuffix(".0")


def typed_text(value: object) -> str:
    if value is None:
        return ""
    if isinstance(value, int | float) and not isinstance(value, bool):
        return number_text(value)
    return str(value)


def tags_text(tags: Iterable[str]) -> str:
    """Return tags with commas between them, and quotes around a tag that contains a comma."""
    return ", ".join('"{}"'.format(tag.replace('"', '""')) if "," in tag or tag[:1] == '"' else tag for tag in tags)


def read_tags(text: str) -> list[str]:
    """Return the tags of a text; the inverse of `tags_text`."""
    found = next(csv.reader([" ".join(text.splitlines())], skipinitialspace=True), [])
    return list(dict.fromkeys(tag.strip() for tag in found if tag.strip() not in {"", NOTHING}))


def is_replaced(field: Field, value: object) -> bool:
    """Return whether typing replaces the value that a prompt for the field holds; a text such as a name is edited."""
    return field.kind is not Kind.TEXT or field.key == "Estimate" or holds_days(field, value)


def read_text(field: Field, text: str) -> object:
    """Return the value that a typed text means; empty is None. Raises BadRequest with a sentence."""
    text = text.strip()
    read = _READERS.get(field.kind)
    if read is None:
        return plain_estimate(text) if field.key == "Estimate" else text
    return read(field, text) if text else None


def read_typed(field: Field, text: str, value: object, today: date) -> object:
    """Return the same as `read_text`, but a date for words such as fri in a field that holds days."""
    return day_text(text, today) if text.strip() and holds_days(field, value) else read_text(field, text)


def _whole(field: Field, text: str) -> int:
    text = text.removeprefix("#") if field.kind is Kind.ITEM else text
    if not _WHOLE.fullmatch(text):
        raise BadRequest(f"{field.label} is a whole number, such as 3; “{text[:_SHOWN]}” is not.")
    return int(text)


def _number(field: Field, text: str) -> float:
    if not _NUMBER.fullmatch(text):
        raise BadRequest(f"{field.label} is a number, such as 2.5 or 2,5; “{text[:_SHOWN]}” is not.")
    return int(text) if _WHOLE.fullmatch(text) else float(text.replace(",", "."))


_READERS: Mapping[Kind, Callable[[Field, str], object]] = {
    Kind.INTEGER: _whole,
    Kind.NUMBER: _number,
    Kind.ITEM: _whole,
    Kind.TEAM: _whole,
}


def value_word(field: Field, value: str) -> str:
    """Return a status or choice as screens write it; the text of another field as it is."""
    if field.kind is Kind.STATUS:
        return status_word(value)
    return choice_word(value) if field.kind is Kind.CHOICE else value


class FieldWords:
    """Values as people read them; ids without a name read as what they are."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def shown(self, field: Field, value: object) -> str:
        """Return a value as screens write it, in one line; a long text as its first line and the line count.

        It is not made safe.
        """
        return value_word(field, self.written(field, value))

    def written(self, field: Field, value: object) -> str:
        """Return a value as `FieldReading` reads it, with a status and a choice in the server's own words."""
        if value is None or value in ("", []):
            return NOTHING
        if isinstance(value, bool):
            return "yes" if value else "no"
        if isinstance(value, list | tuple):
            return tags_text(map(str, value))
        if isinstance(value, int) and field.kind in _REFERENCES:
            return self.reference(field.kind, value)
        if isinstance(value, int | float):
            return number_text(round(value, 2)) if field.kind is Kind.COMPUTED else number_text(value)
        return _first_line(str(value)) if field.kind is Kind.LONG_TEXT else str(value)

    def reference(self, kind: Kind, value: int) -> str:
        store = self._store
        if kind is Kind.USER:
            person = store.everybody.person(value)
            return person.display_name if person else f"user {value}"
        if kind is Kind.TEAM:
            return store.lookups.teams().get(value) or f"team {value}"
        if kind is Kind.ITEM:
            item = store.item(value)
            return f"#{value} {item.fields.get('Name') or ''}" if item else f"#{value}"
        tree = store.lookups.tree(_TREES[kind])
        return tree.path(value).replace("\\", " › ") if value in tree else f"{kind.value} {value}"


_TREES = {Kind.AREA: TreeKind.AREAS, Kind.ITERATION: TreeKind.ITERATIONS}
_REFERENCES = frozenset({Kind.USER, Kind.TEAM, Kind.ITEM, *_TREES})


def _first_line(text: str) -> str:
    from backlit.tui.drawing.html import is_html  # commands read values too, and never load Textual

    lines = _html_lines(text) if is_html(text) else text.splitlines()
    first = next((line for line in lines if line.strip()), "")
    return first if len(lines) < 2 else f"{first}  … {len(lines)} lines"


def _html_lines(text: str) -> list[str]:
    """Return the words of an HTML text, a line for each of its blocks."""
    from backlit.tui.drawing.html import html_tokens

    blocks = ("".join(child.content for child in token.children or ()) for token in html_tokens(text))
    return [line for block in blocks for line in block.splitlines() if line.strip()]


# Values of other items


def label_of(key: str) -> str:
    """Return the name of a field; the key of a custom field."""
    field = FIELD_BY_KEY.get(key)
    return field.label if field else key


def words_of(store: Store, key: str, value: object) -> str:
    """Return a whole value as text: an id without a name as what it is, an unset value as –."""
    if value is None or value in ("", []):
        return "–"
    field = FIELD_BY_KEY.get(key)
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, list):
        return ", ".join(str(each) for each in value)
    if field is not None and field.kind in _REFERENCES and isinstance(value, int):
        return FieldWords(store).reference(field.kind, value)
    text = number_text(value) if isinstance(value, float) else str(value)
    return value_word(field, text) if field is not None else text


def short_words_of(store: Store, key: str, value: object) -> str:
    """Return a value as lists write it: a user by the user name, an area or an iteration by its own name."""
    field = FIELD_BY_KEY.get(key)
    if field is not None and field.kind is Kind.USER and isinstance(value, int):
        return user_name(store, value)
    return words_of(store, key, value).rsplit(" › ", 1)[-1]


def user_name(store: Store, user_id: int) -> str:
    person = store.everybody.person(user_id)
    return person.username if person else f"user {user_id}"


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


_YES_NO_WORDS = {"yes": True, "no": False, "true": True, "false": False}


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


class FieldReading:
    """The inverse of FieldWords, against what the project has."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def read_at(self, field: Field, item: Item, text: str, line: int, column: int) -> object:
        """Return the checked value that a text means for an item; raises TextFault for a value that it cannot have."""
        from backlit.store.edits.checks import check
        from backlit.tui.fields.acts import DoesNotApply, require_field

        try:
            require_field(field.key, item, self._store.lookups)
            value = self.read(field, item.type, text)
            if isinstance(value, str) and value and holds_days(field, item.fields.get(field.key)):
                value = day_text(value, self._store.today())
            check(item.type, {field.key: value}, self._store.lookups, frozenset({Settable.ALWAYS}))
        except (BadRequest, DoesNotApply) as reason:
            raise TextFault(line, column, str(reason)) from reason
        return value

    def read(self, field: Field, item_type: str, text: str) -> object:
        """Return the value that a text means; raises BadRequest with a sentence."""
        text = text.strip()
        if field.kind is Kind.TAGS:
            return read_tags(text)
        if text in ("", NOTHING):
            return None
        match field.kind:
            case Kind.BOOLEAN:
                if text.casefold() not in _YES_NO_WORDS:
                    raise BadRequest(f"{field.label} is yes or no; “{text[:24]}” is neither.")
                return _YES_NO_WORDS[text.casefold()]
            case Kind.CHOICE | Kind.STATUS:
                return self._choice(field, item_type, text)
            case Kind.USER | Kind.TEAM | Kind.AREA | Kind.ITERATION:
                return self._named(field, text)
        return read_text(field, text)

    def _choice(self, field: Field, item_type: str, text: str) -> str:
        known = {choice.casefold(): choice for choice in self._store.lookups.choices(field, item_type)}
        return known.get(text.casefold(), text)

    def _named(self, field: Field, text: str) -> int:
        found = {number for number, names in self._names(field.kind) if text.casefold() in map(str.casefold, names)}
        if not found and field.kind is Kind.ITERATION:
            found = set(self._store.names.ids(NameKind.ITERATION, text, with_subtree=False))  # current, next, previous
        if len(found) == 1:
            return found.pop()
        if found:
            whole = "the user name" if field.kind is Kind.USER else "its whole path"
            raise BadRequest(f"{field.label} “{text[:60]}” may be several; write {whole}.")
        number = text.rpartition(" ")[2].removeprefix("#")
        if field.kind in {Kind.USER, Kind.TEAM} and number.isdecimal() and len(number) < 16:
            return int(number)
        raise BadRequest(f"There is no {field.label.lower()} “{text[:60]}”.")

    def _names(self, kind: Kind) -> Iterable[tuple[int, tuple[str, ...]]]:
        store = self._store
        if kind is Kind.USER:
            for person in store.lookups.people().values():
                yield person.id, (person.display_name, person.username)
        elif kind is Kind.TEAM:
            for team_id, name in store.lookups.teams().items():
                yield team_id, (name,)
        else:
            tree = store.lookups.tree(TreeKind.AREAS if kind is Kind.AREA else TreeKind.ITERATIONS)
            for node in tree.walk():
                path = tree.path(node.id)
                yield node.id, (node.name, path, path.replace("\\", " › "))
