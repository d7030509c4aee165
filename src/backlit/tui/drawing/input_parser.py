r"""What a terminal sends, as keys, pastes and the rest.

Textual's parser knows the sequences of keys; this one cuts the input into them first, for four reasons. Textual takes
esc with a key behind it for alt and that key, which over a slow line, or typed fast, loses both. It takes a sequence
that it does not know for text, which runs commands, and ends the program at a code that is no character. It never ends
a paste whose end was lost. And it reads a paste character by character, a second for each megabyte.

    ground --esc--> escape --[ O--> sequence --last character--> ground    what is not known is ignored
                      |  \--] P X ^ _--> string --ST--> ground             ignored: nothing here asks for one
                      \--any other key--> ground                           two keys, esc and that key
    ground --ESC[200~--> paste --ESC[201~--> ground                        one Paste, or PasteRefused

A pause ends `escape` (the key esc), `sequence` (ignored, but esc and [ or O alone are two keys), `string` and `paste`.
A string that a pause or another escape ends is ignored if it begins as a known answer or is longer than what is typed
at once; else its characters are keys. The 8-bit forms of these beginnings are no sequences: in UTF-8 they are text.
"""

import re
import sys
import unicodedata
from collections.abc import Callable, Iterable, Iterator
from time import monotonic

from textual import constants, events
from textual.message import Message

from backlit.tui.drawing.textual_private import ANSI_SEQUENCES_KEYS, FUNCTIONAL_KEYS, XTermParser

MAX_PASTE = 1_000_000
"""Characters of a paste; the longest text that the service takes."""
PASTE_LIMIT = 5.0
"""Seconds without a piece of a paste after which its end counts as lost. Shorter, a line that stalls would have the
rest of a paste run as commands."""
PASTE_PIECE = 16
"""Characters from which what was read together is a piece of a paste; less may be typed, and does not prolong it."""
MAX_SEQUENCE = 256
"""Characters of the longest sequence with a meaning, some words of an input method."""
MAX_CELLS = 1_000_000
"""Cells of a terminal that may be meant."""
MAX_NUMBER = 65_535
"""The largest place of a mouse, in pixels."""
MAX_MODIFIERS = 256
RELEASED = "3"
"""The kind of a kitty key event that is no press."""

_ESCAPE = "\x1b"
_PASTE, _PASTED = "\x1b[200~", "\x1b[201~"
_LONELY = frozenset({"\x1b[", "\x1bO"})
"""Beginnings of sequences that are also two keys."""
_STRINGS = frozenset({"\x1b]", "\x1bP", "\x1bX", "\x1b^", "\x1b_"})
"""Beginnings of strings (OSC, DCS, SOS, PM, APC), up to ST."""
_STRING_END, _BELL = "\x1b\\", "\x07"
_X10_MOUSE = "\x1b[M"
_X10_MOUSE_LENGTH = 6
_FOCUS = frozenset({"\x1b[I", "\x1b[O"})
_ANSWERS = (
    *(f"\x1b]{number};" for number in (4, 10, 11, 12, 17, 19, 52)),  # colours, the clipboard
    *("\x1bP>|", "\x1bP0$r", "\x1bP1$r", "\x1bP0+r", "\x1bP1+r"),  # version, settings, capabilities
    "\x1b_G",  # pictures
)
"""Beginnings of strings that are no keys even if they are cut: answers to a program that ran before in the terminal."""
_EXTENDED = re.compile(r"\x1b\[(\d*)[\d:]*(?:;(\d*)(?::(\d*))?)?(?:;([\d:]*))?([u~ABCDEFHPQRS])")
_OTHER_KEY = re.compile(r"\x1b\[27;(\d+);(\d+)~")
"""A key of xterm's modifyOtherKeys."""
_MOUSE = re.compile(r"\x1b\[<(\d+);(-?\d+);(-?\d+)[Mm]")
_SIZE = re.compile(r"\x1b\[48;(\d+)(?::\d*)*;(\d+)(?::\d*)*;(\d+)(?::\d*)*;(\d+)(?::\d*)*t")
_REPORT = re.compile(r"\x1b\[\?\d{1,5};\d\$y")
"""Whether the terminal has a mode."""
_EIGHT_BIT = re.compile(r"[\x80-\x9f]")
_TYPING = frozenset({"1", "2"})
"""The modifiers with which a key types: none, shift."""
_CONTROLS = re.compile(
    r"\x1b(?:\[[0-?]*[ -/]*[@-~]|[]PX^_][^\x07\x1b]*(?:\x07|\x1b\\)|[ -/]*[0-~])|[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]"
)
"""Escape sequences, and control characters but tabs and line breaks."""


class PasteRefused(events.Event):
    """A paste was longer than MAX_PASTE; nothing of it is kept."""

    def __init__(self, size: int) -> None:
        super().__init__()
        self.size = size


