"""What logged hours are summed up by."""

from enum import StrEnum


class TimeGroup(StrEnum):
    """The person who logged the hours, their type, or the Feature above the task."""

    PERSON = "person"
    TYPE = "type"
    FEATURE = "feature"

    @property
    def nothing(self) -> str:
        """The label of hours that have no such thing."""
        return "nobody" if self is TimeGroup.PERSON else f"no {self.value}"
