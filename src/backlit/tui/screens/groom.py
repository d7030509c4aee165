"""The groom queue: one item a screen, what it still lacks, and one key for each answer."""

from textual import on
from textual.app import ComposeResult

from backlit.store.changes import Subject
from backlit.store.rows import Item
from backlit.store.stops import Stop
from backlit.store.store import Store
from backlit.tui.acting import CannotAct
from backlit.tui.gathered import Gathered
from backlit.tui.groom_answers import Usual, act_of
from backlit.tui.groom_asking import Asking
from backlit.tui.item_verbs import ItemVerbs
from backlit.tui.log_verbs import timer_words
from backlit.tui.screens.backlog_words import left_status
from backlit.tui.surroundings import surroundings_of
from backlit.tui.widgets.groom_panes import GroomPanes
from backlit.tui.widgets.lines import Part, RuleLine, SidesLine, hints
from backlit.tui.widgets.preview import Preview
from backlit.tui.widgets.question_list import QuestionList
from backlit.tui.work import work

HINTS = ("groom.answer", "groom.accept", "groom.skip", "groom.previous", "groom.pause", "app.help")
FEW_HINTS = ("groom.answer", "groom.accept", "groom.skip", "groom.pause", "app.help")
ROOM_FOR_HINTS = 100
AGE_CHECK = 30.0
"""Seconds between looks at how long the timer has been running."""
ABOUT_ITEM = (Subject.ITEMS, Subject.COMMENTS)
ABOUT_NAMES = (Subject.PEOPLE, Subject.TREES)


