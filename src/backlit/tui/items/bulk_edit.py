"""Changes of items as one step: the journal, the differences to agree to, and the items that could not be changed."""

from collections.abc import Iterator, Mapping, Sequence

from textual.content import Content

from backlit.model.errors import BacklitError, sentence_of
from backlit.model.field_values import NOTHING
from backlit.model.fields import Field, Kind
from backlit.model.ready_check import ReadyRule
from backlit.model.statuses import STARTED_GROUPS
from backlit.store.grooming import MANY_UNREADY
from backlit.store.records.item import Item, counted_types, number_of
from backlit.store.store import Store
from backlit.tui.dialogs.dialog import AnswerKey
from backlit.tui.dialogs.reading import (
    MAX_DIFFERENCE_LINES,
    FittedLine,
    GroupHeading,
    Line,
    ReadingDialog,
    change_of,
    item_line,
)
from backlit.tui.drawing.text import safe, shortened
from backlit.tui.fields.field_edits import (
    MAX_CHANGE_WORDS,
    BulkChange,
    Changes,
    FieldEdit,
    as_clause,
    field_named,
    tags_of,
)
from backlit.tui.fields.values import ScreenFieldWords
from backlit.tui.items.change_questions import agrees_on_ended, agrees_on_estimates, left_open, tasks_to_finish
from backlit.tui.items.target import ItemTarget
from backlit.tui.widgets.item_rows import SYNCED_SIGN, UNREADY_SIGN

Faults = Mapping[int, Sequence[ReadyRule]]
"""The rules of the ready check that items do not meet, by item."""
_LONG_KINDS = frozenset({Kind.TEXT, Kind.LONG_TEXT, Kind.TAGS})
ONLY_READY = "r"
"""The answer that changes only the items that are ready."""
MAX_SHOWN_TEXT = 60
"""Characters of a long text that are shown."""


async def journal(target: ItemTarget, act: FieldEdit, items: Sequence[Item]) -> None:
    """Journal a change as one step; asks first for several items and for what customers see.

    Edits that are refused are offered again. Raises the BacklitError of a single item's edit.
    """
    plan = act.bulk_change(items, target.store.lookups)
    if not plan.changes:
        target.say(plan.why_nothing(), is_bad=not plan.already)
        return
    new = plan.changes.values()
    if not (await agrees_on_estimates(target, new) and await agrees_on_ended(target, new)):
        return
    tasks = await tasks_to_finish(target, plan.changes)
    if tasks is None:
        return
    is_simple = len(items) == 1 and not plan.is_for_customers
    plan.add(tasks)
    if not is_simple and not await _is_agreed(target, plan):
        return
    if act.is_repeatable:
        target.session.last_act = act
    failed = await _write(target, plan)
    if not failed:
        words = _written_words(target.store, plan)
        left = left_open(target.store, plan.changes)
        target.say(f"{words}{'' if words.endswith('…') else '.'}{left} u to undo.")
        return
    names = {item_id: plan.items[item_id].name for item_id in failed}
    if await target.ask(failed_question(len(plan.changes), failed, names)):
        await journal(target, act, target.store.batch.items(list(failed)))


async def _is_agreed(target: ItemTarget, plan: BulkChange) -> bool:
    """Ask whether the items of a plan may change, and leave out of it what the answer leaves out."""
    answer = await target.ask(await bulk_question(target.store, plan))
    if answer == ONLY_READY:
        plan.leave_out(target.store.ready_check.faults_of(_begun(target.store, plan)))
        if not plan.changes:
            target.say("None of the items is ready any more.", is_bad=True)
    return answer is not None and bool(plan.changes)


async def _write(target: ItemTarget, plan: BulkChange) -> Mapping[int, str]:
    """Journal all as one step; where that is refused, journal each item alone. Returns the refusals by item."""
    try:
        await target.store.items.edit_each(plan.changes, plan.seen, plan.act.cause)
    except BacklitError:
        if len(plan.changes) == 1:
            raise
    else:
        return {}
    failed = {}
    for item_id, changes in plan.changes.items():
        try:
            await target.store.items.edit([item_id], changes, plan.seen[item_id], plan.act.cause)
        except BacklitError as error:
            failed[item_id] = sentence_of(error)
    return failed


