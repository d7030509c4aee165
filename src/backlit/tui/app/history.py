"""Undo and redo: the commands, the confirmation of destructive steps, and the messages that describe a step."""

import asyncio
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from typing import Protocol

from msgspec.structs import replace
from textual.content import Content

from backlit.model.amounts import counted
from backlit.model.planning import EVENT_KEYS, IterationEvent
from backlit.model.trees import NO_TOTALS
from backlit.store.edits.deletions import deleted_status
from backlit.store.object_changes.kinds import object_deletion
from backlit.store.records.entry import EntryKind, OutboxEntry
from backlit.store.records.item import counted_types
from backlit.store.store import Store
from backlit.store.undo.history import Reversal
from backlit.store.undo.operations import (
    DeleteNodeOperation,
    FieldChange,
    NamedItem,
    NamedObject,
    RecreateNodesOperation,
)
from backlit.tui.app.screen_navigator import ScreenNavigator
from backlit.tui.commands.command import CannotAct, CommandContext
from backlit.tui.commands.table import key_of
from backlit.tui.dialogs.dialog import AnswerKey
from backlit.tui.dialogs.reading import Line, ReadingDialog, change_of, item_line
from backlit.tui.drawing.text import safe, shortened
from backlit.tui.fields.values import label_of, own_words_of, words_of
from backlit.tui.items.entry_text import name_of, node_labels, noun_of
from backlit.tui.shell.target import StoreCommandTarget

MAX_DIALOG_LINES = 400
DIALOG_VALUE_CHARACTERS = 60
"""Characters of a value that a dialog shows."""
MESSAGE_VALUE_CHARACTERS = 40
"""Characters of a value or a name that fit into a message."""
MAX_STEPS_NAMED = 3
"""Steps of one command that a message says the effect of."""
RECREATED_NOTE = "Deleted items are created again with new numbers; comments name their authors, files are lost."


class UndoCommandTarget(StoreCommandTarget, Protocol):
    """An application whose changes can be undone, one step at a time."""

    history_lock: asyncio.Lock
    navigator: ScreenNavigator

    @property
    def has_unsaved_text(self) -> bool:
        """Return whether a form has changes that are not saved."""

    def forget_messages(self) -> None: ...


async def undo(target: UndoCommandTarget, call: CommandContext) -> None:
    """Undo the last change; raises CannotAct over a form with newer changes, which are not saved."""
    if target.has_unsaved_text:
        raise CannotAct(
            f"The form has newer changes, not saved: {key_of('editor.revert')} takes back the current field."
        )
    await _walk(target, call.count or 1, is_redo=False)


async def redo(target: UndoCommandTarget, call: CommandContext) -> None:
    await _walk(target, call.count or 1, is_redo=True)


async def _walk(target: UndoCommandTarget, count: int, *, is_redo: bool) -> None:
    steps: list[Reversal] = []
    async with target.history_lock:
        for _ in range(count):
            offered = await _offered(target.store, is_redo=is_redo)
            if offered is None:
                if not steps:
                    target.say("Nothing to redo." if is_redo else "Nothing to undo.")
                return
            if not offered.is_grave or await _is_agreed(target, offered):
                await _carry_out(target, steps, is_redo=is_redo)
            if offered.is_grave or offered.is_impossible:
                return


async def _offered(store: Store, *, is_redo: bool) -> Reversal | None:
    return await (store.history.to_redo() if is_redo else store.history.to_undo())


async def _carry_out(target: UndoCommandTarget, steps: list[Reversal], *, is_redo: bool) -> None:
    """Undo or redo a step, add it to those of the same command, and say what these did."""
    history = target.store.history
    target.navigator.end_range()  # an item that comes back between its ends is none of it
    done = await (history.redo() if is_redo else history.undo())
    if done is not None:
        target.forget_messages()
        steps.append(done)
        target.say(steps_words(target.store, steps), is_bad=done.is_impossible)
        target.navigator.show_reversal(done)


