"""A realistic workspace of any size, identical for the same seed and day."""

from collections.abc import Callable, Sequence
from datetime import UTC, date, datetime, time, timedelta
from functools import partial
from random import Random

from msgspec import Struct
from sqlalchemy import Connection, Engine, insert, update

from backlit.model.fields import ItemType, Kind
from backlit.service.admin.workspace import ADMINISTRATOR, add_project, new_database, user_of
from backlit.service.auth.callers import hash_password
from backlit.service.sample.items import ItemMaker, SampleProject, Sprint
from backlit.service.sample.vocabulary import AREAS, PEOPLE, PROJECT_TEXTS, TEAMS
from backlit.service.storage.access import Role
from backlit.service.storage.migrations import begin_history
from backlit.service.storage.schema import (
    areas,
    audit,
    comments,
    custom_fields,
    iterations,
    project_totals,
    teams,
    work_items,
)
from backlit.service.storage.settings import ServiceSettings
from backlit.service.tables import projects, users
from backlit.service.tables.changes import ChangeCause, Stamp

PASSWORD = "lantern"  # noqa: S105  the sample's password is meant to be known
UNLICENSED = frozenset({"uma"})
SPRINTS = 18
CURRENT = 14
"""Number of the current sprint."""
SPRINTS_PER_RELEASE = 6
SAMPLE_BATCH = 1000
_SHARES = (0.72, 0.18, 0.10)
_CUSTOM_FIELDS: tuple[tuple[str, Kind, list[str], str | None], ...] = (
    ("Channel_cf", Kind.CHOICE, ["Web", "Store", "Phone"], "Web"),
    ("BusinessValue_cf", Kind.NUMBER, [], None),
    ("TargetDate_cf", Kind.TEXT, [], None),
    ("NeedsLegalReview_cf", Kind.BOOLEAN, [], None),
)

Progress = Callable[[int, int], None]


class Sample(Struct, frozen=True):
    """Summary of the sample: users, password and contents."""

    usernames: tuple[str, ...]
    password: str
    project_ids: tuple[int, ...]
    items: int
    comments: int


def write_sample(
    settings: ServiceSettings,
    items: int = 500,
    *,
    seed: int = 1,
    today: date | None = None,
    progress: Progress = lambda _done, _total: None,
    now: datetime | None = None,
) -> Sample:
    """Create and fill the database, with stamps up to `now` in UTC; raise StorageError for an existing one."""
    random = Random(seed)  # noqa: S311  a sample, not a secret
    day = today or date.today()
    latest = now or (datetime.combine(today, time.max) if today else datetime.now(UTC).replace(tzinfo=None))
    begun = datetime.combine(_first_day(day) - timedelta(days=30), time(9))
    with new_database(settings) as engine:
        with engine.connect() as connection, connection.begin():
            places = _write_frame(connection, random, day, begun)
        makers = partial(ItemMaker, today=day, now=latest, random=random)
        written = _write_items(engine, places, items, makers, progress)
        with engine.connect() as connection, connection.begin():
            begin_history(connection, latest)
    usernames = tuple(name for name, _, _ in PEOPLE if name not in UNLICENSED)
    return Sample(usernames, PASSWORD, tuple(p.settings.id for p in places), items, written)


def _first_day(today: date) -> date:
    """Return the Monday on which sprint 1 begins, so that today is in the second week of the current one."""
    monday = today - timedelta(days=today.weekday())
    return monday - timedelta(days=7 + 14 * (CURRENT - 1))


def _write_frame(connection: Connection, random: Random, today: date, now: datetime) -> list[SampleProject]:
    password_hash = hash_password(PASSWORD)
    stamp = Stamp(None, ADMINISTRATOR, now, ChangeCause.ADMINISTRATION)
    for number, (name, first_name, last_name) in enumerate(PEOPLE, 1):
        person = user_of(number, name, first_name, last_name)
        users.add(connection, person, stamp, password_hash, is_licensed=name not in UNLICENSED)
    places = []
    for project_id, name in enumerate(AREAS, 1):
        dates = _first_day(today), _first_day(today) + timedelta(days=14 * SPRINTS - 1)
        root_area, root_iteration = add_project(
            connection, project_id, name, description=PROJECT_TEXTS[name], dates=dates, stamp=stamp
        )
        rows = [{"project_id": project_id, "name": each, **audit("maya", now)} for each in TEAMS[name]]
        connection.execute(insert(teams), rows)
        _write_custom_fields(connection, project_id)
        found_areas = _write_areas(connection, project_id, name, root_area, now)
        sprints = _write_iterations(connection, project_id, name, root_iteration, today=today, random=random)
        members = _grant(connection, project_id, stamp)
        settings = projects.settings(connection, project_id)
        places.append(SampleProject(settings, found_areas, sprints, members))
    return places


