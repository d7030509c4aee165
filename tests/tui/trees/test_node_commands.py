"""Commands on areas and iterations, against a target without an application."""

import re
from collections.abc import Iterator, Sequence
from contextlib import suppress
from datetime import date, timedelta
from pathlib import Path

import pytest
from tests.store.documents import item, node, offline_store, put, put_nouns, state_project
from tests.tui.target import FakeTarget, fault_of, rows_of, run, stage, words_of
from textual.app import ScreenError

from backlit.model.errors import BadRequest
from backlit.model.fields import NAME_LIMIT
from backlit.model.trees import Node
from backlit.store import IterationEntry, Store, TreeKind
from backlit.store.edits.iteration_series import proposed_series, series_of
from backlit.tui.commands.command import CannotAct
from backlit.tui.dialogs.line import FormDialog, LineDialog
from backlit.tui.dialogs.pick import PickDialog
from backlit.tui.fields.choices import Choice
from backlit.tui.trees.node_commands import overlap_warning

AREAS = [node(1, "Shop"), node(2, "Cart", 1), node(3, "Pay", 1), node(4, "Cards", 3), node(5, "Search", 1)]
TODAY = date(2026, 3, 10)


def iteration(number: int, name: str, parent: int, start: str = "", end: str = "", **more: object) -> dict[str, object]:
    return node(number, name, parent, startDate=start or None, endDate=end or None, **more)


ITERATIONS = [
    iteration(20, "Shop", -1),
    iteration(21, "R1", 20, "2026-02-01", "2026-04-30", isRelease=True),
    iteration(22, "Lap 1", 21, "2026-03-02", "2026-03-15"),
    iteration(23, "Lap 2", 21, "2026-03-16", "2026-03-29", minCapacity=5, maxCapacity=20),
    iteration(24, "R2", 20, "2026-05-01", "2026-06-30", isRelease=True),
    iteration(25, "Spike", 20, "2026-03-10", "2026-03-20"),
    iteration(26, "Part", 25),
]


class FakeTree(FakeTarget):
    """A `trees.node_commands.NodeCommandTarget` with the cursor on one node."""

    def __init__(self, store: Store, node_id: int, answers: Sequence[object] = ()) -> None:
        super().__init__(store, (), answers)
        self.kind = TreeKind.AREAS if node_id < 20 else TreeKind.ITERATIONS
        self.node_id: int | None = node_id
        self.shown: list[str] = []

    @property
    def node(self) -> Node | None:
        return self.store.lookups.tree(self.kind)[self.node_id] if self.node_id is not None else None

    def go_to_node(self, node_id: int) -> None:
        self.shown.append(self.store.lookups.tree(self.kind)[node_id].name)


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    documents = [item(1, AreaID=3, Estimate="3"), item(2, AreaID=4, Status="Done"), item(3, AreaID=2, IterationID=22)]
    with offline_store(tmp_path, documents) as store:
        put_nouns(store, areas=AREAS, iterations=ITERATIONS)
        yield store


def outline(store: Store, kind: TreeKind = TreeKind.AREAS) -> str:
    """The tree as names in brackets."""
    tree = store.lookups.tree(kind)

    def words(each: Node) -> str:
        below = " ".join(map(words, tree.children(each.id)))
        return f"{each.name}({below})" if below else each.name

    return " ".join(map(words, tree.roots))


@pytest.mark.parametrize(
    ("node_id", "command_id", "count", "answers", "expected"),
    [
        (3, "tree.add", None, [" New "], "Shop(Cart Pay(Cards New) Search)"),
        (3, "tree.add", None, [None], "Shop(Cart Pay(Cards) Search)"),
        (1, "tree.add", None, ["New"], "Shop(Cart Pay(Cards) Search New)"),
        (2, "tree.add-sibling", None, ["New"], "Shop(Cart New Pay(Cards) Search)"),
        (2, "tree.rename", None, ["Basket "], "Shop(Basket Pay(Cards) Search)"),
        (2, "tree.later", None, [], "Shop(Pay(Cards) Cart Search)"),
        (2, "tree.later", 2, [], "Shop(Pay(Cards) Search Cart)"),
        (5, "tree.earlier", 2, [], "Shop(Search Cart Pay(Cards))"),
        (5, "tree.indent", None, [], "Shop(Cart Pay(Cards Search))"),
        (4, "tree.outdent", None, [], "Shop(Cart Pay Cards Search)"),
        (4, "tree.move", None, [Choice(2, "")], "Shop(Cart(Cards) Pay Search)"),
        (4, "tree.move", None, [None], "Shop(Cart Pay(Cards) Search)"),
        (5, "tree.delete", None, ["y"], "Shop(Cart Pay(Cards))"),
        (5, "tree.delete", None, [None], "Shop(Cart Pay(Cards) Search)"),
        (3, "tree.delete", None, [None], "Shop(Cart Pay(Cards) Search)"),
        (3, "tree.delete", None, [Choice(2, ""), None], "Shop(Cart Pay(Cards) Search)"),
        (3, "tree.delete", None, [Choice(2, ""), "y"], "Shop(Cart Search)"),
    ],
)
async def test_a_node_is_changed_where_it_is(
    store: Store, *, node_id: int, command_id: str, count: int | None, answers: list[object], expected: str
) -> None:
    target = FakeTree(store, node_id, answers)

    await run(target, command_id, count)

    assert (outline(store), target.answers) == (expected, [])
    assert target.shown == (["New"] if "New" in expected else [])


