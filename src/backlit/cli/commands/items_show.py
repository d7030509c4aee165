"""Show one work item."""

import argparse

from backlit.cli.commands.item_document import document_of
from backlit.cli.json_output import write_json
from backlit.cli.synced import synced_store
from backlit.model.errors import NotFound
from backlit.model.fields import FIELD_BY_KEY
from backlit.model.plain import plain
from backlit.store.records.item import Item
from backlit.store.records.people import TreeKind
from backlit.store.store import Store

_TREE_BY_KEY = {"AreaID": TreeKind.AREAS, "IterationID": TreeKind.ITERATIONS}


def run(arguments: argparse.Namespace) -> None:
    """Print the set fields of the item, with names in place of known ids."""
    with synced_store(arguments) as store:
        item = store.item(arguments.id)
        if item is None:
            raise NotFound(f"Work item {arguments.id} does not exist here, or you have no access to it.")
        if arguments.json:
            write_json(document_of(item))
            return
        print(plain(f"#{item.id} {item.type}  {item.fields.get('Name') or ''}"))
        for line in _lines(store, item):
            print(line)


def _lines(store: Store, item: Item) -> list[str]:
    shown = {
        key: value
        for key, value in item.fields.items()
        if key != "Name" and value is not None and value not in ("", [])
    }
    labels = {key: FIELD_BY_KEY[key].label if key in FIELD_BY_KEY else key for key in shown}
    width = max(map(len, labels.values()), default=0)
    lines = [f"{plain(labels[key]):{width}}  {_said(store, key, value)}" for key, value in shown.items()]
    for comment in store.comments(item.id):
        when = comment.created_at.isoformat(" ", "minutes") if comment.created_at else "not sent yet"
        lines += ["", f"{plain(comment.author)}  {when}", _block(comment.text)]
    return lines


def _said(store: Store, key: str, value: object) -> str:
    if isinstance(value, int) and not isinstance(value, bool):
        value = _name_of(store, key, value) or value
    if isinstance(value, list):
        value = ", ".join(map(str, value))
    if isinstance(value, str) and "\n" in value:
        return "\n" + _block(value)
    return plain(str(value))


def _name_of(store: Store, key: str, identity: int) -> str | None:
    if kind := _TREE_BY_KEY.get(key):
        tree = store.lookups.tree(kind)
        return tree.path(identity) if identity in tree else None
    if key == "TeamID":
        return store.lookups.teams().get(identity)
    person = store.everybody.known().get(identity) if key == "AssignedToID" else None
    return person.display_name if person else None


def _block(text: str) -> str:
    return "\n".join("  " + plain(line) for line in text.splitlines())
