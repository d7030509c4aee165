"""The sample is written once; every test gets a copy with a service on it."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from tests.store.world import World, make_sample


@pytest.fixture(scope="session")
def sample(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_sample(tmp_path_factory.mktemp("sample"))


@pytest.fixture
async def world(tmp_path: Path, sample: Path) -> AsyncIterator[World]:
    world = World(tmp_path, sample)
    await world.start()
    yield world
    await world.stop()
