"""The empty workspace of one person, for use without a server."""

from datetime import timedelta

from backlit.service.access import Role
from backlit.service.seed import add_project, add_user, new_database, user_of
from backlit.service.settings import Clock, ServiceSettings
from backlit.service.tables import users

PROJECT = "Backlog"


def write_local(settings: ServiceSettings, username: str) -> None:
    """Create the database with one user, who signs in by code, and one project; raises StorageError."""
    now = Clock().now()
    today = now.date()
    with new_database(settings) as engine, engine.connect() as connection, connection.begin():
        add_user(connection, user_of(1, username, username, ""), now)
        dates = today, today + timedelta(days=365)
        add_project(connection, 1, PROJECT, description="", dates=dates, now=now)
        users.grant(connection, 1, 1, Role.MANAGER)
