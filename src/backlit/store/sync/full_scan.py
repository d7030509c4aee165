"""Full scan of all items page by page, for services that do not filter."""

from functools import partial

from backlit.model.errors import NotFound
from backlit.store.files import Files
from backlit.store.records.item import whole
from backlit.store.remote.listing import AT_ONCE, PageLimit, ProjectLists, in_turns, store_items, together
from backlit.store.sync.deletions import keep_only, known_ids
from backlit.store.sync.first_load import Progress

PASSES = 3
"""The most passes: unordered items may move between pages during a pass."""
FEW = 50
"""The most missing items to request individually before they count as deleted."""


class FullScan:
    """A scan of all projects. It restarts after an interruption."""

    def __init__(self, lists: ProjectLists, files: Files, progress: Progress) -> None:
        self._asking = lists
        self._files = files
        self._progress = progress
        self._seen: set[int] = set()
        self._total = 0
        self._is_stopped = False

    def stop(self) -> None:
        """Stop after the pages in transit."""
        self._is_stopped = True

    async def run(self) -> bool:
        """Load and store, then delete missing items. Returns whether the scan is complete."""
        for _ in range(PASSES):
            await self._pass()
            if self._is_stopped:
                return False
            if len(self._seen) >= self._total:
                break
        missing = sorted(await self._files.write(lambda writer: known_ids(writer) - self._seen))
        if len(missing) <= FEW:
            await in_turns(partial(self._ask_for, item_id) for item_id in missing)
        await self._files.write(lambda writer: keep_only(writer, self._seen))
        return True

    async def _pass(self) -> None:
        """Read pages until one is empty or all items are here, whatever total is announced."""
        here: set[int] = set()
        limit = PageLimit("items")
        step = at = await self._page(0, here, limit)

        async def work() -> None:
            nonlocal at
            while step and at < self._total and not self._is_stopped:
                skip, at = at, at + step
                if not await self._page(skip, here, limit):
                    at = self._total

        await together([work] * AT_ONCE)

    async def _page(self, skip: int, here: set[int], limit: PageLimit) -> int:
        """Read and store a page. Returns its number of items. `here` collects the ids of this pass."""
        page = await self._asking.items(order="id", skip=skip)
        self._total = page.total
        ids = {whole(each.get("id")) or 0 for each in page.results}
        limit.note(is_news=not ids <= here)
        here |= ids
        fresh = [each for each in page.results if (whole(each.get("id")) or 0) not in self._seen]
        self._seen |= ids
        await store_items(self._files, fresh)
        self._progress(len(self._seen), max(self._total, len(self._seen)))
        return len(page.results)

    async def _ask_for(self, item_id: int) -> None:
        try:
            document = await self._asking.client.work_items.document(item_id)
        except NotFound:
            return
        self._seen.add(item_id)
        await store_items(self._files, [document])
