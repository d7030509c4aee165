"""Relations, criteria and links in backlit's own files: what a row says of them, as cells or as JSON."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence

from msgspec import Struct

from backlit.imports.criteria import criteria_of_text, new_criterion
from backlit.imports.plan import ImportPlan
from backlit.imports.relations import RelationPlanning
from backlit.model.errors import BadRequest
from backlit.model.fields import ItemType
from backlit.model.relations import INVERSES, RELATION_WORDS, RelationType
from backlit.model.resources import CriterionStatus
from backlit.store.edits.imports import ImportedObject
from backlit.store.records.entry import EntryKind
from backlit.store.records.entry_values import NEW, TEMPORARY_IDS
from backlit.store.store import Store

RELATION_HEADINGS: Mapping[str, str] = {
    "feature": RelationType.PARENT.value,
    "blocks": RelationType.BLOCKS.value,
    "blocked by": INVERSES[RelationType.BLOCKS],
    "related": RelationType.RELATED.value,
    "duplicates": RelationType.DUPLICATES.value,
    "duplicated by": INVERSES[RelationType.DUPLICATES],
}
"""The headings of other items, with the type of the relation from the side of the row."""
RELATIONS, CRITERIA, LINKS = "relations", "criteria", "links"
PART_HEADINGS = frozenset({*RELATION_HEADINGS, RELATIONS, CRITERIA, LINKS})
ROW_ABOVE = "^"
_NUMBER = re.compile(rf"#?([0-9]{{1,18}})|{NEW}([0-9]{{1,15}})")


def part_heading(name: str) -> str:
    """Return the heading of PART_HEADINGS that a name stands for, empty for another one."""
    word = name.casefold().replace("-", " ").strip()
    return word if word in PART_HEADINGS else ""


class RowParts(Struct, frozen=True):
    """What a row says: types of relations with the other items as written, criteria with their states, and links."""

    relations: Sequence[tuple[str, str, str]] = ()
    """Heading, type and other item."""
    criteria: Sequence[tuple[str, CriterionStatus]] = ()
    links: Sequence[tuple[str, str]] = ()
    """Address and name."""


def parts_of_cells(cells: Mapping[str, str]) -> RowParts:
    relations = [
        (heading, RELATION_HEADINGS[heading], other)
        for heading, cell in cells.items()
        if heading in RELATION_HEADINGS
        for other in _parted(cell)
    ]
    criteria = criteria_of_text(cells.get(CRITERIA, ""))
    links = [line.split(maxsplit=1) for line in cells.get(LINKS, "").splitlines() if line.strip()]
    return RowParts(relations, criteria, [(url, " ".join(rest) or url) for url, *rest in links])


def parts_of_json(values: Mapping[str, object]) -> RowParts:
    """Return what the keys `relations`, `criteria` and `links` of `items list --json --with` say."""
    relations = [(RELATIONS, str(each.get("type")), str(each.get("item"))) for each in _objects(values.get(RELATIONS))]
    known = {status.value: status for status in CriterionStatus}
    criteria = [
        (str(each.get("title") or ""), known.get(str(each.get("status")), CriterionStatus.NOT_EXECUTED))
        for each in _objects(values.get(CRITERIA))
    ]
    links = [(str(each.get("url") or ""), str(each.get("text") or "")) for each in _objects(values.get(LINKS))]
    return RowParts(relations, criteria, links)


def _parted(cell: str) -> Iterator[str]:
    """Yield the items of a cell, which commas separate; a name with a comma stands in quotation marks."""
    for quoted, plain in re.findall(r'"([^"]+)"|([^,]+)', cell):
        if name := (quoted or plain).strip():
            yield name


def _objects(value: object) -> list[dict[str, object]]:
    return [each for each in value if isinstance(each, dict)] if isinstance(value, list) else []


class OwnParts:
    """Compares the parts of rows with the project. Rows may name rows further down: relations come last."""

    def __init__(self, store: Store, plan: ImportPlan) -> None:
        self._store = store
        self._relations = RelationPlanning(store, plan)
        self._ids: list[int] = []
        """The item of each row so far."""
        self._by_name: dict[str, list[int]] = {}

    def offers(self, heading: str) -> bool:
        """Report whether the server has what a heading says."""
        extension = {CRITERIA: "acceptanceCriteria", LINKS: "links"}.get(heading, "relations")
        return self._store.lookups.announces(extension)

    def objects(self, item_type: str, item_id: int | None, parts: RowParts) -> tuple[ImportedObject, ...]:
        """Return the criteria and links that an item lacks, and the criteria with another state. Raises BadRequest."""
        store, errors = self._store, dict[str, str]()
        if item_type == ItemType.TASK and parts.criteria:
            raise BadRequest("a Task has no criteria.", {CRITERIA: "a Task has no criteria."})
        there = {} if item_id is None else {each.title: each for each in store.criteria.of_item(item_id)}
        found = []
        for title, status in dict(parts.criteria).items():
            known = there.get(title)
            if known is None:
                found.append(new_criterion(title, status))
            elif known.status != status:
                found.append(ImportedObject(EntryKind.EDIT_CRITERION, {"status": status.value}, known.id))
        urls = set() if item_id is None else {each.url for each in store.links.of_item(item_id)}
        found += [
            ImportedObject(EntryKind.ADD_LINK, {"displayText": text or url, "url": url})
            for url, text in dict(parts.links).items()
            if url not in urls
        ]
        for each in found:
            edits = store.link_edits if each.kind is EntryKind.ADD_LINK else store.criterion_edits
            try:
                edits.checked(each.values)
            except BadRequest as error:
                errors[LINKS if each.kind is EntryKind.ADD_LINK else CRITERIA] = error.message
        if errors:
            raise BadRequest(" ".join(errors.values()), errors)
        return tuple(found)

    def new_item(self, item_type: str, name: str) -> int:
        """Return the id of the file of a row's new item."""
        file_id = self._relations.new_item(item_type, name)
        self.existing_item(file_id, name)
        return file_id

    def existing_item(self, item_id: int, name: str) -> None:
        """Note the item of a row."""
        self._ids.append(item_id)
        self._by_name.setdefault(name, []).append(item_id)

    def faulty_row(self) -> None:
        """Note a row that is no item, so that the row below it does not name another one by `^`."""
        self._ids.append(0)

    def relate(self, row: int, parts: RowParts) -> Iterator[tuple[str, str, str]]:
        """Plan the relations of a row by its number; yield heading, text and sentence of each that does not fit."""
        for heading, word, text in parts.relations:
            fault = ""
            try:
                if word not in RELATION_WORDS:
                    fault = f"{word[:40]!r} is no relation; there are: {', '.join(RELATION_WORDS)}."
                else:
                    fault = self._relations.add(self._ids[row], word, self._item(text, row))
            except BadRequest as error:
                fault = error.message
            if fault:
                yield heading, text, fault

    def _item(self, text: str, row: int) -> int:
        """Return the item of a number, of an exact name, or of the row above. Raises BadRequest."""
        if text == ROW_ABOVE:
            if not row or not self._ids[row - 1]:
                raise BadRequest(f"there is no item above for {ROW_ABOVE}.")
            return self._ids[row - 1]
        if number := _NUMBER.fullmatch(text):
            item_id = int(number[1]) if number[1] else TEMPORARY_IDS + int(number[2])
            item = self._store.item(item_id)
            if item is None:
                raise BadRequest(f"there is no item {text[:24]} here.")
            return item.id
        return _only(text, self._by_name.get(text, ()) or [each for each, _ in self._named_here(text)])

    def _named_here(self, name: str) -> Iterable[tuple[int, str]]:
        return [each for each in self._store.lookups.items_named(name) if each[1] == name]


def _only(name: str, item_ids: Sequence[int]) -> int:
    if len(item_ids) == 1:
        return item_ids[0]
    several = f"{len(item_ids)} items are named {name[:60]!r}; write the number of one."
    raise BadRequest(several if item_ids else f"no item is named {name[:60]!r}.")