async def test_a_command_says_why_a_node_stays(store: Store) -> None:
    refusals = {
        ("tree.later", 5): "It is the last on its level",
        ("tree.earlier", 2): "It is the first on its level",
        ("tree.indent", 2): "Nothing is before it",
        ("tree.outdent", 2): "It is at the top level already",
        ("tree.rename", 1): "The root stands for the whole project; it cannot be renamed",
        ("tree.delete", 1): "it cannot be deleted",
        ("tree.add-sibling", 1): "it cannot have others beside it",
        ("tree.dates", 2): "Areas have no dates",
        ("tree.capacity", 2): "Areas have no capacity",
        ("tree.release", 2): "Areas have no release flag",
        ("tree.series", 2): "Areas have no series",
    }
    for (command_id, node_id), reason in refusals.items():
        target = FakeTree(store, node_id)
        with pytest.raises(CannotAct, match=reason):
            await run(target, command_id)
        assert (outline(store), target.asked) == ("Shop(Cart Pay(Cards) Search)", [])


async def test_a_reader_and_an_empty_tree_change_nothing(store: Store) -> None:
    empty = FakeTree(store, 2)
    empty.node_id = None
    with pytest.raises(CannotAct, match="This tree is empty"):
        await run(empty, "tree.add")
    state_project(store, role="reader")

    for command_id in ("tree.add", "tree.rename", "tree.delete", "tree.later"):
        target = FakeTree(store, 2)
        with pytest.raises(BadRequest, match="Only managers"):
            await run(target, command_id)
        assert target.asked == []


async def test_a_deletion_names_the_nodes_below_and_where_the_items_go(store: Store) -> None:
    put_nouns(store, areas=[*AREAS, *(node(each, f"N{each}", 3 if each < 9 else 5) for each in range(6, 12))])
    put(store, [item(4, AreaID=6, kind="Bug", Estimate="2")])
    target = FakeTree(store, 3, [Choice(2, ""), None, None])

    await run(target, "tree.delete")
    picker, question = target.asked
    target.node_id = 5
    await run(target, "tree.delete")

    assert "Move 3 items of Pay to" in words_of(picker)
    assert [each.value for each in rows_of(picker)] == [1, 2, 5, 9, 10, 11]
    assert "“Pay” is deleted with 4 areas below it (“Cards”, “N6”, “N7”, and 1 more)." in words_of(question)
    assert "3 items (2 open with 5 points) will move to “Cart”." in words_of(question)
    assert "“Search” is deleted with 3 areas below it (“N9”, “N10”, “N11”). No item is in it. Once sent" in words_of(
        target.asked[2]
    )
    target.node_id, target.answers = 4, [None]
    await run(target, "tree.delete")
    assert words_of(target.asked[3]).startswith("Move 1 item of Cards to")


async def test_the_items_of_a_deleted_node_go_to_the_one_that_was_picked(store: Store) -> None:
    await run(FakeTree(store, 3, [Choice(5, ""), "y"]), "tree.delete")

    assert [each.fields["AreaID"] for each in store.batch.items([1, 2, 3])] == [5, 5, 2]


async def test_a_picker_of_nodes_begins_at_the_parent_and_leaves_out_the_node_itself(store: Store) -> None:
    target = FakeTree(store, 3, [None, None])

    await run(target, "tree.move")
    target.node_id = 4
    await run(target, "tree.move")

    first, second = target.asked
    assert [(each.value, each.label) for each in rows_of(first)] == [(1, "Shop"), (2, "  Cart"), (5, "  Search")]
    assert isinstance(second, PickDialog)
    assert second.current == Choice(3, "  Pay")


