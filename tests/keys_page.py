"""The page of keys, made from the command table; `python -m tests.keys_page` writes docs/keys.md."""

from collections.abc import Iterator
from pathlib import Path

from backlit.tui.commands.command import Command, Context, spelled
from backlit.tui.commands.table import COMMANDS

DOCUMENT = Path(__file__).resolve().parents[1] / "docs" / "keys.md"
HEAD = """<!-- Written by python -m tests.keys_page from the command table; a test compares them. -->

# Keys

A number before a key repeats it or extends it to that many rows: `5j`, `3J`. `:` runs the commands
with a word. `?` shows the keys of the current screen, and `ctrl+p` searches all commands.

Keys may be typed before the screen shows what those before them do: each acts on what they lead to. `esc` and a key
behind it are two keys, however fast they come; `alt` counts only in a terminal with kitty's keyboard protocol. A
text of up to 1,000,000 characters can be pasted, with lines of up to 20,000.
"""


def page() -> str:
    """Return the whole page: a table for each context, in the order of the command table."""
    contexts = dict.fromkeys(command.context for command in COMMANDS)
    return HEAD + "".join(line + "\n" for context in contexts for line in _section(context))


def _section(context: Context) -> Iterator[str]:
    yield from ("", f"## {context.value}", "", "| keys | command | effect |", "|---|---|---|")
    yield from (_row(command) for command in COMMANDS if command.context is context)


def _row(command: Command) -> str:
    keys = " ".join(f"`{_escaped(spelled(key))}`" for key in command.keys)
    words = " ".join(f"`:{_escaped(word)}`" for word in command.words)
    return f"| {keys} | {words} | {_escaped(command.help)} |"


def _escaped(text: str) -> str:
    return text.replace("|", "\\|")


if __name__ == "__main__":
    DOCUMENT.write_text(page(), encoding="utf-8")
