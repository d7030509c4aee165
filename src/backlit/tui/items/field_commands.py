"""Commands that change one field of the chosen items, and the prompts for its new value."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from datetime import date
from functools import partial
from hashlib import blake2b

from msgspec import Struct
from msgspec.structs import replace

from backlit.model.amounts import points_of
from backlit.model.dates import NAMED_DAY_FORMS
from backlit.model.errors import BadRequest
from backlit.model.field_values import NOTHING, number_text, read_text, read_typed, typed_text
from backlit.model.fields import FIELD_BY_KEY, NAME_LIMIT, SYNC_KEYS, Field, Kind, Settable, fields_of
from backlit.model.statuses import StatusGroup, StatusGroups
from backlit.store.records.item import Item, counted_types
from backlit.store.records.merge import is_same
from backlit.store.records.people import IterationEntry, current, following, leaves, preceding
from backlit.store.store import Store
from backlit.store.views.lookups import Lookups
from backlit.tui.commands.command import CannotAct, CommandContext
from backlit.tui.commands.table import key_of
from backlit.tui.dialogs.compose import ComposeDialog
from backlit.tui.dialogs.line import LineDialog
from backlit.tui.dialogs.pick import PickDialog, PickTagsDialog
from backlit.tui.fields.choices import PICKED_KINDS, Choice, can_be_empty, field_choices, likely_value, unknown_status
from backlit.tui.fields.dates import days_until
from backlit.tui.fields.field_edits import (
    Changes,
    DoesNotApply,
    FieldEdit,
    change_tags_edit,
    field_named,
    require_field,
    set_field_edit,
    tags_of,
)
from backlit.tui.fields.values import ScreenFieldWords, is_replaced, lines_of, merged
from backlit.tui.items.target import ItemTarget
from backlit.tui.shell.drafts import StoredDraft, StoredLines


async def change(target: ItemTarget, call: CommandContext) -> None:
    await change_field(target, call.command.argument, target.chosen(call.rows))


async def change_due(target: ItemTarget, call: CommandContext) -> None:
    """Ask for the due date; a day that was typed after the command is set at once."""
    field = target.store.lookups.due_field()
    if field is None:
        raise CannotAct(
            "No field of this project is its due date. Name one: backlit admin fields change, or [due] in the settings."
        )
    items = target.chosen(call.rows)
    if not call.text.strip():
        await change_field(target, field.key, items)
        return
    items_with_field(field.key, items, target.store.lookups)
    try:
        value = read_text(field, call.text, target.store.today())
    except BadRequest as error:
        raise CannotAct(error.message) from error
    await target.apply(_set(target.store, field, value), items)


async def change_any(target: ItemTarget, call: CommandContext) -> None:
    items = target.chosen(call.rows)
    found: dict[str, Choice] = {}
    for item_type in dict.fromkeys(item.type for item in items):
        for field in fields_of(item_type, target.store.lookups.custom_fields()):
            if field.settable is Settable.ALWAYS and field.key not in SYNC_KEYS:
                count = sum(field.applies_to(item.type) for item in items)
                hint = field.section.value if count == len(items) else f"{count:,} of {len(items):,}"
                found[field.key] = Choice(field.key, field.label, hint)
    choice = await target.ask(PickDialog(title_of("Field", items, items), list(found.values())))
    if choice is not None:
        await change_field(target, str(choice.value), items)


async def assign(target: ItemTarget, call: CommandContext) -> None:
    """Assign to the user who is signed in, or take the owner off, by the command's argument."""
    user, lookups = target.store.connection.user, target.store.lookups
    if call.command.argument == "nobody":
        user = None
    elif user is None:
        raise CannotAct("Nobody is signed in yet, so there is no “me” to assign to.")
    items = target.chosen(call.rows)
    items_with_field("AssignedToID", items, lookups)
    owner, words = (user.id, user.display_name) if user else (None, "unassigned")
    await target.apply(set_field_edit(field_named("AssignedToID", lookups), owner, words), items)