async def test_a_name_is_checked_and_kept_by_node_and_question(store: Store) -> None:
    await store.drafts.save("typed:areas:3:Name", {"lines": ["Half"]})
    target = FakeTree(store, 3, [None] * 4)

    for command_id, node_id in (("tree.rename", 3), ("tree.rename", 5), ("tree.add", 3), ("tree.add-sibling", 3)):
        target.node_id = node_id
        await run(target, command_id)

    dialogs = [each for each in target.asked if isinstance(each, LineDialog)]
    assert [each.input.value for each in dialogs] == ["Half", "Search", "", ""]
    assert [words_of(each).splitlines()[0] for each in dialogs[2:]] == ["New below Pay", "New after Pay"]
    assert [fault_of(dialogs[1], each) for each in (" ", f" {'x' * NAME_LIMIT} ")] == ["Name cannot be empty.", ""]


# Iterations


def entry(store: Store, node_id: int) -> IterationEntry:
    return store.lookups.iterations()[node_id]


async def test_dates_capacity_and_release_of_an_iteration_are_changed(store: Store) -> None:
    target = FakeTree(store, 22, [("2026-03-03", "+1w"), ("2026-03-03", "2026-03-03"), ("3", ""), None])

    await run(target, "tree.dates")
    week = entry(store, 22)
    await run(target, "tree.dates")
    day = entry(store, 22)
    await run(target, "tree.capacity")
    await run(target, "tree.release")
    release = entry(store, 22)
    await run(target, "tree.release")

    assert (week.start, week.end) == (date(2026, 3, 3), date(2026, 3, 9))
    assert (day.start, day.end) == (date(2026, 3, 3), date(2026, 3, 3))
    assert (release.min_capacity, release.max_capacity, release.is_release) == (3, None, True)
    assert not entry(store, 22).is_release


async def test_dates_that_overlap_siblings_of_the_same_kind_are_named(store: Store) -> None:
    target = FakeTree(store, 23, [None, None])

    await run(target, "tree.dates")
    target.node_id = 24
    await run(target, "tree.dates")

    typed = (("2026-03-15", "+1w"), ("2026-04-30", "2026-05-01"))
    found = [
        re.findall(r"\d days?(?: ! overlaps .*)? \+2w", result_of(each, *days))[0]
        for each in target.asked
        for days in typed
    ]
    assert found == [
        "7 days ! overlaps Lap 1 +2w",
        "2 days +2w",
        "7 days ! overlaps R1 +2w",
        "2 days ! overlaps R1 +2w",
    ]
    assert result_of(target.asked[0], "2026-03-15", "2026-03-14").endswith("Ends: it cannot end before it starts.")


def result_of(dialog: object, *typed: str) -> str:
    """Return the words of a dialog after other lines were typed."""
    assert isinstance(dialog, FormDialog)
    with stage(), suppress(ScreenError):  # a dialog that is not shown cannot close
        for line, text in zip(dialog.inputs, typed, strict=True):
            line.value = text
        dialog.press("enter")
    return words_of(dialog)


@pytest.mark.parametrize(
    ("node_id", "title", "lines", "expected"),
    [
        (21, "below R1", ["Lap {n}", "3", "6", "2", "2026-03-30"], "Shop(R1(Lap 1 Lap 2 S1 S2) R2 Spike(Part))"),
        (
            22,
            "after Lap 2 in R1",
            ["Lap {n}", "3", "6", "2", "2026-03-30"],
            "Shop(R1(Lap 1 Lap 2 S1 S2) R2 Spike(Part))",
        ),
        (
            23,
            "after Lap 2 in R1",
            ["Lap {n}", "3", "6", "2", "2026-03-30"],
            "Shop(R1(Lap 1 Lap 2 S1 S2) R2 Spike(Part))",
        ),
        (24, "below R2", ["Lap {n}", "3", "6", "2", "2026-05-01"], "Shop(R1(Lap 1 Lap 2) R2(S1 S2) Spike(Part))"),
        (20, "below Shop", ["Sprint {n}", "1", "6", "2", "2026-03-21"], "Shop(R1(Lap 1 Lap 2) R2 Spike(Part) S1 S2)"),
        (25, "below Spike", ["Lap {n}", "3", "6", "2", "2026-03-30"], "Shop(R1(Lap 1 Lap 2) R2 Spike(Part S1 S2))"),
        (
            26,
            "after Part in Spike",
            ["Lap {n}", "3", "6", "2", "2026-03-30"],
            "Shop(R1(Lap 1 Lap 2) R2 Spike(Part S1 S2))",
        ),
    ],
)
async def test_a_series_is_offered_and_made_below_a_release_and_beside_an_iteration(
    store: Store, node_id: int, title: str, lines: list[str], expected: str
) -> None:
    target = FakeTree(store, node_id, [("S{n}", "1", "2", "1", "2026-07-06"), None])

    await run(target, "tree.series")
    made = outline(store, TreeKind.ITERATIONS)

    (dialog,) = target.asked
    assert isinstance(dialog, FormDialog)
    assert words_of(dialog).startswith(f"Add sprints {title}\n")
    assert (list(dialog.typed), made, target.shown) == (lines, expected, ["S1"])


