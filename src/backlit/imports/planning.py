"""Drafts compared with the project: what is new, what changed in the file, and what both sides changed."""

from collections.abc import Mapping, Sequence
from functools import cached_property

from msgspec import Struct
from msgspec.structs import replace

from backlit.imports.draft_relations import REMEMBERED, DraftRelations, word_of
from backlit.imports.drafts.draft import Draft, Drafts
from backlit.imports.faults import Remark
from backlit.imports.hierarchy import Hierarchy, PlacedDraft, title_of
from backlit.imports.origin import FROM, Origin, key_in, with_origin, without_origin
from backlit.imports.people import PeopleMatching
from backlit.imports.places import PLACES, PlacePlanning, chosen_iteration
from backlit.imports.plan import ImportPlan
from backlit.imports.values import NO_PRIORITY, PRIORITIZED_TYPES, DraftValues
from backlit.imports.words.tables import folded
from backlit.model.amounts import counted
from backlit.model.errors import BadRequest
from backlit.model.fields import FIELD_BY_KEY, ItemType
from backlit.model.import_mappings import ImportMapping
from backlit.model.relations import RelationType
from backlit.store.edits.imports import ImportedChange, ImportedValues, NewItem
from backlit.store.journal.imported import ImportedItem
from backlit.store.records.item import Item
from backlit.store.records.merge import is_same
from backlit.store.store import Store


def planned(store: Store, drafts: Drafts, mapping: ImportMapping, *, overwrite: bool = False) -> ImportPlan:
    """Compare the items of a file with the project. Nothing is written."""
    return _Planning(store, drafts, mapping, overwrite=overwrite).run()


class _ReadValues(Struct, frozen=True):
    """The values of a draft as they would be written."""

    fields: Mapping[str, object]
    places: Mapping[str, str]
    body: str
    origin: Origin
    comments: Sequence[str]
    identity: ImportedValues


