"""The figures of a list without matches, and what is near."""

from collections.abc import Sequence
from pathlib import Path

from tests.store.documents import item, offline_store, put

from backlit.store import Store, ViewSpec
from backlit.store.records.item import ItemRow
from backlit.store.views.groups import GroupLine
from backlit.tui.lists.filtering import FilterState
from backlit.tui.lists.unmatched import EmptyListFigures, EmptyListReader

ROOM = 30


async def read(store: Store, now: FilterState, room: int = ROOM) -> EmptyListFigures:
    return await EmptyListReader(store).read(now.applied_to(ViewSpec(), store), now, room)


def drawn(figures: EmptyListFigures) -> Sequence[str | int]:
    """Return the headings and the ids of the rows below them."""
    lines: Sequence[ItemRow | GroupLine] = figures.near_view.lines(0, 100) if figures.near_view else ()
    return [line.id if isinstance(line, ItemRow) else str(line.value) for line in lines]


async def test_the_totals_without_the_filter_are_read_once_until_items_change(tmp_path: Path) -> None:
    with offline_store(tmp_path, [item(1), item(2, Status="Done")]) as store:
        reader = EmptyListReader(store)
        first = await reader.read(ViewSpec(text="#2"), FilterState(text="#2"), ROOM)
        put(store, [item(3)])
        kept = await reader.read(ViewSpec(text="zzz"), FilterState(text="zzz"), ROOM)
        reader.forget()
        last = await reader.read(ViewSpec(text="zzz"), FilterState(text="zzz"), ROOM)

        assert [each.all.count for each in (first, kept, last)] == [1, 1, 2]
        assert [each.done for each in (first, kept, last)] == [1, 0, 0]


async def test_done_items_are_not_counted_again_in_a_list_that_has_them(tmp_path: Path) -> None:
    with offline_store(tmp_path, [item(1), item(2, Status="Done")]) as store:
        found = await EmptyListReader(store).read(ViewSpec(text="zzz", with_done=True), FilterState(text="zzz"), ROOM)

        assert (found.done, found.all.count) == (None, 2)


async def test_the_items_without_each_of_several_filters_are_near_and_those_without_the_only_one_are_not(
    tmp_path: Path,
) -> None:
    documents = [item(1, Status="In Progress"), item(2, kind="Bug"), item(3, kind="Bug")]
    with offline_store(tmp_path, documents) as store:
        both = await read(store, FilterState(query='type:Bug status:"In progress"'))
        alone = await read(store, FilterState(query="type:task"))

        assert drawn(both) == ["Without “status In progress”", 2, 3, "Without “type Bug”", 1]
        assert drawn(alone) == []


async def test_a_mistyped_word_has_the_items_with_the_words_that_are_spelled_nearly_so(tmp_path: Path) -> None:
    documents = [
        item(1, Name="Send a receipt"),
        item(2, Name="Old receipts are lost"),
        item(3, Description="A receipt is a receipt"),
        item(4),
    ]
    with offline_store(tmp_path, documents) as store:
        await store.search.read_all()
        found = await read(store, FilterState(text="recipt"))

        assert drawn(found) == ["Names with “receipt”", 1, 2, "Texts with “receipt”", 3]
        assert [near.meant for near, _ in found.near] == ["receipt", ""]
        assert [near.filter for near, _ in found.near] == [
            FilterState(text="receipt"),
            FilterState(query="text:receipt"),
        ]


async def test_one_word_of_several_is_replaced(tmp_path: Path) -> None:
    with offline_store(tmp_path, [item(1, Name="Send a receipt"), item(2, Name="Send a parcel")]) as store:
        found = await read(store, FilterState(query="send recipt"))

        assert drawn(found) == ["Without “recipt”", 1, 2]
        assert FilterState(query="send receipt") == FilterState(query="send recipt").with_word("recipt", "receipt")


async def test_a_word_that_is_in_texts_alone_has_their_items(tmp_path: Path) -> None:
    with offline_store(tmp_path, [item(1, Description="Grapefruit"), item(2)]) as store:
        await store.search.read_all()

        assert drawn(await read(store, FilterState(text="grapefruit"))) == ["Texts with “grapefruit”", 1]
        assert drawn(await read(store, FilterState(text="#7"))) == []


async def test_large_groups_share_the_lines_and_say_how_many_they_leave_out(tmp_path: Path) -> None:
    documents = [item(at, kind="Bug") for at in range(1, 31)] + [item(40, Status="In Progress")]
    with offline_store(tmp_path, documents) as store:
        found = await read(store, FilterState(query='type:Bug status:"In progress"'), room=12)
        headings = (
            [line for line in found.near_view.lines(0, 20) if isinstance(line, GroupLine)] if found.near_view else []
        )

        assert [(line.rows, line.count) for line in headings] == [(5, 30), (1, 1)]
