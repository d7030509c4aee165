"""Text of a paragraph, heading or cell as Markdown that is drawn with exactly these words.

The screens read Markdown without escapes, so a character that would be taken for markup is put into a code span; one
that is drawn as typed stays as it is. Work grows with the length of the text, whatever stands in it.
"""

import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby

from msgspec import Struct

from backlit.imports.markup.characters import SOMETIMES_SEEN, clean
from backlit.imports.markup.document import ImageSpan, Mark, TextSpan

_HOLE = "\x01"
"""Stands for what was written by this module, in a text whose own control characters are replaced."""
_TYPED_CODE = re.compile(rf"(?<![\w`{_HOLE}])(`{{1,3}})(?![`\s])([^`\n{_HOLE}]++)(?<!\s)\1(?![\w`{_HOLE}])")
_RUNS = {
    "*": re.compile(r"\*+"),
    "_": re.compile(r"_+"),
    "~": re.compile(r"~+"),
}
_LINK_OR_TAG = re.compile(
    rf"!?\[[^\[\]\n{_HOLE}]*+\]\([^()\n{_HOLE}]*+\)?|\][{SOMETIMES_SEEN}]*+\(|<[A-Za-z/!?][^<>\n{_HOLE}]*+>"
)
_BACKTICKS = re.compile("`+")
_CUTS_LABEL = re.compile(r"[*_~`<]|\]\(|!\[")
"""What may put one bracket of a pair into a code span."""
_BRACKETS = re.compile(r"[\[\]]")
_ADDRESS = re.compile(rf"\b(?:https?|ftps?|file|ssh|git)://[^\s<>\"{_HOLE}]+")
_MAY_BECOME_CODE = re.compile(r"[*_~`\[\]<>]|://")
_LONGEST_PAIR = 80
"""Characters up to which a pair of signs and the text between them becomes one code span."""

_SCHEME = re.compile(r"[a-z][a-z0-9+.-]*:", re.IGNORECASE)
_REFUSED_SCHEMES = ("javascript:", "vbscript:", "data:", "file:")
"""Schemes of which the parser makes no link."""
_NOT_IN_ADDRESS = re.compile(r"[\s<>()\\|`\"\[\]\x00-\x1f\x7f]|&(?=#?\w{1,32};)")
_PLAIN_SOURCE = re.compile(r"[\w./:?=&%#~+@-]+", re.ASCII)


class Region(Struct, frozen=True, order=True):
    """A part of a text that becomes a code span."""

    start: int
    end: int


class _Segment(Struct):
    """A part of a line: text in one style, or, as `written`, finished Markdown."""

    text: str
    marks: frozenset[Mark] = frozenset()
    written: str = ""

    @property
    def first(self) -> str:
        return self.written[:1] or ("`" if Mark.CODE in self.marks else self.text[:1])

    @property
    def last(self) -> str:
        return self.written[-1:] or ("`" if Mark.CODE in self.marks else self.text[-1:])


