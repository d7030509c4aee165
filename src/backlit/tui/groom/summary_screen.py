"""The summary of a grooming session: changed, skipped and unchanged items; its screen, Markdown and commands."""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import zip_longest

from rich.cells import cell_len
from rich.segment import Segment
from textual import on
from textual.app import ComposeResult
from textual.containers import Container
from textual.content import Content
from textual.screen import Screen
from textual.strip import Strip
from textual.widgets import Static

from backlit.model.amounts import counted, points_of
from backlit.model.planning import PlannedLoad
from backlit.model.ready_check import RuleInputs
from backlit.model.reports.formats import escaped
from backlit.model.reports.report import Figure, Tone
from backlit.store.grooming import GroomedItem
from backlit.store.records.changes import Subject
from backlit.store.records.merge import is_empty
from backlit.store.records.people import target_of
from backlit.store.store import Store
from backlit.tui.commands.command import CannotAct, CommandContext
from backlit.tui.commands.table import key_of
from backlit.tui.dialogs.prompts import TextToSave, file_in, save_file
from backlit.tui.drawing.charts import capacity_bar, capacity_words
from backlit.tui.drawing.large_figures import figure_rows
from backlit.tui.drawing.text import Line, safe, wrapped
from backlit.tui.drawing.themes import KEY, ThemeStyles
from backlit.tui.groom.item_beside import ItemBesideComments
from backlit.tui.groom.summary_table import LOW, SIGN, TITLES, SummaryTable, changes_of, grouped, listed, open_words
from backlit.tui.items.preview import item_context
from backlit.tui.shell.paths import downloads
from backlit.tui.shell.status_text import position_words, project_name, status_words
from backlit.tui.shell.store_screen import ChangeBatch, StoreScreen
from backlit.tui.shell.target import ItemDestination
from backlit.tui.shell.workers import work
from backlit.tui.widgets.item_rows import UNREADY_SIGN
from backlit.tui.widgets.line_list import LineList
from backlit.tui.widgets.pane_frame import FRAME_LINES, PaneFrame
from backlit.tui.widgets.side_lines import HEADING, FooterLine, Part, RuleLine, length
from backlit.tui.widgets.text_view import LinesView

HINTS = (
    *("summary.open", "summary.close", "summary.again", "summary.copy", "summary.save", "summary.previous"),
    "app.help",
)
_NOT_FOR_FILES = re.compile(r"[^\w.-]+")
RESULT_SUBJECTS = (Subject.ITEMS, Subject.PEOPLE, Subject.TREES)
"""What the results are read again after."""
WIDE, LOWEST, FRAME_SIDES = 100, 10, 4
"""Cells from which the item is shown, lines from which cut texts are, and cells of the sides of a frame."""
MAX_TABLE_SHARE, MAX_TABLE_SHARE_OF_LOW_SCREEN = 0.6, 0.3
"""Shares of the height that the table takes at most."""
KEYS, READY_CELLS = 5, 24
"""Cells of the keys in the facts, and of the bar of items that are ready."""


FACTS, BESIDE = 31, 52
"""Least cells of the facts beside the next steps, and cells from which both are side by side."""


def _drawn(line: Sequence[Part], theme: ThemeStyles) -> Line:
    return [Segment(text, theme.heading() if colour == HEADING else theme.style(colour)) for text, colour in line]


def _added_words(points: Sequence[float]) -> str:
    return f"{counted(len(points), 'estimate')} added · {counted(sum(points), 'pt')}"


