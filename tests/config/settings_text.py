"""The settings that a text of `config.toml` holds."""

from pathlib import Path

from backlit.config.schema.settings import check_settings
from backlit.config.settings import Settings

PATH = Path("config.toml")


def settings_in(text: str) -> Settings:
    return check_settings(PATH, text.encode())
