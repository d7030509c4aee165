"""The verbs on one item, from every view that has one, and those that need no question."""

import json
from collections.abc import Mapping
from datetime import date

import pytest
from tests.quiet import workers_done
from tests.store.world import World, sent, until
from tests.tui.bare_app import clear_messages, messages_of, text_of
from tests.tui.list_steps import fields_of, go_to, items, press, select, shown
from tests.tui.opened import Open
from textual.pilot import Pilot
from textual.screen import Screen

from backlit.config.settings import ESTIMATE_SCALE
from backlit.model.fields import FIELD_BY_KEY, NAME_LIMIT
from backlit.store import IterationEntry, Store
from backlit.store.records.people import current, following, leaves, preceding
from backlit.tui.board.board_list import BoardList
from backlit.tui.commands.command import Context
from backlit.tui.commands.table import COMMANDS
from backlit.tui.comments.screen import CommentsScreen
from backlit.tui.editor.screen import ItemEditorScreen
from backlit.tui.fields.field_edits import DoesNotApply
from backlit.tui.groom.screen import GroomScreen
from backlit.tui.items.field_commands import check_line, stepped_estimate

SCALE = (0.0, 1.0, 2.0, 3.0, 5.0, 8.0)
VIEWS = (
    *(
        pytest.param(view, marks=pytest.mark.slow)
        for view in ("backlog", "plan", "editor", "board", "comments", "groom queue")
    ),
    *(pytest.param(view, marks=pytest.mark.long) for view in ("search", "tree's list")),  # lists as the backlog's
)


# Estimate


@pytest.mark.parametrize(
    ("estimate", "steps", "expected"),
    [
        (*("3", 1), "5"), (*("3", -1), "2"), (*("4", 1), "5"), (*("4", -1), "3"), (*("8", 1), "8"), (*("0", -1), "0"),
        (*(None, 1), "1"), (*("", 2), "2"), (*("3", 9), "8"), (*("5 pts", 1), "8"), (*("2,5", -1), "2"),
        (*("20", 1), "20"), (*("0", 1), "1"),
    ],
)  # fmt: skip
def test_an_estimate_steps_along_the_scale_and_stays_at_its_ends(
    estimate: str | None, steps: int, expected: str
) -> None:
    assert stepped_estimate(estimate, steps, SCALE) == expected


@pytest.mark.parametrize(("estimate", "steps"), [("XL", 1), (None, -1)])
def test_what_is_no_number_has_no_next_step(estimate: str | None, steps: int) -> None:
    with pytest.raises(DoesNotApply):
        stepped_estimate(estimate, steps, SCALE)


@pytest.mark.slow
async def test_plus_and_minus_step_with_a_count(world: World, store: Store, opened: Open) -> None:
    async with opened(store) as pilot:
        item_id = await go_to(pilot, store, "Story")
        await press(pilot, "c", "e", *"3", "enter", "2", "+")
        up = (await fields_of(world, store, item_id))["Estimate"]
        await press(pilot, "-")

        assert (up, (await fields_of(world, store, item_id))["Estimate"]) == ("8", "5")


@pytest.mark.parametrize(
    ("key", "text", "fault"),
    [
        ("Name", " \t", "A name is required"),
        ("Name", f" {'x' * NAME_LIMIT} ", ""),
        ("Name", "x" * (NAME_LIMIT + 1), f"A name has at most {NAME_LIMIT} characters; this one has {NAME_LIMIT + 1}."),
        ("Priority", "", ""),
        ("Priority", "high", "Priority"),
        ("Estimate", " ", ""),
    ],
)
def test_a_typed_line_says_its_fault(key: str, text: str, fault: str) -> None:
    said = check_line(FIELD_BY_KEY[key], date(2026, 3, 4), text)

    assert said is None if not fault else fault in (said or "")


# Status


