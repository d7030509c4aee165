"""Questions of grooming and their answers, without a screen."""

from collections.abc import Iterator, Sequence
from datetime import timedelta
from pathlib import Path

import pytest
from msgspec.structs import replace
from tests.store.documents import item, node, offline_store, put_nouns
from tests.tui.bare_app import BareApp, line_with, text_of
from textual.app import ComposeResult

from backlit.model.fields import FIELD_BY_KEY
from backlit.store import Store
from backlit.store.grooming import RuleCheck
from backlit.store.journal.groom_queue import GroomQueueItem
from backlit.store.records.item import Item
from backlit.tui.fields.choices import Choice
from backlit.tui.groom.question_strip import QuestionStrip
from backlit.tui.groom.questions import (
    CommonValues,
    GroomingQuestion,
    GroomingQuestions,
    SingleItemQueue,
    answers,
    common_values,
    edit_of,
    questions_ahead,
)

SCALE = (0.0, 0.5, 1.0, 2.0, 3.0, 5.0, 8.0, 13.0)
LARGE = (10.0, 20.0, 40.0)
TAGS: CommonValues = {"Tags": ["a", "b", "c"], "AssignedToID": [4]}


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    bug = item(1, kind="Bug", IsTriaged=None, Tags=["a"], Estimate=None, Severity="2 - High")
    rest = [item(2, kind="Bug", Estimate="3", IsTriaged=True), item(3, kind="Feedback", Status=None)]
    with offline_store(tmp_path, [bug, *rest]) as store:
        yield store


def found(store: Store, item_id: int) -> Item:
    found = store.item(item_id)
    assert found is not None
    return found


def found_item(store: Store) -> Item:
    return found(store, 1)


def begun(
    store: Store, scale: Sequence[float] = SCALE, item_id: int = 1, stop: GroomQueueItem | None = None
) -> GroomingQuestions:
    questions = GroomingQuestions(store, TAGS, lambda: scale)
    questions.begin(stop or GroomQueueItem(0, item_id), found(store, item_id))
    return questions


def test_the_status_is_offered_last_and_the_first_open_question_asked_first(store: Store) -> None:
    questions = begun(store)

    missing = (*store.grooming.questions(found(store, 1)), *store.grooming.further_questions(found(store, 1)))
    assert questions.keys == [*dict.fromkeys(key for key in missing if key != "Status"), "Status"]
    assert questions.at == 0
    assert questions.current is not None
    assert questions.current.is_open
    assert questions.count_open() == sum(each.is_open for each in questions.asked)
    assert {"Estimate", "IsTriaged"} <= set(questions.keys)


def test_an_item_without_a_status_is_not_asked_for_one(store: Store) -> None:
    assert "Status" not in begun(store, item_id=3).keys


def test_an_item_groomed_alone_is_asked_for_an_estimate_that_no_rule_wants(tmp_path: Path) -> None:
    feature = item(5, kind="Feature", Estimate=None, IterationID=1)
    with offline_store(tmp_path, [feature]) as store:
        stop = SingleItemQueue(store, found(store, 5)).next_stop(0)
        questions = begun(store, item_id=5, stop=stop)

        assert "Estimate" not in store.grooming.questions(found(store, 5))
        assert questions.current is not None
        assert (questions.current.field.key, questions.current.is_open) == ("Estimate", True)


def test_an_item_without_an_iteration_is_in_the_backlog_not_in_the_project(tmp_path: Path) -> None:
    with offline_store(tmp_path, [item(5, IterationID=20)]) as store:
        put_nouns(store, iterations=[node(20, "Aurora"), node(21, "S1", 20)])
        questions = begun(store, item_id=5)

        assert {each.field.key: each.words for each in questions.asked}["IterationID"] == "backlog"


def test_an_answer_is_the_value_only_with_its_type() -> None:
    question = GroomingQuestion(FIELD_BY_KEY["Priority"], 1, "1", is_open=True, answers={})

    assert [question.has(Choice(value, "x")) for value in (1, 2, True, "1")] == [True, False, False, False]


def test_steps_stop_at_the_first_and_the_last_question(store: Store) -> None:
    questions = begun(store)
    last = len(questions.asked) - 1

    places = []
    for steps in (-1, 1, last + 5, -1, -last - 9):
        questions.walk(steps)
        places.append(questions.at)

    assert places == [0, 1, last, last - 1, 0]


