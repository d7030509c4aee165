"""Numbered steps that upgrade an older database to the tables of `schema`."""

import secrets
from collections.abc import Callable
from datetime import datetime

from sqlalchemy import ColumnElement, Connection, delete, func, insert, inspect, literal, select, text, update
from sqlalchemy.schema import CreateColumn

from backlit.model.errors import StorageError
from backlit.model.fields import UNCOUNTED_TYPES
from backlit.service.storage.clock import clock_of
from backlit.service.storage.columns import METADATA
from backlit.service.storage.dialects import CASE_FUNCTIONS, FILTER_FUNCTIONS, EstimatedPoints
from backlit.service.storage.schema import (
    HISTORY_COLUMNS,
    LAST_REVISION,
    OBJECTS_BELOW_ITEMS,
    activity_marks,
    areas,
    attachments,
    change_texts,
    changes,
    comments_by_change,
    custom_fields,
    due_field_of_project,
    files_place,
    item_splits,
    iteration_capacities,
    iteration_events,
    iteration_log,
    iterations,
    login_attempts,
    login_sessions,
    mentions,
    project_capacities,
    project_settings,
    projects,
    read_activities,
    schema_version,
    status_groups,
    time_entry_types,
    users,
    views,
    work_items,
    workspace,
)

Step = Callable[[Connection], None]


def _add_files_and_sign_ins(connection: Connection) -> None:
    """Add attachments, time entry types, sign-ins by cookie and the count of failed ones; name the type in an index."""
    METADATA.create_all(connection, [time_entry_types, attachments, login_sessions, login_attempts])
    for index in work_items.indexes:
        if index.name == "items_by_status":
            index.drop(connection)
            index.create(connection)


def _add_functions_and_place(connection: Connection) -> None:
    """Add the functions that filters call on PostgreSQL, and the place of the attached files."""
    METADATA.create_all(connection, [files_place])
    _add_functions(connection)


def _add_status_groups(connection: Connection) -> None:
    METADATA.create_all(connection, [status_groups])


def _add_comment_index(connection: Connection) -> None:
    """Add an index that leads to the newest comment, which the clock has to be ahead of."""
    comments_by_change.create(connection, checkfirst=True)


def _index_siblings(connection: Connection) -> None:
    """Replace the index of a tree's nodes by one that leads to the children of a node too."""
    for nodes in (areas, iterations):
        connection.execute(text(f"DROP INDEX IF EXISTS {nodes.name}_by_project"))
        for index in nodes.indexes:
            index.create(connection, checkfirst=True)


def _add_history(connection: Connection) -> None:
    """Begin the history of every project now: nothing is made up for the time before. Add what its members share."""
    METADATA.create_all(connection, [changes, change_texts, iteration_log, workspace])
    METADATA.create_all(connection, [project_settings, project_capacities, iteration_capacities])
    METADATA.create_all(connection, [iteration_events, item_splits, views])
    for name in HISTORY_COLUMNS:
        column = CreateColumn(projects.c[name]).compile(dialect=connection.dialect)
        connection.execute(text(f"ALTER TABLE projects ADD COLUMN {column}"))
    renew_cursors(connection)
    begin_history(connection, clock_of(connection, [work_items]).now())


def _add_read_marks(connection: Connection) -> None:
    """Add mentions and what users have read; everything up to now counts as read."""
    METADATA.create_all(connection, [mentions, activity_marks, read_activities])
    everybody = select(users.c.id, LAST_REVISION)
    connection.execute(insert(activity_marks).from_select(["user_id", "read_to"], everybody))


def _add_objects_below_items(connection: Connection) -> None:
    """Add relations, links, acceptance criteria and time entries, which change the work of tasks in every project."""
    METADATA.create_all(connection, OBJECTS_BELOW_ITEMS)
    column = CreateColumn(projects.c.work_from_time).compile(dialect=connection.dialect)
    connection.execute(text(f"ALTER TABLE projects ADD COLUMN {column}"))


def _add_due_fields(connection: Connection) -> None:
    """Let a custom field of each project be the due date of its items."""
    column = CreateColumn(custom_fields.c.is_due).compile(dialect=connection.dialect)
    connection.execute(text(f"ALTER TABLE custom_fields ADD COLUMN {column}"))
    due_field_of_project.create(connection)


