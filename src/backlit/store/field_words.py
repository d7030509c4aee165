"""Values of fields as people read them, and the inverse, against what the project has."""

from collections.abc import Iterable, Sequence

from backlit.model.errors import BadRequest
from backlit.model.field_values import NOTHING, read_tags, read_text, show, write
from backlit.model.fields import FEATURE_ID, Field, Kind
from backlit.model.query import NameKind
from backlit.store.records.people import TreeKind
from backlit.store.store import Store


class FieldWords:
    """Values as people read them; ids without a name read as what they are."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def shown(self, field: Field, value: object) -> str:
        """Return a value as screens write it, in one line; a long text as its first line and the line count.

        It is not made safe.
        """
        if field.kind is Kind.LONG_TEXT:
            return self.written(field, value)
        if field.key == FEATURE_ID and isinstance(value, int):
            return self.reference(Kind.ITEM, value)
        return show(field, value, self.reference, self._store.today())

    def written(self, field: Field, value: object) -> str:
        """Return a value as `FieldReading` reads it, with a status and a choice in the server's own words."""
        text = write(field, value, self.reference)
        if field.kind is not Kind.LONG_TEXT or not isinstance(value, str):
            return text
        lines = self.lines_of(text)
        first = next((line for line in lines if line.strip()), "")
        return first if len(lines) < 2 else f"{first}  … {len(lines)} lines"

    def lines_of(self, text: str) -> Sequence[str]:
        """Return the lines of a long text."""
        return text.splitlines()

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


class FieldReading:
    """The inverse of FieldWords, against what the project has."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def read(self, field: Field, item_type: str, text: str) -> object:
        """Return the value that a text means; raises BadRequest with a sentence."""
        text = text.strip()
        if field.kind is Kind.TAGS:
            return read_tags(text)
        if text in ("", NOTHING):
            return None
        match field.kind:
            case Kind.CHOICE | Kind.STATUS:
                return self._choice(field, item_type, text)
            case Kind.USER | Kind.TEAM | Kind.AREA | Kind.ITERATION:
                return self._named(field, text)
        return read_text(field, text, self._store.today())

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
