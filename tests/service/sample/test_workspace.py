"""The sample and the empty local workspace."""

import sqlite3
from collections import Counter
from datetime import date, datetime, timedelta
from pathlib import Path
from typing import Any

import httpx
import orjson
import pytest
from sqlalchemy import select
from tests.service.replayed_history import held, replayed

from backlit.model.errors import StorageError
from backlit.model.statuses import StatusGroups
from backlit.service.admin.below_check import faults_below_items
from backlit.service.admin.workspace import reading, write_local
from backlit.service.app import Service
from backlit.service.reports.context import ReportQuestion
from backlit.service.reports.reading import ReportReading
from backlit.service.reports.reports import REPORTS
from backlit.service.sample.workspace import MOST_WITH_PAST, Sample, write_sample
from backlit.service.storage.schema import work_items
from backlit.service.storage.settings import ServiceSettings
from backlit.service.tables import projects

TODAY = date(2026, 3, 11)


def place(path: Path, name: str) -> ServiceSettings:
    return ServiceSettings(f"sqlite:///{path}/{name}.db", path / name)


def written(path: Path, name: str, **options: Any) -> tuple[Sample, sqlite3.Connection]:
    sample = write_sample(place(path, name), today=TODAY, **options)
    return sample, sqlite3.connect(path / f"{name}.db")


def items_of(database: sqlite3.Connection) -> list[dict[str, Any]]:
    items = [orjson.loads(doc) for (doc,) in database.execute("SELECT doc FROM work_items ORDER BY id")]
    database.close()
    return items


@pytest.mark.slow
def test_the_same_seed_and_day_give_the_same_sample(tmp_path: Path) -> None:
    first, second, other = (
        items_of(written(tmp_path, name, items=80, seed=seed)[1]) for name, seed in (("a", 1), ("b", 1), ("c", 2))
    )

    assert first == second
    assert first != other


@pytest.mark.slow
def test_the_history_of_the_sample_replayed_from_nothing_gives_what_it_holds(tmp_path: Path) -> None:
    _, database = written(tmp_path, "replayed", items=300)
    empty = database.execute("SELECT count(*) FROM changes WHERE fields = '{}'").fetchone()
    database.close()

    found, expected = replayed(tmp_path / "replayed.db"), held(tmp_path / "replayed.db")
    assert found.keys() == expected.keys()
    assert {key: found[key] for key in expected if found[key] != expected[key]} == {}
    assert empty == (0,)


@pytest.mark.slow
def test_nothing_of_the_sample_happened_after_it_was_made(tmp_path: Path) -> None:
    now = datetime(2026, 3, 10, 9, 5)  # already the next day east of here
    _, database = written(tmp_path, "n", items=400, now=now)

    newest = [
        database.execute(f"SELECT max(last_modified_at), max(created_at) FROM {name}").fetchone()
        for name in ("work_items", "comments")
    ]
    documents = items_of(database)
    assert max(datetime.fromisoformat(stamp) for row in newest for stamp in row) == now - timedelta(minutes=2)
    assert max(datetime.fromisoformat(each["lastModifiedAt"]) for each in documents) <= now


@pytest.mark.parametrize("count", [0, 1, 7, 1003])
@pytest.mark.long_but("7")
def test_the_number_of_items_is_exact_and_the_counters_know_it(tmp_path: Path, count: int) -> None:
    calls: list[tuple[int, int]] = []
    sample, database = written(tmp_path, "n", items=count, progress=lambda done, total: calls.append((done, total)))

    counted = dict(database.execute("SELECT project_id, count(*) FROM work_items GROUP BY 1"))
    kept = dict(database.execute("SELECT project_id, item_count FROM project_totals WHERE item_count > 0"))
    database.close()
    assert sample.items == sum(counted.values()) == count
    assert kept == counted
    assert calls[-1] == (count, count)


async def test_the_documents_are_as_the_service_would_write_them(settings: ServiceSettings) -> None:
    """A column that differed from its document would make filters lie."""
    service = Service(settings)
    await service.start()

    def differences(connection: Any) -> list[object]:
        rows = connection.execute(select(work_items))
        wrong = []
        for row in rows:
            fields = orjson.loads(row.doc)["fields"]
            custom = {key: value for key, value in fields.items() if key.endswith("_cf") and value is not None}
            shown = [fields.get(key) for key in ("Name", "Status", "Estimate", "AreaID", "ParentID")]
            stored = [row.name, row.status, row.estimate, row.area_id, row.parent_id]
            if shown != stored or custom != (row.cf or {}):
                wrong.append(row.id)
        return wrong

    assert await service.shared.database.fast.run(differences) == []
    await service.stop()


