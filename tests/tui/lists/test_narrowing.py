"""The conditions that would narrow a few matches."""

from collections.abc import Sequence
from pathlib import Path

import pytest
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

    assert wide[1] == "  Narrow by typing a key and a value, such as type:Bug " + "─" * 12
    assert wide[2:] == [
        "  type:                             tag:",
        "  Bug     2 ━━━━━━━━━━━━━━          none    1 ━━━━━━━",
        '  Story   1 ━━━━━━━                 "a b"   1 ━━━━━━━',
        "                                    c       1 ━━━━━━━",
    ]
    assert narrow[2:5] == ["  type:", "  Bug     2 ━━━━━━━╸", "  Story   1 ━━━╸"]
    assert narrow[5:7] == ["", "  tag:"]
    assert [_words(line) for line in low][2:] == narrow[2:5]


@pytest.mark.parametrize(
    ("numbers", "height", "shown"),
    [
        ([1] * 8, 20, ["t0   1", "t1   1", "t2   1", "5 more"]),
        ([3, 2, 2, 2, 2, 2, 2, 1], 20, ["t0   3", "t1   2", "t2   2", "t3   2", "t4   2", "3 more"]),
        ([2, 1, 1, 1], 20, ["t0   2", "t1   1", "t2   1", "t3   1"]),
        ([2, 1, 1, 1], 6, ["t0   2", "t1   1", "2 more"]),
    ],
)
async def test_values_of_one_match_and_those_without_room_are_counted(
    tmp_path: Path, numbers: Sequence[int], height: int, shown: Sequence[str]
) -> None:
    tags = [f"t{at}" for at, number in enumerate(numbers) for _ in range(number)]
    with offline_store(tmp_path, [item(at, Tags=[tag]) for at, tag in enumerate(tags, 1)]) as store:
        view = store.view(ViewSpec())
        await view.load()
        lines = [_words(line).rstrip(" ━╸") for line in await read_conditions(store, view, 60, height)]

    assert lines[3:] == [f"  {line}" for line in shown]


async def test_nothing_is_named_where_all_matches_are_alike(tmp_path: Path) -> None:
    with offline_store(tmp_path, [item(1), item(2)]) as store:
        view = store.view(ViewSpec())
        await view.load()

        assert await read_conditions(store, view, 60, 12) == []


def _words(line: Sequence[tuple[str, str]]) -> str:
    return "".join(text for text, _ in line).rstrip()
