"""Work items as a file: of backlit's own, or as another tracker's import reads it."""

import argparse
from collections.abc import Mapping, Sequence
from functools import partial
from itertools import chain, zip_longest
from pathlib import Path
from typing import Any

from backlit.cli.commands.files import say_nothing
from backlit.cli.commands.items import TIME, read_times, with_parts, write_items
from backlit.cli.item_fields import ItemFields
from backlit.cli.item_parts import ItemParts, moment_text
from backlit.cli.listing import Column, chosen_columns, write_csv, write_rows
from backlit.cli.output import note, write_json
from backlit.cli.selection import listed_items
from backlit.cli.synced import synced_store
from backlit.config.atomic_files import writing_to
from backlit.model.errors import UsageFault
from backlit.model.fields import FIELDS, Kind
from backlit.model.plain import local_file_name, plain
from backlit.store.records.entry_values import id_of
from backlit.store.records.item import Item
from backlit.store.store import Store

EXPORTED = ("id", "type", "Name")
"""Fields that begin every exported row."""
EXPORTED_PARTS = ("feature", "blocked by", "related", "duplicates", "criteria", "links")
"""Columns that end every exported row, where an item has such parts; `blocks` says what `blocked by` says."""


def export_items(arguments: argparse.Namespace) -> None:
    """Write items as CSV, which `items import` reads, or in another format; by default every field that is used."""
    is_own_csv = not arguments.json and arguments.format in {None, "csv"}
    if arguments.tracker and not is_own_csv:
        raise UsageFault("--for has a format of its own. Leave out the other one.")
    if arguments.files and (arguments.tracker or not is_own_csv):
        raise UsageFault("--files goes with backlit's own CSV.")
    with synced_store(arguments, is_listing=not (arguments.files or TIME in arguments.parts)) as store:
        items = list(listed_items(store, arguments))
        read_times(arguments, store, items)
        if arguments.tracker:
            _FOR_TRACKER[arguments.tracker](arguments, store, items)
            return
        fields = ItemFields(store)
        names = tuple(each.strip() for each in (arguments.fields or "").split(",") if each.strip())
        arguments.columns = names or _used(store, items)
        if is_own_csv:
            arguments.format = "excel" if arguments.excel else "export"
        if not names and (arguments.json or arguments.format == "ndjson"):
            arguments.columns = ()
            arguments.parts = tuple(dict.fromkeys((*arguments.parts, *(["comments"] * arguments.comments))))
        columns = with_parts(arguments, fields, chosen_columns(arguments, fields.columns()))
        if is_own_csv and (arguments.all or arguments.comments or arguments.files):
            beside = [*map(partial(_beside, arguments, store), items)]
            more = [Column(name, name) for name in dict.fromkeys(name for row in beside for name in row)]
            rows = [{**row, **other} for row, other in zip(fields.rows(items, columns), beside, strict=True)]
            write_rows(arguments, [*columns, *more], rows)
        else:
            write_items(arguments, store, items, columns)


def _beside(arguments: argparse.Namespace, store: Store, item: Item) -> dict[str, object]:
    """Return what stands beside the fields: author, dates of the iteration, comments, and saved files."""
    found: dict[str, object] = {}
    if arguments.all:
        found |= {"createdAt": item.created_at, "createdBy": item.created_by}
        node_id = item.fields.get("IterationID")
        iteration = store.lookups.iterations().get(node_id) if isinstance(node_id, int) else None
        if iteration is not None:
            found |= {"iteration start": iteration.start, "iteration end": iteration.end}
    if arguments.all or arguments.comments:
        found |= {f"comment {number}": text for number, text in enumerate(_comments(store, item), 1)}
    if arguments.files:
        found["files"] = "\n".join(_saved_files(arguments, store, item)) or None
    return found


def _comments(store: Store, item: Item) -> list[str]:
    """Return comments as time;author;text, which imports read."""
    return [
        ";".join(
            (
                f"{store.local(each.created_at):%Y-%m-%d %H:%M}" if each.created_at else "",
                each.author.replace(";", ","),
                each.text,
            )
        )
        for each in store.comments.of_item(item.id)
    ]


def _saved_files(arguments: argparse.Namespace, store: Store, item: Item) -> list[str]:
    """Save the files of an item in a directory of its number; one that is there stays. Return their paths below."""
    folder = Path(arguments.files).expanduser() / str(id_of(item.id))
    saved = []
    for entry in store.attachments.of_item(item.id):
        name = local_file_name(entry.name)
        if (folder / name).exists():
            note(arguments, f"{plain(str(folder / name), 200)} is there already: left as it is.")
        else:
            with writing_to(folder):
                folder.mkdir(parents=True, exist_ok=True)
            name = store.run(store.transfers.download(entry.id, folder, say_nothing, name)).name
        saved.append(f"{folder.name}/{name}")
    return saved