def test_a_step_from_the_status_goes_to_the_first_open_question(store: Store) -> None:
    questions = begun(store)
    questions.confirm(found(store, 1))
    questions.walk(99)
    ahead = questions_ahead(questions.asked, questions.at)

    questions.walk(1)

    assert (ahead[0], questions.at) == (1, 1)
    assert questions_ahead(questions.asked, 1) == list(range(2, len(questions.asked)))


def test_a_change_elsewhere_leaves_the_cursor_on_an_answered_question(store: Store) -> None:
    questions = begun(store, stop=GroomQueueItem(0, 1, before={"Estimate": "1"}))
    answered = questions.keys.index("Estimate")
    questions.walk(-99)
    questions.walk(answered)

    questions.catch_up(found(store, 1))

    assert (questions.at, questions.asked[answered].is_open) == (answered, False)


def test_the_next_open_question_wraps_around_and_ends_at_the_status(store: Store) -> None:
    questions = begun(store)
    questions.walk(99)
    questions.go_on()
    first = questions.at

    for _ in range(questions.count_open()):
        questions.confirm(found(store, 1))

    assert first == 0
    assert questions.count_open() == 0
    assert questions.at == len(questions.asked) - 1


async def test_a_question_that_an_answer_raises_comes_next_and_before_the_status(tmp_path: Path) -> None:
    with offline_store(tmp_path, [item(1, Estimate=None, AssignedToID=None, Maturity="5 - Mature")]) as store:
        questions = begun(store)
        (estimate,) = [each for each in questions.asked if each.field.key == "Estimate"]
        first = list(questions.keys)
        questions.walk(first.index("Estimate"))

        await store.items.edit([1], {"Estimate": "3", "Status": "In Progress"})
        questions.take_answer(estimate, found(store, 1))
        kept = GroomQueueItem(0, 1, asked=("Estimate", "Status"), before={"Estimate": None, "Status": "Not Done"})

        assert first == ["Estimate", "Status"]
        assert questions.keys == begun(store, stop=kept).keys == ["Estimate", "AssignedToID", "Status"]
        assert questions.at == 1


async def test_an_item_that_is_done_has_no_question_without_an_answer_and_its_undo_leads_back(store: Store) -> None:
    questions = begun(store)
    await store.items.edit([1], {"Status": "Done"})
    questions.catch_up(found(store, 1))
    done = [(each.field.key, each.is_answered) for each in questions.asked]
    await store.history.undo()
    questions.catch_up(found(store, 1))

    assert done == [("Status", True)]
    assert questions.current is not None
    assert questions.current.is_open


async def test_an_answer_leads_on_and_its_undo_back(store: Store) -> None:
    questions = begun(store)
    at = questions.keys.index("IsTriaged")
    questions.walk(at)

    await store.items.edit([1], {"IsTriaged": True})
    questions.catch_up(found(store, 1))
    after = questions.at
    answered = questions.asked[at].is_open
    await store.history.undo()
    questions.catch_up(found(store, 1))

    assert not answered
    assert after != at
    assert (questions.at, questions.asked[at].is_open) == (at, True)


def test_a_question_that_was_asked_before_stays_with_the_values_of_then(store: Store) -> None:
    stop = GroomQueueItem(3, 2, asked=("Estimate",), before={"Estimate": None})
    questions = begun(store, item_id=2, stop=stop)

    assert questions.keys[0] == "Estimate"
    assert not questions.asked[0].is_open
    assert [questions.last_place_before(place) for place in (3, 4)] == [-1, 3]


def test_the_status_stays_last_when_more_is_asked_and_answers_stay_when_the_item_comes_back(store: Store) -> None:
    questions = begun(store, stop=GroomQueueItem(0, 1, asked=("Status",)))
    asked, open_before = list(questions.keys), questions.count_open()
    questions.confirm(found(store, 1))

    questions.begin(GroomQueueItem(1, 2), found(store, 2))
    questions.begin(GroomQueueItem(0, 1), found(store, 1))

    assert (asked[-1], asked[0] == "Status") == ("Status", False)
    assert (questions.keys, questions.count_open()) == (asked, open_before - 1)


@pytest.mark.parametrize(("before", "is_open"), [({"Estimate": "1"}, False), ({"Estimate": None}, True), ({}, True)])
def test_a_value_that_was_changed_is_not_asked_for_again_although_it_is_lacking(
    store: Store, before: dict[str, object], is_open: bool
) -> None:
    questions = begun(store, stop=GroomQueueItem(0, 1, before=before))

    assert questions.asked[questions.keys.index("Estimate")].is_open is is_open


