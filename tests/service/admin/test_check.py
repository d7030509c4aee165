"""What `backlit admin check` finds in settings, names and counts, on one connection."""

import hashlib
import io
import os
import shutil
from datetime import datetime
from pathlib import Path
from typing import Any

import orjson
import pytest
from sqlalchemy import Connection, func, select, update

from backlit.model.errors import BadRequest, StorageError
from backlit.service.admin import projects, records
from backlit.service.admin.below_check import faults_below_items
from backlit.service.admin.check import Checker
from backlit.service.admin.transfer import copy_contents, import_
from backlit.service.admin.workspace import writing
from backlit.service.files.contents import AttachmentContents
from backlit.service.files.local import LocalContentStore
from backlit.service.storage import schema
from backlit.service.storage.clock import Clock
from backlit.service.storage.columns import METADATA, audit
from backlit.service.storage.database import Database
from backlit.service.storage.objects_schema import acceptance_criteria, relations, time_entries
from backlit.service.storage.settings import ServiceSettings
from backlit.service.tables import sign_ins


def count(connection: Connection, name: str) -> int:
    return connection.execute(select(func.count()).select_from(METADATA.tables[name])).scalar_one()


STORED: dict[str, dict[str, Any]] = {
    "value_lists": {"project_id": 1, "type": "Bug", "key": "Status", "choices": ["Open"]},
    "status_groups": {"project_id": 1, "status": "Review", "meaning": "done"},
    "custom_fields": {
        "project_id": 1, "key": "Odd_cf", "kind": "text", "types": ["Bug"], "choices": [], "default_value": None,
    },
    "project_settings": {
        "project_id": 1, "time_zone": "Europe/Berlin", "working_days": ["mon"], "days_off": ["2026-12-25"],
        "estimate_scale": [1, 2], "ready_rules": {"Bug": ["triage"]}, "wip_limits": {"Done": 3, "Gone": 2},
    },
    "grants": {"user_id": 5, "project_id": 3, "role": "reader"},
}  # fmt: skip


@pytest.mark.parametrize(
    ("table", "field", "wrong"),
    [
        ("value_lists", "choices", {"choices": []}),
        ("value_lists", "choices", {"choices": "Open"}),
        ("value_lists", "choices", {"choices": ["Open", 1]}),
        ("value_lists", "choices", {"type": "Epic"}),
        ("value_lists", "choices", {"key": "Mood"}),
        ("value_lists", "choices", {"key": "Certainty"}),
        ("status_groups", "meaning", {"meaning": "finished"}),
        ("custom_fields", "kind", {"kind": "colour"}),
        ("custom_fields", "kind", {"types": ["Bug", "Epic"]}),
        ("custom_fields", "kind", {"choices": "low"}),
        ("custom_fields", "kind", {"key": "Odd"}),
        ("project_settings", "timeZone", {"time_zone": "Berlin"}),
        ("project_settings", "workingDays", {"working_days": ["monday"]}),
        ("project_settings", "workingDays", {"working_days": []}),
        ("project_settings", "estimateScale", {"estimate_scale": [2, 1]}),
        ("project_settings", "readyRules", {"ready_rules": {"Bug": ["maturity"]}}),
        ("project_settings", "wipLimits", {"wip_limits": {"Done": 0}}),
        ("project_settings", "", {"days_off": ["25.12.2026"]}),
        ("project_settings", "", {"wip_limits": []}),
        ("grants", "role", {"role": "king"}),
    ],
)
def test_a_malformed_setting_is_a_problem_and_a_sound_one_is_none(
    connection: Connection, tmp_path: Path, table: str, field: str, wrong: dict[str, object]
) -> None:
    connection.execute(METADATA.tables[table].insert().values(STORED[table] | wrong))

    first = next(Checker(connection, LocalContentStore(tmp_path)).problems())

    assert (first.table, first.field) == (table, field)


def test_sound_settings_and_names_of_two_projects_are_no_problems(connection: Connection, tmp_path: Path) -> None:
    for table, row in STORED.items():
        connection.execute(METADATA.tables[table].insert().values(row))
    projects.add_name(connection, schema.teams, "Beacon", "Money")
    connection.execute(update(schema.iterations).values(end_date=schema.iterations.c.start_date))  # a day each
    checker = Checker(connection, LocalContentStore(tmp_path))

    problems = [(each.table, each.field) for each in checker.problems()]

    # The new list of values and the new field are no longer what the stored documents have.
    assert set(problems) <= {("work_items", "doc"), ("work_items", "status")}
    assert checker.checked == {
        "projects": 3,
        "workItems": count(connection, "work_items"),
        "nodes": count(connection, "areas") + count(connection, "iterations"),
        "comments": count(connection, "comments"),
        **dict.fromkeys(("relations", "links", "acceptanceCriteria", "timeEntries"), 0),
        "attachments": 0,
        "contents": 0,
    }


