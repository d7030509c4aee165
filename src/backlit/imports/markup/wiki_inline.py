"""One line of Jira's wiki markup as spans: styles, code, links, pictures and mentions."""

import re
from collections import Counter
from collections.abc import Iterator, Mapping

from msgspec import Struct

from backlit.imports.markup.document import ImageSpan, Mark, TextSpan

_TOKEN = re.compile(
    r"""(?P<escape>\\[*_\-+^~{}\[\]|!?\#@])
    |(?P<line>\\\\(?!\S{0,80}\\))
    |(?P<address>\b(?:https?|ftps?|file)://[^\s|\[\]{}<>"]+)
    |(?P<code>\{\{)
    |(?P<color>\{color(?::[^{}\n]{0,50})?\})
    |\{(?P<forced>[*_+^~-]|\?\?)\}
    |\[(?P<link>[^\[\]\n]+)\]
    |!(?P<image>[^!\s|](?:[^!\n|]*[^!\s|])?)(?:\|[^!\n|]*)?!
    |(?P<sign>[*_+^~-]+|\?\?)""",
    re.VERBOSE,
)
_ENDS_SENTENCE = re.compile(r"[*,.;:!?)'_+-]+$")
_ESCAPE = re.compile(r"\\([*_\-+^~{}\[\]|!?#@])")
_ADDRESS = re.compile(r"[a-z][a-z0-9+.-]*:\S|/|#|www\.|\^|~|[\w.+-]+@[\w-]+\.", re.IGNORECASE)
_IMAGE = re.compile(r"\S*://\S+|.+\.[a-z0-9]{2,5}", re.IGNORECASE)
_MARKS = {"*": Mark.STRONG, "_": Mark.EMPHASIS, "??": Mark.EMPHASIS, "-": Mark.STRIKE}
_STYLES = {*_MARKS, "+"}
"""Signs that are read; inserted text is left without a style. Raised and lowered text stays as it was typed."""


class _Piece(Struct):
    """A stretch of text, or a sign that may begin or end a style."""

    text: str
    sign: str = ""
    can_open: bool = False
    can_close: bool = False
    mark_change: int = 0
    marks: tuple[Mark, ...] = ()
    address: str = ""
    image: str = ""


