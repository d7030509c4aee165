"""The load of a person."""

from msgspec import Struct


class PersonLoad(Struct, frozen=True):
    """The load of one person: points of items, and separately the remaining hours of tasks."""

    points: float = 0.0
    hours: float = 0.0

    def __add__(self, other: "PersonLoad") -> "PersonLoad":
        return PersonLoad(self.points + other.points, self.hours + other.hours)