class InlineText:
    """One or several lines with their styles. Regions of block markup are added before it is written."""

    def __init__(self, lines: Sequence[Sequence[TextSpan | ImageSpan]]) -> None:
        self._parts: list[str] = []
        self._written: list[_Segment] = []
        self._labels: list[tuple[int, int]] = []
        self._delimiters: set[str] = set()
        self._length = 0
        for number, line in enumerate(lines):
            if number:
                self._add("\n")
            self._add_line(trimmed(line))
        self.plain = "".join(self._parts)
        """The text, with a hole for each finished part."""
        self.regions: list[Region] = []

    def markdown(self) -> str:
        typed = {match.start(): match for match in _TYPED_CODE.finditer(self.plain)}
        rest = _TYPED_CODE.sub(lambda match: _HOLE * len(match[0]), self.plain)
        regions = [*self.regions, *(Region(*match.span()) for match in _LINK_OR_TAG.finditer(rest))]
        regions += self._image_signs(rest)
        regions += self._lone_brackets(rest)
        for sign in _RUNS:
            regions += _active_runs(rest, sign, is_written=sign in self._delimiters)
        ticks = [Region(*match.span()) for match in _BACKTICKS.finditer(rest)]
        if len(ticks) > 1 or (ticks and (typed or regions or any(Mark.CODE in one.marks for one in self._written))):
            regions += ticks
        regions = _with_whole_addresses(rest, _united(regions))
        pieces = self._pieces(regions, typed)
        return _joined(pieces)

    def _pieces(self, regions: list[Region], typed: dict[int, re.Match[str]]) -> Iterator[tuple[str, bool]]:
        """Yield texts, and whether each is shown as code."""
        codes = sorted([(one.start, one.end, "") for one in regions] + [(*m.span(), m[2]) for m in typed.values()])
        written = iter(self._written)
        at = 0
        for start, end, shown in codes:
            yield from _filled(self.plain[at:start], written)
            yield shown or self.plain[start:end], True
            at = end
        yield from _filled(self.plain[at:], written)

    def _image_signs(self, text: str) -> Iterator[Region]:
        """An exclamation mark before a link would make a picture of it."""
        holes = [match.start() for match in re.finditer(_HOLE, self.plain)]
        for at, segment in zip(holes, self._written, strict=True):
            if segment.written == "[" and at and text[at - 1] == "!":
                yield Region(at - 1, at)

    def _lone_brackets(self, text: str) -> Iterator[Region]:
        for start, end in self._labels:
            brackets = list(_BRACKETS.finditer(text, start, end))
            depth = lowest = 0
            for bracket in brackets:
                depth += 1 if bracket[0] == "[" else -1
                lowest = min(lowest, depth)
            label = text[start:end]
            if depth or lowest or _CUTS_LABEL.search(label):
                yield from (Region(*bracket.span()) for bracket in brackets)

    def _add(self, text: str) -> None:
        self._parts.append(text)
        self._length += len(text)

    def _add_written(self, segment: _Segment) -> None:
        self._written.append(segment)
        self._add(_HOLE)

    def _add_line(self, spans: Sequence[TextSpan | ImageSpan]) -> None:
        segments = [segment for segment in _segments(spans) if segment.text or segment.written]
        ends_marked = False
        for number, segment in enumerate(segments):
            if segment.written:
                self._add_finished(segment)
                ends_marked = False
                continue
            before = segments[number - 1].last if number else ""
            after = segments[number + 1].first if number + 1 < len(segments) else ""
            # Signs of two styles side by side would be read as one run.
            styled = ("", "", segment.text, "") if ends_marked else _styled(segment, before, after)
            ends_marked = self._add_styled(segment, *styled)

    def _add_finished(self, segment: _Segment) -> None:
        if segment.written == "[":
            self._labels.append((self._length + 1, -1))
        elif segment.written.startswith("](") and self._labels:
            self._labels[-1] = (self._labels[-1][0], self._length)
        self._add_written(segment)

    def _add_styled(self, segment: _Segment, signs: str, lead: str, text: str, tail: str) -> bool:
        """Add a text and the signs of its style; return whether it ends with signs."""
        self._add(lead)
        if signs:
            self._delimiters |= set(signs)
            self._add_written(_Segment("", written=signs))
        if Mark.CODE in segment.marks:
            self._add_written(_Segment(text, frozenset({Mark.CODE})))
        else:
            self._add(text)
        if signs:
            self._add_written(_Segment("", written=signs[::-1]))
        self._add(tail)
        return bool(signs) and not tail


def trimmed(spans: Sequence[TextSpan | ImageSpan]) -> list[TextSpan | ImageSpan]:
    """Return the spans of a line without the blanks at its ends."""
    line = list(spans)
    for at, strip in ((0, str.lstrip), (-1, str.rstrip)):
        while line and isinstance(span := line[at], TextSpan):
            text = strip(span.text)
            if text:
                line[at] = TextSpan(text, span.marks, span.address)
                break
            line.pop(at)
    return line


