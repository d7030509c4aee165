"""Loads of iterations: capacity, people, the effect of the draft, and the command for the workload."""

import asyncio
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import partial

from msgspec import Struct
from msgspec.structs import replace
from textual.content import Content

from backlit.model.amounts import counted, points_of
from backlit.model.errors import BacklitError
from backlit.model.person_load import PersonLoad
from backlit.model.planning import Capacity, PersonalCapacity, PlannedLoad, Velocity
from backlit.model.reports.report import number_text
from backlit.model.reports.sprint_reports import NO_VELOCITY, velocity_basis
from backlit.model.settings.user_settings import OwnCapacities
from backlit.store.planning.plan import PlanChange
from backlit.store.records.changes import ConnectionState
from backlit.store.records.item import ItemRow
from backlit.store.records.people import IterationEntry
from backlit.store.store import Store
from backlit.tui.commands.command import CommandContext
from backlit.tui.dialogs.dialog import AnswerKey
from backlit.tui.dialogs.reading import MAX_READING_WIDTH, FittedLine, ReadingDialog
from backlit.tui.drawing.charts import ON, capacity_words, thin_bar
from backlit.tui.drawing.text import fit, fit_right, safe
from backlit.tui.drawing.themes import owner_colour
from backlit.tui.plan.blockers import blocker_lines
from backlit.tui.plan.instrument import AddedItem, Instrument, scale_end
from backlit.tui.plan.people_capacity import change_capacity_of_person
from backlit.tui.plan.plan_commands import PlanCommandTarget, need_target
from backlit.tui.widgets.pane_frame import key_words
from backlit.tui.widgets.side_lines import Part, Word, length

NAME, AMOUNT, PERCENT = 18, 11, 6
"""Cells at most of a name in the workload, of an amount, and of a share in per cent."""
HEAD = "bold $muted"
LEAST_NAME, LEAST_BAR = 10, 8
"""Cells that a narrow terminal leaves to a name, and to the bar beside the longer words."""


class IterationChangeCounts(Struct, frozen=True):
    """The draft's effect on one iteration: items that come, go, and get other values."""

    comes: int = 0
    goes: int = 0
    altered: int = 0

    def words(self) -> str:
        """Return the counts as +3 −1 ~2; nothing without a change."""
        counts = zip("+−~", (self.comes, self.goes, self.altered), strict=True)
        return " ".join(f"{sign}{count}" for sign, count in counts if count)

    def unsaved_words(self, *, is_brief: bool = False) -> list[Word]:
        words = [counted(self.comes, "unsaved move")] * bool(self.comes)
        words += [counted(self.altered, "change" if words else "unsaved change")] * bool(self.altered)
        if not words:
            return [("No unsaved moves", "muted")]
        if is_brief and len(words) > 1:
            words = [f"{self.comes + self.altered} unsaved"]
        return [(f"{', '.join(words)} ", "pending"), *key_words("plan.commit", "save")]


def points_of_row(row: ItemRow) -> float:
    """Return the points of a row; 0 without an estimate."""
    return points_of(row.estimate) or 0.0


def count_changes(changes: Sequence[PlanChange]) -> dict[object, IterationChangeCounts]:
    """Count the changes of each iteration, and under None of all of them together; tasks are left out."""
    comes, goes, altered = Counter[object](), Counter[object](), 0
    for change in changes:
        move = change.fields.get("IterationID")
        if change.type == "Task" or not change.fields:
            continue
        if move is None:
            altered += 1
        else:
            comes.update((None, move.mine))
            goes[move.base] += 1
    return {
        place: IterationChangeCounts(comes[place], goes[place], altered * (place is None))
        for place in {None, *comes, *goes}
    }


def styled(words: Sequence[Word]) -> list[Part]:
    styles = {"conflict": "bold $error", "heading": "bold $foreground"}
    return [(safe(text), styles.get(colour, "$" + colour.replace(ON, f"{ON}$"))) for text, colour, *_ in words]


NOT_SAID = PersonalCapacity()
MACHINE_LIMIT = "local limit"
"""What a capacity from the settings of this machine is called."""


