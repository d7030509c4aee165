"""The values that a column or a value of a file may become, as choices of the picker."""

from collections.abc import Iterable, Sequence

from backlit.imports.mapping_rows import MappingRow, MappingTable
from backlit.model.fields import FIELD_BY_KEY, ItemType
from backlit.model.import_mappings import COLUMN_VALUES
from backlit.store.records.people import TreeKind
from backlit.store.store import Store
from backlit.tui.dialogs.pick import Choice
from backlit.tui.imports.import_list import LEFT_OUT, ROLE_LABELS

_DOUBLED = {"tags", "description"}
"""Words of mapping files for what a field's key says too."""
PRIORITIES = range(1, 6)
LINKS = ("Blocks", "Blocked by", "Relates to", "Duplicate of")


def choices_of(store: Store, row: MappingRow) -> Sequence[Choice]:
    match row.table:
        case MappingTable.COLUMNS:
            return [*_columns(store)]
        case MappingTable.TYPES:
            return [Choice(each.value, each.value) for each in ItemType]
        case MappingTable.STATUSES:
            statuses = dict.fromkeys(each for item_type in row.types for each in store.lookups.statuses(item_type))
            return [Choice(each, each, _types_with(store, row, each)) for each in statuses]
        case MappingTable.PRIORITIES:
            return [Choice(str(each), str(each), "the most urgent" if each == 1 else "") for each in PRIORITIES]
        case MappingTable.PEOPLE:
            people = sorted(store.lookups.people().values(), key=lambda person: person.display_name.casefold())
            found = [Choice(each.username, each.display_name, each.username) for each in people]
            return [Choice("", "unassigned", "the name is kept in the description"), *found]
        case MappingTable.ITERATIONS:
            return [Choice("", "the backlog"), *_iterations(store, row)]


def types_with(store: Store, row: MappingRow, status: str) -> list[str]:
    """Return the types of a row's items that have a status."""
    return [each for each in row.types if status in store.lookups.statuses(each)]


def _types_with(store: Store, row: MappingRow, status: str) -> str:
    types = types_with(store, row, status)
    return ", ".join(types) if len(types) < len(row.types) else ""


def _columns(store: Store) -> Iterable[Choice]:
    yield Choice(LEFT_OUT, ROLE_LABELS[LEFT_OUT])
    for word in COLUMN_VALUES:
        if word not in {LEFT_OUT, *_DOUBLED}:
            yield Choice(word, ROLE_LABELS.get(word) or FIELD_BY_KEY[word].label)
    for field in store.lookups.custom_fields():
        yield Choice(field.key, field.label, "own field")
    for kind in LINKS:
        yield Choice(f"link:{kind}", kind, "link")


def _iterations(store: Store, row: MappingRow) -> Iterable[Choice]:
    tree = store.lookups.tree(TreeKind.ITERATIONS)
    paths = [path for node in tree.walk() if (path := tree.path(node.id).partition("\\")[2])]
    # Where the name is a path, it begins with the other project.
    own = "" if "\\" in row.name else row.name
    for path in dict.fromkeys([row.value, own, *paths]):
        if path:
            yield Choice(path, path.replace("\\", " › "), "" if path in paths else "to create")
