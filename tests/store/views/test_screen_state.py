"""What screens ask of the store and leave in it: names, columns, counts, plans, typed lines and drafts."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.store.documents import item, offline_store
from tests.store.views.filled_store import DOCUMENTS, filled
from tests.store.world import raised

from backlit.model.errors import BadRequest
from backlit.model.filters import matches
from backlit.model.query import NameKind
from backlit.model.settings.view_settings import ChosenColumn, column_wish, without_repeats
from backlit.model.trees import NodeTotals
from backlit.store import RowSign, Store, ViewSpec
from backlit.store.files.files import WriteContext
from backlit.store.records.item import ItemRow, fields_in
from backlit.store.remote.receiving import note_synced, receive
from backlit.store.views.groups import ShownTasks
from backlit.store.views.preferences import MAX_REMEMBERED_INPUTS, KeptBoardLayout


def _make_news(writer: WriteContext) -> None:
    for project in (1, 2):
        note_synced(writer, project)
        receive(writer, [{**item(100 + project, project=project), "createdBy": "eve", "lastModifiedBy": "eve"}])


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Store]:
    """A store that tests only read."""
    with filled(tmp_path_factory.mktemp("read")) as made:
        yield made


@pytest.mark.parametrize(
    ("name", "found"),
    [
        *(("zoe", {5}), ("ZOE ZIMT", {5}), ("adams", {7}), ("zimt", {5}), ("adam", {6}), ("57", {57})),
        *(("me", set()), ("nobody", set()), ("5x", set()), ("-5", set()), ("9" * 19, set())),
    ],
)
def test_a_user_is_found_by_name_then_by_part_of_the_name_then_by_number(
    store: Store, name: str, found: set[int]
) -> None:
    assert store.names.ids(NameKind.USER, name.casefold(), with_subtree=False) == found


@pytest.mark.parametrize(
    ("name", "only", "with_subtree"),
    [
        ("shop", {1}, {1, 11, 12, 13, 14, 15, 16, 17}),
        ("Spring", {14}, {14, 15, 16}),
        ("SPRINT 1", {12, 16}, {12, 16}),
        ("shop\\spring\\SPRINT 1", {16}, {16}),
        ("current", {11}, {11}),
        ("next", {13}, {13}),
        ("previous", {12}, {12}),
        ("Sprint", set(), set()),
    ],
)
def test_an_iteration_is_found_by_name_path_or_word(
    store: Store, name: str, only: set[int], with_subtree: set[int]
) -> None:
    assert store.names.ids(NameKind.ITERATION, name, with_subtree=False) == only
    assert store.names.ids(NameKind.ITERATION, name, with_subtree=True) == with_subtree
    assert store.names.ids(NameKind.AREA, "current", with_subtree=True) == set()


@pytest.mark.parametrize(
    ("text", "found"),
    [
        *(("next", 13), ("13", 13), ("spring", 14), ("Sprint 1", "“Sprint 1” is ambiguous. Choose one of: Shop")),
        *(("99", "Unknown iteration “99”. Iterations: Sprint 2"), ("²", "Unknown iteration “²”")),
    ],
)
def test_one_iteration_is_named_or_the_fault_is(store: Store, text: str, found: object) -> None:
    if isinstance(found, int):
        assert store.names.iteration(text).id == found
    else:
        with pytest.raises(BadRequest, match=f"^{found}"):
            store.names.iteration(text)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        *(("zoe", 5), ("Zimt", 5), ("adam", 6), ("57", 57)),
        *(("nobody", "Unknown user “nobody”. Users: "), ("me", "Unknown user “me”")),
    ],
)
def test_one_user_is_named_or_the_fault_is(store: Store, text: str, found: object) -> None:
    if isinstance(found, int):
        assert store.names.user(text) == found
    else:
        with pytest.raises(BadRequest, match=f"^{found}"):
            store.names.user(text)


def test_without_iterations_the_missing_word_is_named(tmp_path: Path) -> None:
    with (
        offline_store(tmp_path) as store,
        pytest.raises(BadRequest, match=r"^There is no next iteration\. Iterations: none"),
    ):
        store.names.iteration("next")


def test_roots_stand_for_no_place(store: Store) -> None:
    assert {kind: store.names.roots(kind) for kind in NameKind} == {
        NameKind.AREA: {1},
        NameKind.ITERATION: {1},
        NameKind.USER: set(),
        NameKind.TEAM: set(),
    }


@pytest.mark.parametrize(
    ("key", "some"),
    [
        ("iter", ["current", "next", "previous", "Shop", "Sprint 2", "none", "any"]),
        ("owner", ["me", "zoe", "adam", "eve", "none", "any"]),
        ("area", ["Area 1", "Area 3", "Area 2", "none", "any"]),
        ("lint", ["estimate", "owner", "none", "any"]),
        ("status", ["open", "Not Done", "Done", "none", "any"]),
        ("blocking", ["yes", "no", "none", "any"]),
        ("createdAt", ["today", "7d", "none", "any"]),
        ("type", ["Story", "Task", "none", "any"]),
        ("Description", ["none", "any"]),
    ],
)
def test_completion_offers_the_values_of_a_key_in_their_order(store: Store, key: str, some: list[str]) -> None:
    offered = list(store.names.vocabulary().values(key))

    assert [each for each in offered if each in some] == some
    assert ("open" in offered, "yes" in offered, "today" in offered) == (
        key == "status",
        key == "blocking",
        key == "createdAt",
    )
    assert store.names.vocabulary().values("no such key") == ()


def test_values_with_an_order_of_their_own_are_ranked_by_it(store: Store) -> None:
    ranks = {key: store.names.ranks(key) for key in ("IterationID", "AreaID", "AssignedToID", "Status", "Name", "odd")}

    assert [list(ranks[key] or ()) for key in ("IterationID", "AreaID")] == [
        [1, 11, 12, 13, 14, 15, 16, 17],
        [1, 3, 2],
    ]
    assert ranks["AssignedToID"] == {5: "zoe", 6: "adam", 7: "eve"}
    assert list((ranks["Status"] or {}).values()) == list(range(len(ranks["Status"] or {})))
    assert (ranks["Name"], ranks["odd"]) == (None, None)


def test_the_rules_know_the_root_area_and_the_current_iteration(store: Store) -> None:
    values = {"type": "Feature", "Status": "Not Done", "AreaID": 1}

    assert matches(store.names.failing("area"), values)
    assert not matches(store.names.failing("area"), values | {"AreaID": 2})
    assert store.names.rule_inputs().current_iteration_ids == {11}


def test_cells_hold_fields_and_findings_of_open_items_without_tasks(store: Store) -> None:
    cells = store.cells.values([1, 5, 99], ["Estimate", "lint", "AssignedToID", "createdAt"])

    assert {each: (row["Estimate"], row["AssignedToID"]) for each, row in cells.items()} == {
        1: ("3", 5),
        5: ("2", None),
    }
    assert cells[1]["lint"]
    assert cells[5]["lint"] is None
    assert [each for each, row in store.cells.values([1, 2, 3, 4, 5, 99], ["lint"]).items() if row["lint"]] == [1]


@pytest.mark.parametrize(
    ("text", "wish"),
    [
        ("status", ChosenColumn("Status")),
        ("  Status   14+  drop  2 ", ChosenColumn("Status", 14, grows=True, drop=2)),
        ("lint 60", ChosenColumn("lint", 60)),
        ("status +", ChosenColumn("Status", grows=True)),
        ("status drop 99", ChosenColumn("Status", drop=99)),
        ("LINT", ChosenColumn("lint")),
        *(("status 61", "A column can be 60 wide at most, status has 61"), ("description", "Description is too long")),
        *(("name", "name is always shown"), ("id", "id is always shown"), ("status 14 wide", "Unknown column")),
    ],
)
def test_a_column_is_read_as_it_is_written(text: str, wish: object) -> None:
    keys = {"status": "Status", "description": "Description", "name": "Name"}

    def key_of(name: str) -> str:
        return keys.get(name.lower(), name)

    if isinstance(wish, ChosenColumn):
        assert column_wish(text, key_of) == wish
        assert column_wish(str(wish), str) == wish
    else:
        with pytest.raises(BadRequest, match=f"^{wish}"):
            column_wish(text, key_of)


def test_the_first_of_repeated_columns_stays_in_its_place() -> None:
    wishes = [ChosenColumn("a", 1), ChosenColumn("b"), ChosenColumn("a", 2)]

    assert without_repeats(wishes) == (ChosenColumn("a", 1), ChosenColumn("b"))


def test_chosen_columns_are_kept_and_unreadable_ones_forgotten(tmp_path: Path) -> None:
    chosen = [ChosenColumn("Status", 9), ChosenColumn("Tags", grows=True)]
    with offline_store(tmp_path) as store:
        assert store.columns.wishes() == ()
        store.columns.keep(chosen)
        assert list(store.columns.wishes()) == chosen

    with offline_store(tmp_path) as store:
        assert list(store.columns.wishes()) == chosen
        store.files.submit(lambda writer: writer.journal.settings.keep("columns", '["id"]')).result()

    with offline_store(tmp_path) as store:
        assert store.columns.wishes() == ()


def test_typed_lines_are_kept_once_each_the_latest_first(tmp_path: Path) -> None:
    lines = [*(str(number) for number in range(MAX_REMEMBERED_INPUTS + 1)), "5", "0"]
    with offline_store(tmp_path) as store:
        for line in lines:
            store.typed.remember("search", line)
        store.typed.remember("command", "quit")
        kept = store.typed.lines("search")

    with offline_store(tmp_path) as store:
        assert store.typed.lines("search") == kept
        assert store.typed.lines("command") == ["quit"]
    assert (len(kept), kept[:3], kept[-1]) == (MAX_REMEMBERED_INPUTS, ["0", "5", str(MAX_REMEMBERED_INPUTS)], "2")


async def test_a_draft_is_found_until_it_is_discarded(tmp_path: Path) -> None:
    with offline_store(tmp_path) as store:
        for text in ("first", "second"):
            await store.drafts.save("note", {"text": text})
        await store.drafts.save("other", {"text": "kept"})
        assert store.drafts.find("note") == {"text": "second"}
        await store.drafts.discard("note")
        assert store.drafts.find("note") is None

    with offline_store(tmp_path) as store:
        assert (store.drafts.find("note"), store.drafts.find("other")) == (None, {"text": "kept"})


async def test_a_board_is_kept_by_project_until_its_defaults_change(tmp_path: Path) -> None:
    usual, chosen = KeptBoardLayout("Status", ""), KeptBoardLayout("Owner", "Area", {"Done": True, None: False})
    with offline_store(tmp_path) as store:
        assert store.boards.found(usual) == usual
        await store.boards.keep(usual, chosen)
        store.choose_project(2)
        assert store.boards.found(usual) == usual

    with offline_store(tmp_path) as store:
        assert store.boards.found(usual) == chosen
        assert store.boards.found(KeptBoardLayout("Status", "Owner")) == KeptBoardLayout("Status", "Owner")
        assert store.boards.found(KeptBoardLayout("Owner", "")) == KeptBoardLayout("Owner", "")


async def test_items_and_tasks_are_read_and_counted_apart(store: Store) -> None:
    assert [each.id for each in store.batch.items([3, 1, 99, 2])] == [1, 3, 2]
    assert [each.id for each in store.batch.tasks_of(1)] == [3, 4]
    assert store.batch.words([1, 3, 4, 99]) == "2 items, 2 tasks"
    assert await store.batch.totals([1, 2, 3, 99]) == NodeTotals(2, 8.0, 1)


def planned_row(store: Store, item_id: int) -> ItemRow:
    (row,) = [each for each in store.view(ViewSpec(with_done=True)).rows(0, 99) if each.id == item_id]
    return store.plan_preview.laid_over(row)


async def test_planned_values_are_laid_over_rows_items_totals_and_loads(tmp_path: Path) -> None:
    here, there = frozenset({11}), frozenset({13})
    with filled(tmp_path) as store:
        await store.plan.stage({1: {"IterationID": 13, "Estimate": "13"}, 5: {"AssignedToID": 6}})
        preview = store.plan_preview

        assert planned_row(store, 1)[4:7] == ("13", 5, 13)
        signs = [planned_row(store, each).sign for each in (1, 2, 5)]
        assert signs == [RowSign.PLANNED, RowSign.NONE, RowSign.ALTERED]
        item_one = store.item(1)
        assert item_one is not None
        assert preview.item_laid_over(item_one).fields["Estimate"] == "13"
        assert preview.spec(ViewSpec(), there).planned_in == {1}
        assert preview.spec(ViewSpec(), here).planned_out == {1}
        assert preview.totals_of(NodeTotals(2, 5.0), [1, 5]) == NodeTotals(2, 15.0)
        assert preview.totals_of(NodeTotals(1, 2.0), [5]) == NodeTotals(1, 2.0)
        assert store.batch.task_counts([1, 2]) == {1: 1}
        now, then = preview.loads_now([11, 13], {}), await preview.loads([11, 13])
        parts = [[(each.count, each.points, each.hours) for each in loads.values()] for loads in (now, then)]
        assert parts == [[(2, 5.0, 4.0), (1, 0.0, 0.0)], [(1, 2.0, 4.0), (2, 13.0, 0.0)]]
        assert (now[11].done, now[13].unestimated, set(now[11].people)) == (2.0, 1, {5, 6, None})


@pytest.mark.parametrize(
    ("tasks", "shown"),
    [
        (ShownTasks(), []),
        (ShownTasks(of_all=True), [3, 4]),
        (ShownTasks().turned(1, is_shown=True), [3, 4]),
        (ShownTasks().turned(2, is_shown=True), []),
        (ShownTasks(of_all=True).turned(1, is_shown=False), []),
        (ShownTasks(of_all=True).turned(1, is_shown=False).turned(1, is_shown=True), [3, 4]),
        (ShownTasks().turned(1, is_shown=True).turned(1, is_shown=False), []),
    ],
)
def test_the_tasks_of_chosen_items_are_shown(tasks: ShownTasks, shown: list[int]) -> None:
    filtered = tasks.filter()
    rows = [{"id": each["id"], "type": each["type"], **fields_in(each)} for each in DOCUMENTS]

    assert [each["id"] for each in rows if filtered is None or matches(filtered, each)] == [1, 2, *shown, 5, 6, 7]
    assert tasks.shows(1) == bool(shown)
    assert bool(tasks) == (tasks != ShownTasks())


async def test_plans_need_iterations(tmp_path: Path, store: Store) -> None:
    assert [each.id for each in store.plan.iterations.targets()] == [17, 12, 11, 13, 15, 16]
    assert (store.plan.iterations.place_of(None), store.plan.iterations.place_of(13)) == (1, 13)
    release = store.plan.iterations.release_of(16)
    assert release is not None
    assert [each.id for each in (release.entry, *release.iterations)] == [14, 15, 16]
    assert store.plan.iterations.release_of(11) is None
    with offline_store(tmp_path / "empty") as empty:
        assert isinstance(await raised(empty.plan.unplan([1])), BadRequest)


async def test_a_field_may_hold_anything_that_a_service_sends(tmp_path: Path) -> None:
    odd: list[object] = [{"a": [1]}, ["x", None], True, 1.5, None]
    with offline_store(tmp_path, [item(at, Odd_cf=value) for at, value in enumerate(odd, 1)]) as store:
        kept = [each.fields["Odd_cf"] for each in store.batch.items(range(1, 6))]

        assert kept == odd
        assert len(store.cells.values([1, 2, 3, 4, 5], ["Odd_cf"])) == 5


@pytest.mark.parametrize(("everywhere", "left"), [(False, [2]), (True, [])])
async def test_news_are_seen_in_the_project_or_everywhere(tmp_path: Path, everywhere: bool, left: list[int]) -> None:
    with filled(tmp_path) as store:
        store.files.submit(_make_news).result()
        await (store.inbox.all_seen(everywhere=True) if everywhere else store.inbox.all_seen())

        assert [project for project in (1, 2) if store.files.journal.inbox.ids(project)] == left


async def test_an_accepted_text_is_not_found_again_and_leaves_what_is_begun_after_it(tmp_path: Path) -> None:
    with offline_store(tmp_path) as store:
        await store.drafts.save("typed:new Story:1", {"lines": ["Story 1"]})
        store.drafts.accept("typed:new Story:1")
        accepted = store.drafts.find("typed:new Story:1")
        await store.drafts.save("typed:new Story:1", {"lines": ["Story 2"]})
        await store.drafts.discard_accepted("typed:new Story:1")
        begun = store.drafts.find("typed:new Story:1")
        store.drafts.accept("typed:new Story:1")
        await store.drafts.discard_accepted("typed:new Story:1")

        assert accepted is None
        assert begun == {"lines": ["Story 2"]}
        assert store.files.journal.drafts.find("typed:new Story:1") is None
