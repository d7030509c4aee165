"""Plan as text: its export, and the application of an edited one."""

import argparse
import asyncio
import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from functools import partial

from msgspec import Struct

from backlit.cli.changes import ChangeReport, ThingChange, carry_out, write_report
from backlit.cli.commands.items_set import change_row
from backlit.cli.output import announce, write_document, write_json
from backlit.cli.plan_documents import ExportedPlan, plan_document, read_plan_document
from backlit.cli.questions import confirm_estimates
from backlit.cli.synced import counting_changes, read_input, synced_store, wait_while
from backlit.cli.terminal_input import PIPE, can_ask
from backlit.model.amounts import counted
from backlit.model.errors import BacklitError, BadRequest, NameNotFound
from backlit.model.field_values import NOTHING
from backlit.model.fields import FIELD_BY_KEY
from backlit.model.plain import plain
from backlit.store.field_words import FieldWords
from backlit.store.planning.draft import PLANNED, PlannedValue, Touches, Values
from backlit.store.planning.plan import PlanChange
from backlit.store.planning.text import (
    BACKLOG,
    ExportedItem,
    PlanLine,
    cell,
    labels_of,
    plan_text,
    read_base,
    read_plan,
)
from backlit.store.records.entry_values import id_of
from backlit.store.records.item import Item, ItemRow
from backlit.store.records.people import IterationEntry
from backlit.store.store import Store
from backlit.store.views.query import ViewSpec


def export_plan(arguments: argparse.Namespace) -> None:
    with synced_store(arguments) as store:
        if arguments.json:
            write_json(plan_document(exported_plan(store, arguments.iteration, arguments.backlog)))
        else:
            write_document(exported(store, arguments.iteration, arguments.backlog))


def exported(store: Store, names: Sequence[str], backlog: int) -> str:
    """Return the text; raise BadRequest for an unknown iteration."""
    plan = exported_plan(store, names, backlog)
    return plan_text(plan.project, plan.sections, plan.labels, plan.notes, plan.was)


def exported_plan(store: Store, names: Sequence[str], backlog: int) -> ExportedPlan:
    """Return the plan; raise BadRequest for an unknown iteration."""
    iterations = store.plan.iterations
    labels = labels_of(iterations.targets())
    chosen = _named(store, names, labels)
    owners = {person.id: person.username for person in store.lookups.known_people().values()}
    sections = {each.id: _plan_lines(store, frozenset({each.id}), None, owners) for each in chosen}
    unplanned = frozenset(store.lookups.iterations()) - {each.id for each in iterations.targets()}
    sections[iterations.backlog_id] = _plan_lines(store, unplanned, backlog, owners)
    notes = {each.id: _note(each) for each in chosen}
    now = iterations.as_is(line.id for lines in sections.values() for line in lines)
    was = {item_id: was_of(values, owners) for item_id, values in sorted(now.items())}
    project = next((each.name for each in store.lookups.projects() if each.id == store.project_id), "")
    return ExportedPlan(project, chosen, iterations.backlog_id, labels, sections, notes, was)


def _named(store: Store, names: Sequence[str], labels: dict[int, str]) -> list[IterationEntry]:
    targets = store.plan.iterations.targets()
    if names:
        ids_by_label = {label: iteration_id for iteration_id, label in labels.items()}
        wanted = {ids_by_label.get(name) or _iteration_id(store, labels, name) for name in names}
        return [each for each in targets if each.id in wanted]
    return [each for each in targets if not each.is_over(store.today())]


def _iteration_id(store: Store, labels: Mapping[int, str], name: str) -> int:
    """Return the iteration of a name, path, id or word; raise BadRequest unless items can be planned in it."""
    found = store.names.iteration(name)
    if found.id not in labels:
        known = ", ".join(labels.values())
        raise BadRequest(f"{found.name} has iterations of its own; name those. Choose from: {known}.")
    return found.id


def _plan_lines(store: Store, places: frozenset[int], limit: int | None, owners: dict[int, str]) -> list[PlanLine]:
    """Return the lines of an iteration; of a long list, the first ones and those the draft moves in."""
    spec = store.plan_preview.spec(ViewSpec(), places)
    view = store.view(spec, store.plan_preview.laid_over)
    store.run(view.load())
    rows = view.rows(0, view.count or 0 if limit is None else limit)
    listed = {row.id for row in rows}
    places_of_moved = sorted(at for each in spec.planned_in - listed if (at := view.index_of(each)) is not None)
    rows += [row for at in places_of_moved for row in view.rows(at, at + 1)]
    return [PlanLine(row.id, row.estimate, _owner(row, owners), row.name) for row in rows if row.id > 0]


