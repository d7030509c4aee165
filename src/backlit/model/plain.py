"""Hostile text made plain without a terminal library: one line, file names, and redacted secrets."""

import re


def plain(text: str, limit: int | None = None) -> str:
    """Return one line; control, escape, bidi-override and invisible characters become �, a cut ends in ….

    Line breaks and tabs become blanks. `limit` is in characters.
    """
    # Nearly every text is plain ASCII, and is passed on without a copy.
    if not (text.isascii() and text.isprintable()):
        text = text.replace("\r\n", " ").translate({9: " ", 10: " ", 13: " "})
        text = "".join(character if character.isprintable() else "\N{REPLACEMENT CHARACTER}" for character in text)
    if limit is not None and len(text) > limit:
        return text[: limit - 1].rstrip() + "…"
    return text


_NAMED = r"""(?ix)
    ( \b(?: wrap_(?!client_id|access_token_expires_in)\w+ | access_token | refresh_token | password | passwd )
    | \b(?: set-)?cookie | \b(?:proxy-)?authorization | \.ASPXAUTH )
    ( ["']? \s* [:=] \s* ["']? )
    (?: (?: WRAP | Basic | Bearer ) \s+ )? (?: access_token \s*=\s* )? (?: \.ASPXAUTH = )?
    [^\s"',;&]+
    """


def redacted(text: str) -> str:
    """Replace the value after the name of a secret by `…`."""
    return re.sub(_NAMED, r"\1\2…", text)


def trace_of(error: BaseException) -> str:
    """Return the calls that led to an error and to those before it, the first one first, each with its type.

    The words of an error are left out: they may have a name, a text or a secret in them.
    """
    import traceback

    before = error.__cause__ or (None if error.__suppress_context__ else error.__context__)
    parts = [trace_of(before), "\n\nThen:\n"] if before is not None else []
    grouped = error.exceptions if isinstance(error, BaseExceptionGroup) else ()
    parts += [*traceback.format_tb(error.__traceback__), f"{type(error).__module__}.{type(error).__qualname__}"]
    return "".join([*parts, *(f"\n\nOne of them:\n{trace_of(each)}" for each in grouped)])


NAME_LIMIT = 200
"""Longest file name in bytes of UTF-8."""


def file_name(given: str) -> str:
    """Return the last part of a path without control, invisible or bidi characters; never empty, `.` or `..`.

    Dots at its ends are kept, as in `.gitignore`: `local_file_name` is for a file that is written here.
    """
    last = re.split(r"[/\\]", given)[-1]
    clean = "".join(c if c.isprintable() else "" for c in last).strip()
    stem, dot, suffix = clean.rpartition(".")
    # In bytes, as file systems count; the suffix stays, because programs are chosen by it.
    room = NAME_LIMIT - len((dot + suffix).encode())
    if len(clean.encode()) > NAME_LIMIT:
        clean = (_cut(stem, room) + dot + suffix if stem and room > 0 else _cut(clean, NAME_LIMIT)).strip()
    return "file" if clean in {"", ".", ".."} else clean


def local_file_name(given: str) -> str:
    """Return a name for a file from a server: a `file_name` that is neither hidden nor ends in a dot or blank."""
    return file_name(given).strip(" .") or "file"


def _cut(text: str, limit: int) -> str:
    return text.encode()[:limit].decode(errors="ignore")