class SessionFacts(LinesView):
    """The result of a session as a whole, and the next steps with their keys."""

    MORE_KEY = ""

    def __init__(self, store: Store) -> None:
        super().__init__(id="facts")
        self._store = store
        self._results: Sequence[GroomedItem] = ()

    def show(self, results: Sequence[GroomedItem]) -> None:
        self._results = results
        self.lay_out()

    def lines_for(self, width: int, theme: ThemeStyles) -> Sequence[Line]:
        if self.is_framed:
            return self.lines_in_frame(width, theme)
        left = max(FACTS, width // 2) if width >= BESIDE else width
        room = width - left or width
        facts, steps = [*self._facts(left)], [*self._next(room, theme)]
        if room == width:
            return [_drawn(each, theme) for each in (*facts, [], *steps)]
        drawn = ([_drawn(each, theme) for each in lines] for lines in ([[("This session", HEADING)], *facts], steps))
        both = zip_longest(*drawn, fillvalue=[])
        return [[*Strip(one).adjust_cell_length(left, theme.style()), *other] for one, other in both]

    def lines_in_frame(self, width: int, theme: ThemeStyles) -> Sequence[Line]:
        """Return the session in three columns: a large figure, the reasons, and the next steps."""
        cells = width // 3, width // 3, width - 2 * (width // 3)
        reasons: list[Sequence[Part]] = [*self._reasons(cells[1])]
        reasons = [[("Still open", HEADING)], *reasons] if reasons else []
        columns = [*self._figure(cells[0])], reasons, [*self._next(cells[2], theme)]
        return [
            [
                segment
                for row, column in zip(rows, cells, strict=True)
                for segment in Strip(_drawn(row, theme)).adjust_cell_length(column, theme.style())
            ]
            for rows in zip_longest(*columns, fillvalue=())
        ]

    def _figure(self, width: int) -> Iterator[Sequence[Part]]:
        here = [each for each in self._results if each.type]
        ready = [each for each in here if not each.open]
        made_ready = sum(bool(each.answers) for each in ready)
        points = added_points(here)
        more = [f"{made_ready:,} more than before"] if made_ready else []
        more += [_added_words(points)] if points else []
        _blank, *rows = figure_rows(
            [Figure(f"{len(ready)}", f"of {len(here):,} ready", ", ".join(more), Tone.DONE)], ()
        )
        yield from rows
        cells = min(READY_CELLS, width - 2)
        done = round(cells * len(ready) / max(1, len(here)))
        yield from ((), [("█" * done, "bar-done"), ("░" * (cells - done), "rule")])

    def _next(self, width: int, theme: ThemeStyles) -> Iterator[Sequence[Part]]:
        yield [("Next", HEADING)]
        for key, words in self._steps(width):
            cap = theme.cap(key).text if key else ""
            yield [(cap, KEY), (" " * (KEYS - cell_len(cap)), "muted"), *words]

    def _facts(self, width: int) -> Iterator[Sequence[Part]]:
        """Yield how many items are ready, the reasons why others are not by their frequency, and the new estimates."""
        here = [each for each in self._results if each.type]
        unready = [each for each in here if each.open]
        ready = f"{len(here) - len(unready):,} of {len(here):,} ready"
        sign: Part = (f"{UNREADY_SIGN} ", "warn") if unready else ("✓ ", "status-done")
        yield [sign, (ready, "foreground")]
        yield from self._reasons(width, SIGN)
        if points := added_points(here):
            yield [(" " * SIGN + _added_words(points), "foreground")]

    def _reasons(self, width: int, indent: int = 0) -> Iterator[Sequence[Part]]:
        here, inputs = [each for each in self._results if each.type], self._store.ready_check.rule_inputs()
        unready = [each for each in here if each.open]
        reasons = Counter(words for each in unready for words in open_words(each.open, inputs))
        digits = len(str(max(reasons.values(), default=0)))
        for words, count in reasons.most_common():
            for at, line in enumerate(wrapped(words, width - 2 * SIGN - digits - 1)):
                number = f"{' ' * indent}{'' if at else count:>{digits}}"
                yield [(number, "muted" if indent else "foreground"), (f" {line}", "muted")]

    def _steps(self, width: int) -> Iterator[tuple[str, Sequence[Part]]]:
        count = sum(bool(each.open) for each in self._results)
        if count:
            yield key_of("summary.again"), [(f"groom {counted(count, 'item')} again", "foreground")]
        store = self._store
        sprint = target_of(store.plan.iterations.targets(), store.plan.draft.target, store.today())
        if sprint is not None:
            yield key_of("app.plan"), [(f"plan {sprint.name}", "foreground")]
            load = store.plan_preview.loads_now([sprint.id]).get(sprint.id, PlannedLoad())
            bar = capacity_bar(load.points, load.done, sprint.capacity, width - KEYS)
            needed = length(capacity_words(load, sprint.capacity))
            words = capacity_words(load, sprint.capacity, is_brief=needed > width - KEYS)
            yield from (("", each) for each in (bar, words) if each)
        yield key_of("summary.copy"), [("copy the summary", "foreground")]


class GroomSummaryScreen(StoreScreen[None]):
    """Shows the results, which are copied and saved as Markdown; `screen_at` makes the grooming screen at a position.

    The session ends when the summary is closed, not before.
    """

    COMMAND_GROUPS = ("groom.summary_screen", "widgets.text_view")

    AUTO_FOCUS = "SummaryTable"
    PLACE = "Grooming"
    CSS_PATH = "../styles/groom.tcss"

    def __init__(self, store: Store, results: Sequence[GroomedItem], screen_at: Callable[[int], Screen[None]]) -> None:
        super().__init__(store)
        self._results = results
        self._screen_at = screen_at
        self._words: Sequence[Part] = ()

    @property
    def item_ids(self) -> Sequence[int]:
        return self.store.grooming.item_ids() or [each.item_id for each in self._results]

    @property
    def unready(self) -> Sequence[GroomedItem]:
        return [each for each in self._results if each.open]

    def compose(self) -> ComposeResult:
        self._heading, self._footer = RuleLine("─", id="heading"), FooterLine(id="status")
        self.table, self._item = SummaryTable(self.store), ItemBesideComments(self.store)
        self._changes, self._facts = Static(id="changes"), SessionFacts(self.store)
        self._table_frame = PaneFrame(self.table, id="table-frame")
        self._facts_frame = PaneFrame(self._facts, id="facts-frame")
        self._facts_frame.say([("This session", "heading")])
        yield self.title_line
        yield self._heading
        with Container(id="panes"):
            with Container(id="items"):
                yield self._table_frame
                yield self._changes
                yield self._item
            yield RuleLine("─")
            yield self._facts_frame
        yield RuleLine("─", id="below")
        yield self._footer

    def on_mount(self) -> None:
        self._show()

    @on(LineList.Highlighted)
    def _cursor_moved(self, message: LineList.Highlighted) -> None:
        message.stop()
        self._item.preview.show_soon(self._show_current)
        self._draw_status()

    @on(LineList.Chosen)
    def _row_chosen(self, message: LineList.Chosen) -> None:
        message.stop()
        self.run_command("summary.open")

    def store_changed(self, changes: ChangeBatch) -> None:
        """Read the results again where they may have changed, as an undo removes answers."""
        if any(subject in changes for subject in RESULT_SUBJECTS):
            self.run_worker(work(self._read), exclusive=True, group="queue")
        elif Subject.COMMENTS in changes:
            self._show_current()
        self._draw_words()

    async def _read(self) -> None:
        if self.store.grooming.progress() is None:
            return
        self._results = await self.store.grooming.results()
        if self.is_attached:
            self._show()

    def _show(self) -> None:
        self.table.show(self._results)
        self._facts.show(self._results)
        self._share()
        self._show_current()

    def _show_current(self) -> None:
        each = self.table.current
        item = self.store.item(each.item_id) if each is not None else None
        comments = self.store.comments.of_item(item.id) if item is not None else ()
        inputs = self.store.ready_check.rule_inputs()
        faults = [rule.failure_sentence(inputs) for rule in each.open] if each is not None else ()
        context = item_context(self.store, item, faults)
        self._item.show(item, comments, context)
        self._item.fit_lines()
        if not self.session.is_low_bandwidth:
            self._item.read_latest()
        self._show_changes()

    def _show_changes(self) -> None:
        cut = self.table.cut_texts
        self._changes.display = bool(cut) and self.size.height >= LOWEST
        self._changes.update(Content("\n").join(Content.styled(safe(text), style) for text, style in cut))

    def on_resize(self) -> None:
        self.call_after_refresh(self._share)

    def _share(self) -> None:
        """Lay the table out for its width, and show the texts that it cuts; the item needs a wide terminal."""
        width = self.size.width
        self.set_class(width < WIDE, "-narrow")
        height, is_low = self.size.height, self.size.height < LOW
        self.set_class(is_low, "-low")
        lines = min(
            self.table.share(height), int(height * (MAX_TABLE_SHARE_OF_LOW_SCREEN if is_low else MAX_TABLE_SHARE))
        )
        self._table_frame.styles.height = lines + FRAME_LINES * (width >= WIDE)
        if self._facts_frame.is_wanted:
            facts = self._facts.lines_in_frame(width - FRAME_SIDES, ThemeStyles.of(self.app))
            self._facts_frame.styles.height = len(facts) + FRAME_LINES
        else:
            self._facts_frame.styles.height = "1fr"
        self._show_changes()
        self._draw_words()
        self._item.show_again()
        self.call_after_refresh(self._item.fit_lines)

    def _draw_words(self) -> None:
        counts = _counts(self.store, self._results, self.item_ids).rstrip(".").split(", ")
        self._words = [("Summary", "heading"), *((f" · {count}", "muted") for count in counts)]
        self._heading.say(self._words)
        self._draw_status()

    def _draw_status(self) -> None:
        left_out = set() if self.unready else {"summary.again"}
        if self._facts_frame.is_wanted:
            left_out |= {"summary.again", "summary.copy"}  # they stand below "Next", which is in sight whole
        hints = [each for each in HINTS if each not in left_out]
        place = self.table.cursor + 1, self.table.row_count()
        is_framed = self._table_frame.is_wanted
        self._table_frame.say(self._words, (), (), position_words(*place))
        self._footer.show(hints, status_words(self.store, *(() if is_framed else place)))

    def quoted(self) -> str:
        return summary_of(self.store, self._results, self.item_ids)

    def go_to(self, place: int) -> None:
        self.app.switch_screen(self._screen_at(place))

    def open_item(self, call: CommandContext) -> None:
        each = self.table.current
        if each is None or not each.type:
            raise CannotAct("The item no longer exists.")
        self.open(each.item_id, ItemDestination(call.command.argument))

    def copy_summary(self, _call: CommandContext) -> None:
        markdown = self.quoted()
        self.copy(markdown, f"Copied the summary, {counted(len(markdown.splitlines()), 'line')} of Markdown")

    async def save_summary(self, _call: CommandContext) -> None:
        store, markdown = self.store, self.quoted()
        project = project_name(store)
        name = f"groomed-{_NOT_FOR_FILES.sub('-', project).strip('-.').lower()}-{store.today().isoformat()}.md"
        await save_file(self, TextToSave("Save the summary", lambda _path: markdown, file_in), downloads() / name)

    def go_back(self, _call: CommandContext) -> None:
        progress = self.store.grooming.progress()
        stop = self.store.grooming.previous_stop(progress.count if progress else 0)
        if stop is None:
            raise CannotAct("None of the items exists any more.")
        self.go_to(stop.place)

    async def groom_again(self, _call: CommandContext) -> None:
        ids = [each.item_id for each in self.unready]
        if not ids:
            raise CannotAct("All items of this session are ready.")
        if not await self.store.grooming.begin(ids):
            raise CannotAct("No question is left about these items.")
        self.go_to(0)

    def leave_unfinished(self, _call: CommandContext) -> None:
        self.say(f"Grooming is not finished. {key_of('app.groom')} shows the summary again.")
        self.dismiss(None)

    async def end_session(self, _call: CommandContext) -> None:
        self.say(session_sentence(self._results))
        self.dismiss(None)
        await self.store.grooming.end()


def added_points(results: Iterable[GroomedItem]) -> list[float]:
    """Return the points of the items that had no estimate before."""
    answers = (answer for each in results for answer in each.answers if answer.key == "Estimate")
    sizes = (points_of(str(answer.after)) for answer in answers if is_empty(answer.before))
    return [size for size in sizes if size is not None]


def session_sentence(results: Sequence[GroomedItem]) -> str:
    """Return what a session came to in one line; in brackets, the items that its answers made ready."""
    here = [each for each in results if each.type]
    ready = [each for each in here if not each.open]
    made_ready = sum(bool(each.answers) for each in ready)
    points = sum(added_points(here))
    parts = [
        f"{len(ready):,} ready{f' (+{made_ready:,})' if made_ready else ''}",
        f"{counted(points, 'pt')} estimated" if points else "",
        f"{len(here) - len(ready):,} open" if len(here) > len(ready) else "",
    ]
    return f"Groomed {len(here):,}: {', '.join(filter(None, parts))}."


def summary_of(store: Store, results: Sequence[GroomedItem], item_ids: Sequence[int]) -> str:
    """Return the summary of a session on some items, in Markdown with users' texts escaped."""
    head = f"# Groomed: {_line(project_name(store))}, {store.today().isoformat()}"
    lines = [head, "", _counts(store, results, item_ids)]
    inputs = store.ready_check.rule_inputs()
    for title, found in grouped(results):
        lines += ["", f"## {title}", ""]
        for each in found:
            lines += _item(store, each, inputs)
    return "\n".join(lines).rstrip() + "\n"


def _counts(store: Store, results: Sequence[GroomedItem], item_ids: Sequence[int]) -> str:
    parts, found = [store.batch.words(item_ids)], dict(grouped(results))
    titles = TITLES if TITLES[-1] in found else TITLES[:-1]
    parts += [f"{len(found.get(title, ())):,} {title.lower()}" for title in titles]
    if len(item_ids) > len(results):
        parts.append(f"{len(item_ids) - len(results):,} not shown")
    return f"{', '.join(parts)}."


def _item(store: Store, each: GroomedItem, inputs: RuleInputs) -> Iterator[str]:
    number = f"#{each.item_id} " if each.item_id > 0 else ""
    yield f"- {number}{_line(each.name)}{f' ({each.type})' if each.type else ' (deleted)'}"
    yield from (f"  - {_line(change)}" for change in changes_of(store, each, ": "))
    if each.open:
        yield f"  - open: {listed(open_words(each.open, inputs))}"


def _line(text: str) -> str:
    return escaped(" ".join(text.split()))