async def test_a_series_is_compared_with_sprints_alone(store: Store) -> None:
    target = FakeTree(store, 20, [None])

    await run(target, "tree.series")
    words = result_of(target.asked[0], "S{n}", "1", "1", "2", "2026-03-16")

    assert ("overlaps Spike" in words, "R1" in words) == (True, False)


async def test_a_series_beyond_the_end_of_its_release_says_so(store: Store) -> None:
    target = FakeTree(store, 21, [None])
    end = store.lookups.iterations()[21].end
    assert end is not None

    await run(target, "tree.series")
    within, beyond = (result_of(target.asked[0], "S{n}", "1", "2", "1", str(end - timedelta(n))) for n in (13, 12))

    assert ("after R1" in within, "! 1 of 2 ends after R1 (" in beyond) == (False, True)


def sprint(name: str, start: date | None, end: date | None, *, release: bool = False) -> IterationEntry:
    return IterationEntry(1, name, "", start, end, None, None, is_release=release)


def test_a_series_goes_on_after_the_latest_end_and_the_highest_number() -> None:
    nine, seven = (
        sprint("Lap 9", date(2026, 3, 2), date(2026, 3, 8)),
        sprint("Lap 7", date(2026, 4, 6), date(2026, 4, 17)),
    )
    release = sprint("Lap 80", date(2026, 1, 1), date(2026, 12, 31), release=True)

    offered = dict(
        proposed_series([nine], [seven, nine, release, sprint("Lap 99", None, None)], date(2026, 7, 1), TODAY)
    )
    everywhere = dict(proposed_series([], [seven, nine, release], None, TODAY))

    assert list(offered)[:2] == ["Name\n{n} becomes the number", "First number"]
    assert list(offered.values()) == ["Lap {n}", "10", "6", "1", "2026-03-09"]
    assert list(everywhere.values()) == ["Lap {n}", "10", "6", "2", "2026-04-18"]


@pytest.mark.parametrize(
    ("changed", "reason"),
    [
        ({0: "S"}, r"The name needs \{n\}"),
        ({2: "61"}, "Sprints to add must be a number from 1 to 60"),
        ({2: "0"}, "Sprints to add"),
        ({3: "53"}, "Weeks must be a number from 1 to 52"),
        ({3: "²"}, "Weeks"),
        ({1: "0"}, "The first number"),
        ({4: "someday"}, "First day"),
        ({0: "x" * (NAME_LIMIT - 1) + "{n}", 1: "9", 2: "1"}, "characters"),
    ],
)
def test_each_line_of_a_series_is_checked(changed: dict[int, str], reason: str) -> None:
    typed = ["S{n}", "1", "60", "52", "2026-03-02"]
    whole = series_of(typed, TODAY)
    assert (len(whole), whole[-1].name, whole[0].end) == (60, "S60", date(2027, 2, 28))

    with pytest.raises(BadRequest, match=reason):
        series_of([changed.get(at, each) for at, each in enumerate(typed)], TODAY)


def test_iterations_overlap_on_a_shared_day() -> None:
    first, second = sprint("A", date(2026, 3, 2), date(2026, 3, 8)), sprint("B", date(2026, 3, 8), date(2026, 3, 9))

    assert overlap_warning(date(2026, 3, 8), date(2026, 3, 8), [first, second, first]) == "\n! overlaps A and 2 more"
    assert overlap_warning(date(2026, 3, 9), date(2026, 3, 20), [first, second]) == "\n! overlaps B"
    assert overlap_warning(date(2026, 3, 10), None, [sprint("C", None, None), first]) == ""
