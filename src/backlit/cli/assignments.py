"""`FIELD=VALUE` of a command line: fields by the names of queries, values as people write them."""

import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from backlit.cli.synced import read_input
from backlit.cli.terminal_input import PIPE
from backlit.model.amounts import points_of
from backlit.model.errors import BadRequest, NameNotFound, StorageError, UnknownName, UsageFault
from backlit.model.field_values import number_text, read_tags
from backlit.model.fields import FIELD_BY_KEY, Field, Kind
from backlit.model.filters import POINTS
from backlit.model.nearest import did_you_mean
from backlit.model.plain import plain
from backlit.model.query import NameKind
from backlit.model.query.keys import all_keys, field_named
from backlit.store.field_words import FieldReading
from backlit.store.records.item import Item
from backlit.store.records.merge import is_same
from backlit.store.records.people import TreeKind
from backlit.store.store import Store

_WRITTEN = re.compile(r"(?P<name>[^\W\d]\w*)(?P<operator>\+=|-=|=)(?P<text>.*)", re.DOTALL)
_REFERENCES = frozenset({Kind.USER, Kind.TEAM, Kind.AREA, Kind.ITERATION, Kind.ITEM})
_NUMBERS = frozenset({Kind.INTEGER, Kind.NUMBER})
_TEXTS = frozenset({Kind.TEXT, Kind.LONG_TEXT})
NONE, BACKLOG = "none", "backlog"
_OTHER_NAMES = {"tags": "Tags", "left": "WorkRemaining", "spent": "WorkCompleted", "desc": "Description"}
"""Names of fields beside those of queries."""


class Assignment(NamedTuple):
    """A word `FIELD=VALUE`, `FIELD+=VALUE` or `FIELD-=VALUE`, taken apart."""

    name: str
    operator: str
    text: str


def assignment_in(word: str) -> Assignment | None:
    found = _WRITTEN.fullmatch(word)
    return Assignment(found["name"], found["operator"], found["text"]) if found else None


def parted(words: Iterable[str]) -> tuple[list[str], list[Assignment]]:
    """Return the words that are no assignments, and the assignments."""
    others: list[str] = []
    assignments: list[Assignment] = []
    for word in words:
        found = assignment_in(word)
        if found is None:
            others.append(word)
        else:
            assignments.append(found)
    return others, assignments


