"""Values of options and words, checked as the command line is read."""

import argparse

from backlit.store.records.entry_values import NEW


def item_number(text: str) -> int:
    if not (text.isascii() and text.isdigit() and 0 < int(text[:19]) < 2**63 and len(text) < 20):
        raise argparse.ArgumentTypeError(f"{text[:24]!r} is not an item number")
    return int(text)


def item_word(text: str) -> str:
    """Return `12`, `#12`, or `new-3` of an unsent item."""
    if not (text.startswith(NEW) and text.removeprefix(NEW).isascii() and text.removeprefix(NEW).isdigit()):
        item_number(text.removeprefix("#"))
    return text


def points_of_item(text: str) -> tuple[int, str]:
    item, sign, points = text.partition("=")
    if not sign or not points:
        raise argparse.ArgumentTypeError(f"{text[:24]!r} is not ID=POINTS, such as 12=3")
    return item_number(item), points


PARTS = ("relations", "criteria", "links", "comments", "time")
"""What `--with` adds to items."""


def parts(text: str) -> tuple[str, ...]:
    """Return names of PARTS, each once."""
    names = dict.fromkeys(each.strip() for each in text.split(",") if each.strip())
    for name in names:
        if name not in PARTS:
            raise argparse.ArgumentTypeError(f"{name[:24]!r} is none of {', '.join(PARTS)}")
    return tuple(names)


def count(text: str) -> int:
    if not (text.isascii() and text.isdigit() and len(text) < 10):
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number of 0 or more")
    return int(text)


def number(text: str) -> int:
    if not count(text):
        raise argparse.ArgumentTypeError("the least is 1")
    return int(text)


_UNITS = {"K": 1024, "M": 1024**2, "G": 1024**3}


def size(text: str) -> int:
    """Parse a size in bytes; the suffixes K, M and G are powers of 1024."""
    unit = _UNITS.get(text[-1:].upper())
    return count(text) if unit is None else count(text[:-1]) * unit


def port(text: str) -> int:
    found = count(text)
    if found > 65535:
        raise argparse.ArgumentTypeError("the highest port is 65535")
    return found


CURRENT_WEEK, PREVIOUS_WEEK = "current", "previous"


def week(text: str) -> str:
    """Return `current`, `previous`, or a week as 2026-W47."""
    if text in {CURRENT_WEEK, PREVIOUS_WEEK}:
        return text
    from backlit.model.dates import week_of

    try:
        week_of(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text[:24]!r} is not a week, such as 2026-W47, or previous") from None
    return text