async def set_points(target: ItemTarget, call: CommandContext) -> None:
    """Set the estimate to the points of the digit; raises CannotAct for a number that is not on the scale."""
    scale = [number_text(step) for step in target.session.scale_in(target.store)]
    if call.letter not in scale:
        raise CannotAct(
            f"{call.letter} is not on the scale ({', '.join(scale)}). {key_of('item.estimate')} to enter another value."
        )
    items = target.chosen(call.rows)
    items_with_field("Estimate", items, target.store.lookups)
    await target.apply(_set(target.store, field_named("Estimate", target.store.lookups), call.letter), items)


async def step_estimate(target: ItemTarget, call: CommandContext) -> None:
    steps = int(call.command.argument) * (call.count or 1)
    items = target.chosen()
    items_with_field("Estimate", items, target.store.lookups)

    scale = target.session.scale_in(target.store)

    def changes(item: Item) -> Changes:
        return {"Estimate": stepped_estimate(item.fields.get("Estimate"), steps, scale)}

    await target.apply(FieldEdit(f"Estimate {steps:+d}", ("Estimate",), changes), items)


async def set_group(target: ItemTarget, call: CommandContext) -> None:
    """Set the first status that means done, or the first that means open, by the command's argument."""
    label = call.command.argument
    group = StatusGroup.DONE if label == "Done" else StatusGroup.NOT_STARTED
    items = target.chosen(call.rows)
    items_with_field("Status", items, target.store.lookups)
    groups = target.store.lookups.status_groups()

    def changes(item: Item) -> Changes:
        if groups.is_open(item.status) if label == "Reopen" else groups.of(item.status) is group:
            return {}
        return {"Status": first_status(target.store.lookups.statuses(item.type), group, groups)}

    await target.apply(FieldEdit(label, ("Status",), changes), items)


async def move_to_backlog(target: ItemTarget, call: CommandContext) -> None:
    roots = [each for each in target.store.lookups.iterations().values() if "\\" not in each.path]
    if not roots:
        raise CannotAct("The iterations are still being read; try again in a moment.")
    await _move(target, roots[0].id, "the backlog", target.chosen(call.rows))


_ITERATIONS_AROUND_TODAY: Mapping[
    str, tuple[Callable[[Sequence[IterationEntry], date], Sequence[IterationEntry]], str]
] = {
    "current": (current, "No iteration is under way"),
    "next": (following, "No iteration starts after today"),
    "previous": (preceding, "No iteration has ended yet"),
}


async def move_to(target: ItemTarget, call: CommandContext) -> None:
    """Move to the iteration of, after or before today, by the command's argument; ask which of several."""
    items, (near, nothing) = target.chosen(call.rows), _ITERATIONS_AROUND_TODAY[call.command.argument]
    found = near(leaves(target.store.lookups.iterations().values()), target.store.today())
    if not found:
        raise CannotAct(f"{nothing}; {key_of('app.iterations')} shows the iterations.")
    names = {each.id: each.name for each in found}
    wanted: object = found[0].id
    if len(found) > 1:
        today = target.store.today()
        choices = [Choice(each.id, each.name, days_until(each.start, each.end, today)) for each in found]
        choice = await target.ask(PickDialog("Move to which iteration?", choices))
        wanted = None if choice is None else choice.value
    if isinstance(wanted, int):
        await _move(target, wanted, names[wanted], items)


async def _move(target: ItemTarget, iteration_id: int, name: str, items: Sequence[Item]) -> None:
    await target.apply(set_field_edit(FIELD_BY_KEY["IterationID"], iteration_id, name), items)


def stepped_estimate(estimate: object, steps: int, scale: Sequence[float]) -> str:
    """Return the estimate some steps up or down a rising scale, and no further than its ends; unset counts as zero."""
    text = str(estimate) if estimate not in (None, "") else ""
    points = points_of(text) if text else 0.0
    if points is None:
        raise DoesNotApply(
            f"“{text[:20]}” is not a number, so it has no next step; {key_of('item.estimate')} changes it."
        )
    if not text and steps < 0:
        raise DoesNotApply("It has no estimate yet.")
    if steps > 0:
        above = [step for step in scale if step > points]
        wanted = above[min(steps, len(above)) - 1] if above else points
    else:
        below = [step for step in reversed(scale) if step < points]
        wanted = below[min(-steps, len(below)) - 1] if below else points
    return text if wanted == points and text else number_text(wanted)


