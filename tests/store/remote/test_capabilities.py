"""The traits of a service as they are kept, and what is said of them."""

from itertools import product

import pytest
from msgspec.structs import replace

from backlit.store.remote.capabilities import (
    EXTENSIONS,
    SIZES,
    UNSURE,
    DateForm,
    FilterSupport,
    ServiceTraits,
    traits_of,
)

ALL = ServiceTraits(is_sure=True, etag=True)


@pytest.mark.parametrize("filtering", FilterSupport)
@pytest.mark.parametrize("dates", [None, *DateForm])
def test_traits_are_read_as_they_were_kept(filtering: FilterSupport, dates: DateForm | None) -> None:
    for by_id, orders, by_change, etag in product((True, False), repeat=4):
        traits = ServiceTraits(filtering, by_id, dates, orders, by_change, 50, etag, is_sure=True)

        assert traits_of(traits.document()) == traits
        assert traits.is_ranged == (filtering is FilterSupport.WORKS and by_id)


@pytest.mark.parametrize("change", [{"filtering": "odd"}, {"dates": "odd"}, {"page": None}])
def test_traits_of_another_version_are_probed_again(change: dict[str, object]) -> None:
    note = {**ALL.document(), **change}

    assert traits_of(note) == (replace(ALL, page=SIZES[-1]) if "page" in change else None)
    assert traits_of({key: value for key, value in note.items() if key not in change}) is None
    assert traits_of(None) is None


@pytest.mark.parametrize(
    ("change", "has", "lacks"),
    [
        ({}, ["Filtering", "Sorting", "Page size", "Conflict detection"], []),
        ({"by_change": False}, ["Filtering", "Sorting", "Page size", "Conflict detection"], []),
        ({"orders": False}, ["Filtering", "Page size", "Conflict detection"], ["Sorting"]),
        ({"etag": False}, ["Filtering", "Sorting", "Page size"], ["Conflict detection"]),
        ({"dates": None}, ["Filtering", "Sorting", "Page size", "Conflict detection"], ["Filtering by change time"]),
        (
            {"by_id": False},
            ["Sorting", "Page size", "Conflict detection"],
            ["Filtering by id", "Deleted items are found by a full scan when the number of items changes."],
        ),
        (
            {"filtering": FilterSupport.IGNORED, "by_change": False},
            ["Sorting", "Page size", "Conflict detection"],
            [
                "Filtering",
                "Reading changes only",
                "Deleted items are found by a full scan when the number of items changes.",
            ],
        ),
    ],
)
def test_each_missing_feature_is_said_and_each_proven_one(
    change: dict[str, object], has: list[str], lacks: list[str]
) -> None:
    traits = replace(ALL, **change)
    told = {"extensions": ["rank", "teams"]}

    assert [each.partition(": ")[0].partition(" (")[0] for each in traits.has_words()] == has
    assert [each.partition(": ")[0].partition(" (")[0] for each in traits.missing_words(told)] == lacks


@pytest.mark.parametrize(
    ("told", "missing"),
    [
        (None, {"capabilities", "etag", "rank", "teams"}),
        ({"extensions": ["rank"]}, {"etag", "teams"}),
        ({"extensions": "rank"}, {"etag", "rank", "teams"}),
    ],
)
def test_an_extension_is_missing_unless_it_is_stated(told: dict[str, object] | None, missing: set[str]) -> None:
    said = set(UNSURE.missing_words(told)) & set(EXTENSIONS.values())

    assert said == {EXTENSIONS[each] for each in missing}
