"""The client's check of a value against the service's, for every field and many values."""

from collections.abc import Callable, Iterable
from math import nan
from pathlib import Path
from types import MappingProxyType
from typing import Any

from tests.store.documents import announce, node, offline_store, put_nouns

from backlit.model.errors import BadRequest
from backlit.model.fields import FIELDS, Field, ItemType, Kind, Settable, custom_field, fields_of
from backlit.service.rules.checks import TAG_LIMIT, TAGS_LIMIT, TEXT_LIMIT, checked
from backlit.service.tables.projects import ProjectSettings
from backlit.store.edits.checks import ON_ADD, check

REFUSED, IGNORED = "refused", "ignored"
KNOWN = 7
"""The only area, iteration, team, user and item of the project."""
DUE = custom_field("Due_cf", Kind.DATE, (ItemType.STORY,))
SETTABLE = [*(field for field in FIELDS if field.settable is not Settable.NEVER), DUE]
SETTINGS = ProjectSettings(
    1, KNOWN, KNOWN, (DUE,), MappingProxyType({}), (),
    MappingProxyType({field.types[0].value: fields_of(field.types[0], [DUE]) for field in SETTABLE}),
    MappingProxyType({}),
)  # fmt: skip
CAPABILITIES: dict[str, object] = {
    "limits": {"text": TEXT_LIMIT, "tag": TAG_LIMIT, "tags": TAGS_LIMIT},
    "projects": [
        {
            "id": 1,
            "customFields": [{"key": DUE.key, "kind": "date", "types": ["Story"]}],
            "values": {
                item_type: {field.key: field.choices_for(item_type) for field in fields}
                for item_type, fields in SETTINGS.fields_by_type.items()
            },
        }
    ],
}
VALUES: dict[str, Any] = {
    **{
        repr(value): value
        for value in (
            *(
                None,
                "",
                " ",
                "text",
                "8 pts",
                "3,5",
                "a\0b",
                "\ud800",
                "2026-03-01",
                "2026-03-01T10:00:00",
                "2026-02-30",
            ),
            *(0, KNOWN, 3.0, 2.5, -3, 2**53 - 1, 2**53, 1e300, 1e301, nan, True, False, {"a": 1}),
            *([], ["ux"], [" ux "], ["ux", "ux"], [""], [5], ["a\0b"], ["\ud800"]),
        )
    },
    "a long name": "x" * 501,
    "a long text": "x" * (TEXT_LIMIT + 1),
    "a long tag": ["x" * (TAG_LIMIT + 1)],
    "many tags": [str(number) for number in range(TAGS_LIMIT + 1)],
}

Pairs = set[tuple[str, str]]


def pairs(keys: Iterable[str], *names: str) -> Pairs:
    return {(key, name) for key in keys for name in names}


def of(*kinds: Kind) -> list[str]:
    return [field.key for field in SETTABLE if field.kind in kinds]


PLACES = of(Kind.AREA, Kind.ITERATION)

DIFFERENCES: dict[str, Pairs] = {
    "The client writes points as a plain number.": pairs(["Estimate"], "'8 pts'", "'3,5'"),
    "The service reads null for a list or a Description as an empty one.": pairs(["Tags", "Description"], "None"),
    "An unset area or iteration is the root's; the client never sends one.": pairs(PLACES, "None"),
    "Clients that send whole objects have 0 for no reference; backlit's client has null.": pairs(
        [*PLACES, "AssignedToID", "TeamID"], "0"
    ),
    "The client does not know all teams and items.": pairs(["TeamID", "ParentID"], "3.0", "-3", "9007199254740991")
    | pairs(["ParentID"], "0"),
    "An empty text clears a choice in the client; it sends null.": pairs(of(Kind.CHOICE), "''"),
    "The client sends tags as they are, as another spelling would be another tag.": pairs(
        ["Tags"], "[' ux ']", "['ux', 'ux']"
    ),
}
"""Pairs of field and value that both sides judge differently, by reason."""


def outcome(act: Callable[[], object]) -> object:
    try:
        value = act()
    except BadRequest:
        return REFUSED
    return (bool, value) if isinstance(value, bool) else value


def service_outcome(field: Field, value: object) -> object:
    creating = field.settable is Settable.ON_CREATE
    given = {"Name": "x", field.key: value} if creating else {field.key: value}
    exists = lambda _kind, number: number == KNOWN  # noqa: E731
    return outcome(lambda: checked(field.types[0], given, SETTINGS, exists, creating=creating).get(field.key, IGNORED))


def test_the_client_journals_what_the_service_takes_but_for_known_differences(tmp_path: Path) -> None:
    with offline_store(tmp_path) as store:
        root = [node(KNOWN, "Aurora")]
        put_nouns(store, areas=root, iterations=root, user=[{"id": KNOWN, "name": "maya"}])
        announce(store, CAPABILITIES)
        lookups = store.lookups

        def client_outcome(field: Field, value: object) -> object:
            return outcome(lambda: check(field.types[0], {field.key: value}, lookups, ON_ADD)[field.key])

        found = {
            (field.key, name)
            for field in SETTABLE
            for name, value in VALUES.items()
            if client_outcome(field, value) != service_outcome(field, value)
        }

    assert found == set().union(*DIFFERENCES.values())
