"""Commands on a list: its groups, order, columns, saved views, filters, matches and preview."""

import asyncio
from bisect import bisect_left, bisect_right
from collections.abc import Collection, Iterable, Iterator, Sequence
from functools import partial
from typing import Any, NamedTuple, Protocol

from msgspec.structs import replace
from textual.content import Content
from textual.worker import WorkType

from backlit.model.errors import BacklitError, BadRequest
from backlit.model.fields import PROPERTY_BY_LOWER_NAME, Kind
from backlit.model.filters import POINTS, SortKey
from backlit.model.query import Candidate, complete
from backlit.model.query.keys import (
    ANYWHERE_KEY,
    LINT_KEY,
    POINTS_FIELD,
    SHORT_KEYS,
    field_named,
    values_of,
    with_values,
)
from backlit.model.settings.view_settings import (
    ALWAYS_SHOWN,
    COMPUTED_COLUMNS,
    MAX_GROUP_LEVELS,
    ChosenColumn,
    column_wish,
    field_key,
    sort_key,
    without_repeats,
)
from backlit.store.store import Store
from backlit.store.views.query import ViewSpec
from backlit.store.views.saved import SavedView
from backlit.store.views.view import View
from backlit.tui.commands.command import CannotAct, CommandContext, candidates_beginning
from backlit.tui.commands.table import key_of
from backlit.tui.dialogs.line import LineDialog
from backlit.tui.dialogs.pick import PickSortKeysDialog, PickValuesDialog
from backlit.tui.dialogs.reading import ReadingDialog
from backlit.tui.drawing.text import literal
from backlit.tui.fields.choices import Choice
from backlit.tui.items.target import AddTarget
from backlit.tui.lists.filtering import (
    FILTER_FIELDS,
    OWNER_FILTER,
    STATUS_FILTER,
    FilterField,
    FilterState,
    NodeFilter,
    SharedFilter,
    chosen_values,
    filter_choices,
    filter_list,
    item_counts,
    narrowed_filter,
)
from backlit.tui.lists.item_panes import ItemPanes
from backlit.tui.lists.list_frame import GREETING_HIDDEN_KEY, FilterLine, ListFrame
from backlit.tui.lists.list_screen import ColumnChoice
from backlit.tui.lists.saved_views import DEFAULT_VIEW, NO_FILES, fault_of_name
from backlit.tui.shell.drafts import StoredLines
from backlit.tui.shell.workers import work
from backlit.tui.widgets.inputs import FILTER
from backlit.tui.widgets.item_list import ItemList
from backlit.tui.widgets.item_rows import USUAL_COLUMNS
from backlit.tui.widgets.text_view import SCROLL_LINES


class ListTarget(AddTarget, Protocol):
    """What a command of lists acts on: the screen of the backlog, of the board or of the plan."""

    shared: SharedFilter
    line: FilterLine
    frame: ListFrame
    panes: ItemPanes
    columns: ColumnChoice
    spec: ViewSpec
    """The specification of the list, with its filter."""
    current_view: View
    """The view behind the list."""

    @property
    def items(self) -> ItemList: ...

    @property
    def near_filters(self) -> Sequence[FilterState]: ...

    @property
    def node(self) -> NodeFilter | None: ...

    def show_spec(self, spec: ViewSpec) -> None:
        """Show another spec; do nothing for the same one. Raises BadRequest for a malformed query."""

    def take_filter(self) -> None: ...

    def turn_tree(self) -> None:
        """Show the list as a tree, or flat again. Raises CannotAct where it can be none."""

    def show_saved(self, view: SavedView) -> None:
        """Show a saved view. Raises BadRequest for a query that this project cannot answer."""

    async def loaded(self) -> None:
        """Wait until all ids of the list are known."""

    def run_worker(self, work: WorkType[Any], *, group: str, exclusive: bool = False) -> object: ...


