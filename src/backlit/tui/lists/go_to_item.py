"""Going to an item in a list, also to one that the list does not show at present."""

from dataclasses import replace

from backlit.model.errors import BacklitError, sentence_of
from backlit.store.records.item import Item
from backlit.store.views.query import ViewSpec
from backlit.tui.dialogs.confirm import Answer, ConfirmDialog
from backlit.tui.lists.filter_text import filter_words
from backlit.tui.lists.search_commands import clear
from backlit.tui.lists.target import ListTarget
from backlit.tui.shell.target import ItemPlace
from backlit.tui.shell.workers import COMMANDS_GROUP, work


def go_to_item(target: ListTarget, item_id: int, *, is_offered: bool = True) -> None:
    """Put the cursor on an item once the list is read; where it is hidden say by what, and offer to show it."""
    target.run_worker(work(_go_to_item, target, item_id, is_offered=is_offered), exclusive=True, group="go-to")


async def _go_to_item(target: ListTarget, item_id: int, *, is_offered: bool) -> None:
    try:
        await target.loaded()
        if not target.items.is_attached or target.items.go_to(item_id):
            return
        item = target.store.item(item_id)
        if item is None:
            target.say(f"There is no item #{item_id} any more.", is_bad=True)
            return
        if item.id != item_id and target.items.go_to(item.id):
            return
        name = f"#{item.id}" if item.id > 0 else str(item.fields.get("Name") or "")
        usual = target.store.view(ViewSpec(text=name))
        await usual.load()
    except BacklitError as error:
        target.say(sentence_of(error), is_bad=True)
        return
    sentence = _hidden(target, item, is_open=bool(usual.count))
    if is_offered:
        target.run_worker(work(_offer_hidden, target, item, sentence, with_done=not usual.count), group=COMMANDS_GROUP)
    else:
        target.say(f"{sentence} # goes to it.")


def _hidden(target: ListTarget, item: Item, *, is_open: bool) -> str:
    spec = target.spec
    name = f"{f'#{item.id} ' if item.id > 0 else ''}“{item.fields.get('Name') or ''}”"
    if item.project_id != target.store.project_id:
        return f"{name} is in another project."
    reasons = filter_words(spec.query) + ([f"/{spec.text}"] if spec.text else [])
    reasons += ["the tree's node"] if spec.area_ids is not None or spec.iteration_ids is not None else []
    reasons += [] if is_open or spec.with_done else ["only what is open"]
    return f"{name} is hidden; the list shows {', '.join(reasons)}."


async def _offer_hidden(target: ListTarget, item: Item, sentence: str, *, with_done: bool) -> None:
    is_here = item.project_id == target.store.project_id
    there = [Answer("c", "clear the filters and go there")] if is_here else []
    answers = [*there, Answer("e", "open it in the editor")]
    key = await target.ask(ConfirmDialog("Hidden item", sentence, answers, "stay here"))
    if key == "c":
        target.show_spec(replace(target.spec, with_done=target.spec.with_done or with_done))
        clear(target)
        target.item_added(item.id)
    elif key == "e":
        target.open(item.id, ItemPlace.EDITOR)
