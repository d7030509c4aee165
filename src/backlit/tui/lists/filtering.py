"""The filter that the backlog, the board and the plan share: text, query, node and saved view; its fields and words."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple, Protocol

from msgspec import Struct
from msgspec.structs import replace
from textual.message import Message

from backlit.model.errors import BadRequest
from backlit.model.field_values import value_word
from backlit.model.fields import Field, ItemType
from backlit.model.query import AllOf, AnyOf, Condition, NameKind, NameText, NotThis, parse_query, write_query
from backlit.model.query import Node as QueryNode
from backlit.model.query.keys import ANYWHERE_KEY, LINT_KEY, field_named, parts_of
from backlit.model.query.syntax import quoted
from backlit.model.ready_check import RULE_BY_ID
from backlit.model.trees import Node, NodeTotals, Tree
from backlit.store.records.people import TreeKind
from backlit.store.store import Store
from backlit.store.views.groups import Facet
from backlit.store.views.query import ViewSpec
from backlit.store.views.saved import SavedView
from backlit.tui.drawing.themes import status_sign, type_sign
from backlit.tui.fields.choices import Choice
from backlit.tui.lists.saved_views import DEFAULT_VIEW, SavedViews

QUERY_SIGNS = frozenset(':=<>@#"()')
"""Characters of a query that a part of a name rarely has."""


class NodeFilter(Struct, frozen=True):
    """An area or iteration, alone or with its sub-tree."""

    kind: TreeKind
    node_id: int
    has_subtree: bool = False


class NodeFilterRequested(Message):
    """A request to filter the backlog by a node; None asks for all items."""

    def __init__(self, node: NodeFilter | None) -> None:
        super().__init__()
        self.node = node


class NearFilter(NamedTuple):
    """A change of a filter in words, the filter that it gives, and the word in the place of a mistyped one."""

    words: str
    filter: "FilterState"
    meant: str = ""


class FilterState(Struct, frozen=True):
    """A state of the filter; the query of the view is part of `query`."""

    text: str = ""
    query: str = ""
    node: NodeFilter | None = None
    view: SavedView = DEFAULT_VIEW

    @classmethod
    def of(cls, view: SavedView) -> "FilterState":
        return cls(view.spec.text, view.spec.query, None, view)

    @property
    def cleared(self) -> "FilterState":
        """The filter without text, typed query and node."""
        return FilterState(query=self.view.spec.query, view=self.view)

    @property
    def is_narrowed(self) -> bool:
        """True where the query asks for more than the view does."""
        return self.query != self.view.spec.query

    @property
    def can_clear(self) -> bool:
        """True where there is more than the view's query."""
        return bool(self.text or self.is_narrowed or self.node)

    @property
    def without_last_condition(self) -> str:
        """The query without its last condition, or that of the view."""
        own, rest = self.view.spec.query, parts_of(self.query)[:-1]
        return write_query(AllOf(rest)) if len(rest) > len(parts_of(own)) else own

    def without_each(self) -> Sequence[NearFilter]:
        """Return the filter without each thing that it asks for besides the view, the last first; () for one alone."""
        own, parts = len(parts_of(self.view.spec.query)), parts_of(self.query)
        without = [(self.text, replace(self, text=""))] if self.text else []
        for at in range(len(parts) - 1, own - 1, -1):
            query = write_query(AllOf((*parts[:at], *parts[at + 1 :])))
            without.append((_phrase(parts[at]), replace(self, query=query)))
        if self.node is not None:
            without.append((FILTERED_TREES[self.node.kind].label, replace(self, node=None)))
        return [NearFilter(f"without “{words}”", each) for words, each in without] if len(without) > 1 else ()

    @property
    def name_words(self) -> Sequence[str]:
        """The parts of names that it asks for besides the view."""
        parts = parts_of(self.query)[len(parts_of(self.view.spec.query)) :]
        words = [part.text for part in parts if isinstance(part, NameText)]
        return [*([self.text] if self.text and not self.text.startswith("#") else []), *words]

    def with_word(self, before: str, after: str) -> "FilterState":
        """Return the filter with another word in the place of one of `name_words`."""
        if self.text == before:
            return replace(self, text=after)
        old = NameText(before)
        parts = [NameText(after) if part == old else part for part in parts_of(self.query)]
        return replace(self, query=write_query(AllOf(tuple(parts))))

    def applied_to(self, spec: ViewSpec, store: Store) -> ViewSpec:
        areas = iterations = None
        if self.node is not None:
            tree = store.lookups.tree(self.node.kind)
            ids = frozenset(tree.subtree_ids(self.node.node_id) if self.node.has_subtree else (self.node.node_id,))
            areas, iterations = (ids, None) if self.node.kind is TreeKind.AREAS else (None, ids)
        return replace(spec, text=self.text, query=self.query, area_ids=areas, iteration_ids=iterations)

    def as_query(self, path: str) -> str:
        """Return text, query and node as one query; `path` is the node's."""
        parts = [self.query, quoted(self.text) if self.text and not self.text.startswith("#") else self.text]
        if self.node is not None:
            key = "area" if self.node.kind is TreeKind.AREAS else "iter"
            parts.append(f"{key}{':' if self.node.has_subtree else '='}{quoted(path)}")
        found = ""
        for part in parts:
            found = both_queries(found, part)
        return found

    def in_texts(self) -> "FilterState | None":
        """Return a filter that looks for its words in texts and comments too; None where it looks for none in names."""
        text = "" if self.text.startswith("#") else self.text
        before = parse_query(both_queries(self.query, quoted(text)) if text else self.query)
        after = _anywhere(before)
        return None if after == before else replace(self, text="", query=write_query(after))


