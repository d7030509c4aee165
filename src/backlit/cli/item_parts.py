"""What is beside and below an item, as columns, as the cells of a file, and in documents: `--with`."""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any

from backlit.cli.item_columns import RELATION_COLUMNS
from backlit.model.dates import write_datetime
from backlit.model.fields import ItemType
from backlit.model.resources import CriterionStatus
from backlit.store.records.entry_values import id_of
from backlit.store.records.item import Item
from backlit.store.records.people import Person
from backlit.store.store import Store
from backlit.store.views.objects import Criterion, LoggedTime, WebLink
from backlit.store.views.relations import ItemRelation

MARKS: Mapping[str, str] = {CriterionStatus.PASS: "x", CriterionStatus.FAIL: "!"}
"""What stands in the brackets before a criterion of a file, where it is not a blank."""


class ItemParts:
    """The relations, criteria, links, comments and logged hours of some items."""

    def __init__(self, store: Store, items: Iterable[Item]) -> None:
        self._store = store
        self._relations = store.relations.of_items([item.id for item in items])

    def cell(self, item: Item, name: str) -> object:
        """Return the value of a column of PART_COLUMNS, as `items import` reads it."""
        if name == "criteria":
            return criteria_text(self._store.criteria.of_item(item.id)) or None
        if name == "links":
            return "\n".join(f"{each.url} {each.text}" for each in self._store.links.of_item(item.id)) or None
        word = RELATION_COLUMNS[name]
        others = [id_of(each.other_id) for each in self._relations.get(item.id, ()) if each.word == word]
        if name == "feature":
            return others[0] if others and item.type != ItemType.TASK else None
        return others or None

    def document(self, item: Item, parts: Collection[str]) -> dict[str, Any]:
        makers: Mapping[str, Callable[[Item], list[dict[str, Any]]]] = {
            "relations": self._relation_documents,
            "criteria": self._criterion_documents,
            "links": self._link_documents,
            "comments": self._comment_documents,
            "time": self._time_documents,
        }
        return {part: makers[part](item) for part in parts}

    def _relation_documents(self, item: Item) -> list[dict[str, Any]]:
        relations = self._relations.get(item.id, ())
        names = {other.id: other.name for other in self._store.batch.items([each.other_id for each in relations])}
        return [_relation_document(each, names.get(each.other_id)) for each in relations]

    def _criterion_documents(self, item: Item) -> list[dict[str, Any]]:
        criteria = self._store.criteria.of_item(item.id)
        return [criterion_document(each, place) for place, each in enumerate(criteria, 1)]

    def _link_documents(self, item: Item) -> list[dict[str, Any]]:
        return [link_document(each) for each in self._store.links.of_item(item.id)]

    def _time_documents(self, item: Item) -> list[dict[str, Any]]:
        times = self._store.time_entries.of_task(item.id) if item.type == ItemType.TASK else ()
        people = self._store.lookups.known_people()
        return [time_document(each, people, item.name) for each in times]

    def _comment_documents(self, item: Item) -> list[dict[str, Any]]:
        return [
            {
                "id": id_of(each.id),
                "at": moment_text(each.created_at),
                "author": each.author,
                "text": each.text,
            }
            for each in self._store.comments.of_item(item.id)
        ]


def moment_text(when: datetime | None) -> str | None:
    """Return a service's DateTime as documents have it."""
    return f"{write_datetime(when)}Z" if when else None


def _relation_document(relation: ItemRelation, name: str | None) -> dict[str, Any]:
    return {"type": relation.word, "item": id_of(relation.other_id), "name": name}


def criterion_document(criterion: Criterion, place: int) -> dict[str, Any]:
    return {
        "n": place,
        "id": id_of(criterion.id),
        "title": criterion.title,
        "status": criterion.status,
        "description": criterion.description or None,
    }


def link_document(link: WebLink) -> dict[str, Any]:
    return {"id": id_of(link.id), "text": link.text, "url": link.url}


def time_document(entry: LoggedTime, people: Mapping[int, Person], name: str | None) -> dict[str, Any]:
    person = people.get(entry.user_id or 0)
    return {
        "id": id_of(entry.id),
        "day": None if entry.day is None else entry.day.isoformat(),
        "user": None if person is None else person.username,
        "hours": entry.hours,
        "type": entry.type,
        "note": entry.note or None,
        "item": id_of(entry.item_id),
        "name": name,
        "unsent": entry.pending,
    }


def criteria_text(criteria: Sequence[Criterion]) -> str:
    """Return criteria as a file has them, one a line."""
    return "\n".join(f"[{MARKS.get(each.status, ' ')}] {' '.join(each.title.split())}" for each in criteria)