class PasteInProgress:
    """A paste that arrives in pieces; too much of it is counted, not kept."""

    def __init__(self) -> None:
        self._pieces: list[str] = []
        self._size = 0
        self._tail = ""

    def take(self, data: str) -> int | None:
        """Take a piece; return where the rest begins in it behind the end of the paste, None without the end."""
        text = self._tail + data
        end = text.find(_PASTED)
        if end < 0:
            # The end may come in two pieces.
            self._keep(text[: 1 - len(_PASTED)])
            self._tail = text[1 - len(_PASTED) :]
            return None
        rest = end + len(_PASTED) - len(self._tail)
        self._keep(text[:end])
        self._tail = ""
        return rest

    def message(self) -> Message:
        """Return what came, without escape sequences: nothing in a paste is a key."""
        self._keep(self._tail)
        self._tail = ""
        if self._size > MAX_PASTE:
            return PasteRefused(self._size)
        return events.Paste(_CONTROLS.sub("", "".join(self._pieces)))

    def _keep(self, text: str) -> None:
        self._size += len(text)
        if self._size > MAX_PASTE:
            self._pieces.clear()
        else:
            self._pieces.append(text)


class InputParser(XTermParser):
    """Yields the messages of what the terminal sends; `tick` yields those of a pause of `patience` seconds."""

    def __init__(self, clock: Callable[[], float] = monotonic) -> None:
        super().__init__()
        self._clock = clock
        self._sequence = ""
        """What came since an escape, up to one character more than a sequence may have."""
        self._escaped_at = 0.0
        self._is_skipped = False
        """True in a string that is certainly none of typed keys; `_sequence` is its last character then."""
        self._paste: PasteInProgress | None = None
        self._pasted_at = 0.0

    @property
    def patience(self) -> float | None:
        """Return the seconds of silence after which `tick` has something to do; None where it has not."""
        if self._paste is not None:
            return max(0.0, self._pasted_at + PASTE_LIMIT - self._clock())
        return constants.ESCAPE_DELAY if self._sequence else None

    def feed(self, data: str) -> Iterable[Message]:
        if self._paste is not None:
            if len(data) >= PASTE_PIECE:
                self._pasted_at = self._clock()
            elif not self.patience:
                yield self._end_paste()
        at = 0
        while at < len(data):
            if self._paste is not None:
                rest = self._paste.take(data[at:])
                if rest is None:
                    return
                at += rest
                yield self._end_paste()
            elif self._sequence:
                yield from self._go_on(data[at])
                at += 1
            else:
                end = data.find(_ESCAPE, at)
                end = len(data) if end < 0 else end
                yield from self._keys(data[at:end])
                self._sequence, self._escaped_at = data[end : end + 1], self._clock()
                at = end + 1

    def tick(self) -> Iterable[Message]:
        if self._paste is None:
            yield from self._give_up()
        elif not self.patience:
            yield self._end_paste()

    def _end_paste(self) -> Message:
        paste, self._paste = self._paste or PasteInProgress(), None
        return paste.message()

    def _keys(self, characters: str) -> Iterator[Message]:
        # The 8-bit controls are no keys in UTF-8; Textual takes one of them for shift+esc.
        if characters := _EIGHT_BIT.sub("", characters):  # nothing at all is the end of the input for Textual
            yield from super().feed(characters)

    def _give_up(self) -> Iterator[Message]:
        """Yield the keys of what came since an escape, unless it is a part of a sequence."""
        begun, self._sequence = self._sequence, ""
        is_keys = not self._is_skipped and (begun in _LONELY or not begun.startswith(tuple(_LONELY)))
        self._is_skipped = False
        if begun and is_keys:
            # Not the time of the pause, as keys from before a failure are dropped.
            for escape, typed in re.findall(r"(\x1b)([^\x1b]*)", begun):
                for message in (events.Key("escape", escape), *self._keys(typed)):
                    message.time = self._escaped_at
                    yield message

    def _go_on(self, character: str) -> Iterator[Message]:
        begun, sequence = self._sequence, self._sequence + character
        if self._is_skipped:
            yield from self._skip(character)
        elif begun[:2] in _STRINGS and begun.endswith(_ESCAPE) and sequence[-2:] != _STRING_END:
            self._sequence = begun[:-1]
            yield from self._give_up()
            self._sequence, self._escaped_at = _ESCAPE, self._clock()
            yield from self._go_on(character)
        elif not _may_go_on(begun, character):
            yield from self._give_up()
            if character == _ESCAPE:
                self._sequence, self._escaped_at = _ESCAPE, self._clock()
            else:
                yield from self._keys(character)
        elif _is_whole(sequence):
            self._sequence = ""
            if len(sequence) <= MAX_SEQUENCE:
                yield from self._meaning(sequence)
        else:
            self._sequence = sequence[: MAX_SEQUENCE + 1]
            self._is_skipped = sequence in _ANSWERS or (sequence[:2] in _STRINGS and len(sequence) >= PASTE_PIECE)
            if self._is_skipped:
                self._sequence = character

    def _skip(self, character: str) -> Iterator[Message]:
        """Take a character of a string, which BEL or ESC and a backslash ends."""
        was_escape, self._sequence = self._sequence == _ESCAPE, character
        if character == _BELL or was_escape:
            self._sequence, self._is_skipped = "", False
        if was_escape and character != "\\":
            self._sequence = _ESCAPE
            yield from self._go_on(character)

    def _meaning(self, sequence: str) -> Iterator[Message]:
        """Yield the messages of a whole sequence; none where no terminal should send it."""
        if sequence == _PASTE:
            self._paste, self._pasted_at = PasteInProgress(), self._clock()
        elif size := _SIZE.fullmatch(sequence):
            yield from self._resized(*map(int, size.groups()))
        elif sequence in _FOCUS or _REPORT.fullmatch(sequence) or _is_mouse(sequence):
            yield from super().feed(sequence)
        elif extended := _extended_key(sequence):
            yield from super().feed(extended)
        elif isinstance(keys := ANSI_SEQUENCES_KEYS.get(sequence), tuple):
            yield from (events.Key(key.value, None) for key in keys)
        elif isinstance(keys, str):
            yield from self._keys(keys)

    def _resized(self, height: int, width: int, pixel_height: int, pixel_width: int) -> Iterator[Message]:
        """Yield a new size. Where it has no pixels, Textual would divide the places of the mouse by nothing."""
        if 0 < width * height <= MAX_CELLS:
            pixels = (pixel_width, pixel_height) if pixel_width and pixel_height else None
            event = events.Resize.from_dimensions((width, height), pixels)
            self.terminal_size, self.terminal_pixel_size = event.size, event.pixel_size
            self.mouse_pixels = pixels is not None
            yield event


