"""Resources from the wire and back, in SPEC's order of keys."""

import re
from datetime import date, datetime
from typing import Any

import orjson
import pytest
from msgspec.structs import replace

from backlit.model.errors import ServiceError
from backlit.model.resources import (
    Area,
    Attachment,
    Comment,
    Iteration,
    Project,
    Resource,
    TimeEntryType,
    User,
    WorkItem,
    friendly_size_of,
)

AUDIT = {
    "createdBy": "maya",
    "createdAt": "2014-03-01T08:30:00.000",
    "lastModifiedBy": "jon",
    "lastModifiedAt": "2014-03-02T08:30:00.123",
}

# As SPEC 2 lists the keys.
DOCUMENTS: list[tuple[type[Resource], dict[str, Any]]] = [
    (WorkItem, {"id": 1, "type": "Story", "projectId": 1, "fields": {"Name": "x", "Tags": [], "Size_cf": 1.0}} | AUDIT),
    (Comment, {"id": 1, "projectId": 1, "workItemId": 2, "description": "x", "type": "Feedback"} | AUDIT),
    (Area, {"id": 1, "projectId": 1, "parentId": -1, "name": "Aurora", "path": "Aurora", "sequence": 1} | AUDIT),
    (
        Iteration,
        {
            "id": 1,
            "projectId": 1,
            "parentId": -1,
            "name": "Sprint 14",
            "path": "Aurora\\Sprint 14",
            "sequence": 3,
            "isRelease": False,
            "startDate": "2014-03-03",
            "endDate": "2014-03-17",
            "minCapacity": None,
            "maxCapacity": 40.0,
        }
        | AUDIT,
    ),
    (
        Attachment,
        {
            "id": 1,
            "projectId": 1,
            "workItemId": 2,
            "commentId": None,
            "name": "a.png",
            "description": None,
            "size": 1536,
            "friendlySize": "1.50 KB",
            "url": "https://example.test/attachments/stream/1/a.png",
            "downloadUrl": "https://example.test/attachments/download/1/a.png",
            "type": "Service",
        }
        | AUDIT,
    ),
    (
        User,
        {
            "id": 1,
            "name": "maya",
            "firstName": "Maya",
            "lastName": "Kent",
            "displayName": "Maya Kent",
            "email": "m@x.test",
        },
    ),
    (TimeEntryType, {"name": "Development"}),
    (
        Project,
        {
            "id": 1,
            "name": "Aurora",
            "template": "Scrum",
            "description": "",
            "startDate": "2014-01-01T00:00:00.000",
            "endDate": "2014-12-31T00:00:00.000",
            "defaultIterationLength": 14,
        }
        | AUDIT,
    ),
]


@pytest.mark.parametrize(("model", "document"), DOCUMENTS, ids=lambda value: getattr(value, "__name__", ""))
def test_a_resource_is_written_as_it_was_read_key_by_key(model: type[Resource], document: dict[str, Any]) -> None:
    audit = {"created_by": "maya", "created_at": datetime(2014, 3, 1, 8, 30), "last_modified_by": "jon"}
    audit["last_modified_at"] = datetime(2014, 3, 2, 8, 30, 0, 123_000)
    read = model.read(document, "tracker.example")
    wire = (replace(read, **audit) if "createdBy" in document else read).wire()

    assert orjson.dumps(wire) == orjson.dumps(document)


def test_keys_that_nobody_knows_are_left_out() -> None:
    wire = Area.read(
        {"id": 1, "projectId": 1, "parentId": -1, "name": "x", "colour": ["red"]}, "tracker.example"
    ).wire()

    assert "colour" not in wire


def test_audit_fields_that_were_not_sent_are_not_made_up() -> None:
    assert list(Area(id=1, project_id=1, parent_id=-1, name="x").wire()) == [
        "id",
        "projectId",
        "parentId",
        "name",
        "path",
        "sequence",
    ]


def test_a_foreign_servers_nulls_and_numbers_are_read() -> None:
    iteration = Iteration.read(
        {"id": "1", "projectId": 1.0, "parentId": -1, "name": "x", "path": None, "isRelease": None, "minCapacity": 3}
        | {"startDate": "2014-03-03", "createdAt": "soon"},
        "tracker.example",
    )

    assert iteration.id == iteration.project_id == 1
    wire = iteration.wire()
    assert wire["path"] == ""
    assert wire["isRelease"] is False
    assert wire["minCapacity"] == 3
    assert wire["startDate"] == date(2014, 3, 3)


@pytest.mark.parametrize(
    ("broken", "place"),
    [({"startDate": "soon"}, "startDate"), ({"id": "x"}, "id"), ({"name": None}, "name"), ({"path": [1]}, "path")],
)
def test_nonsense_is_an_error_that_names_the_server_and_the_place(broken: dict[str, Any], place: str) -> None:
    with pytest.raises(
        ServiceError, match=re.escape(f"The response of tracker.example does not match the interface ({place}).")
    ):
        Iteration.read({"id": 1, "projectId": 1, "parentId": -1, "name": "x"} | broken, "tracker.example")


@pytest.mark.parametrize(
    ("size", "text"),
    [
        (0, "0.00 B"),
        (1023, "1023.00 B"),
        (1024, "1.00 KB"),
        (1536, "1.50 KB"),
        (1024**2 - 1, "1.00 MB"),
        (5 * 1024**3, "5.00 GB"),
        (3000 * 1024**4, "3000.00 TB"),
    ],
)
def test_a_size_is_friendly(size: int, text: str) -> None:
    assert friendly_size_of(size) == text
