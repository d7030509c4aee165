"""Discussions of the sample: what a team wrote about one story in the days before the sample is made."""

from collections.abc import Mapping, Sequence
from datetime import time

from msgspec import Struct


class DiscussionComment(Struct, frozen=True):
    """A comment, some days before today."""

    days_ago: int
    at: time
    author: str
    text: str


_SYNONYMS = (
    DiscussionComment(
        9, time(9, 12), "priya",
        "How do we know that a search without a click means a missing word? Some people only look at the pictures.",
    ),
    DiscussionComment(
        8, time(10, 40), "kofi",
        "> How do we know that a search without a click means a missing word?\n\n"
        "By what comes next: when the same person searches again within a minute and then opens an article, "
        "the two words belong together.",
    ),
    DiscussionComment(
        7, time(14, 5), "jon",
        "I counted the log of last week:\n\n"
        "```\n"
        "searches                 18,204\n"
        "without a click           3,911   21 %\n"
        "searched again            1,262    7 %\n"
        "then opened an article      847    5 %\n"
        "```\n\n"
        "The first pairs look right: sneakers and trainers, couch and sofa, jumper and sweater.",
    ),
    DiscussionComment(
        6, time(8, 55), "lena",
        "Careful with jumper: it is a sweater here and a dress for customers from the States. "
        "Somebody has to look at each pair before it goes live.",
    ),
    DiscussionComment(
        6, time(11, 30), "priya",
        "> Somebody has to look at each pair before it goes live.\n\n"
        "I can do that, as long as it is a list of at most fifty a week.",
    ),
    DiscussionComment(
        3, time(9, 20), "maya",
        "**Decided:**\n\n"
        "- Pairs that at least 20 people searched for go onto a list\n"
        "- Priya accepts or rejects them, and only accepted ones are used\n"
        "- After two weeks we count again: 21 % without a click should be 18 %",
    ),
    DiscussionComment(
        2, time(15, 45), "jon",
        "Then it is one table and one page more than the spike has. 5 points are enough.",
    ),
)  # fmt: skip

DISCUSSIONS: Mapping[str, Sequence[DiscussionComment]] = {"Learn synonyms from searches without a click": _SYNONYMS}
"""Discussions by the beginning of the name of a story; the first one of that name has it."""
