"""The changes of the plan as a whole: their summary, and the commands that show and save them."""

from collections.abc import Iterator, Mapping, Sequence

from msgspec import Struct
from msgspec.structs import replace
from textual.content import Content

from backlit.model.amounts import counted, points_of
from backlit.model.field_values import NOTHING
from backlit.model.fields import FIELD_BY_KEY
from backlit.model.filters import POINTS
from backlit.model.filters.matching import matches
from backlit.model.planning import PlannedLoad
from backlit.store.planning.draft import PlannedValue
from backlit.store.planning.plan import PlanChange
from backlit.store.records.item import Item, counted_types, text_of
from backlit.store.records.people import IterationEntry
from backlit.store.store import Store
from backlit.tui.commands.command import CannotAct, CommandContext
from backlit.tui.commands.table import key_of
from backlit.tui.dialogs.dialog import AnswerKey
from backlit.tui.dialogs.reading import Line, ReadingDialog, change_of, item_line
from backlit.tui.drawing.text import literal, safe
from backlit.tui.fields.values import ScreenFieldWords
from backlit.tui.plan.blockers import blocker_lines
from backlit.tui.plan.capacity import (
    IterationChangeCounts,
    PeopleCapacities,
    bar_line,
    count_changes,
    over_limits,
    people_of,
    refresh_capacities,
)
from backlit.tui.plan.plan_commands import PlanCommandTarget
from backlit.tui.plan.sprint_events import offer_start
from backlit.tui.widgets.item_rows import UNREADY_SIGN
from backlit.tui.widgets.side_lines import Part

MAX_REVIEW_LINES = 400
BAR_CELLS = 12
"""Cells of a bar."""
RULES_OF_PLANNED = frozenset({"estimate", "owner", "blocking"})
"""The rules of the ready check about values that are planned, which fields alone decide."""
FIELD_PREFIXES = {"IterationID": "", "Estimate": "Pts ", "AssignedToID": "Owner "}


async def difference(target: PlanCommandTarget, _call: CommandContext) -> None:
    await _review(target, "Plan changes")


async def commit(target: PlanCommandTarget, _call: CommandContext) -> None:
    target.store.lookups.need_writer()
    await _review(target, "Save plan")


async def _review(target: PlanCommandTarget, title: str) -> None:
    summary = _summary(target)
    await refresh_capacities(target.store, [each.id for each in summary.iterations])
    answers = [] if target.store.lookups.is_read_only else [*summary.answers()]
    lines, way_out = [*plan_lines(target.store, summary)], "cancel" if answers else "close"
    answer = await target.ask(ReadingDialog(title, lines, summary.lines(), answers, way_out))
    if answer is None:
        return
    changes = [change.over_theirs() for change in summary.changes] if answer == "m" else summary.changes
    written = await target.store.plan.commit(changes, summary.gone)
    agreed = sum(bool(change.fields) for change in changes)
    late = f" {agreed - len(written):,} changed on the server and stay in the plan." if len(written) < agreed else ""
    target.say(f"Plan saved: {target.store.batch.words(written)}. u to undo.{late}", is_bad=bool(late))
    found = count_changes(changes)
    await offer_start(target, [each for each in summary.iterations if each.id in found and found[each.id].comes])


class PlanSummary(Struct, frozen=True):
    """A draft at one moment: its changes, deleted items, and the loads of the iterations it changes."""

    changes: Sequence[PlanChange]
    gone: frozenset[int]
    iterations: Sequence[IterationEntry]
    loads: Mapping[int, PlannedLoad]
    people: PeopleCapacities
    blockers: Sequence[Content] = ()

    @property
    def written(self) -> Sequence[str]:
        return [change.type for change in self.changes if change.fields]

    @property
    def contested(self) -> int:
        return sum(bool(change.contests) for change in self.changes)

    def answers(self) -> Iterator[AnswerKey]:
        """Yield y, which saves the changes without contests, and m, which also overwrites the others' values."""
        if self.written or self.gone:
            yield AnswerKey("y", f"save {counted_types(self.written)}")
        if self.contested:
            yield AnswerKey("m", "overwrite their changes")

    def lines(self) -> list[Content]:
        found = count_changes(self.changes)
        moves = [replace(found.get(each.id, IterationChangeCounts()), altered=0).words() for each in self.iterations]
        widths = [max(map(len, texts), default=0) for texts in ([each.name for each in self.iterations], moves)]
        lines: list[Content] = []
        for each, words in zip(self.iterations, moves, strict=True):
            load = self.loads[each.id]
            unknown = [(f"  {load.unestimated:,} unestimated", "$warn")] if load.unestimated else []
            name, moved = (f"{safe(text):{width + 2}}" for text, width in zip((each.name, words), widths, strict=True))
            lines.append(
                Content.assemble((name, "bold"), (moved, "$warn"), bar_line(load, each.capacity, BAR_CELLS), *unknown)
            )
            over = over_limits(load, self.people, each)
            lines += [Content.assemble(" " * (sum(widths) + 4), (f"! {safe(words)}", "bold $error")) for words in over]
        lines += self.blockers
        if self.gone:
            were = counted(len(self.gone), "item was", "items were")
            lines.append(literal(f"{were} deleted and will leave the plan."))
        if self.contested:
            were = counted(self.contested, "item was", "items were")
            lines.append(Content.styled(f"≠ {were} changed by someone else and will be skipped.", "bold $warn"))
        return lines


