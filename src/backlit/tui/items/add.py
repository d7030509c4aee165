"""Adding items: of a type, by a template or as a copy, with the values of the place they are added in."""

from collections.abc import Mapping, Sequence

from msgspec.structs import replace

from backlit.model.fields import ItemType
from backlit.store.edits.checks import not_copied
from backlit.store.edits.copies import copies_of
from backlit.store.edits.items import ItemWithTasks
from backlit.store.records.item import Item, counted_types, is_seen_by_customers
from backlit.store.templates import template_fields
from backlit.tui.commands.command import CommandContext
from backlit.tui.dialogs.dialog import AnswerKey, ConfirmDialog
from backlit.tui.dialogs.line import LineDialog
from backlit.tui.dialogs.pick import PickDialog
from backlit.tui.drawing.themes import type_sign
from backlit.tui.fields.choices import Choice
from backlit.tui.items.change_questions import agrees_on_ended, agrees_on_estimates
from backlit.tui.items.field_commands import check_name
from backlit.tui.items.target import AddTarget
from backlit.tui.shell.drafts import StoredLines

NEW_TYPES = (ItemType.STORY, ItemType.BUG, ItemType.FEATURE, ItemType.ISSUE, ItemType.RISK, ItemType.FEEDBACK)


async def add(target: AddTarget, _call: CommandContext) -> None:
    """Ask for a type or a template and for a name, then add an item here; tasks are added where only they can be."""
    target.store.lookups.need_writer()
    if target.expected_type() is ItemType.TASK and "ParentID" in target.preset(ItemType.TASK):
        await _add(target, ItemType.TASK, target.preset(ItemType.TASK))
        return
    templates = target.session.templates
    choices = [Choice(kind, kind.value, type_sign(kind)) for kind in NEW_TYPES]
    choices += [Choice(at, each.name, f"template: {each.type.lower()}") for at, each in enumerate(templates)]
    choice = await target.ask(PickDialog("New item", choices, target.expected_type()))
    if choice is None:
        return
    if isinstance(choice.value, ItemType):
        await _add(target, choice.value, target.preset(choice.value))
    elif isinstance(choice.value, int):
        template = templates[choice.value]
        fields = template_fields(target.store, template)
        await _add(target, template.type, {**target.preset(template.type), **fields}, template.tasks)


async def add_task(target: AddTarget, _call: CommandContext) -> None:
    """Ask for a name, then add a task under the item, or beside it when it is a task; a Feature gets a story."""
    target.store.lookups.need_writer()
    item = target.current()
    if item.type == ItemType.FEATURE and target.store.lookups.announces("relations"):
        preset = {key: item.fields.get(key) for key in ("AreaID", "IterationID")}
        await _add(target, ItemType.STORY, {**preset, "ParentID": item.id})
        return
    parent = item.fields.get("ParentID") if item.type == ItemType.TASK else item.id
    preset = {key: item.fields.get(key) for key in ("AreaID", "IterationID")}
    await _add(target, ItemType.TASK, {**preset, "ParentID": parent})


async def _add(target: AddTarget, item_type: ItemType, preset: Mapping[str, object], tasks: Sequence[str] = ()) -> None:
    """Ask for a name and add an item; the parent of one that is no task is its Feature, a relation."""
    feature_id = preset.get("ParentID")
    if item_type is not ItemType.TASK:
        preset = {key: value for key, value in preset.items() if key != "ParentID"}
    is_seen = any(is_seen_by_customers(key) and value for key, value in preset.items())
    title, note = f"New {item_type.value.lower()}", "» Customers see this one." if is_seen else ""
    begun = str(preset.get("Name") or "")
    kind = f"new {item_type.value} {begun}".rstrip()  # the name that a template gives tells it from others
    kept = StoredLines(target.store, f"{kind}:{feature_id or ''}")
    name = await target.ask(LineDialog(title, begun, check_name, note=note, kept=kept))
    if name is not None and await agrees_on_estimates(target, [preset]) and await agrees_on_ended(target, [preset]):
        family = ItemWithTasks(item_type, {**preset, "Name": name.strip()}, [{"Name": each} for each in tasks])
        if isinstance(feature_id, int) and item_type is not ItemType.TASK:
            target.item_added_below(feature_id, await target.store.relation_edits.add_below(family, feature_id))
        else:
            target.item_added((await target.store.items.add_families([family]))[0])
        target.say(f"{item_type.value} added. u to undo.")


# Copies


async def duplicate(target: AddTarget, call: CommandContext) -> None:
    """Copy all fields that can be set; asks first for several items, ended iterations, and whether to copy tasks."""
    target.store.lookups.need_writer()
    items = target.chosen(call.rows)
    tasks: Mapping[int, Sequence[Item]] = {item.id: target.store.batch.tasks_of(item.id) for item in items}
    below = any(tasks.values())
    if len(items) > 1 or below:
        noun = "the item" if len(items) == 1 else counted_types(item.type for item in items)
        answers = [AnswerKey("y", f"copy {noun}")]
        if below:
            answers.append(AnswerKey("t", f"copy {_with_tasks(items, tasks)}"))
        sentence = "Copies begin with the first status; comments and attachments are not copied."
        key = await target.ask(ConfirmDialog("Duplicate", sentence, answers, "cancel"))
        if key is None:
            return
        tasks = tasks if key == "t" else {}
    left_out: set[str] = set()
    families = copies_of(target.store.lookups, target.store.criteria, items, tasks, left_out)
    copies = [fields for family in families for fields in (family.fields, *family.tasks)]
    if not await agrees_on_ended(target, copies):
        return
    if target.store.ranking.is_offered:  # a copy stands below its original, not at the end of the backlog
        copied_below = _ids_of(tasks)
        originals = [item for item in items if item.id not in copied_below]
        families = [
            family if item.type == ItemType.TASK else replace(family, after=item.id)
            for family, item in zip(families, originals, strict=True)
        ]
    target.item_added((await target.store.items.add_families(families))[-1])
    words = "Copied" if len(families) == 1 else f"{len(families):,} copied"
    target.say(not_copied(left_out).strip() or f"{words}. u to undo.")


def _with_tasks(items: Sequence[Item], tasks: Mapping[int, Sequence[Item]]) -> str:
    """Return the numbers of items and of their tasks; a selected task of a selected item counts once."""
    below = _ids_of(tasks)
    types = [item.type for item in items if item.id not in below]
    their = "task" if len(below) == 1 else f"{len(below):,} tasks"
    return f"the item with its {their}" if len(types) == 1 else f"{counted_types(types)} with their {their}"


def _ids_of(tasks: Mapping[int, Sequence[Item]]) -> set[int]:
    return {task.id for each in tasks.values() for task in each}
