"""Items that are closed because they duplicate others."""

from pathlib import Path

import pytest
from tests.store.documents import item, offline_store
from tests.store.store_items import shown


@pytest.mark.parametrize(
    ("kind", "status", "expected"),
    [
        ("Story", "In Progress", "Deleted"),
        ("Issue", "Active", "Closed"),
        ("Story", "Done", None),
        ("Feedback", None, None),
    ],
)
def test_a_duplicate_gets_a_status_that_counts_nowhere_if_its_type_has_one(
    tmp_path: Path, kind: str, status: str | None, expected: str | None
) -> None:
    with offline_store(tmp_path, [item(1, kind=kind, Status=status)]) as store:
        assert store.relation_edits.closed_status(shown(store, 1)) == expected
