"""Commands of grooming and of its summary, against targets without an application."""

from collections.abc import Collection, Iterator, Sequence
from datetime import datetime
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest
from tests.store.documents import item, node, offline_store, put_nouns
from tests.tui.target import FakeScreen, FakeTarget, run, stage, words_of
from textual.content import Content
from textual.screen import Screen

from backlit.model.ready_check import RULES
from backlit.store import Store
from backlit.store.grooming import FieldAnswer, GroomedItem
from backlit.store.journal.groom_queue import GroomQueueItem
from backlit.store.records.item import Item
from backlit.tui.commands.command import CannotAct
from backlit.tui.dialogs.compose import CommentDialog, ComposedComment
from backlit.tui.dialogs.line import LineDialog
from backlit.tui.groom import screen
from backlit.tui.groom.questions import GroomingQuestions, SingleItemQueue
from backlit.tui.groom.screen import GroomScreen
from backlit.tui.groom.summary_screen import summary_of
from backlit.tui.lists.list_screen import ListScreen
from backlit.tui.shell.chord_app import ChordApp
from backlit.tui.shell.target import ItemDestination

SCALE = (1.0, 2.0, 3.0, 5.0, 8.0, 13.0)
UNESTIMATED = next(rule for rule in RULES if rule.id == "estimate")


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    """Three stories without estimates, and one with all that is asked for."""
    ready = {"Maturity": "5 - Mature", "AssignedToID": 1}
    documents = [*(item(number, **ready) for number in (1, 2, 3)), item(4, Estimate="2", **ready)]  # type: ignore[arg-type]
    with offline_store(tmp_path, documents, lambda: datetime(2026, 3, 10)) as store:
        put_nouns(store, iterations=[node(1, "Shop"), node(2, "S1", 1, startDate="2020-01-01", endDate="2099-01-01")])
        yield store


class FakeGrooming(FakeScreen):
    """A `groom.screen.GroomScreen` that draws nothing: its queue, its questions and the item that it shows."""

    stands_for = GroomScreen

    def __init__(self, store: Store, alone: int | None = None, answers: Sequence[object] = ()) -> None:
        super().__init__(store, (), answers)
        found = store.item(alone or 0)
        self.alone = SingleItemQueue(store, found) if found is not None else None
        self.queue: Any = self.alone or store.grooming
        self.questions = GroomingQuestions(store, {}, lambda: SCALE)
        self.stop: GroomQueueItem | None = None
        self.left: list[tuple[int, bool]] = []
        self.is_dismissed = False
        if self.alone is not None:
            self.show_stop(self.queue.next_stop(0))

    def show_stop(self, stop: GroomQueueItem | None) -> None:
        self.stop = stop
        assert stop is not None
        self.questions.begin(stop, self.current())

    async def show(self, place: int) -> None:
        """Show the item at a place, and note it in the queue."""
        self.show_stop(self.queue.next_stop(place))
        assert self.stop is not None
        await self.queue.show(self.stop, self.current(), self.questions.keys)

    def show_questions(self) -> None:
        """Draw nothing."""

    def leave_item(self, *, is_skipped: bool) -> None:
        assert self.stop is not None
        self.left.append((self.stop.item_id, is_skipped))

    def current(self) -> Item:
        found = self.store.item(self.stop.item_id) if self.stop is not None else None
        assert found is not None
        return found

    def chosen(self, rows: int | None = None) -> list[Item]:  # noqa: ARG002 - one item
        return [self.current()]

    def dismiss(self, _result: None) -> None:
        self.is_dismissed = True

    @property
    def asked_for(self) -> str:
        """The field of the current question."""
        assert self.questions.current is not None
        return self.questions.current.field.key


def changes(store: Store) -> list[tuple[int, dict[str, object]]]:
    return [(each.item_id, dict(each.payload)) for each in store.outbox_entries()]


def remove(store: Store, ids: Collection[int]) -> None:
    store.files.submit(lambda writer: writer.mirror.remove_items(sorted(ids))).result()


# Answers


