"""The choices for the value of a field."""

from collections.abc import Iterable
from typing import TYPE_CHECKING

from backlit.model.fields import Field, Kind
from backlit.store.records.people import TreeKind
from backlit.tui.drawing.themes import status_sign
from backlit.tui.fields.dates import days_until
from backlit.tui.fields.values import NOTHING, FieldWords
from backlit.tui.widgets.choice_list import Choice

if TYPE_CHECKING:
    from backlit.store.store import Store

PICKED = frozenset({Kind.CHOICE, Kind.STATUS, Kind.AREA, Kind.ITERATION, Kind.TEAM, Kind.USER})
NEVER_EMPTY = frozenset({Kind.STATUS, Kind.AREA, Kind.ITERATION})


def can_be_empty(field: Field) -> bool:
    """Return whether the service takes the field without a value."""
    return not field.required and field.kind not in NEVER_EMPTY


def choices_for(store: "Store", field: Field, item_type: str, value: object) -> list[Choice]:
    """Return the choices: an empty one at the top where allowed, an unknown present value at the end."""
    found = _choices(store, field, item_type)
    if can_be_empty(field):
        found.insert(0, Choice(None, NOTHING, "nothing"))
    if value is not None and all(choice.value != value for choice in found):
        found.append(Choice(value, FieldWords(store).shown(field, value), "present value"))
    return found


def unknown_status(store: "Store", field: Field, types: Iterable[str], value: object) -> str:
    """Return a warning about a status that no item has; empty where the status is known or the service lists them."""
    if field.kind is not Kind.STATUS or any(value in store.lookups.statuses(each) for each in types):
        return ""
    return f"No item here has the status “{value}” yet; the service may refuse it."


def _choices(store: "Store", field: Field, item_type: str) -> list[Choice]:
    match field.kind:
        case Kind.STATUS:
            return [Choice(each, each, status_sign(each)) for each in store.lookups.choices(field, item_type)]
        case Kind.USER:
            people = sorted(store.lookups.people().values(), key=lambda person: person.display_name.casefold())
            return [Choice(person.id, person.display_name, person.username) for person in people]
        case Kind.TEAM:
            return [Choice(team_id, name) for team_id, name in store.lookups.teams().items()]
        case Kind.AREA | Kind.ITERATION:
            tree = store.lookups.tree(TreeKind.AREAS if field.kind is Kind.AREA else TreeKind.ITERATIONS)
            dates = store.lookups.iterations() if field.kind is Kind.ITERATION else {}
            ends = {node_id: entry.end for node_id, entry in dates.items() if entry.end}
            hints = {node_id: days_until(end, store.today()) for node_id, end in ends.items()}
            return [
                Choice(node.id, "  " * tree.depth(node.id) + node.name, hints.get(node.id, "")) for node in tree.walk()
            ]
        case _:
            return [Choice(each, each) for each in store.lookups.choices(field, item_type)]
