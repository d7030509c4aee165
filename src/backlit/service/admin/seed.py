"""Creation of workspaces: an empty database, its users, and projects with their roots."""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import date, datetime, time, timedelta
from pathlib import Path

from sqlalchemy import URL, Connection, Engine, insert, inspect, select
from sqlalchemy.exc import DatabaseError

from backlit.model.errors import StorageError
from backlit.model.resources import User
from backlit.service.storage.access import Role
from backlit.service.storage.clock import Clock
from backlit.service.storage.database import parsed_url, unusable, writing_engine
from backlit.service.storage.migrations import create, finish
from backlit.service.storage.schema import METADATA, ROOT_PARENT, areas, iterations, schema_version
from backlit.service.storage.settings import ServiceSettings
from backlit.service.tables import projects, users

DEFAULT_ITERATION_LENGTH = 14


@contextmanager
def new_database(settings: ServiceSettings) -> Iterator[Engine]:
    """Create the tables in a new file or an empty PostgreSQL database, complete only at the end of the block.

    Raises StorageError for an existing file or a non-empty database.
    """
    url = parsed_url(settings.database)
    with _new_file(url) if url.get_backend_name() == "sqlite" else _new_tables(url) as engine:
        yield engine


@contextmanager
def _new_file(url: URL) -> Iterator[Engine]:
    path = Path(url.database or "")
    if path.exists():
        raise StorageError(f"{path} already exists. No changes were made.")
    unfinished = path.with_name(f"{path.name}.part")
    for leftover in (unfinished, *(path.with_name(f"{unfinished.name}-{kind}") for kind in ("wal", "shm"))):
        leftover.unlink(missing_ok=True)
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


def add_user(
    connection: Connection, user: User, now: datetime, password_hash: str | None = None, *, is_licensed: bool = True
) -> None:
    """Add a user; without a password hash, the user signs in by code only."""
    users.add(connection, user, password_hash, is_licensed=is_licensed, now=now)


def add_project(
    connection: Connection, project_id: int, name: str, *, description: str, dates: tuple[date, date], now: datetime
) -> tuple[int, int]:
    """Add a project; returns its root area and root iteration."""
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
    projects.add(connection, values, "backlit", now)
    root = {"project_id": project_id, "parent_id": ROOT_PARENT, "name": name, "path": name, "sequence": 1}
    root |= audit("backlit", now)
    area = connection.execute(insert(areas).values(root).returning(areas.c.id)).scalar_one()
    span = {"is_release": False, "start_date": start, "end_date": end}
    iteration = connection.execute(insert(iterations).values(root | span).returning(iterations.c.id)).scalar_one()
    return area, iteration


def audit(by: str, created: datetime, changed: datetime | None = None) -> dict[str, object]:
    """Return the audit columns of a row."""
    return {
        "created_by": by,
        "created_at": created,
        "last_modified_by": by,
        "last_modified_at": changed or created,
    }


PROJECT = "Backlog"


def write_local(settings: ServiceSettings, username: str) -> None:
    """Create a database with one project and one user, who signs in by code; raise StorageError."""
    now = Clock().now()
    today = now.date()
    with new_database(settings) as engine, engine.connect() as connection, connection.begin():
        add_user(connection, user_of(1, username, username, ""), now)
        dates = today, today + timedelta(days=365)
        add_project(connection, 1, PROJECT, description="", dates=dates, now=now)
        users.grant(connection, 1, 1, Role.MANAGER)