def begin_history(connection: Connection, now: datetime, *conditions: ColumnElement[bool]) -> None:
    """Let the history of every project begin after the revisions given so far, with the items as they are.

    Conditions leave out items whose changes since then are written afterwards.
    """
    last = connection.execute(select(LAST_REVISION)).scalar_one()
    connection.execute(update(projects).values(history_from=last + 1, history_since=now))
    points = EstimatedPoints(work_items.c.estimate)
    members = select(
        work_items.c.iteration_id, literal(last), work_items.c.id, literal(now), work_items.c.status, points
    ).where(work_items.c.type.not_in(UNCOUNTED_TYPES), *conditions)
    columns = ["iteration_id", "revision", "item_id", "at", "status", "points"]
    connection.execute(insert(iteration_log).from_select(columns, members))


def renew_cursors(connection: Connection) -> None:
    """Give the workspace a new key, so that every cursor handed out before is refused."""
    known = connection.execute(select(workspace.c.last_revision, workspace.c.access_revision)).first()
    connection.execute(delete(workspace))
    row = {"last_revision": 0, "access_revision": 0} if known is None else known._asdict()
    connection.execute(insert(workspace).values(row | {"cursor_key": secrets.token_bytes(16)}))


def _add_functions(connection: Connection) -> None:
    if connection.dialect.name == "postgresql":
        for statement in FILTER_FUNCTIONS:
            connection.exec_driver_sql(statement)


# Tables are part of each start of the client with its service inside: a start without a step costs 1 ms more than
# opening the file, with yoyo 70, with Alembic 332.
STEPS: tuple[Step, ...] = (
    _add_files_and_sign_ins,
    _add_functions_and_place,
    _add_status_groups,
    _add_comment_index,
    _index_siblings,
    _add_history,
    _add_read_marks,
    _add_objects_below_items,
    _add_due_fields,
)
"""Step n upgrades version n to n + 1; a new database gets the current tables at once."""

VERSION = len(STEPS) + 1

_NEWEST_COLLATION = 180000
"""First version of PostgreSQL with a collation that folds case by Unicode's rules on every system."""


def migrate(connection: Connection) -> None:
    """Create or upgrade the tables in the caller's transaction, which holds the write lock.

    Raises StorageError for a newer or an incomplete database.
    """
    if not inspect(connection).has_table(schema_version.name):
        create(connection)
        finish(connection)
        return
    version = connection.execute(select(schema_version.c.version)).scalar_one_or_none()
    if version is None:
        raise StorageError("The database is incomplete, as its creation was interrupted. Create it again.")
    if version > VERSION:
        raise StorageError(
            f"The database was written by a newer backlit (its schema is {version}; this one knows {VERSION})."
            " Upgrade backlit."
        )
    for step in STEPS[version - 1 :]:
        step(connection)
    if version < VERSION:
        connection.execute(update(schema_version).values(version=VERSION))


def create(connection: Connection) -> None:
    """Create the current tables; the database counts as incomplete until `finish`."""
    if connection.dialect.name == "postgresql":
        for name in ("lower", "upper"):
            connection.execute(text(CASE_FUNCTIONS.format(name=name, collation=_collation(connection))))
    _add_functions(connection)
    METADATA.create_all(connection)
    renew_cursors(connection)


def _collation(connection: Connection) -> str:
    """Return the server's best collation for case folding: Unicode's rules, or its own library's."""
    if connection.execute(text("SELECT current_setting('server_version_num')::int")).scalar_one() >= _NEWEST_COLLATION:
        return "pg_catalog.pg_unicode_fast"
    has_icu = connection.execute(text("SELECT count(*) FROM pg_collation WHERE collname = 'und-x-icu'")).scalar_one()
    return 'pg_catalog."und-x-icu"' if has_icu else 'pg_catalog."default"'


def finish(connection: Connection) -> None:
    follow_ids(connection)
    connection.execute(insert(schema_version).values(version=VERSION))


def follow_ids(connection: Connection) -> None:
    """Move PostgreSQL's sequences past the highest ids, after rows were written with given ids."""
    if connection.dialect.name != "postgresql":
        return
    for table in METADATA.sorted_tables:
        column = table.autoincrement_column
        if column is not None:
            sequence = func.pg_get_serial_sequence(table.name, column.name)
            # The greater of both, so that a sequence never goes back to the ids of deleted rows.
            highest = select(func.coalesce(func.max(column), 0) + 1).scalar_subquery()
            connection.execute(select(func.setval(sequence, func.greatest(highest, func.nextval(sequence)), False)))
