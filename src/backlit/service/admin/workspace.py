"""Workspaces: creation, with users and projects, and an administrator's access while a service may run on one."""

import re
import shlex
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import date, datetime, time, timedelta
from pathlib import Path

from sqlalchemy import URL, Connection, Engine, func, inspect, select, text
from sqlalchemy.exc import DatabaseError

from backlit.model.errors import BadRequest, NotFound, StorageError
from backlit.model.resources import User
from backlit.service.admin.machine_zone import machine_zone_name
from backlit.service.storage.access import Role
from backlit.service.storage.clock import Clock, clock_of
from backlit.service.storage.columns import METADATA
from backlit.service.storage.database import engine_at, parsed_url, unusable, without_password, writing_engine
from backlit.service.storage.dialects import in_any_case
from backlit.service.storage.migrations import VERSION, create, finish, migrate
from backlit.service.storage.schema import files_place, projects, schema_version, users
from backlit.service.storage.settings import ServiceSettings
from backlit.service.tables import project_settings
from backlit.service.tables import projects as project_table
from backlit.service.tables import users as user_table
from backlit.service.tables.changes import ChangeCause, Stamp

ADMINISTRATOR = "backlit"
"""Author of the command line's changes in audit fields."""


def administrator_stamp(connection: Connection) -> Stamp:
    """Return the stamp of one command's changes, for writing beside a service that may be running."""
    return Stamp(None, ADMINISTRATOR, clock_of(connection).now(), ChangeCause.ADMINISTRATION)


NAME_LIMIT = 100
PAGE_CACHE_KIB = 4096
"""KiB of SQLite's page cache."""

_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f]")


@contextmanager
def writing(settings: ServiceSettings, *, create: bool = False, dry_run: bool = False) -> Iterator[Connection]:
    """Open a transaction that commits at the end of the block, or rolls back after a dry run.

    Raises StorageError where there is no workspace, unless `create` is set.
    """
    if not create:
        _must_exist(settings)
    engine = writing_engine(settings.database)
    try:
        with engine.connect() as connection, connection.begin() as transaction:
            if not create and not _has_tables(connection):
                raise no_workspace(settings)
            migrate(connection)
            _prepare_long_read(connection)
            yield connection
            if dry_run:
                transaction.rollback()
    except DatabaseError as error:
        raise _trouble(settings, error) from error
    finally:
        engine.dispose()


@contextmanager
def reading(settings: ServiceSettings) -> Iterator[Connection]:
    """Open a consistent snapshot of the database for the whole block; raise StorageError without a workspace."""
    _must_exist(settings)
    engine = engine_at(settings.database)
    try:
        if not _is_current(engine):
            with writing(settings):
                pass  # upgrades an older database and rejects a newer one
        with engine.connect() as connection, connection.begin():
            _prepare_long_read(connection)
            yield connection
    except DatabaseError as error:
        raise _trouble(settings, error) from error
    finally:
        engine.dispose()


def file_of(settings: ServiceSettings) -> Path | None:
    """Return the file of an SQLite database; None for a database on a server."""
    url = parsed_url(settings.database)
    return Path(url.database or "") if url.get_backend_name() == "sqlite" else None


def place_of_files(connection: Connection) -> str | None:
    return connection.execute(select(files_place.c.place)).scalars().first()


def is_empty(connection: Connection) -> bool:
    counts = [connection.execute(select(func.count()).select_from(table)).scalar_one() for table in (users, projects)]
    return not any(counts)


def user_id_of(connection: Connection, name: str) -> int:
    """Return a user's id by name, in any case; raise NotFound."""
    exact_first = select(users.c.id).where(in_any_case(users.c.name, name)).order_by(users.c.name != name)
    found = connection.execute(exact_first).scalar()
    if found is None:
        raise NotFound(f"There is no user {name!r}. To see all: backlit admin users list")
    return int(found)


def project_id_of(connection: Connection, name: str) -> int:
    """Return a project's id by id or name; raise NotFound, or BadRequest for an ambiguous name."""
    rows = connection.execute(select(projects.c.id, projects.c.name).order_by(projects.c.id)).all()
    by_id = [row.id for row in rows if str(row.id) == name]
    by_name = [row.id for row in rows if row.name == name] or [
        row.id for row in rows if row.name.lower() == name.lower()
    ]
    if by_id:
        return int(by_id[0])
    if not by_name:
        raise NotFound(f"There is no project {name!r}. To see all: backlit admin projects list")
    if len(by_name) > 1:
        raise BadRequest(f"Several projects are called {name!r}; use an id: {', '.join(map(str, by_name))}.")
    return int(by_name[0])


def checked_name(name: str, what: str, limit: int = NAME_LIMIT) -> str:
    """Return a name without blanks around it; raise BadRequest naming `what` it is for."""
    name = name.strip()
    if not name:
        raise BadRequest(f"{what} cannot be empty.")
    if len(name) > limit:
        raise BadRequest(f"{what} may have {limit} characters; this has {len(name)}.")
    if _CONTROL.search(name):
        raise BadRequest(f"{what} may not contain line breaks or other control characters.")
    return name