@pytest.mark.parametrize("table", ["users", "projects", "teams"])
def test_a_name_twice_in_any_case_is_a_problem(connection: Connection, tmp_path: Path, table: str) -> None:
    found = METADATA.tables[table]
    first = dict(connection.execute(select(found)).mappings().first() or {})
    connection.execute(found.insert().values(first | {"id": 99, "name": first["name"].upper()}))

    problem = next(Checker(connection, LocalContentStore(tmp_path)).problems())

    assert (problem.table, problem.id, problem.field) == (table, 99, "name")
    assert repr(first["name"].lower()) in problem.sentence


MOMENT = datetime(2026, 3, 1)


def related(rows: list[tuple[int, str, int]]) -> list[dict[str, Any]]:
    """Return rows of relations between items of project 1."""
    place = {"project_id": 1, "target_project_id": 1, **audit("maya", MOMENT)}
    return [{"work_item_id": first, "type": kind, "target_id": second, **place} for first, kind, second in rows]


def test_what_is_below_items_is_checked(connection: Connection) -> None:
    of_type: dict[str, list[int]] = {}
    mine = select(schema.work_items.c.type, schema.work_items.c.id).where(schema.work_items.c.project_id == 1)
    for item_type, item_id in connection.execute(mine.order_by(schema.work_items.c.id)):
        of_type.setdefault(item_type, []).append(item_id)
    stories, tasks = of_type["Story"], of_type["Task"]
    for feature_id in (9001, 9002, 9003, 9004):
        row = dict(
            connection.execute(select(schema.work_items).where(schema.work_items.c.id == stories[0])).mappings().one()
        )
        connection.execute(schema.work_items.insert().values(row | {"id": feature_id, "type": "Feature"}))
    a, b, c, d, *_ = stories
    good = [
        (a, "Parent", 9001),
        (9001, "Parent", 9002),
        (9002, "Parent", 9003),
        (a, "Blocks", b),
        (b, "Blocks", tasks[0]),
    ]
    criteria = {"project_id": 1, "title": "x", "description": "", "status": "Pass", **audit("maya", MOMENT)}
    entry = {"project_id": 1, "user_id": 1, "date": MOMENT, "week": 9, "hours": 1.0, "type": None, "note": None}
    entry |= audit("maya", MOMENT)
    connection.execute(relations.insert(), related(good))
    connection.execute(acceptance_criteria.insert(), [criteria | {"work_item_id": a, "sequence": n} for n in (1, 2)])
    connection.execute(time_entries.insert().values(entry | {"task_id": tasks[0]}))

    def problems() -> set[tuple[str, str]]:
        return {(table, sentence) for table, _, _, sentence in faults_below_items(connection)}

    assert problems() == set()
    wrong = [
        (b, "Blocks", a),
        (a, "Parent", 9002),
        (b, "Parent", c),
        (tasks[0], "Duplicates", a),
        (d, "Related", c),
        (9003, "Parent", 9004),
        (c, "Related", 99_999),
    ]
    connection.execute(relations.insert(), related(wrong))
    connection.execute(acceptance_criteria.insert().values(criteria | {"work_item_id": b, "sequence": 2}))
    connection.execute(time_entries.insert().values(entry | {"task_id": a}))

    assert problems() == {
        ("relations", "It closes a circle of relations Blocks."),
        ("relations", f"Item {a} has more than one relation Parent."),
        ("relations", "The parent of an item must be a Feature, and that of a task is its ParentID."),
        ("relations", "A task is no duplicate, and has none."),
        ("relations", "The smaller id must be the first of two related items."),
        ("relations", "Its work item is not in the project."),
        ("work_items", "More than 3 Features stand above each other."),
        ("acceptance_criteria", f"The criteria of item {b} are not numbered 1 to 1."),
        ("time_entries", "Its work item is no task."),
    }


