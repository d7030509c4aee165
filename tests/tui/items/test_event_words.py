"""The words for events."""

import pytest

from backlit.tui.items.event_words import unquoted


@pytest.mark.parametrize(
    ("comment", "words"),
    [
        ("> Is it done?\n\nYes, **both** parts.", "Yes, both parts."),
        ("**Decided:**\n\n- one\n- two", "Decided:\n\n· one\n· two"),
        ("Counted:\n```\n3 of 4\n```\nMost.", "Counted:\n…\nMost."),
        ("```\n3 of 4\n```", "3 of 4"),
        ("> only a quote", "> only a quote"),
        ("2 ** 3 ** 4", "2 ** 3 ** 4"),
    ],
)
def test_a_comment_in_a_line_is_what_its_author_wrote(comment: str, words: str) -> None:
    assert unquoted(comment) == words
