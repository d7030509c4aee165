"""Changes of items as one step: the journal, the differences to agree to, and the items that could not be changed."""

from collections.abc import Iterator, Mapping, Sequence

from textual.app import ComposeResult
from textual.content import Content
from textual.widgets import Static

from backlit.model.errors import BacklitError, sentence_of
from backlit.model.fields import Field, Kind
from backlit.store.records.item import Item
from backlit.store.store import Store
from backlit.tui.dialogs.dialog import Answer, Dialog
from backlit.tui.dialogs.reading import DifferenceQuestion, Line, change_of, item_line
from backlit.tui.drawing.text import literal, safe
from backlit.tui.fields.acts import Act, Changes, Plan, field_named, plan_of, tags_of
from backlit.tui.fields.values import NOTHING, FieldWords
from backlit.tui.items.target import ItemTarget
from backlit.tui.widgets.item_rows import SYNCED

MOST_LINES = 400
MOST_FAILED = 12
MOST_SAID = 28
"""Characters of a confirmed change, so that a footer of 40 cells has room for it."""
SHOWN = 60
"""Characters of a long text that are shown."""


async def journal(target: ItemTarget, act: Act, items: Sequence[Item]) -> None:
    """Journal a change as one step; asks first for several items and for what customers see.

    Edits that are refused are offered again. Raises the BacklitError of a single item's edit.
    """
    plan = plan_of(act, items, target.store.lookups)
    if not plan.changes:
        target.say(plan.why_nothing(), is_bad=not plan.already)
        return
    is_simple = len(items) == 1 and not plan.is_for_customers
    if not is_simple and not await target.ask(bulk_question(target.store, plan)):
        return
    if act.is_repeatable:
        target.session.last_act = act
    failed = await _write(target, plan)
    count = len(plan.changes)
    if not failed:
        words = f"{act.label}: {plan.words} changed" if count > 1 else _short(act.label, MOST_SAID)
        target.say(f"{words}{'' if words.endswith('…') else '.'} u to undo.")
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


def bulk_question(store: Store, plan: Plan) -> DifferenceQuestion:
    """Return the question whether the items of a plan may change, with the old and the new values of each."""
    count = len(plan.changes)
    answer = Answer("y", f"apply to {plan.words if count > 1 else 'it'}")
    return DifferenceQuestion(plan.act.label, [answer], list(_heading(plan)), list(_lines(store, plan)))


def _heading(plan: Plan) -> Iterator[Content]:
    """Yield how many items change, and warnings about customers and other trackers."""
    if plan.total > 1:
        yield literal(plan.reach())
    if plan.is_for_customers:
        yield Content.styled("» Customers see this.", "bold $warning")
    if plan.synced:
        are = "is" if plan.synced == 1 else "are"
        words = f"{SYNCED} {plan.synced:,} of them {are} synced with another tracker."
        yield Content.styled(words, "bold $warning")


def _lines(store: Store, plan: Plan) -> Iterator[Line]:
    """Yield each item with its change, and those without one, muted."""
    words = FieldWords(store)
    if plan.total > 1:
        yield Content()
    for shown, (item_id, changes) in enumerate(plan.changes.items()):
        if shown >= MOST_LINES:
            yield Content.styled(f"… and {len(plan.changes) - shown:,} more", "$muted")
            return
        item = plan.items[item_id]
        name = _named(item)
        found = [(field_named(key, store.lookups), value) for key, value in changes.items()]
        if len(plan.act.keys) == len(found) == 1:
            yield name, _change(words, found[0][0], item, found[0][1])
            continue
        yield name
        for field, value in found:
            yield Content.assemble((f"    {safe(field.label)}  ", "$muted"), _change(words, field, item, value))
    others = [*((item, "unchanged") for item in plan.already)]
    others += [(item, "skipped") for items in plan.left_out.values() for item in items]
    for item, state in others[: MOST_LINES - len(plan.changes)]:
        yield Content.styled(_named(item).plain, "$muted"), Content.styled(state, "$muted")


def _named(item: Item) -> Content:
    return item_line(item.id, item.type, str(item.fields.get("Name") or ""))


def _change(words: FieldWords, field: Field, item: Item, value: object) -> Content:
    if field.kind is Kind.TAGS:
        return Content.assemble(*_tag_parts(item, {field.key: value}))
    return change_of(*(_short(words.shown(field, each)) for each in (item.fields.get(field.key), value)))


def _short(text: str, most: int = SHOWN) -> str:
    if text in {"", NOTHING}:
        return "not set"
    return safe(text if len(text) <= most else text[: most - 1] + "…")


class FailedDialog(Dialog[bool | None]):
    """Lists the items that failed with their reasons; r tries them again, the others are done."""

    def __init__(self, total: int, failed: Mapping[int, str], names: Mapping[int, str]) -> None:
        super().__init__(f"{len(failed):,} of {total:,} could not be changed")
        self._failed = dict(failed)
        self._names = dict(names)
        self.name_keys(("r", "try again"), ("esc", "close"))

    def content(self) -> ComposeResult:
        """Yield a line for each item and one for its reason."""
        lines: list[Content] = []
        for item_id, reason in list(self._failed.items())[:MOST_FAILED]:
            lines.append(item_line(item_id, "", self._names.get(item_id, "")))
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
            yield safe(f"−{tag} "), "$muted"
    for tag in after:
        if tag not in before:
            yield safe(f"+{tag} "), "bold"
