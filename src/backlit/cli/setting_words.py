"""The names of settings and their values, for completion: from the page of settings, which is made of their models.

The models load pydantic, which takes 150 ms.
"""

import re
from collections.abc import Iterator
from pathlib import Path

from backlit.config.folders import folders, shipped_folder

THEME = "theme"
_SECTION = re.compile(r"## (?:Settings|`\[(?P<table>\w+)\]`)")
_ROW = re.compile(r"\| `(?P<name>\w+)` \| (?P<default>.*?) \| (?P<meaning>.*?) \| .* \|")
_VALUE = re.compile(r'`(?:"(?P<text>[\w.-]+)"|(?P<truth>true|false))`')
_NAME = re.compile(r"""^name\s*=\s*["'](?P<name>[^"']+)["']""", re.MULTILINE)


def settings() -> Iterator[tuple[str, str, str]]:
    """Yield each setting that a command can write: its name, its default and its meaning."""
    table: str | None = None
    with Path(shipped_folder("docs"), "configuration.md").open(encoding="utf-8") as page:
        for line in page:
            if line.startswith("## "):
                section = _SECTION.match(line)
                table = None if section is None else section["table"] or ""
            row = _ROW.match(line) if table is not None else None
            if row is not None:
                yield f"{table}.{row['name']}".lstrip("."), row["default"], row["meaning"]


def values_of(setting: str) -> Iterator[str]:
    """Yield what a setting may be: themes, the words of its meaning, or yes and no."""
    if setting == THEME:
        yield from sorted(themes())
        return
    for name, default, meaning in settings():
        if name == setting and not default.startswith("`["):
            named = [found["text"] or found["truth"] for found in _VALUE.finditer(meaning)]
            yield from dict.fromkeys(named or (["true", "false"] if default in {"`true`", "`false`"} else []))


def themes() -> set[str]:
    """Return the names of the shipped themes and of the user's own."""
    found = folders()
    own = [Path(found["config"], "themes")] if found is not None else []
    files = [file for folder in (Path(shipped_folder("themes")), *own) for file in folder.glob("*.toml")]
    texts = (file.read_text(encoding="utf-8", errors="replace") for file in files)
    return {theme["name"] for text in texts for theme in _NAME.finditer(text)}
