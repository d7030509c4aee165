"""Properties for filters and orders of lists other than work items, as rows of the field table."""

from collections.abc import Mapping

from backlit.model.fields import TOP_LEVEL, Field, Kind, Section, Settable, ValueType

Properties = Mapping[str, Field]
"""Properties by their lower-case name."""


def properties_of(**types: ValueType) -> Properties:
    """Return the table of properties of a resource: id, audit fields and those named, by lower-case name."""
    audit = [f for f in TOP_LEVEL if f.key == "id" or f.value_type is ValueType.DATETIME or f.key.endswith("By")]
    own = [_property(key, value_type) for key, value_type in types.items()]
    return {f.key.lower(): f for f in (*audit, *own)}


def _property(key: str, value_type: ValueType) -> Field:
    return Field(key, Kind.COMPUTED, (), key, Section.COMPUTED, settable=Settable.NEVER, computed=value_type)
