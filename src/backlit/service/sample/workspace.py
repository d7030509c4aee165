"""A realistic workspace of any size, identical for the same seed and day."""

from collections import defaultdict
from collections.abc import Callable, Sequence
from datetime import UTC, date, datetime, time, timedelta
from functools import partial
from itertools import count, islice
from random import Random

from msgspec import Struct
from sqlalchemy import Connection, Table, insert, update

from backlit.model.fields import ItemType, Kind
from backlit.model.resources import Comment
from backlit.service.admin.workspace import ADMINISTRATOR, add_project, new_database, user_of
from backlit.service.auth.callers import hash_password
from backlit.service.sample.below import ObjectsBelow
from backlit.service.sample.history import SampleHistory
from backlit.service.sample.items import ItemMaker, SampleProject
from backlit.service.sample.past import ItemPast, Sprint
from backlit.service.sample.recent import LAST_HOURS, RecentChanges
from backlit.service.sample.vocabulary import AREAS, PEOPLE, PROJECT_TEXTS, TEAMS
from backlit.service.storage.access import Role
from backlit.service.storage.columns import audit
from backlit.service.storage.migrations import follow_ids
from backlit.service.storage.schema import areas, comments, custom_fields, iterations, project_totals, teams, work_items
from backlit.service.storage.settings import ServiceSettings
from backlit.service.tables import projects, trees, users
from backlit.service.tables.below import COMMENTS
from backlit.service.tables.changes import ChangeCause, RecordedChange, Stamp
from backlit.service.tables.trees import NodeRow

PASSWORD = "lantern"  # noqa: S105  the sample's password is meant to be known
UNLICENSED = frozenset({"uma"})
SPRINTS = 18
CURRENT = 14
"""Number of the current sprint."""
SPRINTS_PER_RELEASE = 6
SAMPLE_BATCH = 1000
# A larger sample serves measurements: at 100,000 items, the past of all of them took 17 s of CPU, and the items 24.
MOST_WITH_PAST = 5000
"""The number of items from which only those in sprints have a past."""
_SHARES = (0.72, 0.18, 0.10)
_CUSTOM_FIELDS: tuple[tuple[str, Kind, list[str], str | None], ...] = (
    ("Channel_cf", Kind.CHOICE, ["Web", "Store", "Phone"], "Web"),
    ("BusinessValue_cf", Kind.NUMBER, [], None),
    ("TargetDate_cf", Kind.DATE, [], None),
    ("NeedsLegalReview_cf", Kind.BOOLEAN, [], None),
)

