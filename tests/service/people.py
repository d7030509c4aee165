"""The sample's people with hashes of their password that take no time to check."""

from argon2 import PasswordHasher
from sqlalchemy import update

from backlit.service.admin.workspace import writing
from backlit.service.sample.workspace import PASSWORD
from backlit.service.storage.schema import users
from backlit.service.storage.settings import ServiceSettings


def hash_cheaply(settings: ServiceSettings) -> None:
    """Replace the password hashes of a sample."""
    cheap = PasswordHasher(time_cost=1, memory_cost=8, parallelism=1).hash(PASSWORD)
    with writing(settings) as connection:
        connection.execute(update(users).values(password_hash=cheap))
