"""The conditions that would narrow a few matches."""

from collections.abc import Sequence
from pathlib import Path

from tests.store.documents import item, offline_store

from backlit.store import ViewSpec
from backlit.tui.lists.narrowing import read_conditions


async def test_only_fields_that_tell_matches_apart_are_named_by_what_is_typed(tmp_path: Path) -> None:
    items = [item(1, Tags=["a b"]), item(2, kind="Bug"), item(3, kind="Bug", Tags=["c"])]
    with offline_store(tmp_path, items) as store:
        view = store.view(ViewSpec())
        await view.load()
        wide = [_words(line) for line in await read_conditions(store, view, 70, 12)]
        narrow = [_words(line) for line in await read_conditions(store, view, 26, 12)]
        low = await read_conditions(store, view, 26, 7)

    assert wide[1] == "  Narrow by typing such as type:Bug " + "─" * 31
    assert wide[2:] == [
        "  type:                             tag:",
        "  Bug     2 ━━━━━━━━━━━━━━          none    1",
        '  Story   1                         "a b"   1',
        "                                    c       1",
    ]
    assert narrow[2:5] == ["  type:", "  Bug     2 ━━━━━━━", "  Story   1"]
    assert narrow[5:7] == ["", "  tag:"]
    assert [_words(line) for line in low][2:] == narrow[2:5]


async def test_the_less_frequent_values_are_counted_where_they_have_no_room(tmp_path: Path) -> None:
    with offline_store(tmp_path, [item(at, Tags=[f"t{at}"]) for at in range(1, 9)]) as store:
        view = store.view(ViewSpec())
        await view.load()
        high, low = [[_words(line) for line in await read_conditions(store, view, 60, height)] for height in (20, 8)]

    assert len(high) == 2 + 1 + 8
    assert len(low) == 8
    assert low[-1] == "  4 more"


async def test_nothing_is_named_where_all_matches_are_alike(tmp_path: Path) -> None:
    with offline_store(tmp_path, [item(1), item(2)]) as store:
        view = store.view(ViewSpec())
        await view.load()

        assert await read_conditions(store, view, 60, 12) == []


def _words(line: Sequence[tuple[str, str]]) -> str:
    return "".join(text for text, _ in line).rstrip()
