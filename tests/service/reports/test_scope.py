"""Tests of scope change: the examples of its definition."""

from collections.abc import Callable
from datetime import datetime

import pytest
from msgspec.structs import replace
from tests.service.reports.histories import (
    NEXT,
    RELEASE,
    ROOT,
    SECOND,
    SPRINT,
    RecordedProject,
    cells,
    day,
    local,
    nonzero,
    row_of,
    utc,
)

from backlit.model.reports.document import ReportDocument
from backlit.service.tables.changes import ChangeAct

NOW = utc("20 Nov 12:00")
CAUSES = ("Added", "Moved in", "Moved out", "Re-estimated", "Deferred", "Deleted")


def project_with_sprint() -> RecordedProject:
    project = RecordedProject()
    project.has_sprint(SPRINT, "2 Nov", "15 Nov")
    project.has_sprint(NEXT, "16 Nov", "29 Nov")
    project.create(1, utc("30 Oct 10:00"), Estimate="5", IterationID=SPRINT)
    project.create(2, utc("30 Oct 10:00"), Estimate="5", IterationID=ROOT)
    return project


def scope(project: RecordedProject, iteration: int = SPRINT, team: int | None = None) -> ReportDocument:
    return project.report("scope", NOW, iteration, team=team)


def at(text: str) -> datetime:
    return local(f"{text} Nov 10:00")


def create_and_move_away(project: RecordedProject) -> None:
    project.create(3, at("4"), Estimate="1", IterationID=SPRINT)
    project.change(3, local("4 Nov 12:00"), IterationID=ROOT)


def defer_and_restore(project: RecordedProject) -> None:
    project.change(1, at("4"), Status="Deferred")
    project.change(1, at("6"), Status="Not Done")


def delete_twice(project: RecordedProject) -> None:
    project.change(1, at("4"), Status="Deleted")
    project.remove(1, at("6"))


@pytest.mark.parametrize(
    ("script", "rows"),
    [
        (create_and_move_away, {"4 Nov": {"Added": 1, "Moved out": 1}}),
        (lambda p: p.change(2, at("4"), IterationID=SPRINT, Estimate="8"), {"4 Nov": {"Moved in": 8}}),
        (lambda p: p.change(1, at("4"), IterationID=NEXT, Estimate="8"), {"4 Nov": {"Moved out": 5}}),
        (lambda p: p.change(1, at("4"), Estimate="8"), {"4 Nov": {"Re-estimated": 3}}),
        (lambda p: p.change(1, at("4"), Estimate="XL"), {"4 Nov": {"Re-estimated": -5}}),
        (lambda p: p.change(1, at("4"), Status="Done"), {"4 Nov": {}}),
        (defer_and_restore, {"4 Nov": {"Deferred": 5}, "6 Nov": {"Added": 5}}),
        (delete_twice, {"4 Nov": {"Deleted": 5}, "6 Nov": {}}),
        (lambda p: p.remove(1, at("4")), {"4 Nov": {"Deleted": 5}}),
        (lambda p: p.remove(1, at("4"), ChangeAct.LEFT), {"4 Nov": {"Moved out": 5}}),
        (lambda p: p.change(1, at("4"), type="Feedback"), {"4 Nov": {"Moved out": 5}}),
    ],
    ids=[
        "created and moved away",
        "moved in with another estimate",
        "moved out with another estimate",
        "re-estimated",
        "estimate that is no number",
        "done",
        "deferred and restored",
        "status Deleted, then deleted",
        "deleted",
        "to another project",
        "to an uncounted type",
    ],
)
def test_scope_names_each_change_by_its_cause(
    script: Callable[[RecordedProject], None], rows: dict[str, dict[str, float]]
) -> None:
    project = project_with_sprint()
    script(project)

    found = scope(project)

    assert {text: nonzero(row_of(found, day(text)), CAUSES) for text in rows} == rows


def test_change_adds_up_to_the_scope() -> None:
    project = project_with_sprint()
    create_and_move_away(project)
    defer_and_restore(project)
    project.change(2, at("9"), IterationID=SPRINT, Estimate="8")

    found = scope(project)
    changes = cells(found, "Change")

    assert found.columns == ("Day", "Scope", "Change", *CAUSES, "Items")
    assert changes == [0, 0, -5, 0, 5, 0, 0, 8, 0, 0, 0, 0, 0, 0]
    assert cells(found, "Scope") == [5 + sum(map(float, map(str, changes[: number + 1]))) for number in range(14)]
    assert cells(found, "Items")[-1] == 2
    assert found.summary == {
        "committed": 5,
        "scope": 13,
        "added": 6,
        "movedIn": 8,
        "movedOut": 1,
        "reestimated": 0,
        "deferred": 5,
        "deleted": 0,
    }


