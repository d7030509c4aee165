"""Positions of keys and values in TOML."""

import pytest

from backlit.config.schema.toml_positions import KeyPath, TomlPositions

TEXT = """# a comment with = and [x]
title = "a # no comment"
"quo.ted" = 'x'

[owner]
name.first = "Ann"
text = \"\"\"
[no] = header
\"\\"\"\"\"
point = {x = 1, "y z" = [2, 3]}

[[point]]
list = [
  "a", # one
  'b]',
]
day = 1979-05-27 07:32:00 # with a blank

[[point]]
[point.inner]
deep = [[1], [2, {k = true}]]
"""


@pytest.mark.parametrize(
    ("path", "key", "value"),
    [
        (("title",), (2, 1), (2, 9)),
        (("quo.ted",), (3, 1), (3, 13)),
        (("owner",), (5, 1), (5, 1)),
        (("owner", "name"), (6, 1), (6, 14)),
        (("owner", "name", "first"), (6, 6), (6, 14)),
        (("owner", "text"), (7, 1), (7, 8)),
        (("owner", "point"), (10, 1), (10, 9)),
        (("owner", "point", "x"), (10, 10), (10, 14)),
        (("owner", "point", "y z", 1), (10, 29), (10, 29)),
        (("point", 0), (12, 1), (12, 1)),
        (("point", 0, "list", 1), (15, 3), (15, 3)),
        (("point", 0, "day"), (17, 1), (17, 7)),
        (("point", 1, "inner", "deep", 1, 1, "k"), (21, 19), (21, 23)),
        (("point", 1, "missing"), (19, 1), (19, 1)),
        (("nowhere",), (1, 1), (1, 1)),
    ],
)
def test_each_key_and_value_has_its_line_and_column(
    path: KeyPath, key: tuple[int, int], value: tuple[int, int]
) -> None:
    positions = TomlPositions(TEXT)

    assert positions.of_key(path) == key
    assert positions.of_value(path) == value