class AssignmentReader:
    """Reads assignments against what the project has; `takes_files` for those where @FILE stands for its text."""

    def __init__(self, store: Store, *, takes_files: bool = True) -> None:
        self._store = store
        self._takes_files = takes_files
        self._reading = FieldReading(store)
        self._files: dict[str, str] = {}
        """Texts of files that were read, as standard input can be read only once."""

    def field(self, name: str) -> Field:
        """Return the field of a name; raise UnknownName, BadRequest for one that nobody sets."""
        custom = self._store.lookups.custom_fields()
        found = FIELD_BY_KEY.get(_OTHER_NAMES.get(name.lower(), "")) or field_named(name, custom)
        if found is None:
            known = [*all_keys(custom), *_OTHER_NAMES]
            near = did_you_mean(name, known) or " “backlit help columns” lists the names."
            raise UnknownName(f"There is no field “{plain(name, 60)}”.{near}")
        if found.key == POINTS:
            return FIELD_BY_KEY["Estimate"]
        return found

    def changes(self, assignments: Sequence[Assignment], item_type: str, item: Item | None = None) -> dict[str, object]:
        """Return the values to set, by the keys of fields. Raises BadRequest or a kind of it."""
        values: dict[str, object] = {}
        for each in assignments:
            field = self.field(each.name)
            now = values.get(field.key, item.fields.get(field.key) if item else None)
            values[field.key] = self._value(field, each, item_type, now)
        return values

    def _value(self, field: Field, written: Assignment, item_type: str, now: object) -> object:
        text = self._text(field, written.text)
        if written.operator == "=":
            return self.value(field, text, item_type)
        sign = 1 if written.operator == "+=" else -1
        if field.kind is Kind.TAGS:
            return _other_tags(now, read_tags(text), sign)
        if field.kind in _NUMBERS or field.key == "Estimate":
            change, before = points_of(text), points_of(str(now)) if now not in {None, ""} else 0.0
            if change is None or before is None:
                raise BadRequest(
                    f"{field.label}: {plain(text, 24) if change is None else plain(str(now), 24)} is no number."
                )
            after = before + sign * change
            if field.key == "Estimate":
                return number_text(after)
            return int(after) if after.is_integer() else after
        raise UsageFault(f"{field.label} takes {written.name}=VALUE; {written.operator} is for tags and numbers.")

    def _text(self, field: Field, text: str) -> str:
        if not self._takes_files or field.kind not in _TEXTS or not text.startswith("@") or len(text) == 1:
            return text
        name = text[1:]
        if name not in self._files:
            if name != PIPE and not Path(name).exists():
                raise StorageError(
                    f"There is no file {plain(name, 200)}. For a text that begins with @, write it in a file."
                )
            self._files[name] = read_input(name, field.label.lower())
        written = self._files[name]
        return written if field.kind is Kind.LONG_TEXT else written.rstrip("\n")

    def value(self, field: Field, text: str, item_type: str) -> object:
        """Return the value that a text means for a type of item; an empty one is none. Raises BadRequest."""
        if field.kind in _TEXTS and field.key != "Estimate":
            return text if text or field.required else None
        is_none = not text.strip() or (text.strip().lower() == NONE and field.kind is not Kind.STATUS)
        if field.kind is Kind.ITERATION and (is_none or text.strip().lower() == BACKLOG):
            return self._store.plan.iterations.backlog_id
        if is_none:
            return [] if field.kind is Kind.TAGS else None
        if field.kind is Kind.USER:
            return self._store.names.user(text.strip().removeprefix("@"))
        if field.kind is Kind.ITERATION:
            return self._store.names.iteration(text.strip()).id
        if field.kind is Kind.AREA:
            return self._area(text.strip())
        if field.kind is Kind.TEAM:
            return self._team(text.strip())
        return self._reading.read(field, item_type, text)

    def _area(self, text: str) -> int:
        tree = self._store.lookups.tree(TreeKind.AREAS)
        found = self._store.names.ids(NameKind.AREA, text, with_subtree=False)
        if not found and text.isascii() and text.isdigit() and int(text) in tree:
            found = frozenset({int(text)})
        return _only(found, "area", text, [tree.path(node.id) for node in tree.walk()])

    def _team(self, text: str) -> int:
        found = self._store.names.ids(NameKind.TEAM, text, with_subtree=False)
        return _only(found, "team", text, list(self._store.lookups.teams().values()))

    def meets(self, item: Item, conditions: Sequence[Assignment]) -> bool:
        """Report whether an item has these values."""
        for each in conditions:
            field = self.field(each.name)
            wanted, value = self.value(field, each.text, item.type), item.fields.get(field.key)
            if not (is_same(wanted, value) or (wanted in (None, "", []) and value in (None, "", []))):
                return False
        return True


def conditions_in(words: Sequence[str]) -> list[Assignment]:
    """Return the conditions of `--if`; raise UsageFault for a word of another form."""
    found = [assignment_in(word) for word in words]
    for word, condition in zip(words, found, strict=True):
        if condition is None or condition.operator != "=":
            raise UsageFault(f"--if takes FIELD=VALUE, such as status=Done; “{plain(word, 40)}” is not.")
    return [condition for condition in found if condition is not None]


def _other_tags(now: object, tags: Sequence[str], sign: int) -> list[str]:
    before = [str(each) for each in now] if isinstance(now, list | tuple) else []
    named = {tag.casefold() for tag in tags}
    if sign < 0:
        return [tag for tag in before if tag.casefold() not in named]
    had = {tag.casefold() for tag in before}
    return [*before, *(tag for tag in tags if tag.casefold() not in had)]


def _only(found: frozenset[int], noun: str, text: str, known: Sequence[str]) -> int:
    if len(found) == 1:
        return next(iter(found))
    if found:
        raise NameNotFound(f"“{plain(text, 60)}” may be several {noun}s. Write the whole path.")
    names: Mapping[str, str] = {name.rpartition("\\")[2]: name for name in known}
    near = did_you_mean(text, names) or f" Known: {', '.join(map(plain, names)) or 'none'}."
    raise NameNotFound(f"There is no {noun} “{plain(text, 60)}”.{near}")
