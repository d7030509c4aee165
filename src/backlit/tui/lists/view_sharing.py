"""Commands that share a saved view with the members of the project, and end that."""

from collections.abc import Sequence

from backlit.model.query import Candidate
from backlit.store.views.saved import SavedView
from backlit.tui.commands.command import CannotAct, CommandContext, candidates_beginning
from backlit.tui.commands.table import key_of
from backlit.tui.dialogs.dialog import AnswerKey, ConfirmDialog
from backlit.tui.lists.list_commands import ListTarget
from backlit.tui.lists.saved_views import DEFAULT_VIEW
from backlit.tui.shell.status_text import project_name


async def share(target: ListTarget, call: CommandContext) -> None:
    """Share the view of the typed name, else the shown one. Raises BadRequest for a server without shared views."""
    store, views = target.store, target.shared.views
    store.kept_views.need()
    view = _meant(target, call)
    if view.name not in views.own_names():
        if view.shared_by:
            raise CannotAct(f"“{view.name}” is shared already, by {view.shared_by}.")
        if view is DEFAULT_VIEW:
            raise CannotAct(
                f"This is the built-in view. Press {key_of('view.save')} to save the list as a view of yours first."
            )
    before = views.kept_as(view)
    if before is not None and before.is_shared:
        sentence, label = f"“{view.name}” is shared already. Replace it by the view as you saved it?", "replace"
    else:
        about = "They see its filter, order, groups and columns."
        sentence = f"Share “{view.name}” with everybody in {project_name(store)}? {about}"
        label = "share"
    if await target.ask(ConfirmDialog("Share a view", sentence, [AnswerKey("y", label)], "cancel")):
        await store.kept_views.share(view)
        target.say(f"“{view.name}” is shared with everybody in {project_name(store)}.")


async def end_sharing(target: ListTarget, call: CommandContext) -> None:
    """End the sharing of the view of the typed name, else of the shown one. The user's own stays on this machine."""
    store, views = target.store, target.shared.views
    store.kept_views.need()
    view = _meant(target, call)
    kept = views.kept_as(view)
    is_of_file = view.name in views.own_names()
    if kept is None or (is_of_file and not kept.is_shared):
        raise CannotAct(f"“{view.name}” is not shared.")
    if kept.is_own and view.fault:
        raise CannotAct(view.fault)
    if kept.is_own:
        sentence = f"Stop sharing “{view.name}”? It leaves the server and the lists of the others, and stays in yours."
    else:
        sentence = f"“{view.name}” is shared by {kept.owner}. Stop sharing it? Only {kept.owner} sees it then."
    if not await target.ask(ConfirmDialog("Stop sharing", sentence, [AnswerKey("y", "stop sharing")], "cancel")):
        return
    if kept.is_own and not is_of_file:
        views.save(view)
    await store.kept_views.end_sharing(kept)
    target.say(f"“{view.name}” is no longer shared.")


def complete_own_view(target: ListTarget, text: str, cursor: int) -> Sequence[Candidate]:
    return candidates_beginning(target.shared.views.own_names(), text, cursor)


def complete_shared_view(target: ListTarget, text: str, cursor: int) -> Sequence[Candidate]:
    views = target.shared.views
    return candidates_beginning([each.name for each in views.tabs if views.kept_as(each)], text, cursor)


def _meant(target: ListTarget, call: CommandContext) -> SavedView:
    return target.shared.views.named(call.text) if call.text else target.shared.now.view
