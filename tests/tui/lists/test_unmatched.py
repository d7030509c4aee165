"""The figures of a list without matches."""

from collections.abc import Callable
from pathlib import Path

from tests.store.documents import item, offline_store, put

from backlit.model.trees import NodeTotals
from backlit.store import Store, ViewSpec
from backlit.store.views.view import View
from backlit.tui.lists.one_list_screen import EmptyListFigures, EmptyListReader


def noting(store: Store, asked: list[ViewSpec]) -> Callable[[ViewSpec], View]:
    def view_of(spec: ViewSpec) -> View:
        asked.append(spec)
        return store.view(spec)

    return view_of


async def test_the_totals_without_the_filter_are_read_once_until_items_change(tmp_path: Path) -> None:
    with offline_store(tmp_path, [item(1), item(2, Status="Done")]) as store:
        asked: list[ViewSpec] = []
        reader = EmptyListReader(noting(store, asked))
        await reader.read(ViewSpec(text="#2"))
        found = await reader.read(ViewSpec(text="zzz"))
        assert asked == [ViewSpec(), ViewSpec(text="#2", with_done=True), ViewSpec(text="zzz", with_done=True)]
        assert (found.done, found.all.count) == (0, 1)
        put(store, [item(3)])
        reader.forget()

        assert (await reader.read(ViewSpec(text="#2"))) == EmptyListFigures(ViewSpec(text="#2"), 1, NodeTotals(2))


async def test_done_items_are_not_counted_again_in_a_list_that_has_them(tmp_path: Path) -> None:
    with offline_store(tmp_path, [item(1), item(2, Status="Done")]) as store:
        asked: list[ViewSpec] = []
        found = await EmptyListReader(noting(store, asked)).read(ViewSpec(text="zzz", with_done=True))

        assert asked == [ViewSpec(with_done=True)]
        assert (found.done, found.all.count) == (None, 2)


async def test_the_items_without_the_end_of_the_filter_are_read(tmp_path: Path) -> None:
    with offline_store(tmp_path, [item(1), item(2, kind="Bug")]) as store:
        asked: list[ViewSpec] = []
        reader = EmptyListReader(noting(store, asked))
        found = await reader.read(ViewSpec(text="zzz", query="type:bug"), [("zzz", ViewSpec(query="type:bug"))])
        alone = await reader.read(ViewSpec(text="zzz"), [("zzz", ViewSpec())])

        assert [(words, [row.id for row in rows]) for words, _, rows in found.hidden] == [("zzz", [2])]
        assert [(words, [row.id for row in rows]) for words, _, rows in alone.hidden] == [("zzz", [1, 2])]
