"""Lookups: the nouns of a project as the service states them, or as the items show them."""

from collections.abc import Awaitable, Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from pathlib import Path

import pytest
from tests.store.documents import announce, item, node, offline_store, publish, put, put_nouns, state_project
from tests.store.world import raised

from backlit.model.errors import BadRequest, Forbidden
from backlit.model.field_values import ValueLimits
from backlit.model.fields import FIELD_BY_KEY, ItemType, Kind
from backlit.model.query.meaning import NameKind
from backlit.model.trees import NodeTotals
from backlit.store import EntryState, Store, TreeKind
from backlit.store.edits.work_log import LoggedWork
from backlit.store.records.changes import Subject
from backlit.store.records.item import Document
from backlit.store.records.people import LOOKED_UP_USER, TIME_ENTRY_TYPES
from backlit.store.views.lookups import told_field

STATUS, PRIORITY = FIELD_BY_KEY["Status"], FIELD_BY_KEY["PriorityClass"]


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    documents = [
        item(1, Status="Odd", Tags=["ux", "api"], TeamID=3, Estimate="5"),
        item(2, kind="Bug", Status="Even", TeamID=4, Channel_cf="web"),
        item(3, kind="Task", ParentID=1, Status="Tasked"),
        item(4, Status="Done", Estimate="8"),
        item(5, project=2, Status="Elsewhere", Tags=["other"], TeamID=9, Estimate="2"),
    ]
    with offline_store(tmp_path, documents) as made:
        yield made


@pytest.mark.parametrize(
    ("told", "limits"),
    [
        ({"limits": {"text": 9, "tag": 5, "tags": 3}}, ValueLimits(9, 5, 3)),
        *(({"limits": {"tag": 5, "tags": "3"}}, ValueLimits(tag=5)), ({"limits": []}, ValueLimits())),
        *(({}, ValueLimits()), (None, ValueLimits())),
    ],
)
def test_the_limits_of_values_are_those_that_the_service_states(
    store: Store, told: dict[str, object], limits: ValueLimits
) -> None:
    announce(store, told)

    assert store.lookups.limits() == limits


async def test_a_comment_longer_than_the_service_takes_is_refused_with_the_limit(store: Store) -> None:
    announce(store, {"limits": {"text": 9}})

    error = await raised(store.items.comment(1, "ten  chars"))

    assert isinstance(error, BadRequest)
    assert str(error) == (
        "The comment has 10 characters, and the server takes 9. Shorten it, or attach the text as a file."
    )
    assert await store.items.comment(1, "nine char")


def test_values_are_those_of_the_items_of_the_project_without_a_list(store: Store) -> None:
    lookups = store.lookups
    usual = STATUS.choices_for("Story")

    assert lookups.statuses("Story") == (*usual, *({"Odd"} - set(usual)))
    assert "Even" in lookups.statuses("Bug")
    assert "Even" not in lookups.statuses("Story")
    assert lookups.statuses("Unheard") == STATUS.choices
    assert lookups.choices(PRIORITY, "Story") == PRIORITY.choices_for("Story")
    assert lookups.tags() == ("api", "ux")
    assert lookups.teams() == {3: "team 3", 4: "team 4"}
    assert [(each.key, each.kind, each.types) for each in lookups.custom_fields()] == [
        ("Channel_cf", Kind.TEXT, (ItemType.BUG,))
    ]
    assert (lookups.is_free(STATUS, "Story"), lookups.is_free(PRIORITY, "Story")) == (True, False)


