"""Resolving outbox entries that are in conflict or were rejected, and drafts that others have overtaken."""

from collections.abc import Awaitable, Callable, Mapping
from datetime import date
from functools import partial

from backlit.model.errors import BacklitError, BadRequest
from backlit.model.field_values import read_text, typed_text
from backlit.model.fields import FIELD_BY_KEY, Field, Kind, custom_field
from backlit.store.edits.conflicts import UNRESOLVED, ConflictCase, ContestedField, KeptSide
from backlit.store.object_changes.kinds import object_change, object_creation
from backlit.store.records.entry import DELETES, TRANSFORMS, EntryKind, EntryState, OutboxEntry
from backlit.store.records.item import number_of
from backlit.store.records.merge import is_long, with_both
from backlit.store.store import Store
from backlit.tui.commands.command import CannotAct
from backlit.tui.dialogs.compose import ComposeDialog, WrittenText, ask_until_saved
from backlit.tui.dialogs.dialog import AnswerKey, ConfirmDialog
from backlit.tui.dialogs.line import LineDialog
from backlit.tui.dialogs.pick import Choice, PickDialog, PickManyDialog
from backlit.tui.fields.choices import PICKED_KINDS, field_choices
from backlit.tui.fields.dates import moment
from backlit.tui.fields.values import author_colour, is_replaced, label_of, words_of
from backlit.tui.items.change_questions import agrees_on_ended, agrees_on_estimates
from backlit.tui.items.conflict_dialog import ConflictDialog, ConflictQuestion, Decisions, NewValue
from backlit.tui.items.entry_text import (
    content_of,
    deletion_state,
    moved_words,
    name_of,
    node_summary,
    transform_words,
)
from backlit.tui.shell.drafts import StoredDraft, StoredLines
from backlit.tui.shell.target import StoreCommandTarget

SettleConflict = Callable[[Decisions], Awaitable[None]]
"""Carries decisions out; raises BadRequest for values that are not valid."""


async def resolve_item(target: StoreCommandTarget, item_id: int) -> None:
    """Resolve the oldest unsettled entry of an item; raises CannotAct where there is none."""
    entry = target.store.conflicts.of_item(item_id)
    if entry is None:
        raise CannotAct("This item has no conflicts or rejected changes.")
    await resolve_entry(target, entry)


async def resolve_entry(target: StoreCommandTarget, entry: OutboxEntry) -> None:
    """Ask with the dialog that fits the entry; raises CannotAct for an entry that is only queued."""
    case = target.store.conflicts.case(entry.id)
    if target.store.conflicts.is_gone(entry):
        await _decide_gone(target, entry)
    elif entry.kind is EntryKind.COMMENT and entry.state is EntryState.REFUSED:
        await _rewrite(target, entry)
    elif case is not None:
        await resolve_case(
            target, case, _what_happened(target.store, case), partial(target.store.conflicts.resolve, case)
        )
    elif entry.state in UNRESOLVED:
        await _decide(target, entry)
    else:
        raise CannotAct("Already queued. It will be sent when the server is reachable.")


# A case: fields with two values


async def resolve_case(target: StoreCommandTarget, case: ConflictCase, sentence: str, settle: SettleConflict) -> bool:
    """Ask for a decision on each field until they are carried out; return False where the user put it off.

    A conflict begins undecided; the fields of a rejected change begin with the user's values.
    """
    store, entry = target.store, case.entry
    is_conflict = entry.state is EntryState.CONFLICT
    item = store.item(entry.item_id)
    number = number_of(entry.item_id)
    title = f"{'Conflict' if is_conflict else 'Rejected'}  {number} {item.name if item else ''}"
    edit = partial(_ask_value, target, case)
    theirs = case.changed_by if is_conflict else ""
    colour = f"${author_colour(store, theirs)}"
    question = ConflictQuestion(title, sentence, case.fields, partial(words_of, store), edit, theirs, colour)
    decided: Decisions = {} if is_conflict else {each.key: KeptSide.MINE for each in case.fields}
    faults: Mapping[str, str] = {}
    note = ""
    while (answer := await target.ask(ConflictDialog(question, decided, faults, note))) is not None:
        try:
            await settle(answer)
        except BacklitError as error:
            faults = {each.key: error.errors[each.key] for each in case.fields if each.key in error.errors}
            decided, note = answer, "" if faults else str(error)
            continue
        for field in case.fields:
            await store.drafts.discard(_draft_key(case, field.key))
        return True
    return False