def _summary(target: PlanCommandTarget) -> PlanSummary:
    """Read the draft with the loads of all iterations it changes; raises CannotAct without a plan."""
    plan, store = target.store.plan, target.store
    if not plan.state:
        way = (
            f"{key_of('plan.workload')} shows the workload"
            if store.lookups.is_read_only
            else f"Press {key_of('plan.send')} to plan an item into the iteration"
        )
        raise CannotAct(f"The plan has no changes. {way}.")
    changes = plan.difference()
    places = {each for change in changes for each in _places(change)} - {plan.iterations.backlog_id}
    ordered = [each for each in plan.iterations.targets() if each.id in places]
    loads = store.plan_preview.loads_now([each.id for each in ordered])
    people = people_of(store, target.session.capacities)
    late = store.plan_preview.blockers_around(change.id for change in changes)
    return PlanSummary(changes, plan.state.gone, ordered, loads, people, list(blocker_lines(store, late)))


def _places(change: PlanChange) -> set[object]:
    move = change.fields.get("IterationID")
    return {change.place} if move is None else {move.base, move.mine}


def plan_lines(store: Store, summary: PlanSummary) -> Iterator[Line]:
    words = ScreenFieldWords(store)
    along = _along(summary.changes)
    width = max((len(str(change.id)) + 1 for change in summary.changes if change.id > 0), default=3)
    groups: dict[str, list[PlanChange]] = {}
    for change in summary.changes:
        if change.id not in along:
            groups.setdefault(_move(words, change), []).append(change)
    judged = [change.id for change in summary.changes if change.type != "Task"][:MAX_REVIEW_LINES]
    planned = [store.plan_preview.item_laid_over(item) for item in store.batch.items(judged)]
    shown, unready = 0, _unready(store, planned)
    for move, changes in groups.items():
        yield literal("")
        heads = Content.assemble((move, "bold"), (f"  {counted(len(changes), 'item')}", "$muted"))
        yield heads, Content.styled("Pts", "bold $muted")
        for change in changes[: MAX_REVIEW_LINES - shown]:
            tasks = sum(parent == change.id for parent in along.values())
            along_words = [(f"  with {counted(tasks, 'task')}", "$muted")] if tasks else []
            mark = (f"{UNREADY_SIGN if change.id in unready else ' '} ", "bold $warn")
            name = Content.assemble(mark, item_line(change.id, change.type, change.name, width))
            yield name, Content.assemble(*_field_parts(words, change), *along_words)
        shown += len(changes)
        if shown > MAX_REVIEW_LINES:
            yield Content.assemble(("… and more", "$muted"))
            return


def _unready(store: Store, items: Sequence[Item]) -> set[int]:
    """Return the items that are not ready with their planned values, which the store's check does not see."""
    check, is_open = store.ready_check, store.lookups.status_groups().is_open
    stored, inputs, found = check.faults_of(items), check.rule_inputs(), set()
    for item in items:
        values = {**item.fields, POINTS: points_of(text_of(item.fields.get("Estimate")))}
        for rule in store.names.rules.of(item.type) if is_open(item.status) else ():
            is_failed = rule in stored.get(item.id, ())
            if matches(rule.failing(inputs), values) if rule.id in RULES_OF_PLANNED else is_failed:
                found.add(item.id)
    return found


def _move(words: ScreenFieldWords, change: PlanChange) -> str:
    move = change.fields.get("IterationID")
    if move is None:
        return "Other changes"
    return f"{_value(words, 'IterationID', move.base)} → {_value(words, 'IterationID', move.mine)}"


def _field_parts(words: ScreenFieldWords, change: PlanChange) -> Iterator[Content | Part]:
    """Yield its points in a column, then the changes of its fields and the values that others gave them."""
    if FIELD_BY_KEY["Estimate"].applies_to(change.type):
        points = str(change.fields.get("Estimate", PlannedValue(None, change.estimate)).mine or NOTHING)
        yield f"{points:>3}", "bold" if points != NOTHING else "$warn"
    for key, touch in change.fields.items():
        if key == "Estimate":
            yield f"  was {_value(words, key, touch.base)}", "$muted"
        elif key != "IterationID":
            yield f"  {FIELD_PREFIXES[key]}", "$muted"
            yield change_of(_value(words, key, touch.base), _value(words, key, touch.mine))
    for key, contest in change.contests.items():
        yield f"  ≠ {FIELD_PREFIXES[key]}", "$warn"
        yield _value(words, key, contest.theirs), "$foreground"
        yield f" now, planned: {_value(words, key, contest.touch.mine)}", "$muted"


def _along(changes: Sequence[PlanChange]) -> dict[int, int]:
    """Return the parents of tasks that only move with them, by task."""
    moves = {each.id: each.fields["IterationID"].mine for each in changes if "IterationID" in each.fields}
    return {
        each.id: each.parent_id or 0
        for each in changes
        if each.type == "Task" and set(each.fields) == {"IterationID"} and not each.contests
        if moves.get(each.parent_id or 0) == moves[each.id]
    }


def _value(words: ScreenFieldWords, key: str, value: object) -> str:
    shown = words.shown(FIELD_BY_KEY[key], value) or NOTHING
    if key == "IterationID":
        shown = shown.rpartition(" › ")[2] if " › " in shown else "Backlog"
    return safe(shown)