def _written_words(store: Store, plan: BulkChange) -> str:
    """Return what has changed: the number of items, or the one item with its value where the act says only a step."""
    label = plan.act.label
    if len(plan.changes) > 1:
        return f"{label}: {plan.words} changed"
    ((item_id, changes),) = plan.changes.items()
    (key, value), *others = changes.items()
    field = field_named(key, store.lookups)
    if not others and " → " not in label and (key == "Estimate" or field.kind not in _LONG_KINDS):
        label = f"{field.label} → {ScreenFieldWords(store).shown(field, value)}"
    return f"{number_of(item_id)}: {_short(label, MAX_CHANGE_WORDS)}"


def _begun(store: Store, plan: BulkChange) -> list[Item]:
    groups = store.lookups.status_groups()
    statuses = {item_id: str(changes.get("Status") or "") for item_id, changes in plan.changes.items()}
    return [
        plan.items[item_id] for item_id, status in statuses.items() if status and groups.of(status) in STARTED_GROUPS
    ]


async def bulk_question(store: Store, plan: BulkChange) -> ReadingDialog:
    """Return the question whether the items of a plan may change, with the old and the new values of each.

    Those that the plan begins unready are a group with the reasons. A change that is the same for all stands in the
    title alone.
    """
    begun = _begun(store, plan)
    unready = await store.ready_check.count([each.id for each in begun])
    count, faults = len(plan.changes), store.ready_check.faults_of(begun[:MAX_DIFFERENCE_LINES] if unready else ())
    answers = [AnswerKey("y", f"apply to {plan.words if count > 1 else 'it'}")]
    if 0 < unready == len(faults) < count:
        answers.append(AnswerKey(ONLY_READY, f"only the {count - unready:,} ready"))
    label, changed = plan.act.label, _changed(store, plan)
    field, arrow, _ = label.partition(" → ")
    changes = {lines[0][1].plain if isinstance(lines[0], tuple) else "" for lines in changed.values()}
    change = changes.pop() if len(changes) == 1 and not (plan.already or plan.left_out) else ""
    if arrow and count > 1 and 0 < len(change) <= MAX_CHANGE_WORDS:
        changed = {item_id: [(_name_of(lines[0]), Content())] for item_id, lines in changed.items()}
        label = f"{field}: {change}"
    lines = list(_grouped(store, plan, changed, faults, unready))
    return ReadingDialog(label, lines, list(_warnings(plan)), answers, "cancel", is_near_cursor=True)


def _warnings(plan: BulkChange) -> Iterator[Content]:
    if plan.is_for_customers:
        yield Content.styled("» Customers see this.", "bold $warn")
    if count := plan.synced:
        words = f"{count:,} of them {'is' if count == 1 else 'are'} synced with another tracker."
        yield Content.styled(f"{SYNCED_SIGN} {words}", "bold $warn")


def _changed(store: Store, plan: BulkChange) -> dict[int, list[Line]]:
    """Return the lines of the items that change: the name, with the change beside it, or below where it has several."""
    words, width = ScreenFieldWords(store), _number_width(plan)
    changed: dict[int, list[Line]] = {}
    for item_id, changes in list(plan.changes.items())[:MAX_DIFFERENCE_LINES]:
        item = plan.items[item_id]
        name = item_line(item.id, item.type, item.name, width)
        found = [(field_named(key, store.lookups), value) for key, value in changes.items()]
        if len(plan.act.keys) == len(found) == 1:
            changed[item_id] = [(name, _change(words, found[0][0], item, found[0][1]))]
            continue
        below = [
            Content.assemble((f"    {safe(field.label)}  ", "$muted"), _change(words, field, item, value))
            for field, value in found
        ]
        changed[item_id] = [name, *below]
    return changed


