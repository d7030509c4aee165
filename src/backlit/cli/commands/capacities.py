"""What people can do in an iteration, or usually in the sprints of the project, as the server keeps it."""

import argparse
from collections.abc import Mapping

from msgspec.structs import replace

from backlit.cli.changes import ChangeReport, ChangeState, FieldChangeRow, ThingChange, confirm_count, write_report
from backlit.cli.listing import Column, Row, chosen_columns, write_rows
from backlit.cli.synced import synced_store
from backlit.model.amounts import hours_of, points_of
from backlit.model.errors import BadRequest, Offline, UsageFault
from backlit.model.plain import plain
from backlit.model.planning import PersonalCapacity
from backlit.store.records.changes import ConnectionState
from backlit.store.store import Store
from backlit.store.views.lookups import USUAL_CAPACITIES

USUAL, NONE = "usual", "none"
_COLUMNS = (
    Column("user", "User"),
    Column("points", "Points", is_right=True),
    Column("hours", "Hours", is_right=True),
    Column("name", "Name"),
    Column("daysOff", "Days off", is_usual=False),
)


def change_capacities(arguments: argparse.Namespace) -> int:
    """Change capacities at once, as the screens do: they do not wait in the outbox. Without changes list them."""
    wanted = [_parted(word) for word in arguments.words]
    columns = chosen_columns(arguments, _COLUMNS) if not wanted else []
    with synced_store(arguments, is_writing=bool(wanted)) as store:
        if not store.capacities.is_offered:
            raise BadRequest(
                "The server keeps no capacities of people. Write them in config.toml: backlit config edit, [capacity]"
            )
        named = None if arguments.iteration == USUAL else store.names.iteration(arguments.iteration)
        iteration_id = named.id if named else None
        is_online = store.connection.state is ConnectionState.ONLINE
        if is_online:
            store.run(store.capacities.read([iteration_id] if iteration_id else []))
        if not wanted:
            write_rows(arguments, columns, _rows(store, iteration_id), nothing="No capacity was said of anybody.")
            return 0
        store.lookups.need_writer()
        changes = {store.names.user(name): _capacity(text) for name, text in wanted}
        confirm_count(arguments, len(changes), "Change the capacity of", noun="person")
        if not (arguments.dry_run or is_online):
            raise Offline("Capacities are kept by the server, which cannot be reached. No changes were made.")
        report = ChangeReport([_change(store, arguments, each, changes[each], iteration_id) for each in changes])
        return write_report(arguments, report, store)


def _parted(word: str) -> tuple[str, str]:
    name, sign, text = word.partition("=")
    if not (name and sign and text):
        raise UsageFault(f"“{plain(word, 40)}” is no USER=CAPACITY. Write one such as maya=10, jon=8p/60h or ada=none.")
    return name, text


def _capacity(text: str) -> PersonalCapacity:
    """Read `10`, `10p`, `60h`, `10p/60h` or `none`; raise BadRequest."""
    points = hours = None
    for part in () if text == NONE else text.split("/"):
        if part.strip().endswith("h"):
            hours = hours_of(part, "Hours", least=0.0)
            continue
        points = points_of(part)
        if points is None:
            raise BadRequest(f"“{plain(text, 40)}” is no capacity. Write one such as 10, 60h, 8p/60h or none.")
    return PersonalCapacity(points, hours)


def _change(
    store: Store, arguments: argparse.Namespace, user_id: int, capacity: PersonalCapacity, iteration_id: int | None
) -> ThingChange:
    """Change what was said of a person; days off stay as they are."""
    before = store.capacities.said(user_id, iteration_id)
    after = replace(capacity, days_off=before.days_off)
    rows = tuple(
        FieldChangeRow(name, _text(old), _text(new))
        for name, old, new in (("points", before.points, after.points), ("hours", before.hours, after.hours))
        if old != new
    )
    person = store.lookups.known_people()[user_id]
    thing = ThingChange(0, person.username, rows, name=person.display_name)
    if not rows:
        return replace(thing, state=ChangeState.UNCHANGED)
    if arguments.dry_run:
        return thing
    store.run(store.capacities.change(user_id, after, before, iteration_id))
    return replace(thing, state=ChangeState.SAVED)


def _text(amount: float | None) -> str:
    return "–" if amount is None else f"{amount:.10g}"


def _rows(store: Store, iteration_id: int | None) -> list[Row]:
    """Return what was said of people; for an iteration also what follows from what they usually can do."""
    people = store.lookups.known_people()
    if iteration_id is None:
        said: Mapping[int, PersonalCapacity] = store.lookups.capacities().get(USUAL_CAPACITIES, {})
    else:
        said = store.capacities.of(store.lookups.iterations()[iteration_id])
    return [
        {
            "user": people[each].username if each in people else f"user {each}",
            "points": said[each].points,
            "hours": said[each].hours,
            "name": people[each].display_name if each in people else None,
            "daysOff": sorted(day.isoformat() for day in said[each].days_off),
        }
        for each in said
    ]
