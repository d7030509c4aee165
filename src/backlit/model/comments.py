"""Comments on work items (SPEC 2.2)."""

from backlit.model.resources import Resource, Text

INTERNAL = "Service"
PORTAL = "Feedback"


class Comment(Resource):
    """A comment; it cannot be changed once it is written (SPEC 4.2)."""

    id: int
    project_id: int
    work_item_id: int
    description: Text
    type: str | None = INTERNAL

    @property
    def is_internal(self) -> bool:
        """Whether customers do not see it; everything but Feedback is internal (DECISIONS "Names")."""
        return self.type != PORTAL