async def test_digits_answer_the_question_of_then_and_a_present_value_is_confirmed(store: Store) -> None:
    target = FakeGrooming(store, alone=4)
    begun = target.asked_for
    await run(target, "groom.answer", letter="2")
    confirmed, after = changes(store), target.asked_for
    target.questions.walk(-9)
    await run(target, "groom.answer", letter="5")

    assert (begun, confirmed, after) == ("IterationID", [], "Status")
    assert changes(store) == [(4, {"Estimate": "5"})]
    target.questions.walk(-9)
    with pytest.raises(CannotAct, match=r"6 is not an option\. o to enter another value"):
        await run(target, "groom.answer", letter="6")


async def test_zero_asks_for_another_value_of_the_current_question(store: Store) -> None:
    target = FakeGrooming(store, alone=1, answers=["13"])

    await run(target, "groom.answer")

    (dialog,) = target.asked
    assert isinstance(dialog, LineDialog)
    assert words_of(dialog).startswith("Estimate")
    assert changes(store) == [(1, {"Estimate": "13"})]


async def test_an_item_without_questions_takes_no_answer(store: Store) -> None:
    target = FakeGrooming(store, alone=1)
    target.questions.asked = []

    with pytest.raises(CannotAct, match=r"This item is ready\. enter for the next one"):
        await run(target, "groom.answer", letter="1")


async def test_questions_are_walked_down_and_up(store: Store) -> None:
    target = FakeGrooming(store, alone=1)
    walked = []
    for command_id in ("groom.up", "groom.down", "groom.up"):
        await run(target, command_id)
        walked.append(target.questions.at)

    assert walked == [0, 1, 0]


# Leaving an item


@pytest.mark.parametrize(("alone", "act"), [(None, "send, next"), (1, "send, end grooming")])
async def test_a_comment_leads_on_where_no_question_is_left(store: Store, alone: int | None, act: str) -> None:
    await store.grooming.begin([1])
    target = FakeGrooming(store, alone)
    await target.show(0)

    target.answers = [ComposedComment("Ask Jon", False)]
    await run(target, "groom.comment")
    left = list(target.left)
    while target.questions.count_open():
        target.questions.confirm(target.current())
    target.answers = [None, ComposedComment("Split it", False)]
    for _ in range(2):
        await run(target, "groom.comment")
        left += target.left

    assert left == [(1, False)]
    assert target.said == ["Comment added to #1. u to undo."] * 2
    assert [each.text for each in store.comments.of_item(1)] == ["Ask Jon", "Split it"]
    sends = [
        Content.from_markup(str(cast("CommentDialog", each).frame.border_subtitle)).plain.split("  ")[0]
        for each in target.asked
    ]
    assert sends == ["ctrl+s send", f"ctrl+s {act}", f"ctrl+s {act}"]


@pytest.mark.parametrize(("command_id", "is_skipped"), [("groom.accept", False), ("groom.skip", True)])
async def test_an_item_is_taken_as_it_is_or_skipped(store: Store, command_id: str, is_skipped: bool) -> None:
    target = FakeGrooming(store, alone=1)

    await run(target, command_id)

    assert target.left == [(1, is_skipped)]


async def test_one_goes_back_to_the_last_shown_item_that_still_exists(store: Store) -> None:
    await store.grooming.begin([1, 2, 3])
    target = FakeGrooming(store)
    await target.show(0)
    with pytest.raises(CannotAct, match="This is the first item"):
        await run(target, "groom.previous")
    await target.show(1)
    target.show_stop(target.queue.next_stop(2))  # the journal does not have it yet

    back = []
    for _ in range(2):
        await run(target, "groom.previous")
        back.append(target.current().id)
    target.show_stop(target.queue.stop_at(2))
    remove(store, [1, 2])
    with pytest.raises(CannotAct, match="This is the first item"):
        await run(target, "groom.previous")

    assert back == [2, 1]


async def test_an_item_that_the_journal_does_not_have_yet_is_gone_back_to(store: Store) -> None:
    await store.grooming.begin([1, 2, 3])
    target = FakeGrooming(store)
    await target.show(0)
    for place in (1, 2):
        target.show_stop(target.queue.next_stop(place))

    await run(target, "groom.previous")

    assert target.current().id == 2


