"""The summary of a grooming session: changed, skipped and unchanged items; its screen, Markdown and commands."""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence

from rich.cells import cell_len
from rich.segment import Segment
from textual import on
from textual.app import ComposeResult
from textual.containers import Container, Vertical
from textual.screen import Screen

from backlit.model.amounts import counted, points_of
from backlit.model.ready_check import RuleInputs
from backlit.model.reports.formats import escaped
from backlit.store.grooming import GroomedItem
from backlit.store.records.changes import Subject
from backlit.store.records.merge import is_empty
from backlit.store.records.people import IterationEntry, target_of
from backlit.store.store import Store
from backlit.tui.commands.command import CannotAct, CommandContext
from backlit.tui.commands.table import key_of
from backlit.tui.dialogs.prompts import TextToSave, file_in, save_file
from backlit.tui.drawing.charts import progress_line
from backlit.tui.drawing.large_figures import large
from backlit.tui.drawing.text import Line
from backlit.tui.drawing.themes import ThemeStyles
from backlit.tui.groom.item_frame import SIDES, ItemFrame
from backlit.tui.groom.summary_table import TITLES, SummaryTable, changes_of, grouped, listed, open_words
from backlit.tui.items.preview import item_context
from backlit.tui.lists.item_panes import LIST_SHARE, MAX_PREVIEW_WIDTH, MIN_WIDTH_BESIDE
from backlit.tui.shell.paths import downloads
from backlit.tui.shell.status_text import position_words, project_name, status_words
from backlit.tui.shell.store_screen import ChangeBatch, StoreScreen
from backlit.tui.shell.target import ItemDestination
from backlit.tui.shell.workers import work
from backlit.tui.widgets.footer_line import FooterLine
from backlit.tui.widgets.line_list import LineList
from backlit.tui.widgets.pane_frame import FRAME_LINES, PaneFrame
from backlit.tui.widgets.side_lines import RuleLine
from backlit.tui.widgets.text_view import LinesView

OTHER_HINTS = ("summary.save", "summary.previous")
_NOT_FOR_FILES = re.compile(r"[^\w.-]+")
RESULT_SUBJECTS = (Subject.ITEMS, Subject.PEOPLE, Subject.TREES)
"""What the results are read again after."""
LOW, TALL = 16, 24
"""Lines of the terminal below which the headline has neither bar nor large figure, and from which it has blanks."""
MAX_TABLE_SHARE, MAX_TABLE_SHARE_OF_LOW_SCREEN = 0.5, 0.3
"""Shares of a high and of a low screen that the table takes at most above the item."""
TITLE_LINES, LEAST_ITEM = 2, 3
"""Lines of the title and of the footer, and those below which the item under the cursor is not shown."""


class SessionHeadline(LinesView):
    """What a session came to: how many items are ready, the new estimates, and a bar of the ready ones."""

    MORE_KEY = ""

    def __init__(self) -> None:
        super().__init__(id="headline")
        self._results: Sequence[GroomedItem] = ()
        self.is_large = False
        """Whether there is room for a large figure."""

    def show(self, results: Sequence[GroomedItem], *, is_large: bool) -> None:
        self._results, self.is_large = results, is_large
        if self.is_mounted:
            self.lay_out()

    def lines_for(self, width: int, theme: ThemeStyles) -> Sequence[Line]:
        here = [each for each in self._results if each.type]
        ready = [each for each in here if not each.open]
        made_ready = sum(bool(each.answers) for each in ready)
        points = added_points(here)
        notes = [
            f"{made_ready:,} more than before" if made_ready else "",
            f"{counted(len(points), 'estimate')} added, {counted(sum(points), 'pt')}" if points else "",
        ]
        note = " · ".join(filter(None, notes))
        digits = [f"{line}  " for line in large(f"{len(ready):,}")]
        if not self.is_large or cell_len(f"{digits[0]}{note}") > width:
            words = Segment(f"{len(ready):,} of {len(here):,} ready", theme.style(bold=True))
            return [[words], [Segment(note, theme.style("muted"))], _bar(len(ready), len(here), width, theme)]
        colour = "status-done" if ready else "foreground"
        beside: Sequence[Line] = (
            [Segment(f"of {len(here):,} ready", theme.style(colour, bold=True))],
            [Segment(note, theme.style("muted"))],
            _bar(len(ready), len(here), width - len(digits[0]), theme),
        )
        return [[Segment(each, theme.style(colour)), *line] for each, line in zip(digits, beside, strict=True)]