@pytest.mark.parametrize(
    ("scale", "answers", "others"),
    [
        (SCALE, {1: "1", 2: "2", 3: "3", 5: "5", 8: "8"}, "another (0.5, 13…)"),
        (LARGE, {1: "10", 2: "20", 3: "40"}, "another…"),
        ((1.0, 2.0, 10.0, 20.0), {1: "1", 2: "2"}, "another (10, 20…)"),
        ((1.0, 10.0, 20.0), {1: "1", 2: "10", 3: "20"}, "another…"),
        ((0.0, 5.0, 10.0, 20.0), {1: "5", 2: "10", 3: "20"}, "another…"),
    ],
)
def test_digits_enter_points_of_a_small_scale_and_number_a_large_one(
    store: Store, scale: Sequence[float], answers: dict[int, str], others: str
) -> None:
    questions = begun(store, scale)
    asked = questions.asked[questions.keys.index("Estimate")]

    assert {digit: choice.value for digit, choice in asked.answers.items()} == answers
    assert asked.others == others


@pytest.mark.parametrize(
    ("key", "values"),
    [
        ("Tags", ["b", "c"]),
        ("IsTriaged", [True, False]),
        ("Priority", [1, 2, 3, 4, 5]),
        ("Severity", ["1 - Critical", "2 - High", "3 - Medium", "4 - Low"]),
        ("Estimate", ["0.5", "1", "2", "3", "5", "8", "13"]),
        ("TeamID", []),
    ],
)
def test_answers_are_the_values_that_a_field_can_have(store: Store, key: str, values: list[object]) -> None:
    choices = answers(store, FIELD_BY_KEY[key], found(store, 1), SCALE, TAGS)

    assert [choice.value for choice in choices] == values


def test_people_places_and_iterations_are_offered_by_their_likelihood(tmp_path: Path) -> None:
    with offline_store(tmp_path, [item(1)]) as store:
        day = store.today()
        days = [(day + timedelta(start), day + timedelta(end)) for start, end in ((-9, -2), (-1, 0), (1, 5), (9, 12))]
        sprints = [
            node(number, f"S{number}", 20, startDate=start.isoformat(), endDate=end.isoformat())
            for number, (start, end) in enumerate(reversed(days), 21)
        ]
        put_nouns(
            store,
            areas=[node(10, "Root"), node(11, "Web", 10), node(12, "Shop", 11), node(13, "API", 10)],
            iterations=[node(20, "Root"), *sprints],
            user=[{"id": number, "name": name} for number, name in ((3, "zoe"), (4, "bea"), (5, "ada"), (6, "cem"))],
        )
        common = {"AssignedToID": [6, 3, 99, None], "AreaID": [13, 10, 99, None]}

        found = {
            key: [
                (each.value, each.label, each.hint)
                for each in answers(store, FIELD_BY_KEY[key], found_item(store), SCALE, common)
            ]
            for key in ("AssignedToID", "AreaID", "IterationID")
        }

    assert found["AssignedToID"] == [(3, "zoe", "me"), (6, "cem", ""), (5, "ada", ""), (4, "bea", "")]
    assert found["AreaID"] == [(13, "API", ""), (11, "Web", ""), (12, "Web › Shop", "")]
    assert found["IterationID"] == [(23, "S23", "current"), (22, "S22", "next"), (20, "backlog", ""), (21, "S21", "")]


async def test_common_values_are_the_most_frequent_first_with_false_ones(tmp_path: Path) -> None:
    owned = [item(number, AssignedToID=owner, AreaID=0) for number, owner in enumerate((4, 0, 0, None), 1)]
    with offline_store(
        tmp_path, [*owned, item(9, AreaID=2, AssignedToID=None), item(10, AreaID=2, Status="Done")]
    ) as store:
        common = await common_values(store)

    assert common == {"AssignedToID": [0, 4], "AreaID": [0, 2], "Tags": [], "FeatureID": ()}


