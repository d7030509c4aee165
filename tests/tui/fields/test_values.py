"""Values as text and texts as values, without a screen."""

from datetime import date
from pathlib import Path

import pytest
from tests.store.documents import item, node, offline_store, put_nouns

from backlit.model.errors import BadRequest
from backlit.model.field_values import number_text, read_tags, read_text, tags_text, typed_text
from backlit.model.fields import FIELD_BY_KEY, Field, Kind, custom_field
from backlit.store.field_words import FieldReading
from backlit.tui.fields.values import (
    MOST_FAULTS,
    ScreenFieldWords,
    TextFault,
    label_of,
    raise_all,
    short_words_of,
    words_of,
)

NUMBER = custom_field("Weight_cf", Kind.NUMBER)
TODAY = date(2026, 3, 4)
WHOLE = FIELD_BY_KEY["Priority"]


@pytest.mark.parametrize(
    ("value", "text"),
    [*((None, ""), (3.0, "3"), (0.25, "0.25"), (7, "7"), (True, "True"), ("3.0", "3.0"), (-1.0, "-1"))],
)
def test_a_value_is_edited_as_its_shortest_text(value: object, text: str) -> None:
    assert typed_text(value) == text


@pytest.mark.parametrize(
    ("tags", "text"),
    [
        ([], ""),
        (["ux"], "ux"),
        (["ux", "api"], "ux, api"),
        (["a, b", "c"], '"a, b", c'),
        (['"x"', 'y"'], '"""x""", y"'),
        (['say "a, b"'], '"say ""a, b"""'),
    ],
)
def test_tags_become_a_text_and_come_back(tags: list[str], text: str) -> None:
    assert tags_text(tags) == text
    assert read_tags(text) == tags


@pytest.mark.parametrize(
    ("text", "tags"), [(" ux ,, api, ux,– ", ["ux", "api"]), ("a\nb", ["a b"]), ("–", []), (" \n ", [])]
)
def test_typed_tags_lose_blanks_repeats_and_empty_ones(text: str, tags: list[str]) -> None:
    assert read_tags(text) == tags


@pytest.mark.parametrize(
    ("field", "text", "value"),
    [
        *((WHOLE, " 7 ", 7), (WHOLE, "-7", -7), (WHOLE, "+7", 7), (WHOLE, "", None), (WHOLE, "1.5", None)),
        *((WHOLE, "9" * 18, int("9" * 18)), (WHOLE, "9" * 19, None), (WHOLE, "#7", None), (WHOLE, "٣", None)),
        *((NUMBER, "2.5", 2.5), (NUMBER, "2,5", 2.5), (NUMBER, ".5", 0.5), (NUMBER, "2.", 2.0), (NUMBER, "7", 7)),
        *((NUMBER, "1e3", 1000.0), (NUMBER, "1E-2", 0.01), (NUMBER, "1e100", None), (NUMBER, "nan", None)),
        *((NUMBER, "1.2.3", None), (NUMBER, ".", None), (NUMBER, "-2,5", -2.5), (NUMBER, " ", None)),
        *((FIELD_BY_KEY["ParentID"], "#12", 12), (FIELD_BY_KEY["Name"], "  x ", "x"), (FIELD_BY_KEY["Name"], " ", "")),
    ],
)
def test_a_typed_text_is_a_value_of_its_field_or_refused(field: Field, text: str, value: object) -> None:
    if value is None and text.strip():
        with pytest.raises(BadRequest, match=field.label):
            read_text(field, text, TODAY)
        return
    assert read_text(field, text, TODAY) == value
    assert type(read_text(field, text, TODAY)) is type(value)


def test_numbers_have_no_needless_fraction() -> None:
    assert [number_text(each) for each in (1.0, 1.5, 10.0, 3)] == ["1", "1.5", "10", "3"]


def test_values_are_shown_as_people_read_them(tmp_path: Path) -> None:
    with offline_store(tmp_path, [item(7, Name="Lamp")]) as store:
        words = ScreenFieldWords(store)
        shown = {
            (key, value if not isinstance(value, list) else tuple(value)): words.shown(FIELD_BY_KEY[key], value)
            for key, value in (
                *(("Tags", []), ("Name", None), ("Name", ""), ("IsTriaged", True), ("IsTriaged", False)),
                *(("Tags", ["a", "b, c"]), ("Priority", 3), ("WorkRemaining", 2.0), ("WorkRemaining", 2.126)),
                *(("CalculatedEstimate", 2.126), ("CalculatedEstimate", 2.0), ("ParentID", 7), ("ParentID", 8)),
                *(("AssignedToID", 4), ("TeamID", 5), ("AreaID", 6), ("Name", "a\nb")),
                *(("Description", "one"), ("Description", "\n one\ntwo"), ("Description", "<p>one</p><p>two</p>")),
            )
        }

    assert list(shown.values()) == [
        *("–", "–", "–", "yes", "no", 'a, "b, c"', "3", "2", "2.126", "2.13", "2", "#7 Lamp", "#8"),
        *("user 4", "team 5", "area 6", "a\nb", "one", " one  … 3 lines", "one  … 2 lines"),
    ]