@pytest.mark.slow
def test_sprints_before_today_are_done_and_those_after_are_not_begun(tmp_path: Path) -> None:
    _, database = written(tmp_path, "s", items=600)
    ends = {
        row[0]: (row[1], row[2], row[3])
        for row in database.execute("SELECT id, start_date, end_date, is_release FROM iterations WHERE parent_id > 0")
    }
    items = [item for item in items_of(database) if item["type"] in {"Story", "Bug"}]

    today = TODAY.isoformat()
    past = [i for i in items if (s := ends.get(i["fields"]["IterationID"])) and s[1] < today]
    future = [i for i in items if (s := ends.get(i["fields"]["IterationID"])) and s[0] > today]
    current = [i for i in items if (s := ends.get(i["fields"]["IterationID"])) and s[0] <= today <= s[1] and not s[2]]
    assert len(past) > 50
    assert not any(StatusGroups().is_open(item["fields"]["Status"]) for item in past)
    assert Counter(item["fields"]["Status"] for item in future).keys() <= {"Not Done", "Deferred"}
    assert len({item["fields"]["Status"] for item in current}) > 1
    assert all(item["createdAt"] <= item["lastModifiedAt"] < f"{today}T24" for item in items)


@pytest.mark.slow
def test_the_sprints_before_today_were_about_as_full_as_they_could_be(tmp_path: Path) -> None:
    _, database = written(tmp_path, "v", items=500)
    sprints = database.execute(
        "SELECT id, min_capacity, max_capacity FROM iterations WHERE project_id = 1 AND is_release = 0 AND end_date < ?"
        " AND min_capacity > 0 ORDER BY start_date",
        (TODAY.isoformat(),),
    ).fetchall()
    done: Counter[int] = Counter()
    for item in items_of(database):
        if item["type"] in {"Story", "Bug"} and item["fields"]["Status"] == "Done":
            done[item["fields"]["IterationID"]] += int(item["fields"]["Estimate"])

    velocity = [done[sprint_id] for sprint_id, _, _ in sprints]
    least = sum(low for _, low, _ in sprints[-6:])
    assert len(set(velocity[-6:])) > 3
    assert least * 0.8 < sum(velocity[-6:]) < least * 1.3
    assert all(points <= high + 5 for points, (_, _, high) in zip(velocity, sprints, strict=True))


def history_of(database: sqlite3.Connection, item_id: int) -> list[dict[str, Any]]:
    rows = database.execute("SELECT fields FROM changes WHERE kind = 1 AND object_id = ? ORDER BY revision", (item_id,))
    return [orjson.loads(fields) for (fields,) in rows]


@pytest.mark.slow
def test_the_history_of_the_sample_leads_to_its_items(tmp_path: Path) -> None:
    _, database = written(tmp_path, "h", items=400)

    acts = dict(database.execute("SELECT object_id, group_concat(act, '') FROM changes WHERE kind = 1 GROUP BY 1"))
    documents = [orjson.loads(doc) for (doc,) in database.execute("SELECT doc FROM work_items ORDER BY id")]
    for item in documents:
        values: dict[str, Any] = {}
        for fields in history_of(database, item["id"]):
            assert all(values.get(key) == old for key, (old, _) in fields.items())
            values |= {key: new for key, (_, new) in fields.items()}
        shown = {key: value for key, value in item["fields"].items() if value is not None}
        kept = {key: value for key, value in values.items() if value is not None and not isinstance(value, dict)}
        assert {**shown, "type": item["type"]}.items() >= kept.items()
    assert {act[0] for act in acts.values()} == {"1"}
    assert acts.keys() == {item["id"] for item in documents}
    database.close()


@pytest.mark.slow
def test_the_history_of_the_sample_grows_in_time_up_to_now(tmp_path: Path) -> None:
    now = datetime(2026, 3, 11, 14, 30)
    _, database = written(tmp_path, "t", items=400, now=now)

    stamps = [at for (at,) in database.execute("SELECT at FROM changes ORDER BY revision")]
    touching = "kind = 1 OR kind >= 12"  # items, and what is below them but for comments
    last = dict(database.execute(f"SELECT item_id, max(at) FROM changes WHERE {touching} GROUP BY 1"))
    shown = dict(database.execute("SELECT id, last_modified_at FROM work_items"))
    database.close()
    assert stamps == sorted(stamps)
    assert datetime.fromisoformat(stamps[-1]) <= now
    assert last == shown


@pytest.mark.slow
def test_the_iteration_log_of_the_sample_ends_with_its_items(tmp_path: Path) -> None:
    _, database = written(tmp_path, "l", items=400)

    log = database.execute("SELECT item_id, iteration_id, status, points FROM iteration_log ORDER BY revision, status")
    members: dict[int, set[int]] = {}
    for item_id, iteration_id, status, _ in log:
        known = members.setdefault(item_id, set())
        known.discard(iteration_id) if status is None else known.add(iteration_id)
    counted = "SELECT id, iteration_id FROM work_items WHERE type NOT IN ('Task', 'Feedback')"
    shown = {item_id: {iteration_id} for item_id, iteration_id in database.execute(counted)}
    database.close()
    assert members == shown


