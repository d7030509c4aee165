"""Commands of the filter line and of going from hit to hit; escape, which undoes the filter layer by layer."""

from collections.abc import Sequence
from dataclasses import replace

from backlit.model.query import Candidate, complete
from backlit.tui.commands.command import Call, CannotAct
from backlit.tui.lists.filtering import filter_list, narrowed
from backlit.tui.lists.search_hits import hit_from
from backlit.tui.lists.target import ListTarget
from backlit.tui.shell.workers import work
from backlit.tui.widgets.inputs import FILTER


def open_line(target: ListTarget, call: Call) -> None:
    """Open the filter line, or filter the view by the query that was typed.

    Raises BadRequest naming the place in the query.
    """
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


def leave_line(target: ListTarget, _call: Call) -> None:
    """Leave the filter line, or undo the next layer where the line is closed already."""
    if target.line.is_open:
        target.line.leave()
    else:
        unwind(target, _call)


def unwind(target: ListTarget, _call: Call) -> None:
    """Undo one layer: the range, what is typed, the marks, the query, the node's filter (KEYMAP, rule f)."""
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
        raise CannotAct("Nothing to cancel here; q quits.")


def step_to_hit(target: ListTarget, call: Call) -> None:
    """Go on by as many hits of the last search as the argument's sign and the count say.

    The list may show other items too; the steps of a burst of keys are one way.
    """
    typed = next(iter(target.store.typed.lines(FILTER)), "")
    if not typed:
        raise CannotAct("No search yet. Press / to search.")
    steps = int(call.command.argument) * (call.count or 1)
    target.line.steps += steps
    target.run_worker(work(_go_to_hit, target, typed, is_down=steps > 0), exclusive=True, group="hits")


async def _go_to_hit(target: ListTarget, typed: str, *, is_down: bool) -> None:
    filtering = narrowed(target, typed, target.shared.now.query)
    spec = replace(filtering.over(target.spec, target.store), group=(), alike=(), sort=())
    hit = await hit_from(target.items, target.store.view(spec), target.line.steps)
    target.line.steps = 0
    if hit is None:
        target.say(f"Nothing here is found by “{typed}”.", is_bad=True)
    elif target.items.is_attached and target.items.go_to(hit.item_id) and hit.is_around:
        target.say(f"On from the {'top' if is_down else 'bottom'} with “{typed}”.")