def test_values_are_those_that_the_service_states(store: Store) -> None:
    state_project(
        store,
        values={"Story": {"Status": ["Open", "Shut"], "PriorityClass": []}, "Bug": 7},
        teams=[{"id": 4, "name": "Payments"}, {"id": 8, "name": ""}, {"id": "9", "name": "Odd"}, 7],
        customFields=[{"key": "alpha_cf", "kind": "odd"}, {"key": "Odd"}, {"key": "Channel_cf", "choices": ["web"]}],
    )
    lookups = store.lookups

    assert lookups.statuses("Story") == ("Open", "Shut")
    assert "Even" in lookups.statuses("Bug")
    assert lookups.choices(PRIORITY, "Story") == PRIORITY.choices_for("Story")
    assert (lookups.is_free(STATUS, "Story"), lookups.is_free(STATUS, "Bug")) == (False, True)
    assert lookups.teams() == {3: "team 3", 4: "Payments"}
    assert [(each.key, each.kind, each.choices) for each in lookups.custom_fields()] == [
        ("alpha_cf", Kind.TEXT, ()),
        ("Channel_cf", told_kind({"key": "Channel_cf", "choices": ["web"]}), ("web",)),
    ]


def told_kind(definition: dict[str, object]) -> Kind:
    found = told_field(definition)
    assert found is not None
    return found.kind


@pytest.mark.parametrize(
    ("role", "error"), [("reader", Forbidden), ("member", None), ("Manager", None), (None, None), ("", None)]
)
def test_only_a_stated_reader_cannot_write(store: Store, role: str | None, error: type[Exception] | None) -> None:
    state_project(store, role=role)
    put_nouns_of_all(store)

    assert store.lookups.is_read_only is (error is not None)
    assert store.lookups.roles() == {1: role or "", 2: "Manager", 3: ""}
    if error is None:
        store.lookups.need_writer()
    else:
        with pytest.raises(error):
            store.lookups.need_writer()


def put_nouns_of_all(store: Store) -> None:
    projects = [{"id": 1, "name": "Aurora"}, {"id": 2, "name": "Borealis"}, {"id": 3, "name": "aurora"}]
    store.files.submit(lambda writer: writer.mirror.put_resources("project", 0, projects)).result()
    publish(store, Subject.PEOPLE)


@pytest.mark.parametrize(
    ("wanted", "found"), [("BOREALIS", 2), ("2", 2), ("1", 1), ("3", 3), ("Aurora", None), ("Bor", None), ("", None)]
)
def test_a_project_is_named_by_its_whole_name_or_number(store: Store, wanted: str, found: int | None) -> None:
    put_nouns_of_all(store)

    if found is not None:
        assert store.lookups.project_named(wanted).id == found
        return
    with pytest.raises(BadRequest, match="Aurora \\(1\\), Borealis \\(2\\), aurora \\(3\\)"):
        store.lookups.project_named(wanted)


def test_without_a_project_nothing_can_be_written(store: Store) -> None:
    store.lookups.project_id = None

    with pytest.raises(BadRequest, match="No project is open yet"):
        store.lookups.need_writer()
    with pytest.raises(BadRequest, match="There are: none"):
        store.lookups.project_named("Aurora")


async def test_totals_count_open_items_without_tasks(store: Store) -> None:
    put(store, [item(6, AreaID=2, Estimate="3")])

    assert store.lookups.totals(TreeKind.AREAS) == {1: NodeTotals(2, 5.0), 2: NodeTotals(1, 3.0)}
    assert await store.project_facts.totals() == {1: NodeTotals(3, 8.0), 2: NodeTotals(1, 2.0)}


async def test_the_own_items_of_each_project_are_counted(store: Store) -> None:
    put(store, [item(6, AssignedToID=1), item(7, AssignedToID=1, Status="Done"), item(8, AssignedToID=2)])
    store.files.submit(lambda writer: writer.mirror.set_note("me", {"id": 1, "name": "maya"})).result()

    assert await store.project_facts.own_counts() == {1: 1}


