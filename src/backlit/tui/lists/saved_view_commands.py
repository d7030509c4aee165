"""Commands that go to saved views, by number, name or one after another, and save what is shown as one."""

from collections.abc import Sequence
from dataclasses import replace

from backlit.model.query import Candidate
from backlit.store.views.saved import SavedView
from backlit.tui.commands.command import Call, CannotAct
from backlit.tui.commands.dispatch import beginning
from backlit.tui.dialogs.line import LineDialog
from backlit.tui.lists.query_text import query_to_keep
from backlit.tui.lists.saved_views import PLAIN, fault_of_name
from backlit.tui.lists.target import ListTarget
from backlit.tui.shell.drafts import StoredLines


def go(target: ListTarget, call: Call) -> None:
    """Go to a view by the number that ended the chord, or by the name that was typed.

    Raises BadRequest naming the views there are.
    """
    views = target.shared.views
    if call.text:
        target.show_saved(views.named(call.text))
        return
    if not call.letter:
        raise CannotAct(f"Which one? There are {', '.join(views.names)}.")
    number = int(call.letter)
    if number > len(views.tabs):
        raise CannotAct(f"There is no view {number}; S saves what is shown as one.")
    target.show_saved(views.tabs[number - 1])


def complete_name(target: ListTarget, text: str, cursor: int) -> Sequence[Candidate]:
    """Return the names of views that begin as the text does."""
    return beginning(list(target.shared.views.names), text, cursor)


def step(target: ListTarget, call: Call) -> None:
    """Go on by as many views as the argument's sign and the count say, after the last to the first."""
    views = target.shared.views
    if len(views.tabs) < 2:
        raise CannotAct("There is only this view; S saves what is shown as another.")
    steps = int(call.command.argument) * (call.count or 1)
    target.show_saved(views.tabs[(views.place(target.shared.now.view) + steps) % len(views.tabs)])


async def save(target: ListTarget, call: Call) -> None:
    """Save what is shown under the name that was typed, else ask for a name. Raises BadRequest or StorageError."""
    view, name = target.shared.now.view, call.text
    if not name:
        if target.shared.views.files is None:
            raise CannotAct("There is no place here to keep views.")
        note = "Filter, groups, order and columns are kept; a view of the same name is replaced."
        before = "" if view is PLAIN else view.name
        kept = StoredLines(target.store, "view")
        dialog = LineDialog("Save as a view", before, fault_of_name, is_replaced=True, note=note, kept=kept)
        answer = await target.ask(dialog)
        if answer is None:
            return
        name = answer
    node, text = target.node, target.shared.now.text
    path = target.store.lookups.tree(node.kind).path(node.node_id) if node else ""
    query = query_to_keep(target.shared.now.query, text, node, path)
    spec = replace(target.spec, text="", query=query, area_ids=None, iteration_ids=None)
    saved = SavedView(name.strip(), spec, tuple(target.columns.wishes))
    files = target.shared.views.save(saved)
    target.show_saved(saved)
    target.say(f"Saved as “{saved.name}” in {files.own}.")
