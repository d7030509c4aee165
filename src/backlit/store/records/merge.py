"""Three-way merge of an edit with the service's current values, field by field, and of long texts by line.

An edit is one act and is sent or held as a whole: one conflicting field holds all of it. The other fields keep their
base and merge again after the conflict is resolved. Lines are compared without their endings, because a service may
store CRLF, and changes that touch or overlap clash, as in diff3. The only small library for it is under the GPL.
"""

import re
from collections.abc import Iterator, Mapping, Sequence

from msgspec import Struct

from backlit.model.fields import FIELD_BY_KEY, Kind


def is_same(one: object, other: object) -> bool:
    """Report whether two values of a field mean the same. Unset, empty text and no tags do."""
    if isinstance(one, bool) != isinstance(other, bool):
        return False
    return one == other or (is_empty(one) and is_empty(other))


def is_empty(value: object) -> bool:
    return value is None or value in ("", [])


class MergeResult(Struct, frozen=True):
    """The values left to send, and the service's values of the conflicting fields."""

    changes: Mapping[str, object]
    conflicts: Mapping[str, object]


def merge(base: Mapping[str, object], mine: Mapping[str, object], theirs: Mapping[str, object]) -> MergeResult:
    """Merge field by field.

    Fields unchanged on the service are sent, fields that already have the wanted value are not. Tags merge as sets
    and long texts by line.
    """
    changes: dict[str, object] = {}
    conflicts: dict[str, object] = {}
    for key, wanted in mine.items():
        before, found = base.get(key), theirs.get(key)
        if is_same(found, wanted):
            continue
        if is_same(found, before):
            changes[key] = wanted
        elif _is_tags(key, before, wanted, found):
            tags = merge_tags(before, wanted, found)
            if set(tags) != set(_tags(found)):
                changes[key] = tags
        else:
            text = merge_text(_text(before), _text(wanted), _text(found)) if is_long(key, wanted, found) else None
            if text is None:
                conflicts[key] = found
            elif text != found:
                changes[key] = text
    return MergeResult(changes, conflicts)


def merge_tags(base: object, mine: object, theirs: object) -> list[str]:
    """Return their tags without the ones removed here and with the ones added here, in a stable order."""
    before, wanted = _tags(base), _tags(mine)
    removed = set(before) - set(wanted)
    kept = [tag for tag in _tags(theirs) if tag not in removed]
    return [*kept, *(tag for tag in wanted if tag not in before and tag not in kept)]


def is_long(key: str, mine: object, theirs: object) -> bool:
    """Report whether a field merges by line: a long text, or a custom text of more than one line."""
    if not all(value is None or isinstance(value, str) for value in (mine, theirs)):
        return False
    field = FIELD_BY_KEY.get(key)
    if field is not None:
        return field.kind is Kind.LONG_TEXT
    return any("\n" in _text(value) or "\r" in _text(value) for value in (mine, theirs))


def kept_otherwise(sent: Mapping[str, object], echo: Mapping[str, object]) -> list[str]:
    """Return the keys whose values the service did not accept, judged by its response."""
    return [key for key, value in sent.items() if not _is_taken(value, echo.get(key))]


def _is_taken(sent: object, kept: object) -> bool:
    if isinstance(sent, list) and isinstance(kept, list):
        return set(_tags(sent)) == set(_tags(kept))
    if isinstance(sent, str) and isinstance(kept, str):
        return sent.split() == kept.split()
    return is_same(sent, kept)


def _is_tags(key: str, *values: object) -> bool:
    """Report whether values are lists of words. Custom fields can hold one too."""
    is_list = all(value is None or isinstance(value, list | tuple) for value in values)
    return key == "Tags" or (is_list and any(value is not None for value in values))


def _tags(value: object) -> list[str]:
    return [each for each in value if isinstance(each, str)] if isinstance(value, list | tuple) else []


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""


LINES_LIMIT = 20_000
"""The longest text, in lines, that is compared by line. Longer versions clash as a whole."""
MARKS = ("<<<<<<< mine", "=======", ">>>>>>> theirs")
_LINE = re.compile(r"[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+")
_BREAK = re.compile(r"\r\n|\r|\n")


class MergePart(Struct, frozen=True):
    """Some lines of the merged text. `theirs` is None without a clash."""

    lines: tuple[str, ...]
    theirs: tuple[str, ...] | None = None


class _ReplacedLines(Struct, frozen=True):
    """Lines `start` to `end` of the old text, replaced by `count` others."""

    start: int
    end: int
    count: int

    @property
    def growth(self) -> int:
        return self.count - (self.end - self.start)


def merge_text(base: str, mine: str, theirs: str) -> str | None:
    """Return the text with the changes of both sides, or None for a clash.

    Unchanged lines keep the ending of `theirs`. A result that another merge of `mine` would change counts as a
    clash, because a lost response leads to a second attempt.
    """
    merged = _merged_once(base, mine, theirs)
    return merged if merged is None or _merged_once(base, mine, merged) == merged else None


