"""Exports and backups from hostile hands: refused with the record that is wrong, and nothing of them stays."""

import base64
import hashlib
import json
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import insert, update
from tests.cli.admin_world import Served, Workspace

from backlit.service.files.local import LocalContentStore
from backlit.service.storage.clock import Clock
from backlit.service.storage.columns import audit
from backlit.service.storage.schema import attachments

SAMPLE = "lantern"
CONTENT = b"attached"
DIGEST = hashlib.sha256(CONTENT).hexdigest()
UPWARDS = "../../secret"
STATUSES = ("Not Done", "In Progress", "Ready For Test", "Done", "Deferred", "Deleted")
LONG = "x" * 1_000_001
Line = dict[str, Any]


@pytest.fixture(scope="module")
def attached(sample_workspace: Workspace, tmp_path_factory: pytest.TempPathFactory) -> Workspace:
    """A workspace with an attached file and a list of values of its own."""
    made = Workspace(tmp_path_factory.mktemp("attached") / "workspace")
    shutil.copytree(sample_workspace.folder, made.folder)
    files = LocalContentStore(made.folder / "files")
    incoming = files.begin()
    incoming.write(CONTENT)
    incoming.finish()
    files.keep(incoming)
    files.forget(incoming)
    row = {"project_id": 1, "work_item_id": 1, "name": "one.txt", "size": len(CONTENT), "digest": DIGEST}
    with made.damage() as connection:
        kind = {"content_type": "text/plain", "type": "Service"}
        connection.execute(insert(attachments).values(**row, **kind, **audit("maya", Clock().now())))
    made.good("values", "set", "1", "Story", "Status", *STATUSES)
    made.good("values", "groups", "1", "In Progress=in progress")
    return made


@pytest.fixture(scope="module")
def exported(attached: Workspace, tmp_path_factory: pytest.TempPathFactory) -> list[Line]:
    path = tmp_path_factory.mktemp("exported") / "lines"
    attached.good("export", str(path))
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


@pytest.fixture
def workspace(attached: Workspace, tmp_path: Path) -> Workspace:
    """The workspace, to be spoilt."""
    shutil.copytree(attached.folder, tmp_path / "workspace")
    return Workspace(tmp_path / "workspace")


@pytest.fixture
def other(tmp_path: Path) -> Workspace:
    return Workspace(tmp_path / "other")


def write(path: Path, lines: list[Line]) -> str:
    path.write_text("\n".join(json.dumps(line) for line in lines), encoding="utf-8")
    return str(path)


def changed(lines: list[Line], table: str, **values: Any) -> list[Line]:
    """The lines with other values in the last row of a table."""
    at = max(number for number, line in enumerate(lines) if line.get("table") == table)
    return [*lines[:at], {"table": table, "row": lines[at]["row"] | values}, *lines[at + 1 :]]


def kept_files(place: Workspace) -> list[Path]:
    return [path for path in (place.folder / "files").rglob("*") if path.is_file()]


def test_an_export_whose_digest_is_a_path_is_refused_naming_its_line(
    exported: list[Line], other: Workspace, tmp_path: Path
) -> None:
    lines = changed(exported, "attachments", digest=UPWARDS)
    number = next(number for number, line in enumerate(lines, 1) if line.get("table") == "attachments")
    done = other.admin("import", write(tmp_path / "bad", lines), "--accept-problems")

    assert done.returncode == 6
    assert f"Line {number}, attachments 1: The digest '{UPWARDS}' is not 64 lower-case" in done.stderr
    assert not list(other.folder.glob("service.db*"))


def test_contents_under_a_path_are_refused(exported: list[Line], other: Workspace, tmp_path: Path) -> None:
    piece = {"contents": UPWARDS, "size": 1, "data": base64.b64encode(b"x").decode()}
    done = other.admin("import", write(tmp_path / "bad", [*exported, piece]))

    assert done.returncode == 6
    assert f"Line {len(exported) + 1}: the digest '{UPWARDS}'" in done.stderr


def test_a_refused_import_leaves_no_contents(exported: list[Line], other: Workspace, tmp_path: Path) -> None:
    last = {"contents": "ab" * 32, "size": 1, "data": base64.b64encode(b"x").decode()}
    done = other.admin("import", write(tmp_path / "bad", [*exported, last]))

    assert "do not match their digest" in done.stderr
    assert kept_files(other) == []


def test_contents_of_another_size_than_said_are_refused(exported: list[Line], other: Workspace, tmp_path: Path) -> None:
    done = other.admin("import", write(tmp_path / "bad", changed(exported, "attachments", size=5)))

    assert f"have {len(CONTENT)} bytes, an attachment says 5" in done.stderr
    assert kept_files(other) == []


def test_a_backup_whose_digest_is_a_path_is_not_restored(
    workspace: Workspace, other: Workspace, tmp_path: Path
) -> None:
    workspace.good("backup", str(tmp_path / "backup"))
    with closing(sqlite3.connect(tmp_path / "backup" / "service.db")) as database, database:
        database.execute("UPDATE attachments SET digest = ?", (UPWARDS,))
    done = other.admin("restore", str(tmp_path / "backup"))

    assert done.returncode == 1
    assert f"The digest '{UPWARDS}' of attachment 1 is not" in done.stderr
    assert not other.folder.exists() or list(other.folder.iterdir()) == []