USER_IDS = {name: number for number, (name, _, _) in enumerate(PEOPLE, 1)}

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
    latest = latest.replace(microsecond=latest.microsecond // 1000 * 1000)
    begun = datetime.combine(_first_day(day) - timedelta(days=30), time(9))
    # The past has random numbers of its own, so that the items are the same whatever happened to them.
    chance_of_past = Random(f"{seed} past")  # noqa: S311  a sample, not a secret
    with new_database(settings) as engine, engine.connect() as connection:
        with connection.begin():
            places = _write_frame(connection, random, day, begun)
        makers = partial(ItemMaker, today=day, now=latest - LAST_HOURS, random=random, past_random=chance_of_past)
        with connection.begin():
            history = SampleHistory(connection, USER_IDS, None if items < MOST_WITH_PAST else begun)
        below = partial(ObjectsBelow, connection, ids=defaultdict(lambda: count(1)), now=latest - LAST_HOURS)
        written = _write_items(history, places, items, makers, below, progress=progress)
        with connection.begin():
            history.write()
            follow_ids(connection)  # comments have ids of ours so far
            current = next(n for n, sprint in enumerate(places[0].sprints) if sprint.end and sprint.end >= day)
            recent = RecentChanges(connection, places[0].settings, USER_IDS, latest)
            recent.write(places[0].sprints[current], places[0].sprints[current + 1])
    usernames = tuple(name for name, _, _ in PEOPLE if name not in UNLICENSED)
    return Sample(usernames, PASSWORD, tuple(p.settings.id for p in places), items, written)


def _first_day(today: date) -> date:
    """Return the Monday on which sprint 1 begins, so that today is in the second week of the current one."""
    monday = today - timedelta(days=today.weekday())
    return monday - timedelta(days=7 + 14 * (CURRENT - 1))


def _write_frame(connection: Connection, random: Random, today: date, now: datetime) -> list[SampleProject]:
    password_hash = hash_password(PASSWORD)
    stamp = Stamp(None, ADMINISTRATOR, now, ChangeCause.ADMINISTRATION)
    by_maya = Stamp(1, "maya", now)
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
        found_areas = _write_areas(connection, name, _node(connection, areas, root_area), by_maya)
        root = _node(connection, iterations, root_iteration)
        sprints = _write_iterations(connection, root, today=today, random=random, stamp=by_maya)
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
        is_due = kind is Kind.DATE
        connection.execute(insert(custom_fields).values(project_id=project_id, is_due=is_due, **row))


def _node(connection: Connection, nodes: Table, node_id: int) -> NodeRow:
    node = trees.row_of(connection, nodes, node_id)
    assert node is not None
    return node


def _write_areas(connection: Connection, project: str, root: NodeRow, stamp: Stamp) -> tuple[tuple[int, str], ...]:
    """Write the area tree; returns (id, name of the top area) of every node below the root."""
    found = []
    for name, below in AREAS[project].items():
        (top,) = trees.add_last(connection, areas, root, [{"name": name}], stamp)
        found.append((int(top["id"]), name))
        if below:
            parts = trees.add_last(connection, areas, top, [{"name": part} for part in below], stamp)
            found += [(int(part["id"]), name) for part in parts]
    return tuple(found)


def _write_iterations(
    connection: Connection, root: NodeRow, *, today: date, random: Random, stamp: Stamp
) -> tuple[Sprint, ...]:
    """Write releases with their two-week sprints; return the root first, as a place without dates."""
    sprints = [Sprint(root["id"], None, None, 0.0)]
    for first in range(1, SPRINTS + 1, SPRINTS_PER_RELEASE):
        starts = [_first_day(today) + timedelta(days=14 * (first - 1 + n)) for n in range(SPRINTS_PER_RELEASE)]
        row = {"name": f"Release 3.{first // SPRINTS_PER_RELEASE}", "is_release": True}
        row |= {"start_date": starts[0], "end_date": starts[-1] + timedelta(days=13)}
        (release,) = trees.add_last(connection, iterations, root, [row], stamp)
        rows = []
        for number, start in enumerate(starts, first):
            low = float(random.randrange(26, 35))
            row = {"name": f"Sprint {number}", "is_release": False, "min_capacity": low, "max_capacity": low + 10}
            rows.append(row | {"start_date": start, "end_date": start + timedelta(days=13)})
        sprints += [
            Sprint(sprint["id"], sprint["start_date"], sprint["end_date"], sprint["min_capacity"] + 5)
            for sprint in trees.add_last(connection, iterations, release, rows, stamp)
        ]
    return tuple(sprints)


def _write_items(
    history: SampleHistory,
    places: Sequence[SampleProject],
    total: int,
    makers: Callable[[SampleProject, int, int], ItemMaker],
    makers_below: Callable[[SampleProject], ObjectsBelow],
    *,
    progress: Progress,
) -> int:
    """Write all items with their history; return the number of comments."""
    connection = history.connection
    done = comments_so_far = 0
    for place, share in zip(places, _SHARES, strict=True):
        wanted = total - done if place is places[-1] else round(total * share)
        maker = makers(place, wanted, done + 1)
        pasts, below = maker.pasts(), makers_below(place)
        while made := list(islice(pasts, SAMPLE_BATCH)):
            with connection.begin():
                batch, changes_below = below.write(made)
                _write_batch(connection, batch, maker)
                said = _write_comments(connection, maker, comments_so_far)
                history.add(batch, [*said, *changes_below], place.settings)
            comments_so_far += len(said)
            done += len(batch)
            progress(done, total)
        progress(done, total)
    return comments_so_far


def _write_batch(connection: Connection, batch: Sequence[ItemPast], maker: ItemMaker) -> None:
    connection.execute(insert(work_items), [maker.row(past.item) for past in batch])
    count = {"item_count": project_totals.c.item_count + len(batch), "revision": project_totals.c.revision + 1}
    mine = project_totals.c.project_id == maker.project_id
    connection.execute(update(project_totals).where(mine).values(count))


def _write_comments(connection: Connection, maker: ItemMaker, last_id: int) -> list[tuple[str, RecordedChange]]:
    """Write the comments on the items made since the last call, with ids after the last; return author and change."""
    said = [{"id": number, **row} for number, row in enumerate(maker.take_comments(), last_id + 1)]
    if said:
        connection.execute(insert(comments), said)
    return [(row["created_by"], each) for row in said for each in COMMENTS.creation(Comment(**row), row["created_at"])]