class PeopleCapacities(Struct, frozen=True):
    """Names of people and teams, and the capacities of people."""

    names: Mapping[int, str]
    own: OwnCapacities
    teams: Mapping[int, str]
    shared: Callable[[IterationEntry], Mapping[int, PersonalCapacity]] | None = None
    """Returns what the service says of people in an iteration; None for one that keeps no capacities."""

    def name(self, owner: int) -> str:
        return self.names.get(owner, f"user {owner}")

    def limits(self, iteration: IterationEntry) -> Mapping[int, PersonalCapacity]:
        """Return what people can do in an iteration, by their ids: those of whom something is said."""
        if self.shared is not None:
            return self.shared(iteration)
        found = {owner: self.own.of(name, iteration.name) for owner, name in self.names.items()}
        # 0 means no limit in the settings of a machine.
        limits = {
            owner: PersonalCapacity(each.points or None, each.hours or None) for owner, each in found.items() if each
        }
        return {owner: limit for owner, limit in limits.items() if limit.is_said}

    @property
    def source(self) -> str:
        """Return what a limit is called that others may not have; empty for those of the service."""
        return MACHINE_LIMIT if self.shared is None else ""


def people_of(store: Store, own: OwnCapacities) -> PeopleCapacities:
    """Read the people and the teams of the project.

    `own` are the capacities from this machine's settings, for a service that keeps none.
    """
    names = {each.id: each.username for each in store.lookups.known_people().values()}
    shared = store.capacities.of if store.capacities.is_offered else None
    return PeopleCapacities(names, own, store.lookups.teams(), shared)


def over_limits(load: PlannedLoad, people: PeopleCapacities, iteration: IterationEntry) -> list[str]:
    found, limits = [], people.limits(iteration)
    for owner, share in load.people.items():
        limit = limits.get(owner or 0, NOT_SAID)
        parts = [
            f"{number_text(amount)} of {number_text(most)} {unit}"
            for amount, most, unit in ((share.points, limit.points, "pts"), (share.hours, limit.hours, "h"))
            if most is not None and amount > most
        ]
        if parts and owner is not None:
            source = f" ({people.source})" if people.source else ""
            found.append(f"{people.name(owner)} has {' and '.join(parts)}{source}")
    return found


def people_amounts(load: PlannedLoad, people: PeopleCapacities, iteration: IterationEntry) -> list[list[Part]]:
    """Return the name of each person, and the points with the limits, the fullest first."""
    words, limits = [], people.limits(iteration)
    for owner, share in _fullest_first(load.people):
        limit = limits.get(owner or 0, NOT_SAID)
        shown = [_amount(share.points, limit.points)] if share.points or limit.points is not None else []
        shown += [(" ", "muted"), _amount(share.hours, limit.hours, " h")] if limit.hours is not None else []
        colour = "faint" if owner is None else owner_colour(owner, sorted(people.names))
        name = ("unassigned" if owner is None else people.name(owner), colour)
        words += [[name, *shown]] if shown else []
    return words


def people_words(load: PlannedLoad, people: PeopleCapacities, iteration: IterationEntry, width: int) -> list[Part]:
    """Return each person's points with the limits, the fullest first, as many as fit the width."""
    words = [[(f"{name} ", colour), *shown] for (name, colour), *shown in people_amounts(load, people, iteration)]
    parts: list[Part] = []
    for number, each in enumerate(words):
        more = f" · {len(words) - number} more"
        separated = [(" · ", "muted"), *each] if number else each
        room = width - (len(more) if number < len(words) - 1 else 0)
        if length([*parts, *separated]) > room:
            return [*parts, (more, "muted")] if parts else [*each, (" …", "muted")]
        parts += separated
    return parts


def _fullest_first(shares: Mapping[int | None, PersonLoad]) -> list[tuple[int | None, PersonLoad]]:
    return sorted(shares.items(), key=lambda each: (-each[1].points, -each[1].hours))


def _amount(amount: float, limit: float | None, unit: str = "") -> Part:
    text = number_text(amount) + (f"/{number_text(limit)}" if limit is not None else "") + unit
    return text, "conflict" if limit is not None and amount > limit else "foreground"


def velocity_words(velocity: Velocity, *, is_brief: bool = False) -> list[Word]:
    """Return the velocity, with what it is the median of; in brief for the edge of a frame."""
    if not velocity.is_known:
        return [("velocity not known yet" if is_brief else "Velocity not known yet", "faint")]
    if velocity.median is None:
        return [("no velocity yet" if is_brief else NO_VELOCITY, "faint")]
    source = " of this machine" if velocity.is_of_machine else ""
    if is_brief:
        command = "plan.workload"  # which shows it too; words of a command leave an edge together
        median, unit = counted(round(velocity.median, 1), "pt").split()
        basis = f" {unit} a sprint{source}"
        return [("velocity ", "muted", command), (median, "foreground", command), (basis, "muted", command)]
    median = counted(round(velocity.median, 1), "pt")
    return [("Velocity ", "muted"), (median, "foreground"), (f" ({velocity_basis(velocity)}{source})", "muted")]


