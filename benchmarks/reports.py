"""Reports of one sprint of 100 items in a workspace of many, each with its changes: `python -m benchmarks reports`.

Milliseconds of CPU to read the tables and compute the document, on SQLite: the first answer of a new connection, and
the median and the slowest of the next ones.
"""

import argparse
import tempfile
import time
from datetime import UTC, timedelta
from pathlib import Path

from sqlalchemy import Connection, select, text

from backlit.model.fields import ItemType
from backlit.service.admin.workspace import writing
from backlit.service.reports.context import ReportQuestion, ReportUnit
from backlit.service.reports.reading import ReportReading
from backlit.service.reports.reports import REPORTS
from backlit.service.sample.workspace import write_sample
from backlit.service.storage.clock import clock_of
from backlit.service.storage.schema import changes, iterations, work_items
from backlit.service.tables import projects
from benchmarks.served import settings_in
from benchmarks.table import Cell, median, print_table

PROJECT = 1
SPRINT_ITEMS = 100
DAYS_OF_HISTORY = 300
SPRINT_DAYS = 14
ASKED = (
    ("burndown", ReportUnit.POINTS),
    ("burndown", ReportUnit.HOURS),
    ("scope", ReportUnit.POINTS),
    ("cumulative-flow", ReportUnit.ITEMS),
    ("people", ReportUnit.POINTS),
    ("velocity", ReportUnit.POINTS),
)
CHANGES = (
    '{"BacklogPriority":[1.5,2.5]}',
    '{"Status":["In Progress","Not Done"]}',
    '{"Description":["An old text","A new text"],"Tags":[[],["new"]]}',
    '{"Status":["Not Done","In Progress"]}',
    '{"Estimate":["3","5"]}',
)
_NUMBERS = "WITH RECURSIVE numbers(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < :items) "


def fill(connection: Connection, items: int, changes_each: int) -> int:
    """Add items to the project, of which some are in a running sprint, and spread their changes; return the sprint."""
    now = clock_of(connection, [work_items]).now()
    root = projects.settings(connection, PROJECT).root_iteration_id
    row = dict(connection.execute(select(iterations).where(iterations.c.id == root)).mappings().one())
    start = now.date() - timedelta(days=SPRINT_DAYS // 2)
    dates = {"start_date": start, "end_date": start + timedelta(days=SPRINT_DAYS - 1)}
    sprint = {**row, **dates, "parent_id": root, "name": "Measured", "sequence": 99}
    del sprint["id"]
    sprint_id = int(connection.execute(iterations.insert().values(sprint).returning(iterations.c.id)).scalar_one())
    begin = now - timedelta(days=DAYS_OF_HISTORY)
    connection.execute(text("UPDATE projects SET history_since = :at, history_from = 0"), {"at": str(begin)})
    given = {"items": items, "root": root, "sprint": sprint_id, "each": max(1, items // SPRINT_ITEMS)}
    story = connection.execute(select(work_items).where(work_items.c.type == ItemType.STORY).limit(1)).mappings().one()
    copied = ", ".join(column.name for column in work_items.c if column.name not in {"id", "iteration_id", "estimate"})
    base = {"first": connection.execute(text("SELECT max(id) FROM work_items")).scalar_one(), "story": story["id"]}
    connection.execute(
        text(
            f"{_NUMBERS} INSERT INTO work_items (id, iteration_id, estimate, {copied})"  # noqa: S608 - names of columns
            f" SELECT :first + n, CASE WHEN n % :each = 0 THEN :sprint ELSE :root END, '5', {copied}"
            " FROM numbers, work_items WHERE work_items.id = :story"
        ),
        given | base,
    )
    _spread_changes(connection, given | base, changes_each, begin.replace(tzinfo=UTC).timestamp())
    return sprint_id


def _spread_changes(connection: Connection, given: dict[str, int], each: int, begin: float) -> None:
    """Write the creation of each item and its changes, so that the changes of one item are far from each other."""
    revision = connection.execute(text("SELECT coalesce(max(revision), 0) FROM changes")).scalar_one()
    step = DAYS_OF_HISTORY * 86_400 / (given["items"] * (each + 1))
    insert = (
        f"{_NUMBERS} INSERT INTO changes"  # noqa: S608 - no value
        " (revision, at, project_id, kind, act, object_id, item_id, user_id, cause, fields)"
        " SELECT :revision + n, strftime('%Y-%m-%d %H:%M:%f000', :begin + n * :step, 'unixepoch'),"
        " 1, 1, :act, :first + n, :first + n, 1, 0, :fields FROM numbers"
    )
    created = '{"type":[null,"Story"],"Name":[null,"A story"],"Status":[null,"Not Done"],"Estimate":[null,"5"]}'
    for number in range(each + 1):
        values = {
            "revision": revision + number * given["items"],
            "begin": begin + number * given["items"] * step,
            "step": step,
            "act": 1 if number == 0 else 2,
            "fields": created if number == 0 else CHANGES[number % len(CHANGES)],
        }
        connection.execute(text(insert), given | values)
    connection.execute(
        text(
            f"{_NUMBERS} INSERT INTO iteration_log (iteration_id, revision, item_id, at, status, points)"  # noqa: S608 - no value
            " SELECT CASE WHEN n % :each = 0 THEN :sprint ELSE :root END, :revision + n, :first + n, :at, 'Not Done', 5"
            " FROM numbers"
        ),
        given | {"revision": revision, "at": "2026-01-01 00:00:00.000000"},
    )


def measured(connection: Connection, sprint: int, name: str, unit: ReportUnit, rounds: int) -> list[float]:
    """Return the milliseconds of CPU of each of some answers."""
    found = []
    for _ in range(rounds):
        # The service keeps both in memory.
        settings, now = projects.settings(connection, PROJECT), clock_of(connection, [work_items]).now()
        began = time.process_time()
        reading = ReportReading(connection, settings, now)
        question = REPORTS[name].completed(ReportQuestion(sprint, None, unit))
        REPORTS[name].figure(reading.context(REPORTS[name], question)).wire()
        found.append(1000 * (time.process_time() - began))
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--items", type=int, default=100_000)
    parser.add_argument("--changes", type=int, default=9, help="changes of each item after its creation (%(default)s)")
    parser.add_argument("--rounds", type=int, default=11)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        settings = settings_in(Path(folder))
        write_sample(settings, 160)
        with writing(settings) as connection:
            sprint = fill(connection, options.items, options.changes)
        rows: list[list[Cell]] = []
        for name, unit in ASKED:
            with writing(settings) as connection:
                times = measured(connection, sprint, name, unit, options.rounds)
            rows.append([f"{name}, {unit}", round(times[0], 1), round(median(times[1:]), 1), round(max(times[1:]), 1)])
        with writing(settings) as connection:
            count = connection.execute(select(changes.c.revision).order_by(changes.c.revision.desc()).limit(1)).scalar()
        title = f"Reports of a sprint of {SPRINT_ITEMS} items, of {options.items:,} with {count:,} changes: ms of CPU"
        print_table(title, ["report", "first", "median", "slowest"], rows)


if __name__ == "__main__":
    main()
