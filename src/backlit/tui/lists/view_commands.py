"""Commands that say how a list is shown: its groups, order and columns, with done items or without."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from textual.content import Content

from backlit.model.errors import BadRequest
from backlit.model.fields import PROPERTY_BY_LOWER_NAME, Kind
from backlit.model.filters import POINTS, SortKey
from backlit.model.query import Candidate
from backlit.model.query.keys import POINTS_FIELD, SHORT_KEYS, field_named
from backlit.store.store import Store
from backlit.store.views.saved import MOST_GROUPS, NEVER, ColumnWish, column_wish, field_key, sort_key, without_repeats
from backlit.tui.commands.command import Call, CannotAct
from backlit.tui.dialogs.pickers import PickKeysDialog
from backlit.tui.dialogs.reading import ReadingDialog
from backlit.tui.drawing.text import literal
from backlit.tui.lists.target import ListTarget
from backlit.tui.widgets.choice_list import Choice
from backlit.tui.widgets.columns import LACKING, USUAL
from backlit.tui.widgets.view_list import BacklogList

OFFERED = ("AreaID", "IterationID", "AssignedToID", "Status", "type", "Tags", "TeamID", POINTS, "Priority", "Severity")
"""Fields that are offered first."""
SORTED = ("BacklogPriority", "Name", "lastModifiedAt", "createdAt", "id")
"""Fields to sort by, but not to group by."""
MOST_SORTS = 5
MOST_COLUMNS = 20
SHORT_OF = {key: short for short, key in SHORT_KEYS.items()}
"""The short names that people type for fields."""
UNFIT = frozenset({Kind.LONG_TEXT})


async def group(target: ListTarget, call: Call) -> None:
    """Group by the fields that were typed, else pick one field, or two with tab.

    Raises BadRequest naming a word that is no field.
    """
    if call.text:
        names = () if call.text == "none" else _keys(target.store, call.text.replace(",", " ").split())
        if len(names) > MOST_GROUPS:
            raise BadRequest(f"A list is grouped by {MOST_GROUPS} fields at most.")
    else:
        choices = [Choice(None, "no groups"), *key_choices(target.store, OFFERED, (*SORTED, "ParentID"))]
        chosen = [SortKey(key) for key in target.spec.group]
        keys = await target.ask(PickKeysDialog("Group by", choices, chosen, most=MOST_GROUPS))
        if keys is None:
            return
        names = tuple(each.name for each in keys)
    target.show_spec(replace(target.spec, group=names))


async def sort(target: ListTarget, call: Call) -> None:
    """Sort by the fields that were typed, else pick one field, or several with tab.

    Raises BadRequest naming a word that is no field.
    """
    keys: tuple[SortKey, ...] | None
    if call.text:
        found = [sort_key(part.strip()) for part in call.text.split(",") if part.strip()]
        keys = tuple(replace(key, name=key_named(target.store, key.name)) for key in found)
    else:
        choices = [Choice(None, "the backlog's own order"), *key_choices(target.store, (*OFFERED, *SORTED))]
        dialog = PickKeysDialog("Sort by", choices, target.spec.sort, most=MOST_SORTS, has_directions=True)
        keys = await target.ask(dialog)
    if keys is not None:
        target.show_spec(replace(target.spec, sort=keys))


async def columns(target: ListTarget, call: Call) -> None:
    """Show the columns that were typed, with their widths, else pick them; says which of them do not fit.

    Raises BadRequest naming a word that is no field.
    """
    if not target.columns.is_possible:
        raise CannotAct("Columns of fields are the list's; gb goes there.")
    wishes = _typed_columns(target.store, call.text) if call.text else await _picked_columns(target)
    if wishes is None:
        return
    target.columns.choose(wishes, target.shared.now.view)
    if isinstance(target.items, BacklogList) and (hidden := target.items.columns.hidden()):
        names = ", ".join(each.title for each in hidden)
        target.say(f"There is no room for {names}; zl scrolls there.")


def _typed_columns(store: Store, text: str) -> Sequence[ColumnWish]:
    parts = [] if text == "usual" else [part for part in text.split(",") if part.strip()]
    return without_repeats([column_wish(part, lambda name: key_named(store, name)) for part in parts])


async def _picked_columns(target: ListTarget) -> Sequence[ColumnWish] | None:
    before = {wish.key: wish for wish in target.columns.wishes}
    offered = key_choices(target.store, (*OFFERED, *SORTED[2:4]), tuple(NEVER))
    choices = [each for each in (Choice(None, "the usual columns"), *offered) if each.value not in NEVER]
    choices.insert(1 + len(USUAL), Choice(LACKING.key, LACKING.title))
    shown = [SortKey(wish.key) for wish in target.columns.wishes] or [SortKey(each.key) for each in USUAL]
    keys = await target.ask(PickKeysDialog("Columns", choices, shown, most=MOST_COLUMNS, adds=True))
    return None if keys is None else [before.get(each.name) or ColumnWish(each.name) for each in keys]


def complete_field(target: ListTarget, text: str, cursor: int) -> Sequence[Candidate]:
    """Return the fields to group or sort by that begin as the last word does."""
    return _completed(target, text, cursor, {"text", "lint"})


def complete_column(target: ListTarget, text: str, cursor: int) -> Sequence[Candidate]:
    """Return the fields to show in columns that begin as the last word does."""
    return _completed(target, text, cursor, {"text"})


def zen(target: ListTarget, _call: Call) -> None:
    """Hide title, tabs, rules and status, or show them again."""
    target.frame.toggle_class("-zen")


def done(target: ListTarget, _call: Call) -> None:
    """Show or hide done items."""
    target.show_spec(replace(target.spec, with_done=not target.spec.with_done))


async def explain(target: ListTarget, _call: Call) -> None:
    """Show what ran for the list, and what the service was asked."""
    lines: list[Content] = []
    for sentence in target.shown_view.explain():
        lines += [literal(sentence), literal("")]
    await target.ask(ReadingDialog("What ran for this list", lines[:-1]))


def key_choices(store: Store, first: Sequence[str], without: Sequence[str] = ()) -> Iterator[Choice]:
    """Return the fields that lists can be put in order by, some of them first."""
    fields = {POINTS: POINTS_FIELD} | {
        each.key: each for each in (*PROPERTY_BY_LOWER_NAME.values(), *store.lookups.custom_fields())
    }
    rest = sorted(fields.keys() - {*first, *without, "Estimate"}, key=lambda key: fields[key].label.casefold())
    for key in (*first, *rest):
        if fields[key].kind not in UNFIT:
            yield Choice(key, fields[key].label, SHORT_OF.get(key, ""))


def key_named(store: Store, name: str) -> str:
    """Return the field that a name means, a project's own too. Raises BadRequest where there is none."""
    field = field_named(name, store.lookups.custom_fields())
    return field.key if field else field_key(name)


def _keys(store: Store, names: Sequence[str]) -> tuple[str, ...]:
    return tuple(key_named(store, name) for name in names)


def _completed(target: ListTarget, text: str, cursor: int, never: set[str]) -> Sequence[Candidate]:
    begun = max(text.rfind(" ", 0, cursor), text.rfind(",", 0, cursor)) + 1
    part = text[begun:cursor].lower()
    keys = target.store.names.vocabulary().keys
    return [Candidate(key, begun, cursor) for key in keys if key.startswith(part) and key not in never]
