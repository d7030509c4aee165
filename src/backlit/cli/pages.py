"""The pages of the documentation, as they are installed with the program."""

from pathlib import Path

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


def folder() -> Path:
    """Return the folder of the pages: in the package, or in a checkout beside the sources."""
    here = Path(__file__).resolve()
    installed = here.parents[1] / "docs"
    return installed if installed.is_dir() else here.parents[3] / "docs"


def names() -> list[str]:
    """Return the topics that are pages."""
    return [*sorted(each.stem for each in folder().glob("*.md")), *NAMES_OF_PAGES]


def page(name: str) -> str:
    """Return the text of a page; raise NameNotFound."""
    if name not in names():
        raise NameNotFound(f"There is no page “{name}”.")
    return (folder() / f"{NAMES_OF_PAGES.get(name, name)}.md").read_text(encoding="utf-8")
