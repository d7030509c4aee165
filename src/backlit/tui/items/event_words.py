"""The words for the events of an item: what each changed, in coloured parts that are cut or wrapped."""

import re
from collections.abc import Iterator, Sequence
from itertools import groupby

from rich.cells import cell_len

from backlit.store.store import Store
from backlit.store.views.item_history import EventKind, ItemEvent
from backlit.tui.drawing.text import fit, safe, wrapped
from backlit.tui.fields.values import label_of, short_words_of
from backlit.tui.items.change_words import is_text_change, line_count, short_first
from backlit.tui.widgets.side_lines import Part

VERB_WIDTH = 9
LEAST_AUTHOR, MOST_AUTHOR = 3, 12
"""Cells of the shortest and the longest name."""
LIST_MARK, BOLD_WORDS = re.compile(r"^\s*[-*] "), re.compile(r"\*\*(\S[^*]*)\*\*")
FENCE = "```"
BLOCK = rf"(?m){FENCE}[\s\S]*?(?:{FENCE}|\Z)|(?:^\s*\|.*\n?)+"
"""A block of code or a table, which in one line is a jumble."""
SENTENCE = re.compile(r".+?[.?!](?= |$)")
CAUSES = {
    "undo": "undo",
    "restore": "restored",
    "import": "import",
    "rollUp": "from its tasks",
    "reassigned": "its place was deleted",
    "removedWithAnother": "with its comment or item",
    "administration": "by an administrator",
    "exportImported": "import of an export",
}
"""The words for the service's causes."""


def wrapped_parts(parts: Sequence[Part], width: int) -> list[list[Part]]:
    """Return parts in lines of at most some cells, as literal text."""
    cells = [(sign, colour) for text, colour in parts for sign in safe(text)]
    text, at, lines = "".join(sign for sign, _ in cells), 0, list[list[Part]]()
    for line in wrapped(text, width):
        at = text.index(line, at)
        runs = groupby(cells[at : at + len(line)], key=lambda cell: cell[1])
        lines.append([("".join(sign for sign, _ in run), colour) for colour, run in runs])
        at += len(line)
    return lines


def cut_parts(parts: Sequence[Part], room: int) -> Iterator[Part]:
    """Yield the parts that fit; the last one is cut, and all are literal text."""
    for text, colour in parts:
        width = cell_len(safe(text))
        if width > room:
            yield fit(text, room), colour
            return
        yield safe(text), colour
        room -= width


def unquoted(comment: str) -> str:
    """Return a comment without quotes and blocks, unless they are all, and a point before each entry of a list."""
    lines = re.sub(BLOCK, "…\n", comment).splitlines()
    own = "\n".join(LIST_MARK.sub("· ", line) for line in lines if not line.lstrip().startswith(">")).strip()
    return BOLD_WORDS.sub(r"\1", own if own.strip("… \n") else comment.replace(FENCE, "").strip())


def first_sentence(comment: str) -> str:
    """Return how a comment begins: a sentence or a line, which a colon joins to the next; `…` says that there is more.

    Its quotes and blocks are left out, unless they are all.
    """
    lines = [" ".join(line.removeprefix("· ").split()) for line in unquoted(comment).splitlines() if line.strip()]
    start = " ".join(lines[: 1 + (lines or [""])[0].endswith(":")])
    sentence = found[0] if (found := SENTENCE.match(start)) else start
    return sentence if sentence == " ".join(lines) or sentence.endswith("…") else f"{sentence} …"


def event_parts(store: Store, event: ItemEvent) -> Iterator[Part]:
    """Yield what an event changed: each field with its old value dimmed, or its files or text; then why, how often."""
    if event.kind is EventKind.EDITED:
        yield "not known", "muted"
    elif event.files:
        yield f"{len(event.files)} files: " if len(event.files) > 1 else "", "muted"
        yield ", ".join(event.files), "foreground"
    elif event.text and (event.kind is not EventKind.CREATED or len(event.fields) != 1):
        text = unquoted(event.text) if event.kind is EventKind.COMMENTED else event.text
        yield " ".join(text.split()), "foreground"
    else:
        for number, field in enumerate(short_first(event.fields)):
            yield f"{', ' * bool(number)}{label_of(field.key)} ", "foreground"
            if is_text_change(field):
                yield f"({line_count(field)})", "foreground"
                continue
            before, after = (short_words_of(store, field.key, each) for each in (field.before, field.after))
            yield before, "muted"
            yield f" → {after}", "foreground"
    if cause := CAUSES.get(event.cause):
        yield f"  {cause}", "muted"
    if len(event.steps) > 1 and not event.files:
        yield f"  ×{len(event.steps)}", "muted"
