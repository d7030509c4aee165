"""An import that is stopped between two batches, and goes on."""

import pytest
from tests.imports.jira_files import jira_csv
from tests.store.world import World, sent

from backlit.imports.run import BATCH, ImportOptions, ImportRun, PreparedImport, prepare
from backlit.model.import_mappings import ImportMapping
from backlit.store import Store

COUNT = BATCH + 40


def prepared(store: Store) -> PreparedImport:
    return prepare(store, jira_csv(COUNT).encode(), "shop.csv", ImportMapping(), ImportOptions())


@pytest.mark.slow
async def test_a_stopped_import_has_whole_batches_and_goes_on_with_the_rest(world: World, store: Store) -> None:
    before = await world.names()
    first = ImportRun(store, prepared(store).plan)
    async for done in first.write():
        assert done >= BATCH
        break
    await sent(store)
    found = prepared(store)
    rest = ImportRun(store, found.plan)
    written = [count async for count in rest.write()]
    await sent(store)
    names = (await world.names())[len(before) :]

    assert len(first.made()) == done
    assert len(found.plan.existing) == done
    assert rest.total == COUNT - done == written[-1]
    assert len(names) == len(set(names)) == COUNT