def _segments(spans: Iterable[TextSpan | ImageSpan]) -> Iterator[_Segment]:
    """Split a line where its style changes; blanks at the ends of a style stand outside it."""
    for address, group in groupby(spans, key=lambda span: span.address):
        linked = list(group)
        label = "".join(span.text if isinstance(span, TextSpan) else span.name or span.source for span in linked)
        destination = link_destination(address)
        is_link = bool(destination) and bool(label.strip()) and not _says(label.strip(), address)
        if not is_link:
            yield from _styles(linked)
            # The parser makes no link of a file's address either, but people can use it.
            if address.lower().startswith("file:") and address not in label:
                yield _Segment(f" ({' '.join(clean(address).split())})")
            continue
        inner = trimmed(linked)
        yield _Segment(label[: len(label) - len(label.lstrip())])
        yield _Segment("", written="[")
        yield from _styles(inner)
        yield _Segment("", written=f"]({destination})")
        yield _Segment(label[len(label.rstrip()) :])


def _says(label: str, address: str) -> bool:
    """Whether a link's text is its address."""
    return label in {address, address.removeprefix("mailto:")}


def _styles(spans: Iterable[TextSpan | ImageSpan]) -> Iterator[_Segment]:
    for style, group in groupby(spans, key=lambda span: span.marks if isinstance(span, TextSpan) else None):
        if style is None:
            for image in group:
                yield _image(image)
            continue
        text = "".join(span.text for span in group if isinstance(span, TextSpan)).replace("\t", " ")
        if not style:
            yield _Segment(text)
        elif Mark.CODE in style and text.strip():
            yield _Segment(text, style)
        else:
            inner = text.strip()
            yield _Segment(text[: len(text) - len(text.lstrip())])
            yield _Segment(inner, style)
            yield _Segment(text[len(text.rstrip()) :] if inner else "")


def _image(image: TextSpan | ImageSpan) -> _Segment:
    """Return a picture; one whose address is no word of an address is its name alone."""
    if isinstance(image, TextSpan):
        return _Segment(image.text)
    source = link_destination(image.source)
    if source and _SCHEME.match(source) and len(source) < 2000:
        name = "" if image.name == image.source else _BRACKETS.sub("", image.name).replace("`", "'")
        return _Segment("", written=f"![{name}]({source})")
    if source and _PLAIN_SOURCE.fullmatch(image.source) and image.name in {"", image.source}:
        return _Segment("", written=f"![]({source})")
    name = image.name or ("" if image.source.lower().startswith(("data:", "cid:")) else image.source)
    return _Segment(" ".join(name.split()) or "(picture)")


def link_destination(address: str) -> str:
    """Return an address as it stands in a Markdown link; empty for one that is refused."""
    address = re.sub(r"[\x00-\x1f\x7f\u200b\ufeff]", "", address).strip()
    if address in {"", "#"} or address.lower().startswith(_REFUSED_SCHEMES):
        return ""
    return _NOT_IN_ADDRESS.sub(lambda match: f"%{ord(match[0]):02X}" if ord(match[0]) < 128 else "%20", address)


_SIGNS = ((Mark.STRIKE, "~~"), (Mark.STRONG, "**"), (Mark.EMPHASIS, "*"))


def _styled(segment: _Segment, before: str, after: str) -> tuple[str, str, str, str]:
    """Return signs that are read as such, and the text before them, between them and after them."""
    signs = [sign for mark, sign in _SIGNS if mark in segment.marks]
    text = segment.text
    if not signs or not any(map(_is_word, text)):
        return "", "", text, ""
    is_code = Mark.CODE in segment.marks
    has_room = _gives_room(before) and _gives_room(after)
    if has_room:
        return "".join(signs), "", text, ""
    if is_code or _MAY_BECOME_CODE.search(text):
        return "", "", text, ""
    if "~~" in signs and len(signs) > 1:
        signs = ["~~"]
    start = 0 if _gives_room(before) else next(at for at, sign in enumerate(text) if _is_word(sign))
    end = len(text)
    if not _gives_room(after):
        end -= next(at for at, sign in enumerate(reversed(text)) if _is_word(sign))
    return "".join(signs), text[:start], text[start:end], text[end:]


def _is_word(sign: str) -> bool:
    return unicodedata.category(sign)[0] in "LNM"


def _gives_room(sign: str) -> bool:
    """Whether signs of a style may stand beside this one, whatever is on their other side."""
    return not sign or sign.isspace() or sign == _HOLE or unicodedata.category(sign)[0] in "PS"