FIELDS_OFFERED_FIRST = (
    "AreaID",
    "IterationID",
    "AssignedToID",
    "Status",
    "type",
    "Tags",
    "TeamID",
    POINTS,
    "Priority",
    "Severity",
)
"""Fields that are offered first."""
SORT_FIELDS = ("BacklogPriority", "Name", "lastModifiedAt", "createdAt", "id")
"""Fields to sort by, but not to group by."""
MAX_SORT_KEYS = 5
MAX_COLUMNS = 20
SHORT_NAME_BY_KEY = {key: short for short, key in SHORT_KEYS.items()}
"""The short names of fields."""
COMPUTED_CHOICES = [Choice(column.key, column.title) for column in COMPUTED_COLUMNS.values()]
UNSORTABLE_KINDS = frozenset({Kind.LONG_TEXT})
"""Kinds of fields that lists are not grouped or sorted by."""


async def group(target: ListTarget, call: CommandContext) -> None:
    """Group by the typed fields, else pick one field, or two with tab. Raises BadRequest for an unknown field."""
    if call.text:
        typed = [] if call.text == "none" else call.text.replace(",", " ").split()
        names = tuple(key_named(target.store, each) for each in typed)
        if len(names) > MAX_GROUP_LEVELS:
            raise BadRequest(f"A list has at most {MAX_GROUP_LEVELS} levels of groups.")
    else:
        choices = [
            Choice(None, "no groups"),
            *key_choices(target.store, FIELDS_OFFERED_FIRST, (*SORT_FIELDS, "ParentID")),
        ]
        chosen = [SortKey(key) for key in target.spec.group]
        keys = await target.ask(PickSortKeysDialog("Group by", choices, chosen, most=MAX_GROUP_LEVELS))
        if keys is None:
            return
        names = tuple(each.name for each in keys)
    target.show_spec(replace(target.spec, group=names))


async def sort(target: ListTarget, call: CommandContext) -> None:
    """Sort by the typed fields, else pick one field, or several with tab. Raises BadRequest for an unknown field."""
    keys: tuple[SortKey, ...] | None
    if call.text:
        parts = [part.strip() for part in call.text.split(",")]
        keys = tuple(sort_key(part, partial(key_named, target.store)) for part in parts if part)
    else:
        fields = [*key_choices(target.store, (*FIELDS_OFFERED_FIRST, *SORT_FIELDS))]
        fields[len(FIELDS_OFFERED_FIRST) : len(FIELDS_OFFERED_FIRST)] = COMPUTED_CHOICES
        choices = [Choice(None, "backlog order"), *fields]
        dialog = PickSortKeysDialog("Sort by", choices, target.spec.sort, most=MAX_SORT_KEYS, has_directions=True)
        keys = await target.ask(dialog)
    if keys is not None:
        target.show_spec(replace(target.spec, sort=keys))


async def columns(target: ListTarget, call: CommandContext) -> None:
    """Show the typed columns with their widths, else pick them. Raises BadRequest for an unknown field."""
    if not target.columns.is_possible:
        raise CannotAct(f"The board has no list columns. Press {key_of('app.backlog')} to go to the backlog.")
    wishes = _typed_columns(target.store, call.text) if call.text else await _picked_columns(target)
    if wishes is not None:
        target.columns.choose(wishes, target.shared.now.view)


def _typed_columns(store: Store, text: str) -> Sequence[ChosenColumn]:
    parts = [] if text == "usual" else [part for part in text.split(",") if part.strip()]
    return without_repeats([column_wish(part, partial(key_named, store)) for part in parts])


async def _picked_columns(target: ListTarget) -> Sequence[ChosenColumn] | None:
    before = {wish.key: wish for wish in target.columns.wishes}
    offered = key_choices(target.store, (*FIELDS_OFFERED_FIRST, *SORT_FIELDS[2:4]), tuple(ALWAYS_SHOWN))
    choices = [each for each in (Choice(None, "default columns"), *offered) if each.value not in ALWAYS_SHOWN]
    choices[1 + len(USUAL_COLUMNS) : 1 + len(USUAL_COLUMNS)] = COMPUTED_CHOICES
    shown = [SortKey(wish.key) for wish in target.columns.wishes] or [SortKey(each.key) for each in USUAL_COLUMNS]
    keys = await target.ask(PickSortKeysDialog("Columns", choices, shown, most=MAX_COLUMNS, adds=True))
    return None if keys is None else [before.get(each.name) or ChosenColumn(each.name) for each in keys]