def has_workspace(settings: ServiceSettings) -> bool:
    """Return True if the database is there and has the tables of a workspace; raise StorageError if it fails."""
    path = file_of(settings)
    if path is not None and not path.exists():
        return False
    engine = engine_at(settings.database)
    try:
        with engine.connect() as connection:
            return _has_tables(connection)
    except DatabaseError as error:
        raise _trouble(settings, error) from error
    finally:
        engine.dispose()


def no_workspace(settings: ServiceSettings) -> StorageError:
    place = without_password(settings.database)
    return StorageError(
        f"There is no workspace in {place}. Name the database of your server with --database, or create a workspace"
        f" here: backlit admin init --database {shlex.quote(place)}"
    )


def _must_exist(settings: ServiceSettings) -> None:
    path = file_of(settings)
    if path is not None and not path.exists():
        raise no_workspace(settings)


def _has_tables(connection: Connection) -> bool:
    return inspect(connection).has_table(schema_version.name)


def _prepare_long_read(connection: Connection) -> None:
    """Bound the memory of large reads, and lift the idle limit of transactions that copy files."""
    if connection.dialect.name == "sqlite":
        connection.execute(text(f"PRAGMA cache_size=-{PAGE_CACHE_KIB}"))
    else:
        connection.execute(text("SET LOCAL idle_in_transaction_session_timeout = 0"))


def _is_current(engine: Engine) -> bool:
    with engine.connect() as connection:
        return _has_tables(connection) and connection.execute(select(schema_version.c.version)).scalar() == VERSION


def _trouble(settings: ServiceSettings, error: DatabaseError) -> StorageError:
    database = parsed_url(settings.database).database
    if "database is locked" in str(error.orig):
        return StorageError(f"The database {database} is busy with a long write; try again in a moment.")
    return StorageError(f"The database {database} cannot be used: {error.orig}.")


DEFAULT_ITERATION_LENGTH = 14


@contextmanager
def new_database(settings: ServiceSettings) -> Iterator[Engine]:
    """Create the tables in a new file or an empty PostgreSQL database, complete only at the end of the block.

    Raises StorageError for an existing file or a non-empty database.
    """
    url = parsed_url(settings.database)
    with _new_file(url) if url.get_backend_name() == "sqlite" else _new_tables(url) as engine:
        yield engine


def remove_database(path: Path) -> None:
    for leftover in (path, *(path.with_name(f"{path.name}-{kind}") for kind in ("wal", "shm"))):
        leftover.unlink(missing_ok=True)


@contextmanager
def _new_file(url: URL) -> Iterator[Engine]:
    path = Path(url.database or "")
    if path.exists():
        raise StorageError(f"{path} already exists. No changes were made.")
    unfinished = path.with_name(f"{path.name}.part")
    remove_database(unfinished)
    engine = writing_engine(url.set(database=str(unfinished)))
    try:
        with engine.connect() as connection, connection.begin():
            create(connection)
        yield engine
        with engine.connect() as connection, connection.begin():
            finish(connection)
    finally:
        engine.dispose()
    unfinished.rename(path)


@contextmanager
def _new_tables(url: URL) -> Iterator[Engine]:
    engine = writing_engine(url)
    try:
        with engine.connect() as connection, connection.begin():
            if inspect(connection).has_table(schema_version.name):
                if connection.execute(select(schema_version)).first() is not None:
                    raise StorageError(f"The database {url.database} is already in use. No changes were made.")
                METADATA.drop_all(connection)
            create(connection)
        yield engine
        with engine.connect() as connection, connection.begin():
            finish(connection)
    except DatabaseError as error:
        raise unusable(url, error) from error
    finally:
        engine.dispose()


def user_of(user_id: int, name: str, first_name: str, last_name: str) -> User:
    """Return a user of the workspace, with an address that leads nowhere."""
    display_name = f"{first_name} {last_name}".strip()
    return User(
        id=user_id,
        name=name,
        first_name=first_name,
        last_name=last_name,
        display_name=display_name or name,
        email=f"{name}@example.org",
    )


def add_project(
    connection: Connection, project_id: int, name: str, *, description: str, dates: tuple[date, date], stamp: Stamp
) -> tuple[int, int]:
    start, end = dates
    values = {
        "id": project_id,
        "name": name,
        "template": "Scrum",
        "description": description,
        "start_date": datetime.combine(start, time()),
        "end_date": datetime.combine(end, time()),
        "default_iteration_length": DEFAULT_ITERATION_LENGTH,
    }
    _, area, iteration = project_table.add(connection, values, stamp)
    return area, iteration


PROJECT = "Backlog"


def write_local(settings: ServiceSettings, username: str) -> None:
    """Create a database with one project in the zone of this machine, and one user, who signs in by code.

    Raises StorageError.
    """
    now = Clock().now()
    today = now.date()
    with new_database(settings) as engine, engine.connect() as connection, connection.begin():
        stamp = Stamp(None, ADMINISTRATOR, now, ChangeCause.ADMINISTRATION)
        user_table.add(connection, user_of(1, username, username, ""), stamp)
        dates = today, today + timedelta(days=365)
        add_project(connection, 1, PROJECT, description="", dates=dates, stamp=stamp)
        user_table.grant(connection, 1, 1, Role.MANAGER, stamp)
        if (zone := machine_zone_name()) is not None:
            settings_of_project = project_table.settings(connection, 1)
            project_settings.change(connection, settings_of_project, {"time_zone": zone}, {}, stamp)