def _bar(done: int, count: int, width: int, theme: ThemeStyles) -> list[Segment]:
    return [Segment(text, theme.style(colour)) for text, colour in progress_line(done / max(1, count), width)]


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
        self._item_width = -1
        """Cells of the item beside the results; 0 for an item below them, -1 until one of them is chosen."""

    @property
    def item_ids(self) -> Sequence[int]:
        return self.store.grooming.item_ids() or [each.item_id for each in self._results]

    @property
    def unready(self) -> Sequence[GroomedItem]:
        return [each for each in self._results if each.open]

    def compose(self) -> ComposeResult:
        self._heading, self._footer = RuleLine("─", id="heading"), FooterLine(id="status")
        self.table, self._headline = SummaryTable(self.store), SessionHeadline()
        self._results_frame = PaneFrame(Vertical(self._headline, self.table), self.table, id="results-frame")
        self._rule, self._item = RuleLine("─", id="below"), ItemFrame()
        yield self.title_line
        yield self._heading
        yield Container(self._results_frame, self._rule, self._item, id="panes")
        yield self._footer

    def on_mount(self) -> None:
        self._show()

    @on(LineList.Highlighted)
    def _cursor_moved(self, message: LineList.Highlighted) -> None:
        message.stop()
        self._item.preview.show_soon(self._show_current)
        self._draw_words()

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
        self._share()

    def _show_current(self) -> None:
        each = self.table.current
        item = self.store.item(each.item_id) if each is not None else None
        comments = self.store.comments.of_item(item.id) if item is not None else ()
        inputs = self.store.ready_check.rule_inputs()
        # The row of the table says them where it has room.
        faults = [rule.failure_sentence(inputs) for rule in each.open] if each is not None and self.table.is_cut else ()
        self._item.show(item, comments, item_context(self.store, item, faults, can_act=False))

    def on_resize(self) -> None:
        self.call_after_refresh(self._share)

    def _share(self) -> None:
        """Put the item beside the results, or give the results the lines that they need and the item the others."""
        width, height = self.size
        is_beside, is_low, is_framed = width >= MIN_WIDTH_BESIDE, height < LOW, self._results_frame.is_wanted
        item_width = min(MAX_PREVIEW_WIDTH, width - width * LIST_SHARE // 100) if is_beside else 0
        if item_width != self._item_width:
            self._item_width = item_width
            self.set_class(is_beside, "-beside")
            self._item.styles.width = item_width or "100%"
            self.call_after_refresh(self._share)  # the lines of the rows depend on the new width
        self._headline.show(self._results, is_large=not is_low)
        room_for_headline = width - item_width - SIDES * is_framed
        headline = len(self._headline.lines_for(room_for_headline, ThemeStyles.of(self.app))) - is_low
        blanks = (height >= TALL) * (1 + is_framed)
        self._headline.styles.height = headline
        self._headline.styles.margin = (int(blanks > 1), 0, int(blanks > 0), 0)
        rules = 0 if is_framed else TITLE_LINES  # below the title, and above the item
        panes = height - TITLE_LINES - rules
        around = headline + blanks + FRAME_LINES * is_framed
        share = 1 if is_beside else MAX_TABLE_SHARE_OF_LOW_SCREEN if is_low else MAX_TABLE_SHARE
        most = int((panes - around * is_beside) * share)
        used = around + min(self.table.lay_out(most), most)
        self._item.display = is_beside or panes - used >= LEAST_ITEM
        self._results_frame.styles.height = used if self._item.display and not is_beside else "1fr"
        self._rule.display = not is_framed and self._item.display
        self._show_current()
        self._draw_words()

    def _draw_words(self) -> None:
        words = ("Summary", "heading"), (f" · {' · '.join(_counts(self._results, self.item_ids))}", "muted")
        self._heading.say(words)
        self._results_frame.say(words, (), (), position_words(*self.table.place))
        self._draw_status()

    def _sprint(self) -> IterationEntry | None:
        """Return the sprint that the plan opens on."""
        plan = self.store.plan
        return target_of(plan.iterations.targets(), plan.draft.target, self.store.today())

    def _draw_status(self) -> None:
        is_framed = self._results_frame.is_wanted
        labels = {"summary.again": f"groom {len(self.unready):,} again"}
        sprint = self._sprint()
        if sprint is not None:
            labels["app.plan"] = f"plan {sprint.name}"
        steps = (*("summary.again",) * bool(self.unready), "app.plan", "summary.copy")
        self._footer.show(
            [*steps, "summary.open", "summary.close", *OTHER_HINTS, "app.help"],
            status_words(self.store, *(() if is_framed else self.table.place)),
            labels,
        )

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
    lines = [head, "", f"{', '.join([store.batch.words(item_ids), *_counts(results, item_ids)])}."]
    inputs = store.ready_check.rule_inputs()
    for title, found in grouped(results):
        lines += ["", f"## {title}", ""]
        for each in found:
            lines += _item(store, each, inputs)
    return "\n".join(lines).rstrip() + "\n"


def _counts(results: Sequence[GroomedItem], item_ids: Sequence[int]) -> list[str]:
    found = dict(grouped(results))
    titles = TITLES if TITLES[-1] in found else TITLES[:-1]
    parts = [f"{len(found.get(title, ())):,} {title.lower()}" for title in titles]
    if len(item_ids) > len(results):
        parts.append(f"{len(item_ids) - len(results):,} not shown")
    return parts


def _item(store: Store, each: GroomedItem, inputs: RuleInputs) -> Iterator[str]:
    number = f"#{each.item_id} " if each.item_id > 0 else ""
    yield f"- {number}{_line(each.name)}{f' ({each.type})' if each.type else ' (deleted)'}"
    yield from (f"  - {_line(change)}" for change in changes_of(store, each, ": "))
    if each.answers and each.is_skipped:
        yield "  - skipped"
    if each.open:
        yield f"  - open: {listed(open_words(each.open, inputs))}"


def _line(text: str) -> str:
    return escaped(" ".join(text.split()))
