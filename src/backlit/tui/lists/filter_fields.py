"""The fields that a list can be filtered by: their values to pick, their counts, and a query in words."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from backlit.model.fields import Field, ItemType
from backlit.model.query import Condition, NameKind, write_query
from backlit.model.query import Node as QueryNode
from backlit.model.query.keys import LINT_KEY, field_named, parts_of
from backlit.model.ready_check import RULE_BY_ID
from backlit.model.trees import Node, Totals, Tree
from backlit.store.records.people import TreeKind
from backlit.store.store import Store
from backlit.store.views.groups import Facet
from backlit.tui.drawing.themes import status_sign, type_sign
from backlit.tui.fields.choices import Choice

NONE = "none"
_RELATIVE = ("current", "next", "previous")
_RESERVED = frozenset({NONE, "any", *_RELATIVE})
_LINT_WORDS = {"any": "not ready", NONE: "ready"}


@dataclass(frozen=True, slots=True)
class FilterField:
    """A field to filter by: its key in queries, its label, and the label of items without a value."""

    key: str
    label: str
    nothing: str = ""
    tree: TreeKind | None = None

    @property
    def field(self) -> Field:
        """The field in the table of fields."""
        found = field_named(self.key)
        assert found is not None
        return found


STATUS = FilterField("status", "status")
OWNER = FilterField("owner", "owner", "nobody")
TYPE = FilterField("type", "type")
ITERATION = FilterField("iter", "iteration", "no iteration", TreeKind.ITERATIONS)
AREA = FilterField("area", "area", "no area", TreeKind.AREAS)
TAG = FilterField("tag", "tag", "no tag")
FILTER_FIELDS = (STATUS, OWNER, TYPE, ITERATION, AREA, TAG)


def choices_for(store: Store, by: FilterField) -> list[Choice]:
    """Return the choice of no value, then the values in their own order."""
    nothing = [Choice(NONE, by.nothing)] if by.nothing else []
    return [*nothing, *_choices(store, by)]


def _choices(store: Store, by: FilterField) -> Iterator[Choice]:
    if by.tree is not None:
        yield from _relative_iterations(store) if by is ITERATION else ()
        tree = store.lookups.tree(by.tree)
        for node in tree.walk():
            if tree.depth(node.id):
                yield Choice(node_word(tree, node), "  " * (tree.depth(node.id) - 1) + node.name)
    elif by is OWNER:
        for person in sorted(store.lookups.people().values(), key=lambda each: each.display_name.casefold()):
            yield Choice(person.username, person.display_name)
    else:
        groups = store.lookups.status_groups()
        for value in [*ItemType] if by is TYPE else store.names.values(by.field):
            sign = type_sign(value) if by is TYPE else status_sign(value, groups) if by is STATUS else ""
            yield Choice(str(value), f"{sign} {value}" if sign else value)


def _relative_iterations(store: Store) -> Iterator[Choice]:
    for word in _RELATIVE:
        if store.names.ids(NameKind.ITERATION, word, with_subtree=False):
            yield Choice(word, f"the {word} iteration")


def node_word(tree: Tree, node: Node) -> str:
    """Return the name of a node in queries: its path where several nodes have its name."""
    wanted = node.name.casefold()
    is_alone = sum(each.name.casefold() == wanted for each in tree.walk()) == 1
    return node.name if is_alone and wanted not in _RESERVED else tree.path(node.id)


def chosen_in(choices: Sequence[Choice], values: Sequence[str], store: Store) -> list[str]:
    """Return the values of a query in the spelling of the choices; other values stay as written."""
    me = store.lookups.me()
    known = {str(choice.value).casefold(): str(choice.value) for choice in choices}
    meant = [me.username if me and value.casefold() == "me" else value for value in values]
    return list(dict.fromkeys(known.get(value.casefold(), value) for value in meant))


def counted(store: Store, by: FilterField, facets: Sequence[Facet]) -> Mapping[str, int]:
    """Return the number of items with each value, by the words of the choices; nodes count items below them."""
    if by.tree is not None:
        return _in_tree(store, by.tree, facets)
    people = store.lookups.people() if by is OWNER else {}
    found: Counter[str] = Counter()
    for facet in facets:
        person = people.get(facet.value) if isinstance(facet.value, int) else None
        found[NONE if facet.value is None else person.username if person else str(facet.value)] += (
            facet.totals.count or facet.totals.tasks
        )
    return found


def _in_tree(store: Store, kind: TreeKind, facets: Sequence[Facet]) -> Mapping[str, int]:
    tree = store.lookups.tree(kind)
    own = {facet.value: facet.totals for facet in facets if isinstance(facet.value, int)}
    sums = tree.roll_up(own)
    found = {node_word(tree, node): sums[node.id].count for node in tree.walk() if node.id in sums}
    if kind is TreeKind.ITERATIONS:
        for word in _RELATIVE:
            ids = store.names.ids(NameKind.ITERATION, word, with_subtree=True)
            found[word] = sum(own.get(each, Totals()).count for each in ids)
    nowhere = [facet.totals.count for facet in facets if facet.value is None]
    found[NONE] = sum(nowhere) + sum(own.get(root.id, Totals()).count for root in tree.roots)
    return found


def filter_words(query: str) -> list[str]:
    """Return a query in words for the title of a list, one phrase for each condition."""
    return [_phrase(part) for part in parts_of(query)] if query.strip() else []


def _phrase(part: QueryNode) -> str:
    if not isinstance(part, Condition) or part.operator not in ":=":
        return write_query(part)
    if part.key.lower() == LINT_KEY:
        return " or ".join([_LINT_WORDS.get(value.lower()) or RULE_BY_ID[value.lower()].label for value in part.values])
    by = next((each for each in FILTER_FIELDS if each.field is field_named(part.key)), None)
    if by is None:
        return write_query(part)
    if by is OWNER and [value.casefold() for value in part.values] == ["me"]:
        return "mine"
    named = [value.rpartition("\\")[2] for value in part.values if value.casefold() != NONE]
    words = [f"{by.label} {' or '.join(named)}"] if named else []
    return " or ".join([*words, *([by.nothing or f"no {by.label}"] if len(named) < len(part.values) else [])])