def test_every_change_names_its_item() -> None:
    project = project_with_sprint()
    create_and_move_away(project)

    assert scope(project).details == [
        {"day": day("4 Nov"), "id": 3, "item": "Item 3", "cause": "Added", "amount": 1},
        {"day": day("4 Nov"), "id": 3, "item": "Item 3", "cause": "Moved out", "amount": 1},
    ]


def test_change_before_the_commitment_is_planning() -> None:
    project = project_with_sprint()
    project.change(2, local("3 Nov 09:00"), IterationID=SPRINT)
    start = project.moment(local("3 Nov 10:00"))
    project.create(3, local("3 Nov 11:00"), Estimate="1", IterationID=SPRINT)
    project.iterations[SPRINT] = replace(project.iterations[SPRINT], started=start)

    found = scope(project)

    assert cells(found, "Change")[:3] == [None, 1, 0]
    assert cells(found, "Scope")[:3] == [5, 11, 11]


@pytest.mark.parametrize("is_one_change", [True, False])
def test_split_is_one_move_out(is_one_change: bool) -> None:
    project = project_with_sprint()
    project.change(1, at("4"), Estimate="8")
    project.create(9, at("13"), Estimate="3", Status="Done", IterationID=SPRINT, splitFrom=1)
    if is_one_change:
        project.change(1, at("13"), Estimate="5", IterationID=NEXT)
    else:
        project.change(1, at("13"), Estimate="5")
        project.change(1, at("13"), IterationID=NEXT)

    found = scope(project)

    assert nonzero(row_of(found, day("13 Nov")), CAUSES) == {"Moved out": 5}
    assert row_of(found, day("13 Nov"))["Scope"] == 3
    assert "Moved out: 5 pts of them carried over." in found.notes
    for name in ("burndown", "burnup"):
        assert "5 pts carried over into a later sprint at the end." in project.report(name, NOW, SPRINT).notes


def test_change_of_team_is_a_move() -> None:
    project = project_with_sprint()
    project.change(1, at("4"), TeamID=1)
    project.change(1, at("6"), TeamID=2)

    found = scope(project, team=1)

    assert nonzero(row_of(found, day("4 Nov")), CAUSES) == {"Moved in": 5}
    assert nonzero(row_of(found, day("6 Nov")), CAUSES) == {"Moved out": 5}


def project_with_release() -> RecordedProject:
    project = RecordedProject()
    project.has_sprint(RELEASE, "2 Nov", "29 Nov", is_release=True)
    project.has_sprint(SPRINT, "2 Nov", "15 Nov", parent=RELEASE)
    project.has_sprint(SECOND, "16 Nov", "29 Nov", parent=RELEASE)
    for item_id, points, iteration in ((1, "5", SPRINT), (2, "3", SECOND), (3, "2", RELEASE)):
        project.create(item_id, utc("30 Oct 10:00"), Estimate=points, IterationID=iteration)
    return project


def test_scope_of_a_release_is_that_of_all_below_it() -> None:
    project = project_with_release()
    project.change(1, at("4"), IterationID=SECOND)

    found = scope(project, RELEASE)

    assert cells(found, "Scope")[:5] == [10] * 5
    assert cells(found, "Change")[:5] == [0] * 5


def test_scope_of_a_release_loses_what_is_moved_to_the_backlog() -> None:
    project = project_with_release()
    project.change(1, at("4"), IterationID=ROOT)

    found = scope(project, RELEASE)

    assert cells(found, "Scope")[:4] == [10, 10, 5, 5]
    assert nonzero(row_of(found, day("4 Nov")), CAUSES) == {"Moved out": 5}


def test_scope_of_a_release_follows_the_present_tree() -> None:
    project = project_with_release()
    project.iterations[SECOND] = replace(project.iterations[SECOND], parent_id=ROOT)

    assert cells(scope(project, RELEASE), "Scope")[:3] == [7, 7, 7]


def test_feature_counts_only_while_no_counted_item_is_below_it() -> None:
    project = project_with_sprint()
    project.create(4, utc("30 Oct 10:00"), type="Feature", Estimate="20", IterationID=SPRINT)
    project.change(1, at("4"), FeatureID=4)
    project.change(1, at("6"), Status="Deferred")

    found = scope(project)

    assert cells(found, "Scope")[:5] == [25, 25, 5, 5, 20]
    assert nonzero(row_of(found, day("4 Nov")), CAUSES) == {"Moved out": 20}
    assert nonzero(row_of(found, day("6 Nov")), CAUSES) == {"Added": 20, "Deferred": 5}


def test_custom_status_without_a_meaning_stays_in_scope() -> None:
    project = project_with_sprint()
    project.change(1, at("4"), Status="Limbo")

    found = scope(project)

    assert cells(found, "Scope")[2] == 5
    assert "1 item in Limbo, a status without a meaning." in found.notes
