"""Names of the sample's items, none of which is given twice in a project."""

from collections.abc import Iterator, Sequence
from itertools import chain, count, product

from backlit.service.sample.vocabulary import CLIENTS, MARKETS, MORE_TEXTS

_QUALIFIERS = (*CLIENTS, *MARKETS, *(f"{client} {market}" for client, market in product(CLIENTS, MARKETS)))
_PLACEHOLDERS = ("{client}", "{market}")


class NameChoice:
    """The names that are left; a text that was taken is replaced by another of its subject."""

    def __init__(self) -> None:
        self._texts: set[str] = set()
        self._names: set[str] = set()
        self._others: dict[str, Iterator[str]] = {}

    def name(self, subject: str, texts: Sequence[str], text: str, client: str, market: str) -> str:
        """Return the text in its place, or another name of the subject if the text was taken."""
        if text in self._texts:
            return self._other(subject, texts)
        self._texts.add(text)
        name = text.replace("{client}", client).replace("{market}", market)
        self._names.add(name)
        return name

    def _other(self, subject: str, texts: Sequence[str]) -> str:
        names = self._others.setdefault(subject, _others(subject, texts))
        name = next(name for name in names if name not in self._names)
        self._names.add(name)
        return name


def _others(subject: str, texts: Sequence[str]) -> Iterator[str]:
    """Yield texts that are drawn for no item, then all with where they hold, and at last by number, without an end."""
    more = MORE_TEXTS.get(subject, ())
    bare = [_without_place(text) for text in (*texts, *more)]
    qualified = (f"{text} {qualifier}" for qualifier in _QUALIFIERS for text in bare)
    numbered = (f"{text}, part {number}" for number in count(2) for text in bare)
    return chain(more, qualified, numbered)


def _without_place(text: str) -> str:
    for placeholder in _PLACEHOLDERS:
        text = text.replace(f" {placeholder}", "")
    return text
