"""The sample is written and loaded once; a test that asks for its world gets a copy with a service on it."""

import gc
import os
import shutil
import sys
from collections.abc import AsyncIterator
from importlib.util import find_spec
from itertools import groupby
from pathlib import Path
from typing import Any

import pytest
from _pytest.pathlib import ImportMode, import_path
from hypothesis import HealthCheck, settings
from sqlalchemy.engine import Engine
from sqlalchemy.engine.default import DefaultDialect
from sqlalchemy.util import LRUCache
from tests import quiet
from tests.store.world import World, load_sample, make_sample

from backlit.store import Store

RARELY = (50_000, 20, 50)
"""When Python looks for garbage; as often as usual it takes a third of all the time of a test of the terminal."""

MEMORY = Path("/dev/shm")
"""The file system in memory that a Linux has."""
ENOUGH_MEMORY = 2**30


def pytest_configure(config: pytest.Config) -> None:
    settings.register_profile("untimed", deadline=None, suppress_health_check=[HealthCheck.too_slow])
    settings.load_profile("untimed")
    keep_compiled_code()
    keep_compiled_sql()
    keep_files_in_memory()
    os.environ.setdefault("TEXTUAL_ANIMATIONS", "none")  # a flash may be in the way of a test that looks at colours
    # Sign-ins of tests are kept in files, and never in the keyring of whoever runs them.
    os.environ["PYTHON_KEYRING_BACKEND"] = "keyring.backends.null.Keyring"
    if find_spec("sniffio") is None:
        sys.modules["sniffio"] = None  # type: ignore[assignment] # not installed: httpx searches for it at each request
    gc.set_threshold(*RARELY)
    quiet.keep_parsed_rules()
    quiet.keep_strips_light()
    if quiet.can_be_known():
        quiet.wait_so_with_keys()
    import_share(config)


def import_share(config: pytest.Config) -> None:
    """Import the share of a worker, which keeps its code: each worker would compile all tests of a new clone."""
    worker: dict[str, Any] = getattr(config, "workerinput", {})
    if worker and not config.getoption("cov_source"):  # which measures from the collection on
        share = slice(int(worker["workerid"].removeprefix("gw")), None, worker["workercount"])
        for path in sorted(Path(__file__).parent.glob("*/**/test_*.py"))[share]:
            import_path(path, mode=ImportMode.importlib, root=config.rootpath, consider_namespace_packages=False)


def keep_compiled_code() -> None:
    """Have this process, and the hundred that a run starts, keep the code that they compile."""
    sys.dont_write_bytecode = False
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)


def keep_files_in_memory() -> None:
    """Put the folders of tests into memory: a disk adds half to the processor's time of a store, and waiting to it."""
    is_usable = os.access(MEMORY, os.W_OK) and not os.statvfs(MEMORY).f_flag & os.ST_NOEXEC
    if is_usable and shutil.disk_usage(MEMORY).free > ENOUGH_MEMORY:
        os.environ.setdefault("PYTEST_DEBUG_TEMPROOT", str(MEMORY))


def keep_compiled_sql() -> None:
    """Have engines share the SQL that SQLAlchemy compiles, a third of the time in which a service starts.

    Each service has engines of its own, whose dialects differ only by their identity.
    """
    compiled: LRUCache[Any, Any] = LRUCache(5000)
    Engine._compiled_cache = property(lambda _: compiled, lambda *_: None)  # type: ignore[assignment] # noqa: SLF001 - not public
    DefaultDialect.__hash__ = lambda dialect: hash(type(dialect))  # type: ignore[assignment,method-assign] # of each dialect
    DefaultDialect.__eq__ = lambda dialect, other: type(dialect) is type(other)  # type: ignore[method-assign] # likewise


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark as long the variants of a test that its mark `long_but` does not name, by parts of their ids."""
    marked = [(item, mark) for item in items if (mark := item.get_closest_marker("long_but"))]
    kept = {item.nodeid for item, mark in marked if any(f"-{name}-" in f"-{variant_of(item)}-" for name in mark.args)}
    for test, variants in groupby((item.nodeid for item, _ in marked), key=lambda each: each.partition("[")[0]):
        if len(names := set(variants)) > 1 and not names & kept:
            raise pytest.UsageError(f"{test}: its mark long_but names none of its variants")
    for item, _ in marked:
        if item.nodeid not in kept:
            item.add_marker(pytest.mark.long)


def variant_of(item: pytest.Item) -> str:
    return item.nodeid.partition("[")[2].removesuffix("]")


def pytest_collection_finish() -> None:
    """Leave what was imported to collect the tests out of every search: it stays."""
    gc.freeze()


@pytest.fixture(scope="session")
def sample(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = make_sample(tmp_path_factory.mktemp("sample"))
    load_sample(folder)
    return folder


@pytest.fixture
async def world(tmp_path: Path, sample: Path) -> AsyncIterator[World]:
    world = World(tmp_path, sample)
    await world.start()
    yield world
    await world.stop()


@pytest.fixture
async def store(world: World) -> Store:
    """A store of maya's that has loaded everything."""
    return await world.online()
