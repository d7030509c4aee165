"""Adding items: of a type or by a template, with the values of the place they are added in."""

from collections.abc import Mapping, Sequence

from backlit.model.errors import BadRequest
from backlit.model.fields import FIELD_BY_KEY, Field, ItemType, Kind
from backlit.model.settings.templates import Template
from backlit.store.edits.items import Family
from backlit.store.store import Store
from backlit.tui.commands.command import Call
from backlit.tui.dialogs.line import LineDialog
from backlit.tui.dialogs.pick import PickDialog
from backlit.tui.drawing.theme_styles import type_sign
from backlit.tui.fields.acts import is_for_customers
from backlit.tui.fields.parser import FieldReading
from backlit.tui.items.field_prompts import check_name
from backlit.tui.items.target import AddTarget
from backlit.tui.shell.drafts import StoredLines
from backlit.tui.widgets.choice_list import Choice

NEW_TYPES = (
    ItemType.STORY,
    ItemType.BUG,
    ItemType.FEATURE,
    ItemType.ISSUE,
    ItemType.RISK,
    ItemType.FEEDBACK,
)
_AS_WRITTEN = frozenset({Kind.TEXT, Kind.LONG_TEXT})


async def add(target: AddTarget, _call: Call) -> None:
    """Ask for a type or a template and for a name, then add an item here; tasks are added where only they can be."""
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
        fields = filled_in(target.store, template)
        await _add(target, template.type, {**target.preset(template.type), **fields}, template.tasks)


async def add_task(target: AddTarget, _call: Call) -> None:
    """Ask for a name, then add a task under the item, or beside it when it is a task."""
    item = target.current()
    parent = item.fields.get("ParentID") if item.type == ItemType.TASK else item.id
    preset = {key: item.fields.get(key) for key in ("AreaID", "IterationID")}
    await _add(target, ItemType.TASK, {**preset, "ParentID": parent})


async def _add(target: AddTarget, item_type: ItemType, preset: Mapping[str, object], tasks: Sequence[str] = ()) -> None:
    is_seen = any(is_for_customers(key) and value for key, value in preset.items())
    title, note = f"New {item_type.value.lower()}", "» Customers see this one." if is_seen else ""
    kept = StoredLines(target.store, f"new {item_type.value}:{preset.get('ParentID') or ''}")
    name = await target.ask(LineDialog(title, str(preset.get("Name") or ""), check_name, note=note, kept=kept))
    if name is not None:
        family = Family(item_type, {**preset, "Name": name.strip()}, [{"Name": each} for each in tasks])
        target.item_added((await target.store.items.add_families([family]))[0])


def filled_in(store: Store, template: Template) -> dict[str, object]:
    """The values of a template in the current project. Raises BadRequest naming what it does not have."""
    reading = FieldReading(store)
    custom = {field.key: field for field in store.lookups.custom_fields()}
    found: dict[str, object] = {}
    for key, value in template.fields.items():
        field = FIELD_BY_KEY.get(key) or custom.get(key)
        if field is None or not field.applies_to(template.type):
            raise BadRequest(f"The template “{template.name}” fills in {key}, which this project does not have.")
        try:
            found[key] = _value(reading, field, template.type, value)
        except BadRequest as fault:
            raise BadRequest(f"The template “{template.name}” does not fit this project: {fault}") from None
    return found


def _value(reading: FieldReading, field: Field, item_type: ItemType, value: object) -> object:
    if not isinstance(value, str) or field.kind in _AS_WRITTEN:
        return value
    return reading.read(field, item_type, value)
