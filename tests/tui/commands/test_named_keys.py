"""Fixed sentences name the keys that a command has now: no key of the table stands in one as a text."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

from backlit.model.settings.key_sequences import KeyChange, KeyPreset, spelled
from backlit.tui.commands.keymap import use_keys
from backlit.tui.commands.table import COMMAND_BY_ID, COMMANDS, with_keys

SOURCE = Path(__file__).resolve().parents[3] / "src" / "backlit"
TABLES = {"list_table.py", "place_table.py", "keymap.py", "key_sequences.py"}
CHORDS = {spelled(keys) for command in COMMANDS for keys in command.keys if re.fullmatch("[a-z] [A-Za-z=/]", keys)}
ENGLISH = {"go", "me", "ca"}
_CHORD = re.compile(rf"(?<![\w@.:/~-])(?:{'|'.join(map(re.escape, CHORDS - ENGLISH))})(?![\w=/-])|\(go\)|\bgo:")
_LETTER = re.compile(
    r"(?<![\w“])[A-Za-z] (?:to (?!undo\.$)[a-z]+|shows|goes|takes|opens|saves|lists|resumes|writes)\b|\([uRL]\)"
)
_MARKER = re.compile(r"(?<!\[)\[([a-z]+\.[a-z-]+)\]")
OF_DIALOGS = {"; e shows all", " is not valid. e to edit it."}
"""Sentences about keys of a dialog, which no setting changes."""


def sentences() -> Iterator[tuple[str, str]]:
    """Yield the texts of the screens and of the store's edits that are no docstrings, each with its place."""
    for path in [*SOURCE.glob("tui/**/*.py"), *SOURCE.glob("store/edits/*.py")]:
        if path.name in TABLES:
            continue
        tree = ast.parse(path.read_text(encoding="utf-8"))
        alone = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
        texts = (each for each in ast.walk(tree) if isinstance(each, ast.Constant) and id(each) not in alone)
        for text in texts:
            value = text.value
            if isinstance(value, str) and " " in value.strip() and value not in OF_DIALOGS:
                yield f"{path.name}:{text.lineno}", value


def test_no_sentence_has_a_key_as_a_text() -> None:
    found = [(place, text) for place, text in sentences() if _CHORD.search(text) or _LETTER.search(text)]

    assert found == []


def test_every_command_that_a_sentence_names_exists() -> None:
    names = {name for _, text in sentences() for name in _MARKER.findall(text)}

    assert {"app.refresh", "plan.send"} <= names <= COMMAND_BY_ID.keys()


def test_a_sentence_has_the_keys_of_the_user() -> None:
    use_keys(KeyPreset.VIM, {"app.refresh": KeyChange(("f5",)), "plan.send": KeyChange(())})
    try:
        sentence = with_keys("Press [app.refresh], [plan.send] or [app.messages].")
    finally:
        use_keys(KeyPreset.VIM, {})

    assert sentence == f"Press f5, “{COMMAND_BY_ID['plan.send'].label}” or :messages."
