"""Commands that filter a list by the values of one field; they write into the list's query."""

from collections.abc import Sequence
from dataclasses import replace

from backlit.model.errors import BacklitError
from backlit.model.query.keys import LINT_KEY, values_of, with_values
from backlit.tui.commands.command import Call, CannotAct
from backlit.tui.dialogs.pickers import PickValuesDialog
from backlit.tui.lists.filter_choices import FILTERED, OWNER, STATUS, Filtered, choices_for, chosen_in, counted
from backlit.tui.lists.filtering import filter_list
from backlit.tui.lists.target import ListTarget
from backlit.tui.shell.workers import work

FILTERED_BY_KEY = {each.key: each for each in FILTERED}


async def by_field(target: ListTarget, call: Call) -> None:
    """Pick values of the field that the command's argument names."""
    by = FILTERED_BY_KEY[call.command.argument]
    choices = choices_for(target.store, by)
    chosen = chosen_in(choices, values_of(target.shared.now.query, by.key), target.store)
    dialog = PickValuesDialog(f"Filter by {by.label}", f"any {by.label}", choices, chosen)
    target.run_worker(work(_count, target, by, dialog), exclusive=True, group="facets")
    values = await target.ask(dialog)
    if values is not None:
        _ask_for(target, by.key, values)


def mine(target: ListTarget, _call: Call) -> None:
    """Show what is mine; again, everybody's."""
    if target.store.lookups.me() is None:
        raise CannotAct("It is not known yet who you are.")
    is_mine = [value.casefold() for value in values_of(target.shared.now.query, OWNER.key)] == ["me"]
    _ask_for(target, OWNER.key, () if is_mine else ("me",))


def unready(target: ListTarget, _call: Call) -> None:
    """Show what fails the ready-check; again, everything."""
    _ask_for(target, LINT_KEY, () if values_of(target.shared.now.query, LINT_KEY) else ("any",))


def _ask_for(target: ListTarget, key: str, values: Sequence[str]) -> None:
    now = target.shared.now
    filter_list(target, replace(now, query=with_values(now.query, key, tuple(values))))


async def _count(target: ListTarget, by: Filtered, dialog: PickValuesDialog) -> None:
    """Count the values among the items that the other filters leave."""
    spec = target.spec
    query = with_values(spec.query, by.key, ())
    rest = replace(spec, query=query, with_done=spec.with_done or by is STATUS, sort=(), group=())
    try:
        facets = await target.store.view(rest).facets(by.field.key)
    except BacklitError:
        return  # the choices stay without counts
    if dialog.is_attached:
        dialog.count(counted(target.store, by, facets))
