"""Mentions and what users have read, in an export and in the check."""

import io
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Connection, insert, select

from backlit.service.admin.history_check import history_faults
from backlit.service.admin.transfer import export, import_
from backlit.service.admin.workspace import reading, writing
from backlit.service.storage.schema import activity_marks, mentions, read_activities
from backlit.service.storage.settings import ServiceSettings
from backlit.service.tables.changes import last_revision

JON = 2


def kept(connection: Connection) -> list[Any]:
    return [
        tuple(row) for table in (mentions, activity_marks, read_activities) for row in connection.execute(select(table))
    ]


@pytest.mark.parametrize("with_history", [True, False])
def test_an_import_has_what_was_read_with_the_history_alone(
    settings: ServiceSettings, tmp_path: Path, with_history: bool
) -> None:
    with writing(settings) as connection:
        last = last_revision(connection)
        connection.execute(insert(mentions).values(user_id=JON, activity_id=last))
        connection.execute(insert(activity_marks).values(user_id=JON, read_to=last - 3))
        connection.execute(insert(read_activities).values(user_id=JON, activity_id=last - 1))
    lines = io.BytesIO()
    export(settings, lines, folder=None, with_contents=False, with_secrets=True, with_history=with_history)
    lines.seek(0)
    copy = ServiceSettings(f"sqlite:///{tmp_path}/copy.db", tmp_path / "copied")

    import_(copy, lines)

    with reading(copy) as connection:
        assert kept(connection) == ([(JON, last), (JON, last - 3), (JON, last - 1)] if with_history else [])


def test_the_check_finds_what_was_read_and_never_written(connection: Connection) -> None:
    last = last_revision(connection)
    for table, key in ((mentions, "activity_id"), (activity_marks, "read_to"), (read_activities, "activity_id")):
        connection.execute(insert(table).values({"user_id": JON, key: last + 1}))

    faults = list(history_faults(connection))

    assert [fault[:3] for fault in faults] == [
        ("mentions", JON, "activity_id"),
        ("activity_marks", JON, "read_to"),
        ("read_activities", JON, "activity_id"),
    ]
