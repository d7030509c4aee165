"""msgspec without typing_extensions, which imports inspect and ast: a tenth of a listing's processor time."""

import sys

_OPTIONAL = "typing_extensions"


def load_msgspec() -> None:
    """Import msgspec; what it takes from typing_extensions is in typing, which it falls back to."""
    is_missing = _OPTIONAL not in sys.modules
    if is_missing:
        sys.modules[_OPTIONAL] = None  # type: ignore[assignment] # not to be found
    try:
        import msgspec  # noqa: F401
    finally:
        if is_missing:
            del sys.modules[_OPTIONAL]
