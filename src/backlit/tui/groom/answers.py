"""The likely answers to a question of the groom queue, which digits give; the picker has the rest."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice

from backlit.model.fields import Field, Kind
from backlit.store.records.item import Item
from backlit.store.records.people import TreeKind, current, following, leaves
from backlit.store.store import Store
from backlit.store.views.query import ViewSpec
from backlit.tui.drawing.relative_times import days_until
from backlit.tui.fields.acts import Act, tags_of, to_tags, to_value
from backlit.tui.fields.values import number_text
from backlit.tui.widgets.choice_list import Choice

MOST = 9
"""Answers that digits give; 0 is for the others."""
_PRIORITIES = range(1, 6)


@dataclass(frozen=True, slots=True)
class CommonValues:
    """The most frequent values of open items by field (owner, area, tags), the most frequent first."""

    values: Mapping[str, Sequence[object]] = field(default_factory=dict)


async def common_values(store: Store) -> CommonValues:
    """Count the values once for a queue, so that its answers stay under their digits."""
    view = store.view(ViewSpec())
    found = {}
    for key in ("AssignedToID", "AreaID", "Tags"):
        found[key] = [facet.value for facet in await view.facets(key) if facet.value is not None]
    return CommonValues(found)


def answers(store: Store, asked: Field, item: Item, scale: Sequence[float], common: CommonValues) -> list[Choice]:
    """At most nine values, those that are likely first; what the item has already is among them where it is likely."""
    found = _answers(store, asked, item, scale, common)
    return list(islice({choice.value: choice for choice in found}.values(), MOST))


def act_of(asked: Field, choice: Choice) -> Act:
    """What an answer does: a tag is put on, anything else is set."""
    if asked.kind is Kind.TAGS:
        return to_tags((str(choice.value),), ())
    return to_value(asked, choice.value, choice.label.strip())


def _answers(store: Store, asked: Field, item: Item, scale: Sequence[float], common: CommonValues) -> Iterable[Choice]:
    values = common.values.get(asked.key, ())
    if asked.key == "Estimate":
        return [Choice(number_text(step), number_text(step)) for step in scale if step]
    match asked.kind:
        case Kind.USER:
            return _people(store, values)
        case Kind.AREA:
            return _areas(store, values)
        case Kind.ITERATION:
            return _iterations(store)
        case Kind.TEAM:
            return [Choice(team_id, name) for team_id, name in store.lookups.teams().items()]
        case Kind.TAGS:
            own = tags_of(item)
            return [Choice(tag, str(tag)) for tag in values if tag not in own]
        case Kind.BOOLEAN:
            return [Choice(True, "yes"), Choice(False, "no")]
        case Kind.INTEGER if asked.key == "Priority":
            return [Choice(each, str(each)) for each in _PRIORITIES]
        case _:
            return [Choice(each, each) for each in store.lookups.choices(asked, item.type)]


def _people(store: Store, owners: Sequence[object]) -> Iterator[Choice]:
    """Oneself, then whoever owns most of what is open, then the others by name."""
    people, me = store.lookups.people(), store.lookups.me()
    if me is not None:
        yield Choice(me.id, me.display_name, "me")
    for owner in owners:
        if isinstance(owner, int) and owner in people and (me is None or owner != me.id):
            yield Choice(owner, people[owner].display_name)
    for person in sorted(people.values(), key=lambda each: each.display_name.casefold()):
        if me is None or person.id != me.id:
            yield Choice(person.id, person.display_name)


def _areas(store: Store, used: Sequence[object]) -> Iterator[Choice]:
    """Those with most of what is open, then the others in their order; never the root."""
    tree = store.lookups.tree(TreeKind.AREAS)
    roots = {node.id for node in tree.roots}
    for area_id in (*used, *(node.id for node in tree.walk())):
        if isinstance(area_id, int) and area_id in tree and area_id not in roots:
            path = tree.path(area_id).split("\\")[1:]
            yield Choice(area_id, " › ".join(path))


def _iterations(store: Store) -> Iterator[Choice]:
    """Those under way, the next, then what comes after."""
    today = store.today()
    every = leaves(store.lookups.iterations().values())
    later = sorted((each for each in every if each.start and each.start > today), key=lambda each: each.start or today)
    for each in (*current(every, today), *following(every, today), *later):
        yield Choice(each.id, each.name, days_until(each.end, today) if each.end else "")
