"""What a form of fields asks with pickers, and how it judges what it was given."""

from textual.containers import Container

from backlit.model.errors import BadRequest
from backlit.model.fields import Field
from backlit.store.checks import check
from backlit.tui.dialogs.choice_list import Choice
from backlit.tui.dialogs.pick import PickDialog, PickManyDialog
from backlit.tui.field_choices import choices_for, unknown_status
from backlit.tui.field_lines import FieldLines
from backlit.tui.field_text import read_text
from backlit.tui.item_draft import ItemDraft
from backlit.tui.text import safe


class FieldPicks(Container):
    """A form over a draft; `asked` is the key of the field that a picker is open for."""

    def __init__(self, lines: FieldLines, draft: ItemDraft) -> None:
        super().__init__(id="form")
        self.draft = draft
        self.lines = lines
        self.asked = ""

    def put(self, field: Field, value: object) -> None:
        """Give a field a value."""
        raise NotImplementedError

    def judge_all(self) -> None:
        """Note all that is wrong, also with what was restored or came from elsewhere."""
        for field in self.lines.fields(self.draft):
            self.judge(field)
            if field.required and not self.draft.value(field.key) and field.key not in self.draft.unread:
                self.draft.faults.setdefault(field.key, f"{field.label} is needed.")

    def judge(self, field: Field) -> None:
        """Note what is wrong with a field's value."""
        key = field.key
        if key not in self.draft.touched:
            return
        try:
            if key in self.draft.unread:
                read_text(field, self.draft.unread[key])
            else:
                lines = self.lines
                check(lines.item_type, {key: self.draft.changes[key]}, lines.store, lines.settable)
        except BadRequest as error:
            self.draft.faults[key] = error.errors.get(key) or str(error)

    # Pickers

    def pick(self, field: Field, value: object) -> None:
        """Have one value picked."""
        lines = self.lines
        choices = choices_for(lines.store, field, lines.item_type, value)
        is_free = lines.store.is_free(field, lines.item_type)

        def chosen(choice: Choice | None) -> None:
            self.asked = ""
            if choice is not None:
                self.put(field, choice.value)
                if warning := unknown_status(lines.store, field, {lines.item_type}, choice.value):
                    self.app.notify(safe(warning), markup=False, severity="warning")

        self.asked = field.key
        self.app.push_screen(PickDialog(field.label, choices, value, free=is_free), chosen)

    def pick_tags(self, field: Field, value: object) -> None:
        """Have tags marked."""
        present = [str(tag) for tag in value] if isinstance(value, list | tuple) else []

        def chosen(tags: tuple[str, ...] | None) -> None:
            self.asked = ""
            if tags is not None:
                self.put(field, list(tags))

        self.asked = field.key
        self.app.push_screen(PickManyDialog(field.label, self.lines.store.tags(), present, free=True), chosen)

    def pick_item(self, field: Field) -> None:
        """Have an item found by its name or number."""
        from backlit.tui.dialogs.pick_item import PickItemDialog

        def chosen(item_id: object) -> None:
            self.asked = ""
            if item_id is not None:
                self.put(field, item_id)

        self.asked = field.key
        self.app.push_screen(PickItemDialog(self.lines.store, field.label), chosen)
