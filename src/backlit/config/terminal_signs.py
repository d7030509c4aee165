"""What the terminal can show: signs or ASCII alone, and colours."""

import locale
import os
from collections.abc import Mapping

ASCII = "BACKLIT_ASCII"
"""Environment variable that turns ASCII on with 1 and off with 0, whatever the settings say."""
_WITHOUT_COLOURS = ("vt1", "vt2", "vt3", "vt4", "vt5")
"""Beginnings of the names of terminals with bold, underline and reverse alone."""


def is_monochrome(environment: Mapping[str, str] = os.environ) -> bool:
    """Return whether the terminal has no colours and no mouse, by its name."""
    name = environment.get("TERM", "")
    return name.startswith(_WITHOUT_COLOURS) or name.endswith(("-m", "-mono"))


def is_ascii_wanted(setting: bool | None, environment: Mapping[str, str] = os.environ) -> bool:
    """Return whether to write ASCII alone; a setting of None leaves it to the terminal and the locale."""
    told = environment.get(ASCII, "")
    if told:
        return told != "0"
    if setting is not None:
        return setting
    return is_monochrome(environment) or locale.getencoding().replace("-", "").lower() != "utf8"