@pytest.mark.slow
async def test_a_status_that_was_never_seen_may_be_typed_where_the_service_lists_none(
    world: World, opened: Open
) -> None:
    world.faults.lacks = frozenset({"/capabilities"})
    store = await world.online("stranger")
    async with opened(store) as pilot:
        await go_to(pilot, store, "Story")
        await press(pilot, "s", *"Waiting For Legal", "enter")

        assert "No item here has the status “Waiting For Legal” yet" in " ".join(text_of(pilot.app).split())
        await until(lambda: store.outbox.refused)
        assert store.outbox_entries()[0].payload["Status"] == "Waiting For Legal"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("item_type", "statuses"),
    [("Story", ("Done", "Not Done")), ("Task", ("Done", "Not Done")), ("Issue", ("Closed", "Active"))],
)
async def test_done_and_reopened_are_what_the_type_calls_them(
    world: World, store: Store, opened: Open, item_type: str, statuses: tuple[str, str]
) -> None:
    async with opened(store) as pilot:
        await press(pilot, "t", "d")
        rows = await shown(store, with_done=True)
        index = next(index for index, row in enumerate(rows) if row.type == item_type)
        item_id = rows[index].id
        await store.items.edit([item_id], {"Status": statuses[1]})
        await press(pilot, *str(index + 1), "G", "x")
        was = (await fields_of(world, store, item_id))["Status"]
        await press(pilot, "X")

        assert (was, (await fields_of(world, store, item_id))["Status"]) == statuses


# Iterations


def sprint(
    number: int, start: date | None, end: date | None, path: str = "", *, release: bool = False
) -> IterationEntry:
    return IterationEntry(number, f"S{number}", path or f"A\\S{number}", start, end, None, None, release)


def test_today_is_in_the_current_iteration_between_the_previous_and_the_next() -> None:
    root = sprint(1, date(2026, 1, 1), date(2026, 12, 31), "A")
    release = sprint(2, date(2026, 1, 1), date(2026, 6, 30), release=True)
    one, two, three = (sprint(n, date(2026, 1, 5 * n), date(2026, 1, 5 * n + 4)) for n in (1, 2, 3))
    beside = sprint(9, date(2026, 1, 9), date(2026, 1, 13))
    found = leaves([root, release, one, two, three, beside, sprint(7, None, None)])

    assert current(found, date(2026, 1, 12)) == [two, beside]
    assert following(found, date(2026, 1, 12)) == [three]
    assert preceding(found, date(2026, 1, 12)) == [one]
    assert preceding(found, date(2026, 1, 1)) == []


def test_an_iteration_that_is_divided_is_not_planned_into() -> None:
    whole = sprint(1, date(2026, 1, 1), date(2026, 1, 31))
    part = sprint(2, date(2026, 1, 1), date(2026, 1, 7), "A\\S1\\S2")

    assert leaves([whole, part]) == [part]


@pytest.mark.slow
async def test_items_move_to_the_current_next_and_previous_iteration_and_out(
    world: World, store: Store, opened: Open
) -> None:
    async with opened(store) as pilot:
        item_id = await go_to(pilot, store, "Story")
        found = leaves(store.lookups.iterations().values())
        expected = [each(found, store.today())[0].id for each in (following, preceding, current)]
        places = []
        for keys in ("n", "py", "i", "b"):  # the previous one has ended, which is asked about
            await press(pilot, "m", *keys)
            places.append((await fields_of(world, store, item_id))["IterationID"])

        assert places[:3] == expected
        assert "\\" not in store.lookups.iterations()[int(str(places[3]))].path


# Copies


async def copied(pilot: Pilot[None], *keys: str) -> str:
    await press(pilot, *keys)
    return pilot.app.clipboard


async def test_items_are_copied_in_every_form(store: Store, opened: Open) -> None:
    async with opened(store) as pilot:
        story, bug = await select(pilot, store, "Story", "Bug")
        found = {item.id: item for item in store.batch.items([story, bug])}
        texts = [await copied(pilot, "y", key) for key in "ynmtj"]

        assert set(texts[0].split(", ")) == {str(story), str(bug)}
        assert set(texts[1].splitlines()) == {str(item.fields["Name"]) for item in found.values()}
        assert all(line.startswith("- #") for line in texts[2].splitlines())
        assert texts[3].splitlines()[0].split("\t")[:3] == ["id", "type", "Name"]
        assert {each["id"]: each["fields"]["Name"] for each in json.loads(texts[4])} == {
            item.id: item.fields["Name"] for item in found.values()
        }


async def test_a_duplicate_starts_anew_with_the_tasks_that_are_wanted(world: World, store: Store, opened: Open) -> None:
    rows = await shown(store)
    task = next(row for row in rows if row.type == "Task" and row.parent_id in {each.id for each in rows})
    async with opened(store) as pilot:
        index = next(index for index, row in enumerate(rows) if row.id == task.parent_id)
        await press(pilot, *str(index + 1), "G", "D")
        asked = text_of(pilot.app)
        await press(pilot, "t")
        await sent(store)
        await until(lambda: (items(pilot).current_id or 0) > max(row.id for row in rows))
        made = await world.rival.work_items.get(items(pilot).current_id or 0)
        below = await world.rival.work_items.tasks(int(str(made["id"]))).page()
        original = await world.rival.work_items.get(rows[index].id)

        fields, before = made["fields"], original["fields"]
        assert "task" in asked
        assert fields["Name"] == f"{before['Name']} (copy)"
        assert (fields["Status"], fields["AreaID"]) == ("Not Done", before["AreaID"])
        assert len(below.results) == len(store.batch.tasks_of(rows[index].id)) > 0


