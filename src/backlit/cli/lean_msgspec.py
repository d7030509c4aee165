"""msgspec without what nothing here asks it for: that takes a sixth of a listing's processor time.

typing_extensions imports inspect and ast. msgspec's descriptions of types are for schemas, which pydantic makes here.
"""

import sys

_OPTIONAL = "typing_extensions"
_DESCRIPTIONS = ("msgspec.inspect", "msgspec._json_schema")


def load_msgspec() -> None:
    """Import msgspec; what it takes from typing_extensions is in typing, which it falls back to."""
    if "msgspec" in sys.modules:
        return
    left_out = {name: type(sys)(name) for name in _DESCRIPTIONS}
    for module in left_out.values():
        vars(module).update(schema=None, schema_components=None)
    sys.modules.update(left_out)
    is_missing = _OPTIONAL not in sys.modules
    if is_missing:
        sys.modules[_OPTIONAL] = None  # type: ignore[assignment] # not to be found
    try:
        import msgspec  # noqa: F401
    finally:
        for name in (*left_out, *([_OPTIONAL] if is_missing else ())):
            del sys.modules[name]
