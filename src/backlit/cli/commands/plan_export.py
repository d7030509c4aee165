"""Export of the plan as text."""

import argparse
import asyncio
from collections.abc import Sequence

from backlit.cli.commands.plan_base import owner_name, was_of
from backlit.cli.synced import synced_store
from backlit.model.errors import BadRequest
from backlit.store.planning.text import PlanLine, labels_of, plan_text
from backlit.store.records.item import Row
from backlit.store.records.people import IterationEntry
from backlit.store.store import Store
from backlit.store.views.query import ViewSpec


def run(arguments: argparse.Namespace) -> None:
    """Write the named iterations, or all that have not ended, and the top of the backlog if requested."""
    with synced_store(arguments) as store:
        print(exported(store, arguments.iteration, arguments.backlog), end="")


def exported(store: Store, names: Sequence[str], backlog: int) -> str:
    """Return the text; raise BadRequest for an unknown iteration."""
    iterations = store.plan.iterations
    labels = labels_of(iterations.targets())
    chosen = _named(store, names, labels)
    owners = {person.id: person.username for person in store.everybody.known().values()}
    sections = {each.id: _lines(store, frozenset({each.id}), None, owners) for each in chosen}
    unplanned = frozenset(store.lookups.iterations()) - {each.id for each in iterations.targets()}
    sections[iterations.backlog_id] = _lines(store, unplanned, backlog, owners)
    notes = {each.id: _note(each) for each in chosen}
    now = iterations.as_is(line.id for lines in sections.values() for line in lines)
    was = {item_id: was_of(values, owners) for item_id, values in sorted(now.items())}
    project = next((each.name for each in store.lookups.projects() if each.id == store.project_id), "")
    return plan_text(project, sections, labels, notes, was)


def _named(store: Store, names: Sequence[str], labels: dict[int, str]) -> list[IterationEntry]:
    targets = store.plan.iterations.targets()
    unknown = set(names) - set(labels.values())
    if unknown:
        raise BadRequest(f"Unknown iteration {min(unknown)!r}. Choose from: {', '.join(labels.values())}.")
    if names:
        return [each for each in targets if labels[each.id] in names]
    return [each for each in targets if each.end is None or each.end >= store.today()]


def _lines(store: Store, places: frozenset[int], limit: int | None, owners: dict[int, str]) -> list[PlanLine]:
    """Return the lines of an iteration; of a long list, the first ones and those the draft moves in."""
    spec = store.plan_preview.spec(ViewSpec(), places)
    view = store.view(spec, store.plan_preview.laid_over)
    asyncio.run(view.load())
    rows = view.rows(0, view.count or 0 if limit is None else limit)
    listed = {row.id for row in rows}
    places_of_moved = sorted(at for each in spec.planned_in - listed if (at := view.index_of(each)) is not None)
    rows += [row for at in places_of_moved for row in view.rows(at, at + 1)]
    return [PlanLine(row.id, row.estimate, _owner(row, owners), row.name) for row in rows if row.id > 0]


def _owner(row: Row, owners: dict[int, str]) -> str | None:
    return None if row.owner_id is None else owner_name(row.owner_id, owners)


def _note(iteration: IterationEntry) -> str:
    dates = f"{iteration.start or '?'} to {iteration.end or '?'}"
    least, most = iteration.min_capacity, iteration.max_capacity
    limits = f", {least or 0:g} to {most:g} points" if most else f", at least {least:g} points" if least else ""
    return dates + limits
