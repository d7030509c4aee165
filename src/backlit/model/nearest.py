"""The known word that an unknown one was probably meant to be."""

from collections.abc import Iterable

from backlit.model.plain import plain


def nearest(word: str, known: Iterable[str]) -> str | None:
    from difflib import get_close_matches  # 3 ms, for a fault alone

    by_lower = {each.casefold(): each for each in known}
    found = get_close_matches(word[:100].casefold(), by_lower, 1)
    return by_lower[found[0]] if found else None


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """Return a question that follows a sentence about an unknown word; empty where nothing is near."""
    found = nearest(word, known)
    return f" Did you mean “{plain(found)}”?" if found else ""
