"""The changes of the plan as a whole: their summary, and the commands that show and save them."""

from collections.abc import Iterator, Mapping, Sequence
from functools import partial

from msgspec import Struct
from rich.cells import cell_len
from textual.content import Content

from backlit.model.amounts import counted, points_of
from backlit.model.field_values import NOTHING
from backlit.model.fields import FIELD_BY_KEY
from backlit.model.filters import POINTS
from backlit.model.filters.matching import matches
from backlit.model.planning import PlannedLoad
from backlit.model.reports.report import number_text
from backlit.store.planning.plan import PlanChange
from backlit.store.records.item import Item, counted_types, text_of
from backlit.store.records.people import IterationEntry
from backlit.store.store import Store
from backlit.tui.commands.command import CannotAct, CommandContext
from backlit.tui.commands.table import key_of
from backlit.tui.dialogs.dialog import AnswerKey
from backlit.tui.dialogs.reading import HeadingLine, Line, ReadingDialog, change_of, item_line
from backlit.tui.drawing.charts import range_words
from backlit.tui.drawing.text import literal, safe
from backlit.tui.fields.values import ScreenFieldWords
from backlit.tui.plan.blockers import blocker_lines
from backlit.tui.plan.capacity import (
    PeopleCapacities,
    count_changes,
    over_limits,
    people_of,
    refresh_capacities,
    styled,
)
from backlit.tui.plan.instrument import Instrument, scale_end
from backlit.tui.plan.plan_commands import PlanCommandTarget
from backlit.tui.plan.sprint_events import offer_start
from backlit.tui.widgets.item_rows import UNREADY_SIGN
from backlit.tui.widgets.side_lines import Part

MAX_REVIEW_LINES = 400
MAX_SCALES, BRIEF_BAR_CELLS = 2, 48
"""The iterations up to which each has a scale below a bar of the whole width, and the cells of bars of more."""
LEAST_POINTS = 3
"""Cells that the column of points has at least: those of its heading."""
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
    before: Mapping[int, PlannedLoad] = {}
    """The loads without the draft."""

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

    def lines(self) -> list[HeadingLine]:
        """Say of each iteration what it holds and will hold, over its bar and the scale or the words of its target."""
        lines: list[HeadingLine] = []
        for each in self.iterations:
            load = self.loads[each.id]
            drawn = Instrument(load, each.capacity, scale_end(each.capacity, load.points))
            before = self.before.get(each.id, load).points
            was = (f"{number_text(before)} → " if before != load.points else "", "$muted")
            lines.append(Content.assemble((f"{safe(each.name)}  ", "bold"), was, *styled(drawn.words()[0])))
            has_target = bool(drawn.target(BRIEF_BAR_CELLS))
            if has_target and len(self.iterations) > MAX_SCALES:
                target = (f"  target {range_words(each.capacity)}", "$muted")
                lines.append(Content.assemble(*styled(drawn.bar(BRIEF_BAR_CELLS)), target))
            elif has_target:
                lines.append(partial(_bar_and_scale, drawn))
            over = over_limits(load, self.people, each)
            lines += [Content.styled(f"! {safe(words)}", "bold $error") for words in over]
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
    late = list(blocker_lines(store, store.plan_preview.blockers_around(change.id for change in changes)))
    before = store.plan_preview.loads_now(loads, {})
    return PlanSummary(changes, plan.state.gone, ordered, loads, people, late, before)


def _bar_and_scale(drawn: Instrument, width: int) -> Content:
    return Content.assemble(*styled(drawn.bar(width)), "\n", *styled(drawn.target(width)))


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
    shown, reasons = 0, _reasons(store, planned)
    cells = max((cell_len(_points_words(words, change)) for change in summary.changes), default=0)
    cells = max(cells, LEAST_POINTS)
    for move, changes in groups.items():
        yield literal("")
        heads = Content.assemble((move, "bold"), (f"  {counted(len(changes), 'item')}", "$muted"))
        unready = f"  {UNREADY_SIGN} Not ready" if reasons else ""
        yield heads, Content.styled(f"{'Pts':>{cells}}{unready}", "bold $muted")
        for change in changes[: MAX_REVIEW_LINES - shown]:
            tasks = sum(parent == change.id for parent in along.values())
            along_words = [(f"  with {counted(tasks, 'task')}", "$muted")] if tasks else []
            mark = (f"{UNREADY_SIGN if change.id in reasons else ' '} ", "bold $warn")
            name = Content.assemble(mark, item_line(change.id, change.type, change.name, width), *along_words)
            points, *others = _field_parts(words, change, cells)
            reason = [(f"  {reasons[change.id]}", "$warn")] if change.id in reasons else []
            yield name, Content.assemble(points, *reason, *others)
        shown += len(changes)
        if shown > MAX_REVIEW_LINES:
            yield Content.assemble(("… and more", "$muted"))
            return


def _reasons(store: Store, items: Sequence[Item]) -> dict[int, str]:
    """Return why items are not ready with their planned values, which the store's check does not see."""
    check, is_open = store.ready_check, store.lookups.status_groups().is_open
    stored, inputs, found = check.faults_of(items), check.rule_inputs(), dict[int, str]()
    for item in items:
        values = {**item.fields, POINTS: points_of(text_of(item.fields.get("Estimate")))}
        failed = [
            rule.failure_label(inputs)
            for rule in (store.names.rules.of(item.type) if is_open(item.status) else ())
            if (
                matches(rule.failing(inputs), values)
                if rule.id in RULES_OF_PLANNED
                else rule in stored.get(item.id, ())
            )
        ]
        if failed:
            found[item.id] = ", ".join(failed)
    return found


def _move(words: ScreenFieldWords, change: PlanChange) -> str:
    move = change.fields.get("IterationID")
    if move is None:
        return "Other changes"
    return f"{_value(words, 'IterationID', move.base)} → {_value(words, 'IterationID', move.mine)}"


def _points_words(words: ScreenFieldWords, change: PlanChange) -> str:
    """Return the points of an item, and before them those that they replace; empty for a type without points."""
    if not FIELD_BY_KEY["Estimate"].applies_to(change.type):
        return ""
    planned = change.fields.get("Estimate")
    if planned is None:
        return str(change.estimate or NOTHING)
    return f"{_value(words, 'Estimate', planned.base)} → {_value(words, 'Estimate', planned.mine)}"


def _field_parts(words: ScreenFieldWords, change: PlanChange, cells: int) -> Iterator[Content | Part]:
    """Yield its points in a column of so many cells, then the changes of its fields and the values others gave them."""
    before, arrow, points = _points_words(words, change).rpartition("→ ")
    style = "$muted" if points == NOTHING else "bold $mark" if arrow else "bold"
    yield Content.assemble((f"{before}{arrow}".rjust(cells - cell_len(points)), "$muted"), (points, style))
    for key, touch in change.fields.items():
        if key not in {"Estimate", "IterationID"}:
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
