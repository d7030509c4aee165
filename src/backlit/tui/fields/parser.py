"""Values as people write them, back from their words: names for ids, yes and no, tags with commas."""

from collections.abc import Iterable
from typing import TYPE_CHECKING

from backlit.model.errors import BadRequest
from backlit.model.fields import Field, Kind, Settable
from backlit.store.edits.checks import check
from backlit.store.records.item import Item
from backlit.store.records.people import TreeKind
from backlit.tui.fields.acts import DoesNotApply, need
from backlit.tui.fields.dates import day_text, holds_days
from backlit.tui.fields.values import NOTHING, read_tags, read_text

if TYPE_CHECKING:
    from backlit.store.store import Store

_WORDS = {"yes": True, "no": False, "true": True, "false": False}


class TextFault(Exception):
    """A fault in a text and its place; lines and columns count from 1."""

    def __init__(self, line: int, column: int, sentence: str) -> None:
        super().__init__(f"Line {line}, column {column}: {sentence}")
        self.line = line
        self.column = column


class FieldReading:
    """The inverse of FieldWords, against what the project has."""

    def __init__(self, store: "Store") -> None:
        self._store = store

    def read_at(self, field: Field, item: Item, text: str, line: int, column: int) -> object:
        """Return the checked value that a text means for an item; raises TextFault for a value that it cannot have."""
        try:
            need(field.key, item, self._store.lookups)
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
                if text.casefold() not in _WORDS:
                    raise BadRequest(f"{field.label} is yes or no; “{text[:24]}” is neither.")
                return _WORDS[text.casefold()]
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
