"""The rows of the kinds of changes to objects below items."""

from backlit.store.object_changes.kinds import CREATIONS, DELETIONS, EDITS
from backlit.store.records.entry import OBJECT_DELETION_BY_CREATION


def test_each_kind_of_object_is_created_and_deleted() -> None:
    assert CREATIONS.keys() == OBJECT_DELETION_BY_CREATION.keys()
    assert DELETIONS.keys() == set(OBJECT_DELETION_BY_CREATION.values())
    for kind, creation in CREATIONS.items():
        deletion = DELETIONS[OBJECT_DELETION_BY_CREATION[kind]]
        facts = [(each.subject, each.resource, each.noun, each.again) for each in (creation, deletion)]
        assert facts[0] == facts[1]


def test_an_edit_that_is_undone_is_changed_back() -> None:
    assert {edit.again for edit in EDITS.values()} == {"changed back"}