def _what_happened(store: Store, case: ConflictCase) -> str:
    if case.entry.state is not EntryState.CONFLICT:
        return case.entry.reason
    when = f" on {moment(case.changed_at, store.local)}" if case.changed_at else ""
    return f"{case.changed_by or 'Somebody'} changed this item{when}. Your edit is on hold."


async def _ask_value(
    target: StoreCommandTarget, case: ConflictCase, contested: ContestedField, decision: object
) -> NewValue | None:
    """Ask for a value, beginning with the decision, else with the user's value, of a long text with both versions."""
    store = target.store
    if is_long(contested.key, contested.mine, contested.theirs):
        return await _ask_text(target, case, contested, decision)
    field = _field_of(store, contested.key)
    present = _present(contested, decision)
    if field.kind is Kind.TAGS or isinstance(present, list):
        chosen = [str(tag) for tag in present] if isinstance(present, list) else []
        tags = await target.ask(PickManyDialog(field.label, store.lookups.tags(), chosen, free=True))
        return None if tags is None else NewValue(list(tags))
    if field.kind in PICKED_KINDS or field.kind is Kind.BOOLEAN:
        if field.kind is Kind.BOOLEAN:
            choices = [Choice(True, "yes"), Choice(False, "no"), Choice(None, "–", "not set")]
        else:
            choices = field_choices(store, field, case.item_type, present)
        is_free = store.lookups.is_free(field, case.item_type)
        choice = await target.ask(PickDialog(field.label, choices, present, free=is_free))
        if choice is None or not await agrees_on_ended(target, [{field.key: choice.value}]):
            return None
        return NewValue(choice.value)
    kept = StoredLines(store, _draft_key(case, contested.key))
    check, replaces = partial(_fault, field, store.today()), is_replaced(field, present)
    text = await target.ask(LineDialog(field.label, typed_text(present), check, is_replaced=replaces, kept=kept))
    if text is None:
        return None
    value = read_text(field, text, store.today())
    return NewValue(value) if await agrees_on_estimates(target, [{field.key: value}]) else None


async def _ask_text(
    target: StoreCommandTarget, case: ConflictCase, contested: ContestedField, decision: object
) -> NewValue | None:
    if decision is None:
        text = with_both(*(str(each or "") for each in (contested.base, contested.mine, contested.theirs)))
    else:
        text = str(_present(contested, decision) or "")
    label = _field_of(target.store, contested.key).label
    draft = StoredDraft(target.store, _draft_key(case, contested.key))
    dialog = ComposeDialog(label, text, draft, act="apply", names=target.store.lookups.mentionable())
    dialog.area.move_cursor((0, 0))
    answer = await target.ask(dialog)
    return None if answer is None else NewValue(answer.text)


def _fault(field: Field, today: date, text: str) -> str | None:
    try:
        read_text(field, text, today)
    except BadRequest as error:
        return str(error)
    return f"{field.label} is required." if field.required and not text.strip() else None


def _draft_key(case: ConflictCase, key: str) -> str:
    return f"settle:{case.entry.id}:{key}"


def _field_of(store: Store, key: str) -> Field:
    custom = {field.key: field for field in store.lookups.custom_fields()}
    return FIELD_BY_KEY.get(key) or custom.get(key) or custom_field(key, Kind.TEXT)


