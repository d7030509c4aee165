"""Markdown as the screens draw it, and the words in it."""

import re

from backlit.tui.drawing.markdown import markdown_lines
from backlit.tui.drawing.themes import VARIABLE_DEFAULTS, ThemeStyles

LOOKS = ThemeStyles({**VARIABLE_DEFAULTS, "foreground": "#ffffff", "background": "#000000"})
WIDTH = 100_000
"""So wide that no line is wrapped."""


def shown(markdown: str) -> list[str]:
    """Return the lines that the screens draw, without blanks at their ends."""
    lines = markdown_lines(markdown, WIDTH, LOOKS)
    return ["".join(part.text for part in line).rstrip() for line in lines]


def words_shown(markdown: str) -> list[str]:
    """Return the words `w0z`, `w1z` and so on that the screens draw, in their order."""
    return re.findall(r"w\d+z", "\n".join(shown(markdown)))


def numbered(parts: list[str], word: str = "word") -> tuple[str, list[str]]:
    """Return the parts as one text, with a word of its own for each part that is the given one, and these words."""
    words: list[str] = []
    texts: list[str] = []
    for part in parts:
        if part.startswith(word):
            words.append(f"w{len(words)}z")
            part = words[-1] + part.removeprefix(word)  # noqa: PLW2901 - the word in the place of its sign
        texts.append(part)
    return "".join(texts), words
