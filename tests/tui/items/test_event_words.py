"""The words for events."""

import pytest

from backlit.tui.items.event_words import first_sentence, unquoted


@pytest.mark.parametrize(
    ("comment", "words"),
    [
        ("> Is it done?\n\nYes, **both** parts.", "Yes, both parts."),
        ("**Decided:**\n\n- one\n- two", "Decided:\n\n· one\n· two"),
        ("Counted:\n```\n3 of 4\n```\nMost.", "Counted:\n…\n\nMost."),
        ("Counted:\n\n| a | b |\n|---|---|\n| 3 | 4 |\nMost.", "Counted:\n…\nMost."),
        ("```\n3 of 4\n```", "3 of 4"),
        ("> only a quote", "> only a quote"),
        ("2 ** 3 ** 4", "2 ** 3 ** 4"),
    ],
)
def test_a_comment_in_a_line_is_what_its_author_wrote(comment: str, words: str) -> None:
    assert unquoted(comment) == words


@pytest.mark.parametrize(
    ("comment", "words"),
    [
        ("It is one table. 5 points are enough.", "It is one table. …"),
        ("Is version 1.2 out? Yes", "Is version 1.2 out? …"),
        ("No end", "No end"),
        ("One line\nand another", "One line …"),
        ("Decided:\n\n- one\n- two", "Decided: one …"),
        ("Counted:\n```\n3 of 4\n```\nMost.", "Counted: …"),
        ("> Is it done?\n\nYes.", "Yes."),
        ("", ""),
    ],
)
def test_a_comment_is_told_by_its_first_sentence(comment: str, words: str) -> None:
    assert first_sentence(comment) == words