async def test_a_resumed_session_keeps_the_order_of_owners_and_the_answers_that_changed_nothing(store: Store) -> None:
    await store.grooming.begin([1])
    (stop,) = [store.grooming.stop_at(0)]
    assert stop is not None
    questions = begun(store, stop=stop)
    await store.grooming.show(stop, found(store, 1), questions.keys)
    await store.grooming.confirm(stop, questions.confirm(found(store, 1)))
    await store.grooming.keep_common({"AssignedToID": [7, 4]})
    await store.items.edit([1, 2], {"AssignedToID": 4})

    resumed = begun(store, stop=store.grooming.stop_at(0))

    assert (await common_values(store))["AssignedToID"] == [7, 4]
    assert (resumed.asked[0].is_open, resumed.asked[0].is_answered) == (False, True)
    await store.grooming.begin([1])
    assert (await common_values(store))["AssignedToID"] == [4]


def test_there_are_at_most_nine_answers_each_once(store: Store) -> None:
    common = {"Tags": [f"t{number % 12}" for number in range(30)]}

    choices = answers(store, FIELD_BY_KEY["Tags"], found(store, 1), SCALE, common)

    assert [choice.value for choice in choices] == [f"t{number}" for number in range(9)]


def test_a_tag_is_added_and_another_answer_set(store: Store) -> None:
    (tag,) = answers(store, FIELD_BY_KEY["Tags"], found(store, 1), SCALE, {"Tags": ["z"]})
    priority = answers(store, FIELD_BY_KEY["Priority"], found(store, 1), SCALE, TAGS)[1]

    added = edit_of(FIELD_BY_KEY["Tags"], tag)
    given = edit_of(FIELD_BY_KEY["Priority"], priority)

    assert added.changes(found(store, 1)) == {"Tags": ["a", "z"]}
    assert given.changes(found(store, 1)) == {"Priority": 2}


def test_another_answer_is_offered_only_where_digits_do_not_give_all(tmp_path: Path) -> None:
    with offline_store(tmp_path, [item(1, kind="Bug", IsTriaged=None, AssignedToID=None, Estimate=None)]) as store:
        store.grooming.fields = ("Severity", "AssignedToID")
        others = {each.field.key: each.others for each in begun(store).asked}

    assert (others["Severity"], others["IsTriaged"], others["AssignedToID"]) == ("", "", "another…")


class StripStage(BareApp):
    def compose(self) -> ComposeResult:
        yield QuestionStrip()


async def test_a_question_that_is_wider_than_its_column_stands_above_its_answers(store: Store) -> None:
    field = replace(FIELD_BY_KEY["Priority"], key="Custom", label="Does the legal department agree with it")
    async with StripStage().run_test(size=(60, 20)) as pilot:
        question = GroomingQuestion(field, None, "", is_open=True, answers={})
        pilot.app.query_one(QuestionStrip).show(found(store, 1), [question], 0, [])
        await pilot.pause()

        assert "Does the legal department agree with it?" in text_of(pilot.app)


async def test_a_check_that_is_wider_than_its_column_is_cut_with_a_sign(store: Store) -> None:
    async with StripStage().run_test(size=(60, 20)) as pilot:
        question = GroomingQuestion(FIELD_BY_KEY["Priority"], None, "", is_open=True, answers={})
        check = RuleCheck("In progress or in the current sprint, but unassigned", has_passed=False)
        pilot.app.query_one(QuestionStrip).show(found(store, 1), [question], 0, [check])
        await pilot.pause()

        assert "…" in line_with(pilot.app, "In progress or in")


@pytest.mark.parametrize(
    ("at", "words"),
    [
        (0, "Question 1 of 3  Priority   tab then ✓ Estimate, Status"),
        (1, "Question 2 of 3  ✓ Estimate 5   tab then Status, Priority"),
        (2, "1 question left  ✓ Estimate 5   Status   tab then Priority"),
    ],
)
async def test_the_line_of_questions_follows_their_order_and_the_key(store: Store, at: int, words: str) -> None:
    asked = [
        GroomingQuestion(FIELD_BY_KEY["Priority"], None, "", is_open=True, answers={}),
        GroomingQuestion(FIELD_BY_KEY["Estimate"], "5", "5", is_open=False, answers={}, is_answered=True),
        GroomingQuestion(FIELD_BY_KEY["Status"], "Not Done", "Not Done", is_open=False, answers={}),
    ]
    async with StripStage().run_test(size=(100, 20)) as pilot:
        pilot.app.query_one(QuestionStrip).show(found(store, 1), asked, at, [])
        await pilot.pause()

        assert " ".join(words.split()) in " ".join(text_of(pilot.app).split())
