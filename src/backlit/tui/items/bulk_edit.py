"""Dialogs of bulk edits: the differences to agree to, and the items that could not be changed."""

from collections.abc import Iterator, Mapping

from textual.app import ComposeResult
from textual.content import Content
from textual.widgets import Static

from backlit.model.fields import Field, Kind
from backlit.store.records.item import Item
from backlit.store.store import Store
from backlit.tui.dialogs.confirm import DifferenceQuestion
from backlit.tui.dialogs.dialog import Dialog
from backlit.tui.drawing.text import literal, safe
from backlit.tui.drawing.theme_styles import type_sign
from backlit.tui.fields.acts import Changes, Plan, field_named, tags_of
from backlit.tui.fields.values import NOTHING, FieldWords
from backlit.tui.widgets.item_rows import SYNCED

MOST_LINES = 400
MOST_FAILED = 12
SHOWN = 60
"""Characters of a long text that are shown."""


class BulkEditDialog(DifferenceQuestion):
    """Every item with what it has and what it would have; y agrees, everything else leaves things as they are."""

    def __init__(self, store: Store, plan: Plan) -> None:
        count = len(plan.changes)
        super().__init__(plan.act.label, f"change {'item' if count == 1 else f'{count:,} items'}")
        self._store = store
        self._plan = plan
        self._words = FieldWords(store)

    def heading(self) -> list[Content]:
        """Return how many items change, and warnings about customers and other trackers."""
        plan = self._plan
        lines = [literal(plan.reach())] if plan.total > 1 else []
        if plan.is_for_customers:
            lines.append(Content.assemble(("» Customers see this.", "bold $warning")))
        if plan.synced:
            words = (
                f"{SYNCED} {plan.synced:,} of them {'is' if plan.synced == 1 else 'are'} synced with another tracker."
            )
            lines.append(Content.assemble((words, "bold $warning")))
        return lines

    def lines(self) -> list[Content]:
        """Return the items with their changes."""
        return list(self._lines())

    def _lines(self) -> Iterator[Content]:
        for shown, (item_id, changes) in enumerate(self._plan.changes.items()):
            if shown >= MOST_LINES:
                left = len(self._plan.changes) - shown
                yield Content.assemble((f"… and {left:,} more", "$muted"))
                return
            yield self._item(self._plan.items[item_id])
            for key, value in changes.items():
                yield self._change(self._plan.items[item_id], key, value)

    def _item(self, item: Item) -> Content:
        number = f"#{item.id}" if item.id > 0 else "new"
        return Content.assemble(
            (f"{number} ", "$muted"), f"{type_sign(item.type)} ", safe(str(item.fields.get("Name") or ""))
        )

    def _change(self, item: Item, key: str, value: object) -> Content:
        field = field_named(key, self._store.lookups)
        label = (f"    {safe(field.label)}  ", "$muted")
        if field.kind is Kind.TAGS:
            return Content.assemble(label, *_tag_parts(item, {key: value}))
        before, after = self._text(field, item.fields.get(key)), self._text(field, value)
        return Content.assemble(label, (before, "$error"), (" → ", "$muted"), (after, "$success"))

    def _text(self, field: Field, value: object) -> str:
        text = self._words.shown(field, value) or NOTHING
        return safe(text if len(text) <= SHOWN else text[: SHOWN - 1] + "…")


class FailedDialog(Dialog[bool | None]):
    """Lists the items that failed with their reasons; r tries them again, the others are done."""

    def __init__(self, total: int, failed: Mapping[int, str], names: Mapping[int, str]) -> None:
        super().__init__(f"{len(failed):,} of {total:,} could not be changed")
        self._failed = dict(failed)
        self._names = dict(names)
        self.frame.border_subtitle = literal("r try again  esc close")

    def content(self) -> ComposeResult:
        """Yield a line for each item and one for its reason."""
        lines: list[Content] = []
        for item_id, reason in list(self._failed.items())[:MOST_FAILED]:
            number = f"#{item_id} " if item_id > 0 else "new "
            lines.append(Content.assemble((number, "$muted"), safe(self._names.get(item_id, ""))))
            lines.append(Content.assemble((f"  {safe(reason)}", "$error")))
        if len(self._failed) > MOST_FAILED:
            lines.append(literal(f"… and {len(self._failed) - MOST_FAILED:,} more"))
        yield Static(Content("\n").join(lines))

    def type_early(self, character: str) -> None:
        """Try again, or leave."""
        if character == "r":
            self.dismiss(True)
        elif character == "q":
            self.dismiss(None)

    def press(self, key: str) -> bool:
        """Leave."""
        return super().press("escape" if key == "enter" else key)


def _tag_parts(item: Item, changes: Changes) -> Iterator[tuple[str, str]]:
    """Yield the removed tags, then the added ones."""
    before, tags = tags_of(item), changes["Tags"]
    after = [str(tag) for tag in tags] if isinstance(tags, list | tuple) else []
    for tag in before:
        if tag not in after:
            yield safe(f"−{tag} "), "$error"
    for tag in after:
        if tag not in before:
            yield safe(f"+{tag} "), "$success"