def _may_go_on(begun: str, character: str) -> bool:
    """Return whether a character belongs to the sequence or the string before it."""
    if begun.startswith(_X10_MOUSE) or begun[:2] in _STRINGS:
        return True
    sequence = begun + character
    is_shown = character.isascii() and character.isprintable()
    return sequence in _STRINGS or (is_shown and sequence.startswith(tuple(_LONELY)))


def _is_whole(sequence: str) -> bool:
    if sequence.startswith(_X10_MOUSE):
        return len(sequence) == _X10_MOUSE_LENGTH
    if sequence[:2] in _STRINGS:
        # Only an OSC ends with BEL too, which is ctrl+g behind a letter.
        return sequence.endswith((_STRING_END, _BELL) if sequence[1] == "]" else _STRING_END)
    # The Linux console's function keys have a second bracket, and rxvt's shifted ones end with a dollar sign.
    is_ended = "@" <= sequence[-1] <= "~" and sequence[:-1].startswith(tuple(_LONELY)) and sequence != "\x1b[["
    return is_ended or sequence in ANSI_SEQUENCES_KEYS


def _is_mouse(sequence: str) -> bool:
    mouse = _MOUSE.fullmatch(sequence)
    return mouse is not None and all(abs(int(number)) <= MAX_NUMBER for number in mouse.groups())


def _extended_key(sequence: str) -> str:
    """Return what Textual takes for the key of the kitty protocol or xterm that a sequence stands for.

    That is its text where it has several characters, which come from an input method. Nothing where it is no such key,
    or was released: Textual takes a number that is no key for the character with this number.
    """
    if other := _OTHER_KEY.fullmatch(sequence):
        modifiers, code = other.groups()
        sequence = f"\x1b[{code};{modifiers}{f';{code}' if modifiers in _TYPING else ''}u"
    found = _EXTENDED.fullmatch(sequence)
    if found is None or constants.DISABLE_KITTY_KEY:
        return ""
    code, modifiers, kind, text, end = found.groups(default="")
    codes = [int(each) for each in text.split(":") if each]
    number = int(code or "1")
    is_key = f"{number}{end}" in FUNCTIONAL_KEYS or (end == "u" and _is_character(number)) or (not number and codes)
    if kind == RELEASED or int(modifiers or "0") > MAX_MODIFIERS or not (is_key and all(map(_is_character, codes))):
        return ""
    if len(codes) > 1 or not number:
        return "".join(map(chr, codes))
    return f"\x1b[{';'.join([str(number), modifiers, *map(str, codes)]).rstrip(';')}{end}"


def _is_character(code: int) -> bool:
    """Return whether a number is that of a character; unassigned ones may be newer than this Python."""
    return code < sys.maxunicode and unicodedata.category(chr(code)) not in {"Cc", "Cs", "Co"}
