"""The rules of relations, over relations in memory."""

from collections.abc import Collection, Iterable

from tests.model.relation_rules import RULES, TYPES

from backlit.model.errors import BadRequest, Conflict
from backlit.model.relations import (
    MAX_RELATIONS,
    KnownRelation,
    NewRelation,
    RelatedItem,
    RelationType,
    directed,
    must_fit,
)

ITEMS = {
    letter: RelatedItem(ord(letter), kind, 2 if letter in "XY" else 1)
    for letter, kind in {**TYPES, "K": "Task", "X": "Story", "Y": "Feature"}.items()
}


class Relations:
    """Relations in memory, by their types; `hidden` are items that the caller cannot see."""

    def __init__(self, *made: NewRelation, hidden: str = "") -> None:
        self._made = [
            (each.type, KnownRelation(number, each.first.id, each.second.id)) for number, each in enumerate(made)
        ]
        self._hidden = {ord(letter) for letter in hidden}

    def from_items(self, kind: RelationType, item_ids: Collection[int]) -> Iterable[KnownRelation]:
        return [each for made, each in self._made if made is kind and each.first_id in item_ids]

    def to_items(self, kind: RelationType, item_ids: Collection[int]) -> Iterable[KnownRelation]:
        return [each for made, each in self._made if made is kind and each.second_id in item_ids]

    def features(self, item_ids: Collection[int]) -> Collection[int]:
        return [item_id for item_id in item_ids if ITEMS[chr(item_id)].type == "Feature"]

    def count(self, item_id: int, *, besides: int | None) -> int:
        return sum(item_id in (each.first_id, each.second_id) and each.id != besides for _, each in self._made)

    def are_visible(self, item_ids: Collection[int]) -> bool:
        return not self._hidden.intersection(item_ids)


def relation(sentence: str, kept_id: int | None = None) -> NewRelation:
    first, *words, last = sentence.split(" ")
    return directed(" ".join(words), ITEMS[first], ITEMS[last], kept_id)


def outcome(known: Relations, sentence: str, kept_id: int | None = None) -> tuple[int, str]:
    """Return the status and the sentence of a relation, with letters for ids."""
    try:
        must_fit(relation(sentence, kept_id), known)
    except (BadRequest, Conflict) as error:
        words = error.message
        for letter in ITEMS:
            words = words.replace(f"#{ord(letter)}", f"#{letter}")
        return error.status, words
    return 201, ""


def test_each_rule_of_a_new_relation() -> None:
    wrong = {}
    for known, new, status, words in RULES:
        found, said = outcome(Relations(*(relation(each) for each in known.split(", ") if each)), new)
        if found != status or words not in said:
            wrong[known, new] = found, said

    assert wrong == {}


def test_relation_that_is_replaced_counts_for_no_rule() -> None:
    known = Relations(relation("S Parent F"), relation("T Duplicates S"), *[relation("S Blocks B")] * MAX_RELATIONS)

    assert outcome(known, "S Parent G")[0] == 409
    assert outcome(known, "S Parent G", kept_id=0) == (400, "#S has 500 relations, and can have no more.")
    assert outcome(known, "T Duplicates F", kept_id=1) == (201, "")
    assert outcome(Relations(relation("S Parent F")), "S Parent G", kept_id=0) == (201, "")


def test_circle_with_an_item_that_nobody_may_see_is_not_named() -> None:
    known = Relations(relation("S Blocks X"), relation("X Blocks T"), hidden="X")

    assert outcome(known, "T Blocks S") == (400, "That would be a circle.")