def test_users_are_known_as_licensed_ones_before_looked_up_ones(store: Store) -> None:
    put_nouns(store, user=[{"id": 1, "name": "maya"}])
    looked_up: list[Document] = [{"id": 1, "name": "old"}, {"id": 57, "name": "ursula"}, {"id": 58}]
    store.files.submit(lambda writer: writer.mirror.put_resources(LOOKED_UP_USER, 0, looked_up)).result()
    publish(store, Subject.PEOPLE)

    assert {each: person.username for each, person in store.lookups.people().items()} == {1: "maya"}
    known = {each: person.display_name for each, person in store.lookups.known_people().items()}
    assert (known[1] != "old", known[57], known[58]) == (True, "ursula", "user 58")


def test_a_node_without_a_name_a_parent_or_a_number_is_shown(store: Store) -> None:
    put_nouns(store, areas=[{"id": 1}, node(2, "Two", 1), {**node(3, "Three", 1), "sequence": None}])
    tree = store.lookups.tree(TreeKind.AREAS)

    assert [(each.id, each.parent_id, each.name, each.sequence) for each in tree.walk()] == [
        (1, -1, "", 0),
        (3, 1, "Three", 0),
        (2, 1, "Two", 2),
    ]


def test_kinds_of_hours_are_those_of_the_project(store: Store) -> None:
    kinds: list[Document] = [{"id": 2, "name": "Review"}, {"id": 1, "name": "Work"}, {"id": 3}]
    put_nouns(store, **{TIME_ENTRY_TYPES: kinds})

    assert store.lookups.time_entry_types() == ("Work", "Review", "")
    store.choose_project(2)
    assert store.lookups.time_entry_types() == ()


@pytest.mark.parametrize(
    ("subjects", "change", "is_kept"),
    [
        ((Subject.ITEMS,), Subject.ITEMS, False),
        ((Subject.ITEMS,), Subject.PEOPLE, True),
        ((Subject.ITEMS,), Subject.TREES, False),
        ((Subject.TREES,), Subject.ITEMS, True),
        ((Subject.PEOPLE, Subject.ITEMS), Subject.ITEMS, False),
        ((Subject.PEOPLE, Subject.COMMENTS), Subject.TREES, True),
    ],
)
def test_a_lookup_is_kept_until_what_it_reads_changes(
    store: Store, subjects: tuple[Subject, ...], change: Subject, *, is_kept: bool
) -> None:
    first, *others = subjects
    made: list[int] = []

    def read() -> int:
        made.append(1)
        return len(made)

    found = [store.lookups.keep(first, "test", read, *others) for _ in range(2)]
    publish(store, change)
    found.append(store.lookups.keep(first, "test", read, *others))
    store.lookups.project_id = 2
    found.append(store.lookups.keep(first, "test", read, *others))

    assert found == ([1, 1, 1, 2] if is_kept else [1, 1, 2, 3])


def test_a_lookup_that_was_overtaken_by_a_change_is_not_kept(store: Store) -> None:
    def read() -> int:
        publish(store, Subject.COMMENTS)
        return 1

    store.lookups.keep(Subject.ITEMS, "test", read)

    assert store.lookups.keep(Subject.ITEMS, "test", lambda: 2) == 2


def test_the_document_of_the_project_is_as_it_was_sent(store: Store) -> None:
    before = store.project_facts.document()
    put_nouns_of_all(store)

    assert (before, store.project_facts.document()) == ({}, {"id": 1, "name": "Aurora"})


async def test_a_reader_changes_nothing(store: Store) -> None:
    state_project(store, role="reader")
    items = store.items

    acts: list[Awaitable[object]] = [
        items.edit([1], {"Name": "Mine"}),
        items.add("Story", {"Name": "New"}),
        items.comment(1, "Look"),
        store.work_log.log(1, LoggedWork(1.0)),
        store.deletions.delete_items([1]),
        store.deletions.delete_comment(1),
    ]
    errors = [await raised(act) for act in acts]

    assert [type(each) for each in errors] == [Forbidden] * len(acts)
    assert store.outbox_entries() == ()


