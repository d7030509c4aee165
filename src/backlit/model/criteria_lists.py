"""Acceptance criteria that stand in a description: the list below a heading such as “Done when”, or a checklist."""

import re
from collections.abc import Iterator, Sequence
from html import unescape

from msgspec import Struct

from backlit.model.fields import NAME_LIMIT
from backlit.model.resources import CriterionStatus

_HEADINGS = frozenset(
    {"done when", "definition of done", "acceptance criteria", "acceptance criterion", "acceptance", "criteria"}
)
_HEADING_SIGNS = "#*_: \t"
_ENTRY = re.compile(r"(?P<indent>[ \t]*)(?:[-*+]|\d{1,9}[.)])[ \t]+(?:\[(?P<mark>[ xX])\][ \t]+)?(?P<text>\S.*)")
_FENCE = re.compile(r"[ \t]*(?:```|~~~)")
_HTML_LIST_TAG = re.compile(r"<(/?)(?:ul|ol)\b[^<>]*>", re.IGNORECASE)
_HTML_ENTRY = re.compile(r"<li\b[^<>]*>(.*?)(?=<li\b|</li\s*>|\Z)", re.IGNORECASE | re.DOTALL)
_HTML_BEFORE = re.compile(
    r"<(h[1-6]|p|div|b|strong)\b[^<>]*>((?:(?!<\1\b).)*?)</\1\s*>\s*\Z", re.IGNORECASE | re.DOTALL
)
_TAG = re.compile(r"<[^<>]*>")
_LONGEST_HEADING = 300
"""Characters of HTML before a list in which its heading is looked for."""


class ListedCriterion(Struct, frozen=True):
    """A criterion as it is journalled; a title that is too long stands whole in the description."""

    title: str
    description: str
    status: CriterionStatus


class CriteriaInText(Struct, frozen=True):
    """The criteria of a text, and the text without them."""

    criteria: Sequence[ListedCriterion]
    rest: str


def criteria_in(text: str) -> CriteriaInText:
    """Return the criteria of the first list below such a heading, else those of all checklists; perhaps none."""
    return _criteria_in_html(text) or _criteria_in_lines(text.splitlines()) or CriteriaInText((), text)


def _criterion(words: str, *, is_passed: bool = False) -> ListedCriterion:
    text = " ".join(words.split())
    title = text if len(text) <= NAME_LIMIT else f"{text[: NAME_LIMIT - 1]}…"
    status = CriterionStatus.PASS if is_passed else CriterionStatus.NOT_EXECUTED
    return ListedCriterion(title, "" if title == text else text, status)


def _is_heading(line: str) -> bool:
    return line.strip(_HEADING_SIGNS).casefold() in _HEADINGS


# Markdown


class _Entry(Struct, frozen=True):
    """An entry of a list: its first line, the one after its last, and its words."""

    start: int
    end: int
    words: str
    mark: str | None

    @property
    def criterion(self) -> ListedCriterion:
        return _criterion(self.words, is_passed=self.mark in {"x", "X"})


def _criteria_in_lines(lines: Sequence[str]) -> CriteriaInText | None:
    entries = list(_entries(lines))
    for at, line in enumerate(lines):
        below = _list_below(lines, entries, at) if _is_heading(line) else []
        if below:
            is_alone = not any(each.strip() for each in lines[at + 1 : below[0].start])
            return _without(lines, below, {at} if is_alone else set())
    marked = [entry for entry in entries if entry.mark is not None]
    return _without(lines, marked, set()) if marked else None


def _entries(lines: Sequence[str]) -> Iterator[_Entry]:
    """Yield the entries of all lists, with the indented lines that go on with them; what is code has none."""
    is_code, at = False, 0
    while at < len(lines):
        start, found = at, None if is_code else _ENTRY.fullmatch(lines[at])
        is_code ^= _FENCE.match(lines[at]) is not None
        at += 1
        if found is None:
            continue
        words, indent = [found["text"]], len(found["indent"].expandtabs())
        while at < len(lines) and _goes_on(lines[at], indent):
            words.append(lines[at])
            at += 1
        yield _Entry(start, at, " ".join(words), found["mark"])


def _goes_on(line: str, indent: int) -> bool:
    own = len(line.expandtabs()) - len(line.expandtabs().lstrip())
    return bool(line.strip()) and own > indent and not _ENTRY.fullmatch(line) and not _FENCE.match(line)


def _list_below(lines: Sequence[str], entries: Sequence[_Entry], heading: int) -> list[_Entry]:
    """Return the first list below a heading, up to the next one."""
    found: list[_Entry] = []
    for entry in entries:
        before = lines[found[-1].end if found else heading + 1 : entry.start]
        if entry.start < heading:
            continue
        if any(line.lstrip().startswith("#") for line in before) or (found and any(line.strip() for line in before)):
            break
        found.append(entry)
    return found


def _without(lines: Sequence[str], entries: Sequence[_Entry], heading: set[int]) -> CriteriaInText:
    gone = heading | {at for entry in entries for at in range(entry.start, entry.end)}
    rest: list[str] = []
    is_behind = False
    for at, line in enumerate(lines):
        is_blank, is_first = not line.strip(), not (rest and rest[-1].strip())
        if at not in gone and not (is_behind and is_blank and is_first):
            rest.append(line)
        is_behind = at in gone or (is_behind and is_blank)
    return CriteriaInText([entry.criterion for entry in entries], "\n".join(rest).strip("\n"))


# HTML


def _criteria_in_html(text: str) -> CriteriaInText | None:
    for opening in _HTML_LIST_TAG.finditer(text):
        before = _HTML_BEFORE.search(text, max(0, opening.start() - _LONGEST_HEADING), opening.start())
        if before is None or not _is_heading(unescape(_TAG.sub("", before[2]))):
            continue
        end = _end_of_list(text, opening.start())
        listed = text[opening.end() : end]
        words = [unescape(_TAG.sub(" ", entry)).strip() for entry in _HTML_ENTRY.findall(listed)]
        rest = text[: before.start()] + text[end:].lstrip()
        return CriteriaInText([_criterion(each) for each in words if each], rest.strip())
    return None


def _end_of_list(text: str, start: int) -> int:
    """Return the place after a list and the lists in it."""
    depth = 0
    for tag in _HTML_LIST_TAG.finditer(text, start):
        depth += -1 if tag[1] else 1
        if not depth:
            return tag.end()
    return len(text)