def _owner(row: ItemRow, owners: dict[int, str]) -> str | None:
    return None if row.owner_id is None else owner_name(row.owner_id, owners)


def _note(iteration: IterationEntry) -> str:
    dates = f"{iteration.start or '?'} to {iteration.end or '?'}"
    least, most = iteration.min_capacity, iteration.max_capacity
    if most:
        return f"{dates}, {least or 0:g} to {counted(most, 'point')}"
    return f"{dates}, at least {counted(least, 'point')}" if least else dates


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


def apply_plan(arguments: argparse.Namespace) -> None:
    text = read_input(arguments.file, "plan")
    if arguments.json:
        arguments.wait = None  # that of the settings
    with synced_store(arguments, is_writing=True) as store:
        difference = differing(store, text, is_over_theirs=arguments.mine)
        if arguments.json:
            write_report(arguments, _carried_out(arguments, store, difference), store)
        else:
            announce(described(store, difference, labels_of(store.plan.iterations.targets())))
            _write_confirmed(arguments, store, _changes(difference))
        contested = sum(bool(change.contests) for change in difference)
        if contested:
            was = counted(contested, "change was", "changes were")
            raise BacklitError(
                f"{was} skipped: others changed the same fields. To overwrite their changes, add --mine."
            )


def _write_confirmed(arguments: argparse.Namespace, store: Store, changes: Mapping[int, Values]) -> None:
    if changes and not arguments.dry_run:
        if not arguments.keep_estimates:
            estimates = (values.get("Estimate") for values in changes.values())
            confirm_estimates(estimates, can_answer=arguments.file != PIPE and can_ask())
        asyncio.run(_write(store, changes))


def differing(store: Store, text: str, *, is_over_theirs: bool) -> list[PlanChange]:
    """Compare a text with the store; raise BadRequest for an unreadable line."""
    labels = labels_of(store.plan.iterations.targets())
    backlog_id, iteration_id = store.plan.iterations.backlog_id, partial(_iteration_id, store, labels)
    if text.lstrip().startswith("{"):
        lines, base = read_plan_document(text, labels, backlog_id, iteration_id)
    else:
        lines, base = read_plan(text, labels, backlog_id, iteration_id), read_base(text)
    return _along(store, store.plan.try_out(_wanted(store, lines, base)), is_over_theirs=is_over_theirs)


def _wanted(store: Store, plan: Mapping[int, Sequence[PlanLine]], base: Mapping[int, ExportedItem]) -> Touches:
    """Collect the changes of the lines; raise BadRequest for an unknown item or person."""
    people = {person.username: person.id for person in store.lookups.people().values()}
    items = {item.id: item for item in store.batch.items([line.id for lines in plan.values() for line in lines])}
    now = store.plan.iterations.as_is(items)
    owners = {number: name for name, number in people.items()}
    unplanned = set(store.lookups.iterations()) - {each.id for each in store.plan.iterations.targets()}
    wanted: dict[int, dict[str, PlannedValue]] = {}
    for place, lines in plan.items():
        for line in lines:
            if line.id not in items:
                raise BadRequest(f"This project has no item {line.id}.")
            mine = {"IterationID": place, **_values(items[line.id], line, people)}
            as_is = was_of(now[line.id], owners)
            was = base.get(line.id, as_is)
            wanted[line.id] = dict(PlanLineChange(mine, now[line.id], line, as_is, was).touches(unplanned))
    return wanted


class PlanLineChange(Struct, frozen=True):
    """A line of a plan with its values at export and now, both as text."""

    mine: Values
    now: Values
    line: PlanLine
    as_is: ExportedItem
    was: ExportedItem

    def touches(self, unplanned: AbstractSet[object]) -> Iterator[tuple[str, PlannedValue]]:
        """Return the changes of a line, based on the current value if it is unchanged since the export."""
        mine, now, was, as_is = self.mine, self.now, self.was, self.as_is
        place, stood = mine["IterationID"], now["IterationID"]
        if not _is_one_place(place, was.place, unplanned) and not _is_one_place(place, stood, unplanned):
            yield "IterationID", PlannedValue(stood if _is_one_place(was.place, stood, unplanned) else was.place, place)
        if "Estimate" in mine and self.line.estimate != was.estimate:
            yield (
                "Estimate",
                PlannedValue(now["Estimate"] if was.estimate == as_is.estimate else was.estimate, mine["Estimate"]),
            )
        if "AssignedToID" in mine and self.line.owner != was.owner:
            base = now["AssignedToID"] if was.owner == as_is.owner else was.owner
            yield "AssignedToID", PlannedValue(base, mine["AssignedToID"])


