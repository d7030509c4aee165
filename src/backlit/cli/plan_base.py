"""What items are as a plan's text has it, so that it can be compared with what they become."""

from collections.abc import Mapping

from backlit.store.plan_draft import Values
from backlit.store.plan_text import Was, cell


def was_of(values: Values, owners: Mapping[int, str]) -> Was:
    """The values of an item in the fields that are planned, as they are written; `owners` are user names by id."""
    place, estimate, owner = values["IterationID"], values["Estimate"], values["AssignedToID"]
    return Was(
        place if isinstance(place, int) else None,
        cell(None if estimate is None else str(estimate)),
        cell(owner_name(owner, owners) if isinstance(owner, int) else None),
    )


def owner_name(owner_id: int, owners: Mapping[int, str]) -> str:
    """What an owner is called; somebody who is not licensed any more by the number."""
    return owners.get(owner_id, f"user {owner_id}")
