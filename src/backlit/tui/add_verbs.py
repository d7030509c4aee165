"""Adding items: of a type or by a template, with what they take over from where they are added."""

from collections.abc import Mapping, Sequence

from backlit.model.errors import BacklitError, BadRequest
from backlit.model.fields import FIELD_BY_KEY, Field, ItemType, Kind
from backlit.model.templates import Template
from backlit.store.edits import Family
from backlit.store.store import Store
from backlit.tui.acting import CannotAct
from backlit.tui.acts import is_for_customers
from backlit.tui.duplicate import DuplicateVerb
from backlit.tui.field_asking import check_name
from backlit.tui.field_reading import FieldReading
from backlit.tui.looks import type_sign
from backlit.tui.work import work

NEW_TYPES = (
    ItemType.STORY,
    ItemType.BUG,
    ItemType.FEATURE,
    ItemType.ISSUE,
    ItemType.RISK,
    ItemType.FEEDBACK,
)
_AS_WRITTEN = frozenset({Kind.TEXT, Kind.LONG_TEXT})


class AddVerbs(DuplicateVerb):
    """A screen where items are added; subclasses say what is taken over there."""

    def do_item_add(self, _count: int | None) -> None:
        """Ask for a type or a template and for a name, then add an item here."""
        from backlit.tui.dialogs.pick import Choice, PickDialog

        templates = self.chord_app.templates
        choices = [Choice(kind, kind.value, type_sign(kind)) for kind in NEW_TYPES]
        choices += [Choice(at, each.name, f"template: {each.type.lower()}") for at, each in enumerate(templates)]

        def chosen(choice: Choice | None) -> None:
            if choice is None:
                return
            if isinstance(choice.value, ItemType):
                self._ask_name(choice.value, self.inherited())
            elif isinstance(choice.value, int):
                self._add_by(templates[choice.value])

        self.app.push_screen(PickDialog("New item", choices, self.expected_type()), chosen)

    def do_item_add_task(self, _count: int | None) -> None:
        """Ask for a name, then add a task under the item (or beside it, when it is a task)."""
        item = self.current_item()
        parent = item.fields.get("ParentID") if item.type == ItemType.TASK else item.id
        preset = {key: item.fields.get(key) for key in ("AreaID", "IterationID")}
        self._ask_name(ItemType.TASK, {**preset, "ParentID": parent})

    def inherited(self) -> dict[str, object]:
        """What a new item takes over from where it is added."""
        try:
            item = self.current_item()
        except CannotAct:
            return {}
        return {key: item.fields[key] for key in ("AreaID", "IterationID") if item.fields.get(key) is not None}

    def expected_type(self) -> ItemType | None:
        """The type that is offered first."""
        return None

    def _add_by(self, template: Template) -> None:
        try:
            fields = filled_in(self.store, template)
        except BadRequest as fault:
            self.say(str(fault), is_bad=True)
            return
        self._ask_name(template.type, {**self.inherited(), **fields}, template.tasks)

    def _ask_name(self, item_type: ItemType, preset: Mapping[str, object], tasks: Sequence[str] = ()) -> None:
        from backlit.tui.dialogs.line import LineDialog

        def typed(text: str | None) -> None:
            if text is not None:
                family = Family(item_type, {**preset, "Name": text.strip()}, [{"Name": name} for name in tasks])
                self.run_worker(work(self._add, family), group="writes")

        begun = str(preset.get("Name") or "")
        seen = any(is_for_customers(key) and value for key, value in preset.items())
        dialog = LineDialog(
            f"New {item_type.value.lower()}", begun, check_name, note="» Customers see this one." if seen else ""
        )
        self.app.push_screen(dialog, typed)

    async def _add(self, family: Family) -> None:
        try:
            made = await self.store.add_families([family])
        except BacklitError as error:
            self.say(" ".join([str(error), *error.errors.values()]), is_bad=True)
            return
        self.item_added(made[0])


def filled_in(store: Store, template: Template) -> dict[str, object]:
    """The values of a template in the current project. Raises BadRequest naming what it does not have."""
    reading = FieldReading(store)
    custom = {field.key: field for field in store.custom_fields()}
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
