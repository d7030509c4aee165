"""What an import must bring in, as a case's document says it; cases/README.md describes the assertions."""

import json
import re
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from sqlalchemy import text
from tests.cli.admin_world import Workspace

CASES = Path(__file__).parent / "cases"
Row = Mapping[str, Any]


@dataclass(frozen=True)
class Case:
    """A file with the document beside it."""

    path: Path

    @cached_property
    def document(self) -> dict[str, Any]:
        document: dict[str, Any] = json.loads(Path(f"{self.path}.expected.json").read_text(encoding="utf-8"))
        allow_only(document, {"format", "exit", "options", "assert", "left_out", "warnings", "again", "then"})
        for step in document.get("then", ()):
            allow_only(step, {"undo", "assert"} if "undo" in step else {"file", "options", "assert"})
        return document

    @property
    def options(self) -> list[str]:
        return [option.replace("{folder}", str(CASES)) for option in self.document.get("options", ())]


def allow_only(document: Mapping[str, Any], keys: Collection[str]) -> None:
    """Raise ValueError for a key that nothing checks."""
    if unknown := set(document) - set(keys):
        raise ValueError(f"Nothing checks {', '.join(sorted(unknown))} of {document}")


def cases() -> list[Case]:
    """Return the cases whose files are kept; large ones are made by their tests."""
    paths = [Path(str(path).removesuffix(".expected.json")) for path in sorted(CASES.glob("*.expected.json"))]
    return [Case(path) for path in paths if path.exists()]


class Imported:
    """The rows of a workspace at one moment."""

    def __init__(self, workspace: Workspace) -> None:
        def rows(sql: str) -> list[Row]:
            return [dict(row) for row in connection.execute(text(sql)).mappings()]

        with workspace.rows() as connection:
            self.items = rows("SELECT * FROM work_items ORDER BY backlog_priority, id")
            self.comments = rows("SELECT * FROM comments ORDER BY id")
            self.related = {
                frozenset({row["work_item_id"], row["target_id"]}) for row in rows("SELECT * FROM relations")
            }
            self.users = {row["id"]: row for row in rows("SELECT * FROM users")}
            self.places = {
                "iteration": {row["id"]: row for row in rows("SELECT * FROM iterations")},
                "area": {row["id"]: row for row in rows("SELECT * FROM areas")},
            }

    @property
    def counts(self) -> tuple[int, ...]:
        return len(self.items), len(self.comments), *(len(each) for each in self.places.values())

    def named(self, name: str) -> Row:
        found = [item for item in self.items if item["name"].strip() == name.strip()]
        assert len(found) == 1, f"{len(found)} items are named {name!r}"
        return found[0]

    def comments_of(self, item: Row) -> list[str]:
        return [row["description"] for row in self.comments if row["work_item_id"] == item["id"]]

    def path(self, kind: str, item: Row) -> str:
        place = self.places[kind].get(item[f"{kind}_id"])
        return "" if place is None or place["parent_id"] in (None, -1) else str(place["path"] or place["name"])

    def texts(self, item: Row) -> str:
        parts = [str(value) for key, value in item.items() if isinstance(value, str) and key != "doc"]
        parts += [*self.comments_of(item), self.path("iteration", item), self.path("area", item)]
        return "\n".join(parts)


def failures(workspace: Imported, assertions: Sequence[Mapping[str, Any]], output: Sequence[str]) -> Iterator[str]:
    """Yield a sentence for each assertion that does not hold."""
    for assertion in assertions:
        try:
            _hold(workspace, dict(assertion), output)
        except AssertionError as error:
            yield f"{json.dumps(assertion, ensure_ascii=False)}: {error}"


def _hold(workspace: Imported, wanted: dict[str, Any], output: Sequence[str]) -> None:
    kind = next((key for key in _ASSERTIONS if key in wanted), "")
    if kind:
        hold, further = _ASSERTIONS[kind]
        allow_only(wanted, {kind, *further})
        hold(workspace, wanted)
    else:
        _hold_output(wanted, output)


