"""The file of `--map`: a fault anywhere refuses it."""

from pathlib import Path

import pytest

from backlit.config.schema.import_mappings import check_mapping
from backlit.model.errors import BadRequest

FILE = b"""format = "jira"
[columns]
"Was" = "Nmae"
[types]
"Wunsch" = "Sotry"
"""


def test_every_fault_of_a_mapping_is_named_and_nothing_is_said_to_be_used() -> None:
    with pytest.raises(BadRequest) as refused:
        check_mapping(Path("shop.toml"), FILE)

    first, second = refused.value.message.splitlines()
    assert "line 3, column 9" in first
    assert "line 5, column 12" in second
    assert "left out." not in refused.value.message
    assert "default" not in refused.value.message