@pytest.mark.parametrize(
    ("key", "value", "words"),
    [
        *(("Status", "Not Done", "Not done"), ("Status", "Ready For Test", "Testing"), ("Status", "Own", "Own")),
        *(("PriorityClass", "1 - Must Have", "Must have"), ("Name", "1 - Must Have", "1 - Must Have")),
    ],
)
def test_a_status_and_a_choice_are_shown_alike_and_written_as_the_server_has_them(
    tmp_path: Path, key: str, value: str, words: str
) -> None:
    with offline_store(tmp_path) as store:
        shown = ScreenFieldWords(store).shown(FIELD_BY_KEY[key], value)
        written = ScreenFieldWords(store).written(FIELD_BY_KEY[key], value)

        assert (shown, words_of(store, key, value), written) == (words, words, value)


def test_values_of_a_step_are_words_and_unknown_ids_say_what_they_are(tmp_path: Path) -> None:
    with offline_store(tmp_path, [item(7, Name="Lamp")]) as store:
        pairs: tuple[tuple[str, object], ...] = (
            *(("Tags", []), ("Name", ""), ("IsTriaged", True), ("IsTriaged", False), ("Tags", ["a", "b"])),
            *(("ParentID", 7), ("ParentID", 8), ("AssignedToID", 4), ("TeamID", 5), ("AreaID", 6), ("Priority", 3)),
            *(("WorkRemaining", 2.0), ("Own_cf", 1_250_000.5), ("Own_cf", "x")),
        )
        words = [words_of(store, key, value) for key, value in pairs]

    assert words == [
        "–",
        "–",
        "yes",
        "no",
        "a, b",
        "#7 Lamp",
        "#8",
        "user 4",
        "team 5",
        "area 6",
        "3",
        "2",
        "1250000.5",
        "x",
    ]


def test_words_are_read_as_values(tmp_path: Path) -> None:
    with offline_store(tmp_path) as store:
        reading = FieldReading(store)

        def read(key: str, text: str) -> object:
            return reading.read(FIELD_BY_KEY[key], "Bug", text)

        good = [
            *(read("Tags", ""), read("Name", " – "), read("IsTriaged", "Yes"), read("IsTriaged", "FALSE")),
            *(read("Status", "in progress"), read("Status", "Unheard of"), read("AssignedToID", "user 12")),
            *(read("TeamID", "team #7"), read("Priority", "3"), read("Name", " x ")),
        ]
        wrong = (
            *(
                ("IsTriaged", "perhaps", "yes or no"),
                ("AreaID", "7", "There is no area “7”"),
                ("AreaID", "Nowhere", "area"),
            ),
            *(("AssignedToID", "somebody", "There is no"), ("AssignedToID", "user " + "1" * 16, "There is no")),
        )
        for key, text, sentence in wrong:
            with pytest.raises(BadRequest, match=sentence):
                read(key, text)

    assert good == [[], None, True, False, "In Progress", "Unheard of", 12, 7, 3, "x"]


@pytest.mark.parametrize(
    ("count", "lines", "last"), [(1, 1, "0"), (12, 12, "11"), (13, 13, "1 more."), (40, 13, "28 more.")]
)
def test_many_faults_of_a_text_are_counted(count: int, lines: int, last: str) -> None:
    faults = [TextFault(number + 2, 5, str(number)) for number in range(count)]

    with pytest.raises(TextFault) as raised:
        raise_all(faults)

    shown = str(raised.value).splitlines()
    assert (len(shown), shown[0]) == (lines, "Line 2, column 5: 0")
    assert shown[-1] == (last if "more" in last else f"Line {int(last) + 2}, column 5: {last}")
    assert (raised.value.line, raised.value.column, raised.value.sentence) == (2, 5, "0")
    assert MOST_FAULTS == 11
    raise_all([])


def test_a_field_is_named_by_its_label_a_custom_one_too() -> None:
    assert [label_of(key) for key in ("AreaID", "projectId", "BusinessValue_cf", "alpha_cf")] == [
        *("Area", "Project", "Business Value", "alpha")
    ]


def test_the_root_of_the_iterations_is_the_backlog(tmp_path: Path) -> None:
    with offline_store(tmp_path) as store:
        unknown = words_of(store, "IterationID", 1)
        put_nouns(store, iterations=[node(1, "Aurora"), node(2, "Sprint 1", 1)])

        known = [words_of(store, "IterationID", value) for value in (1, 2, None)]

        short = [short_words_of(store, *each) for each in (("IterationID", 2), ("Name", "Shop › Basket"))]

    assert short == ["Sprint 1", "Shop › Basket"]
    assert (unknown, known) == ("iteration 1", ["backlog", "Aurora › Sprint 1", "–"])