async def test_an_item_that_is_kept_waits_for_a_decision(store: Store) -> None:
    item_id = await store.items.keep("Story", {"Name": "Kept"}, "The service has no such area.")

    (entry,) = store.outbox_entries()
    assert (entry.state, entry.reason, entry.item_id) == (
        EntryState.REFUSED,
        "The service has no such area.",
        item_id,
    )
    assert store.item(item_id) is not None


@pytest.mark.parametrize(
    ("kind", "name", "with_subtree", "found"),
    [
        (NameKind.USER, "me", False, {1}),
        (NameKind.USER, "MAYA", False, {1}),
        (NameKind.USER, "jon reed", False, {2}),
        (NameKind.USER, "jon", False, {3}),
        (NameKind.USER, "Reed", False, {2, 4}),
        (NameKind.USER, "57", False, {57}),
        (NameKind.USER, "nobody", False, set()),
        (NameKind.TEAM, "TEAM 3", False, {3}),
        (NameKind.TEAM, "4", False, {4}),
        (NameKind.TEAM, "team", False, set()),
        (NameKind.AREA, "web", False, {2}),
        (NameKind.AREA, "web", True, {2, 3}),
        (NameKind.AREA, "Root\\Web\\Cart", False, {3}),
        (NameKind.AREA, "current", False, set()),
        (NameKind.ITERATION, "Current", False, {22}),
        (NameKind.ITERATION, "next", False, {23}),
        (NameKind.ITERATION, "previous", False, {24}),
        (NameKind.ITERATION, "S1", False, {22}),
    ],
)
def test_names_lead_to_ids(store: Store, kind: NameKind, name: str, *, with_subtree: bool, found: set[int]) -> None:
    users = [("maya", "Maya", "Kent"), ("jreed", "Jon", "Reed"), ("jon", "Jonathan", "Roe"), ("ann", "Ann", "Reed")]
    today = store.today()
    spans = [(0, 6), (7, 13), (-7, -1)]
    dates = [[(today + timedelta(days)).isoformat() for days in span] for span in spans]
    put_nouns(
        store,
        user=[
            {"id": number, "name": each[0], "firstName": each[1], "lastName": each[2]}
            for number, each in enumerate(users, 1)
        ],
        areas=[node(1, "Root"), node(2, "Web", 1), node(3, "Cart", 2)],
        iterations=[
            node(21, "Root"),
            *(
                node(number, f"S{number - 21}", 21, startDate=start, endDate=end)
                for number, (start, end) in enumerate(dates, 22)
            ),
        ],
    )

    assert store.names.ids(kind, name, with_subtree=with_subtree) == found


def test_fields_with_an_order_of_their_own_have_ranks(store: Store) -> None:
    put_nouns(
        store,
        user=[{"id": 1, "name": "Maya"}],
        areas=[node(1, "Root"), node(3, "Zoo", 1), {**node(2, "Web", 1), "sequence": 9}],
    )
    ranks = store.names.ranks
    statuses = ranks("Status")

    assert statuses is not None
    assert [*statuses.values()] == [*range(len(statuses))]
    assert {"Odd", "Even", *STATUS.choices_for("Story")} <= statuses.keys()
    assert ranks("AreaID") == {1: 0, 3: 1, 2: 2}
    assert ranks("AssignedToID") == {1: "maya"}
    assert ranks("TeamID") == {3: "team 3", 4: "team 4"}
    assert (ranks("Name"), ranks("Channel_cf")) == (None, None)


def test_the_iterations_are_those_of_one_moment_while_their_ids_change(store: Store) -> None:
    def change_ids() -> None:
        for first in range(100, 20_000, 100):
            put_nouns(store, iterations=[node(21, "Root"), *(node(first + at, f"S{at}", 21) for at in range(50))])

    with ThreadPoolExecutor(1) as others:
        changing = others.submit(change_ids)
        while not changing.done():
            store.lookups.iterations()
        changing.result()

    assert len(store.lookups.iterations()) == 51