def _is_one_place(one: object, other: object, unplanned: AbstractSet[object]) -> bool:
    return one == other or (one in unplanned and other in unplanned)


_NUMBERED = re.compile(r"user (\d{1,18})", re.ASCII)


def _values(item: Item, line: PlanLine, people: Mapping[str, int]) -> dict[str, object]:
    owner = line.owner or ""
    unknown = _NUMBERED.fullmatch(owner)
    known = people.get(owner, int(unknown[1]) if unknown else None)
    if owner and known is None:
        raise NameNotFound(f"Item {line.id}: unknown user {owner!r}. Known users: {', '.join(people)}.")
    given = {"Estimate": line.estimate, "AssignedToID": known}
    return {key: value for key, value in given.items() if value is not None or FIELD_BY_KEY[key].applies_to(item.type)}


def _along(store: Store, difference: Sequence[PlanChange], *, is_over_theirs: bool) -> list[PlanChange]:
    """Add the tasks that follow their items, and overwrite others' changes if requested."""
    agreed = [change.over_theirs() for change in difference] if is_over_theirs else difference
    changes = _changes(agreed)
    along = store.plan.along(changes)
    now = store.plan.iterations.as_is(along)
    tasks = store.plan.try_out(
        {
            task_id: {key: PlannedValue(now[task_id][key], mine) for key, mine in values.items()}
            for task_id, values in along.items()
            if task_id not in changes
        }
    )
    return [each for change in agreed for each in (change, *(task for task in tasks if task.parent_id == change.id))]


def _changes(difference: Sequence[PlanChange]) -> dict[int, Values]:
    return {each.id: {key: touch.mine for key, touch in each.fields.items()} for each in difference if each.fields}


def _carried_out(arguments: argparse.Namespace, store: Store, difference: Sequence[PlanChange]) -> ChangeReport:
    """Make the changes as one step, and tell what became of each item."""
    words, changes = FieldWords(store), _changes(difference)
    things = [
        ThingChange(
            each.id,
            id_of(each.id),
            tuple(change_row(store, words, key, touch.base, touch.mine) for key, touch in each.fields.items()),
            name=each.name,
        )
        for each in difference
        if each.fields
    ]

    async def act(_: Sequence[ThingChange]) -> None:
        await store.plan.stage(changes)
        await store.plan.commit(change for change in store.plan.difference() if change.id in changes)

    return carry_out(arguments, store, things, act)


async def _write(store: Store, changes: Mapping[int, Values]) -> None:
    with counting_changes(store):
        await store.plan.stage(changes)
        written = await store.plan.commit(change for change in store.plan.difference() if change.id in changes)
        await wait_while(store, lambda: _is_sending(store))
    sent = store.plan.sent()
    if sent is not None and sent.held:
        raise BacklitError(
            f"{sent.held} of {sent.total} were rejected by the server. Press go in backlit for the reasons."
        )
    if sent is not None:
        print(
            f"{store.batch.words(written)} saved on this machine."
            " backlit sends the changes when the server is reachable."
        )
        return
    print(f"{store.batch.words(written)} written.")


def _is_sending(store: Store) -> bool:
    """Return True while changes wait, and show the progress on a terminal."""
    sent = store.plan.sent()
    if sent is None or not sent.waiting:
        return False
    if sys.stderr.isatty():
        print(f"\r{sent.done} of {sent.total} sent ", end="", file=sys.stderr, flush=True)
    return True


_LABELS = {"IterationID": "", "Estimate": "points ", "AssignedToID": "owner "}


def described(store: Store, difference: Sequence[PlanChange], labels: Mapping[int, str]) -> list[str]:
    if not difference:
        return ["Nothing changes."]
    names = {**dict.fromkeys(store.lookups.iterations(), BACKLOG), **labels}
    people = {person.id: person.username for person in store.lookups.known_people().values()}

    def shown(key: str, value: object) -> str:
        if value is None or value == "":
            return NOTHING
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
        points = f"{load.points:g} of at most {counted(most, 'point')}" if most else counted(load.points, "point")
        found.append(f"{labels[place]}: {points}{over}")
    return found