@pytest.mark.parametrize(
    ("alone", "said"), [(None, ["Grooming paused (2 of 3). gq to resume."]), (1, [])], ids=["queue", "alone"]
)
async def test_a_pause_names_the_place_in_the_queue(store: Store, alone: int | None, said: list[str]) -> None:
    await store.grooming.begin([1, 2, 3])
    target = FakeGrooming(store, alone)
    if alone is None:
        await target.show(1)

    await run(target, "groom.pause")

    assert (target.said, target.is_dismissed) == (said, True)


# Opening


class FakeList:
    """The list that the queue is begun from: its rows, and the selected ones."""

    def __init__(self, shown: Sequence[int], selected: Sequence[int] = ()) -> None:
        self.items = self
        self.selection = SimpleNamespace(ids=lambda: list(selected), drop_range=lambda: None)
        self._shown = shown

    async def loaded(self) -> None:
        """Wait for nothing."""

    def ids_between(self, start: int, end: int | None) -> Sequence[int]:
        return self._shown[start:end]


class FakeOpener(FakeTarget):
    """An application that shows grooming, over some screens."""

    def __init__(self, store: Store, *answers: object, over: Sequence[Screen[None]] = ()) -> None:
        super().__init__(store, (), answers)
        self.screen_stack = list(over)
        self.pushed: list[GroomScreen] = []

    def push_screen(self, screen: GroomScreen) -> None:
        self.pushed.append(screen)

    async def opens(self, shown: Sequence[int], selected: Sequence[int] = ()) -> list[int]:
        """Open the queue from a list; return the items of the queue."""
        with stage():
            place = cast("ListScreen", FakeList(shown, selected))
            await screen.open_queue(cast("ChordApp", self), self.store, place)
        return self.store.grooming.item_ids()


async def test_a_queue_has_the_selected_items_in_their_order_or_the_whole_list(store: Store) -> None:
    whole = await FakeOpener(store).opens([3, 1, 2])
    await store.grooming.end()
    selected = await FakeOpener(store).opens([3, 2, 4], [1, 2, 3])
    await store.grooming.end()
    ready = FakeOpener(store)

    assert (whole, selected) == ([3, 1, 2], [3, 2, 1])
    assert (await ready.opens([4]), ready.pushed) == ([], [])
    assert ready.said == ["Nothing to groom in 1 item: every open item is ready."]


@pytest.mark.parametrize(
    ("answer", "selected", "expected", "offer"),
    [
        ("r", [], [1, 2], "start over with this list"),
        ("n", [], [3], "start over with this list"),
        ("n", [1, 3], [3, 1], "start over with the 2 items selected"),
        (None, [], [1, 2], "start over with this list"),
    ],
)
async def test_a_paused_queue_is_resumed_replaced_or_kept(
    store: Store, answer: str | None, selected: list[int], expected: list[int], offer: str
) -> None:
    await store.grooming.begin([1, 2])
    target = FakeOpener(store, answer)

    ids = await target.opens([3], selected)

    words = words_of(target.asked[0])
    assert (ids, len(target.pushed)) == (expected, answer is not None)
    assert "(item 1 of 2)." in words
    assert f"r resume n {offer} esc cancel" in words


async def test_a_queue_that_is_over_resumes_at_its_summary(store: Store) -> None:
    await store.grooming.begin([1])
    await store.grooming.finish()
    target = FakeOpener(store, None)

    await target.opens([1])

    assert "at the summary." in words_of(target.asked[0])


async def test_grooming_is_opened_once(store: Store) -> None:
    await store.grooming.begin([1])
    with stage():
        over = [GroomScreen(store, {})]
    target = FakeOpener(store, over=over)

    with pytest.raises(CannotAct, match="Grooming is already open"):
        await target.opens([2])
    with pytest.raises(CannotAct, match="Grooming is already open"):
        await screen.open_item(cast("ChordApp", target), store, 1)
    assert (store.grooming.item_ids(), target.asked, target.pushed) == ([1], [], [])


# The summary

