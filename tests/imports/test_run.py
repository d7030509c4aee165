"""An import that is stopped between two batches, and goes on."""

import pytest
from tests.imports.jira_files import jira_csv
from tests.store.world import World, sent

from backlit.imports.run import BATCH, ImportOptions, ImportRun, PreparedImport, prepare
from backlit.model.import_mappings import ImportMapping
from backlit.store import Store
from backlit.store.edits.imports import ImportedChange

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

    assert len(rest.made()) == COUNT - done
    assert len(found.plan.existing) == done
    assert rest.total == COUNT - done == written[-1]
    assert len(names) == len(set(names)) == COUNT


@pytest.mark.slow
async def test_an_import_that_went_on_is_undone_in_one_step(world: World, store: Store) -> None:
    before = await world.names()
    async for _ in ImportRun(store, prepared(store).plan).write():
        break
    await sent(store)
    async for _ in ImportRun(store, prepared(store).plan).write():
        pass
    await sent(store)
    await store.history.undo()
    await sent(store)

    assert await world.names() == before


@pytest.mark.slow
async def test_an_import_of_a_file_that_came_in_whole_is_a_step_of_its_own(world: World, store: Store) -> None:
    before = await world.names()
    async for _ in ImportRun(store, prepared(store).plan).write():
        pass
    await sent(store)
    text = jira_csv(COUNT + 1).encode()
    more = prepare(store, text, "shop.csv", ImportMapping(), ImportOptions())
    async for _ in ImportRun(store, more.plan).write():
        pass
    await sent(store)
    await store.history.undo()
    await sent(store)

    assert len(await world.names()) == len(before) + COUNT


@pytest.mark.slow
async def test_a_comment_that_arrived_since_the_file_was_compared_is_not_written_again(
    world: World, store: Store
) -> None:
    change = ImportedChange(1, {}, comments=("Once  is enough.",))

    await store.imports.write("Jira SHOP", (), [change])
    await store.imports.write("Jira SHOP", (), [change])
    await sent(store)
    texts = [each["description"] for each in (await world.rival.work_items.comments(1).page()).results]

    assert texts.count("Once  is enough.") == 1