READ_PATIENCE = 1.0
"""Seconds for which a key waits for the capacities of the service."""
READ_EVERY = 60.0
"""Seconds between two reads of the capacities in an iteration that stays in sight."""
CHANGE_KEY = "c"
"""The key that changes capacities in the workload."""


async def workload(target: PlanCommandTarget, _call: CommandContext) -> None:
    """Show the workload of the iteration with the focus, else of the target, and of others on request."""
    every, velocity = target.store.plan.iterations.targets(), velocity_words(await target.store.reports.velocity())
    at = every.index(need_target(target))
    while True:
        await refresh_capacities(target.store, [every[at].id])
        lines = [*_workload(target, every[at]), Content.assemble("\n", *styled(velocity))]
        if blockers := target.store.plan_preview.blockers_in(every[at].id):
            lines += [Content(), *blocker_lines(target.store, blockers)]
        beside = {sign: at + step for sign, step in (("{", -1), ("}", 1)) if 0 <= at + step < len(every)}
        answers = [AnswerKey(sign, every[place].name) for sign, place in beside.items()]
        if target.store.capacities.is_offered and not target.store.lookups.is_read_only:
            answers.insert(0, AnswerKey(CHANGE_KEY, "change a capacity"))
        key = await target.ask(ReadingDialog(f"Workload of {every[at].name}", lines, (), answers))
        if key is None:
            return
        if key == CHANGE_KEY:
            await change_capacity_of_person(target, every[at])
        else:
            at = beside[key]


async def refresh_capacities(store: Store, iteration_ids: Sequence[int]) -> None:
    """Read the capacities of people in some iterations, if the service answers soon; else those read before hold."""
    if store.capacities.is_offered and store.connection.state is ConnectionState.ONLINE:
        with suppress(BacklitError, TimeoutError):
            async with asyncio.timeout(READ_PATIENCE):
                await store.capacities.read(iteration_ids)


class CapacityReader:
    """Reads the capacities in the iteration that a screen shows: of another one at once, else now and then.

    The service does not say that somebody else has changed them.
    """

    def __init__(self, store: Store) -> None:
        self._store = store
        self._read: tuple[int | None, int] | None = None
        self._read_at = 0.0

    def is_due(self, iteration_id: int | None) -> bool:
        """Return whether to read now; the capacities count as read then."""
        if iteration_id is None or self._store.connection.state is not ConnectionState.ONLINE:
            return False
        wanted, now = (self._store.project_id, iteration_id), time.monotonic()
        if wanted == self._read and now - self._read_at < READ_EVERY:
            return False
        self._read, self._read_at = wanted, now
        return True


def _workload(target: PlanCommandTarget, entry: IterationEntry) -> Iterator[FittedLine]:
    """Yield the load of an iteration, the shares of people and teams, and the load of the release."""
    store = target.store
    release = store.plan.iterations.release_of(entry.id)
    loads = store.plan_preview.loads_now({entry.id, *(each.id for each in (release.iterations if release else ()))})
    load, people = loads[entry.id], people_of(store, target.session.capacities)
    done = f" · {number_text(load.done)} pts done" if load.done else ""
    unknown: list[Part] = [(" · ", ""), (f"{load.unestimated:,} unestimated", "$warn")] if load.unestimated else []
    items = Content.assemble(f"{counted(load.count, 'item')}{done}", *unknown).stylize_before("$muted")
    yield partial(_load_line, [], load, entry.capacity, items)
    yield partial(_load_bar, load, entry.capacity)
    limits = people.limits(entry)
    # Somebody with a capacity and no work has room, which is what a plan looks for.
    shares: dict[int | None, PersonLoad] = {**dict.fromkeys(limits, PersonLoad()), **load.people}
    known = sorted(people.names)
    owners = [
        (
            (people.name(key), f"${owner_colour(key, known)}") if key else ("unassigned", "$faint"),
            limits.get(key or 0),
            share,
        )
        for key, share in _fullest_first(shares)
    ]
    teams = [
        ((people.teams[key], "$foreground") if key and key in people.teams else ("no team", "$faint"), None, share)
        for key, share in _fullest_first(load.teams)
    ]
    top = max((share.points for _, _, share in (*owners, *teams)), default=0.0)
    for title, rows in ("Owner", owners), ("Team", teams if any(load.teams) else []):
        if rows:
            yield Content()
            head = LoadRow((title, HEAD), ("Points", HEAD), "", ("Share", HEAD), ("Hours", HEAD))
            yield head.drawn
        for name, limit, share in rows:
            most = limit or NOT_SAID
            bar: str | float = people.source if limit and people.source else share.points / (top or 1.0)
            percent = f"{share.points / load.points:.0%}" if load.points and share.points else ""
            points, hours = _cell(share.points, most.points), _cell(share.hours, most.hours)
            yield LoadRow(name, points, bar, (percent, "$muted"), hours).drawn
    if release:
        whole = sum((loads[each.id] for each in release.iterations), PlannedLoad())
        done, still_open = number_text(whole.done), number_text(whole.points - whole.done)
        key = ("█ ", "$bar-done"), f"{done} done  ", ("█ ", "$bar"), f"{still_open} open"
        before: Part = (f"{safe(release.entry.name)}  ", "heading")
        yield Content()
        yield partial(_load_line, [before], whole, release.capacity, Content.assemble(*key).stylize_before("$muted"))
        yield partial(_load_bar, whole, release.capacity)