A, AB = (hashlib.sha256(content).hexdigest() for content in (b"a", b"ab"))
ATTACHED: dict[str, Any] = {
    "project_id": 1, "work_item_id": 1, "comment_id": None, "name": "a", "size": 1, "content_type": "text/plain",
    "digest": A, "type": "Service", **audit("maya", MOMENT),
}  # fmt: skip


@pytest.mark.parametrize(
    ("rows", "fields"),
    [
        ([{}, {}, {"digest": AB, "size": 2}], []),
        ([{"comment_id": 9999}], []),
        ([{"work_item_id": 2, "comment_id": 9999}], ["comment_id"]),
        ([{"project_id": 2}], ["work_item_id"]),
        ([{"digest": "0" * 64}], ["digest"]),
        ([{"size": 2}], ["digest"]),
        ([{"size": 2}, {"size": 1}], ["size"]),
        ([{"digest": AB}], ["digest"]),
    ],
)
def test_an_attachment_is_on_its_item_and_comment_and_as_long_as_its_contents(
    connection: Connection, tmp_path: Path, rows: list[dict[str, object]], fields: list[str]
) -> None:
    files = LocalContentStore(tmp_path)
    for content in (b"a", b"ab"):
        incoming = files.begin()
        incoming.write(content)
        incoming.finish()
        files.keep(incoming)
    said = {"id": 9999, "project_id": 1, "work_item_id": 1, "description": "x", "type": "Service"}
    connection.execute(schema.comments.insert().values(said | audit("maya", MOMENT)))
    connection.execute(schema.attachments.insert(), [ATTACHED | row for row in rows])

    problems = [each for each in Checker(connection, files).problems() if each.table == "attachments"]

    assert [each.field for each in problems] == fields


@pytest.mark.parametrize(("size", "is_right"), [(1, True), (2, False), (0, False)])
def test_contents_of_another_size_than_their_attachment_says_are_not_copied(
    connection: Connection, tmp_path: Path, size: int, is_right: bool
) -> None:
    source, target, kept = LocalContentStore(tmp_path / "source"), LocalContentStore(tmp_path / "target"), list[str]()
    incoming = source.begin()
    incoming.write(b"a")
    incoming.finish()
    source.keep(incoming)
    connection.execute(schema.attachments.insert().values(ATTACHED | {"size": size}))

    if is_right:
        assert copy_contents(connection, source, target, kept) == 1
    else:
        with pytest.raises(StorageError, match="damaged"):
            copy_contents(connection, source, target, kept)

    assert (kept, target.has(A)) == ([A] if is_right else [], is_right)


@pytest.mark.parametrize(
    ("item_type", "values", "field"),
    [
        ("Story", {"cf": {"Channel_cf": "Web"}}, "doc"),
        ("Task", {"cf": {"Channel_cf": "Web"}}, "cf"),
        ("Story", {"cf": {"Channel_cf": "Pigeon"}}, "cf"),
        ("Story", {"cf": {"BusinessValue_cf": "high"}}, "cf"),
        ("Feedback", {"calculated_estimate": 0.0}, "calculated_estimate"),
        ("Feedback", {"status": "Done"}, None),
        ("Story", {"name": " "}, "name"),
        ("Story", {"status": "Gone"}, "status"),
    ],
)
def test_a_value_of_an_item_is_one_that_its_type_can_have(
    connection: Connection, tmp_path: Path, item_type: str, values: dict[str, object], field: str | None
) -> None:
    rows = schema.work_items
    mine = select(func.min(rows.c.id)).where(rows.c.project_id == 1, rows.c.type == item_type)
    item_id = connection.execute(mine).scalar_one()
    connection.execute(rows.update().where(rows.c.id == item_id).values(values))

    problems = [
        (each.table, each.id, each.field) for each in Checker(connection, LocalContentStore(tmp_path)).problems()
    ]

    assert problems[:1] == ([] if field is None else [("work_items", item_id, field)])


@pytest.mark.parametrize("difference", [-1, 1])
def test_a_counter_of_items_is_neither_too_low_nor_too_high(
    connection: Connection, tmp_path: Path, difference: int
) -> None:
    totals = schema.project_totals
    changed = totals.update().where(totals.c.project_id == 2).values(item_count=totals.c.item_count + difference)
    connection.execute(changed)

    (problem,) = Checker(connection, LocalContentStore(tmp_path)).problems()

    assert (problem.table, problem.id, problem.field) == ("project_totals", 2, "item_count")


