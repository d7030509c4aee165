"""Computed columns: lists are sorted by what they show, in every window, group and direction."""

import asyncio
import random
from collections.abc import Iterator
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from tests.store.documents import item, offline_store
from tests.store.views.forest import put_criteria, set_parents

from backlit.model.errors import BadRequest
from backlit.model.filters import SortKey
from backlit.model.settings.view_settings import COMPUTED_COLUMNS, column_wish, field_key, sort_key
from backlit.store import Store, ViewSpec
from backlit.store.views.computed import COMPUTED_VALUES

KINDS = ("Story", "Bug", "Feature", "Issue", "Task")
FIELDS: tuple[dict[str, Any], ...] = (
    {"Estimate": "3"},
    {},
    {"Status": "In Progress"},
    {"IsTriaged": True, "IsBlocking": True},
    {"Status": "Done"},
    {"Maturity": "1 - Idea", "AssignedToID": 5},
)
FEATURES = (2, 7, 12, 17, 22)
LONG_AGO = datetime(2020, 1, 1)


def documents() -> Iterator[dict[str, object]]:
    """Many items with few different values: each value is a tie of several, in another order than the backlog's."""
    for number in range(1, 91):
        kind = KINDS[number % len(KINDS)]
        changed = LONG_AGO + timedelta(days=600 * (number % 4), hours=number % 2)
        made = item(number, kind=kind, priority=float(number * 37 % 91), **FIELDS[number % len(FIELDS)])
        yield made | {"lastModifiedAt": f"{changed:%Y-%m-%dT%H:%M:%S}.000"}


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Store]:
    """A store that tests only read."""
    with offline_store(tmp_path_factory.mktemp("computed"), list(documents())) as made:
        set_parents(made, {each: FEATURES[each % 5] for each in range(1, 91) if KINDS[each % 5] in {"Story", "Bug"}})
        for each in range(1, 91, 7):
            put_criteria(made, each, "Pass", *("Pass", "Fail", "Not Executed")[: each % 4])
        yield made


def in_order(store: Store, ids: list[int], key: str, *, is_descending: bool) -> list[int]:
    """Sort items by the shown value: no value last, equal values by id."""
    cells = store.cells.values(ids, [key])
    with_value = sorted(each for each in ids if cells[each][key] is not None)
    with_value.sort(key=lambda each: cells[each][key], reverse=is_descending)  # type: ignore[arg-type,return-value] # one type a column
    return with_value + sorted(each for each in ids if cells[each][key] is None)


def test_every_computed_column_has_a_value() -> None:
    assert COMPUTED_COLUMNS.keys() == COMPUTED_VALUES.keys()


@pytest.mark.parametrize("is_descending", [False, True])
@pytest.mark.parametrize("key", COMPUTED_COLUMNS)
def test_a_list_is_sorted_by_what_a_computed_column_shows(store: Store, key: str, is_descending: bool) -> None:
    view = store.view(ViewSpec(with_done=True, sort=(SortKey(key, is_descending),)))
    asyncio.run(view.load())
    ids = list(view.ids())
    values = {row[key] for row in store.cells.values(ids, [key]).values()}

    assert 1 < len(values) < len(ids) == 90
    assert ids == in_order(store, ids, key, is_descending=is_descending)


@pytest.mark.parametrize("key", COMPUTED_COLUMNS)
def test_windows_of_a_computed_order_join_without_a_gap_or_a_repeat(store: Store, key: str) -> None:
    view = store.view(ViewSpec(with_done=True, sort=(SortKey(key), SortKey("Name"))))
    asyncio.run(view.load())
    windows = [row.id for start in range(0, 90, 7) for row in view.rows(start, start + 7)]

    assert windows == list(view.ids())
    assert [view.index_of(each) for each in windows] == list(range(90))
    assert len(set(windows)) == 90


@pytest.mark.parametrize("is_descending", [False, True])
@pytest.mark.parametrize("key", COMPUTED_COLUMNS)
def test_a_computed_order_holds_in_each_group(store: Store, key: str, is_descending: bool) -> None:
    view = store.view(ViewSpec(with_done=True, sort=(SortKey(key, is_descending),), group=("type", "Status")))
    asyncio.run(view.load())
    groups = [list(view.ids_in(line.group)) for line in view.outline.headers if line.level == 2]

    assert sum(map(len, groups)) == 90
    assert all(each == in_order(store, each, key, is_descending=is_descending) for each in groups)


@pytest.mark.parametrize("key", COMPUTED_COLUMNS)
def test_a_computed_column_is_an_order_and_a_column_in_any_case_but_no_group(key: str) -> None:
    assert sort_key(f"{key.upper()} desc") == SortKey(key, descending=True)
    assert sort_key(f"-{key}") == SortKey(key, descending=True)
    assert column_wish(key.title(), field_key).key == key
    with pytest.raises(BadRequest, match="not grouped by"):
        field_key(key)


async def test_a_list_in_the_order_of_missing_readiness_follows_an_edit(tmp_path: Path) -> None:
    estimates: dict[int, dict[str, Any]] = {1: {}, 2: {"Estimate": "3"}, 3: {}}
    now = {"lastModifiedAt": f"{datetime.now():%Y-%m-%dT%H:%M:%S}.000"}
    with offline_store(tmp_path, [item(each, **fields) | now for each, fields in estimates.items()]) as store:
        view = store.view(ViewSpec(sort=(SortKey("lint"),)))
        await view.load()
        before = list(view.ids())
        await store.items.edit([1], {"Estimate": "5"})
        await store.items.edit([2], {"Estimate": ""})
        await view.reload()

        assert before == [1, 3, 2]
        assert list(view.ids()) == [2, 3, 1]


@pytest.mark.parametrize("seed", range(3))
def test_the_columns_of_a_feature_agree_with_its_roll_up(tmp_path: Path, seed: int) -> None:
    chance = random.Random(seed)
    statuses, kinds = ("Not Done", "Done", "Deferred", "In Progress"), ("Story", "Bug", "Feedback", "Issue")
    documents = [
        item(each, kind="Feature" if each < 9 else chance.choice(kinds), Status=chance.choice(statuses),
             Estimate=chance.choice((None, "3", "5", "large")))
        for each in range(1, 50)
    ]  # fmt: skip
    with offline_store(tmp_path, documents) as store:
        set_parents(store, {each: chance.randrange(1, min(each, 9)) for each in range(2, 50) if chance.random() < 0.7})
        features = range(1, 9)
        shown = store.cells.values(list(features), ["rollup", "progress"])

        for feature, expected in store.relations.roll_ups(features).items():
            assert shown[feature]["rollup"] == f"{expected.points_done:g}/{expected.points:g}"
            assert shown[feature]["progress"] == pytest.approx(expected.progress)
