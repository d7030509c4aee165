"""The real service in this process, with a sample in it, and clients of it."""

import shutil
from collections.abc import AsyncIterator
from datetime import date
from pathlib import Path

import pytest
from tests.service.people import hash_cheaply

from backlit.client.client import Client
from backlit.client.tokens import TokenCache
from backlit.service.app import Service
from backlit.service.sample.workspace import write_sample
from backlit.service.storage.settings import ServiceSettings

TODAY = date(2026, 3, 11)
INSIDE = "http://backlit.local"


@pytest.fixture(scope="session")
def sample_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("sample")
    settings = ServiceSettings(f"sqlite:///{place}/sample.db", place / "files")
    write_sample(settings, 120, today=TODAY)
    hash_cheaply(settings)
    return place / "sample.db"


@pytest.fixture
async def service(sample_file: Path, tmp_path: Path) -> AsyncIterator[Service]:
    shutil.copy(sample_file, tmp_path / "service.db")
    service = Service(ServiceSettings(f"sqlite:///{tmp_path}/service.db", tmp_path / "files"))
    await service.start()
    yield service
    await service.stop()


@pytest.fixture
def tokens(tmp_path: Path) -> TokenCache:
    return TokenCache(tmp_path / "private" / "tokens.json", INSIDE)


@pytest.fixture
async def visitor(service: Service, tokens: TokenCache) -> AsyncIterator[Client]:
    async with Client.inside(service.asgi, tokens) as client:
        yield client


@pytest.fixture
async def client(service: Service, visitor: Client) -> Client:
    await visitor.auth.sign_in_with_code(service.invite("maya"))
    return visitor
