"""The meaning of a project's own statuses: set by the service or the user, guessed, or unknown."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.store.documents import item, no_service, offline_store, places_in
from tests.store.reports.presented import presented

from backlit.model.reports.names import ReportName, ReportUnit
from backlit.model.statuses import StatusGroup, StatusGroups
from backlit.store import Store
from backlit.store.mirror.status_groups import CAPABILITIES
from backlit.store.records.item import Document
from backlit.store.views.query import ViewSpec

ORDER = ["Idea", "Specified", "Ready", "In Progress", "Peer look", "Ready For Test", "On site", "Done", "Archived"]


@pytest.mark.parametrize(
    ("status", "group"),
    [
        ("Idea", StatusGroup.NOT_STARTED), ("Specified", StatusGroup.NOT_STARTED),
        ("Peer look", StatusGroup.IN_PROGRESS), ("On site", StatusGroup.READY_FOR_TEST),
        ("Archived", StatusGroup.UNKNOWN), ("Elsewhere", StatusGroup.UNKNOWN), (None, StatusGroup.NOT_STARTED),
    ],
)  # fmt: skip
def test_a_status_without_a_meaning_is_guessed_by_its_place(status: str | None, group: StatusGroup) -> None:
    assert StatusGroups(lists=[ORDER]).of(status) is group


def test_a_set_meaning_comes_before_name_and_place() -> None:
    groups = StatusGroups({"done": StatusGroup.IN_PROGRESS, "Elsewhere": StatusGroup.DONE}, [ORDER])

    assert [groups.of(each) for each in ("Done", "ELSEWHERE")] == [StatusGroup.IN_PROGRESS, StatusGroup.DONE]
    assert groups.of("Archived") is StatusGroup.UNKNOWN


def items() -> list[Document]:
    statuses = {1: "Not Done", 2: "Limbo", 3: "Limbo", 4: "In Progress", 5: "Limbo"}
    kinds = {5: {"kind": "Task", "ParentID": 2}}
    return [item(each, Status=status, Estimate="3", **kinds.get(each, {})) for each, status in statuses.items()]  # type: ignore[arg-type] # the task's parent


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with offline_store(tmp_path, items()) as store:
        yield store


async def shown(store: Store, spec: ViewSpec) -> list[int]:
    view = store.view(spec)
    await view.load()
    return [row.id for row in view.rows(0, 100)]


def tell(store: Store, groups: dict[str, str]) -> None:
    """Let the service state the meaning of statuses, as sync does."""
    told = {"projects": [{"id": 1, "statusGroups": groups}]}
    store.files.submit(lambda writer: writer.mirror.configure(CAPABILITIES, told)).result()


async def test_reports_count_an_unknown_status_as_not_started_and_name_it(store: Store) -> None:
    whole = store.reports.coverages.period(30)
    age = await presented(store, ReportName.AGE, whole)
    load = await presented(store, ReportName.PEOPLE, whole, ReportUnit.POINTS)

    assert age.table.item_ids == (4,)
    assert [row[2] for row in load.table.rows] == [12.0]
    for report in (age, load):
        assert report.warnings[-1] == "2 items in Limbo, a status without a meaning."


async def test_a_changed_meaning_closes_items_and_their_tasks(store: Store) -> None:
    before = await shown(store, ViewSpec())
    tell(store, {"Limbo": "done"})
    closed = await shown(store, ViewSpec())
    tell(store, {"Limbo": "in progress"})

    assert (before, closed) == ([1, 2, 5, 3, 4], [1, 4])
    assert await shown(store, ViewSpec()) == before


async def test_the_users_setting_holds_until_the_service_says_otherwise(tmp_path: Path, store: Store) -> None:
    store.close()
    again = Store(places_in(tmp_path), no_service)
    again.files.own_groups = {"Limbo": StatusGroup.EXCLUDED}
    again.open()
    left_out, group = await shown(again, ViewSpec()), again.lookups.status_groups().of("Limbo")
    tell(again, {"Limbo": "ready for test"})
    age = await presented(again, ReportName.AGE, again.reports.coverages.period(30))
    again.close()

    assert (left_out, group) == ([1, 4], StatusGroup.EXCLUDED)
    assert sorted(age.table.item_ids) == [2, 3, 4]
