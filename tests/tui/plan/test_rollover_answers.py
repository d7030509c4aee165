"""The questions of a rollover over a store without a service: what they show, keep and write."""

import asyncio
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager
from datetime import date, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from tests.store.documents import announce, item, node, offline_store, put, put_nouns
from tests.store.world import until
from tests.tui.bare_app import BareApp, missing, text_of
from tests.tui.plan.fake_plan import FakePlan
from tests.tui.target import rows_of, run
from textual.content import Content
from textual.screen import Screen
from textual.widgets import Static

from backlit.model.planning import IterationEvent
from backlit.store import EntryKind, Store
from backlit.store.edits.rollover import RolloverDecision, RolloverOutcome
from backlit.tui.commands.command import CannotAct
from backlit.tui.dialogs.line import LineDialog
from backlit.tui.dialogs.pick import PickDialog
from backlit.tui.fields.choices import Choice
from backlit.tui.plan.rollover import RolloverDialog
from backlit.tui.shell.drafts import RESTORED_SENTENCE

TODAY = date(2026, 3, 10)
DAYS = {21: (-40, -27), 22: (-26, -13), 23: (-12, -1), 24: (0, 13), 25: (14, 27)}
"""The first and the last day of sprints, counted from today; S26 has no days."""
ITEMS = (
    item(1, Estimate="5 pts", IterationID=23, AssignedToID=3, Status="In Progress"),
    item(2, kind="Bug", Estimate="3", IterationID=23, Status="Open", AssignedToID=9),
    item(3, IterationID=23, Status=""),
    item(4, IterationID=23, Estimate="8"),
    item(5, IterationID=23, Estimate="2", Status="Done"),
    item(6, kind="Task", ParentID=4, IterationID=23, Status="In Progress"),
    item(7, kind="Task", ParentID=4, IterationID=23, Status="Done"),
    item(8, IterationID=21, Estimate="1"),
    item(9, IterationID=24, Estimate="10"),
    item(10, IterationID=25),
)
OTHER_ANSWERS = "b Move to the backlog s Split: keep done points here, move the rest d Mark done k Leave in S23"
KEY = "rollover:1:23"


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    """Three ended sprints, two of them with unfinished items, the current one and the next."""
    with offline_store(tmp_path, (), lambda: datetime(2026, 3, 10, 12)) as store:
        put_sprints(store, list(DAYS))
        put(store, ITEMS)
        yield store


def put_sprints(store: Store, numbers: list[int]) -> None:
    nodes = [node(20, "Shop")]
    for number in numbers:
        days = zip(("startDate", "endDate"), DAYS.get(number, ()), strict=False)
        dates = {key: str(TODAY + timedelta(day)) for key, day in days}
        nodes.append(node(number, f"S{number}", 20, maxCapacity=20, **dates))
    put_nouns(store, iterations=nodes, user=[{"id": 3, "name": "zoe"}])


@asynccontextmanager
async def asking(store: Store, here: int = 23) -> AsyncIterator[tuple[BareApp, FakePlan]]:
    """The questions of an iteration's rollover on a stage; the last key of a test ends the command."""
    app = BareApp()
    async with app.run_test(size=(110, 40)):
        target = FakePlan(store, here=store.lookups.iterations()[here])
        target.shown_on = app
        asked = asyncio.create_task(run(target, "plan.rollover"))
        await shown(app, RolloverDialog)
        yield app, target
        await asked


def words(app: BareApp, *pressed: str) -> str:
    """Return the title and the words of the questions after keys, undrawn."""
    dialog = app.screen
    assert isinstance(dialog, RolloverDialog)
    for key in pressed:
        if len(key) == 1:
            dialog.type_early(key)
        else:
            dialog.press(key)
    title = Content.from_markup(str(dialog.frame.border_title)).plain
    return " ".join(f"{title} {dialog.query_one(Static).content}".split())