def _grouped(
    store: Store, plan: BulkChange, changed: Mapping[int, Sequence[Line]], faults: Faults, unready: int
) -> Iterator[FittedLine]:
    """Yield the items that change, those of them that are not ready, with the reason, and those that stay."""
    ready = [line for item_id, lines in changed.items() if item_id not in faults for line in lines]
    if plan.total > 1 and ready:
        yield GroupHeading("Changes", _counted(plan, [each for each in plan.changes if each not in faults]))
    yield from ready
    if unready:
        yield from [Content()] if ready else ()
        more, inputs = "+" * (unready == MANY_UNREADY), store.ready_check.rule_inputs()
        words = f"{unready:,}{more}" if more or unready > len(faults) else _counted(plan, list(faults))
        yield GroupHeading(f"{UNREADY_SIGN} Changes, but not ready", words, is_warning=True)
        for item_id in (each for each in changed if each in faults):
            reason = Content.styled(", ".join(rule.failure_label(inputs) for rule in faults[item_id]), "$warn")
            first, *others = changed[item_id]
            change = first[1] if isinstance(first, tuple) and first[1] else None
            yield _name_of(first), Content.assemble(change, "  ", reason) if change else reason
            yield from others
    if (left := len(plan.changes) - len(changed)) > 0:
        yield Content.styled(f"… and {left:,} more", "$muted")
    kept = [(item, _kept(store, plan, item)) for item in plan.already]
    kept += [(item, _short(as_clause(why))) for why, items in plan.left_out.items() for item in items]
    if kept:
        yield Content()
        yield GroupHeading("Stays as it is", counted_types(item.type for item, _ in kept))
    for item, state in kept[: max(0, MAX_DIFFERENCE_LINES - len(plan.changes))]:
        name = item_line(item.id, item.type, item.name, _number_width(plan))
        yield Content.styled(name.plain, "$muted"), Content.styled(state, "$muted")


def _name_of(line: Line) -> Content:
    return line[0] if isinstance(line, tuple) else line


def _number_width(plan: BulkChange) -> int:
    items = (*plan.items.values(), *plan.already, *(item for items in plan.left_out.values() for item in items))
    return max(len(number_of(item.id)) for item in items)


def _counted(plan: BulkChange, ids: Sequence[int]) -> str:
    return counted_types(plan.items[item_id].type for item_id in ids)


def _kept(store: Store, plan: BulkChange, item: Item) -> str:
    field = field_named(plan.act.keys[0], store.lookups)
    if len(plan.act.keys) > 1 or field.kind is Kind.TAGS:
        return "unchanged"
    return f"already {_short(ScreenFieldWords(store).shown(field, item.fields.get(field.key)), MAX_CHANGE_WORDS)}"


def _change(words: ScreenFieldWords, field: Field, item: Item, value: object) -> Content:
    if field.kind is Kind.TAGS:
        return Content.assemble(*_tag_parts(item, {field.key: value}))
    return change_of(*(_short(words.shown(field, each)) for each in (item.fields.get(field.key), value)))


def _short(text: str, most: int = MAX_SHOWN_TEXT) -> str:
    if text in {"", NOTHING}:
        return "not set"
    return safe(shortened(text, most))


def failed_question(total: int, failed: Mapping[int, str], names: Mapping[int, str]) -> ReadingDialog:
    lines: list[Line] = []
    for item_id, reason in list(failed.items())[:MAX_DIFFERENCE_LINES]:
        lines += [item_line(item_id, "", names.get(item_id, "")), Content.assemble((f"  {safe(reason)}", "$error"))]
    if len(failed) > MAX_DIFFERENCE_LINES:
        lines.append(Content.styled(f"… and {len(failed) - MAX_DIFFERENCE_LINES:,} more", "$muted"))
    return ReadingDialog(f"{len(failed):,} of {total:,} could not be changed", lines, (), [AnswerKey("r", "try again")])


def _tag_parts(item: Item, changes: Changes) -> Iterator[tuple[str, str]]:
    before, tags = tags_of(item), changes["Tags"]
    after = [str(tag) for tag in tags] if isinstance(tags, list | tuple) else []
    for tag in before:
        if tag not in after:
            yield safe(f"−{tag} "), "$muted"
    for tag in after:
        if tag not in before:
            yield safe(f"+{tag} "), "bold"