def _hold_total(workspace: Imported, wanted: dict[str, Any]) -> None:
    assert len(workspace.items) == wanted["total"], f"{len(workspace.items)} items"


def _hold_count(workspace: Imported, wanted: dict[str, Any]) -> None:
    counts = Counter(item["type"] for item in workspace.items)
    assert all(counts[item_type] in _listed(number) for item_type, number in wanted["count"].items()), dict(counts)


def _hold_item(workspace: Imported, wanted: dict[str, Any]) -> None:
    item = workspace.named(wanted.pop("item"))
    for key, value in wanted.items():
        _hold_value(workspace, item, key, value)


def _hold_absent(workspace: Imported, wanted: dict[str, Any]) -> None:
    names = [item["name"].strip() for item in workspace.items]
    assert wanted["absent"].strip() not in names, "there is such an item"


def _hold_tasks(workspace: Imported, wanted: dict[str, Any]) -> None:
    parent = workspace.named(wanted["tasks_of"])
    names = [item["name"].strip() for item in workspace.items if item["parent_id"] == parent["id"]]
    assert sorted(names) == sorted(name.strip() for name in wanted["names"]), names


def _hold_comments(workspace: Imported, wanted: dict[str, Any]) -> None:
    found = workspace.comments_of(workspace.named(wanted["comments_of"]))
    assert len(found) in _listed(wanted["number"]), found
    for words in wanted["has"]:
        assert any(all(_has_one(comment, word) for word in words) for comment in found), f"{words} not in {found}"


def _hold_kept(workspace: Imported, wanted: dict[str, Any]) -> None:
    texts = workspace.texts(workspace.named(wanted["kept"]))
    assert all(word in texts for word in wanted["texts"]), texts


def _hold_created(workspace: Imported, wanted: dict[str, Any]) -> None:
    item = workspace.named(wanted["created"])
    texts = f"{workspace.texts(item)}\n{item['created_at']}"
    assert any(day in texts for day in _listed(wanted["date"])), texts


def _hold_priority(workspace: Imported, wanted: dict[str, Any]) -> None:
    one, other = (workspace.named(name)["priority"] for name in wanted["priority_above"])
    assert None not in {one, other}, (one, other)
    assert one < other, (one, other)


def _hold_order(workspace: Imported, wanted: dict[str, Any]) -> None:
    order = [name.strip() for name in wanted["order"]]
    names = [item["name"].strip() for item in workspace.items if item["name"].strip() in order]
    assert names == order, names


def _hold_iteration(workspace: Imported, wanted: dict[str, Any]) -> None:
    _hold_place(workspace, "iteration", wanted)


def _hold_area(workspace: Imported, wanted: dict[str, Any]) -> None:
    _hold_place(workspace, "area", wanted)


def _hold_place(workspace: Imported, kind: str, wanted: dict[str, Any]) -> None:
    places = workspace.places[kind].values()
    found = [row for row in places if f"\\{row['path']}".endswith(f"\\{wanted[kind]}")]
    assert len(found) == 1, [row["path"] for row in places]
    for key, column in (("startDate", "start_date"), ("endDate", "end_date")):
        if key in wanted:
            assert str(found[0][column])[:10] in _listed(wanted[key]), dict(found[0])


def _hold_output(wanted: Mapping[str, Any], output: Sequence[str]) -> None:
    allow_only(wanted, {"output_has", "output_line_has", "output_lacks", "output_lines_at_most"})
    assert wanted, "nothing is asserted"
    whole = "\n".join(output).casefold()
    for word in wanted.get("output_has", ()):
        assert word.casefold() in whole, whole
    if "output_line_has" in wanted:
        assert has_line(output, wanted["output_line_has"]), whole
    for word in wanted.get("output_lacks", ()):
        assert word.casefold() not in whole, whole
    assert len(output) <= wanted.get("output_lines_at_most", len(output)), f"{len(output)} lines"


