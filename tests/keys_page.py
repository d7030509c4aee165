"""The page of keys, made from the command table; `python -m tests.keys_page` writes docs/keys.md."""

from collections.abc import Iterator
from pathlib import Path

from backlit.model.settings.key_sequences import KeyPreset, spelled
from backlit.tui.commands.command import Command
from backlit.tui.commands.keymap import PRESETS
from backlit.tui.commands.table import COMMANDS

DOCUMENT = Path(__file__).resolve().parents[1] / "docs" / "keys.md"
HEAD = """<!-- Written by python -m tests.keys_page from the command table; a test compares them. -->

# Keys

A number before a key repeats it or extends it to that many rows: `5j`, `3J`. `:` runs the commands
with a word. `?` shows the keys of the current screen, and `ctrl+p` searches all commands.

Keys may be typed before the screen shows what those before them do: each acts on what they lead to. `esc` and a key
behind it are two keys, however fast they come; `alt` counts only in a terminal with kitty's keyboard protocol. A
text of up to 1,000,000 characters can be pasted, with lines of up to 20,000.

## Your own keys

```toml
# config.toml (backlit config path)
preset = "arrows"                # "vim" by default

[keys]
"item.status" = ["s", "c s"]     # in place of the usual keys
"list.filter" = "+ctrl+g"        # beside them
"item.delete" = false            # no key
```

A key sequence is written as below, with or without blanks between its keys. `arrows` moves without letters, and has
keys of other programs beside the usual ones: the column `arrows` shows where it differs. On a Russian, Ukrainian,
Belarusian, Greek or Hebrew keyboard each letter stands for the one at its place on a US keyboard. In texts it stands
for itself, and so it does once it is in your `[keys]`.

`backlit keys` lists the keys that hold, and `backlit keys --check` what is wrong with yours: unknown commands, keys
that two commands of a screen share, a sequence that hides a longer one, and keys that terminals do not send.
"""


def page() -> str:
    """Return the whole page: a table for each context or section, in the order of the command table."""
    headings = dict.fromkeys(command.heading for command in COMMANDS)
    return HEAD + "".join(line + "\n" for heading in headings for line in _section(heading))


def _section(heading: str) -> Iterator[str]:
    yield from ("", f"## {heading}", "", "| keys | arrows | command | id | effect |", "|---|---|---|---|---|")
    yield from (_row(command) for command in COMMANDS if command.heading == heading)


def _row(command: Command) -> str:
    keys, arrows = map(_spelled, (command.keys, PRESETS[KeyPreset.ARROWS].get(command.id, ())))
    words = " ".join(f"`:{_escaped(word)}`" for word in command.words)
    return f"| {keys} | {arrows} | {words} | `{command.id}` | {_escaped(command.help)} |"


def _spelled(keys: tuple[str, ...]) -> str:
    return " ".join(f"`{_escaped(spelled(key))}`" for key in keys)


def _escaped(text: str) -> str:
    return text.replace("|", "\\|")


if __name__ == "__main__":
    DOCUMENT.write_text(page(), encoding="utf-8")