RESULTS = (
    GroomedItem(1, "Story", "One *bold*", False, (FieldAnswer("Estimate", None, "5"),), (), ()),
    GroomedItem(
        2,
        "Story",
        "Two",
        True,
        (FieldAnswer("Priority", 1, 2),),
        (FieldAnswer("Estimate", "3", ""),),
        (UNESTIMATED,),
    ),
    GroomedItem(3, "Story", "Three", True, (), (FieldAnswer("Estimate", "3", "8"),), ()),
    GroomedItem(-5, "Bug", "New", False, (), (), (UNESTIMATED,)),
    GroomedItem(9, "", "Gone", False, (), (), ()),
)


def test_the_summary_names_changes_by_their_result_and_author(store: Store) -> None:
    summary = summary_of(store, RESULTS, [1, 2, 3, 4, 9])

    head, *lines = summary.splitlines()
    assert head.endswith(f", {store.today().isoformat()}")
    assert lines == [
        "",
        "5 items, 2 changed, 1 skipped, 2 unchanged.",
        *("", "## Changed", ""),
        "- #1 One \\*bold\\* (Story)",
        "  - Estimate: – → 5",
        "- #2 Two (Story)",
        "  - Priority: 1 → 2",
        "  - by someone else: Estimate: 3 → –",
        "  - skipped",
        "  - open: No estimate in points",
        *("", "## Skipped", ""),
        "- #3 Three (Story)",
        "  - by someone else: Estimate: 3 → 8",
        *("", "## Unchanged", ""),
        "- New (Bug)",
        "  - open: No estimate in points",
        "- #9 Gone (deleted)",
    ]


class FakeSummary(FakeTarget):
    """A `groom.summary_screen.GroomSummaryScreen` with its cursor on one of its results."""

    def __init__(self, store: Store, results: Sequence[GroomedItem] = RESULTS, at: int = 0) -> None:
        super().__init__(store)
        self._results = results
        self.table = SimpleNamespace(current=results[at] if results else None)
        self.unready = [each for each in results if each.open]
        self.went: list[int] = []
        self.is_dismissed = False

    def quoted(self) -> str:
        return summary_of(self.store, RESULTS, [1, 2])

    def go_to(self, place: int) -> None:
        self.went.append(place)

    def dismiss(self, _result: None) -> None:
        self.is_dismissed = True


async def test_an_item_of_the_summary_opens_unless_it_is_deleted(store: Store) -> None:
    target = FakeSummary(store, at=1)
    for command_id in ("summary.open", "summary.edit"):
        await run(target, command_id)

    assert [each[:2] for each in target.opened] == [(2, ItemDestination.EDITOR), (2, ItemDestination.NAME)]
    for gone in (FakeSummary(store, at=4), FakeSummary(store, ())):
        with pytest.raises(CannotAct, match="The item no longer exists"):
            await run(gone, "summary.open")


async def test_the_summary_is_copied_with_its_length(store: Store) -> None:
    target = FakeSummary(store)

    await run(target, "summary.copy")

    assert target.copied == [target.quoted()]
    assert target.said == ["Copied the summary, 24 lines of Markdown"]


async def test_the_items_that_are_not_ready_are_groomed_again(store: Store) -> None:
    target = FakeSummary(store)
    await run(target, "summary.again")

    assert (store.grooming.item_ids(), target.went) == ([2], [0])
    with pytest.raises(CannotAct, match="All items of this session are ready"):
        await run(FakeSummary(store, RESULTS[:1]), "summary.again")
    await store.items.edit([2], {"Estimate": "3"})
    with pytest.raises(CannotAct, match="No question is left about these items"):
        await run(FakeSummary(store), "summary.again")


async def test_the_summary_leads_back_to_the_last_item_and_is_left_or_closed(store: Store) -> None:
    await store.grooming.begin([1, 2, 3])
    grooming, target = FakeGrooming(store), FakeSummary(store)
    for place in (0, 1):
        await grooming.show(place)
    await store.grooming.finish()

    await run(target, "summary.previous")
    await run(target, "summary.leave")
    left = store.grooming.progress() is not None
    await run(target, "summary.close")

    assert (target.went, left, target.is_dismissed) == ([1], True, True)
    assert target.said == [
        "Grooming is not finished. gq shows the summary again.",
        "Groomed 4: 2 ready (+1), 5 pts estimated, 2 open.",
    ]
    assert store.grooming.progress() is None
    with pytest.raises(CannotAct, match="None of the items exists any more"):
        await run(target, "summary.previous")