def complete_field(target: ListTarget, text: str, cursor: int) -> Sequence[Candidate]:
    return _completed(target, text, cursor)


def complete_column(target: ListTarget, text: str, cursor: int) -> Sequence[Candidate]:
    return _completed(target, text, cursor, COMPUTED_COLUMNS)


def zen(target: ListTarget, _call: CommandContext) -> None:
    """Hide title, tabs, rules and status, or show them again."""
    target.frame.toggle_class("-zen")


def done(target: ListTarget, _call: CommandContext) -> None:
    target.show_spec(replace(target.spec, with_done=not target.spec.with_done))


async def explain(target: ListTarget, _call: CommandContext) -> None:
    lines: list[Content] = []
    for sentence in target.current_view.explain():
        lines += [literal(sentence), literal("")]
    await target.ask(ReadingDialog("Query behind this list", lines[:-1]))


def go_to_view(target: ListTarget, call: CommandContext) -> None:
    """Go to a view by the digit of the chord, or by the typed name. Raises BadRequest for an unknown view."""
    views = target.shared.views
    if call.text:
        target.show_saved(views.named(call.text))
        return
    if not call.letter:
        raise CannotAct(f"Enter the name of a view: {', '.join(views.names)}.")
    number = int(call.letter)
    if number > len(views.tabs):
        raise CannotAct(f"There is no view {number}. Press {key_of('view.save')} to save this list as a view.")
    target.show_saved(views.tabs[number - 1])


def complete_view(target: ListTarget, text: str, cursor: int) -> Sequence[Candidate]:
    return candidates_beginning(list(target.shared.views.names), text, cursor)


def step_to_view(target: ListTarget, call: CommandContext) -> None:
    views = target.shared.views
    if len(views.tabs) < 2:
        raise CannotAct(f"This is the only view. Press {key_of('view.save')} to save this list as another.")
    steps = int(call.command.argument) * (call.count or 1)
    target.show_saved(views.tabs[(views.place(target.shared.now.view) + steps) % len(views.tabs)])


async def save_view(target: ListTarget, call: CommandContext) -> None:
    """Save the list as a view of the typed name, else ask for a name. Raises BadRequest or StorageError."""
    view, name = target.shared.now.view, call.text
    if not name:
        if target.shared.views.files is None:
            raise CannotAct(NO_FILES)
        note = "Saves filter, groups, order and columns. Replaces a view of the same name."
        before = "" if view is DEFAULT_VIEW else view.name
        kept = StoredLines(target.store, f"view:{before}")
        dialog = LineDialog("Save as a view", before, fault_of_name, is_replaced=True, note=note, kept=kept)
        answer = await target.ask(dialog)
        if answer is None:
            return
        name = answer
    path = target.store.lookups.tree(target.node.kind).path(target.node.node_id) if target.node else ""
    query = replace(target.shared.now, node=target.node).as_query(path)
    spec = replace(target.spec, text="", query=query, area_ids=None, iteration_ids=None)
    saved = SavedView(name.strip(), spec, tuple(target.columns.wishes))
    files = target.shared.views.save(saved)
    target.show_saved(saved)
    target.say(f"Saved as “{saved.name}” in {files.own}.")


def toggle_preview(target: ListTarget, _call: CommandContext) -> None:
    target.panes.toggle_preview()


def place_preview(target: ListTarget, _call: CommandContext) -> None:
    target.panes.turn_preview()


def scroll_preview(target: ListTarget, call: CommandContext) -> None:
    target.panes.scroll_preview(SCROLL_LINES * int(call.command.argument) * (call.count or 1))


def page_preview(target: ListTarget, call: CommandContext) -> None:
    target.panes.page_preview(int(call.command.argument) * (call.count or 1))


def toggle_sparing(target: ListTarget, _call: CommandContext) -> None:
    target.session.is_low_bandwidth = is_low_bandwidth = not target.items.is_low_bandwidth
    target.panes.set_low_bandwidth(is_low_bandwidth)
    target.say(
        f"Low bandwidth is on. Press {key_of('preview.toggle')} to show the preview."
        if is_low_bandwidth
        else "Low bandwidth is off."
    )


