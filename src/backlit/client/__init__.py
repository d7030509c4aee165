"""HTTP client of the interface."""

import sys

sys.modules.setdefault("httpx._main", None)  # type: ignore[arg-type] # httpx then leaves out its command line
