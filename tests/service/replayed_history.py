"""The items, comments and nodes that the changes of a workspace give, replayed from nothing."""

import zlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import orjson
from sqlalchemy import Connection, select

from backlit.model.dates import write_datetime
from backlit.model.resources import Area, Comment, Iteration
from backlit.service.admin.workspace import ADMINISTRATOR
from backlit.service.storage.database import engine_at
from backlit.service.storage.schema import areas, change_texts, changes, comments, iterations, users, work_items
from backlit.service.tables.changes import TEXT_REFERENCE, ChangeAct, ChangeCause, ChangeKind

Documents = dict[tuple[str, int], dict[str, Any]]
"""Documents without null values, by kind and id."""
_NODES = {ChangeKind.AREA: areas, ChangeKind.ITERATION: iterations}
_TOUCHING = (ChangeKind.RELATION, ChangeKind.LINK, ChangeKind.CRITERION, ChangeKind.TIME_ENTRY)
"""Kinds whose changes move the stamps of their items on."""
_KINDS = (ChangeKind.ITEM, ChangeKind.COMMENT, *_NODES, *_TOUCHING)
_BESIDE = frozenset({"splitFrom", "startedAt", "closedAt"})
"""What is no part of a document."""


def replayed(database: Path) -> Documents:
    """Return what all changes of a workspace give one after the other."""
    with _reading(database) as connection:
        names = {row.id: row.name for row in connection.execute(select(users.c.id, users.c.name))}
        kept = connection.execute(select(change_texts))
        texts = {row.digest.hex(): zlib.decompress(row.body).decode() for row in kept}
        found: Documents = {}
        for row in connection.execute(select(changes).where(changes.c.kind.in_(_KINDS)).order_by(changes.c.revision)):
            key = ChangeKind(row.kind).name, row.object_id
            if row.kind in _TOUCHING:
                by, at = names[row.user_id], write_datetime(row.at)
                found[ChangeKind.ITEM.name, row.item_id] |= {"lastModifiedBy": by, "lastModifiedAt": at}
                continue
            if row.act == ChangeAct.REMOVED:
                del found[key]
                continue
            fields = {name: _whole(pair, texts) for name, pair in orjson.loads(row.fields).items()}
            by, at = names.get(row.user_id, ADMINISTRATOR), write_datetime(row.at)
            if row.act == ChangeAct.CREATED:
                assert key not in found, f"{key} is created twice"
                about = {"workItemId": row.item_id} if row.kind == ChangeKind.COMMENT else {}
                found[key] = {"id": row.object_id, "projectId": row.project_id, **about}
                found[key] |= {"createdBy": by, "createdAt": at, "lastModifiedBy": by, "lastModifiedAt": at}
            _apply(found[key], fields, key)
            # An order of items is no edit, nor is a new number of a node that was not moved itself.
            is_order = set(fields) == {"BacklogPriority"} or row.cause == ChangeCause.RENUMBERED
            if row.act == ChangeAct.CHANGED and not is_order and set(fields) - _BESIDE:
                found[key] |= {"lastModifiedBy": by, "lastModifiedAt": at}
        return found


def _apply(document: dict[str, Any], fields: Mapping[str, tuple[Any, Any]], key: tuple[str, int]) -> None:
    for name, (old, new) in fields.items():
        if name in _BESIDE or name.startswith("capacities."):
            continue
        assert document.get(name) == old, f"{key}: {name} was {document.get(name)!r}, not {old!r}"
        if new is None:
            document.pop(name, None)
        else:
            document[name] = new


def _whole(value: Any, texts: Mapping[str, str]) -> Any:
    """Return a value with its long texts in place."""
    if isinstance(value, dict):
        if value.keys() == {TEXT_REFERENCE}:
            return texts[value[TEXT_REFERENCE]]
        return {key: _whole(each, texts) for key, each in value.items()}
    return [_whole(each, texts) for each in value] if isinstance(value, list) else value


def held(database: Path) -> Documents:
    """Return what the tables of a workspace hold."""
    found: Documents = {}
    with _reading(database) as connection:
        for document in map(orjson.loads, connection.execute(select(work_items.c.doc)).scalars()):
            found[ChangeKind.ITEM.name, document["id"]] = {**document, **document.pop("fields")}
        for row in connection.execute(select(comments)).mappings():
            found[ChangeKind.COMMENT.name, row["id"]] = Comment(**row).wire()
        for kind, model in ((ChangeKind.AREA, Area), (ChangeKind.ITERATION, Iteration)):
            for row in connection.execute(select(_NODES[kind])).mappings():
                found[kind.name, row["id"]] = orjson.loads(orjson.dumps(model(**row).wire()))
    return {
        key: {name: value for name, value in document.items() if value is not None and name != "fields"}
        for key, document in found.items()
    }


@contextmanager
def _reading(database: Path) -> Iterator[Connection]:
    engine = engine_at(f"sqlite:///{database}")
    try:
        with engine.connect() as connection:
            yield connection
    finally:
        engine.dispose()
