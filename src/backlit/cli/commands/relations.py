"""Relations between items, and the Feature that items belong to."""

import argparse
from collections.abc import Awaitable, Callable, Mapping, Sequence

from msgspec.structs import replace

from backlit.cli.changes import (
    ChangeState,
    FieldChangeRow,
    ThingChange,
    carry_out,
    confirm_count,
    refused,
    write_report,
)
from backlit.cli.selection import item_named, item_numbered, selected_items
from backlit.cli.synced import synced_store
from backlit.model.errors import BadRequest, NotFound, UsageFault
from backlit.model.relations import INVERSES, RELATION_OPTIONS, RelationType
from backlit.store.edits.relations import NO_RELATIONS
from backlit.store.object_changes.kinds import object_change
from backlit.store.records.entry import OutboxEntry
from backlit.store.records.entry_values import id_of
from backlit.store.records.item import Item
from backlit.store.store import Store

_CHILD = INVERSES[RelationType.PARENT]
_NONE = "none"


def relate_items(arguments: argparse.Namespace) -> int:
    """Relate an item to others: ID TYPE OTHER is a sentence. Another Feature takes the place of the one before."""
    word = RELATION_OPTIONS[arguments.type]
    with synced_store(arguments, is_writing=True) as store:
        item, others = _ends(store, arguments)
        if word == RelationType.PARENT and len(others) > 1:
            raise UsageFault("An item has one Feature. Name one.")
        related = {(each.word, each.other_id) for each in store.relations.of_item(item.id)}
        things: dict[ThingChange, Item] = {}
        for other in others:
            thing = ThingChange(item.id, id_of(item.id), (FieldChangeRow(word, "", _named(other)),), name=item.name)
            if (word, other.id) in related:
                thing = replace(thing, state=ChangeState.UNCHANGED)
            elif fault := store.relation_edits.fault(item.id, word, other.id):
                thing = refused(thing, BadRequest(fault))
            things[thing] = other

        async def act(planned: Sequence[ThingChange]) -> None:
            wanted = [things[thing].id for thing in planned]
            if word == RelationType.PARENT:
                await store.relation_edits.set_parent([item.id], wanted[0])
            elif word == _CHILD:
                await store.relation_edits.set_parent(wanted, item.id)
            else:
                await store.relation_edits.relate([item.id], word, wanted)

        return _carried_out(arguments, store, things, act)


def unrelate_items(arguments: argparse.Namespace) -> int:
    """Take relations away; raise NotFound for one that is not there."""
    word = RELATION_OPTIONS[arguments.type]
    with synced_store(arguments, is_writing=True) as store:
        item, others = _ends(store, arguments)
        related = {(each.word, each.other_id): each.id for each in store.relations.of_item(item.id)}
        things: dict[ThingChange, Item] = {}
        for other in others:
            if (word, other.id) not in related:
                raise NotFound(f"Item {id_of(item.id)} has no relation “{arguments.type}” to {id_of(other.id)}.")
            row = FieldChangeRow(word, _named(other), "")
            things[ThingChange(item.id, id_of(item.id), (row,), name=item.name)] = other
        ids = [related[word, other.id] for other in others]
        return _carried_out(arguments, store, things, lambda _: store.relation_edits.unrelate(ids))


def change_feature(arguments: argparse.Namespace) -> int:
    """Put items below a Feature, which is the last word: a number, a part of its name, or none."""
    if not arguments.words:
        raise UsageFault("Say which Feature, such as: backlit items feature 12 44")
    *words, text = arguments.words
    with synced_store(arguments, is_writing=True) as store:
        need_relations(store)
        feature = None if text.lower() == _NONE else item_named(store, text)
        items = selected_items(store, words, arguments)
        parents = store.relations.parents(item.id for item in items)
        things = [_moved(store, item, parents.get(item.id), feature) for item in items]
        confirm_count(arguments, sum(thing.state is ChangeState.PLANNED for thing in things), "Change")
        target = None if feature is None else feature.id
        report = carry_out(
            arguments,
            store,
            things,
            lambda planned: store.relation_edits.set_parent([thing.id for thing in planned], target),
        )
        return write_report(arguments, report, store)


def need_relations(store: Store) -> None:
    """Raise BadRequest without relations at the server, Forbidden for a reader."""
    if not store.lookups.announces("relations"):
        raise BadRequest(NO_RELATIONS)
    store.lookups.need_writer()


def _ends(store: Store, arguments: argparse.Namespace) -> tuple[Item, list[Item]]:
    need_relations(store)
    others = {other.id: other for other in (item_numbered(store, each) for each in arguments.others)}
    return item_numbered(store, arguments.id), list(others.values())


def _carried_out(
    arguments: argparse.Namespace,
    store: Store,
    things: Mapping[ThingChange, Item],
    act: Callable[[Sequence[ThingChange]], Awaitable[object]],
) -> int:
    """Change relations to other items, a row each, and return the exit code."""
    real_id = store.files.journal.real_id

    def is_of(thing: ThingChange, entry: OutboxEntry) -> bool:
        change = object_change(entry)
        return change is not None and {real_id(thing.id), real_id(things[thing].id)} == {*map(real_id, change.items)}

    confirm_count(arguments, len(things), "Relate" if arguments.is_new else "Unrelate")
    report = carry_out(arguments, store, list(things), act, finds=is_of, is_deletion=not arguments.is_new)
    return write_report(arguments, report, store)


def _moved(store: Store, item: Item, before: int | None, feature: Item | None) -> ThingChange:
    above = None if before is None else store.item(before)
    row = FieldChangeRow("Feature", "" if above is None else _named(above), "" if feature is None else _named(feature))
    thing = ThingChange(item.id, id_of(item.id), (row,), name=item.name)
    if before == (None if feature is None else feature.id):
        return replace(thing, state=ChangeState.UNCHANGED)
    fault = "" if feature is None else store.relation_edits.fault(item.id, RelationType.PARENT, feature.id)
    return refused(thing, BadRequest(fault)) if fault else thing


def _named(item: Item) -> str:
    number = f"#{item.id}" if item.id > 0 else id_of(item.id)
    return f"{number} {item.name}"
