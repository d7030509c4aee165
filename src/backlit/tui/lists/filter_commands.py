"""Commands that filter a list: by values of a field, by a typed query, and step by step back to all items."""

from collections.abc import Sequence
from dataclasses import replace

from backlit.model.errors import BacklitError
from backlit.model.query import Candidate, complete
from backlit.model.query.keys import LINT_KEY, values_of, with_values
from backlit.tui.commands.command import Call, CannotAct
from backlit.tui.dialogs.pickers import PickValuesDialog
from backlit.tui.lists.filter_fields import FILTER_FIELDS, OWNER, STATUS, FilterField, choices_for, chosen_in, counted
from backlit.tui.lists.filtering import filter_list, narrowed
from backlit.tui.lists.target import ListTarget
from backlit.tui.shell.workers import work

FIELD_BY_KEY = {each.key: each for each in FILTER_FIELDS}


async def by_field(target: ListTarget, call: Call) -> None:
    """Pick values of the field that the command's argument names."""
    by = FIELD_BY_KEY[call.command.argument]
    choices = choices_for(target.store, by)
    chosen = chosen_in(choices, values_of(target.shared.now.query, by.key), target.store)
    dialog = PickValuesDialog(f"Filter by {by.label}", f"any {by.label}", choices, chosen)
    target.run_worker(work(_count, target, by, dialog), exclusive=True, group="facets")
    values = await target.ask(dialog)
    if values is not None:
        _set_values(target, by.key, values)


def mine(target: ListTarget, _call: Call) -> None:
    """Show the user's items; again, the items of all."""
    if target.store.me() is None:
        raise CannotAct("Your user is not known yet. Try again after the first sync.")
    is_mine = [value.casefold() for value in values_of(target.shared.now.query, OWNER.key)] == ["me"]
    _set_values(target, OWNER.key, () if is_mine else ("me",))


def unready(target: ListTarget, _call: Call) -> None:
    """Show the items that are not ready; again, all items."""
    _set_values(target, LINT_KEY, () if values_of(target.shared.now.query, LINT_KEY) else ("any",))


def _set_values(target: ListTarget, key: str, values: Sequence[str]) -> None:
    now = target.shared.now
    filter_list(target, replace(now, query=with_values(now.query, key, tuple(values))))


async def _count(target: ListTarget, by: FilterField, dialog: PickValuesDialog) -> None:
    """Count the values of the items that match the other filters."""
    spec = target.spec
    query = with_values(spec.query, by.key, ())
    rest = replace(spec, query=query, with_done=spec.with_done or by is STATUS, sort=(), group=())
    try:
        facets = await target.store.view(rest).facets(by.field.key)
    except BacklitError:
        return  # the choices stay without counts
    if dialog.is_attached:
        dialog.count(counted(target.store, by, facets))


def open_line(target: ListTarget, call: Call) -> None:
    """Open the filter line, or filter the view by the typed query. Raises BadRequest naming the place of a fault."""
    if call.text:
        filter_list(target, narrowed(target, call.text, target.shared.now.view.spec.query))
    else:
        target.line.begin()


def complete_query(target: ListTarget, text: str, cursor: int) -> Sequence[Candidate]:
    """Return the parts of a query that can stand at the cursor."""
    return complete(text, cursor, target.store.names.vocabulary()) if text.strip() else ()


def clear(target: ListTarget, _call: Call | None = None) -> None:
    """Clear every filter but the view's own."""
    now = target.shared.now
    target.shared.now = replace(now.cleared, node=None if target.node else now.node)
    target.line.close()
    target.take_filter()


def leave_line(target: ListTarget, call: Call) -> None:
    """Leave the filter line, or undo the next layer if the line is closed."""
    if target.line.is_open:
        target.line.leave()
    else:
        unwind(target, call)


def unwind(target: ListTarget, _call: Call) -> None:
    """Undo one layer: the range, the typed text, the marks, the query, the node (KEYMAP, rule f)."""
    now, items = target.shared.now, target.items
    if items.marks.end_range():
        return
    if target.line.is_open:
        target.line.leave()
    elif now.text:
        filter_list(target, replace(now, text=""))
    elif items.marks.clear():
        return
    elif now.is_narrowed:
        filter_list(target, replace(now, query=target.line.before(now)))
    elif target.node is not None:
        filter_list(target, replace(now, node=None))
    else:
        raise CannotAct("Nothing to cancel. Press q to leave.")