# Other trackers


def _write_jira(arguments: argparse.Namespace, store: Store, items: Sequence[Item]) -> None:
    """Write the CSV of Jira's import: labels and comments in as many columns of one name as an item has most of."""
    rows = _plain_rows(store, items)
    headings = {
        "id": "Issue id", "ParentID": "Parent id", "type": "Issue Type", "name": "Summary", "status": "Status",
        "owner": "Assignee", "by": "Reporter", "created": "Created", "est": "Custom field (Story Points)",
        "iter": "Sprint", "area": "Component", "Description": "Description",
    }  # fmt: skip
    tags = [_tags(item) for item in items]
    comments = [_comments(store, item) if arguments.comments else [] for item in items]
    many = [("Labels", list(zip_longest(*tags, fillvalue=""))), ("Comment", list(zip_longest(*comments, fillvalue="")))]
    repeated = list(chain.from_iterable((heading for _ in columns) for heading, columns in many))
    lines = [[str(row.get(key) or "") for key in headings] for row in rows]
    for _, columns in many:
        for column in columns:
            for line, cell in zip(lines, column, strict=True):
                line.append(cell)
    write_csv([Column(each, each) for each in (*headings.values(), *repeated)], lines)


def _write_github(arguments: argparse.Namespace, store: Store, items: Sequence[Item]) -> None:
    """Write what `gh issue list --json` writes; the type of an item is a label."""
    is_open = store.lookups.status_groups().is_open
    write_json(
        [
            {
                "number": row["id"],
                "title": row["name"],
                "body": row["Description"] or "",
                "state": "OPEN" if is_open(item.status or None) else "CLOSED",
                "labels": [{"name": each} for each in (item.type.lower(), *_tags(item))],
                "assignees": [{"login": row["owner"]}] if row["owner"] else [],
                "author": {"login": row["by"]},
                "milestone": {"title": row["iter"]} if row["iter"] else None,
                "createdAt": row["created"],
                **({"comments": _github_comments(store, item)} if arguments.comments else {}),
            }
            for row, item in zip(_plain_rows(store, items), items, strict=True)
        ]
    )


def _github_comments(store: Store, item: Item) -> list[dict[str, Any]]:
    return [
        {
            "author": {"login": each.author},
            "body": each.text,
            "createdAt": moment_text(each.created_at),
        }
        for each in store.comments.of_item(item.id)
    ]


def _plain_rows(store: Store, items: Sequence[Item]) -> list[Mapping[str, object]]:
    """Return the values that other trackers have too; of places below the root the last name, and times as ISO."""
    names = ("id", "type", "name", "status", "owner", "by", "created", "est", "iter", "area")
    rows = ItemFields(store).rows(items, [Column(name, name) for name in names])
    return [
        {
            **row,
            "created": moment_text(item.created_at),
            **{key: _last_name(str(row[key] or "")) for key in ("iter", "area")},
            **{key: item.fields.get(key) for key in ("ParentID", "Description")},
        }
        for row, item in zip(rows, items, strict=True)
    ]


def _last_name(path: str) -> str:
    above, _, name = path.rpartition("\\")
    return name if above else ""


def _tags(item: Item) -> list[str]:
    tags = item.fields.get("Tags")
    return [str(each) for each in tags] if isinstance(tags, list | tuple) else []


_FOR_TRACKER = {"jira": _write_jira, "github": _write_github}


def _used(store: Store, items: Sequence[Item]) -> tuple[str, ...]:
    """Return the columns of the fields that some item has, by the keys that the import reads."""
    own = {key for item in items for key, value in item.fields.items() if value not in (None, "", [])}
    names = {"AssignedToID": "owner", "IterationID": "iter", "AreaID": "area", "TeamID": "team", "Estimate": "est"}
    every = [field.key for field in (*FIELDS, *store.lookups.custom_fields()) if field.kind is not Kind.COMPUTED]
    rest = [names.get(key, key) for key in every if key in own and key not in EXPORTED]
    parts = ItemParts(store, items)
    beside = [name for name in EXPORTED_PARTS if any(parts.cell(item, name) for item in items)]
    return (*EXPORTED, *rest, *beside)
