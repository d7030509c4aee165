"""What an import must bring in, as a case's document says it; cases/README.md describes the assertions."""

import json
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
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
        return document

    @property
    def options(self) -> list[str]:
        return [option.replace("{folder}", str(CASES)) for option in self.document.get("options", ())]


def cases() -> list[Case]:
    return [Case(CASES / path.name.removesuffix(".expected.json")) for path in sorted(CASES.glob("*.expected.json"))]


class Imported:
    """The rows of a workspace at one moment."""

    def __init__(self, workspace: Workspace) -> None:
        def rows(sql: str) -> list[Row]:
            return [dict(row) for row in connection.execute(text(sql)).mappings()]

        with workspace.rows() as connection:
            self.items = rows("SELECT * FROM work_items ORDER BY backlog_priority, id")
            self.comments = rows("SELECT * FROM comments ORDER BY id")
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
    kind = next((key for key in _HOLD if key in wanted), "")
    if kind:
        _HOLD[kind](workspace, wanted)
    else:
        _hold_output(wanted, output)


def _hold_total(workspace: Imported, wanted: dict[str, Any]) -> None:
    assert len(workspace.items) == wanted["total"], f"{len(workspace.items)} items"


def _hold_count(workspace: Imported, wanted: dict[str, Any]) -> None:
    counts = Counter(item["type"] for item in workspace.items)
    assert wanted["count"].items() <= counts.items(), dict(counts)


def _hold_item(workspace: Imported, wanted: dict[str, Any]) -> None:
    item = workspace.named(wanted.pop("item"))
    for key, value in wanted.items():
        _hold_value(workspace, item, key, value)


def _hold_absent(workspace: Imported, wanted: dict[str, Any]) -> None:
    assert all(item["name"] != wanted["absent"] for item in workspace.items), "there is such an item"


def _hold_tasks(workspace: Imported, wanted: dict[str, Any]) -> None:
    parent = workspace.named(wanted["tasks_of"])
    names = [item["name"] for item in workspace.items if item["parent_id"] == parent["id"]]
    assert sorted(names) == sorted(wanted["names"]), names


def _hold_comments(workspace: Imported, wanted: dict[str, Any]) -> None:
    found = workspace.comments_of(workspace.named(wanted["comments_of"]))
    assert len(found) == wanted["number"], found
    for words in wanted["has"]:
        assert any(all(_has_one(comment, word) for word in words) for comment in found), f"{words} not in {found}"


def _hold_kept(workspace: Imported, wanted: dict[str, Any]) -> None:
    texts = workspace.texts(workspace.named(wanted["kept"]))
    assert all(word in texts for word in wanted["texts"]), texts


def _hold_created(workspace: Imported, wanted: dict[str, Any]) -> None:
    item = workspace.named(wanted["created"])
    assert any(day in f"{workspace.texts(item)}{item['created_at']}" for day in _listed(wanted["date"]))


def _hold_priority(workspace: Imported, wanted: dict[str, Any]) -> None:
    one, other = (workspace.named(name)["priority"] for name in wanted["priority_above"])
    assert one is not None, "no priority"
    assert other is None or one < other, (one, other)


def _hold_order(workspace: Imported, wanted: dict[str, Any]) -> None:
    names = [item["name"] for item in workspace.items if item["name"] in wanted["order"]]
    assert names == wanted["order"], names


def _hold_iteration(workspace: Imported, wanted: dict[str, Any]) -> None:
    _hold_place(workspace, "iteration", wanted)


def _hold_area(workspace: Imported, wanted: dict[str, Any]) -> None:
    _hold_place(workspace, "area", wanted)


def _hold_place(workspace: Imported, kind: str, wanted: dict[str, Any]) -> None:
    places = workspace.places[kind].values()
    found = [row for row in places if f"\\{row['path']}".endswith(f"\\{wanted[kind]}")]
    assert len(found) == 1, [row["path"] for row in places]
    for key, column in (("startDate", "start_date"), ("endDate", "end_date")):
        day = str(found[0].get(column))[:10]
        assert day == wanted.get(key, day), dict(found[0])


def _hold_output(wanted: Mapping[str, Any], output: Sequence[str]) -> None:
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


_FIELDS = {"WorkRemaining": "work_remaining", "Status": "status", "Priority": "priority", "Severity": "severity"}


def _hold_value(workspace: Imported, item: Row, key: str, value: Any) -> None:
    if key == "type":
        assert item["type"] in _listed(value), item["type"]
    elif key == "owner":
        user = workspace.users.get(item["assigned_to_id"])
        names = [] if user is None else [user["email"], user["display_name"], user["name"]]
        assert (value is None and not names) or value in names, names
    elif key == "tags":
        tags = str(item["tags"]).casefold()
        assert all(f'"{tag}"' in tags or tag in re.split(r"[,;\"\[\] ]+", tags) for tag in value), tags
    elif key in {"iteration", "area"}:
        path = workspace.path(key, item)
        assert (value is None and not path) or (value and f"\\{path}".endswith(f"\\{value}")), path
    elif key == "parent":
        parent = next(each for each in workspace.items if each["id"] == item["parent_id"])
        assert parent["name"] == value, parent["name"]
    elif key == "Estimate":
        number = float(item["estimate"]) if item["estimate"] else None
        assert number == value, number
    elif key in {"description_has", "description_lacks"}:
        whole = _bare(f"{item['description']}\n{item['steps_to_reproduce']}")
        for part in value:
            assert (_bare(part) in whole) == (key == "description_has"), f"{part!r}: {whole}"
    else:
        found = item[_FIELDS[key]]
        allowed = _listed(value)
        assert found in allowed or str(found) in map(str, allowed), found


def _hold_link(workspace: Imported, pair: Sequence[Row], keys: Sequence[str]) -> None:
    one, other = pair
    if one["parent_id"] == other["id"] or other["parent_id"] == one["id"]:
        return
    for number, (item, named) in enumerate(((one, other), (other, one))):
        words = [f"#{named['id']}", named["name"], *([keys[1 - number]] if keys else [])]
        if any(word in workspace.texts(item) for word in words):
            return
    raise AssertionError(workspace.texts(one))


def _hold_linked(workspace: Imported, wanted: dict[str, Any]) -> None:
    _hold_link(workspace, [workspace.named(name) for name in wanted["linked"]], wanted.get("keys", ()))


_HOLD: Mapping[str, Callable[[Imported, dict[str, Any]], None]] = {
    "total": _hold_total,
    "count": _hold_count,
    "item": _hold_item,
    "absent": _hold_absent,
    "tasks_of": _hold_tasks,
    "comments_of": _hold_comments,
    "kept": _hold_kept,
    "created": _hold_created,
    "linked": _hold_linked,
    "priority_above": _hold_priority,
    "order": _hold_order,
    "iteration": _hold_iteration,
    "area": _hold_area,
}
"""The assertions about a workspace, by the key that each has; an item's come before those of its keys."""


def _has_one(comment: str, word: str | Sequence[str]) -> bool:
    return any(_bare(each) in _bare(comment) for each in _listed(word))


def _listed(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]


def _bare(words: str) -> str:
    return re.sub(r"[\s*_`\\]", "", words)