async def test_a_backup_with_damaged_contents_is_not_restored_in_part(
    workspace: Workspace, served: Served, other: Workspace, tmp_path: Path
) -> None:
    maya = await served.client("maya", SAMPLE)
    await maya.post("workitems/1/attachments", files={"files": ("two.txt", b"other", "text/plain")})
    workspace.good("backup", str(tmp_path / "backup"))
    last = max((tmp_path / "backup" / "files").glob("??/*"))
    last.write_bytes(b"!" * last.stat().st_size)
    done = other.admin("restore", str(tmp_path / "backup"))

    assert done.returncode == 1
    assert "are damaged" in done.stderr
    assert kept_files(other) == []
    assert not (other.folder / "service.db").exists()


async def test_a_digest_that_is_a_path_opens_and_deletes_nothing(workspace: Workspace, served: Served) -> None:
    secret = workspace.folder.parent / "secret"
    secret.write_text("of the host", encoding="utf-8")
    with workspace.damage() as connection:
        connection.execute(update(attachments).values(digest=UPWARDS, size=11))
    maya = await served.client("maya", SAMPLE)
    listed = (await maya.get("attachments/1")).json()
    read = await maya.get(listed["downloadUrl"])
    deleted = await maya.delete("attachments/1")

    assert read.status_code == 500
    assert b"of the host" not in read.content
    assert deleted.status_code == 200
    assert secret.read_text(encoding="utf-8") == "of the host"


def test_check_names_the_attachment_whose_digest_is_a_path(workspace: Workspace) -> None:
    with workspace.damage() as connection:
        connection.execute(update(attachments).values(digest=UPWARDS))
    done = workspace.admin("check")

    assert done.returncode == 1
    assert f"attachments 1 digest: The digest '{UPWARDS}' is not 64" in done.stdout


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (("users", {"name": "a/b"}), "must not contain blanks, slashes or colons"),
        (("users", {"id": 2**63}), "below 2^63"),
        (("users", {"display_name": "a\0b"}), "may not contain NUL"),
        (("users", {"is_licensed": "yes"}), "true or false"),
        (("projects", {"name": "7"}), "may not be a number"),
        (("projects", {"start_date": "2026-99-01"}), "is not a date"),
        (("grants", {"role": "king"}), "The role 'king' does not exist"),
        (("teams", {"name": "x" * 101}), "may have 100 characters"),
        (("areas", {"name": "a\0b"}), "may not contain NUL"),
        (("areas", {"name": ""}), "name cannot be empty"),
        (("areas", {"parent_id": -2}), "must be an id"),
        (("iterations", {"min_capacity": "12"}), "must be a number"),
        (("iterations", {"end_date": 7}), "is not a date"),
        (("value_lists", {"choices": [["Low"]]}), "list of texts"),
        (("value_lists", {"key": "Nothing"}), "has no list of values"),
        (("status_groups", {"meaning": "nearly"}), "cannot mean 'nearly'"),
        (("custom_fields", {"kind": "colour"}), "kind 'colour'"),
        (("custom_fields", {"types": ["Epic"]}), "The type 'Epic' does not exist"),
        (("work_items", {"type": "Epic"}), "The type 'Epic' does not exist"),
        (("work_items", {"status": "Nonsense"}), "Status must be one of"),
        (("work_items", {"name": "x" * 10_000}), "Name may have"),
        (("work_items", {"description": LONG}), "description may have"),
        (("work_items", {"area_id": 2**63}), "below 2^63"),
        (("work_items", {"tags": ["a", 1]}), "tags must be a list"),
        (("work_items", {"cf": {"Ref_cf": [[[]]]}}), "cf must be"),
        (("work_items", {"created_at": "yesterday"}), "is not a date and time"),
        (("comments", {"type": "Secret"}), "type must be"),
        (("comments", {"description": " "}), "cannot be empty"),
        (("attachments", {"name": "../one.txt"}), "cannot be the name of an attached file"),
        (("attachments", {"content_type": "text/html\r\nx: y"}), "is not a content type"),
        (("attachments", {"size": -1}), "below 0"),
    ],
)
def test_import_rejects_values_that_the_interface_rejects(
    exported: list[Line], other: Workspace, tmp_path: Path, change: tuple[str, Line], sentence: str
) -> None:
    done = other.admin("import", write(tmp_path / "bad", changed(exported, change[0], **change[1])))

    assert done.returncode in {4, 6, 7}
    assert sentence in done.stderr
    assert "Traceback" not in done.stderr
    assert kept_files(other) == []


@pytest.mark.parametrize(
    ("line", "sentence"),
    [
        (b"[" * 100_000, "is not JSON"),
        (b'{"a":' * 100_000, "is not JSON"),
        (b'{"ids": "users", "last": 9223372036854775808}', "is neither a row, nor ids"),
        (b'{"ids": "grants", "last": 5}', "is neither a row, nor ids"),
        ('{"contents": "%s", "data": "é"}'.encode() % DIGEST.encode(), "not base64"),
    ],
)
def test_a_line_that_is_hostile_is_refused_naming_it(
    exported: list[Line], other: Workspace, tmp_path: Path, line: bytes, sentence: str
) -> None:
    path = tmp_path / "bad"
    path.write_bytes(Path(write(path, exported)).read_bytes() + b"\n" + line + b"\n")
    done = other.admin("import", str(path))

    assert done.returncode == 6
    assert f"Line {len(exported) + 1}" in done.stderr
    assert sentence in done.stderr


def test_two_users_of_one_name_are_found(exported: list[Line], other: Workspace, tmp_path: Path) -> None:
    done = other.admin("import", write(tmp_path / "bad", changed(exported, "users", name="MAYA")))

    assert "The name 'maya' occurs twice" in done.stderr