async def shown(app: BareApp, kind: type[Screen[Any]]) -> None:
    await until(lambda: isinstance(app.screen, kind) and any(str(each.content) for each in app.screen.query(Static)))


async def split(app: BareApp, points: str) -> tuple[str, str]:
    """Answer that the item is split, and type done points or leave; return the note and the fault of the first try."""
    words(app, "s")
    await shown(app, LineDialog)
    dialog = app.screen
    assert isinstance(dialog, LineDialog)
    dialog.input.value = points.partition(" ")[0]
    dialog.press("enter" if points else "escape")
    note, fault = (str(each.content) for each in dialog.query(Static))
    if " " in points:
        dialog.input.value = points.partition(" ")[2]
        dialog.press("enter")
    await shown(app, RolloverDialog)
    return note, fault


async def until_said(app: BareApp, *parts: str) -> None:
    await until(lambda: not missing(app, parts), lambda: text_of(app))


def entries(store: Store) -> dict[int | None, object]:
    """Return the changes of items in the journal; the one of no item adds another."""
    found = store.outbox_entries()
    return {each.item_id if each.kind is EntryKind.EDIT else None: each.payload for each in found}


async def test_a_rollover_asks_about_each_unfinished_item_and_goes_back_and_forth(store: Store) -> None:
    async with asking(store) as (app, target):
        await until_said(app, "1 of 4", "tab skip", "backspace previous", "esc finish later")
        first = words(app)
        head, _, answers = first.replace("N Move all 4 remaining to S24 ", "").partition(" 10 → 15 pts, max 20 ")
        assert head.startswith("Carry over S23 → S24 1 of 4 #1 ◆ Item 1 ◐ In progress · 5 pts · zoe n Move to S24")
        assert answers == OTHER_ANSWERS
        assert words(app, "D", "x", "y") == first

        second = words(app, "n")
        for part in ("2 of 4 #2 × Item 2 ○ Open · 3 pts · user 9", "So far: #1 to S24", "15 → 18 pts"):
            assert part in second
        third = words(app, "b")
        assert "3 of 4 #3 ◆ Item 3 no status · unestimated · unassigned" in third
        for part in ("#1 to S24 · #2 to the backlog", "15 pts, max"):
            assert part in third
        assert "→ 15" not in third
        fourth = words(app, "tab")
        assert "○ Not done · 8 pts · unassigned · 1 open task" in fourth
        assert "d Mark done, including 1 open task D Mark done, leave 1 open task k Leave" in fourth

        assert words(app, "up") == third
        assert "✓ b Move" in words(app, "left")
        back = words(app, "backspace", "backspace")
        for part in ("1 of 4", "✓ n Move", "15 pts, max"):
            assert part in back
        assert "→ 18" not in back
        assert words(app, "down", "right", "tab") == fourth

        alone = words(app, "D")
        assert "S24 all 1 to S24, 1 to the backlog, 1 done, 1 unanswered #1 ◆ Item 1 to S24" in alone
        await until_said(app, "y save", "backspace previous")
        assert words(app, "tab", "n", "x") == alone
        assert "✓ D Mark" in words(app, "up")
        assert "✓ d" not in words(app)
        whole = words(app, "d")
        assert "#4 ◆ Item 4 done, with its tasks" in whole
        assert "✓ d Mark" in words(app, "up")
        assert "✓ D" not in words(app)
        assert "✓ d Mark" not in words(app, "left")
        last = words(app, "k", "k")
        assert "1 to S24, 1 to the backlog, 2 left here #1" in last
        assert "unanswered" not in last
        assert "#1 to S24 · #2 to the backlog · #3 #4 left here" in words(app, "up")
        await until(lambda: len(store.drafts.find(KEY) or {}) == 4)
        words(app, "escape")

    assert (store.outbox_entries(), target.said) == ((), [])
    stay = {key: ["stay", 0.0, False] for key in "34"}
    assert store.drafts.find(KEY) == {"1": ["next", 0.0, False], "2": ["backlog", 0.0, False], **stay}


