"""Choices for the value of a field, and the list that shows choices."""

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from msgspec import Struct
from rich.cells import cell_len
from rich.segment import Segment
from textual.strip import Strip

from backlit.model.field_values import NOTHING, value_word
from backlit.model.fields import Field, Kind
from backlit.store.records.people import TreeKind, current, following, leaves
from backlit.tui.drawing.text import fit, safe
from backlit.tui.drawing.themes import CURSOR_BAR, status_sign
from backlit.tui.fields.dates import days_until
from backlit.tui.fields.values import ScreenFieldWords
from backlit.tui.widgets.line_list import LineList

if TYPE_CHECKING:
    from backlit.store.store import Store


LEAD = 4
"""Cells before the label: the cursor bar, the sign, and blanks."""
PADDING = 1
"""Cells after the hint."""
LEAST_LABEL = 16
NO_MATCHES = "No matches"
PARTLY_SIGN = "–"
"""The sign of a value that only some of many items have."""


class Choice(Struct, frozen=True):
    """A choice: its value, its label, and a hint beside it.

    A hint of one cell is a sign in front of the label.
    """

    value: object
    label: str
    hint: str = ""


class ChoiceList(LineList, can_focus=False):
    """Shows choices; the dialog sets the rows and the selected values."""

    IS_IN_DIALOG = True

    def __init__(self, sign: str) -> None:
        super().__init__()
        self._sign = sign
        self._choices: Sequence[Choice] = ()
        self._selected: frozenset[object] = frozenset()
        self._partly: frozenset[object] = frozenset()
        self._is_flat = False
        self.is_numbered = False
        """Whether each row begins with its number."""

    def show(self, choices: Sequence[Choice], cursor: int, *, is_flat: bool) -> None:
        """Show other rows; flat ones lose the indentation of a tree."""
        self._choices = choices
        self._is_flat = is_flat
        self.rows_replaced(cursor)

    def select(self, selected: frozenset[object], partly: frozenset[object] = frozenset()) -> None:
        """Select the rows of some values, and those of values that only some of many items have."""
        self._selected, self._partly = selected, partly
        self.refresh()

    def row_count(self) -> int:
        return len(self._choices)

    def render_row(self, index: int, *, is_cursor: bool) -> Strip:
        choice = self._choices[index]
        theme = self.theme_styles
        on = "cursor-background" if is_cursor else None
        number = f"{index + 1} " if self.is_numbered and not self._is_flat else ""
        room = self.size.width - LEAD - PADDING - len(number)
        hint = safe(choice.hint)
        label = choice.label.strip() if self._is_flat else choice.label
        if cell_len(hint) == 1:
            hint, label = "", f"{hint} {label}"
        hint_width = cell_len(hint) + 2 if hint else 0
        if hint_width and room - hint_width < min(LEAST_LABEL, cell_len(label)):
            hint_width = max(0, room - LEAST_LABEL)
        sign = self._sign if choice.value in self._selected else PARTLY_SIGN if choice.value in self._partly else " "
        segments = [
            Segment("▌ " if is_cursor else "  ", theme.style(CURSOR_BAR, on=on)),
            Segment(f"{sign} ", theme.style("mark", on=on)),
            Segment(number, theme.style(on=on, bold=True)),
            Segment(fit(label, room - hint_width), theme.style(on=on, bold=is_cursor)),
            Segment(" " * min(2, hint_width) + fit(hint, hint_width - 2), theme.style("muted", on=on)),
        ]
        return Strip(segments).adjust_cell_length(self.size.width, theme.style(on=on))

    def render_blank(self, y: int) -> Strip:
        theme = self.theme_styles
        text = f"    {NO_MATCHES}" if y == 0 and not self._choices else ""
        return Strip([Segment(text, theme.style("muted"))]).adjust_cell_length(self.size.width, theme.style())


PICKED_KINDS = frozenset({Kind.CHOICE, Kind.STATUS, Kind.AREA, Kind.ITERATION, Kind.TEAM, Kind.USER})
NEVER_EMPTY_KINDS = frozenset({Kind.STATUS, Kind.AREA, Kind.ITERATION})


def can_be_empty(field: Field) -> bool:
    return not field.required and field.kind not in NEVER_EMPTY_KINDS


def field_choices(store: "Store", field: Field, item_type: str, value: object) -> list[Choice]:
    """Return the choices: an empty one at the top where allowed, an unknown present value at the end."""
    found = _choices(store, field, item_type)
    if can_be_empty(field):
        is_owner = field.key == "AssignedToID"
        found.insert(0, Choice(None, "unassigned") if is_owner else Choice(None, NOTHING, "nothing"))
    if value is not None and all(choice.value != value for choice in found):
        found.append(Choice(value, ScreenFieldWords(store).shown(field, value), "present value"))
    return found


def likely_value(store: "Store", field: Field, value: object) -> object:
    """Return the value where a picker begins: for an item in the backlog, the current or the next iteration."""
    iterations = store.lookups.iterations() if field.kind is Kind.ITERATION else {}
    here = iterations.get(value) if isinstance(value, int) else None
    if not iterations or (here is not None and "\\" in here.path):
        return value
    found, today = leaves(iterations.values()), store.today()
    return next((each.id for each in (*current(found, today), *following(found, today))), value)


def unknown_status(store: "Store", field: Field, types: Iterable[str], value: object) -> str:
    """Return a warning about a status that no item has; empty where the status is known or the service lists them."""
    if field.kind is not Kind.STATUS or any(value in store.lookups.statuses(each) for each in types):
        return ""
    return f"No item here has the status “{value}” yet; the server may refuse it."


def _choices(store: "Store", field: Field, item_type: str) -> list[Choice]:
    match field.kind:
        case Kind.STATUS:
            groups = store.lookups.status_groups()
            found = store.lookups.choices(field, item_type)
            return [Choice(each, value_word(field, each), status_sign(each, groups)) for each in found]
        case Kind.USER:
            people = sorted(store.lookups.people().values(), key=lambda person: person.display_name.casefold())
            return [Choice(person.id, person.display_name, person.username) for person in people]
        case Kind.TEAM:
            return [Choice(team_id, name) for team_id, name in store.lookups.teams().items()]
        case Kind.AREA | Kind.ITERATION:
            tree = store.lookups.tree(TreeKind.AREAS if field.kind is Kind.AREA else TreeKind.ITERATIONS)
            dates = store.lookups.iterations() if field.kind is Kind.ITERATION else {}
            hints = {each.id: days_until(each.start, each.end, store.today()) for each in dates.values()}
            return [
                Choice(node.id, "  " * tree.depth(node.id) + node.name, hints.get(node.id, "")) for node in tree.walk()
            ]
        case _:
            return [Choice(each, value_word(field, each)) for each in store.lookups.choices(field, item_type)]
