"""`$filter` and `$orderby`: parser and writer for the spellings of OData v3 and v4."""

from backlit.model.odata.parser import parse_filter, parse_order
from backlit.model.odata.writer import ODataVersion, write_filter, write_order

__all__ = ["ODataVersion", "parse_filter", "parse_order", "write_filter", "write_order"]