@pytest.mark.slow
def test_the_reports_of_the_sample_show_the_sprints_of_a_team(tmp_path: Path) -> None:
    written(tmp_path, "r", items=500, now=datetime(2026, 3, 11, 14))[1].close()
    with reading(place(tmp_path, "r")) as connection:
        settings = projects.settings(connection, 1)
        read = ReportReading(connection, settings, datetime(2026, 3, 11, 14))
        velocity = REPORTS["velocity"].figure(read.context(REPORTS["velocity"], ReportQuestion()))

    sprints: list[dict[str, Any]] = [dict(zip(velocity.columns, row, strict=True)) for row in velocity.rows]
    closed = sprints[:-1]
    assert len(sprints) == 14
    assert all(sprint["Committed"] for sprint in sprints)
    assert sum(bool(sprint["Change"]) for sprint in closed) > 8
    assert sum(bool(sprint["Remaining"]) for sprint in closed) > 3
    assert [sprint["Iteration"] for sprint in closed if sprint["Done"] < sprint["Committed"] / 2] == ["Sprint 12"]
    assert velocity.summary["sprints"] == 6


@pytest.mark.slow
def test_large_samples_keep_the_past_of_their_sprints_alone(tmp_path: Path) -> None:
    _, database = written(tmp_path, "m", items=MOST_WITH_PAST)

    past = {item_id for (item_id,) in database.execute("SELECT object_id FROM changes WHERE kind = 1")}
    root = "SELECT id FROM iterations WHERE parent_id = -1"
    planned = {row[0] for row in database.execute(f"SELECT id FROM work_items WHERE iteration_id NOT IN ({root})")}
    logged = {row[0] for row in database.execute("SELECT item_id FROM iteration_log")}
    counted = "SELECT id FROM work_items WHERE type NOT IN ('Task', 'Feedback')"
    everything = {row[0] for row in database.execute(counted)}
    since = {row[0] for row in database.execute("SELECT history_from FROM projects")}
    database.close()
    assert planned <= past
    assert len(past - planned) < 3  # the changes of the last hours
    assert logged == everything
    assert None not in since


@pytest.mark.slow
def test_no_two_items_of_a_project_have_the_same_name(tmp_path: Path) -> None:
    _, database = written(tmp_path, "u", items=1500)

    named = "SELECT project_id, name, count(*) FROM work_items WHERE type != 'Task' GROUP BY 1, 2 HAVING count(*) > 1"
    tasks = "SELECT parent_id, name, count(*) FROM work_items WHERE type = 'Task' GROUP BY 1, 2 HAVING count(*) > 1"
    repeated = [*database.execute(named), *database.execute(tasks)]
    database.close()
    assert repeated == []


@pytest.mark.slow
@pytest.mark.parametrize("count", [80, 500])
def test_what_is_below_the_items_of_the_sample_fits_the_rules(tmp_path: Path, count: int) -> None:
    written(tmp_path, "b", items=count)[1].close()

    with reading(place(tmp_path, "b")) as connection:
        assert list(faults_below_items(connection)) == []


@pytest.mark.slow
def test_the_sample_has_something_of_each_kind_below_its_items(tmp_path: Path) -> None:
    _, database = written(tmp_path, "k", items=500)

    parts = "SELECT count(*) FROM relations WHERE type = 'Parent' GROUP BY target_id"
    deep = "SELECT count(*) FROM relations a JOIN relations b ON b.work_item_id = a.target_id AND b.type = 'Parent'"
    planned_after = (
        "SELECT count(*) FROM relations r JOIN work_items a ON a.id = r.work_item_id JOIN iterations i ON"
        " i.id = a.iteration_id JOIN work_items b ON b.id = r.target_id JOIN iterations j ON j.id = b.iteration_id"
        " WHERE r.type = 'Blocks' AND r.project_id = 1 AND i.start_date > j.start_date AND a.status = 'Not Done'"
    )
    numbers = {number for (number,) in database.execute(parts)}
    levels = database.execute(f"{deep} WHERE a.type = 'Parent'").fetchone()[0]
    after = database.execute(planned_after).fetchone()[0]
    kinds = dict(database.execute("SELECT type, count(*) FROM relations WHERE project_id = 1 GROUP BY 1"))
    states = {status for (status,) in database.execute("SELECT DISTINCT status FROM acceptance_criteria")}
    stories, with_criteria = database.execute(
        "SELECT count(DISTINCT i.id), count(DISTINCT c.work_item_id) FROM work_items i LEFT JOIN acceptance_criteria c"
        " ON c.work_item_id = i.id WHERE i.type = 'Story'"
    ).fetchone()
    database.close()
    assert numbers == {4, 5, 6, 7, 8, 9}
    assert levels > 3
    assert after == 1
    assert kinds.keys() == {"Parent", "Blocks", "Duplicates", "Related"}
    assert states == {"Pass", "Fail", "Not Executed"}
    assert 0.28 < with_criteria / stories < 0.38


