"""Pure: which of many texts a few typed letters mean, best first, in time that long texts cannot blow up."""

from collections.abc import Iterator, Sequence
from heapq import nsmallest

LIMIT = 100
_EXACT, _START, _WORD_START, _INSIDE, _ASIDE, _SCATTERED = range(6)

Searchable = tuple[str, str]
"""A text and what stands beside it, both case-folded."""


def searchable(label: str, aside: str = "") -> Searchable:
    """Prepare a text for `ranked`."""
    return label.strip().casefold(), aside.casefold()


def ranked(query: str, texts: Sequence[Searchable], limit: int = LIMIT) -> list[int]:
    """The indices of at most `limit` texts that fit: those that hold every word typed, then those with its letters.

    Equal fits keep the order they are given in.
    """
    words = query.casefold().split()
    if not words:
        return list(range(min(len(texts), limit)))
    found = nsmallest(limit, _with_words(words, texts))
    if len(found) < limit:
        taken = {index for *_, index in found}
        found += nsmallest(limit - len(found), _with_letters("".join(words), texts, taken))
    return [index for *_, index in found]


def _with_words(words: Sequence[str], texts: Sequence[Searchable]) -> Iterator[tuple[int, int, int]]:
    first = words[0]
    whole = " ".join(words)
    for index, (label, aside) in enumerate(texts):
        if aside == whole:
            yield _EXACT, 0, index
        elif all(word in label for word in words):
            yield _place(whole, first, label), label.index(first), index
        elif aside and all(word in label or word in aside for word in words):
            yield _ASIDE, 0, index


def _place(whole: str, first: str, label: str) -> int:
    if label == whole:
        return _EXACT
    if label.startswith(whole):
        return _START
    return _WORD_START if f" {first}" in label else _INSIDE


def _with_letters(letters: str, texts: Sequence[Searchable], taken: set[int]) -> Iterator[tuple[int, int, int]]:
    for index, (label, _) in enumerate(texts):
        spread = None if index in taken else _spread(letters, label)
        if spread is not None:
            yield _SCATTERED, spread, index


def _spread(letters: str, label: str) -> int | None:
    """How far apart the letters are where they first occur in order; None where they do not."""
    at = start = label.find(letters[0])
    for letter in letters[1:]:
        if at < 0:
            return None
        at = label.find(letter, at + 1)
    return at - start if at >= 0 else None
