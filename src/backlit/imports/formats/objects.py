"""Values of JSON objects, of which only some have the expected shape."""

from collections.abc import Iterator, Mapping

Json = Mapping[str, object]


def object_in(value: object) -> Json:
    return value if isinstance(value, dict) else {}


def objects_in(value: object) -> Iterator[Json]:
    for each in value if isinstance(value, list) else ():
        if isinstance(each, dict):
            yield each


def text_in(value: object, *path: str) -> str:
    """Return the text or number at a path; empty for another shape."""
    for key in path:
        value = object_in(value).get(key)
    if isinstance(value, bool) or value is None:
        return ""
    return str(value) if isinstance(value, str | int | float) else ""


def count_leftovers(counts: dict[str, int], each: Json, used: frozenset[str]) -> None:
    """Count the values of keys that have no place."""
    for key, value in each.items():
        if key not in used and value not in (None, "", 0, False, [], {}, -1) and not isinstance(value, bool):
            counts[key] = counts.get(key, 0) + 1


def texts_in(value: object) -> list[str]:
    """Return the texts of a list."""
    return [each for each in value if isinstance(each, str)] if isinstance(value, list) else []