async def test_a_rollover_names_the_last_items_of_each_answer(store: Store) -> None:
    async with asking(store) as (app, _):
        assert "So far: … #2 #3 #4 left here" in words(app, *"kkkk", "up")
        words(app, "escape")


async def test_a_split_asks_for_the_done_points_and_goes_on_with_the_next_item(store: Store) -> None:
    async with asking(store) as (app, target):
        note, _ = await split(app, "")
        assert "stay here as an item of their own" in note
        assert "1 of 4" in words(app)
        assert "✓" not in words(app)
        assert (await split(app, "x 2"))[1] == "Enter a number, such as 3."
        second = words(app)
        assert "2 of 4" in second
        assert "#1 split" in second
        assert "13 → 16 pts" in second
        assert store.drafts.find(KEY) == {"1": ["split", 2.0, False]}
        assert (await split(app, "4 3"))[1] == "The item has 3 points."
        assert (await split(app, "1 0"))[1] == "The item has 0 points."
        last = words(app, "tab")
        assert "3 split, 1 unanswered #1" in last
        assert "#1 ◆ Item 1 2 done, 3 moved" in last
        assert "#2 × Item 2 3 done, 0 moved #3 ◆ Item 3 0 done, 0 moved" in last
        words(app, "y")

    assert target.said == [
        "S23: 3 items carried over. u to undo. Not copied: Owner 9 is not a licensed user.",
    ]
    parts = [each.payload for each in store.outbox_entries() if each.kind is EntryKind.ADD]
    assert [each["fields"].get("AssignedToID") for each in parts] == [3, None, None]  # type: ignore[attr-defined] # a new item
    assert [(each["fields"]["Name"], each["fields"]["Estimate"]) for each in parts] == [  # type: ignore[index] # a new item
        (f"Item {number} (done part)", points) for number, points in ((1, "2"), (2, "3"), (3, "0"))
    ]
    moved = {1: "3", 2: "0", 3: "0"}
    edits = {number: {"IterationID": 24, "Estimate": points} for number, points in moved.items()}
    assert {number: each for number, each in entries(store).items() if number} == edits
    assert store.drafts.find(KEY) is None


async def test_a_rollover_resumes_at_the_first_item_without_an_answer(store: Store) -> None:
    kept = {"1": ["backlog", 0.0], "3": ["done", 0.0, True], "2": ["gone", 0.0, False], "8": ["next", 0.0, False]}
    await store.drafts.save(KEY, {**kept, "4": ["next"], "9": "next"})
    await store.drafts.save("typed:split:2", {"lines": ["1"]})
    async with asking(store) as (app, target):
        assert "2 of 4" in words(app)
        assert "#1 to the backlog · #3 done" in words(app)
        note, _ = await split(app, "")
        assert note.startswith(RESTORED_SENTENCE)
        assert "3 of 4" in words(app, "tab")
        assert "✓ d Mark done k" in words(app)
        summary = words(app, "tab", "tab")
        assert "#1 ◆ Item 1 to the backlog #2 × Item 2 unanswered, left here #3 ◆ Item 3 done, with its" in summary
        words(app, "y")

    assert entries(store) == {1: {"IterationID": 20}, 3: {"Status": "Done"}}
    assert target.said == ["S23: 2 items carried over. u to undo."]


async def test_a_rollover_without_a_next_iteration_moves_and_splits_nothing(store: Store) -> None:
    put_sprints(store, [21, 22, 23])
    async with asking(store) as (app, _):
        first = words(app, "n", "s")
        assert "Carry over S23 1 of 4 #1" in first
        assert "n Move on (no next iteration)" in first
        assert "s Split (no next iteration)" in first
        assert words(app, "b", *["tab"] * 3).endswith("No next iteration.")
        words(app, "y")

    assert entries(store) == {1: {"IterationID": 20}}