class WikiText:
    """Reads a line once; a link in it is read as a line of its own, without links."""

    def __init__(self, line: str, people: Mapping[str, str], *, is_label: bool = False) -> None:
        self._line = line
        self._people = people
        self._is_label = is_label
        self._pieces: list[_Piece] = []
        self._plain: list[str] = []
        self._last_code_end = line.rfind("}}")

    def spans(self) -> Iterator[TextSpan | ImageSpan]:
        open_marks: Counter[Mark] = Counter()
        for piece in self.pieces():
            if piece.image:
                yield ImageSpan("" if _is_web(piece.image) else piece.image, piece.image, piece.address)
            elif piece.mark_change:
                if mark := _MARKS.get(piece.sign):
                    open_marks[mark] += piece.mark_change
            elif piece.text:
                marks = {*piece.marks, *(mark for mark, number in open_marks.items() if number)}
                yield TextSpan(piece.text, frozenset(marks), piece.address)

    def pieces(self) -> list[_Piece]:
        at = 0
        while match := _TOKEN.search(self._line, at):
            self._add(self._line[at : match.start()])
            at = self._read_token(match)
        self._add(self._line[at:])
        self._add_piece()
        self._pair_signs()
        return self._pieces

    def _read_token(self, match: re.Match[str]) -> int:
        """Read a token, and return where the next one may begin."""
        start, end = match.span()
        match match.lastgroup:
            case "escape":
                self._add(match[0][1:])
            case "line":
                self._add("\n")
            case "address":
                address = _ENDS_SENTENCE.sub("", match[0])
                self._add(address)
                return start + len(address)
            case "code":
                return self._read_code(start)
            case "color":
                pass
            case "forced":
                self._add_piece(_Piece(match[0], match["forced"], can_open=True, can_close=True))
            case "link":
                return self._read_link(match)
            case "image":
                name = match["image"]
                if not _IMAGE.fullmatch(name):
                    self._add("!")
                    return start + 1
                self._add_piece(_Piece("", image=name))
            case _:
                self._read_sign(match[0], start, end)
        return end

    def _add(self, text: str) -> None:
        self._plain.append(text)

    def _add_piece(self, *pieces: _Piece) -> None:
        if text := "".join(self._plain):
            self._pieces.append(_Piece(text))
        self._plain.clear()
        self._pieces += pieces

    def _read_code(self, start: int) -> int:
        # The last end in the line is known: without it each of a million openings would look for one.
        end = self._line.find("}}", start + 2) if start + 2 <= self._last_code_end else -1
        if end < 0 or not (code := self._line[start + 2 : end]).strip():
            self._add("{{")
            return start + 2
        self._add_piece(_Piece(_ESCAPE.sub(r"\1", code), marks=(Mark.CODE,)))
        return end + 2

    def _read_sign(self, sign: str, start: int, end: int) -> None:
        before, after = self._line[start - 1 : start], self._line[end : end + 1]
        can_open = not _is_word(before) and bool(after.strip())
        can_close = bool(before.strip()) and not _is_word(after)
        if sign in _STYLES and (can_open or can_close):
            self._add_piece(_Piece(sign, sign, can_open=can_open, can_close=can_close))
        elif len(sign) > 1 and sign != "??" and all(one in _STYLES for one in sign) and len(set(sign)) == len(sign):
            # Several styles begin or end together, as in `*_both_*`.
            self._add_piece(*(_Piece(one, one, can_open=can_open, can_close=can_close) for one in sign))
        else:
            self._add(sign)

    def _read_link(self, match: re.Match[str]) -> int:
        start, end = match.span()
        label, _, rest = match["link"].partition("|")
        target = (rest.partition("|")[0] if rest else label).strip()
        if self._is_label or not _ADDRESS.match(target):
            self._add("[")
            return start + 1
        if target.startswith("~"):
            self._add_mention(target[1:], label.strip() if rest else "", match[0])
        elif target.startswith("^"):
            name = target[1:]
            self._add(f"{label} ({name})" if rest and label.strip() != name else name)
        else:
            address = f"mailto:{target}" if _is_mail(target) else target
            self._add_label(label.strip() if rest else target, address)
        return end

    def _add_mention(self, name: str, label: str, typed: str) -> None:
        known = self._people.get(name.removeprefix("accountid:")) or self._people.get(name)
        if known:
            self._add(f"{label} (@{known})" if label and label != known else f"@{known}")
        else:
            self._add(typed)

    def _add_label(self, label: str, address: str) -> None:
        if label == address or label == address.removeprefix("mailto:"):
            self._add_piece(_Piece(label, address=address))
            return
        for piece in WikiText(label, self._people, is_label=True).pieces():
            piece.address = address
            self._add_piece(piece)

    def _pair_signs(self) -> None:
        """Match each end of a style with the last beginning of the same one; what lies between them stays as typed."""
        begun: list[_Piece] = []
        numbers: Counter[str] = Counter()
        for piece in self._pieces:
            if not piece.sign or piece.mark_change:
                continue
            if piece.can_close and numbers[piece.sign]:
                while (opening := begun.pop()).sign != piece.sign:
                    numbers[opening.sign] -= 1
                numbers[piece.sign] -= 1
                opening.mark_change, piece.mark_change = 1, -1
            elif piece.can_open:
                begun.append(piece)
                numbers[piece.sign] += 1


def _is_word(sign: str) -> bool:
    return sign.isalnum()


def _is_web(address: str) -> bool:
    return "://" in address


def _is_mail(target: str) -> bool:
    return "@" in target and "://" not in target and not target.lower().startswith("mailto:")
