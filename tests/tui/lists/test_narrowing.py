"""The conditions that would narrow a few matches."""

from pathlib import Path

from tests.store.documents import item, offline_store

from backlit.store import ViewSpec
from backlit.tui.lists.narrowing import HEADING, read_conditions


async def test_only_fields_that_tell_matches_apart_are_named_by_what_is_typed(tmp_path: Path) -> None:
    items = [item(1, Tags=["a b"]), item(2, kind="Bug"), item(3, kind="Bug", Tags=["c"])]
    with offline_store(tmp_path, items) as store:
        view = store.view(ViewSpec())
        await view.load()
        lines = ["".join(text for text, _ in line).split() for line in await read_conditions(store, view, 60)]
        narrow = await read_conditions(store, view, 30)

    assert " ".join(lines[1][:-1]) == f"{HEADING} add one, such as type:Bug; tab completes it"
    assert lines[2:] == [["type:", "Bug", "2", "Story", "1"], ["tag:", "none", "1", '"a', 'b"', "1", "c", "1"]]
    assert ["".join(text for text, _ in line).split() for line in narrow][-1] == ["tag:", "none", "1"]


async def test_nothing_is_named_where_all_matches_are_alike(tmp_path: Path) -> None:
    with offline_store(tmp_path, [item(1), item(2)]) as store:
        view = store.view(ViewSpec())
        await view.load()

        assert await read_conditions(store, view, 60) == []
