"""Asking for another value of a contested field, with what fits its kind."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from textual.app import App

from backlit.model.errors import BadRequest
from backlit.model.fields import FIELD_BY_KEY, Field, Kind, custom_field
from backlit.store.edits.conflicts import Case, Contested, Keep
from backlit.store.records.merge import is_long, with_both
from backlit.tui.fields.choices import PICKED, choices_for
from backlit.tui.fields.values import read_text, typed_text

if TYPE_CHECKING:
    from backlit.store.store import Store
    from backlit.tui.widgets.choice_list import Choice

Take = Callable[[object], None]


def draft_key(case: Case, key: str) -> str:
    """Where a long text that is being merged by hand is kept."""
    return f"settle:{case.entry.id}:{key}"


@dataclass(frozen=True, slots=True)
class Asking:
    """What the dialogs open over, and what they are about."""

    app: App[None]
    store: "Store"
    case: Case

    def ask(self, field: Contested, decision: object, take: Take) -> None:
        """Begin with what was decided, else with the user's value, of a long text with both versions."""
        known = _field_of(self.store, field.key)
        present = _present(field, decision)
        if is_long(field.key, field.mine, field.theirs):
            self._ask_text(field, decision, take)
        elif known.kind is Kind.TAGS or isinstance(present, list):
            self._ask_tags(known, present, take)
        elif known.kind in PICKED or known.kind is Kind.BOOLEAN:
            self._ask_choice(known, present, take)
        else:
            _ask_line(self.app, known, present, take)

    def _ask_text(self, field: Contested, decision: object, take: Take) -> None:
        from backlit.tui.dialogs.compose import ComposeDialog

        if decision is None:
            text = with_both(str(field.base or ""), str(field.mine or ""), str(field.theirs or ""))
        else:
            text = str(_present(field, decision) or "")

        def written(answer: str | None) -> None:
            if answer is not None:
                take(answer)

        label = _field_of(self.store, field.key).label
        key = draft_key(self.case, field.key)
        dialog = ComposeDialog(self.store, key, label, text, act="take it")
        dialog.area.move_cursor((0, 0))
        self.app.push_screen(dialog, written)

    def _ask_tags(self, field: Field, present: object, take: Take) -> None:
        from backlit.tui.dialogs.pick import PickManyDialog

        chosen = [str(tag) for tag in present] if isinstance(present, list) else []

        def picked(tags: tuple[str, ...] | None) -> None:
            if tags is not None:
                take(list(tags))

        self.app.push_screen(PickManyDialog(field.label, self.store.lookups.tags(), chosen, free=True), picked)

    def _ask_choice(self, field: Field, present: object, take: Take) -> None:
        from backlit.tui.dialogs.pick import Choice, PickDialog

        def picked(choice: "Choice | None") -> None:
            if choice is not None:
                take(choice.value)

        is_free = self.store.lookups.is_free(field, self.case.item_type)
        if field.kind is Kind.BOOLEAN:
            choices = [Choice(True, "yes"), Choice(False, "no"), Choice(None, "–", "nothing")]
        else:
            choices = choices_for(self.store, field, self.case.item_type, present)
        self.app.push_screen(PickDialog(field.label, choices, present, free=is_free), picked)


def _field_of(store: "Store", key: str) -> Field:
    custom = {field.key: field for field in store.lookups.custom_fields()}
    return FIELD_BY_KEY.get(key) or custom.get(key) or custom_field(key, Kind.TEXT)


def _present(field: Contested, decision: object) -> object:
    if decision is Keep.THEIRS:
        return field.theirs
    return field.mine if decision is None or decision is Keep.MINE else decision


def _ask_line(app: App[None], field: Field, present: object, take: Take) -> None:
    from backlit.tui.dialogs.line import LineDialog

    def fault(text: str) -> str | None:
        try:
            read_text(field, text)
        except BadRequest as error:
            return str(error)
        return f"{field.label} is needed." if field.required and not text.strip() else None

    def typed(text: str | None) -> None:
        if text is not None:
            take(read_text(field, text))

    app.push_screen(LineDialog(field.label, typed_text(present), fault), typed)
