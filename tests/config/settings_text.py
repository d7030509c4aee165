"""The settings that a text of `config.toml` holds."""

import re
from pathlib import Path

from backlit.config.schema.settings import check_settings
from backlit.config.settings import Settings

PATH = Path("config.toml")


def settings_in(text: str) -> Settings:
    return check_settings(PATH, text.encode())


def problems_in(text: str) -> tuple[str, ...]:
    """The problems of a text, with short places."""
    return tuple(
        re.sub(r"\(config\.toml, line (\d+), column (\d+)\)", r"(\1:\2)", each) for each in settings_in(text).problems
    )
