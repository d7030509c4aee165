"""The head of an iteration: its title, and its load against its capacity in words and bars."""

from collections.abc import Sequence

from msgspec import Struct
from rich.cells import cell_len

from backlit.model.amounts import counted
from backlit.model.planning import CapacityFit, PlannedLoad
from backlit.model.reports.report import number_text
from backlit.store.records.people import IterationEntry
from backlit.tui.commands.table import key_of
from backlit.tui.drawing.charts import capacity_words, range_words, scaled_bar
from backlit.tui.drawing.large_figures import GAP, large
from backlit.tui.drawing.text import fit, safe
from backlit.tui.drawing.themes import KEY
from backlit.tui.plan.capacity import PeopleCapacities, people_amounts, people_words
from backlit.tui.plan.instrument import AddedItem, Instrument
from backlit.tui.plan.pane import HeadLine, PlanPane
from backlit.tui.widgets.side_lines import Part, Word, length

LEAST_BAR, BAR = 10, 28
"""Cells of a bar, with the whole words beside it and at most."""
CAPACITY_TEXT_CELLS, BRIEF_CAPACITY_TEXT_CELLS = 33, 25
"""Cells that the words beside a bar keep, so that the bars of all iterations are equally long."""


class IterationHead(Struct, frozen=True):
    """The head of an iteration's pane; `when` has its dates, its release, and when it was started and closed.

    `ways` says whether { and } lead to another iteration.
    """

    iteration: IterationEntry
    when: tuple[str, ...]
    load: PlannedLoad
    people: PeopleCapacities
    ways: tuple[bool, bool]
    added: AddedItem | None = None
    unsaved: Sequence[Word] = ()

    def title(self, width: int, *, has_focus: bool) -> list[Part]:
        """Return name and time, and where the name leaves room the keys that lead to other iterations."""
        keys = " ".join(key for key, is_open in zip("{}", self.ways, strict=True) if is_open)
        right: list[Part] = [(f"  {keys}", KEY), (" sprints", "muted")] if keys else []
        needed = cell_len(safe(self.iteration.name))
        right = right if needed + length(right) + 2 <= width else []
        room = width - length(right) - 2
        name = fit(self.iteration.name, min(needed, room))
        return [*_named((name, "heading" if has_focus else "foreground"), self.when, room + 2), *right]

    def edge(self) -> HeadLine:
        """Return name and time, and the keys that lead to other iterations, for the edge of a frame."""
        commands = zip(("plan.previous-target", "plan.next-target"), self.ways, strict=True)
        ways = [command for command, is_open in commands if is_open]
        keys: list[Word] = [(key_of(command), KEY, command) for command in ways]
        label: list[Word] = [(" sprints", "muted", ways[-1])] if ways else []
        told = enumerate(filter(None, self.when))
        facts: list[Word] = [(f"{' · ' if at else ' '}{fact}", "muted") for at, fact in told]
        return HeadLine([(self.iteration.name, "heading"), *facts], [*keys, *label])

    def lines(self, width: int, scale: float, count: int = PlanPane.HEAD_LINES) -> list[HeadLine]:
        """Return the instrument in `count` lines: words and bar, then the target, people, and what is not saved."""
        drawn, room = Instrument(self.load, self.iteration.capacity, scale, self.added), max(1, width - 2)
        edge: list[Part] = [(" ", "muted")]
        left, right = drawn.words()
        right = right if length([*left[:3], *right]) + 2 <= room else []
        target = drawn.target(room)
        people = people_words(self.load, self.people, self.iteration, room)
        rows: list[Sequence[Word]] = [drawn.bar(room)] if target else []
        if target and count <= len(rows) + 1 and not right:
            right = [(f"target {range_words(self.iteration.capacity)}", "muted")]
        rows += [target] if target and count > len(rows) + 1 else []
        rows += [people] if people and count >= PlanPane.HEAD_LINES else []
        rows += [self.unsaved] if self.unsaved else []
        return [HeadLine([*edge, *left], [*right, *edge]), *(HeadLine([*edge, *row]) for row in rows)]

    def column(self, width: int, height: int, scale: float) -> list[HeadLine]:
        """Return the points in large figures with their words beside them, the bar, and the points of each person.

        As many people are left out as the height has no room for.
        """
        capacity, points = self.iteration.capacity, self.load.points
        drawn, room = Instrument(self.load, capacity, scale, self.added), max(1, width - 2)
        figure, _, unit = counted(round(points, 1), "pt").partition(" ")
        verdict, colour = drawn.verdict(points)
        target = f"{verdict} target" if capacity.fit(points) in {CapacityFit.OVER, CapacityFit.UNDER} else verdict
        digits, added = large(figure), drawn.words()[1]
        added = added if len(digits[0]) + GAP + length(added) <= room else added[:-1]
        words: list[Sequence[Part]] = [[(f"{unit} planned", "foreground")], [(target, colour)], added]
        rows = [[(line + " " * GAP, "foreground"), *beside] for line, beside in zip(digits, words, strict=True)]
        scale_line = drawn.target(room)
        rows += [[], drawn.bar(room), scale_line] if scale_line else []
        if self.load.unestimated:
            verb = "has" if self.load.unestimated == 1 else "have"
            rows.append([(f"{counted(self.load.unestimated, 'item')} {verb} no estimate", "muted")])
        rows += self._people_rows(room, height - len(rows))
        return [HeadLine([(" ", "muted"), *row]) for row in rows]

    def _people_rows(self, width: int, height: int) -> list[list[Part]]:
        """Return a blank line, and as many people as fit below it, with their points below each other."""
        people = people_amounts(self.load, self.people, self.iteration)
        shown = people if len(people) < height else people[: max(0, height - 2)]
        if not shown:
            return []
        label = min(width // 2, max(cell_len(safe(name)) for (name, _), *_ in shown))
        cells = max(cell_len(amount) for _, (amount, _), *_ in shown)
        more = [(f"{len(people) - len(shown)} more", "muted")]
        return [
            [],
            *(
                [(fit(name, label + GAP), tone), (f"{amount:>{cells}}", colour), *hours]
                for (name, tone), (amount, colour), *hours in shown
            ),
            *[more] * (len(shown) < len(people)),
        ]


def _named(name: Part, facts: Sequence[str], width: int) -> list[Part]:
    left = [name]
    for words in filter(None, facts):
        if length(left) + len(words) + 4 < width:
            left.append((f" · {words}", "muted"))
    return left


def fill_line(iteration: IterationEntry, load: PlannedLoad, width: int, scale: float, named: str = "") -> HeadLine:
    """Return the points in words, after a bar of a scale, or after a name and a bar; with done points if they fit."""
    capacity = iteration.capacity
    name: list[Part] = [(" ", "muted")]
    if named:
        name = [(f" {key_of('plan.next-pane')} ", KEY), (f"{named} ", "foreground")]
    done = f"  {number_text(load.done)} done" if load.done and not named else ""
    for brief in (False, True):
        words, left = capacity_words(load, capacity, is_brief=brief), width - length(name) - 4
        room = min(BAR, left - max(length(words), BRIEF_CAPACITY_TEXT_CELLS if brief else CAPACITY_TEXT_CELLS))
        if room >= LEAST_BAR:
            break
    done = done if room + length(words) + len(done) <= left else ""
    bar = scaled_bar(load, capacity, room, scale) if room >= LEAST_BAR else []
    return HeadLine(
        [*name, *bar, ("  " if bar else "", "muted"), *words[:2]],
        [*[(done, "muted")] * bool(done), *words[2:], (" ", "muted")],
    )
