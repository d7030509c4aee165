"""Saving in the editor: faults first, then the changes of others, then what customers will see, then the journal."""

from collections.abc import Mapping
from functools import partial

from backlit.model.errors import BacklitError, NotFound
from backlit.model.fields import Field
from backlit.store.edits.checks import ON_EDIT, check
from backlit.store.edits.conflicts import ConflictCase, ContestedField, KeptSide
from backlit.store.edits.deletions import is_settable
from backlit.store.records.changes import ConnectionState
from backlit.store.records.entry import EntryKind, EntryState, OutboxEntry
from backlit.store.records.item import Item, RowSign, is_seen_by_customers
from backlit.store.store import Store
from backlit.tui.commands.command import CannotAct, CommandContext
from backlit.tui.commands.table import key_of
from backlit.tui.dialogs.dialog import AnswerKey, ConfirmDialog
from backlit.tui.editor.field_form import FieldForm
from backlit.tui.editor.form_commands import EditorCommandTarget
from backlit.tui.fields.values import label_of
from backlit.tui.items.change_questions import agrees_on_ended, agrees_on_estimates, tasks_to_finish
from backlit.tui.items.conflict_dialog import Decisions
from backlit.tui.items.resolve import resolve_case, resolve_item

_NOT_SET: tuple[object, ...] = (None, "", [])


async def save(target: EditorCommandTarget, _call: CommandContext) -> None:
    await save_draft(target)


async def save_and_close(target: EditorCommandTarget, _call: CommandContext) -> None:
    if await save_draft(target):
        if target.item_id is not None and (item := target.store.item(target.item_id)):
            target.say(saved_words(target.store, item))
        target.dismiss(None)


async def save_and_next(target: EditorCommandTarget, _call: CommandContext) -> None:
    if await save_draft(target):
        target.open_next()


def discard(target: EditorCommandTarget, _call: CommandContext) -> None:
    discard_draft(target)


def discard_draft(target: EditorCommandTarget) -> None:
    target.form.leave()
    target.autosave.forget()
    target.dismiss(None)


async def resolve(target: EditorCommandTarget, _call: CommandContext) -> None:
    """Decide between the draft and what others changed meanwhile, else resolve a conflict or a refusal of the item."""
    target.form.leave()
    if target.item_id is None:
        raise CannotAct("This item is not saved yet.")
    if target.draft.elsewhere:
        await _decide(target)
    else:
        await resolve_item(target, target.item_id)


async def save_draft(target: EditorCommandTarget) -> bool:
    """Journal the draft; return False where it has faults or the user decided not to save it now."""
    async with target.is_saving:
        return await _save_draft(target)


async def _save_draft(target: EditorCommandTarget) -> bool:
    if not await _is_ready(target):
        return False
    draft = target.draft
    if not draft and target.item_id is not None:
        target.tell("Nothing was changed.")
        return True
    changes, seen = dict(draft.changes), dict(draft.seen)
    if not (await _is_agreed(target, changes) and await agrees_on_estimates(target, [changes])):
        return False
    if not await agrees_on_ended(target, [changes if target.item_id is not None else {**draft.base, **changes}]):
        return False
    tasks = await tasks_to_finish(target, {} if target.item_id is None else {target.item_id: changes})
    if tasks is None:
        return False
    try:
        if target.item_id is None:
            await _add(target, {**draft.base, **changes})
        else:
            every = {target.item_id: changes, **tasks.changes}
            await target.store.items.edit_each(every, {target.item_id: seen, **tasks.seen})
    except NotFound:
        if not await _decide_gone(target, changes):
            return False
    except BacklitError as error:
        draft.faults.update(error.errors)
        _show_faults(target, str(error))
        return False
    draft.saved(changes)
    target.autosave.write()
    target.form.redraw()
    target.follow_saved()
    return True


def saved_words(store: Store, item: Item) -> str:
    """Return the state of the saved changes of an item, and the way on where they were not sent."""
    entry = store.conflicts.of_item(item.id)
    if item.sign is RowSign.NONE:
        return "Saved and sent."
    if entry is None:
        connection = store.connection
        if connection.state is ConnectionState.ONLINE:
            return "Saved. Sending …"
        why = connection.sentence or connection.state.value
        return f"Saved on this machine, not sent yet: {why} {key_of('app.outbox')}: outbox."
    case = store.conflicts.case(entry.id)
    if entry.state is EntryState.REFUSED or case is None:
        return f"Saved on this machine, but rejected: {entry.reason} {key_of('editor.conflict')} to resolve."
    labels = ", ".join(label_of(each.key) for each in case.fields)
    author, way = case.changed_by or "somebody", key_of("editor.conflict")
    return f"Saved on this machine, not sent: {author} changed {labels} too. {way} to resolve."