@pytest.mark.slow
def test_the_time_entries_of_the_sample_agree_with_the_work_of_their_tasks(tmp_path: Path) -> None:
    _, database = written(tmp_path, "w", items=500)

    sums = database.execute(
        "SELECT t.work_completed, sum(e.hours), min(e.date), count(DISTINCT e.user_id) FROM time_entries e"
        " JOIN work_items t ON t.id = e.task_id GROUP BY t.id"
    ).fetchall()
    database.close()
    assert len(sums) > 8
    assert all(work == hours for work, hours, _, _ in sums)
    assert all(first >= f"{TODAY - timedelta(days=14)}" for _, _, first, _ in sums)


@pytest.mark.slow
def test_two_open_items_of_the_sample_are_overdue(tmp_path: Path) -> None:
    _, database = written(tmp_path, "d", items=500)

    due = [(item["fields"].get("TargetDate_cf"), item["fields"].get("Status")) for item in items_of(database)]
    overdue = [day for day, status in due if day and day < TODAY.isoformat() and StatusGroups().is_open(status)]
    assert len(overdue) == 2
    assert sum(day is not None for day, _ in due) > 15


def test_sample_overwrites_no_database(tmp_path: Path) -> None:
    written(tmp_path, "x", items=1)[1].close()

    with pytest.raises(StorageError, match="already exists"):
        write_sample(place(tmp_path, "x"), items=1)


@pytest.mark.slow
def test_interrupted_sample_can_be_started_again(tmp_path: Path) -> None:
    def interrupt(_done: int, _total: int) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        write_sample(place(tmp_path, "x"), items=1, progress=interrupt)

    assert not (tmp_path / "x.db").exists()
    assert write_sample(place(tmp_path, "x"), items=1).items == 1


@pytest.mark.parametrize(
    ("named", "zone"), [("Asia/Tokyo", "Asia/Tokyo"), (":Europe/Berlin", "Europe/Berlin"), ("XYZ-3", "UTC")]
)
def test_a_local_workspace_has_the_zone_of_its_machine(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, named: str, zone: str
) -> None:
    monkeypatch.setenv("TZ", named)

    write_local(place(tmp_path, "local"), "robin")

    with reading(place(tmp_path, "local")) as connection:
        assert projects.settings(connection, 1).shared.time_zone == zone


async def test_a_local_workspace_has_one_manager_and_one_empty_project(tmp_path: Path) -> None:
    write_local(place(tmp_path, "local"), "robin")
    service = Service(place(tmp_path, "local"))
    await service.start()

    transport = httpx.ASGITransport(service.asgi)
    async with httpx.AsyncClient(transport=transport, base_url="http://backlit.test/api/v1/") as client:
        form = {"wrap_client_id": "uri:backlit", "wrap_verification_code": service.invite("robin")}
        grant = httpx.QueryParams((await client.post("http://backlit.test/Authenticate/WRAPv0.9", data=form)).text)
        client.headers["authorization"] = f"WRAP access_token={grant['wrap_access_token']}"
        body = {"type": "Story", "projectId": 1, "fields": {"Name": "First"}}
        created = (await client.post("workitems", json=body)).json()
        assert (await client.get("users/me")).json()["name"] == "robin"
        assert [p["name"] for p in (await client.get("projects")).json()["results"]] == ["Backlog"]
        assert (await client.get("workitems")).json()["results"] == [created]
        assert (await client.delete(f"workitems/{created['id']}")).status_code == 200
        root = (await client.get("areas")).json()["results"][0]
        area = {"name": "New", "projectId": 1, "parentId": root["id"]}
        assert (root["name"], (await client.post("areas", json=area)).status_code) == ("Backlog", 201)
    await service.stop()


@pytest.mark.slow
def test_one_story_of_the_sample_has_a_discussion_which_begins_after_it(tmp_path: Path) -> None:
    _, database = written(tmp_path, "d", items=500)

    ((item_id, first),) = database.execute(
        "SELECT work_item_id, min(created_at) FROM comments WHERE description LIKE '> %' GROUP BY work_item_id"
    ).fetchall()
    count, people, last = database.execute(
        "SELECT count(*), count(DISTINCT created_by), max(created_at) FROM comments WHERE work_item_id = ?", (item_id,)
    ).fetchone()
    created = database.execute("SELECT created_at FROM work_items WHERE id = ?", (item_id,)).fetchone()[0]
    database.close()
    assert (count, people) == (7, 5)
    assert created < first < last < TODAY.isoformat()
