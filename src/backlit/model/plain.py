"""Hostile text as one plain line, without a terminal library: for errors and the command line."""


def plain(text: str, limit: int | None = None) -> str:
    """Return one line; control, escape, bidi-override and invisible characters become �, a cut ends in ….

    Line breaks and tabs become blanks. `limit` is in characters.
    """
    if not (text.isascii() and text.isprintable()):
        text = text.replace("\r\n", " ").translate({9: " ", 10: " ", 13: " "})
        text = "".join(character if character.isprintable() else "\N{REPLACEMENT CHARACTER}" for character in text)
    if limit is not None and len(text) > limit:
        return text[: limit - 1].rstrip() + "…"
    return text
