"""Grooming: one item at a time with its open questions, and one key for each answer; its commands."""

from collections.abc import Mapping, Sequence
from datetime import date
from functools import partial

from rich.cells import cell_len
from rich.segment import Segment
from textual import on
from textual.app import ComposeResult
from textual.containers import Vertical

from backlit.model.dates import written_day
from backlit.model.fields import CRITERIA_COUNT, FEATURE_ID
from backlit.model.trees import NO_TOTALS
from backlit.store.grooming import NextGroomItem
from backlit.store.journal.groom_queue import GroomQueueItem
from backlit.store.records.changes import ConnectionState, Subject
from backlit.store.records.item import Item, whole
from backlit.store.store import Store
from backlit.store.views.items import CommentEntry
from backlit.tui.commands.command import LOADING_SENTENCE, CannotAct, CommandContext
from backlit.tui.commands.table import key_of
from backlit.tui.dialogs.dialog import AnswerKey, ConfirmDialog
from backlit.tui.drawing.charts import progress_line
from backlit.tui.drawing.text import Line, fit
from backlit.tui.drawing.themes import ThemeStyles, type_colour, type_sign
from backlit.tui.fields.dates import near_day
from backlit.tui.groom.item_frame import ItemFrame
from backlit.tui.groom.question_strip import QuestionStrip
from backlit.tui.groom.questions import CommonValues, GroomingQuestions, SingleItemQueue, common_values, edit_of
from backlit.tui.groom.summary_screen import GroomSummaryScreen
from backlit.tui.groom.summary_table import listed, open_words
from backlit.tui.items.criteria_lines import add_criteria
from backlit.tui.items.field_commands import change_field
from backlit.tui.items.item_commands import comment_on_current
from backlit.tui.items.item_screen import ITEM_COMMANDS, ItemScreen
from backlit.tui.items.preview import ItemContext, item_context, item_words
from backlit.tui.items.relation_commands import need_relations, pick_feature
from backlit.tui.lists.list_screen import ListScreen
from backlit.tui.shell.chord_app import ChordApp
from backlit.tui.shell.status_text import is_first_loading, status_words
from backlit.tui.shell.store_screen import ChangeBatch
from backlit.tui.shell.workers import work
from backlit.tui.widgets.footer_line import NARROW_WIDTH, FooterLine
from backlit.tui.widgets.pane_frame import FRAME_LINES, PaneFrame
from backlit.tui.widgets.side_lines import RuleLine
from backlit.tui.widgets.text_view import DetailView

PROGRESS_CELLS = 24
"""Cells of the progress of the session in the edge of a frame."""
NAME_GAP = 4
"""Cells around the type of an item that comes next, with the margin."""
MOST_QUESTIONS = 0.6
"""Largest share of the screen's height for the questions."""
HINTS = ("groom.accept", "groom.comment", "groom.skip", "groom.previous", "groom.pause")
HINTS_ALONE = ("groom.accept", "groom.comment", "groom.pause")
MIN_WIDTH_WITH_LACKS = 56
"""Cells from which the next items say what they lack."""
COMING, LEAST_COMING = 30, 5
"""Items of the queue that are read in advance, and those that are named below a long item."""
TALL, LEAST_ITEM, ITEM_SHARE = 20, 12, 0.36
"""Lines from which a long item leaves room for the next ones, and those of a short item.

The last is the share of a wide screen's lines that a short item has.
"""
NO_ITEMS_SENTENCE = "There are no items in this list."
AGE_CHECK = 30.0
"""Seconds between updates of the timer."""
ABOUT_ITEM = (Subject.ITEMS, Subject.COMMENTS, Subject.RELATIONS, Subject.CRITERIA)
ABOUT_NAMES = (Subject.PEOPLE, Subject.TREES)