class GroomScreen(ItemVerbs):
    """Shows the queue's present item; what is answered and how far it is, the store keeps at once."""

    LOSES_NOTHING = True
    AUTO_FOCUS = "QuestionList"
    CSS_PATH = "../styles/groom.tcss"

    def __init__(self, store: Store, usual: Usual, place: int = 0) -> None:
        super().__init__(store)
        self._usual = usual
        self._asking = Asking(store, usual, lambda: self.chord_app.estimate_scale)
        self._stop: Stop | None = None
        self._first_place = place
        self._project_id = store.project_id

    def compose(self) -> ComposeResult:
        """Title, questions and item between rules, status."""
        self._title, self._status = SidesLine(id="title"), SidesLine(id="status")
        self._questions, self._preview = QuestionList(), Preview()
        yield self._title
        yield RuleLine("┬")
        with GroomPanes():
            yield self._questions
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
        if self._stop is None:
            return
        item = self.store.item(self._stop.item_id)
        if self.store.project_id != self._project_id:
            self.dismiss()
        elif item is None:
            self.say("The item is no longer there.", is_bad=True)
            self._go_to(self._stop.place + 1)
        else:
            about_item = any(gathered.touches(subject, item.id) for subject in ABOUT_ITEM)
            if about_item or any(subject in gathered for subject in ABOUT_NAMES):
                self._asking.catch_up(item)
                self._draw(item)
            self._draw_words()

    # The present item

    def current_item(self) -> Item:
        """The item that is asked about."""
        item = self.store.item(self._stop.item_id) if self._stop is not None else None
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
            self._stop = None
            self.run_worker(work(self._finish), group="queue")
        else:
            self._show_stop(stop)

    def _show_stop(self, stop: Stop) -> None:
        self._stop = stop
        item = self.current_item()
        self._asking.begin(stop, item)
        self._draw(item)
        self._draw_words()
        self.app.run_worker(work(self.store.grooming.show, stop, item, self._asking.keys), group="queue")
        self.run_worker(work(self.store.look_at, item.id), exclusive=True, group="look")
        self.mark_seen(item.id)

    async def _finish(self) -> None:
        from backlit.tui.screens.groom_summary import GroomSummaryScreen

        await self.store.grooming.finish()
        results = await self.store.grooming.results()
        if self.is_attached and self.app.screen is self:
            self.app.switch_screen(GroomSummaryScreen(self.store, results, self._usual))

    # Drawing

    def _draw(self, item: Item) -> None:
        self._questions.show(self._asking.asked, self._asking.at)
        self._preview.show(item, self.store.comments(item.id), surroundings_of(self.store, item))

    def _draw_words(self) -> None:
        progress = self.store.grooming.progress()
        if progress is None or self._stop is None:
            return
        project = next((each.name for each in self.store.projects() if each.id == self.store.project_id), "")
        left: list[Part] = [(" backlit ", "accent"), (f" {project}", "foreground"), (" › Groom queue", "muted")]
        count = self._asking.count_open()
        asked = f"{count} {'question' if count == 1 else 'questions'}" if count else "all answered"
        far = f"  {self._stop.place + 1:,} of {progress.count:,} "
        self._title.say(left, [(f"  {asked} ", "muted"), (far, "foreground")])
        hint_ids = HINTS if self.size.width >= ROOM_FOR_HINTS else FEW_HINTS
        status = left_status(self.store.connection, self.store.outbox, 0, 0)
        self._status.say([*status, *timer_words(self.store)], hints(hint_ids))

    # Commands

    def do_groom_answer(self, _count: int | None) -> None:
        """Give the answer of the digit; 0 asks for another one."""
        digit, asked = int(self.chord_app.letter or 0), self._asking.current
        if asked is None:
            raise CannotAct("Nothing is missing here; enter goes on.")
        if digit == 0:
            self.ask(asked.field.key)
            return
        if digit > len(asked.answers):
            raise CannotAct(f"{digit} is no answer here; 0 asks for another one.")
        self.carry_out(act_of(asked.field, asked.answers[digit - 1]), [self.current_item()])
        self._asking.go_on()
        self._questions.show(self._asking.asked, self._asking.at)

    def do_groom_down(self, _count: int | None) -> None:
        """Go to the next question."""
        self._walk(1)

    def do_groom_up(self, _count: int | None) -> None:
        """Go to the previous question."""
        self._walk(-1)

    def _walk(self, steps: int) -> None:
        self._asking.walk(steps)
        self._questions.show(self._asking.asked, self._asking.at)

    def do_groom_item_down(self, _count: int | None) -> None:
        """Scroll the item."""
        self._preview.scroll_relative(y=max(1, self._preview.size.height // 2), animate=False, force=True)

    def do_groom_item_up(self, _count: int | None) -> None:
        """Scroll the item back."""
        self._preview.scroll_relative(y=-max(1, self._preview.size.height // 2), animate=False, force=True)

    def do_groom_accept(self, _count: int | None) -> None:
        """Take the item as it is now, and go to the next."""
        self._leave(is_skipped=False)

    def do_groom_skip(self, _count: int | None) -> None:
        """Leave the item for another time, and go to the next."""
        self._leave(is_skipped=True)

    def _leave(self, *, is_skipped: bool) -> None:
        stop = self._stop
        if stop is not None:
            self.app.run_worker(work(self.store.grooming.leave, stop, is_skipped=is_skipped), group="queue")
            self._go_to(stop.place + 1)

    def do_groom_previous(self, _count: int | None) -> None:
        """Go back to the item before this one."""
        here = self._stop.place if self._stop is not None else 0
        found, known = self.store.grooming.previous_stop(here), self._asking.last_place_before(here)
        if found is None or found.place < known:
            found = self.store.grooming.stop_at(known)
        if found is None or self.store.item(found.item_id) is None:
            raise CannotAct("This is the first item of the queue.")
        self._show_stop(found)

    def do_groom_pause(self, _count: int | None) -> None:
        """Leave; the queue is gone on with from here, also after a restart."""
        stop, progress = self._stop, self.store.grooming.progress()
        if stop is not None and progress is not None:
            self.say(f"Paused at {stop.place + 1:,} of {progress.count:,}; gq goes on.")
        self.dismiss()