def _present(field: ContestedField, decision: object) -> object:
    if decision is KeptSide.THEIRS:
        return field.theirs
    return field.mine if decision is None or decision is KeptSide.MINE else decision


# Entries without values


async def _decide(target: StoreCommandTarget, entry: OutboxEntry) -> None:
    """Ask about an entry without values to choose from: a deletion, a move, a change of a tree."""
    is_deletion = entry.kind in DELETES
    answers = [
        AnswerKey("r", "delete it anyway" if is_deletion else "send it again"),
        AnswerKey("d", "keep it" if is_deletion else "discard the change"),
        AnswerKey("c", "copy as text"),
    ]
    reason = f"{entry.reason.rstrip('.')}." if entry.reason else ""
    sentence = " ".join(part for part in (reason, deletion_state(entry)) if part)
    title = "Conflict" if entry.state is EntryState.CONFLICT else "Rejected"
    key = await target.ask(ConfirmDialog(f"{title}  {_entry_title(entry)}", sentence, answers, "later"))
    if key is not None:
        await _answer(target, entry, key)


async def _decide_gone(target: StoreCommandTarget, entry: OutboxEntry) -> None:
    store, item_id = target.store, entry.item_id
    answers = [
        AnswerKey("n", "create the item again with your changes"),
        AnswerKey("r", "send it again"),
        AnswerKey("d", "discard the change"),
        AnswerKey("c", "copy as text"),
    ]
    creation = object_creation(entry)
    what = creation.noun if creation else f"change of {', '.join(map(label_of, entry.payload))}"
    sentence = f"Someone deleted #{item_id}. Your {what} was not saved."
    key = await target.ask(ConfirmDialog(f"Rejected  #{item_id}", sentence, answers, "keep it in the outbox"))
    if key == "n":
        item = store.item(item_id)
        if item is None or await agrees_on_ended(target, [item.fields]):
            await store.history.create_again(item_id)
            target.say("Created again under a new number. u to undo.")
    elif key is not None:
        await _answer(target, entry, key)


async def _answer(target: StoreCommandTarget, entry: OutboxEntry, key: str) -> None:
    if key == "c":
        target.copy(content_of(target.store, entry), "Copied the change, which is still to be resolved")
    elif key == "r":
        await target.store.conflicts.retry(entry.id)
    elif key == "d":
        await target.store.conflicts.discard(entry.id)
        await target.store.look_at(entry.item_id)


async def _rewrite(target: StoreCommandTarget, entry: OutboxEntry) -> None:
    key, before = f"outbox:{entry.id}", str(entry.payload.get("text") or "")

    def make(written: WrittenText | None, fault: str) -> ComposeDialog:
        draft, text = StoredDraft(target.store, key), before if written is None else written.text
        names = target.store.lookups.mentionable()
        return ComposeDialog(
            "Rejected comment", text, draft, act="send again", names=names, is_again=bool(fault), fault=fault
        )

    async def save(written: WrittenText) -> bool:
        await target.store.conflicts.rewrite(entry.id, written.text)
        await target.store.drafts.discard(key)
        return True

    await ask_until_saved(target, make, save)


def _entry_title(entry: OutboxEntry) -> str:
    if (change := object_change(entry)) is not None:
        verb = "delete " if entry.kind in DELETES else ""
        return f"{verb}{change.noun} on #{entry.item_id}"
    if entry.kind is EntryKind.DELETE:
        return f"delete #{entry.item_id} {entry.payload.get('name') or ''}"
    if entry.kind is EntryKind.RECALL:
        return f"whether #{entry.item_id} is deleted"
    if entry.kind in TRANSFORMS:
        return f"{transform_words(entry)}: {number_of(entry.item_id)}"
    if entry.kind is EntryKind.RANK:
        return f"move #{entry.item_id} {moved_words(entry)}"
    return f"{node_summary(entry)} “{name_of(entry)}”"
