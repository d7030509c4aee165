"""Description of a text plan's effect."""

from collections.abc import Mapping, Sequence

from backlit.model.plain import plain
from backlit.store.planning.draft import PLANNED
from backlit.store.planning.plan import PlanChange
from backlit.store.planning.text import BACKLOG, NONE
from backlit.store.store import Store

_LABELS = {"IterationID": "", "Estimate": "points ", "AssignedToID": "owner "}


def described(store: Store, difference: Sequence[PlanChange], labels: Mapping[int, str]) -> list[str]:
    """Describe the load of each iteration, then the changes of each item."""
    if not difference:
        return ["Nothing changes."]
    names = {**dict.fromkeys(store.lookups.iterations(), BACKLOG), **labels}
    people = {person.id: person.username for person in store.everybody.known().values()}

    def shown(key: str, value: object) -> str:
        if value is None or value == "":
            return NONE
        found = names if key == "IterationID" else people if key == "AssignedToID" else {}
        return plain(found.get(value, str(value)) if isinstance(value, int) else str(value))

    lines = []
    for change in difference:
        what = f"{change.id}  {plain(change.name, 48)}:  "
        parts = [
            f"{_LABELS[key]}{shown(key, touch.base)} → {shown(key, touch.mine)}"
            for key, touch in sorted(change.fields.items(), key=lambda each: PLANNED.index(each[0]))
        ]
        lines += [f"{what}{', '.join(parts)}"] * bool(parts)
        lines += [
            f"≠ {what}{_LABELS[key]}{shown(key, contest.theirs)} by now, the plan has {shown(key, contest.touch.mine)}"
            for key, contest in change.contests.items()
        ]
    return [*_loads(store, difference, labels), *lines]


def _loads(store: Store, difference: Sequence[PlanChange], labels: Mapping[int, str]) -> list[str]:
    """Describe the iterations with changed points and their capacities."""
    changes = {change.id: {key: touch.mine for key, touch in change.fields.items()} for change in difference}
    places = {value for change in difference for value in (change.place, changes[change.id].get("IterationID"))}
    iterations = store.lookups.iterations()
    found = []
    for place, load in store.plan_preview.loads_now([each for each in labels if each in places], changes).items():
        most = iterations[place].max_capacity
        over = f"  ! {load.points - most:g} over" if most and load.points > most else ""
        found.append(f"{labels[place]}: {load.points:g}{f' of at most {most:g}' if most else ''} points{over}")
    return found