def bar_line(
    load: PlannedLoad, capacity: Capacity, width: int, more: float = 0.0, room: int = MAX_READING_WIDTH
) -> Content:
    """Return the bar and the words of a load in a room; points that may come are shaded, as in `28 → 36 pts`."""
    load = replace(load, points=load.points + more)
    words, before = capacity_words(load, capacity), f"  {number_text(load.points - more)} → " if more else "  "
    if length(words) > room - LEAST_BAR:
        words = capacity_words(load, capacity, is_brief=True)
    width = max(0, min(width, room - len(before) - length(words)))
    now = replace(load, points=load.points - more)
    scale = scale_end(capacity, load.points)
    bar = Instrument(now, capacity, scale, AddedItem("", more) if more else None).bar(width) if scale else []
    return Content.assemble(*styled([*bar, (before, "muted"), *words]))


def _load_line(before: Sequence[Part], load: PlannedLoad, capacity: Capacity, after: Content, width: int) -> Content:
    """Return the words of a load, and at the right what it is made of, where there is room for both."""
    figure, *more = capacity_words(load, capacity)
    left = Content.assemble(*styled([*before, (figure[0], "heading"), *more]))
    room = width - left.cell_length - after.cell_length
    return Content.assemble(left, " " * room if room > 1 else "\n", after)


def _load_bar(load: PlannedLoad, capacity: Capacity, width: int) -> Content:
    """Return the bar of the plan, and below it the scale with the target; nothing without a capacity."""
    drawn = Instrument(load, capacity, scale_end(capacity, load.points))
    target = drawn.target(width)
    return Content.assemble(*styled(drawn.bar(width)), "\n", *styled(target)) if target else Content()


class LoadRow(Struct, frozen=True):
    """A line of the workload, with a share of the largest points as a bar, or with words instead of it."""

    name: Part
    points: Part
    bar: str | float
    percent: Part
    hours: Part

    def drawn(self, width: int) -> Content:
        amount = min(AMOUNT, width // 4)
        label = max(LEAST_NAME, min(NAME, width - 3 * amount - 2))
        room = width - label - 2 * amount - 2 - PERCENT
        percent = (fit_right(self.percent[0], PERCENT), self.percent[1]) if room >= LEAST_BAR else ("", "")
        room = room if percent[0] else max(0, room + PERCENT)
        colour = "$bar" if self.name[1] == "$foreground" else self.name[1]
        bar = fit(self.bar, room) if isinstance(self.bar, str) else f"{thin_bar(self.bar, 1.0, room):{room}}"
        drawn = bar, "$muted" if isinstance(self.bar, str) else colour
        before, after = ((fit_right(text, amount), colour) for text, colour in (self.points, self.hours))
        return Content.assemble((fit(self.name[0], label), self.name[1]), before, "  ", drawn, percent, after)


def _cell(amount: float, most: float | None) -> Part:
    if most is None:
        return number_text(amount) if amount else "", "$foreground"
    return f"{number_text(amount)} of {number_text(most)}", "bold $error" if amount > most else "$foreground"