def _grant(connection: Connection, project_id: int, stamp: Stamp) -> tuple[tuple[int, str], ...]:
    members = []
    for number, (name, _, _) in enumerate(PEOPLE, 1):
        is_everywhere = name in {"maya", "jon", "ada"}
        if name in UNLICENSED or not (
            is_everywhere or project_id == 1 or (name != "rex" and number % 2 == project_id % 2)
        ):
            continue
        role = Role.MANAGER if name == "maya" else Role.READER if name == "rex" else Role.CONTRIBUTOR
        users.grant(connection, number, project_id, role, stamp)
        if role is not Role.READER:
            members.append((number, name))
    return tuple(members)


def _write_custom_fields(connection: Connection, project_id: int) -> None:
    types = [t for t in ItemType if t is not ItemType.TASK]
    for key, kind, choices, default in _CUSTOM_FIELDS if project_id == 1 else ():
        row = {"key": key, "kind": kind, "types": types, "choices": choices, "default_value": default}
        connection.execute(insert(custom_fields).values(project_id=project_id, **row))


def _write_areas(
    connection: Connection, project_id: int, project: str, root: int, now: datetime
) -> tuple[tuple[int, str], ...]:
    """Write the area tree; returns (id, name of the top area) of every node below the root."""
    found = []
    for sequence, (name, below) in enumerate(AREAS[project].items(), 1):
        node = {"project_id": project_id, "parent_id": root, "name": name, "path": f"{project}\\{name}"}
        row = node | {"sequence": sequence} | audit("maya", now)
        top = connection.execute(insert(areas).values(row).returning(areas.c.id)).scalar_one()
        found.append((top, name))
        for place, part in enumerate(below, 1):
            row |= {"parent_id": top, "name": part, "path": f"{project}\\{name}\\{part}", "sequence": place}
            found.append((connection.execute(insert(areas).values(row).returning(areas.c.id)).scalar_one(), name))
    return tuple(found)


def _write_iterations(
    connection: Connection, project_id: int, project: str, root: int, *, today: date, random: Random
) -> tuple[Sprint, ...]:
    """Write releases with their two-week sprints; return the root first, as a place without dates."""
    sprints = [Sprint(root, None, None, 0.0)]
    begun = datetime.combine(_first_day(today) - timedelta(days=30), time(9))
    release, release_path = root, project
    for number in range(1, SPRINTS + 1):
        start = _first_day(today) + timedelta(days=14 * (number - 1))
        row = {"project_id": project_id, **audit("maya", begun)}
        if (number - 1) % SPRINTS_PER_RELEASE == 0:
            order = (number - 1) // SPRINTS_PER_RELEASE
            release_path = f"{project}\\Release 3.{order}"
            end = start + timedelta(days=14 * SPRINTS_PER_RELEASE - 1)
            node = {"parent_id": root, "name": f"Release 3.{order}", "path": release_path, "sequence": order + 1}
            node |= {"is_release": True, "start_date": start, "end_date": end}
            release = connection.execute(insert(iterations).values(row | node).returning(iterations.c.id)).scalar_one()
        low = float(random.randrange(26, 35))
        end = start + timedelta(days=13)
        node = {"parent_id": release, "name": f"Sprint {number}", "path": f"{release_path}\\Sprint {number}"}
        node |= {"sequence": (number - 1) % SPRINTS_PER_RELEASE + 1, "is_release": False}
        node |= {"start_date": start, "end_date": end, "min_capacity": low, "max_capacity": low + 10}
        sprint = connection.execute(insert(iterations).values(row | node).returning(iterations.c.id)).scalar_one()
        sprints.append(Sprint(sprint, start, end, low + 5))
    return tuple(sprints)


def _write_items(
    engine: Engine,
    places: Sequence[SampleProject],
    total: int,
    makers: Callable[[SampleProject, int, int], ItemMaker],
    progress: Progress,
) -> int:
    done = written_comments = 0
    for place, share in zip(places, _SHARES, strict=True):
        is_last = place is places[-1]
        wanted = total - done if is_last else round(total * share)
        maker = makers(place, wanted, done + 1)
        rows: list[dict[str, object]] = []
        for row in maker.rows():
            rows.append(row)
            if len(rows) == SAMPLE_BATCH:
                written_comments += _write_batch(engine, rows, maker)
                done += len(rows)
                rows.clear()
                progress(done, total)
        written_comments += _write_batch(engine, rows, maker)
        done += len(rows)
        progress(done, total)
    return written_comments


def _write_batch(engine: Engine, rows: list[dict[str, object]], maker: ItemMaker) -> int:
    if not rows:
        return 0
    said = maker.take_comments()
    count = {"item_count": project_totals.c.item_count + len(rows), "revision": project_totals.c.revision + 1}
    with engine.connect() as connection, connection.begin():
        connection.execute(insert(work_items), rows)
        if said:
            connection.execute(insert(comments), said)
        mine = project_totals.c.project_id == maker.project_id
        connection.execute(update(project_totals).where(mine).values(count))
    return len(said)