def test_an_item_may_belong_to_somebody_without_a_licence(connection: Connection, tmp_path: Path) -> None:
    users = schema.users
    connection.execute(users.update().where(users.c.id == 2).values(is_licensed=False))
    owned = select(func.count()).select_from(schema.work_items).where(schema.work_items.c.assigned_to_id == 2)

    assert connection.execute(owned).scalar_one() > 0
    assert list(Checker(connection, LocalContentStore(tmp_path)).problems()) == []


def test_an_import_that_fails_takes_its_new_contents_along_and_no_others(tmp_path: Path) -> None:
    files, settings = (
        LocalContentStore(tmp_path / "files"),
        ServiceSettings(f"sqlite:///{tmp_path}/new.db", tmp_path / "files"),
    )
    incoming = files.begin()
    incoming.write(b"a")
    incoming.finish()
    files.keep(incoming)
    files.forget(incoming)
    pieces = [{"contents": A, "size": 1, "data": "YQ=="}, {"contents": AB, "size": 2, "data": "YWI="}]
    lines = [records.header(MOMENT), *pieces, {"table": "nonsense", "row": {}}]

    with pytest.raises(BadRequest, match="Line 4 "):
        import_(settings, io.BytesIO(b"\n".join(map(orjson.dumps, lines))))

    assert [files.has(digest) for digest in (A, AB)] == [True, False]
    folders = [path for path in (tmp_path / "files").rglob("*") if path.is_dir()]
    assert {path.stat().st_mode & 0o777 for path in folders} == {0o700}
    assert list((tmp_path / "files" / "incoming").iterdir()) == []


def test_contents_are_kept_again_after_their_removal_and_are_young_again(tmp_path: Path) -> None:
    files, place = LocalContentStore(tmp_path), tmp_path / A[:2] / A[2:]
    first, second = files.begin(), files.begin()
    for incoming in (first, second):
        incoming.write(b"a")
        incoming.finish()

    files.keep(first)
    files.remove(A)
    files.keep(first)
    files.forget(first)
    os.utime(place, (0, 0))
    old = list(files.old())
    files.keep(second)
    files.forget(second)

    assert (old, list(files.old()), b"".join(files.read(A, 0, 9))) == ([A], [], b"a")
    assert list((tmp_path / "incoming").iterdir()) == []


def test_a_file_store_that_failed_is_looked_at_again_and_a_good_one_is_not(tmp_path: Path) -> None:
    place = tmp_path / "files"
    contents = AttachmentContents(place, Database(f"sqlite:///{tmp_path}/new.db", Clock()), 3600.0)
    contents.store = LocalContentStore(place)
    place.write_text("no folder")

    failed = [contents.are_usable() for _ in range(2)]
    place.unlink()
    good = contents.are_usable()
    shutil.rmtree(place)
    place.write_text("no folder")

    assert (failed, good, contents.are_usable()) == ([False, False], True, True)


def test_rows_without_secrets_have_nothing_to_sign_in_with(connection: Connection) -> None:
    sign_ins.add_key(connection, b"key", MOMENT)
    sign_ins.add_refresh_token(connection, sign_ins.add_family(connection, 1), MOMENT)
    sign_ins.add_code(connection, 1, "uri:x", MOMENT)
    sign_ins.add_session(connection, 1, MOMENT)
    sign_ins.add_failures(connection, ["maya"], MOMENT)

    every, plain = [list(records.rows(connection, with_secrets=has)) for has in (True, False)]

    assert {each.get("table") for each in every} - {each.get("table") for each in plain} == {
        "signing_keys", "refresh_families", "refresh_tokens", "verification_codes", "login_sessions", "login_attempts",
    }  # fmt: skip
    for found, has in ((every, True), (plain, False)):
        people = [each["row"] for each in found if each.get("table") == "users"]
        assert people
        assert all(("password_hash" in row) is has for row in people)


def test_rows_of_an_import_are_counted_and_written_beyond_a_batch(tmp_path: Path) -> None:
    now, many = datetime(2026, 3, 1), records.ROWS_IN_MEMORY + 1
    rows = [{"id": number, "digest": "YQ==", "at": now.isoformat()} for number in range(1, many + 1)]
    lines = [records.header(now), *({"table": "login_attempts", "row": row} for row in rows)]

    with writing(ServiceSettings(f"sqlite:///{tmp_path}/new.db", tmp_path), create=True) as connection:
        counts = records.load(connection, LocalContentStore(tmp_path), lines, [])
        assert (counts, count(connection, "login_attempts")) == ({"login_attempts": many}, many)