class SharedFilter:
    """The filter of all lists and their saved views; each project has a query of its own."""

    def __init__(self, store: Store) -> None:
        self.now = FilterState()
        self.views = SavedViews()
        self._store = store
        self._project_id = store.project_id
        self._queries: dict[int | None, str] = {}

    def follow_project(self) -> None:
        """Restore the query that the user left in the store's project; do nothing in the same project."""
        if self._store.project_id != self._project_id:
            self._queries[self._project_id] = self.now.query
            self._project_id = self._store.project_id
            query = self._queries.get(self._project_id, self.now.view.spec.query)
            self.now = replace(self.now, query=query, node=None)

    def follow_views(self) -> None:
        """Offer the views that the service keeps of the store's project."""
        self.views.follow(self._store.kept_views.all())

    def rename(self, ids: Mapping[int, int]) -> None:
        node = self.now.node
        if node is not None and node.node_id in ids:
            self.now = replace(self.now, node=replace(node, node_id=ids[node.node_id]))


class FilterTarget(Protocol):
    """A screen with a filter."""

    store: Store
    shared: SharedFilter

    def take_filter(self) -> None: ...

    def say(self, sentence: str, *, is_bad: bool = False) -> None: ...


def filter_list(target: FilterTarget, filtering: FilterState) -> None:
    """Filter the list, and with it the other lists. Raises BadRequest for a malformed query."""
    if filtering.query != target.shared.now.query:
        target.store.view(ViewSpec(query=filtering.query))
    target.shared.now = filtering
    target.take_filter()


def narrowed_filter(target: FilterTarget, typed: str, kept: str) -> FilterState:
    """Return the filter with a typed text beside a query. Raises BadRequest naming the place of a fault."""
    text, query = text_and_query(typed)
    target.store.view(ViewSpec(query=query))
    return replace(target.shared.now, text=text, query=both_queries(kept, query))


def drop_query(target: FilterTarget, error: BadRequest) -> None:
    target.say(f"{error} The filter was cleared.", is_bad=True)
    target.shared.now = replace(target.shared.now, query="")
    target.take_filter()


def text_and_query(text: str) -> tuple[str, str]:
    """Split a typed filter: a single word is part of a name, `#1042` an id, all else a query.

    Raises BadRequest for a malformed query.
    """
    text = text.strip()
    if text.startswith("#") and text[1:].isdecimal():
        return text, ""
    try:
        tree = parse_query(text)
    except BadRequest:
        if QUERY_SIGNS.isdisjoint(text):
            return text, ""
        raise
    is_plain = tree == AllOf() or (isinstance(tree, NameText) and '"' not in text)
    return (text, "") if is_plain else ("", text)


def both_queries(first: str, second: str) -> str:
    """Return the query that needs both of two queries."""
    return f"({first}) ({second})" if first and second else first or second


def _anywhere(node: QueryNode) -> QueryNode:
    match node:
        case NameText(text):
            return Condition(ANYWHERE_KEY, ":", (text,))
        case AllOf(parts) | AnyOf(parts):
            return replace(node, parts=tuple(map(_anywhere, parts)))
        case Condition() | NotThis():
            return node


def searched_words(query: str) -> str:
    """Return the words that a query searches texts for, without the words that it excludes."""
    return " ".join(_words(parse_query(query)))


def _words(node: QueryNode) -> list[str]:
    match node:
        case AllOf(parts) | AnyOf(parts):
            return [word for part in parts for word in _words(part)]
        case Condition(key, _, values) if key.lower() == ANYWHERE_KEY:
            return list(values)
        case Condition() | NotThis() | NameText():
            return []


NO_VALUE = "none"
_RELATIVE = ("current", "next", "previous")
_RESERVED = frozenset({NO_VALUE, "any", *_RELATIVE})
_LINT_WORDS = {"any": "not ready", NO_VALUE: "ready"}


class FilterField(Struct, frozen=True):
    """A field to filter by: its key in queries, its label, and the label of items without a value."""

    key: str
    label: str
    nothing: str = ""
    tree: TreeKind | None = None

    @property
    def field(self) -> Field:
        found = field_named(self.key)
        assert found is not None
        return found