def _active_runs(text: str, sign: str, *, is_written: bool) -> Iterator[Region]:
    """Yield the runs of a sign that would be taken for emphasis, those of a short pair together with its text."""
    addresses = {match.start() for match in _ADDRESS.finditer(text)}
    runs: list[tuple[Region, bool, bool]] = []
    for match in _RUNS[sign].finditer(text):
        start, end = match.span()
        before, after = text[start - 1 : start], text[end : end + 1]
        can_open, can_close = _flanks(before, after, splits_words=sign != "_")
        if end in addresses:
            can_open = can_close = True  # the address may become a code span
        if sign == "~" and end - start == 1:
            can_open = can_close = False
        is_beside = _HOLE in {before, after} and is_written
        if can_open or can_close or is_beside:
            runs.append((Region(start, end), can_open, can_close))
    if not is_written:
        first = next((place for place, run in enumerate(runs) if run[1]), len(runs))
        last = next((place for place in reversed(range(len(runs))) if runs[place][2]), -1)
        runs = runs[first : last + 1] if first < last else []
    at = 0
    while at < len(runs):
        region, can_open, _ = runs[at]
        other = runs[at + 1] if at + 1 < len(runs) else None
        if can_open and other and other[2] and other[0].end - region.start <= _LONGEST_PAIR:
            between = text[region.end : other[0].start]
            if "\n" not in between and _HOLE not in between:
                yield Region(region.start, other[0].end)
                at += 2
                continue
        yield region
        at += 1


def _flanks(before: str, after: str, *, splits_words: bool) -> tuple[bool, bool]:
    """Return whether a run between two characters can open and can close emphasis, by CommonMark's rules."""
    if any(unicodedata.category(sign)[0] in "CM" and sign != _HOLE for sign in (before, after) if sign.strip()):
        return True, True  # the screens may leave this character out
    is_blank_before, is_blank_after = not before or before.isspace(), not after or after.isspace()
    is_sign_before = before == _HOLE or (not is_blank_before and unicodedata.category(before)[0] not in "LNM")
    is_sign_after = after == _HOLE or (not is_blank_after and unicodedata.category(after)[0] not in "LNM")
    is_left = not is_blank_after and (not is_sign_after or is_blank_before or is_sign_before)
    is_right = not is_blank_before and (not is_sign_before or is_blank_after or is_sign_after)
    return (
        is_left and (splits_words or not is_right or is_sign_before),
        is_right and (splits_words or not is_left or is_sign_after),
    )


def _united(regions: Iterable[Region]) -> list[Region]:
    united: list[Region] = []
    for region in sorted(regions):
        if united and region.start <= united[-1].end:
            united[-1] = Region(united[-1].start, max(united[-1].end, region.end))
        else:
            united.append(region)
    return united


def _with_whole_addresses(text: str, regions: list[Region]) -> list[Region]:
    """Widen regions to the addresses that they would cut."""
    if not regions:
        return regions
    at = 0
    wider = list(regions)
    for match in _ADDRESS.finditer(text):
        start, end = match.span()
        while at < len(regions) and regions[at].end <= start:
            at += 1
        if at < len(regions) and regions[at].start < end:
            wider.append(Region(start, end))
    return _united(wider)


def _filled(text: str, written: Iterator[_Segment]) -> Iterator[tuple[str, bool]]:
    for number, part in enumerate(text.split(_HOLE)):
        if number:
            segment = next(written)
            yield segment.written or segment.text, not segment.written
        yield part, False


def _joined(pieces: Iterable[tuple[str, bool]]) -> str:
    """Return the pieces, with code between backticks of a number that stands nowhere else."""
    texts = [
        ("".join(text for text, _ in group), is_code)
        for is_code, group in groupby((piece for piece in pieces if piece[0]), key=lambda piece: piece[1])
    ]
    lengths = {len(run) for text, _ in texts for run in _BACKTICKS.findall(text)}
    fence = "`" * next(number for number in range(1, len(lengths) + 2) if number not in lengths)
    return "".join(_code_span(text, fence) if is_code else text for text, is_code in texts)


def _code_span(text: str, fence: str) -> str:
    if not text.strip(" "):
        return text
    is_padded = text[0] == "`" or text[-1] == "`" or (text[0] == " " and text[-1] == " ")
    return f"{fence} {text} {fence}" if is_padded else f"{fence}{text}{fence}"
