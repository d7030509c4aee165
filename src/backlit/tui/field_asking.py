"""Asking for a field's new value, by the kind of the field, for one item or for several."""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial

from backlit.model.errors import BadRequest
from backlit.model.fields import NAME_LIMIT, Field, Kind, Settable
from backlit.store.rows import Item
from backlit.store.values import is_same
from backlit.tui.acting import CannotAct
from backlit.tui.acts import DoesNotApply, field_named, need, tags_of, to_tags, to_value
from backlit.tui.bulk import Bulk
from backlit.tui.dialogs.choice_list import Choice
from backlit.tui.field_choices import PICKED, can_be_empty, choices_for, unknown_status
from backlit.tui.field_text import NOTHING, FieldWords, read_text, read_typed, typed_text
from backlit.tui.kept_text import lines_of, merged


class FieldAsking(Bulk):
    """Opens what fits a field: a picker, a line, a text; then has the change carried out."""

    def ask(self, key: str, items: Sequence[Item] = ()) -> None:
        """Ask for the value of a field of some items, else of the chosen ones; raises CannotAct where none has it."""
        field = field_named(key, self.store)
        if field.settable is not Settable.ALWAYS:
            never = field.settable is Settable.NEVER
            raise CannotAct(f"{field.label} {'is worked out by the service' if never else 'cannot be changed'}.")
        items = items or self.chosen()
        self._ask_with(field, items, self.having(key, items))

    def having(self, key: str, items: Sequence[Item]) -> list[Item]:
        """Those of some items that have a field; raises CannotAct where that is none."""
        found, reasons = [], []
        for item in items:
            try:
                need(key, item, self.store)
                found.append(item)
            except DoesNotApply as reason:
                reasons.append(str(reason))
        if not found:
            raise CannotAct(" ".join(dict.fromkeys(reasons)))
        return found

    def _ask_with(self, field: Field, items: Sequence[Item], having: Sequence[Item]) -> None:
        title = title_of(field.label, len(having), len(items))

        def take(value: object) -> None:
            self.carry_out(to_value(field, value, FieldWords(self.store).shown(field, value)), items)

        def take_from(value: object, before: str) -> None:
            words = FieldWords(self.store).shown(field, value)
            is_newer = len(items) == 1 and before != str(items[0].fields.get(field.key) or "")
            seen = [replace(items[0], fields={**items[0].fields, field.key: before})] if is_newer else items
            self.carry_out(to_value(field, value, words), seen)

        values = [item.fields.get(field.key) for item in having]
        value = values[0] if all(is_same(values[0], each) for each in values) else None
        if field.kind is Kind.BOOLEAN and len(items) == 1:
            take(value is not True)
        elif field.kind is Kind.BOOLEAN:
            self.pick(title, [Choice(True, "yes"), Choice(False, "no"), Choice(None, NOTHING, "nothing")], value, take)
        elif field.kind in PICKED:
            self._pick_value(field, title, having, value, take)
        elif field.kind is Kind.TAGS:
            self._pick_tags(title, items, having)
        elif field.kind is Kind.LONG_TEXT:
            self._ask_text(field, title, having, str(value or ""), take_from)
        else:
            self._ask_line(field, title, value, take)

    def _pick_value(
        self, field: Field, title: str, having: Sequence[Item], value: object, take: Callable[[object], None]
    ) -> None:
        types = {item.type for item in having}

        def warned(chosen: object) -> None:
            if warning := unknown_status(self.store, field, types, chosen):
                self.say(warning, is_bad=True)
            take(chosen)

        is_free = all(self.store.is_free(field, each) for each in types)
        self.pick(title, self._choices(field, having, value), value, warned, is_free=is_free)

    def pick(
        self,
        title: str,
        choices: Sequence[Choice],
        value: object,
        take: Callable[[object], None],
        *,
        is_free: bool = False,
    ) -> None:
        """Have one of some values picked, or another one typed."""
        from backlit.tui.dialogs.pick import PickDialog

        def chosen(choice: Choice | None) -> None:
            if choice is not None:
                take(choice.value)

        self.app.push_screen(PickDialog(title, choices, value, free=is_free), chosen)

    def _choices(self, field: Field, having: Sequence[Item], value: object) -> list[Choice]:
        """What may be picked for the types there are, with a hint where it is not for all of them."""
        types = Counter(item.type for item in having)
        found: dict[object, Choice] = {}
        fitting: Counter[object] = Counter()
        for item_type, count in types.items():
            for choice in choices_for(self.store, field, item_type, value):
                found.setdefault(choice.value, choice)
                fitting[choice.value] += count
        return [
            choice if fitting[choice.value] == len(having) else _for_some(choice, fitting[choice.value], len(having))
            for choice in found.values()
        ]

    def _pick_tags(self, title: str, items: Sequence[Item], having: Sequence[Item]) -> None:
        from backlit.tui.dialogs.pick_tags import PickTagsDialog, TagChange

        def chosen(change: TagChange | None) -> None:
            if change is not None and (change.added or change.removed):
                self.carry_out(to_tags(change.added, change.removed), items)

        counts = Counter(tag for item in having for tag in dict.fromkeys(tags_of(item)))
        self.app.push_screen(PickTagsDialog(title, self.store.tags(), counts, len(having)), chosen)

    def _ask_line(self, field: Field, title: str, value: object, take: Callable[[object], None]) -> None:
        from backlit.tui.dialogs.line import LineDialog

        def typed(text: str | None) -> None:
            if text is not None:
                take(read_typed(field, text, value, self.store.today()))

        is_name = field.key == "Name"
        dialog = LineDialog(title, typed_text(value), partial(check_line, field), is_replaced=not is_name)
        self.app.push_screen(dialog, typed)

    def _ask_text(
        self, field: Field, title: str, having: Sequence[Item], text: str, take: Callable[[str, str], None]
    ) -> None:
        """Have a text written; one that was kept is a change of what it was made from."""
        from backlit.tui.dialogs.compose import ComposeDialog
        from backlit.tui.work import work

        draft = f"field:{field.key}:{having[0].id if len(having) == 1 else 'marked'}"
        dialog = ComposeDialog(self.store, draft, title, text)

        def written(answer: str | None) -> None:
            if answer is not None:
                take(merged(dialog.made_from, lines_of(answer)), dialog.made_from)
                self.run_worker(work(self.store.discard_draft, draft), group="writes")

        self.app.push_screen(dialog, written)


def title_of(label: str, having: int, total: int) -> str:
    """What is asked for, and how many items have it."""
    if total == 1:
        return label
    return f"{label} of {total:,} items" if having == total else f"{label}: {having:,} of {total:,} apply"


def check_line(field: Field, text: str) -> str | None:
    """What is wrong with a typed value, as a sentence; None where nothing is."""
    if field.key == "Name":
        return check_name(text)
    if not text.strip() and not can_be_empty(field):
        return f"{field.label} cannot be empty."
    try:
        read_text(field, text)
    except BadRequest as error:
        return str(error)
    return None


def check_name(text: str) -> str | None:
    """What is wrong with a name, as a sentence; None where nothing is (DECISIONS, "Work items")."""
    if not text.strip():
        return "A name is needed; esc leaves without one."
    if len(text.strip()) > NAME_LIMIT:
        return f"A name has at most {NAME_LIMIT} characters; this one has {len(text.strip())}."
    return None


def _for_some(choice: Choice, count: int, total: int) -> Choice:
    sign = f"{choice.hint} " if len(choice.hint) == 1 else ""
    return Choice(choice.value, sign + choice.label, f"{count:,} of {total:,}")
