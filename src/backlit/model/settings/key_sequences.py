"""Sequences of keys as a person writes them, and as commands hold them: `gb` is `g b`, `esc` is `escape`."""

import re
from collections.abc import Mapping
from enum import StrEnum
from functools import lru_cache

from msgspec import Struct

from backlit.model.errors import BadRequest
from backlit.model.nearest import nearest
from backlit.model.plain import plain

KEY_SPELLINGS: Mapping[str, str] = {
    "letter": "{a-z}",
    "digit": "{1-9}",
    "escape": "esc",
    "pagedown": "PgDn",
    "pageup": "PgUp",
    "down": "↓",
    "up": "↑",
    "left": "←",
    "right": "→",
}
"""Names of keys that people write in another way."""
_NAMED_KEYS = frozenset(
    {
        *KEY_SPELLINGS,
        *("enter", "tab", "space", "backspace", "delete", "insert", "home", "end"),
        *(f"f{number}" for number in range(1, 25)),
    }
)
_NAMES = {spelling.casefold(): name for name, spelling in KEY_SPELLINGS.items()} | {name: name for name in _NAMED_KEYS}
_MODIFIED = re.compile(r"((?:(?:ctrl|alt|shift|super)\+)+)(.+)", re.IGNORECASE)
_EXAMPLES = 'Write a sequence as in docs/keys.md, such as "gb", "c s", "ctrl+d" or "esc".'
MAX_KEYS = 4
"""The most keys of a sequence."""


class KeyPreset(StrEnum):
    """Ground of the keys: those of vim beside the arrows, or the arrows and the keys of other programs."""

    VIM = "vim"
    ARROWS = "arrows"


class KeyChange(Struct, frozen=True):
    """Sequences that a person gives to a command, in place of the usual ones or beside them; none unbind it."""

    keys: tuple[str, ...]
    is_added: bool = False


@lru_cache(maxsize=1024)  # asked for each hint at each key
def spelled(sequence: str) -> str:
    """Return a sequence for people: `g b` is gb, `ctrl+d` stays, `escape` is esc."""
    parts = [KEY_SPELLINGS.get(part, part) for part in sequence.split()]
    is_close = all(len(part) == 1 or part.startswith("{") for part in parts)
    return "".join(parts) if is_close else " ".join(parts)


def read_keys(text: str) -> str:
    """Return the sequence that a person wrote, its keys separated by blanks; raise BadRequest for what is none."""
    keys = [key for word in text.split() for key in _keys_of(word)]
    if not 1 <= len(keys) <= MAX_KEYS:
        shown = plain(text, 40)
        raise BadRequest(f"“{shown}” is no sequence of one to {MAX_KEYS} keys. {_EXAMPLES}")
    return " ".join(keys)


def _keys_of(word: str) -> list[str]:
    if len(word) == 1:
        return [_NAMES.get(word, word)]
    if word.casefold() in _NAMES:
        return [_NAMES[word.casefold()]]
    if modified := _MODIFIED.fullmatch(word):
        (name,) = _keys_of(modified[2]) if len(modified[2]) == 1 else [_named(modified[2])]
        modifiers = sorted(set(modified[1].casefold().rstrip("+").split("+")))
        return ["+".join([*modifiers, name.lower() if len(name) == 1 else name])]
    if word.endswith(("{a-z}", "{1-9}")):
        return [*word[:-5], _NAMES[word[-5:]]]
    if len(word) > MAX_KEYS:
        _named(word)  # raises: a word is a name, and a shorter one may be keys without blanks
    return list(word)


def _named(word: str) -> str:
    if word.casefold() in _NAMES:
        return _NAMES[word.casefold()]
    near = nearest(word.casefold(), _NAMES)
    hint = f" Did you mean “{near}”?" if near else ""
    raise BadRequest(f"There is no key “{plain(word, 40)}”.{hint or f' {_EXAMPLES}'}")
