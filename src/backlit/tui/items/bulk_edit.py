"""Changes of items as one step: the journal, the differences to agree to, and the items that could not be changed."""

from collections.abc import Iterator, Mapping, Sequence

from textual.content import Content

from backlit.model.errors import BacklitError, sentence_of
from backlit.model.field_values import NOTHING
from backlit.model.fields import Field, Kind
from backlit.model.ready_check import ReadyRule
from backlit.model.statuses import STARTED_GROUPS
from backlit.store.grooming import MANY_UNREADY
from backlit.store.records.item import Item, number_of
from backlit.store.store import Store
from backlit.tui.dialogs.dialog import AnswerKey
from backlit.tui.dialogs.reading import MAX_DIFFERENCE_LINES, Line, ReadingDialog, change_of, item_line
from backlit.tui.drawing.text import literal, safe, shortened
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

_LONG_KINDS = frozenset({Kind.TEXT, Kind.LONG_TEXT, Kind.TAGS})
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
    if not is_simple and not await target.ask(await bulk_question(target.store, plan)):
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

    A warning names the items that the plan begins unready. A change that is the same for all stands in the title alone.
    """
    begun = _begun(store, plan)
    unready = await store.ready_check.count([each.id for each in begun])
    count, faults = len(plan.changes), store.ready_check.faults_of(begun[:MAX_DIFFERENCE_LINES] if unready else ())
    answer = AnswerKey("y", f"apply to {plan.words if count > 1 else 'it'}")
    label, lines = plan.act.label, list(_lines(store, plan, faults))
    field, arrow, _ = label.partition(" → ")
    changes = {line[1].plain if isinstance(line, tuple) else "" for line in lines[1:]}
    change = changes.pop() if len(changes) == 1 else ""
    if arrow and count > 1 and 0 < len(change) <= MAX_CHANGE_WORDS:
        labels = (", ".join(rule.label for rule in faults.get(item_id, ())) for item_id in plan.changes)
        lines[1:] = [(line[0], Content.styled(why, "$muted")) for line, why in zip(lines[1:], labels, strict=True)]
        label = f"{field}: {change}"
    return ReadingDialog(label, lines, list(_heading(plan, unready)), [answer], "cancel")


def _heading(plan: BulkChange, unready: int) -> Iterator[Content]:
    if plan.total > 1:
        yield literal(plan.reach())
    if plan.is_for_customers:
        yield Content.styled("» Customers see this.", "bold $warn")
    for sign, count, state in (
        (UNREADY_SIGN, unready, "not ready"),
        (SYNCED_SIGN, plan.synced, "synced with another tracker"),
    ):
        if count:
            known = f"{count:,}{'+' * (sign == UNREADY_SIGN and count == MANY_UNREADY)}"
            yield Content.styled(f"{sign} {known} of them {'is' if count == 1 else 'are'} {state}.", "bold $warn")


def _lines(store: Store, plan: BulkChange, unready: Mapping[int, Sequence[ReadyRule]]) -> Iterator[Line]:
    words = ScreenFieldWords(store)
    if plan.total > 1:
        yield Content()
    for shown, (item_id, changes) in enumerate(plan.changes.items()):
        if shown >= MAX_DIFFERENCE_LINES:
            yield Content.styled(f"… and {len(plan.changes) - shown:,} more", "$muted")
            return
        item = plan.items[item_id]
        sign = (f"{UNREADY_SIGN if item_id in unready else ' '} ", "bold $warn") if unready else ""
        name = Content.assemble(sign, _named(item))
        found = [(field_named(key, store.lookups), value) for key, value in changes.items()]
        if len(plan.act.keys) == len(found) == 1:
            yield name, _change(words, found[0][0], item, found[0][1])
            continue
        yield name
        for field, value in found:
            yield Content.assemble((f"    {safe(field.label)}  ", "$muted"), _change(words, field, item, value))
    others = [(item, _kept(store, plan, item)) for item in plan.already]
    others += [
        (item, _short(as_clause(why), MAX_CHANGE_WORDS)) for why, items in plan.left_out.items() for item in items
    ]
    for item, state in others[: MAX_DIFFERENCE_LINES - len(plan.changes)]:
        yield Content.styled("  " * bool(unready) + _named(item).plain, "$muted"), Content.styled(state, "$muted")


def _kept(store: Store, plan: BulkChange, item: Item) -> str:
    field = field_named(plan.act.keys[0], store.lookups)
    if len(plan.act.keys) > 1 or field.kind is Kind.TAGS:
        return "unchanged"
    return f"already {_short(ScreenFieldWords(store).shown(field, item.fields.get(field.key)), MAX_CHANGE_WORDS)}"


def _named(item: Item) -> Content:
    return item_line(item.id, item.type, item.name)


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