@pytest.mark.slow
async def test_a_duplicate_stands_below_its_original_and_goes_with_one_undo(store: Store, opened: Open) -> None:
    before = [row.id for row in await shown(store) if row.type != "Task"]
    at = next(at for at, item_id in enumerate(before) if not store.batch.tasks_of(item_id))
    async with opened(store) as pilot:
        for wait in (True, False):  # undone once it is at the server, and before
            rows = [row.id for row in await shown(store)]
            await press(pilot, *str(rows.index(before[at]) + 1), "G", "D")
            await until(lambda: items(pilot).current_id not in before, lambda: items(pilot).current_id)
            if wait:
                await sent(store)
            ids = [row.id for row in await shown(store) if row.type != "Task"]

            assert ids == [*before[: at + 1], items(pilot).current_id, *before[at + 1 :]]
            assert items(pilot).top == 0

            await press(pilot, "u")
            await until(lambda: items(pilot).current_id in before, lambda: text_of(pilot.app))
            await sent(store)

            assert [row.id for row in await shown(store) if row.type != "Task"] == before


@pytest.mark.slow
async def test_a_selected_task_of_a_selected_item_is_copied_once(store: Store, opened: Open) -> None:
    rows = await shown(store)
    at = next(index for index, row in enumerate(rows) if store.batch.tasks_of(row.id))
    tasks = store.batch.tasks_of(rows[at].id)
    async with opened(store) as pilot:
        await press(pilot, *str(at + 1), "G", *["space"] * (len(tasks) + 1), "D")
        asked = text_of(pilot.app)
        before = len(await shown(store))
        await press(pilot, "t")
        await until(lambda: "(copy)" in text_of(pilot.app), lambda: text_of(pilot.app))

        number = "task" if len(tasks) == 1 else f"{len(tasks)} tasks"
        assert f"copy the item with its {number}" in asked
        assert len(await shown(store)) == before + 1 + len(tasks)


# Every verb in every view


async def open_view(pilot: Pilot[None], store: Store, view: str) -> int:
    item_id = await go_to(pilot, store, "Story")
    await press(pilot, "t", "d")
    if view == "search":
        await press(pilot, "/", "#", *str(item_id), "enter")
    elif view == "tree's list":
        await press(pilot, "g", "a", "g", "g", "enter", "g", "a", "enter")
        await until(lambda: items(pilot).go_to(item_id))
    elif view == "board":
        await press(pilot, "g", "k")
        board = pilot.app.screen.query_one(BoardList)
        await until(lambda: board.go_to(item_id) and board.current_id == item_id)
    elif view == "editor":
        await press(pilot, "enter")
    elif view == "comments":
        await press(pilot, "g", "c")
    elif view == "plan":
        item_id = next(each.id for each in await shown(store) if each.type == "Story" and store.batch.tasks_of(each.id))
        await store.items.edit([item_id], {"IterationID": store.plan.iterations.backlog_id})
        await press(pilot, "g", "p", "t", "d")
        await until(lambda: items(pilot).go_to(item_id))
    elif view == "groom queue":
        store.grooming.fields = ("StepsToReproduce", "ValueClass", "Complexity", "Certainty", "Tags")
        await press(pilot, "space", "g", "q")
        await until(lambda: isinstance(pilot.app.screen, GroomScreen))
        await pilot.pause()
    return item_id


