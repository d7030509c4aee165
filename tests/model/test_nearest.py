"""The known word that was probably meant."""

import pytest

from backlit.model.nearest import did_you_mean, nearest


@pytest.mark.parametrize(
    ("word", "found"), [("staus", "status"), ("STATUS", "status"), ("iteraton", "Iteration"), ("zzz", None), ("", None)]
)
def test_a_word_has_the_nearest_of_the_known_words_in_any_case(word: str, found: str | None) -> None:
    assert nearest(word, ["status", "Iteration", "owner"]) == found


def test_a_hostile_name_is_written_without_its_control_characters() -> None:
    assert did_you_mean("sprint\x1b", ["sprint\x1b[2J"]) == " Did you mean “sprint�[2J”?"
