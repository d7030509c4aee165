"""The due date of a project: which field it is, and how queries ask for it."""

from collections.abc import Iterator
from datetime import datetime, timedelta, timezone
from pathlib import Path

import pytest
from tests.store.documents import item, offline_store, state_project

from backlit.model.fields import Kind
from backlit.model.settings.user_settings import OwnNames
from backlit.store import Store, ViewSpec

NOW = datetime(2026, 3, 11, 12, tzinfo=timezone(timedelta()))
DAYS = {1: "2026-03-10", 2: "2026-03-09", 3: "2026-03-13", 4: "2026-03-30", 5: None}
STATED = {"dueField": "End_cf", "customFields": [{"key": "End_cf", "kind": "date", "types": ["Story"], "choices": []}]}


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    items = [item(number, End_cf=day, Status="Done" if number == 2 else "Not Done") for number, day in DAYS.items()]
    with offline_store(tmp_path, items, lambda: NOW) as store:
        yield store


async def found(store: Store, query: str) -> list[int]:
    view = store.view(ViewSpec(query=query, with_done=True))
    await view.load()
    return sorted(view.ids())


@pytest.mark.parametrize(
    ("query", "ids"),
    [
        ("due:overdue", [1]),
        ("due:week", [1, 2, 3]),
        ("due:fri", [3]),
        ("due<14d", [1, 3]),
        ("due>2026-03-12", [3, 4]),
        ("due:none", [5]),
    ],
)
async def test_queries_ask_for_the_due_date_by_its_short_key(store: Store, query: str, ids: list[int]) -> None:
    state_project(store, **STATED)

    assert await found(store, query) == ids


async def test_the_user_names_the_field_where_the_service_names_none(store: Store) -> None:
    unnamed = store.lookups.due_field()
    store.lookups.own_names = OwnNames(kinds={"End_cf": Kind.DATE}, due="End_cf")
    state_project(store)

    field = store.lookups.due_field()
    assert unnamed is None
    assert field is not None
    assert field.key == "End_cf"
