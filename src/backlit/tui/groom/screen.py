"""The groom queue: one item a screen, what it still lacks, and one key for each answer."""

from functools import partial

from textual import on
from textual.app import ComposeResult

from backlit.store.journal.groom_queue import Stop
from backlit.store.records.changes import Subject
from backlit.store.records.item import Item
from backlit.store.store import Store
from backlit.tui.commands.command import CannotAct
from backlit.tui.groom.question_list import GroomPanes, QuestionList
from backlit.tui.groom.questions import CommonValues, ItemQuestions
from backlit.tui.groom.summary_screen import GroomSummaryScreen
from backlit.tui.items.item_screen import ITEM_COMMANDS, ItemScreen
from backlit.tui.items.preview import Preview, surroundings_of
from backlit.tui.shell.status_text import left_status, timer_words
from backlit.tui.shell.store_screen import Gathered
from backlit.tui.shell.workers import work
from backlit.tui.widgets.side_lines import Part, RuleLine, SidesLine, hints

HINTS = ("groom.answer", "groom.accept", "groom.skip", "groom.previous", "groom.pause", "app.help")
FEW_HINTS = ("groom.answer", "groom.accept", "groom.skip", "groom.pause", "app.help")
ROOM_FOR_HINTS = 100
AGE_CHECK = 30.0
"""Seconds between looks at how long the timer has been running."""
ABOUT_ITEM = (Subject.ITEMS, Subject.COMMENTS)
ABOUT_NAMES = (Subject.PEOPLE, Subject.TREES)


class GroomScreen(ItemScreen):
    """Shows the current item of the queue; the store keeps the answers and the place at once."""

    COMMAND_GROUPS = ("groom.groom_commands", *ITEM_COMMANDS)
    AUTO_FOCUS = "QuestionList"
    CSS_PATH = "../styles/groom.tcss"

    def __init__(self, store: Store, common: CommonValues, place: int = 0) -> None:
        super().__init__(store)
        self.questions = ItemQuestions(store, common, lambda: self.session.estimate_scale)
        self.stop: Stop | None = None
        self._common = common
        self._first_place = place
        self._project_id = store.project_id

    def compose(self) -> ComposeResult:
        """Title, questions and item between rules, status."""
        self._title, self._status = SidesLine(id="title"), SidesLine(id="status")
        self._list, self._preview = QuestionList(), Preview()
        yield self._title
        yield RuleLine("┬")
        with GroomPanes():
            yield self._list
            yield self._preview
        yield RuleLine("┴")
        yield self._status

    def on_mount(self) -> None:
        """Go on where the queue was left."""
        self._go_to(self._first_place)
        self.set_interval(AGE_CHECK, self._draw_words)

    @on(GroomPanes.Placed)
    def _panes_placed(self, message: GroomPanes.Placed) -> None:
        for rule in self.query(RuleLine):
            rule.join_at(message.line)
        self._draw_words()

    def store_changed(self, gathered: Gathered) -> None:
        """Draw what was answered; what was answered by other keys than a digit is gone on from too."""
        if self.stop is None:
            return
        item = self.store.item(self.stop.item_id)
        if self.store.project_id != self._project_id:
            self.dismiss()
        elif item is None:
            self.say("The item is no longer there.", is_bad=True)
            self._go_to(self.stop.place + 1)
        else:
            about_item = any(gathered.touches(subject, item.id) for subject in ABOUT_ITEM)
            if about_item or any(subject in gathered for subject in ABOUT_NAMES):
                self.questions.catch_up(item)
                self._draw(item)
            self._draw_words()

    # The present item

    def current(self) -> Item:
        """The item that is asked about."""
        item = self.store.item(self.stop.item_id) if self.stop is not None else None
        if item is None:
            raise CannotAct("The item is no longer there; enter goes on.")
        return item

    def item_added(self, item_id: int) -> None:
        """Say that it is there; the queue stays as it is."""
        item = self.store.item(item_id)
        self.say(f"Added “{item.fields.get('Name') if item else ''}”; it is not in this queue.")

    def _go_to(self, place: int) -> None:
        """Show the first item from a place on that is to be shown; at the end, the summary."""
        stop = self.store.grooming.next_stop(place)
        if stop is None:
            self.stop = None
            self.run_worker(work(self._finish), group="queue")
        else:
            self.show_stop(stop)

    def leave_item(self, *, is_skipped: bool) -> None:
        """Note that the item is done or skipped, and show the next one."""
        stop = self.stop
        if stop is not None:
            self.app.run_worker(work(self.store.grooming.leave, stop, is_skipped=is_skipped), group="queue")
            self._go_to(stop.place + 1)

    def show_stop(self, stop: Stop) -> None:
        """Show an item of the queue."""
        self.stop = stop
        item = self.current()
        self.questions.begin(stop, item)
        self._draw(item)
        self._draw_words()
        self.app.run_worker(work(self.store.grooming.show, stop, item, self.questions.keys), group="queue")
        self.run_worker(work(self.store.look_at, item.id), exclusive=True, group="look")
        self.mark_seen(item.id)

    async def _finish(self) -> None:
        await self.store.grooming.finish()
        results = await self.store.grooming.results()
        if self.is_attached and self.app.screen is self:
            screen_at = partial(GroomScreen, self.store, self._common)
            self.app.switch_screen(GroomSummaryScreen(self.store, results, screen_at))

    # Drawing

    def show_questions(self) -> None:
        """Draw the questions."""
        self._list.show(self.questions.asked, self.questions.at)

    def scroll_item(self, pages: int) -> None:
        """Scroll the item by half pages."""
        by = pages * max(1, self._preview.size.height // 2)
        self._preview.scroll_relative(y=by, animate=False, force=True)

    def _draw(self, item: Item) -> None:
        self.show_questions()
        self._preview.show(item, self.store.comments(item.id), surroundings_of(self.store, item))

    def _draw_words(self) -> None:
        progress = self.store.grooming.progress()
        if progress is None or self.stop is None:
            return
        project = next((each.name for each in self.store.projects() if each.id == self.store.project_id), "")
        left: list[Part] = [(" backlit ", "accent"), (f" {project}", "foreground"), (" › Groom queue", "muted")]
        count = self.questions.count_open()
        asked = f"{count} {'question' if count == 1 else 'questions'}" if count else "all answered"
        far = f"  {self.stop.place + 1:,} of {progress.count:,} "
        self._title.say(left, [(f"  {asked} ", "muted"), (far, "foreground")])
        hint_ids = HINTS if self.size.width >= ROOM_FOR_HINTS else FEW_HINTS
        status = left_status(self.store.connection, self.store.outbox, 0, 0)
        self._status.say([*status, *timer_words(self.store)], hints(hint_ids))
