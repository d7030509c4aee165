"""Time entry types of a project (SPEC 2.7)."""

from backlit.model.resources import Resource


class TimeEntryType(Resource):
    """A kind of work that time can be booked on."""

    name: str
