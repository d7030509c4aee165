"""Lines of grouped lists against a list of all lines: headers, folded groups, and the way between lines and items."""

from array import array
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from backlit.store.views.groups import GroupBucket, GroupKey, GroupLine, ListLines, MergedGroupValues, in_order

KEYS = ("Status", "Owner")
values = st.tuples(st.sampled_from([None, "a", "b", "c"]), st.sampled_from([None, 1, 2]))
sizes = st.dictionaries(values, st.integers(1, 3))
folds = st.frozensets(st.one_of(values, st.tuples(st.sampled_from([None, "a", "b", "c"]))))


def drawn(buckets: Sequence[GroupBucket], folded: frozenset[GroupKey]) -> list[GroupKey | int]:
    """Every line: the group of a header, or the place of an item."""
    lines: list[GroupKey | int] = []
    place = 0
    for bucket in buckets:
        (outer, _), stop = bucket.values, place + len(bucket.ids)
        if (outer,) not in lines:
            lines.append((outer,))
        if (outer,) not in folded:
            lines.append(bucket.values)
            if bucket.values not in folded:
                lines.extend(range(place, stop))
        place = stop
    return lines


def made(sizes: dict[GroupKey, int]) -> list[GroupBucket]:
    ordered = sorted(sizes, key=lambda group: [str(value) for value in group])
    return [GroupBucket(group, array("q", range(sizes[group]))) for group in ordered]


def as_drawn(part: GroupLine | range) -> list[GroupKey | int]:
    return [part.group] if isinstance(part, GroupLine) else list(part)


@pytest.mark.slow
@given(sizes, folds)
def test_grouped_lines_are_those_that_are_drawn(sizes: dict[GroupKey, int], folded: frozenset[GroupKey]) -> None:
    buckets = made(sizes)
    lines = ListLines.grouped(KEYS, buckets, dict.fromkeys(sizes, (1, 0.5)))
    lines.fold(folded)
    expected = drawn(buckets, folded)
    outermost: list[GroupKey] = [each for each in expected if isinstance(each, tuple) and len(each) == 1]
    tops = [at for at, line in enumerate(expected) if isinstance(line, tuple)]

    assert lines.count == len(expected)
    for start in range(len(expected) + 1):
        for stop in range(start, len(expected) + 2):
            assert [each for part in lines.window(start, stop) for each in as_drawn(part)] == expected[start:stop]
        assert lines.next_header(start) == next((at for at in tops if at > start), None)
        assert lines.previous_header(start) == next((at for at in reversed(tops) if at < start), None)
        if start < len(expected):
            header = lines.header_at(start)
            assert header is not None
            assert lines.top(start) == max(at for at in tops if at <= start)
            assert header.group == expected[lines.top(start)]
            assert lines.outermost(header.group) == (outermost.index(header.group[:1]) + 1, len(outermost))
            assert header.is_folded == (header.group in folded)
    for place in range(sum(sizes.values()) + 1):
        assert lines.line_of(place) == (expected.index(place) if place in expected else None)
    for header in lines.headers:
        below = [group for group in sizes if group[: header.level] == header.group]
        assert (header.rows, header.count) == (sum(sizes[group] for group in below), len(below))
        assert (header.points, header.key) == (len(below) * 0.5, KEYS[header.level - 1])
        assert len(lines.places_in(header.group)) == header.rows
        assert lines.header_line(header.group) == (expected.index(header.group) if header.group in expected else None)
    assert lines.places_in(("no such group",)) == range(0)


@pytest.mark.parametrize("start", range(4))
@pytest.mark.parametrize("stop", range(5))
def test_ungrouped_lines_are_the_items(start: int, stop: int) -> None:
    lines = ListLines(3)

    assert [each for part in lines.window(start, stop) for each in as_drawn(part)] == list(range(3))[start:stop]
    assert lines.top(start) == -1
    assert (lines.count, lines.header_at(start), lines.next_header(0), lines.previous_header(3)) == (
        3,
        None,
        None,
        None,
    )


@given(st.lists(values, unique=True), st.tuples(st.booleans(), st.booleans()))
def test_groups_are_in_the_order_of_each_level_with_the_empty_value_last(
    groups: list[GroupKey], directions: tuple[bool, bool]
) -> None:
    buckets = in_order(
        [GroupBucket(group, array("q")) for group in groups], [{"c": 0, "a": 1, "b": 2}, None], directions
    )

    def place(group: GroupKey) -> list[tuple[bool, int]]:
        found = ["cab".index(str(group[0])) if group[0] else 0, group[1] if isinstance(group[1], int) else 0]
        return [
            (value is None, -at if turned else at) for value, at, turned in zip(group, found, directions, strict=True)
        ]

    assert [each.values for each in buckets] == sorted(groups, key=place)


def test_values_that_are_alike_are_one_group_on_their_level() -> None:
    alike = MergedGroupValues(1, [["Done", "Closed"], ["New"]])

    assert [alike.first_of(("Closed", each)) for each in ("Closed", "Done", "New", "Odd", None)] == [
        ("Closed", each) for each in ("Done", "Done", "New", "Odd", None)
    ]
    assert MergedGroupValues(-1, [["Done", "Closed"]]).first_of(("Closed",)) == ("Closed",)
    assert MergedGroupValues(0, []).first_of(("Closed",)) == ("Closed",)
