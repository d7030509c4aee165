"""The values that a list can be filtered by, as a query has them, and their numbers of items."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from backlit.model.fields import Field, ItemType
from backlit.model.query import NameKind
from backlit.model.query.keys import field_named
from backlit.model.trees import Node, Totals, Tree
from backlit.store.records.people import TreeKind
from backlit.store.store import Store
from backlit.store.views.groups import Facet
from backlit.tui.drawing.theme_styles import status_sign, type_sign
from backlit.tui.widgets.choice_list import Choice

NONE = "none"
_TURNS = ("current", "next", "previous")
_RESERVED = frozenset({NONE, "any", *_TURNS})


@dataclass(frozen=True, slots=True)
class Filtered:
    """A field that lists are filtered by: its key in queries, what it is called, what an item without it is called."""

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


STATUS = Filtered("status", "status")
OWNER = Filtered("owner", "owner", "nobody")
TYPE = Filtered("type", "type")
ITERATION = Filtered("iter", "iteration", "no iteration", TreeKind.ITERATIONS)
AREA = Filtered("area", "area", "no area", TreeKind.AREAS)
TAG = Filtered("tag", "tag", "no tag")
FILTERED = (STATUS, OWNER, TYPE, ITERATION, AREA, TAG)


def choices_for(store: Store, by: Filtered) -> list[Choice]:
    """The values there are, in their own order, after that of items without any."""
    nothing = [Choice(NONE, by.nothing)] if by.nothing else []
    return [*nothing, *_choices(store, by)]


def _choices(store: Store, by: Filtered) -> Iterator[Choice]:
    if by.tree is not None:
        yield from _turns(store) if by is ITERATION else ()
        tree = store.lookups.tree(by.tree)
        for node in tree.walk():
            if tree.depth(node.id):
                yield Choice(node_word(tree, node), "  " * (tree.depth(node.id) - 1) + node.name)
    elif by is OWNER:
        for person in sorted(store.lookups.people().values(), key=lambda each: each.display_name.casefold()):
            yield Choice(person.username, person.display_name)
    else:
        for value in [*ItemType] if by is TYPE else store.names.values(by.field):
            sign = {STATUS: status_sign, TYPE: type_sign}.get(by)
            yield Choice(str(value), f"{sign(value)} {value}" if sign else value)


def _turns(store: Store) -> Iterator[Choice]:
    for word in _TURNS:
        if store.names.ids(NameKind.ITERATION, word, with_subtree=False):
            yield Choice(word, f"the {word} iteration")


def node_word(tree: Tree, node: Node) -> str:
    """A node as a query names it: by its name, by its path where others are called so too."""
    wanted = node.name.casefold()
    is_alone = sum(each.name.casefold() == wanted for each in tree.walk()) == 1
    return node.name if is_alone and wanted not in _RESERVED else tree.path(node.id)


def chosen_in(choices: Sequence[Choice], values: Sequence[str], store: Store) -> list[str]:
    """The values of a query as the choices have them; those that are none of them stay as they are written."""
    me = store.lookups.me()
    known = {str(choice.value).casefold(): str(choice.value) for choice in choices}
    meant = [me.username if me and value.casefold() == "me" else value for value in values]
    return list(dict.fromkeys(known.get(value.casefold(), value) for value in meant))


def counted(store: Store, by: Filtered, facets: Sequence[Facet]) -> Mapping[str, int]:
    """Return the number of items with each value, by the words of the choices; nodes count items below them."""
    if by.tree is not None:
        return _in_tree(store, by.tree, facets)
    people = store.lookups.people() if by is OWNER else {}
    found: Counter[str] = Counter()
    for facet in facets:
        person = people.get(facet.value) if isinstance(facet.value, int) else None
        found[NONE if facet.value is None else person.username if person else str(facet.value)] += facet.totals.count
    return found


def _in_tree(store: Store, kind: TreeKind, facets: Sequence[Facet]) -> Mapping[str, int]:
    tree = store.lookups.tree(kind)
    own = {facet.value: facet.totals for facet in facets if isinstance(facet.value, int)}
    sums = tree.roll_up(own)
    found = {node_word(tree, node): sums[node.id].count for node in tree.walk() if node.id in sums}
    if kind is TreeKind.ITERATIONS:
        for word in _TURNS:
            ids = store.names.ids(NameKind.ITERATION, word, with_subtree=True)
            found[word] = sum(own.get(each, Totals()).count for each in ids)
    nowhere = [facet.totals.count for facet in facets if facet.value is None]
    found[NONE] = sum(nowhere) + sum(own.get(root.id, Totals()).count for root in tree.roots)
    return found