ITEM_VERBS = [command for command in COMMANDS if command.context is Context.ITEM]
RANKS = "rank-down rank-up rank-top rank-bottom"
OUTCOMES = {
    "ItemEditorScreen": "open edit",
    "CommentsScreen": "comments",
    "AttachmentsScreen": "attachments",
    "HistoryScreen": "history",
    "TasksScreen": "tasks",
    "LinksScreen": "links",
    "CriteriaScreen": "criteria",
    "GroomScreen": "groom",
    "SplitDialog": "split",
    "FeatureDialog": "feature",
    "PickDialog": "add convert to-project relate status assign iteration area team priority-class field",
    "PickTagsDialog": "tags",
    "LineDialog": "add-task due estimate name priority rank-position",
    "ComposeDialog": "description",
    "CommentDialog": "comment",
    "ConfirmDialog": "duplicate delete done to-previous",
    "AssignedToID": "unassign",
    "Estimate": "estimate-up estimate-down",
    "IterationID": "to-next to-backlog",
    "Description": "criteria-from-description",
    "BacklogPriority": RANKS,
    "Copied ": "copy-id copy-name copy-markdown copy-tsv copy-json",
    "No change needed.": "assign-me to-current repeat reopen",
    " is not on the scale": "points",
    "This terminal cannot run an editor.": "external",
    "There is no Feature above": "parent",
    "Work is logged on tasks": "log timer",
    "This item has no conflicts": "conflict",
    "No order is kept on this machine": "rank-forget",
    "Select two or more items; mw numbers": "rank-write",
    "A story has no ": "severity remaining blocking",
}
"""The dialog or screen that item verbs open, the field that they change, or the beginning of their message."""
UNRANKED = {"“rank ": f"{RANKS} rank-position", "“number ": "rank-write", "“reset ": "rank-forget"}
EXCEPTIONS = {
    "search": {
        "#19 is already at the top.": "rank-up rank-top",
        "#19 is already at the bottom.": "rank-down rank-bottom",
    },
    "plan": {"IterationID": "to-current repeat", "No change needed.": "to-backlog"},
    "editor": {
        "The editor of the item is already open.": "open",
        "an input": "estimate due name description priority edit",
        "PickManyDialog": "tags",
        "Save the changes of this item first.": "convert to-project criteria-from-description",
        "Status": "done reopen",
        "IterationID": "to-previous",
        **UNRANKED,
    },
    "comments": {"The comments of the item are already open.": "comments", **UNRANKED},
    "groom queue": {"Grooming is already open.": "groom", **UNRANKED},
}
LIKE_THE_BACKLOG = frozenset({"search", "tree's list"})
"""Lists of the backlog's screen, where one verb of each outcome is tried."""


@pytest.mark.parametrize("view", VIEWS)
@pytest.mark.long_but("backlog", "plan", "editor")
async def test_every_item_verb_has_the_same_outcome_in_every_view_or_says_why_not(
    store: Store, opened: Open, view: str
) -> None:
    exceptions = _by_verb(EXCEPTIONS.get(view, {}))
    expected = _by_verb(OUTCOMES) | exceptions
    assert expected.keys() == {command.id for command in ITEM_VERBS}
    if view in LIKE_THE_BACKLOG:
        expected = {f"item.{names.split()[0]}": outcome for outcome, names in OUTCOMES.items()} | exceptions
    outcomes = {}
    async with opened(store) as pilot:
        item_id, place = await open_view(pilot, store, view), pilot.app.screen
        # A card moves in its order after the changes, and an unsaved form refuses to be converted.
        last = _by_verb({"": f"{RANKS} convert to-project criteria-from-description"})
        for command in sorted((each for each in ITEM_VERBS if each.id in expected), key=lambda each: each.id in last):
            clear_messages(pilot.app)
            if view == "plan":
                await _unplanned(pilot, store, item_id)
            before = _state(place, store, item_id)
            pilot.app.dispatch.run(command)  # type: ignore[attr-defined] # our application
            await workers_done(pilot.app)
            await pilot.pause()
            changed = {key for key, _ in _state(place, store, item_id) ^ before}
            opens = {type(pilot.app.screen).__name__} if pilot.app.screen is not place else set()
            opens |= {"an input"} if _is_editing(pilot) else set()
            said = messages_of(pilot.app)
            outcomes[command.id] = " and ".join(sorted(opens | changed | said))
            if place not in pilot.app.screen_stack:  # another tab of the item took its place
                while _is_editing(pilot):
                    await press(pilot, "escape")
                await press(pilot, "g", "c")
                place = pilot.app.screen
            await _leave(pilot, place)

        found = {verb: each.rpartition("u undo and ")[2] for verb, each in outcomes.items()}
    assert {verb: each for verb, each in found.items() if not each.startswith(expected[verb])} == {}


def _by_verb(verbs: Mapping[str, str]) -> dict[str, str]:
    return {f"item.{verb}": outcome for outcome, names in verbs.items() for verb in names.split()}


