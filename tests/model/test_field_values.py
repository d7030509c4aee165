"""Values of each kind of field: what JSON may hold."""

import pytest

from backlit.model.field_values import Misfit, ValueLimits, parse_json
from backlit.model.fields import FIELD_BY_KEY

LIMITS = ValueLimits(text=5, tag=3, tags=2)


def fault(key: str, value: object, limits: ValueLimits = LIMITS) -> tuple[str, str]:
    """Return the sentences about a value for a program and for a person."""
    with pytest.raises(Misfit) as caught:
        parse_json(FIELD_BY_KEY[key], value, limits)
    return caught.value.sentence(key), caught.value.sentence_for_people("It")


@pytest.mark.parametrize(
    ("key", "value", "sentence"),
    [
        *(("Benefit", "x" * 6, "It may have 5 characters; this has 6."), ("Tags", ["a" * 4], "A tag may have 3")),
        *(("Tags", ["a", "b", "c"], "It may have 2 tags; this has 3."), ("Tags", [""], "A tag cannot be empty.")),
        *(("Benefit", "a\ud800", "It contains invalid characters."), ("Tags", ["\udfff"], "A tag contains invalid")),
        *(
            ("Name", "\udc00", "It contains invalid"),
            ("Name", " ", "It cannot be empty."),
            ("Name", 5, "It must be"),
        ),
        *(("Priority", 2**53, "It is too large."), ("Priority", "5", "It must be a whole number.")),
        *(("IsTriaged", 1, "It must be yes or no."), ("AreaID", "1", "It must be the id of an area.")),
        *(("Tags", ["a", 5], "It must be a list of words."), ("WorkRemaining", 1e301, "It must be a finite number.")),
    ],
)
def test_a_value_that_does_not_fit_has_a_sentence_for_people(key: str, value: object, sentence: str) -> None:
    assert fault(key, value)[1].startswith(sentence)


def test_a_shape_is_told_to_programs_in_words_of_json() -> None:
    assert fault("IsTriaged", 1)[0] == "IsTriaged must be true or false."
    assert fault("Tags", "a")[0] == "Tags must be a list of texts."
    assert fault("AreaID", "1")[0] == "AreaID must be a whole number."


def test_a_service_without_limits_takes_any_length() -> None:
    tags = [f"a long tag {number}" for number in range(200)]

    assert parse_json(FIELD_BY_KEY["Tags"], tags, ValueLimits()) == tags
    assert parse_json(FIELD_BY_KEY["Benefit"], "x" * 2_000_000, ValueLimits()) == "x" * 2_000_000