class EditorNotice:
    """The sentence in place of the help, until the cursor moves; it follows saved changes until they are sent."""

    def __init__(self, form: FieldForm, sentence: str) -> None:
        self.sentence = sentence
        self._form = form
        self._said_at: tuple[Field | None, str] = (None, "")
        self._about_save = ""
        self._is_followed = False
        self._sent: Mapping[str, object] = {}
        """The values of the item when its saved changes had been sent."""

    def say(self, sentence: str) -> None:
        self.sentence, self._said_at = sentence, self._place

    def moved(self) -> None:
        """Take back what was said before the move; the message of a move can arrive after a newer sentence."""
        if self._place != self._said_at:
            self.sentence = ""

    def begin_save(self) -> None:
        self._is_followed, self._about_save = True, "Saved. Sending …"
        self.say(self._about_save)

    def resume_save(self) -> None:
        """Go on with what was said of the changes, for an item that was created again."""
        self._is_followed = True
        self.say(self._about_save)

    def follow(self, store: Store, item: Item) -> None:
        """Say how far the saved changes are; once the cursor has moved, only how they ended.

        That they were sent is taken back with the next change, such as their undo.
        """
        if not self._is_followed:
            if self.sentence and self.sentence == self._about_save and item.fields != self._sent:
                self.say("")
            return
        self._is_followed, self._sent = item.sign is not RowSign.NONE, item.fields
        before, self._about_save = self._about_save, saved_words(store, item)
        is_over = item.sign is not RowSign.PENDING and before != self._about_save
        if is_over or self.sentence == before:
            self.say(self._about_save)

    @property
    def _place(self) -> tuple[Field | None, str]:
        return self._form.grid.field, self._form.open_key


async def _is_ready(target: EditorCommandTarget) -> bool:
    """Return whether nothing is wrong and nothing is left to decide; shows the faults, asks for the decisions."""
    while True:
        target.form.leave()
        target.lines.check_all(target.draft)
        if target.draft.faults:
            _show_faults(target)
            return False
        if not target.draft.elsewhere:
            return True
        if not await _decide(target):
            return False


async def _is_agreed(target: EditorCommandTarget, changes: Mapping[str, object]) -> bool:
    words = [
        f"{field.label} → {target.lines.words.shown(field, changes[field.key])}"
        for field in target.lines.fields(target.draft)
        if field.key in changes and is_seen_by_customers(field.key)
    ]
    if not words:
        return True
    question = ConfirmDialog("» Customers see this", "; ".join(words), [AnswerKey("y", "save")], "not yet")
    return await target.ask(question) is not None


async def _add(target: EditorCommandTarget, fields: Mapping[str, object], held: str = "") -> None:
    """Create the item, or with a reason hold it in the outbox."""
    items, item_type = target.store.items, target.item_type
    target.item_id = await (items.keep(item_type, fields, held) if held else items.add(item_type, fields))
    target.lines.is_new = False
    target.autosave.move(f"edit:{target.item_id}")
    item = target.store.item(target.item_id)
    if item is not None:
        target.draft.rebase(item.fields, is_told=False)


async def _decide_gone(target: EditorCommandTarget, changes: Mapping[str, object]) -> bool:
    """Ask about the draft of an item that others deleted; return whether it became a new item."""
    sentence = f"Someone deleted #{target.item_id}. Your changes are not saved."
    answers = [
        AnswerKey("n", "create the item again with your changes"),
        AnswerKey("k", "keep it as a draft in the outbox"),
        AnswerKey("d", "discard your changes"),
    ]
    key = await target.ask(ConfirmDialog("This item was deleted", sentence, answers, "stay here"))
    if key == "d":
        discard_draft(target)
    if key not in {"n", "k"}:
        return False
    is_asked = "IterationID" in changes  # as part of the save
    if key == "n" and not is_asked and not await agrees_on_ended(target, [target.draft.base]):
        return False
    values = {**target.draft.base, **changes}
    fields = {key: value for key, value in values.items() if is_settable(key, is_new=True) and value not in _NOT_SET}
    await _add(target, fields, f"Someone deleted #{target.item_id}. Kept as a draft." if key == "k" else "")
    return True


def _show_faults(target: EditorCommandTarget, sentence: str = "") -> None:
    """Show the faults, else the sentence; the cursor goes to the first field with a fault."""
    faults = target.draft.faults
    target.form.redraw()
    for field in target.lines.fields(target.draft):
        if field.key in faults:
            target.form.grid.go_to(field.key)
            break
    target.tell(f"Not saved. {' '.join(faults.values())}" if faults else sentence)


async def _decide(target: EditorCommandTarget) -> bool:
    """Ask whose values the draft takes; return whether that was decided."""
    case = _draft_case(target)
    sentence = f"{case.changed_by or 'Somebody'} changed this item while you were editing."
    if not await resolve_case(target, case, sentence, partial(_take_decisions, target, case)):
        return False
    target.form.changed()
    return True


def _draft_case(target: EditorCommandTarget) -> ConflictCase:
    draft, item_id = target.draft, target.item_id or 0
    item = target.store.item(item_id)
    fields = tuple(
        ContestedField(key, before, draft.value(key), draft.base.get(key)) for key, before in draft.elsewhere.items()
    )
    entry = OutboxEntry(-abs(item_id), 0.0, 0, item_id, EntryKind.EDIT, {}, state=EntryState.CONFLICT)
    by, at = (item.last_modified_by, item.last_modified_at) if item else ("", None)
    return ConflictCase(entry, fields, target.item_type, entry.id, by, at)


async def _take_decisions(target: EditorCommandTarget, case: ConflictCase, decided: Decisions) -> None:
    draft = target.draft
    edited = {key: value for key, value in decided.items() if not isinstance(value, KeptSide)}
    edited = check(case.item_type, edited, target.store.lookups, ON_EDIT)
    for field in case.fields:
        decision, theirs_now = decided[field.key], draft.base.get(field.key)
        if decision is KeptSide.THEIRS:
            draft.decide(field.key, theirs_now)
            continue
        draft.decide(field.key, field.mine if decision is KeptSide.MINE else edited[field.key])
        if theirs_now != field.theirs:
            draft.elsewhere[field.key] = field.theirs
    draft.tidy()
