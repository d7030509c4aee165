"""The pages of the documentation, as they are installed with the program."""

import re
from pathlib import Path

from backlit.config.folders import shipped_folder
from backlit.model.errors import NameNotFound

NAMES_OF_PAGES = {
    "linear": "accessibility",
    "environment": "configuration",
    "plan": "planning",
    "login": "authentication",
    "connections": "authentication",
    "terminals": "appearance",
}
"""Topics whose page has another name."""


def names() -> list[str]:
    """Return the topics that are pages."""
    return [*sorted(each.stem for each in Path(shipped_folder("docs")).glob("*.md")), *NAMES_OF_PAGES]


def page(name: str) -> str:
    """Return the text of a page, without the note of what wrote it; raise NameNotFound."""
    if name not in names():
        raise NameNotFound(f"There is no page “{name}”.")
    text = Path(shipped_folder("docs"), f"{NAMES_OF_PAGES.get(name, name)}.md").read_text(encoding="utf-8")
    return re.sub(r"\A<!--.*?-->\s*", "", text, flags=re.DOTALL)