def key_choices(store: Store, first: Sequence[str], without: Sequence[str] = ()) -> Iterator[Choice]:
    fields = {POINTS: POINTS_FIELD} | {
        each.key: each for each in (*PROPERTY_BY_LOWER_NAME.values(), *store.lookups.custom_fields())
    }
    rest = sorted(fields.keys() - {*first, *without, "Estimate"}, key=lambda key: fields[key].label.casefold())
    for key in (*first, *rest):
        if fields[key].kind not in UNSORTABLE_KINDS:
            yield Choice(key, fields[key].label, SHORT_NAME_BY_KEY.get(key, ""))


def key_named(store: Store, name: str) -> str:
    """Return the field of a name, a custom field too. Raises BadRequest for an unknown name."""
    field = field_named(name, store.lookups.custom_fields())
    return field.key if field else field_key(name)


def _completed(target: ListTarget, text: str, cursor: int, more: Iterable[str] = ()) -> Sequence[Candidate]:
    begun = max(text.rfind(" ", 0, cursor), text.rfind(",", 0, cursor)) + 1
    part = text[begun:cursor].lower()
    fields = [key for key in target.store.names.vocabulary().keys if key not in {ANYWHERE_KEY, LINT_KEY}]
    return [Candidate(key, begun, cursor) for key in (*fields, *more) if key.startswith(part)]


FILTER_FIELD_BY_KEY = {each.key: each for each in FILTER_FIELDS}


async def by_field(target: ListTarget, call: CommandContext) -> None:
    by = FILTER_FIELD_BY_KEY[call.command.argument]
    choices = filter_choices(target.store, by)
    chosen = chosen_values(choices, values_of(target.shared.now.query, by.key), target.store)
    dialog = PickValuesDialog(f"Filter by {by.label}", f"any {by.label}", choices, chosen)
    target.run_worker(work(_count, target, by, dialog), exclusive=True, group="facets")
    values = await target.ask(dialog)
    if values is not None:
        _set_values(target, by.key, values)


def mine(target: ListTarget, _call: CommandContext) -> None:
    """Show the user's items; again, the items of all."""
    if target.store.lookups.me() is None:
        raise CannotAct("Your user is not known yet. Try again after the first sync.")
    is_mine = [value.casefold() for value in values_of(target.shared.now.query, OWNER_FILTER.key)] == ["me"]
    _set_values(target, OWNER_FILTER.key, () if is_mine else ("me",))


def unready(target: ListTarget, _call: CommandContext) -> None:
    """Show the items that are not ready; again, all items."""
    _set_values(target, LINT_KEY, () if values_of(target.shared.now.query, LINT_KEY) else ("any",))


def _set_values(target: ListTarget, key: str, values: Sequence[str]) -> None:
    now = target.shared.now
    target.line.note_row()
    filter_list(target, replace(now, query=with_values(now.query, key, tuple(values))))


async def _count(target: ListTarget, by: FilterField, dialog: PickValuesDialog) -> None:
    spec = target.spec
    query = with_values(spec.query, by.key, ())
    rest = replace(spec, query=query, with_done=spec.with_done or by is STATUS_FILTER, sort=(), group=())
    try:
        facets = await target.store.view(rest).facets(by.field.key)
    except BacklitError:
        return  # the choices stay without counts
    if dialog.is_attached:
        dialog.count(item_counts(target.store, by, facets))


def open_line(target: ListTarget, call: CommandContext) -> None:
    """Open the filter line, or filter the view by the typed query. Raises BadRequest naming the place of a fault."""
    if call.text:
        target.line.note_row()
        filter_list(target, narrowed_filter(target, call.text, target.shared.now.view.spec.query))
    else:
        target.line.begin()


def search_texts(target: ListTarget, _call: CommandContext) -> None:
    """Look for the words of the filter in texts and comments too. Raises CannotAct where it has none."""
    wider = target.shared.now.in_texts()
    if wider is None:
        raise CannotAct(
            f"Nothing is filtered by a part of a name. Press {key_of('list.filter')} and type a word first."
        )
    target.line.close()
    filter_list(target, wider)


