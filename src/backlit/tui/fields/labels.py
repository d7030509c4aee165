"""Values of fields as people read them: names for ids, words for yes and no."""

from backlit.model.fields import FIELD_BY_KEY, Kind
from backlit.store.records.people import TreeKind
from backlit.store.store import Store


def label_of(key: str) -> str:
    """The name of a field; custom fields are called by their key."""
    field = FIELD_BY_KEY.get(key)
    return field.label if field else key


def words_of(store: Store, key: str, value: object) -> str:
    """A value in words; what has no name reads as its id, what is not set as –."""
    if value is None or value in ("", []):
        return "–"
    field = FIELD_BY_KEY.get(key)
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, list):
        return ", ".join(str(each) for each in value)
    if field is not None and isinstance(value, int):
        return _name(store, field.kind, value) or str(value)
    return f"{value:g}" if isinstance(value, float) else str(value)


def _name(store: Store, kind: Kind, number: int) -> str:
    """The name of what an id stands for; empty where it is not known."""
    match kind:
        case Kind.USER:
            person = store.everybody.person(number)
            return person.display_name if person else f"user {number}"
        case Kind.AREA | Kind.ITERATION:
            tree = store.lookups.tree(TreeKind.AREAS if kind is Kind.AREA else TreeKind.ITERATIONS)
            return tree.path(number).replace("\\", " › ") if number in tree else ""
        case Kind.TEAM:
            return store.lookups.teams().get(number, "")
        case Kind.ITEM:
            item = store.item(number)
            return f"#{number} {item.fields.get('Name') or ''}" if item else f"#{number}"
    return ""
