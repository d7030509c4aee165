"""Reading of foreign JSON and TOML; every fault is a ValueError with a sentence."""

from typing import Any

_DEEP = "lists or tables are nested too deeply; write them flat"
_LONG = "a number has thousands of digits; shorten it"


def json_in(text: str | bytes) -> Any:
    """Read JSON."""
    import json

    try:
        return json.loads(text)
    except RecursionError:
        raise ValueError(_DEEP) from None
    except json.JSONDecodeError:
        raise
    except ValueError:
        raise ValueError(_LONG) from None


def toml_in(text: str) -> dict[str, Any]:
    """Read TOML."""
    import tomllib

    try:
        return tomllib.loads(text)
    except RecursionError:
        raise ValueError(_DEEP) from None
    except tomllib.TOMLDecodeError:
        raise
    except ValueError:
        raise ValueError(_LONG) from None