def coming_lines(
    items: Sequence[NextGroomItem], lacks: Mapping[int, str], width: int, _height: int, theme: ThemeStyles
) -> Sequence[Line]:
    ids = [str(each.item_id) if each.item_id > 0 else "new" for each in items]
    numbers, longest = (max(map(cell_len, each), default=0) for each in (ids, [each.name for each in items]))
    room = width - numbers - NAME_GAP
    lacks = lacks if width >= MIN_WIDTH_WITH_LACKS else {}
    name = max(1, min(longest, max(room - 2 - max(map(cell_len, lacks.values()), default=-2), room * 6 // 10)))
    return [
        [
            Segment(f"{shown:>{numbers}} ", theme.style("faint")),
            Segment(f"{type_sign(each.type)} ", theme.style(type_colour(each.type))),
            Segment(fit(each.name, name), theme.style()),
            Segment(fit(f"  {lacks.get(each.item_id, '')}", room - name), theme.style("muted")),
        ]
        for shown, each in zip(ids, items, strict=True)
    ]


class GroomingItemPane(Vertical):
    """The question about an item, the item with its comments, and the items that come next."""

    def __init__(self, strip: QuestionStrip) -> None:
        super().__init__(id="grooming")
        self.item, self._strip = ItemFrame(names_item=False), strip
        self.question_frame = PaneFrame(strip, id="question")
        self._coming = DetailView()
        self._coming_frame = PaneFrame(self._coming, id="coming")
        self._below, self._rule = RuleLine("─"), RuleLine("─")
        self._rule.say([("Next", "heading")])
        self._needed = 0
        self._next: tuple[Sequence[NextGroomItem], Mapping[int, str]] = ((), {})

    def compose(self) -> ComposeResult:
        yield self.question_frame
        yield self._below
        yield self.item
        yield self._rule
        yield self._coming_frame

    def show_coming(self, coming: Sequence[NextGroomItem], lacks: Mapping[int, str], left: int) -> None:
        """Set the items that come next, which are shown with the item, what each lacks, and how many are left."""
        self._next = coming, lacks
        self._coming_frame.say([("Next", "heading")], [(f"{left:,} left", "muted")] if left else ())

    def show(self, item: Item, comments: Sequence[CommentEntry], context: ItemContext) -> None:
        self.item.show(item, comments, context)
        self._needed = self.item.needed_lines(self.size.width)
        self.place()

    def place(self) -> None:
        edges = FRAME_LINES * self.question_frame.is_wanted
        lines = min(self._strip.height_for(self.size.width - edges), round(self.app.size.height * MOST_QUESTIONS))
        self.question_frame.styles.height = lines + edges
        coming, lacks = self._next
        rest = self.size.height - lines - edges - (edges or 1)
        below = (edges or 1) * bool(coming)  # the lines around those that come next
        kept = LEAST_COMING if coming and rest >= TALL else 0
        least = max(LEAST_ITEM, round(self.size.height * ITEM_SHARE)) if edges else LEAST_ITEM
        item = min(max(self._needed, least), rest - kept - below)
        rows = min(len(coming), rest - item - below)
        self._coming_frame.display = rows > 0
        self._rule.display = rows > 0 and not edges
        self.item.styles.height = item + edges if rows > 0 else "1fr"
        self._coming_frame.styles.height = "1fr"
        self._coming.show(partial(coming_lines, coming[: max(0, rows)], lacks))

    def on_resize(self) -> None:
        self._needed = self.item.needed_lines(self.size.width)
        self.place()


class GroomScreen(ItemScreen):
    """Shows the current item of the session, or one item alone; answers and position are stored at once."""

    COMMAND_GROUPS = ("groom.screen", *ITEM_COMMANDS)
    AUTO_FOCUS = "QuestionStrip"
    PLACE = "Grooming"
    NEEDED_MOST = ("groom.answer", "groom.other", "groom.down")
    CSS_PATH = "../styles/groom.tcss"

    def __init__(
        self, store: Store, common: CommonValues, place: int = 0, alone: SingleItemQueue | None = None
    ) -> None:
        super().__init__(store)
        self.alone = alone
        self.queue = alone or store.grooming
        self.questions = GroomingQuestions(store, common, lambda: self.session.scale_in(store))
        self.stop: GroomQueueItem | None = None
        self._common = common
        self._first_place = place
        self._project_id = store.project_id

    def compose(self) -> ComposeResult:
        self._heading, self._footer = RuleLine("─", id="heading"), FooterLine(id="status")
        self._strip = QuestionStrip()
        self.pane = GroomingItemPane(self._strip)
        yield self.title_line
        yield self._heading
        yield self.pane
        yield RuleLine("─")
        yield self._footer

    def on_mount(self) -> None:
        self._go_to(self._first_place)
        if self.alone is None:
            kept = {key: values for key, values in self._common.items() if key != FEATURE_ID}  # Features are no JSON
            self.app.run_worker(work(self.store.grooming.keep_common, kept), group="queue")
        self.set_interval(AGE_CHECK, self._draw_words)

    def on_resize(self) -> None:
        self._draw_words()
        self.call_after_refresh(self._place)

    @on(QuestionStrip.Clicked)
    def _answer_clicked(self, message: QuestionStrip.Clicked) -> None:
        message.stop()
        self.begin(GroomScreen.give_answer, self, message.digit)

    def store_changed(self, changes: ChangeBatch) -> None:
        if self.stop is None:
            return
        item = self.store.item(self.stop.item_id)
        if self.store.project_id != self._project_id:
            self.dismiss()
        elif item is None:
            self.say("The item no longer exists.", is_bad=True)
            self._go_to(self.stop.place + 1)
        else:
            about_item = any(changes.touches(subject, item.id) for subject in ABOUT_ITEM)
            if about_item or any(subject in changes for subject in ABOUT_NAMES):
                self.questions.catch_up(item)
                self._draw(item)
            else:
                self._draw_words()

    # The present item

    def current(self) -> Item:
        """Return the current item; raises CannotAct for a deleted one."""
        item = self.store.item(self.stop.item_id) if self.stop is not None else None
        if item is None:
            raise CannotAct("The item no longer exists. enter for the next one.")
        return item

    def item_added(self, item_id: int) -> None:
        item = self.store.item(item_id)
        self.say(f"Added “{item.fields.get('Name') if item else ''}”. It is not in this grooming session.")

    def _go_to(self, place: int) -> None:
        stop = self.queue.next_stop(place)
        if stop is None and self.alone is not None:
            self.dismiss()
        elif stop is None:
            self.stop = None
            self.run_worker(work(self._finish), group="queue")
        else:
            self.show_stop(stop)

    def leave_item(self, *, is_skipped: bool) -> None:
        stop = self.stop
        if stop is not None:
            # A worker of the application: Textual cancels those of a screen that closes, as after the last item.
            self.app.run_worker(work(self.queue.leave, stop, is_skipped=is_skipped), group="queue")
            self._go_to(stop.place + 1)

    def show_stop(self, stop: GroomQueueItem) -> None:
        self.stop = stop
        item = self.current()
        self.questions.begin(stop, item)
        coming, check = self.queue.coming(stop.place, COMING), self.store.ready_check
        faults, inputs = check.faults([each.item_id for each in coming]) if coming else {}, check.rule_inputs()
        progress = None if self.alone else self.store.grooming.progress()
        left = max(0, progress.count - stop.place - 1) if progress else 0
        self.pane.show_coming(coming, {each: listed(open_words(rules, inputs)) for each, rules in faults.items()}, left)
        self._draw(item)
        self.app.run_worker(work(self.queue.show, stop, item, self.questions.keys), group="queue")
        self.run_worker(work(self.store.look_at, item.id), exclusive=True, group="look")
        self.run_worker(work(self._find_similar, item), exclusive=True, group="similar")
        self.mark_seen(item.id)

    async def _find_similar(self, item: Item) -> None:
        self._strip.show_similar(())
        similar = await self.store.grooming.similar(item)
        if self.is_attached:
            self._strip.show_similar(similar)
            self._place()

    async def _finish(self) -> None:
        await self.store.grooming.finish()
        results = await self.store.grooming.results()
        if self.is_attached and self.app.screen is self:
            screen_at = partial(GroomScreen, self.store, self._common)
            self.app.switch_screen(GroomSummaryScreen(self.store, results, screen_at))

    # Drawing

    def show_questions(self) -> None:
        item = self.current()
        self._strip.show(item, self.questions.asked, self.questions.at, self.store.ready_check.checks(item))
        self._place()

    def _draw(self, item: Item) -> None:
        self.pane.show(item, self.store.comments.of_item(item.id), item_context(self.store, item))
        self.show_questions()

    def _place(self) -> None:
        self.pane.place()
        self._draw_words()

    def _draw_words(self) -> None:
        progress = None if self.alone else self.store.grooming.progress()
        if self.stop is None or not (progress or self.alone):
            return
        place, item = self.stop.place, self.store.item(self.stop.item_id)
        heading = f"Item {place + 1:,} of {progress.count:,}" if progress else "This item"
        self._heading.say([(heading, "heading")])
        self._heading.fill(place / progress.count if progress else 0)
        bar = progress_line(place / progress.count, PROGRESS_CELLS, "mark") if progress else []
        head = item_words(item.id, item.type) if item is not None else []
        self.pane.question_frame.say(head, [(f"{heading}  ", "foreground"), *bar])
        hints: Sequence[str] = HINTS
        labels = {"groom.accept": "next"} if self.size.width <= NARROW_WIDTH else {}
        if self.alone:
            hints, labels = HINTS_ALONE, {"groom.accept": "done", "groom.pause": "close"}
        self._footer.show([*hints, "app.help"], status_words(self.store), labels)

    async def answer_question(self, call: CommandContext) -> None:
        await self.give_answer(int(call.letter or 0))

    async def enter_answer(self, _call: CommandContext) -> None:
        await self.give_answer(0)

    async def give_answer(self, digit: int) -> None:
        """Give an answer to the current question; raises CannotAct for a digit without one."""
        asked, item = self.questions.current, self.current()
        if asked is None:
            raise CannotAct("This item is ready. enter for the next one.")
        if digit == 0:
            await self._ask_for_another(asked.field.key, item)
            return
        choice = asked.answers.get(digit)
        if choice is None:
            raise CannotAct(f"{digit} is not an option. {key_of('groom.other')} to enter another value.")
        if asked.has(choice):
            confirmed = self.questions.confirm(item)
            self.show_questions()
            if self.stop is not None:
                await self.queue.confirm(self.stop, confirmed)
            return
        stop = self.stop
        if asked.field.key == FEATURE_ID:
            need_relations(self.store)
            await self.store.relation_edits.set_parent([item.id], whole(choice.value))
        else:
            await self.apply(edit_of(asked.field, choice), [item])
        if self.stop is stop:
            # Here and not by the published change alone: the next digit is for the question that follows by now.
            self.questions.take_answer(asked, self.current())
            self.show_questions()

    async def _ask_for_another(self, key: str, item: Item) -> None:
        if key == FEATURE_ID:
            await pick_feature(self, [item])
        elif key == CRITERIA_COUNT:
            await add_criteria(self, item.id)
        else:
            await change_field(self, key, [item])

    def step_question(self, call: CommandContext) -> None:
        self.questions.walk(int(call.command.argument))
        self.show_questions()

    def scroll_item(self, call: CommandContext) -> None:
        self.pane.item.scroll_pages(int(call.command.argument))

    async def add_comment(self, _call: CommandContext) -> None:
        """Write a comment; with it, an item without open questions is done."""
        goes_on = not self.questions.count_open()
        act = f"send, {'end grooming' if self.alone else 'next'}" if goes_on else "send"
        if await comment_on_current(self, act=act) and goes_on:
            self.leave_item(is_skipped=False)

    def accept_or_skip(self, call: CommandContext) -> None:
        self.leave_item(is_skipped=call.command.argument == "skip")

    def go_back(self, _call: CommandContext) -> None:
        queue, here = self.queue, self.stop.place if self.stop is not None else 0
        found, known = queue.previous_stop(here), self.questions.last_place_before(here)
        if found is None or found.place < known:
            found = queue.stop_at(known)
        if found is None or self.store.item(found.item_id) is None:
            raise CannotAct("This is the first item.")
        self.show_stop(found)

    def pause(self, _call: CommandContext) -> None:
        progress = self.store.grooming.progress()
        if self.stop is not None and progress is not None and not self.alone:
            self.say(
                f"Grooming paused ({self.stop.place + 1:,} of {progress.count:,}). {key_of('app.groom')} to resume."
            )
        self.dismiss(None)


# Opening


def _free_to_groom(app: ChordApp, store: Store) -> Store:
    """Return the store; raises CannotAct for a reader, and while grooming is open."""
    if any(isinstance(screen, GroomScreen) for screen in app.screen_stack):
        raise CannotAct("Grooming is already open.")
    store.lookups.need_writer()
    return store


async def open_queue(app: ChordApp, store: Store, place: ListScreen) -> None:
    """Resume the paused session or start another one, as the user wants.

    Raises CannotAct for an open one, and before the items are there.
    """
    is_idle = store.connection.state is ConnectionState.IDLE  # at the start, perhaps over a copy of an earlier one
    if is_first_loading(store) and not (is_idle and store.has_items()):
        raise CannotAct(LOADING_SENTENCE)
    progress = _free_to_groom(app, store).grooming.progress()
    if progress is not None:
        at = "at the summary" if progress.is_over else f"(item {progress.place + 1:,} of {progress.count:,})"
        selected = await store.batch.totals(place.items.selection.ids())
        new = f"start over with {'this list' if selected == NO_TOTALS else f'the {selected.words} selected'}"
        answers = [AnswerKey("r enter", "resume"), AnswerKey("n", new)]
        day, today = date.fromisoformat(progress.began_on), store.today()
        when = near_day(day, today).lower() or f"on {written_day(day, today)}"
        sentence = f"You paused grooming {when} {at}."
        key = await app.ask(ConfirmDialog("Grooming", sentence, answers, "cancel"))
        if key is None:
            return
        if key == "r":
            app.push_screen(GroomScreen(store, await common_values(store), progress.place))
            return
    await _begin(app, store, place)


async def open_item(app: ChordApp, store: Store, item_id: int) -> None:
    """Ask about one item alone; raises CannotAct while another one is asked about."""
    item = _free_to_groom(app, store).item(item_id)
    if item is not None:
        app.push_screen(GroomScreen(store, await common_values(store), alone=SingleItemQueue(store, item)))


async def _begin(app: ChordApp, store: Store, place: ListScreen) -> None:
    ids = await _ids(place)
    if not ids:
        raise CannotAct(NO_ITEMS_SENTENCE)
    if await store.grooming.begin(ids):
        place.items.selection.drop_range()
        app.push_screen(GroomScreen(store, await common_values(store)))
    else:
        looked_at = await store.batch.totals(ids)
        if looked_at == NO_TOTALS:
            raise CannotAct(NO_ITEMS_SENTENCE)  # the list has not been read again yet
        app.say(f"Nothing to groom in {looked_at.words}: every open item is ready.")


async def _ids(place: ListScreen) -> Sequence[int]:
    """Return the selected items in the order of the list, hidden ones last; without a selection, the whole list."""
    await place.loaded()
    selected, shown = set(place.items.selection.ids()), place.items.ids_between(0, None)
    return [*(each for each in shown if each in selected), *selected.difference(shown)] if selected else shown