async def test_a_rollover_is_of_the_iteration_in_focus_or_of_an_ended_one_that_is_picked(store: Store) -> None:
    every, both = list(DAYS), {23: "4 unfinished, 26 Feb–9 Mar", 21: "1 unfinished, 29 Jan–11 Feb"}
    first = {21: 8, 23: 1, 24: 9}
    cases: Sequence[tuple[int | None, list[int], int | None, Mapping[int, str], int | None, int | None]] = (
        (23, every, None, {}, 23, 24),
        (24, every, None, {}, 24, 25),
        (22, every, None, both, None, None),
        (25, every, 21, both, 21, 24),
        (None, every, 23, both, 23, 24),
        (None, [21, 22, 24], None, {}, 21, 24),
        (None, [21, 26], None, {}, 21, 26),
    )
    for here, numbers, answer, offered, rolled, goal in cases:
        put_sprints(store, numbers)
        picked = [None if answer is None else Choice(answer, "")] if offered else []
        decisions = {first[rolled]: RolloverDecision(RolloverOutcome.NEXT)} if rolled else {}
        place = None if here is None else store.lookups.iterations()[here]
        target = FakePlan(store, answers=[*picked, decisions], here=place)
        await run(target, "plan.rollover")

        shown = [rows_of(each) for each in target.asked if isinstance(each, PickDialog)]
        assert shown == [[Choice(number, f"S{number}", hint) for number, hint in offered.items()]] * bool(offered)
        name = f"S{rolled}: 1 item carried over. u to undo."
        assert target.said == [name] * bool(rolled)
        assert entries(store) == ({first[rolled]: {"IterationID": goal}} if rolled else {})
        await store.history.undo()

    put_sprints(store, [22, 24, 25])
    with pytest.raises(CannotAct, match="No ended iteration has unfinished items"):
        await run(FakePlan(store), "plan.rollover")


@pytest.mark.parametrize(("last", "closes"), [(-8, False), (-7, True), (-1, True), (0, True), (1, False)], ids=str)
async def test_a_rollover_closes_an_iteration_at_its_end_and_in_the_week_after(
    store: Store, *, last: int, closes: bool
) -> None:
    announce(store, {"extensions": ["iterationEvents"]})
    days = {"startDate": str(TODAY - timedelta(20)), "endDate": str(TODAY + timedelta(last))}
    put_nouns(store, iterations=[node(20, "Shop"), node(23, "S23", 20, **days)])
    decisions = {4: RolloverDecision(RolloverOutcome.BACKLOG)}
    target = FakePlan(store, here=store.lookups.iterations()[23], answers=[decisions])
    await run(target, "plan.rollover")

    events = [entry.event for entry in store.outbox_entries() if entry.event is not None]
    assert events == [IterationEvent.CLOSE] * closes
    assert target.said == [f"S23: 1 item carried over{' and closed' * closes}. u to undo."]


async def test_a_rollover_closes_nothing_that_is_closed_or_that_no_server_records(store: Store) -> None:
    decisions = {4: RolloverDecision(RolloverOutcome.BACKLOG)}
    await run(FakePlan(store, here=store.lookups.iterations()[23], answers=[decisions]), "plan.rollover")
    announce(store, {"extensions": ["iterationEvents"]})
    days = {"startDate": str(TODAY - timedelta(20)), "endDate": str(TODAY), "closedAt": "2026-03-10T08:00:00"}
    put_nouns(store, iterations=[node(20, "Shop"), node(23, "S23", 20, **days)])
    decisions = {1: RolloverDecision(RolloverOutcome.BACKLOG)}
    await run(FakePlan(store, here=store.lookups.iterations()[23], answers=[decisions]), "plan.rollover")

    assert [entry for entry in store.outbox_entries() if entry.event is not None] == []
