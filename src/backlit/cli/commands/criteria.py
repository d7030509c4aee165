"""Acceptance criteria of items."""

import argparse
from collections.abc import Sequence

from backlit.cli.changes import FieldChangeRow, carry_out_on_item, confirm_count
from backlit.cli.item_parts import criterion_document
from backlit.cli.listing import Column, chosen_columns, write_rows
from backlit.cli.selection import item_numbered
from backlit.cli.synced import read_input, synced_store
from backlit.cli.terminal_input import PIPE
from backlit.model.errors import BadRequest, NotFound, UsageFault
from backlit.model.resources import CriterionStatus
from backlit.store.records.entry_values import id_of
from backlit.store.records.item import Item
from backlit.store.store import Store
from backlit.store.views.objects import Criterion

_COLUMNS = (
    Column("n", "N", is_right=True),
    Column("status", "Status"),
    Column("title", "Criterion"),
    Column("id", "ID", is_usual=False),
    Column("description", "Description", is_usual=False),
    Column("by", "By", is_usual=False),
    Column("at", "When", is_usual=False),
)
_NOUN = "criterion"


def list_criteria(arguments: argparse.Namespace) -> None:
    columns = chosen_columns(arguments, _COLUMNS)
    with synced_store(arguments, is_listing=True) as store:
        item = item_numbered(store, arguments.id)
        criteria = store.criteria.of_item(item.id)
        documents = [criterion_document(each, place) for place, each in enumerate(criteria, 1)]
        rows = [
            {**document, "status": each.status_words, "by": each.changed_by or None, "at": each.changed_at}
            for each, document in zip(criteria, documents, strict=True)
        ]
        write_rows(arguments, columns, rows, documents, local=store.local, nothing="The item has no criteria.")


def add_criteria(arguments: argparse.Namespace) -> int:
    """Add a criterion for each text, or for each line of standard input."""
    texts = [text for text in arguments.texts if text != PIPE]
    if PIPE in arguments.texts or not arguments.texts:
        texts += [line.strip() for line in read_input(PIPE, "criteria").splitlines() if line.strip()]
    if not texts:
        raise UsageFault("Standard input has no criteria.")
    with synced_store(arguments, is_writing=True) as store:
        item = _item_with_criteria(store, arguments)
        for text in texts:
            store.criterion_edits.checked({"title": text})
        rows = [FieldChangeRow(_NOUN, "", text) for text in texts]
        return carry_out_on_item(arguments, store, item, rows, lambda: store.criterion_edits.add_all(item.id, texts))


def check_criteria(arguments: argparse.Namespace) -> int:
    """Mark criteria as passed, failed or not executed."""
    status = CriterionStatus.FAIL if arguments.fail else CriterionStatus.PASS
    status = CriterionStatus.NOT_EXECUTED if arguments.reset else status
    if bool(arguments.places) is arguments.all:
        raise UsageFault("Name criteria by their places, or all by --all.")
    with synced_store(arguments, is_writing=True) as store:
        item = _item_with_criteria(store, arguments)
        chosen = [each for each in _chosen(store, item, arguments.places) if each.status != status]
        ids = [each.id for each in chosen]
        rows = [FieldChangeRow(each.title, each.status_words, status.words) for each in chosen]
        return carry_out_on_item(
            arguments, store, item, rows, lambda: store.criterion_edits.edit(ids, {"status": status.value})
        )


def delete_criteria(arguments: argparse.Namespace) -> int:
    with synced_store(arguments, is_writing=True) as store:
        item = _item_with_criteria(store, arguments)
        chosen = _chosen(store, item, arguments.places)
        confirm_count(arguments, len(chosen), "Delete", noun=_NOUN)
        ids = [each.id for each in chosen]
        rows = [FieldChangeRow(_NOUN, each.title, "deleted") for each in chosen]
        return carry_out_on_item(
            arguments, store, item, rows, lambda: store.criterion_edits.delete(ids), is_deletion=True
        )


def _item_with_criteria(store: Store, arguments: argparse.Namespace) -> Item:
    if not store.lookups.announces("acceptanceCriteria"):
        raise BadRequest(store.criterion_edits.missing)
    return item_numbered(store, arguments.id)


def _chosen(store: Store, item: Item, places: Sequence[int]) -> list[Criterion]:
    """Return the criteria at some places of an item's list, all of them for none; raise NotFound."""
    criteria = store.criteria.of_item(item.id)
    for place in places:
        if place > len(criteria):
            number = id_of(item.id)
            raise NotFound(f"Item {number} has no criterion {place}. See: backlit criteria list {number}")
    return [criteria[place - 1] for place in dict.fromkeys(places)] if places else list(criteria)