async def _is_agreed(target: UndoCommandTarget, offered: Reversal) -> bool:
    """Ask for confirmation; ask again where the step has changed meanwhile."""
    while await target.ask(question_of(target.store, offered)):
        current = await _offered(target.store, is_redo=offered.is_redo)
        if current is None or current == offered:
            return True
        offered = current
    return False


def question_of(store: Store, reversal: Reversal) -> ReadingDialog:
    """Return the question whether a step may be undone, with every affected item, node and comment."""
    verb = "redo" if reversal.is_redo else "undo"
    every = [line for _, line in zip(range(MAX_DIALOG_LINES + 1), _lines(store, reversal), strict=False)]
    lines = [*every[:MAX_DIALOG_LINES], Content.styled("…", "$muted")] if len(every) > MAX_DIALOG_LINES else every
    return ReadingDialog(verb.capitalize(), lines, _heading(store, reversal), [AnswerKey("y", verb)], "cancel")


def _heading(store: Store, reversal: Reversal) -> list[Content]:
    count = len(reversal.item_ids - {0})
    lines = [Content(f"{store.batch.words(sorted(reversal.item_ids - {0}))} are affected.")] if count > 1 else []
    contested = contested_words(reversal.changes)
    if contested:
        lines.append(Content.styled(safe(contested), "bold $warn"))
    if reversal.made_again:
        lines.append(Content.styled(RECREATED_NOTE, "$muted"))
    if reversal.deleted or reversal.nodes_deleted:
        lines.append(Content.styled("! Permanent deletion affects everyone.", "bold $warn"))
    return lines


def _lines(store: Store, reversal: Reversal) -> Iterator[Line]:
    yield from _named(reversal.deleted, "deleted permanently", "$error")
    yield from _named(reversal.given_up, "not added", "$error")
    yield from _named(reversal.made_again, "created again", "$status-done")
    yield from _named(reversal.returned, "restored", "$status-done")
    for node_entry in reversal.nodes:
        words = node_changed_words(node_entry)
        yield Content(safe(words if node_entry.event else f"The {words}"))
    for deleted in reversal.nodes_deleted:
        changed = ", although someone else has changed it since" if deleted.is_changed else ""
        yield Content.styled(safe(f"The {node_deleted_words(deleted)}{changed}"), "$error")
    for made in reversal.nodes_made:
        yield Content.styled(safe(f"The {node_made_words(store, made)}"), "$status-done")
    for recalled in reversal.recalled:
        yield Content.styled(safe(recalled_words([recalled])), "$status-done")
    for item_id, changes in groupby(reversal.changes, key=lambda change: change.item_id):
        item = store.item(item_id)
        yield item_line(item_id, item.type if item else "", item.name if item else "")
        for change in changes:
            yield _change(store, change)
    for each in reversal.objects_deleted:
        yield _object_line(each, "deleted", "$error")
    for each in reversal.objects_made_again:
        yield _object_line(each, _again(reversal, each), "$status-done")
    if reversal.missing:
        yield Content.styled(f"{len(reversal.missing):,} no longer exist", "$muted")


def _named(named: Sequence[NamedItem], words: str, colour: str) -> Iterator[Line]:
    for each in named:
        yield item_line(each.id, each.type, each.name), Content.styled(words, colour)


def _object_line(named: NamedObject, words: str, colour: str) -> Content:
    text = safe(_short(named.text, DIALOG_VALUE_CHARACTERS))
    return Content.assemble((f"{named.noun} {words}  ", colour), text)


def _change(store: Store, change: FieldChange) -> Content:
    before, after = (
        _short(own_words_of(store, change.key, each), DIALOG_VALUE_CHARACTERS) for each in (change.before, change.after)
    )
    return Content.assemble((f"    {safe(label_of(change.key))}  ", "$muted"), change_of(safe(before), safe(after)))