STATUS_FILTER = FilterField("status", "status")
OWNER_FILTER = FilterField("owner", "owner", "unassigned")
TYPE_FILTER = FilterField("type", "type")
ITERATION_FILTER = FilterField("iter", "iteration", "no iteration", TreeKind.ITERATIONS)
AREA_FILTER = FilterField("area", "area", "no area", TreeKind.AREAS)
TAG_FILTER = FilterField("tag", "tag", "no tag")
FILTERED_TREES = {TreeKind.ITERATIONS: ITERATION_FILTER, TreeKind.AREAS: AREA_FILTER}
FILTER_FIELDS = (STATUS_FILTER, OWNER_FILTER, TYPE_FILTER, ITERATION_FILTER, AREA_FILTER, TAG_FILTER)


def filter_choices(store: Store, by: FilterField) -> list[Choice]:
    nothing = [Choice(NO_VALUE, by.nothing)] if by.nothing else []
    return [*nothing, *_choices(store, by)]


def _choices(store: Store, by: FilterField) -> Iterator[Choice]:
    if by.tree is not None:
        for word in _RELATIVE if by is ITERATION_FILTER else ():
            if store.names.ids(NameKind.ITERATION, word, with_subtree=False):
                yield Choice(word, f"the {word} iteration")
        tree = store.lookups.tree(by.tree)
        for node in tree.walk():
            if tree.depth(node.id):
                yield Choice(node_word(tree, node), "  " * (tree.depth(node.id) - 1) + node.name)
    elif by is OWNER_FILTER:
        for person in sorted(store.lookups.people().values(), key=lambda each: each.display_name.casefold()):
            yield Choice(person.username, person.display_name)
    else:
        groups = store.lookups.status_groups()
        for value in [*ItemType] if by is TYPE_FILTER else store.names.values(by.field):
            sign = type_sign(value) if by is TYPE_FILTER else status_sign(value, groups) if by is STATUS_FILTER else ""
            word = value_word(by.field, value)
            yield Choice(str(value), f"{sign} {word}" if sign else word)


def node_word(tree: Tree, node: Node) -> str:
    """Return the name of a node in queries: its path where several nodes have its name."""
    wanted = node.name.casefold()
    is_alone = sum(each.name.casefold() == wanted for each in tree.walk()) == 1
    return node.name if is_alone and wanted not in _RESERVED else tree.path(node.id)


def chosen_values(choices: Sequence[Choice], values: Sequence[str], store: Store) -> list[str]:
    """Return the values of a query in the spelling of the choices; other values stay as written."""
    me = store.lookups.me()
    known = {str(choice.value).casefold(): str(choice.value) for choice in choices}
    meant = [me.username if me and value.casefold() == "me" else value for value in values]
    return list(dict.fromkeys(known.get(value.casefold(), value) for value in meant))


def item_counts(store: Store, by: FilterField, facets: Sequence[Facet]) -> Mapping[str, int]:
    """Return the number of items with each value, by the words of the choices; nodes count items below them."""
    if by.tree is not None:
        return _in_tree(store, by.tree, facets)
    people = store.lookups.people() if by is OWNER_FILTER else {}
    found: Counter[str] = Counter()
    for facet in facets:
        person = people.get(facet.value) if isinstance(facet.value, int) else None
        found[NO_VALUE if facet.value is None else person.username if person else str(facet.value)] += (
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
            found[word] = sum(own.get(each, NodeTotals()).count for each in ids)
    nowhere = [facet.totals.count for facet in facets if facet.value is None]
    found[NO_VALUE] = sum(nowhere) + sum(own.get(root.id, NodeTotals()).count for root in tree.roots)
    return found


def filter_words(query: str, text: str = "") -> list[str]:
    """Return a query in words for the title of a list, one phrase for each condition, and the text after a slash."""
    return [*(map(_phrase, parts_of(query)) if query.strip() else ()), *([f"/{text}"] if text else [])]


def _phrase(part: QueryNode) -> str:
    if not isinstance(part, Condition) or part.operator not in ":=":
        return write_query(part)
    if part.key.lower() == LINT_KEY:
        return " or ".join([_LINT_WORDS.get(value.lower()) or RULE_BY_ID[value.lower()].label for value in part.values])
    by = next((each for each in FILTER_FIELDS if each.field is field_named(part.key)), None)
    if by is None:
        return write_query(part)
    if by is OWNER_FILTER and [value.casefold() for value in part.values] == ["me"]:
        return "mine"
    named = [value_word(by.field, value.rpartition("\\")[2]) for value in part.values if value.casefold() != NO_VALUE]
    words = [f"{by.label} {' or '.join(named)}"] if named else []
    return " or ".join([*words, *([by.nothing or f"no {by.label}"] if len(named) < len(part.values) else [])])
