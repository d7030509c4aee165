"""The manual page in the docs: `python -m tests.cli.manual_reference` writes it."""

from pathlib import Path

from backlit.cli.manual_page import manual_page

PAGE = Path(__file__).resolve().parents[2] / "docs" / "backlit.1"


def page() -> str:
    return "\n".join(manual_page()) + "\n"


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
