"""The ranking of texts by what was typed of them."""

from collections.abc import Iterator, Sequence
from heapq import nsmallest
from typing import NamedTuple

# To mark the letters that match in 5,000 rows took 190 ms for each key.
MAX_MATCHES = 100
_EXACT, _SYNONYM, _START, _WORD_START, _SYNONYM_START, _INSIDE, _ASIDE, _SCATTERED = range(8)


class Searchable(NamedTuple):
    """A text, the text beside it, and words that mean the same; all case-folded."""

    label: str
    aside: str
    synonyms: tuple[str, ...]


def searchable(label: str, aside: str = "", synonyms: str = "") -> Searchable:
    return Searchable(label.strip().casefold(), aside.casefold(), tuple(synonyms.casefold().split()))


def ranked(query: str, texts: Sequence[Searchable], limit: int = MAX_MATCHES) -> list[int]:
    """Return the indices of at most `limit` matches: texts with every word typed, then texts with the letters in order.

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
    for index, (label, aside, synonyms) in enumerate(texts):
        if aside == whole:
            yield _EXACT, 0, index
        elif label != whole and whole in synonyms:
            yield _SYNONYM, synonyms.index(whole), index
        elif all(word in label for word in words):
            yield _place(whole, first, label), label.index(first), index
        elif all(any(each.startswith(word) for each in (*label.split(), *synonyms)) for word in words):
            yield _SYNONYM_START, 0, index
        elif aside and all(word in label or word in aside for word in words):
            yield _ASIDE, 0, index


def _place(whole: str, first: str, label: str) -> int:
    if label == whole:
        return _EXACT
    if label.startswith(whole):
        return _START
    return _WORD_START if f" {first}" in label else _INSIDE


def _with_letters(letters: str, texts: Sequence[Searchable], taken: set[int]) -> Iterator[tuple[int, int, int]]:
    for index, (label, _, _) in enumerate(texts):
        spread = None if index in taken else _spread(letters, label)
        if spread is not None:
            yield _SCATTERED, spread, index


def _spread(letters: str, label: str) -> int | None:
    """Return how far apart the letters are where they first occur in order; None where they do not occur."""
    at = start = label.find(letters[0])
    for letter in letters[1:]:
        if at < 0:
            return None
        at = label.find(letter, at + 1)
    return at - start if at >= 0 else None