def steps_words(store: Store, steps: Sequence[Reversal]) -> str:
    """Return what the steps of one command did, the last one's failure alone."""
    last = steps[-1]
    if len(steps) == 1 or last.is_impossible:
        return done_words(store, last)
    parts = ["; ".join(_parts(store, step)) or "nothing" for step in steps[:MAX_STEPS_NAMED]]
    more = [f"{len(steps) - MAX_STEPS_NAMED:,} more"] if len(steps) > MAX_STEPS_NAMED else []
    return f"{_participle(last).capitalize()} {len(steps):,} steps: {'; '.join([*parts, *more])}."


def done_words(store: Store, done: Reversal) -> str:
    if done.is_impossible and done.final:
        entry, reason = done.final[0].entry, done.final[0].reason
        return f"The change of {_node_words(entry)} cannot be {_participle(done)}: {reason}."
    if done.is_impossible:
        return f"Could not {_verb(done)}: {_numbers(done.missing)} no longer {_exist(done.missing)}."
    parts = list(_parts(store, done))
    if not parts:
        return f"Nothing to {_verb(done)}: the values are already the same."
    if done.missing:
        parts.append(f"{_numbers(done.missing)} no longer {_exist(done.missing)}")
    return f"{_participle(done).capitalize()}: {'; '.join(parts)}."


def _parts(store: Store, done: Reversal) -> Iterator[str]:
    if done.changes:
        waits = f"; someone else has changed it since: resolve the conflict ({key_of('app.outbox')})"
        yield _changed(store, done) + waits * any(change.is_contested for change in done.changes)
    if done.nodes:
        yield node_changed_words(done.nodes[0], len(done.nodes) - 1)
    for deleted in done.nodes_deleted[:1]:
        yield node_deleted_words(deleted, len(done.nodes_deleted) - 1)
    for made in done.nodes_made[:1]:
        yield node_made_words(store, made, len(done.nodes_made) - 1)
    if done.recalled:
        yield recalled_words(done.recalled)
    for named, words in (
        (done.moved, "moved again" if done.is_redo else "moved back"),
        (done.given_up, "not added"),
        (done.deleted, "deleted permanently"),
        (done.returned, "restored"),
        (done.made_again, "created again with a new number" if len(done.made_again) == 1 else "created again"),
    ):
        if named:
            yield f"{_names(named)} {words}"
    for _, objects in groupby(done.objects_deleted, key=lambda each: each.noun):
        yield f"{_objects([*objects])} deleted"
    for words, objects in groupby(done.objects_made_again, key=lambda each: _again(done, each)):
        yield f"{_objects([*objects])} {words}"


def _again(reversal: Reversal, named: NamedObject) -> str:
    return named.redone if reversal.is_redo and named.redone else named.again


EVENT_WORDS: Mapping[tuple[IterationEvent, bool], str] = {
    (IterationEvent.START, True): "is started again",
    (IterationEvent.START, False): "is no longer started",
    (IterationEvent.CLOSE, True): "is closed again",
    (IterationEvent.CLOSE, False): "is open again",
}
"""What an iteration is after the return of an event, and after its withdrawal."""


def node_changed_words(entry: OutboxEntry, others: int = 0) -> str:
    if entry.event is None:
        return _node_words(entry, others)
    values = entry.payload["values"]
    is_back = isinstance(values, Mapping) and values[EVENT_KEYS[entry.event]] is not None
    more = f"; {counted(others, 'other change', 'other changes')} of iterations" if others else ""
    return f"{_short(name_of(entry))} {EVENT_WORDS[entry.event, is_back]}{more}"


def _node_words(entry: OutboxEntry, others: int = 0) -> str:
    more = f" and {others:,} more" if others else ""
    return f"{noun_of(entry)} “{_short(name_of(entry))}”{more} ({node_labels(entry)})"


def node_deleted_words(deleted: DeleteNodeOperation, others: int = 0) -> str:
    more = f" and {others:,} more" if others else ""
    moved = f"; {deleted.moved.words} moved to “{_short(deleted.target)}”" if deleted.moved != NO_TOTALS else ""
    is_clear = deleted.entry.node_id > 0
    how = "deleted" if is_clear else "deleted once the server has confirmed its creation"
    return f"{noun_of(deleted.entry)} “{_short(name_of(deleted.entry))}”{more} {how}{moved}"


