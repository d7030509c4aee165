"""Reading everything page by page, where a service does not filter (FEATURES rule 19)."""

from functools import partial

from backlit.model.errors import NotFound
from backlit.store.asking import Asking, in_turns
from backlit.store.files import Files
from backlit.store.fill import Progress
from backlit.store.reading import store_items
from backlit.store.rows import whole
from backlit.store.sweep import keep_only, known_ids

PASSES = 3
"""Times to read everything at most: what is in no order may move from page to page meanwhile."""
FEW = 50
"""Missing items that are asked for one by one before they count as gone."""


class Walk:
    """One reading of all projects; it begins anew after an interruption."""

    def __init__(self, asking: Asking, files: Files, progress: Progress) -> None:
        self._asking = asking
        self._files = files
        self._progress = progress
        self._seen: set[int] = set()
        self._total = 0
        self._is_stopped = False

    def stop(self) -> None:
        """Go no further than the pages that are on their way."""
        self._is_stopped = True

    async def run(self) -> bool:
        """Read and store, and forget what did not come; says whether that was all."""
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
        step = await self._page(0)
        if step:
            await in_turns([partial(self._page, skip) for skip in range(step, self._total, step)])

    async def _page(self, skip: int) -> int:
        """Read and store one page; says how many items it had."""
        if self._is_stopped:
            return 0
        page = await self._asking.items(order="id", skip=skip)
        self._total = page.total
        fresh = [each for each in page.results if (whole(each.get("id")) or 0) not in self._seen]
        self._seen |= {whole(each.get("id")) or 0 for each in fresh}
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