async def _leave(pilot: Pilot[None], place: Screen[object]) -> None:
    """Go back to a place by esc: from what a verb opened, and out of a field."""
    for _ in range(9):
        if pilot.app.screen is place and not _is_editing(pilot):
            return
        await press(pilot, "escape")
    raise AssertionError(f"esc does not leave {pilot.app.screen}")


async def _unplanned(pilot: Pilot[None], store: Store, item_id: int) -> None:
    """Have the item in its pane again: what plans it elsewhere takes it out."""
    await store.plan.discard()
    await until(lambda: items(pilot).go_to(item_id))


def _state(place: Screen[object], store: Store, item_id: int) -> set[tuple[str, str]]:
    """Return what a verb may change, by field: the item, the plan's draft, an editor's."""
    item = store.item(item_id)
    assert item is not None
    drafts = [
        store.plan.draft.items.get(item_id, {}),
        place.draft.changes if isinstance(place, ItemEditorScreen) else {},
    ]
    return {(key, repr(value)) for each in (item.fields, *drafts) for key, value in each.items()}


def _is_editing(pilot: Pilot[None]) -> bool:
    screen = pilot.app.screen
    return isinstance(screen, ItemEditorScreen) and screen.form.is_editing


@pytest.mark.slow
async def test_a_key_that_does_nothing_here_says_so(store: Store, opened: Open) -> None:
    async with opened(store) as pilot:
        await press(pilot, "Z")
        unknown = text_of(pilot.app)
        await press(pilot, "g", "a", "s")

        assert "Z is not a command here; ? shows the keys." in unknown
        assert "s (status) needs an item, and there is none here" in text_of(pilot.app)


@pytest.mark.slow
async def test_in_the_editor_a_verb_changes_the_draft(world: World, store: Store, opened: Open) -> None:
    async with opened(store) as pilot:
        item_id = await open_view(pilot, store, "editor")
        before = (await fields_of(world, store, item_id))["Estimate"]
        await press(pilot, "c", "e", "ctrl+u", *"3", "enter", "+", "I", "s", *"done", "enter")
        unsent = (await fields_of(world, store, item_id))["Estimate"]
        await press(pilot, "ctrl+s", "o")
        fields = await fields_of(world, store, item_id)

        assert unsent == before
        assert (fields["Estimate"], fields["AssignedToID"]) == ("5", None)


@pytest.mark.slow
async def test_from_the_comments_a_verb_changes_the_item_at_once(world: World, store: Store, opened: Open) -> None:
    async with opened(store) as pilot:
        item_id = await open_view(pilot, store, "comments")
        await press(pilot, "s", *"ready", "enter", "i")
        fields = await fields_of(world, store, item_id)

        assert fields["Status"] == "Ready For Test"
        assert store.lookups.people()[int(str(fields["AssignedToID"]))].username == "maya"
        assert isinstance(pilot.app.screen, CommentsScreen)


@pytest.mark.slow
async def test_the_editor_under_the_comments_is_gone_back_to(store: Store, opened: Open) -> None:
    async with opened(store) as pilot:
        await open_view(pilot, store, "editor")
        editor = pilot.app.screen
        await press(pilot, "g", "c", "enter")

        assert pilot.app.screen is editor


# A session


GROOMING = ("s", *"pr", "enter", "+", "m", "n", "C", *"ok", "ctrl+s")
GROOMED = {"Story", "Bug"}


@pytest.mark.slow
async def test_grooming_takes_at_most_twelve_keys_for_each_item(world: World, store: Store, opened: Open) -> None:
    rows = await shown(store)
    places = [at for at, row in enumerate(rows) if row.type in GROOMED][:5]
    groomed = [rows[at] for at in places]
    (sprint_id,) = {each.id for each in following(leaves(store.lookups.iterations().values()), store.today())[:1]}
    keys = 0
    async with opened(store) as pilot:
        for before, at in zip([0, *places], places, strict=False):
            session = (*("j" * (at - before)), *GROOMING)
            await press(pilot, *session)
            keys += len(session) - len("ok")
        await sent(store)
        fields = [(await world.rival.work_items.get(row.id))["fields"] for row in groomed]

        assert len(groomed) == 5
        assert keys <= 12 * len(groomed)
        assert [each["Status"] for each in fields] == ["In Progress"] * 5
        assert [each["IterationID"] for each in fields] == [sprint_id] * 5
        assert [each["Estimate"] for each in fields] == [
            stepped_estimate(row.estimate, 1, ESTIMATE_SCALE) for row in groomed
        ]
        assert [store.comments.of_item(row.id)[-1].text for row in groomed] == ["ok"] * 5
