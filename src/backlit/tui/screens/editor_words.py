"""What stands around the editor's form."""

from collections.abc import Mapping, Sequence

from backlit.model.fields import Field, Kind
from backlit.store.rows import Item, RowSign
from backlit.tui.ages import moment
from backlit.tui.dialogs.difference import Difference
from backlit.tui.field_lines import FieldLines
from backlit.tui.item_draft import ItemDraft
from backlit.tui.looks import type_colour, type_sign
from backlit.tui.widgets.backlog_columns import ROW_SIGNS
from backlit.tui.widgets.lines import Part, hints

HINTS = ("editor.edit", "editor.save", "editor.revert", "editor.difference", "editor.close", "app.help")
FEW_HINTS = ("editor.edit", "editor.save", "app.help")
WHILE_TYPING = (("  esc leave the field", "muted"), ("  ctrl+s save ", "muted"))
ROOM_FOR_HINTS = 100
ROOM_FOR_AUTHOR = 80
SIGN_NOTES: Mapping[RowSign, str] = {
    RowSign.REFUSED: "The service refused a change of this item; g= shows why.",
    RowSign.CONFLICT: "Changed here and on the service; g= settles it.",
}


def left_title(item_id: int | None, item_type: str, name: object) -> list[Part]:
    """Which item it is."""
    sign = (f"{type_sign(item_type)} {item_type}  ", type_colour(item_type))
    number = " new " if item_id is None or item_id < 0 else f" #{item_id} "
    return [(" backlit ", "accent"), (number, "muted"), sign, (str(name or ""), "foreground")]


def right_title(item: Item | None, width: int) -> list[Part]:
    """Who changed it last, where there is room, and whether something is on its way."""
    if item is None:
        return []
    sign, colour = ROW_SIGNS[item.sign]
    parts: list[Part] = [(f" {sign} " if sign.strip() else " ", colour)]
    if item.last_modified_at is not None and width >= ROOM_FOR_AUTHOR:
        parts.insert(0, (f"  {item.last_modified_by}, {moment(item.last_modified_at)}", "muted"))
    return parts


def left_status(draft: ItemDraft) -> list[Part]:
    """How much was changed, and how much of it is wrong."""
    changes, faults = len(draft.touched), len(draft.faults)
    words: list[Part] = [(f" {changes} changed" if changes else " no changes", "accent" if changes else "muted")]
    if faults:
        words.append((f"  {faults} to put right", "conflict"))
    return words


def right_status(width: int, *, is_editing: bool) -> Sequence[Part]:
    """The keys that matter now."""
    if is_editing:
        return WHILE_TYPING
    return hints(HINTS if width >= ROOM_FOR_HINTS else FEW_HINTS)


def differences(lines: FieldLines, draft: ItemDraft, theirs: Mapping[str, object]) -> list[Difference]:
    """The fields that are not as the service has them."""

    def text(field: Field, value: object) -> str:
        return str(value or "") if field.kind is Kind.LONG_TEXT else lines.words.shown(field, value)

    found = []
    for field in lines.fields(draft):
        before = text(field, theirs.get(field.key))
        after = draft.unread.get(field.key) or text(field, draft.value(field.key))
        if before != after:
            found.append(Difference(field.label, before, after))
    return found
