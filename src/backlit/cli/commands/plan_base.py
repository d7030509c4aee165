"""Planned fields of items in the form of a text plan, for comparison."""

from collections.abc import Mapping

from backlit.store.planning.draft import Values
from backlit.store.planning.text import ExportedItem, cell


def was_of(values: Values, owners: Mapping[int, str]) -> ExportedItem:
    """Return an item's planned fields as text; `owners` maps ids to user names."""
    place, estimate, owner = values["IterationID"], values["Estimate"], values["AssignedToID"]
    return ExportedItem(
        place if isinstance(place, int) else None,
        cell(None if estimate is None else str(estimate)),
        cell(owner_name(owner, owners) if isinstance(owner, int) else None),
    )


def owner_name(owner_id: int, owners: Mapping[int, str]) -> str:
    """Return an owner's name, or the number of a user without a licence."""
    return owners.get(owner_id, f"user {owner_id}")
