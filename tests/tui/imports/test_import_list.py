"""The words for what a column of a file holds."""

from backlit.model.fields import FIELD_BY_KEY
from backlit.model.import_mappings import COLUMN_VALUES
from backlit.tui.imports.import_list import ROLE_LABELS


def test_what_a_column_may_hold_has_a_label_or_is_a_field() -> None:
    assert [each for each in COLUMN_VALUES if each not in {*ROLE_LABELS, *FIELD_BY_KEY, "tags", "description"}] == []