def has_line(output: Sequence[str], words: Sequence[str]) -> bool:
    return any(all(word.casefold() in line.casefold() for word in words) for line in output)


_FIELDS = {"Status": "status", "Priority": "priority", "Severity": "severity"}
"""The columns of the fields that are compared as texts."""
_OF_ITEMS = (
    *("type", "owner", "tags", "iteration", "area", "parent", "Estimate", "WorkRemaining"),
    *("description_has", "description_lacks"),
)


def _hold_value(workspace: Imported, item: Row, key: str, value: Any) -> None:
    if key == "type":
        assert item["type"] in _listed(value), item["type"]
    elif key == "owner":
        user = workspace.users.get(item["assigned_to_id"])
        names = [] if user is None else [user["email"], user["display_name"], user["name"]]
        assert any(one in names if one else not names for one in _listed(value)), names
    elif key == "tags":
        tags = {tag.casefold() for tag in json.loads(item["tags"] or "[]")}
        assert {tag.casefold() for tag in value} <= tags, tags
    elif key in {"iteration", "area"}:
        path = workspace.path(key, item)
        assert any(f"\\{path}".endswith(f"\\{one}") if one else not path for one in _listed(value)), path
    elif key == "parent":
        parents = [each["name"].strip() for each in workspace.items if each["id"] == item["parent_id"]]
        assert any(one.strip() in parents for one in _listed(value)), parents
    elif key in {"Estimate", "WorkRemaining"}:
        found = item["estimate" if key == "Estimate" else "work_remaining"]
        number = float(found) if found not in {None, ""} else None
        assert number in _listed(value), number
    elif key in {"description_has", "description_lacks"}:
        whole = _bare(f"{item['description']}\n{item['steps_to_reproduce']}")
        for part in _listed(value):
            assert (_bare(part) in whole) == (key == "description_has"), f"{part!r}: {whole}"
    else:
        found = item[_FIELDS[key]]
        assert found in _listed(value) or str(found) in map(str, _listed(value)), found


def _hold_link(workspace: Imported, pair: Sequence[Row], keys: Sequence[str]) -> None:
    one, other = pair
    if one["parent_id"] == other["id"] or other["parent_id"] == one["id"]:
        return
    if frozenset({one["id"], other["id"]}) in workspace.related:
        return
    for number, (item, named) in enumerate(((one, other), (other, one))):
        words = [f"#{named['id']}", named["name"], *([keys[1 - number]] if keys else [])]
        if any(word in workspace.texts(item) for word in words):
            return
    raise AssertionError(workspace.texts(one))


def _hold_linked(workspace: Imported, wanted: dict[str, Any]) -> None:
    _hold_link(workspace, [workspace.named(name) for name in wanted["linked"]], wanted.get("keys", ()))


_ASSERTIONS: Mapping[str, tuple[Callable[[Imported, dict[str, Any]], None], Collection[str]]] = {
    "item": (_hold_item, {*_FIELDS, *_OF_ITEMS}),
    "total": (_hold_total, ()),
    "count": (_hold_count, ()),
    "absent": (_hold_absent, ()),
    "tasks_of": (_hold_tasks, {"names"}),
    "comments_of": (_hold_comments, {"number", "has"}),
    "kept": (_hold_kept, {"texts"}),
    "created": (_hold_created, {"date"}),
    "linked": (_hold_linked, {"keys"}),
    "priority_above": (_hold_priority, ()),
    "order": (_hold_order, ()),
    "iteration": (_hold_iteration, {"startDate", "endDate"}),
    "area": (_hold_area, ()),
}
"""The assertions about a workspace by the key of each, and its further keys. An item comes first: it has areas."""


def _has_one(comment: str, word: str | Sequence[str]) -> bool:
    return any(_bare(each) in _bare(comment) for each in _listed(word))


def _listed(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]


def _bare(words: str) -> str:
    return re.sub(r"[\s*_`\\]", "", words)