def with_both(base: str, mine: str, theirs: str) -> str:
    """Return the merged text with conflict markers around clashes, for the user to edit."""
    return _written(base, mine, theirs, merge_parts(base, mine, theirs))


def has_marks(text: str) -> bool:
    return not set(MARKS).isdisjoint(_BREAK.split(text))


def merge_parts(base: str, mine: str, theirs: str) -> list[MergePart]:
    """Split the merged text into agreed and clashing parts, without trailing line breaks."""
    old, ours, others = _lines(base), _lines(mine), _lines(theirs)
    if max(len(old), len(ours), len(others)) > LINES_LIMIT:
        return [MergePart(tuple(ours), tuple(others))]
    return list(_parts(old, ours, others))


def _merged_once(base: str, mine: str, theirs: str) -> str | None:
    if mine in {base, theirs}:
        return theirs
    if theirs == base:
        return mine
    parts = merge_parts(base, mine, theirs)
    if any(part.theirs is not None for part in parts):
        return None
    return _written(base, mine, theirs, parts)


def _parts(old: Sequence[str], ours: Sequence[str], others: Sequence[str]) -> Iterator[MergePart]:
    """Yield the parts in the order of the old text. `at` is the position in it."""
    at = in_ours = in_others = 0
    for start, end, mine, theirs in _groups(_hunks(old, ours), _hunks(old, others)):
        same = start - at
        yield MergePart(tuple(others[in_others : in_others + same]))
        in_ours, in_others = in_ours + same, in_others + same
        our_end = in_ours + end - start + sum(hunk.growth for hunk in mine)
        other_end = in_others + end - start + sum(hunk.growth for hunk in theirs)
        yield _part(ours[in_ours:our_end] if mine else None, others[in_others:other_end] if theirs else None)
        at, in_ours, in_others = end, our_end, other_end
    yield MergePart(tuple(others[in_others:]))


def _part(mine: Sequence[str] | None, theirs: Sequence[str] | None) -> MergePart:
    if mine is None or theirs is None:
        return MergePart(tuple(mine or theirs or ()))
    if _bare(mine) == _bare(theirs):
        return MergePart(tuple(theirs))
    return MergePart(tuple(mine), tuple(theirs))


def _groups(
    mine: Sequence[_ReplacedLines], theirs: Sequence[_ReplacedLines]
) -> Iterator[tuple[int, int, Sequence[_ReplacedLines], Sequence[_ReplacedLines]]]:
    left, right = list(mine), list(theirs)
    while left:
        start = end = min(hunks[0].start for hunks in (left, right) if hunks)
        taken: tuple[list[_ReplacedLines], list[_ReplacedLines]] = ([], [])
        while True:
            found = next((n for n, hunks in enumerate((left, right)) if hunks and hunks[0].start <= end), None)
            if found is None:
                break
            hunk = (left, right)[found].pop(0)
            taken[found].append(hunk)
            end = max(end, hunk.end)
        yield start, end, *taken


def _hunks(old: Sequence[str], new: Sequence[str]) -> list[_ReplacedLines]:
    from difflib import SequenceMatcher  # for two changes of one text alone

    matcher = SequenceMatcher(None, _bare(old), _bare(new))
    return [_ReplacedLines(i1, i2, j2 - j1) for tag, i1, i2, j1, j2 in matcher.get_opcodes() if tag != "equal"]


# Lines and their endings


def _written(base: str, mine: str, theirs: str, parts: Sequence[MergePart]) -> str:
    newline = next(iter(_BREAK.findall(theirs) or _BREAK.findall(mine)), "\n")
    known = set(_BREAK.findall(theirs)) or {newline}
    lines: list[str] = []
    for part in parts:
        if part.theirs is None:
            lines += part.lines
        else:
            lines += [MARKS[0], *part.lines, MARKS[1], *part.theirs, MARKS[2]]
    endings = [match.group() if (match := _BREAK.search(line)) else newline for line in lines]
    written = [bare + (end if end in known else newline) for bare, end in zip(_bare(lines), endings, strict=True)]
    return "".join([*written[:-1], *_bare(written[-1:])]) + _tail(_breaks(base), _breaks(mine), _breaks(theirs))


def _lines(text: str) -> list[str]:
    return _LINE.findall(text.rstrip("\r\n"))


def _bare(lines: Sequence[str]) -> list[str]:
    return [line.rstrip("\r\n") for line in lines]


def _breaks(text: str) -> str:
    return text[len(text.rstrip("\r\n")) :]


def _tail(base: str, mine: str, theirs: str) -> str:
    if theirs == base:
        return mine
    return theirs if mine == base else max(mine, theirs, key=len)
