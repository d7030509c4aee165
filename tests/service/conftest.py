"""The sample workspace, a service over a copy of it, and people who are signed in."""

import os
import shutil
import tempfile
from collections.abc import AsyncIterator, Iterator
from datetime import date
from pathlib import Path

import httpx
import pytest
from sqlalchemy import Connection, delete
from tests.service.people import hash_cheaply
from tests.service.postgres import TEMPLATE, Postgres
from tests.service.signed_in import BASE, CLIENT_ID, SignIn

from backlit.model.wrap import TOKEN_PATH, authorization_header, parse_grant
from backlit.service.admin.workspace import writing
from backlit.service.app import Service
from backlit.service.sample.workspace import write_sample
from backlit.service.storage.schema import OBJECTS_BELOW_ITEMS
from backlit.service.storage.settings import ServiceSettings

TODAY = date(2026, 3, 11)
ITEMS = 160


ABOUT_SQL = {"admin", "storage", "tables"}
"""Folders of tests about statements; what others test is the same on each database but for the statements."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark the PostgreSQL variants of tests as slow where a test is about statements, else as long.

    None runs by default: each worker would fill a database of its own, and the server has the processor of two workers.
    """
    for item in items:
        parameters = getattr(item, "callspec", None)
        if parameters and parameters.params.get("database") == "postgresql":
            is_about_sql = item.path.parent.name in ABOUT_SQL or item.get_closest_marker("postgresql")
            item.add_marker(pytest.mark.slow if is_about_sql else pytest.mark.long)


def _leave_items_alone(settings: ServiceSettings) -> None:
    """Take away what is below the items but for comments: each test makes its own."""
    with writing(settings) as connection:
        for table in OBJECTS_BELOW_ITEMS:
            connection.execute(delete(table))


@pytest.fixture(scope="session")
def sample_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("sample")
    settings = ServiceSettings(f"sqlite:///{place}/sample.db", place / "files")
    write_sample(settings, ITEMS, today=TODAY)
    _leave_items_alone(settings)
    hash_cheaply(settings)
    return place / "sample.db"


@pytest.fixture
def connection(sample_file: Path, tmp_path: Path) -> Iterator[Connection]:
    """A transaction on a copy of the sample workspace."""
    shutil.copy(sample_file, tmp_path / "service.db")
    with writing(ServiceSettings(f"sqlite:///{tmp_path}/service.db", tmp_path / "files")) as connection:
        yield connection


@pytest.fixture(scope="session")
def postgres(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Postgres]:
    run = os.environ.get("PYTEST_XDIST_TESTRUNUID", str(os.getpid()))
    # In memory like the files of the tests: a test copies a database of some hundred files.
    place = Path(os.environ.get("PYTEST_DEBUG_TEMPROOT", tempfile.gettempdir()))
    server = Postgres(place / f"backlit-postgres-{run[:12]}")
    files = tmp_path_factory.mktemp("files")

    def fill(url: str) -> None:
        settings = ServiceSettings(url, files)
        write_sample(settings, ITEMS, today=TODAY)
        _leave_items_alone(settings)
        hash_cheaply(settings)

    server.fill(fill)
    yield server
    server.close()


@pytest.fixture(params=["sqlite", "postgresql"])
def database(request: pytest.FixtureRequest) -> str:
    """Which database the service of a test has."""
    kind: str = request.param
    return kind


@pytest.fixture
def empty_url(database: str, request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    """The address of a database without tables."""
    if database == "sqlite":
        yield f"sqlite:///{tmp_path}/empty.db"
        return
    server: Postgres = request.getfixturevalue("postgres")
    name = server.create()
    yield server.url(name)
    server.drop(name)


@pytest.fixture
def settings(database: str, request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[ServiceSettings]:
    if database == "sqlite":
        shutil.copy(request.getfixturevalue("sample_file"), tmp_path / "service.db")
        yield ServiceSettings(f"sqlite:///{tmp_path}/service.db", tmp_path / "files")
        return
    server: Postgres = request.getfixturevalue("postgres")
    name = server.create(TEMPLATE)
    yield ServiceSettings(server.url(name), tmp_path / "files")
    server.drop(name)


@pytest.fixture
async def service(settings: ServiceSettings) -> AsyncIterator[Service]:
    service = Service(settings)
    await service.start()
    yield service
    await service.stop()


@pytest.fixture
async def visitor(service: Service) -> AsyncIterator[httpx.AsyncClient]:
    transport = httpx.ASGITransport(service.asgi, raise_app_exceptions=False)
    async with httpx.AsyncClient(transport=transport, base_url=f"{BASE}/api/v1/") as client:
        yield client


@pytest.fixture
async def sign_in(service: Service, visitor: httpx.AsyncClient) -> AsyncIterator[SignIn]:
    clients: list[httpx.AsyncClient] = []

    async def sign_in(username: str) -> httpx.AsyncClient:
        form = {"wrap_client_id": CLIENT_ID, "wrap_verification_code": service.invite(username)}
        grant = parse_grant((await visitor.post(f"{BASE}{TOKEN_PATH}", data=form)).text, "tracker.example")
        transport = httpx.ASGITransport(service.asgi, raise_app_exceptions=False)
        headers = {"authorization": authorization_header(grant.access_token)}
        clients.append(httpx.AsyncClient(transport=transport, base_url=f"{BASE}/api/v1/", headers=headers))
        return clients[-1]

    yield sign_in
    for client in clients:
        await client.aclose()


@pytest.fixture
async def maya(sign_in: SignIn) -> httpx.AsyncClient:
    return await sign_in("maya")


@pytest.fixture
async def jon(sign_in: SignIn) -> httpx.AsyncClient:
    return await sign_in("jon")


@pytest.fixture
async def rex(sign_in: SignIn) -> httpx.AsyncClient:
    return await sign_in("rex")
