"""The lines of the editor's grid, made of the field table and a draft."""

from collections.abc import Iterable, Iterator
from itertools import groupby

from backlit.model.errors import BadRequest
from backlit.model.fields import SYNC_KEYS, Field, Kind, Section, Settable, fields_of
from backlit.store.edits.checks import check
from backlit.store.store import Store
from backlit.tui.drawing.themes import status_colour, status_sign
from backlit.tui.editor.field_grid import GridLine
from backlit.tui.editor.item_draft import ItemDraft
from backlit.tui.fields.acts import is_for_customers
from backlit.tui.fields.dates import HELP as DAYS_HELP
from backlit.tui.fields.dates import holds_days
from backlit.tui.fields.values import NOTHING, FieldWords, read_text

ON_EDIT = frozenset({Settable.ALWAYS})
ON_ADD = frozenset({Settable.ALWAYS, Settable.ON_CREATE})


class FieldLines:
    """Says what stands in the line of a field; `is_new` for an item that does not exist yet."""

    def __init__(self, store: Store, item_type: str, *, is_new: bool) -> None:
        self.store = store
        self.item_type = item_type
        self.is_new = is_new
        self.words = FieldWords(store)

    @property
    def settable(self) -> frozenset[Settable]:
        """The kinds of fields that may be set."""
        return ON_ADD if self.is_new else ON_EDIT

    def fields(self, draft: ItemDraft) -> list[Field]:
        """Return the fields of the type; those of an external tracker only where the item has them."""
        every = fields_of(self.item_type, self.store.lookups.custom_fields())
        every = tuple(field for field in every if field.key not in SYNC_KEYS or field.key in draft.base)
        if self.is_new:
            every = tuple(field for field in every if field.settable in ON_ADD)
        order = list(Section)
        return sorted(every, key=lambda field: order.index(field.section))

    def why_fixed(self, field: Field) -> str | None:
        """Why a field cannot be set here; None where it can."""
        if field.settable in self.settable:
            return None
        if field.settable is Settable.NEVER:
            return f"{field.label} is worked out by the service."
        return f"{field.label} cannot be changed once the item exists."

    def check_all(self, draft: ItemDraft) -> None:
        """Note every fault of the draft, also in values that were restored or that are missing."""
        for field in self.fields(draft):
            self.check(field, draft)
            if field.required and not draft.value(field.key) and field.key not in draft.unread:
                draft.faults.setdefault(field.key, f"{field.label} is required.")

    def check(self, field: Field, draft: ItemDraft) -> None:
        """Note the fault of a field's value."""
        key = field.key
        if key not in draft.touched:
            return
        try:
            if key in draft.unread:
                read_text(field, draft.unread[key])
            else:
                check(self.item_type, {key: draft.changes[key]}, self.store.lookups, self.settable)
        except BadRequest as error:
            draft.faults[key] = error.errors.get(key) or str(error)

    def help(self, field: Field, draft: ItemDraft) -> str:
        """Return a line about a field, first its value before somebody else changed it."""
        if field.key in draft.arrived:
            was = self.words.shown(field, draft.arrived[field.key])
            merged = "Changed at both sides and put together" if field.key in draft.touched else "Changed by others"
            return f"{field.label}: {merged} while this is open; it was: {was}"
        about = _HELP[Kind.TAGS] if field.kind is Kind.TAGS else field.help or _HELP.get(field.kind, "")
        if holds_days(field, draft.base.get(field.key)):
            about = DAYS_HELP
        if is_for_customers(field.key):
            about = f"{about} Customers see it; saving asks.".strip()
        fixed = self.why_fixed(field)
        if fixed:
            return f"{fixed}  {about}"
        needed = "Required. " if field.required else ""
        return f"{field.label}: {needed}{about}" if needed or about else field.label

    def lines(self, draft: ItemDraft) -> list[GridLine]:
        """Return all lines: a heading over each section, faults and changes of others under their fields."""
        made: list[GridLine] = []
        for section, fields in groupby(self.fields(draft), key=lambda field: field.section):
            made.append(GridLine(_HEADINGS.get(section, section.value), is_heading=True))
            made += self._of_fields(fields, draft)
        return made

    def _of_fields(self, fields: Iterable[Field], draft: ItemDraft) -> Iterator[GridLine]:
        for field in fields:
            yield self._of_field(field, draft)
            if field.key in draft.faults:
                yield GridLine(f"! {draft.faults[field.key]}", "conflict")
            if field.key in draft.elsewhere:
                now = self.words.shown(field, draft.base.get(field.key))
                yield GridLine(f"≠ service now has: {now}  (g= decides)", "conflict")

    def _of_field(self, field: Field, draft: ItemDraft) -> GridLine:
        sign, sign_colour = self._sign(field.key, draft)
        value = draft.value(field.key)
        text = draft.unread.get(field.key) or self.words.shown(field, value)
        return GridLine(self._signed(field, text), self._colour(field, value, text), field, sign, sign_colour)

    def _signed(self, field: Field, text: str) -> str:
        if text == NOTHING:
            preset = field.default_for(self.item_type) if self.is_new else None
            return f"({preset})" if preset else "(required)" if field.required else NOTHING
        return f"{status_sign(text, self.store.lookups.status_groups())} {text}" if field.kind is Kind.STATUS else text

    def _sign(self, key: str, draft: ItemDraft) -> tuple[str, str]:
        if key in draft.faults:
            return "!", "conflict"
        if key in draft.elsewhere:
            return "≠", "conflict"
        if key in draft.touched:
            return "*", "accent"
        return ("↓", "pending") if key in draft.arrived else (" ", "accent")

    def _colour(self, field: Field, value: object, text: str) -> str:
        if text == NOTHING:
            return "faint"
        if self.why_fixed(field):
            return "muted"
        is_status = field.kind is Kind.STATUS
        return status_colour(str(value), self.store.lookups.status_groups()) if is_status else "foreground"


_HEADINGS = {
    Section.PORTAL: f"{Section.PORTAL.value}: customers see this",
    Section.COMPUTED: f"{Section.COMPUTED.value} by the service",
}
_HELP = {
    Kind.TEXT: "One line of text.",
    Kind.CHOICE: "Enter lists the values.",
    Kind.BOOLEAN: "Enter says yes or no.",
    Kind.INTEGER: "A whole number.",
    Kind.NUMBER: "A number; 2.5 and 2,5 are the same.",
    Kind.LONG_TEXT: "Markdown or plain text; p shows it as Markdown, ctrl+e opens it in $EDITOR.",
    Kind.TEAM: "A team that items of the project name.",
    Kind.TAGS: "Enter lists them; tab selects several.",
    Kind.ITEM: "Enter finds it by name or #id.",
}
