"""Pure: a change that can be made to any item, and what it comes to for some of them."""

from collections.abc import Callable, Iterable, Mapping, Sequence

from msgspec import Struct, field

from backlit.model.errors import BadRequest
from backlit.model.fields import FIELD_BY_KEY, VIRTUAL_BY_KEY, Field, ItemType
from backlit.store.edits.checks import ON_EDIT, check
from backlit.store.records.entry import EntryCause
from backlit.store.records.item import Item, counted_types, is_seen_by_customers
from backlit.store.records.merge import is_same
from backlit.store.views.lookups import Lookups

Changes = Mapping[str, object]
MAX_CHANGE_WORDS = 28
"""Characters of a change in a footer of 40 cells, or of one or of a reason in a question for several items."""


class DoesNotApply(Exception):
    """An act that makes no sense for an item; the text is the sentence that says why."""


class FieldEdit(Struct, frozen=True):
    """A change of items: `changes` returns an item's new values, and raises DoesNotApply where there are none.

    It is kept to be repeated, so it holds no item.
    """

    label: str
    keys: tuple[str, ...]
    changes: Callable[[Item], Changes]
    is_repeatable: bool = True
    cause: EntryCause = EntryCause.ASKED

    def bulk_change(self, items: Sequence[Item], lookups: Lookups) -> "BulkChange":
        """Return the effect, without values that the field table or the project forbid, with the reasons."""
        lookups.need_writer()
        plan = BulkChange(self, len(items), tasks=sum(each.type == ItemType.TASK for each in items))
        for item in items:
            try:
                changes = self._allowed_changes(item, lookups)
            except DoesNotApply as reason:
                plan.left_out.setdefault(str(reason), []).append(item)
                continue
            except BadRequest as refusal:
                words = str(refusal)
                sentence = f"{_article(item.type)} {item.type.lower()}'s {words[:1].lower()}{words[1:]}"
                plan.left_out.setdefault(sentence, []).append(item)
                continue
            if changes:
                plan.items[item.id], plan.changes[item.id] = item, changes
            else:
                plan.already.append(item)
        return plan

    def _allowed_changes(self, item: Item, lookups: Lookups) -> Changes:
        for key in self.keys:
            require_field(key, item, lookups)
        wanted = self.changes(item)
        changed = {key: value for key, value in wanted.items() if not is_same(item.fields.get(key), value)}
        return check(item.type, changed, lookups, ON_EDIT)


class BulkChange(Struct):
    """An act on some items: whose values change to what, which have them already, and why others are left out."""

    act: FieldEdit
    total: int = 0
    items: dict[int, Item] = field(default_factory=dict)
    changes: dict[int, Changes] = field(default_factory=dict)
    already: list[Item] = field(default_factory=list)
    left_out: dict[str, list[Item]] = field(default_factory=dict)
    tasks: int = 0
    """The number of tasks in the total."""

    @property
    def is_for_customers(self) -> bool:
        return any(is_seen_by_customers(key) for changes in self.changes.values() for key in changes)

    @property
    def seen(self) -> Mapping[int, Changes]:
        """The values the changes were made from; values that others save meanwhile are not overwritten."""
        return {
            item_id: {key: self.items[item_id].fields.get(key) for key in changes}
            for item_id, changes in self.changes.items()
        }

    @property
    def synced(self) -> int:
        return sum(self.items[item_id].is_synced for item_id in self.changes)

    @property
    def words(self) -> str:
        return counted_types(self.items[item_id].type for item_id in self.changes)

    def add(self, other: "BulkChange") -> None:
        self.total += other.total
        self.tasks += other.tasks
        self.items.update(other.items)
        self.changes.update(other.changes)

    def leave_out(self, item_ids: Iterable[int]) -> None:
        for item_id in item_ids:
            self.changes.pop(item_id, None)

    def why_nothing(self) -> str:
        reasons = list(self.left_out)
        if self.already:
            reasons.insert(0, "No change needed.")
        return " ".join(reasons) or "No change needed."


def as_clause(sentences: str) -> str:
    return (sentences[:1].lower() + sentences[1:]).rstrip(".").replace(". ", "; ")


def require_field(key: str, item: Item, lookups: Lookups) -> None:
    """Raise DoesNotApply for a field that items of this type do not have."""
    field_ = field_named(key, lookups)
    if not field_.applies_to(item.type):
        raise DoesNotApply(f"{_article(item.type)} {item.type.lower()} has no {field_.label.lower()}.")


def field_named(key: str, lookups: Lookups) -> Field:
    known = FIELD_BY_KEY.get(key) or VIRTUAL_BY_KEY.get(key)
    return known or next(each for each in lookups.custom_fields() if each.key == key)


def set_field_edit(field_: Field, value: object, words: str) -> FieldEdit:
    """Set one field to one value; `words` are how the value reads."""
    return FieldEdit(f"{field_.label} → {words}", (field_.key,), lambda _item: {field_.key: value})


def change_tags_edit(added: Iterable[str], removed: Iterable[str]) -> FieldEdit:
    """Put tags on and take tags off; those of each item that are not named stay."""
    put_on, taken_off = tuple(added), frozenset(removed)

    def changes(item: Item) -> Changes:
        present = tags_of(item)
        kept = [tag for tag in present if tag not in taken_off]
        wanted = [*kept, *(tag for tag in put_on if tag not in kept)]
        return {} if wanted == present else {"Tags": wanted}

    words = " ".join([*(f"+{tag}" for tag in put_on), *(f"−{tag}" for tag in sorted(taken_off))])
    return FieldEdit(f"Tags {words}", ("Tags",), changes)


def tags_of(item: Item) -> list[str]:
    tags = item.fields.get("Tags")
    return [str(tag) for tag in tags] if isinstance(tags, list | tuple) else []


def _article(noun: str) -> str:
    return "An" if noun[:1].lower() in "aeiou" else "A"