class _Planning:
    def __init__(self, store: Store, drafts: Drafts, mapping: ImportMapping, *, overwrite: bool) -> None:
        self._store, self._drafts, self._overwrite = store, drafts, overwrite
        self._plan = ImportPlan(drafts.source, drafts.label)
        self._people = PeopleMatching(store.imports.people(), drafts.people, mapping.people)
        self._hierarchy = Hierarchy(drafts, mapping, self._plan)
        self._places = PlacePlanning(store, self._plan, mapping, has_foreign_root=drafts.format in {"azure", "backlit"})
        self._values = DraftValues(store, drafts, mapping, self._people, self._plan)
        self._related = DraftRelations(
            store,
            self._plan,
            self._hierarchy,
            self._existing_item,
            has_epic_tags=drafts.format == "pivotal",
            overwrite=overwrite,
            is_under_way=store.imports.begun(drafts.source) is not None,
        )

    def run(self) -> ImportPlan:
        plan = self._plan
        self._check_mapping()
        placed = self._hierarchy.place(self._existing_parent)
        self._find_existing(placed)
        self._related.plan_all(placed, self._remembered_relations)
        tasks: dict[int, list[tuple[PlacedDraft, NewItem]]] = {}
        made: list[tuple[PlacedDraft, NewItem]] = []
        for each in placed:
            item = self._planned(each)
            if item is None:
                continue
            owner = each.owner_of_task if each.type == ItemType.TASK else None
            if owner is not None and owner.existing is None:
                tasks.setdefault(id(owner), []).append((each, item))
            else:
                made.append((each, item))
        plan.items = [replace(item, tasks=[task for _, task in tasks.get(id(each), ())]) for each, item in made]
        for number, (each, _) in enumerate(made):
            self._note_place(each, (number, None))
            for index, (task, _) in enumerate(tasks.get(id(each), ())):
                self._note_place(task, (number, index))
        plan.places = self._places.made()
        plan.left_out = self._drafts.left_out
        plan.warnings += [Remark(each.line, each.sentence) for each in self._drafts.warnings]
        plan.notes += [
            f"Left out: {counted(count, noun)}, which {'is' if count == 1 else 'are'} no issue{'s' * (count != 1)}"
            for noun, count in self._drafts.skipped.items()
        ]
        return plan

    def _note_place(self, each: PlacedDraft, place: tuple[int, int | None]) -> None:
        if (file_id := self._related.file_id(each)) is not None:
            self._plan.places_of_new[file_id] = place

    # What is there already

    def _remembered_relations(self, draft: Draft) -> Sequence[str] | None:
        known = self._known.get(draft.key) if draft.key else None
        found = known.values.get(REMEMBERED) if known is not None else None
        return [str(each) for each in found] if isinstance(found, list) else None

    def _existing_item(self, key: str) -> int | None:
        known = self._known.get(key)
        item = self._store.item(known.item_id) if known else None
        found = item or next((item for item, of in self._described if of == key), None)
        return None if found is None else found.id

    def _existing_parent(self, key: str) -> int | None:
        item_id = self._existing_item(key)
        item = None if item_id is None else self._store.item(item_id)
        return None if item is None or item.type == ItemType.TASK else item.id

    @cached_property
    def _known(self) -> Mapping[str, ImportedItem]:
        return self._store.imports.known(self._plan.source)

    @cached_property
    def _described(self) -> Sequence[tuple[Item, str]]:
        """The project's items whose origin block names the source, with their keys."""
        items = self._store.batch.items(self._store.imports.described_with(f"{FROM}{self._plan.source}"))
        keys = ((item, key_in(str(item.fields.get("Description") or ""), self._plan.source)) for item in items)
        return [(item, key) for item, key in keys if key is not None]

    @cached_property
    def _texts(self) -> Mapping[int, set[str]]:
        """The comments of the items that are there, with their blanks folded, by item."""
        return self._store.imports.comments_of([item.id for item, _ in self._described])

    def _find_existing(self, placed: Sequence[PlacedDraft]) -> None:
        by_key: dict[str, list[Item]] = {}
        nameless: dict[tuple[str, str], list[Item]] = {}
        for item, key in self._described:
            by_key.setdefault(key, []).append(item)
            if not key:
                nameless.setdefault((item.type, folded(str(item.fields.get("Name") or ""))), []).append(item)
        for each in placed:
            key = each.draft.key
            found = by_key.get(key, []) if key else nameless.get((each.type, folded(title_of(each.draft))), [])
            if any(item.id > 0 for item in found):
                # One that waits to be looked for on the service may be the one that has arrived since.
                found = [item for item in found if item.id > 0]
            if key and len(found) > 1:
                numbers = " and ".join(f"#{item.id}" for item in found[:3])
                self._plan.fault(
                    each.draft, f"{numbers} both have the key {key}: delete one, or its origin block", "key"
                )
            if not key and each.parent is not None:
                found = [item for item in found if self._is_below(item, each)] or found
            known = self._known.get(key) if key else None
            each.existing = found.pop(0) if found else (self._store.item(known.item_id) if known else None)
        self._plan.existing = [each.existing.id for each in placed if each.existing is not None]

    def _is_below(self, item: Item, each: PlacedDraft) -> bool:
        parent = each.parent.existing if each.parent else None
        return parent is not None and item.fields.get("ParentID") == parent.id

    # New items

    def _planned(self, each: PlacedDraft) -> NewItem | None:
        """Return a new item; None for one that is there, whose change is noted, or that cannot be imported."""
        draft, plan = each.draft, self._plan
        title = title_of(draft)
        if not title:
            self._plan.fault(draft, "The row has no title", "title")
            return None
        fields = self._values.fields(each, title)
        places = self._places.paths_of(draft)
        body = self._values.body(draft, each.type, title)
        origin = self._origin(each)
        comments = [*self._values.comments(draft)]
        remembered: dict[str, object] = {
            **fields,
            **{f"path:{key}": path for key, path in places.items()},
            "body": body,
        }
        remembered["comments"] = len(comments)
        if related := self._related.remembered(each):
            remembered[REMEMBERED] = related
        identity = ImportedValues(draft.key or self._nameless_key(each), remembered)
        fields["Description"] = with_origin(body, origin)
        known = self._known.get(identity.key)
        plan.files += len(draft.files)
        if each.existing is not None:
            self._change(each.existing, each, _ReadValues(fields, places, body, origin, comments, identity))
            return None
        if known is not None and self._store.item(known.item_id) is None:
            plan.deleted_here += 1
            return None
        if each.type == ItemType.TASK:
            owner = each.owner_of_task
            parent_id = each.known_parent or (owner.existing.id if owner and owner.existing else None)
            fields |= {"ParentID": parent_id} if parent_id else {}
        self._check(draft, each.type, fields)
        for text in comments:
            try:
                self._store.imports.check_comment(text)
            except BadRequest as error:
                self._plan.fault(draft, error.message, "comment")
        plan.comments += len(comments)
        is_open = self._store.lookups.status_groups().is_open(str(fields.get("Status") or ""))
        self._places.need(draft, places, is_open=is_open)
        criteria = self._values.criteria_of(draft, each.type)
        return NewItem(each.type, fields, places, comments, (), identity, criteria)

    def _nameless_key(self, each: PlacedDraft) -> str:
        above = title_of(each.parent.draft) if each.parent else ""
        return f"\0{each.type}\0{above}\0{title_of(each.draft)}"

    def _check(self, draft: Draft, item_type: str, fields: Mapping[str, object]) -> None:
        try:
            self._store.imports.checked(item_type, fields, is_new=True)
        except BadRequest as error:
            for key, sentence in error.errors.items():
                self._plan.fault(draft, sentence, key, str(fields.get(key)))

    def _check_mapping(self) -> None:
        for user in self._people.unknown_users():
            self._plan.faults.append(Remark(1, f"The mapping names the user {user!r}, who is not here"))

    def _origin(self, each: PlacedDraft) -> Origin:
        draft, item_type = each.draft, each.type
        when = f"Created {draft.created.shown}" if draft.created else ""
        author = self._people.shown([draft.author]) if draft.author else ""
        first = [f"{when} by {author}" if when and author else when or (f"Created by {author}" if author else "")]
        unknown = [self._people.shown(names) for names in draft.owners[:1] if self._people.find(names) is None]
        first += [f"Owner: {name}" for name in unknown]
        others = [self._people.shown(names) for names in draft.owners[1:]]
        first += [f"Other owners: {', '.join(others)}"] if others else []
        first += [f"Due {draft.due.shown}"] if draft.due and not self._values.due_of(draft, item_type) else []
        earlier = [span.path for span in draft.iterations if span is not chosen_iteration(draft)]
        first += [f"Earlier iterations: {', '.join(dict.fromkeys(earlier))}"] if earlier else []
        if item_type == ItemType.TASK:
            first += [f"Tags: {', '.join(draft.tags)}"] if draft.tags else []
            first += [f"Points: {draft.points}"] if draft.points else []
        else:
            hours = (("Remaining", draft.hours_left), ("Completed", draft.hours_done))
            first += [f"{label}: {value:g} h" for label, value in hours if value]
        if draft.priority and item_type not in PRIORITIZED_TYPES and folded(draft.priority) not in NO_PRIORITY:
            first.append(f"Priority: {draft.priority}")
        second = []
        for text in self._related.features(each):
            if not self._related.has(each, RelationType.PARENT, text):
                named = self._hierarchy.named(text)
                label = "Parent" if text == each.lost_parent else "Feature"
                second.append(f"{label}: {self._hierarchy.called(named) if named else text}")
        for link in draft.links:
            if self._related.has(each, word_of(link), link.target):
                continue
            named = self._hierarchy.named(link.target)
            second.append(f"{link.kind}: {self._hierarchy.called(named) if named else link.target}")
        second += [f"File: {' '.join(filter(None, (file.name, file.url)))}" for file in draft.files]
        lines = [[part for part in first if part], second]
        return Origin(self._plan.source, draft.key, draft.url, lines)

    # Changes of items that are there

    def _change(self, item: Item, each: PlacedDraft, read: _ReadValues) -> None:
        """Note what the file changes in an item that is there; what was edited here since is only told."""
        draft, plan = each.draft, self._plan
        known = self._known.get(read.identity.key)
        base = known.values if known is not None else None
        now = str(item.fields.get("Description") or "")
        wanted, kept = self._compared(item, read, base)
        if item.type != each.type:
            plan.to_check.append(f"#{item.id} is a {item.type} here and a {each.type} in the file")
        changed = {
            key: value
            for key, value in wanted.items()
            if not key.startswith("path:") and key != "body" and _applies(key, item.type)
        }
        moved = {key.removeprefix("path:"): str(value) for key, value in wanted.items() if key.startswith("path:")}
        self._places.need(draft, moved)
        text = with_origin(read.body if "body" in wanted else without_origin(now), read.origin)
        if text != now.replace("\r\n", "\n").strip():
            changed["Description"] = text
        comments = self._new_comments(item, read, has_base=base is not None)
        there = {criterion.title for criterion in self._store.criteria.of_item(item.id)}
        criteria = [one for one in self._values.criteria_of(draft, item.type) if one.values["title"] not in there]
        is_related_anew = self._related.remembered(each) != list((base or {}).get(REMEMBERED) or ())  # type: ignore[call-overload]
        if not (changed or moved or comments or criteria or is_related_anew):
            plan.unchanged += 1
            return
        try:
            self._store.imports.checked(item.type, changed, is_new=False)
        except BadRequest as error:
            for key, sentence in error.errors.items():
                self._plan.fault(draft, sentence, key)
            return
        plan.comments += len(comments)
        # A value that is to check is still to check next time.
        values = {**read.identity.values, **{key: (base or {}).get(key) for key in kept}}
        identity = ImportedValues(read.identity.key, values)
        plan.changes.append(ImportedChange(item.id, changed, moved, comments, identity, criteria))

    def _compared(
        self, item: Item, read: _ReadValues, base: Mapping[str, object] | None
    ) -> tuple[dict[str, object], list[str]]:
        """Return the file's values to write, and the keys of those that changed on both sides.

        `base` has the values of the last import; without it every difference is to check.
        """
        current: dict[str, object] = {
            **item.fields,
            "body": without_origin(str(item.fields.get("Description") or "")),
            **{f"path:{key}": self._places.current(key, item.fields.get(key)) for key in PLACES},
        }
        values: dict[str, object] = {key: value for key, value in read.fields.items() if key != "Description"}
        values |= {f"path:{key}": path for key, path in read.places.items()} | {"body": read.body}
        for key in base or ():
            if key not in values and key not in {"comments", "Status", REMEMBERED}:
                values[key] = "" if key.startswith("path:") else None
        wanted: dict[str, object] = {}
        kept: list[str] = []
        for key, value in values.items():
            was = (base or {}).get(key)
            is_here_alone = base is not None and _means_same(key, value, was)
            if is_here_alone or _means_same(key, value, current.get(key)):
                continue
            if self._overwrite or (base is not None and _means_same(key, was, current.get(key))):
                wanted[key] = value
            else:
                kept.append(key)
                label = key.removeprefix("path:").removesuffix("ID")
                self._plan.to_check.append(f"#{item.id} {label}: here {current.get(key)!r}, in the file {value!r}")
        return wanted, kept

    def _new_comments(self, item: Item, read: _ReadValues, *, has_base: bool) -> Sequence[str]:
        there = self._texts.get(item.id, set())
        comments = [comment for comment in read.comments if " ".join(comment.split()) not in there]
        if has_base or there or self._overwrite or not comments:
            return comments
        words = counted(len(comments), "comment")
        self._plan.to_check.append(f"#{item.id}: {words} of the file may be missing here")
        return ()


def _applies(key: str, item_type: str) -> bool:
    field = FIELD_BY_KEY.get(key)
    return field is None or field.applies_to(item_type)


def _means_same(key: str, one: object, other: object) -> bool:
    if key == "Tags":
        return set(map(str, one or ())) == set(map(str, other or ()))  # type: ignore[call-overload]
    if key in {"body", "StepsToReproduce"}:
        return " ".join(str(one or "").split()) == " ".join(str(other or "").split())
    if key.startswith("path:"):
        return str(one or "").casefold() == str(other or "").casefold()
    return is_same(one, other)