def first_status(statuses: Sequence[str], group: StatusGroup, groups: StatusGroups) -> str:
    """Return the first status of a group; the first open one where no status means not started."""
    found = groups.first(statuses, group)
    if found is None and group is StatusGroup.NOT_STARTED:
        found = next((each for each in statuses if groups.is_open(each)), None)
    if found is not None:
        return found
    raise DoesNotApply(f"It has no status that means {group.value}.")


# Asking for a value


async def change_field(target: ItemTarget, key: str, items: Sequence[Item]) -> None:
    """Ask for a new value of a field and apply it; raises CannotAct where no item has the field."""
    found = items_with_field(key, items, target.store.lookups)
    if await target.open_field(key):
        return
    field = field_named(key, target.store.lookups)
    if field.settable is not Settable.ALWAYS:
        never = field.settable is Settable.NEVER
        raise CannotAct(f"{field.label} {'is worked out by the server' if never else 'cannot be changed'}.")
    if field.kind is Kind.TAGS:
        await _change_tags(target, items, found)
    elif field.kind is Kind.LONG_TEXT:
        await _change_text(target, field, items, found)
    else:
        values = [item.fields.get(key) for item in found]
        value = values[0] if all(is_same(values[0], each) for each in values) else None
        answer = await _ask_value(target, field, title_of(field.label, found, items), found, value)
        if answer is not None:
            await target.apply(_set(target.store, field, answer.value), items)


def items_with_field(key: str, items: Sequence[Item], lookups: Lookups) -> list[Item]:
    """Return the items that have a field; raises CannotAct where none has it."""
    lookups.need_writer()
    found, reasons = [], []
    for item in items:
        try:
            require_field(key, item, lookups)
            found.append(item)
        except DoesNotApply as reason:
            reasons.append(str(reason))
    if not found:
        raise CannotAct(" ".join(dict.fromkeys(reasons)))
    return found


class _Answer(Struct, frozen=True):
    """A value that was given; the value may be None."""

    value: object


def _set(store: Store, field: Field, value: object) -> FieldEdit:
    words = ScreenFieldWords(store).shown(field, value)
    if field.kind in {Kind.AREA, Kind.ITERATION}:  # the way there says less than the name, and comes first
        words = words.rpartition(" › ")[2]
    return set_field_edit(field, value, words)


async def _ask_value(
    target: ItemTarget, field: Field, title: str, items: Sequence[Item], value: object
) -> _Answer | None:
    if field.kind is Kind.BOOLEAN:
        if len(items) == 1:
            return _Answer(value is not True)
        choices = [Choice(True, "yes"), Choice(False, "no"), Choice(None, NOTHING, "nothing")]
        choice = await target.ask(PickDialog(title, choices, value))
        return None if choice is None else _Answer(choice.value)
    if field.kind in PICKED_KINDS:
        return await _pick_value(target, field, title, items, value)
    check = partial(check_line, field, target.store.today())
    kept = StoredLines(target.store, draft_key(field, items))
    scale = [*map(number_text, target.session.scale_in(target.store))]
    at_once = " c5 enters 5 at once." if "5" in scale else ""
    note = f"A day such as {NAMED_DAY_FORMS}." if field.kind is Kind.DATE else ""
    if field.key == "Estimate":
        note = f"Scale: {', '.join(scale)}.{at_once} A word such as XL has no points."
    dialog = LineDialog(title, typed_text(value), check, is_replaced=is_replaced(field, value), note=note, kept=kept)
    text = await target.ask(dialog)
    return None if text is None else _Answer(read_typed(field, text, value, target.store.today()))


