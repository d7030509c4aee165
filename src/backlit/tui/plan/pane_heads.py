"""The heads and the titles of all panes of the plan, drawn from their contents."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import dropwhile

from rich.cells import cell_len

from backlit.model.amounts import counted, points_of
from backlit.model.fields import ItemType
from backlit.model.planning import PlannedLoad
from backlit.store.records.item import ItemRow
from backlit.store.records.people import IterationEntry
from backlit.store.store import Store
from backlit.tui.commands.table import key_of, with_keys
from backlit.tui.drawing.themes import KEY
from backlit.tui.fields.dates import event_words, span
from backlit.tui.plan.capacity import IterationChangeCounts, PeopleCapacities, velocity_words
from backlit.tui.plan.instrument import AddedItem, scale_end
from backlit.tui.plan.iteration_head import IterationHead, fill_line
from backlit.tui.plan.other_sprints import OtherSprint, next_lines
from backlit.tui.plan.pane import HeadLine, PlanPane
from backlit.tui.plan.pane_contents import PlanPaneContents
from backlit.tui.shell.status_text import is_unreached, totals_words
from backlit.tui.widgets.side_lines import Part, Word, length


class PlanPaneHeads:
    """The heads and the titles of all panes, drawn from their contents."""

    def __init__(self, store: Store, lists: PlanPaneContents) -> None:
        self._store = store
        self._lists = lists

    def draw(
        self,
        found: Mapping[object, IterationChangeCounts],
        people: PeopleCapacities,
        unsaved: Sequence[Word],
        *,
        is_unread: bool,
    ) -> HeadLine:
        """Draw the velocity, the load of the target and those of other sprints; return the title of the target.

        In frames, the velocity and what is not saved are words of the edges.
        """
        store, lists, panes = self._store, self._lists, self._lists.panes
        every, pane = store.plan.iterations.targets(), panes.target
        iteration = store.lookups.iterations().get(pane.place) if pane.place is not None else None
        self.scale = max((scale_end(each.capacity, self._load(each).points) for each in every), default=0.0)
        velocity = velocity_words(lists.velocity)
        if length(velocity) + 2 > panes.backlog.size.width:
            velocity = velocity_words(lists.velocity, is_brief=True)
        head = [HeadLine([(" ", "muted"), *velocity]), HeadLine([(" ", "muted"), *unsaved])]
        if is_unread and lists.velocity.median is None:
            head = UNREAD_HEAD
        elif panes.is_single and iteration is not None:
            name = f"→ {iteration.name} {found.get(iteration.id, IterationChangeCounts()).words()}".rstrip()
            head[1] = fill_line(iteration, self._load(iteration), panes.backlog.size.width, self.scale, name)
        panes.backlog.say([] if panes.has_frames or is_unreached(store) else head)
        others = [] if is_unread else self._others()
        is_reader = store.lookups.is_read_only
        if iteration is None:
            panes.show_others(others, store.today())
            pane.say(UNREAD_HEAD if is_unread else _no_iteration_head(is_reader=is_reader))
            pane.say_below(())
            return HeadLine() if is_unread else HeadLine([("No iteration to plan", "foreground")])
        release = store.plan.iterations.release_of(iteration.id)
        days, name = span(iteration.start, iteration.end, store.today()), release.entry.name if release else ""
        when = days, name, *event_words(iteration, store.local, store.local_today())
        ways = iteration not in every[:1], iteration not in every[-1:]
        pending = unsaved if self.has_line_of_unsaved and len(unsaved) > 1 else ()
        shown = IterationHead(iteration, when, self._load(iteration), people, ways, self._added(), pending)
        if panes.has_column:
            pane.say(())
            panes.show_others(others, store.today(), shown.column(*panes.others.size_above(others), self.scale))
        else:
            pane.say(shown.lines(pane.size.width, self.scale, self._head_lines()))
            panes.show_others(others, store.today())
        pane.say_below([] if panes.others_frame.display else [*self._next_lines(iteration, pane.size.width)])
        pane.items.empty_text = self._empty_words(iteration, is_reader=is_reader)
        if panes.has_frames:
            return shown.edge()
        room = pane.size.width - panes.is_single * (sum(cell_len(word[0]) for word in unsaved) + 4)
        return HeadLine(shown.title(room, has_focus=pane is panes.focused))

    @property
    def has_line_of_unsaved(self) -> bool:
        """True where what is not saved has a line above the target's list; else it is in an edge."""
        panes = self._lists.panes
        return panes.has_frames and not panes.has_column and self._head_lines() == PlanPane.HEAD_LINES

    def count_words(self) -> list[Part]:
        view = self._lists.views.get(self._lists.panes.target)
        return [(counted(view.totals.count, "item"), "muted")] if view is not None and view.totals else []

    def _others(self) -> list[OtherSprint]:
        """Return the other iterations that have not ended, and the release, which has a scale of its own."""
        loads, release = self._lists.loads, self._lists.release()
        found = [
            OtherSprint(each.name, each.start, each.end, each.capacity, loads[each.id], self.scale)
            for each in self._lists.others()
            if each.id in loads
        ]
        if release is not None:
            load = sum((self._load(each) for each in release.iterations), PlannedLoad())
            entry, scale = release.entry, scale_end(release.capacity, load.points)
            found.append(
                OtherSprint(entry.name, entry.start, entry.end, release.capacity, load, scale, is_release=True)
            )
        return found

    def _empty_words(self, iteration: IterationEntry, *, is_reader: bool) -> str:
        """Return the text of a pane without rows, which has no open items; the head counts done ones too."""
        load, is_over = self._load(iteration), iteration.is_over(self._store.today())
        if load.count:
            which = "The only item" if load.count == 1 else f"All {load.count:,} items"
            verb, them = ("is", "it") if load.count == 1 else ("are", "them")
            return f"{which} here {verb} done: {counted(load.points, 'pt')}. {key_of('list.done')} shows {them}."
        return f"{iteration.name} has ended with nothing in it." if is_over else with_keys(EMPTY_PANE_TEXTS[is_reader])

    def backlog_title(self, filtered: Sequence[Part]) -> list[Word]:
        totals, panes = self._lists.totals, self._lists.panes
        name = ("Backlog", "heading" if panes.focused is panes.backlog else "foreground")
        amount = totals_words(totals)
        return [name, *filtered, *amount]

    def _head_lines(self) -> int:
        panes = self._lists.panes
        is_tall = panes.app.size.height >= PlanPane.TALL
        return 2 if panes.is_single else PlanPane.HEAD_LINES if is_tall else 3

    def _added(self) -> AddedItem | None:
        """Return the item under the cursor of the backlog, which would come into the target; None without points."""
        items = self._lists.panes.backlog.items
        if self._lists.panes.focused.items is not items or items.is_low_bandwidth or not items.row_count():
            return None
        row = items.row(items.cursor)
        if not isinstance(row, ItemRow) or row.type == ItemType.TASK:
            return None
        points = points_of(row.estimate)
        return AddedItem(f"#{row.id}" if row.id > 0 else "it", points) if points is not None else None

    def _load(self, iteration: IterationEntry) -> PlannedLoad:
        return self._lists.loads.get(iteration.id, PlannedLoad())

    def _next_lines(self, iteration: IterationEntry, width: int) -> Iterator[HeadLine]:
        """Yield a line for each of the iterations after one; unread loads are left out.

        Items that exceed this iteration move to a later one.
        """
        targets = dropwhile(lambda each: each.id != iteration.id, self._store.plan.iterations.targets())
        later = [each for each in [*targets][1:] if each.id in self._lists.loads]
        every = [OtherSprint(it.name, it.start, it.end, it.capacity, self._load(it), self.scale) for it in later]
        key: list[Part] = [(f" {key_of('plan.next-target')} ", KEY), ("next ", "muted")]
        return next_lines(every, width, self._store.today(), key)


EMPTY_PANE_TEXTS = (
    "Nothing is planned here yet. Go to an item with [plan.next-pane], and press [plan.send] to plan it.",
    "Nothing is planned here yet. Press [plan.next-pane] for other panes, [plan.next-target] for other iterations.",
)
"""The text of an empty pane, and the one for a reader."""
UNREAD_HEAD = [HeadLine([(" Loading …", "muted")]), HeadLine()]


def _no_iteration_head(*, is_reader: bool) -> list[HeadLine]:
    way = key_of("app.iterations")
    words = (
        f"{way} shows the iterations" if is_reader else f"Press {way}, then {key_of('tree.series')} to create sprints"
    )
    return [HeadLine([(f" {words}", "muted")]), HeadLine()]