def node_made_words(store: Store, made: RecreateNodesOperation, others: int = 0) -> str:
    more = f" and {others:,} more" if others else ""
    back = f" with its {store.batch.words(made.item_ids)}" if made.item_ids else ""
    stay = f"; {counted(made.stay, 'other stays', 'others stay')} in place" if made.stay else ""
    name = f"{noun_of(made.entry)} “{_short(name_of(made.entry))}”"
    return f"{name}{more} created again{back}, with a new number{stay}"


def recalled_words(recalled: Sequence[OutboxEntry]) -> str:
    first = recalled[0]
    if (deletion := object_deletion(first)) is not None:
        name = f"{deletion.noun} on #{first.item_id}"
    elif first.kind is EntryKind.DELETE:
        name = f"#{first.item_id}"
    else:
        name = f"{noun_of(first)} “{_short(name_of(first))}”"
    if len(recalled) > 1:
        return f"{len(recalled):,} deletions withdrawn; items that the server has deleted already are created again"
    return f"{name} restored; if the server has deleted it already, it is created again with a new number"


def _changed(store: Store, done: Reversal) -> str:
    """Return the changes of fields: a value for one, labels for several of one item, else the number of items.

    Items that the step had added, and that its undo sets to Deleted, are named beside the others.
    """
    items = list(dict.fromkeys(change.item_id for change in done.changes))
    taken_back = {change.item_id: change for change in done.changes if is_deletion(change) and not done.is_redo}
    others = tuple(change for change in done.changes if change.item_id not in taken_back)
    if taken_back and others:
        found = store.batch.items(list(taken_back))
        names = _names([NamedItem(each.id, each.type, each.name) for each in found])
        status = words_of(store, "Status", next(iter(taken_back.values())).after)
        return f"{names} set to {status}; {_changed(store, replace(done, changes=others))}"
    if len(items) > 1:
        return f"{store.batch.words(items)} {'changed again' if done.is_redo else 'changed back'}"
    item = f"#{items[0]}" if items[0] > 0 else "the new item"
    if len(done.changes) > 1:
        return f"{', '.join(label_of(change.key) for change in done.changes)} of {item}"
    (change,) = done.changes
    direction = "to" if done.is_redo or is_deletion(change) else "back to"
    return f"{label_of(change.key)} of {item} {direction} {_short(own_words_of(store, change.key, change.after))}"


def is_deletion(change: FieldChange) -> bool:
    """Return whether a change is how an addition is undone."""
    return change.key == "Status" and deleted_status([str(change.after)]) is not None


def contested_words(changes: Iterable[FieldChange]) -> str:
    """Return a warning about fields that someone else has changed since; empty without any."""
    labels = dict.fromkeys(label_of(change.key) for change in changes if change.is_contested)
    return f"≠ Someone else has changed {', '.join(labels)} since: this will cause a conflict." if labels else ""


def _names(named: Sequence[NamedItem]) -> str:
    if len(named) > 1:
        return counted_types(each.type for each in named)
    number = f"#{named[0].id} " if named[0].id > 0 else ""
    return f"{number}“{_short(named[0].name)}”"


def _objects(named: Sequence[NamedObject]) -> str:
    first = named[0]
    return f"{first.noun} “{_short(first.text)}”" if len(named) == 1 else counted(len(named), first.noun, first.nouns)


def _numbers(item_ids: Sequence[int]) -> str:
    return f"#{item_ids[0]}" if len(item_ids) == 1 else f"{len(item_ids):,} items"


def _exist(item_ids: Sequence[int]) -> str:
    return "exists" if len(item_ids) == 1 else "exist"


def _verb(done: Reversal) -> str:
    return "redo" if done.is_redo else "undo"


def _participle(done: Reversal) -> str:
    return f"{_verb(done)}ne"


def _short(text: str, length: int = MESSAGE_VALUE_CHARACTERS) -> str:
    return shortened(" ".join(text.split()), length)
