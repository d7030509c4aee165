"""Bulk edits: one item is changed at once, several after the user agreed to the differences."""

from collections.abc import Iterator, Mapping, Sequence

from textual.app import ComposeResult
from textual.content import Content
from textual.widgets import Static

from backlit.model.errors import BacklitError, sentence_of
from backlit.model.fields import Field, Kind
from backlit.store.records.item import Item
from backlit.store.store import Store
from backlit.tui.commands.command import CannotAct
from backlit.tui.dialogs.confirm import DifferenceQuestion
from backlit.tui.dialogs.dialog import Dialog
from backlit.tui.drawing.text import literal, safe
from backlit.tui.drawing.theme_styles import type_sign
from backlit.tui.fields.acts import Act, Changes, Plan, field_named, plan_of, tags_of
from backlit.tui.fields.values import NOTHING, FieldWords
from backlit.tui.items.target import ItemTarget
from backlit.tui.widgets.item_rows import SYNCED

MOST = 2_000
"""Items that one change may touch; each is asked for and written on its own."""


async def journal(target: ItemTarget, act: Act, items: Sequence[Item]) -> None:
    """Journal a change as one step; asks first for several items and for what customers see.

    Edits that are refused are offered again. Raises the BacklitError of a single item's edit.
    """
    plan = plan_of(act, items, target.store.lookups)
    if not plan.changes:
        target.say(plan.why_nothing(), is_bad=not plan.already)
        return
    is_simple = len(items) == 1 and not plan.is_for_customers
    if not is_simple and not await target.ask(BulkEditDialog(target.store, plan)):
        return
    if act.is_repeatable:
        target.session.last_act = act
    failed = await _write(target, plan)
    count = len(plan.changes)
    if not failed:
        if count > 1:
            target.say(f"{act.label}: {count:,} items changed.")
        return
    names = {item_id: str(plan.items[item_id].fields.get("Name") or "") for item_id in failed}
    if await target.ask(FailedDialog(count, failed, names)):
        await journal(target, act, target.store.batch.items(list(failed)))


async def _write(target: ItemTarget, plan: Plan) -> Mapping[int, str]:
    """Journal all as one step; where that is refused, journal each item alone. Returns the refusals by item."""
    try:
        await target.store.items.edit_each(plan.changes, plan.seen)
    except BacklitError:
        if len(plan.changes) == 1:
            raise
        return await _write_one_by_one(target, plan)
    return {}


async def _write_one_by_one(target: ItemTarget, plan: Plan) -> Mapping[int, str]:
    failed = {}
    for item_id, changes in plan.changes.items():
        try:
            await target.store.items.edit([item_id], changes, plan.seen[item_id])
        except BacklitError as error:
            failed[item_id] = sentence_of(error)
    return failed


def refuse_too_many(ids: Sequence[int]) -> None:
    """Raise CannotAct for more items than one change may touch."""
    if len(ids) > MOST:
        raise CannotAct(f"{len(ids):,} items are selected; one change takes {MOST:,} at most.")


# Dialogs

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