async def _pick_value(
    target: ItemTarget, field: Field, title: str, items: Sequence[Item], value: object
) -> _Answer | None:
    store, types = target.store, {item.type for item in items}
    is_free = all(store.lookups.is_free(field, each) for each in types)
    start = likely_value(store, field, value)
    choice = await target.ask(PickDialog(title, _choices(store, field, items, value), value, start=start, free=is_free))
    if choice is None:
        return None
    if warning := unknown_status(store, field, types, choice.value):
        target.say(warning, is_bad=True)
    return _Answer(choice.value)


def _choices(store: Store, field: Field, items: Sequence[Item], value: object) -> list[Choice]:
    """Return the values of all types of the items; a hint counts the items where a value is not for all."""
    types = Counter(item.type for item in items)
    found: dict[object, Choice] = {}
    fitting: Counter[object] = Counter()
    for item_type, count in types.items():
        for choice in field_choices(store, field, item_type, value):
            found.setdefault(choice.value, choice)
            fitting[choice.value] += count
    return [
        choice if fitting[choice.value] == len(items) else _for_some(choice, fitting[choice.value], len(items))
        for choice in found.values()
    ]


async def _change_tags(target: ItemTarget, items: Sequence[Item], found: Sequence[Item]) -> None:
    counts = Counter(tag for item in found for tag in dict.fromkeys(tags_of(item)))
    title = title_of("Tags", found, items)
    change = await target.ask(PickTagsDialog(title, target.store.lookups.tags(), counts, len(found)))
    if change is not None and (change.added or change.removed):
        await target.apply(change_tags_edit(change.added, change.removed), items)


async def _change_text(target: ItemTarget, field: Field, items: Sequence[Item], found: Sequence[Item]) -> None:
    """Have a text written; a draft that was kept is a change of the text it was made from."""
    values = [item.fields.get(field.key) for item in found]
    before = str(values[0] or "") if all(is_same(values[0], each) for each in values) else ""
    draft = draft_key(field, found)
    title = title_of(field.label, found, items)
    names = target.store.lookups.mentionable()
    answer = await target.ask(ComposeDialog(title, before, StoredDraft(target.store, draft), act="save", names=names))
    if answer is None:
        return
    text, made_from = answer
    if len(items) == 1 and made_from != str(items[0].fields.get(field.key) or ""):
        items = [replace(items[0], fields={**items[0].fields, field.key: made_from})]
    await target.apply(_set(target.store, field, merged(made_from, lines_of(text))), items)
    await target.store.drafts.discard(draft)


def draft_key(field: Field, items: Sequence[Item]) -> str:
    """Return the key of the draft of a field of some items; a text typed for some is not offered for others."""
    if len(items) == 1:
        return f"field:{field.key}:{items[0].id}"
    ids = ",".join(str(each) for each in sorted(item.id for item in items))
    return f"field:{field.key}:marked {blake2b(ids.encode(), digest_size=8).hexdigest()}"


def title_of(label: str, found: Sequence[Item], items: Sequence[Item]) -> str:
    if len(items) == 1:
        return label
    if len(found) == len(items):
        return f"{label} of {counted_types(item.type for item in items)}"
    return f"{label}: {len(found):,} of {len(items):,} apply"


def check_line(field: Field, today: date, text: str) -> str | None:
    """Return a sentence about the fault of a typed value; None for a valid one."""
    if field.key == "Name":
        return check_name(text)
    if not text.strip() and not can_be_empty(field):
        return f"{field.label} cannot be empty."
    try:
        read_text(field, text, today)
    except BadRequest as error:
        return str(error)
    return None


def check_name(text: str) -> str | None:
    if not text.strip():
        return "A name is required. esc to cancel."
    if len(text.strip()) > NAME_LIMIT:
        return f"A name has at most {NAME_LIMIT} characters; this one has {len(text.strip())}."
    return None


def _for_some(choice: Choice, count: int, total: int) -> Choice:
    sign = f"{choice.hint} " if len(choice.hint) == 1 else ""
    return Choice(choice.value, sign + choice.label, f"{count:,} of {total:,}")