def take_near(target: ListTarget, call: CommandContext) -> None:
    """Filter by a change of the filter that gives items, by its number. Raises CannotAct without it."""
    near, number = target.near_filters, int(call.letter)
    if number > len(near):
        raise CannotAct("A list without matches numbers the filters that are near.")
    target.line.close()
    filter_list(target, near[number - 1])


def complete_query(target: ListTarget, text: str, cursor: int) -> Sequence[Candidate]:
    return complete(text, cursor, target.store.names.vocabulary()) if text.strip() else ()


def clear(target: ListTarget, _call: CommandContext) -> None:
    now = target.shared.now
    target.shared.now = replace(now.cleared, node=None if target.node else now.node)
    target.line.close()
    target.line.forget_row()
    target.take_filter()


def unwind(target: ListTarget, _call: CommandContext) -> None:
    """Undo one layer: the filter line, the range, the text, the selection, the query, the node."""
    now, items = target.shared.now, target.items
    if target.line.is_open:
        target.line.leave()
    elif items.selection.end_range():
        return
    elif now.text:
        filter_list(target, replace(now, text=""))
        target.line.return_to_row()
    elif items.selection.clear():
        return
    elif now.is_narrowed:
        filter_list(target, replace(now, query=now.without_last_condition))
        if not target.shared.now.is_narrowed:
            target.line.return_to_row()
    elif target.node is not None:
        filter_list(target, replace(now, node=None))
    elif target.frame.hide_greeting():
        target.store.kept.keep(GREETING_HIDDEN_KEY, True)
    else:
        raise CannotAct(f"Nothing to cancel. Press {key_of('app.back')} to leave.")


def step_to_match(target: ListTarget, call: CommandContext) -> None:
    """Go to another match of the last search, by the argument's sign and the count.

    The list may show other items too. A burst of keys adds up to one way.
    """
    typed = next(iter(target.store.typed.lines(FILTER)), "")
    if not typed:
        raise CannotAct(f"No search yet. Press {key_of('list.filter')} to search.")
    steps = int(call.command.argument) * (call.count or 1)
    target.line.steps += steps
    target.run_worker(work(_go_to_match, target, typed, is_down=steps > 0), exclusive=True, group="hits")


async def _go_to_match(target: ListTarget, typed: str, *, is_down: bool) -> None:
    filtering = narrowed_filter(target, typed, target.shared.now.query)
    spec = replace(filtering.applied_to(target.spec, target.store), group=(), alike=(), sort=())
    match = await match_from(target.items, target.store.view(spec), target.line.steps)
    target.line.steps = 0
    if match is None:
        target.say(f"No matches for “{typed}” in this list.", is_bad=True)
    elif target.items.is_attached and target.items.go_to(match.item_id) and match.is_around:
        target.say(f"“{typed}”: continued from the {'top' if is_down else 'bottom'}.")


class Match(NamedTuple):
    """A match; `is_around` is true when the way to it went past an end of the list."""

    item_id: int
    is_around: bool


async def match_from(items: ItemList, view: View, steps: int) -> Match | None:
    """Return the match some steps from the cursor, in the list's order; `view` has all matches. None without one."""
    await view.load()
    order, found = items.ids_between(0, None), frozenset(view.ids())
    here = items.current_id
    if here is None:
        here = next(iter(items.ids_between(items.cursor, items.cursor + 2)), None)
        steps -= 1 if here in found and steps > 0 else 0
    return await asyncio.to_thread(nth_match, order, found, here, steps)


def nth_match(order: Sequence[int], matches: Collection[int], here: int | None, steps: int) -> Match | None:
    """Return the match some steps after an item, before it for negative steps; past one end comes the other."""
    places = [place for place, item_id in enumerate(order) if item_id in matches]
    if not places:
        return None
    at = order.index(here) if here in order else -1
    number = bisect_right(places, at) - 1 + steps if steps >= 0 else bisect_left(places, at) + steps
    return Match(order[places[number % len(places)]], not 0 <= number < len(places))
