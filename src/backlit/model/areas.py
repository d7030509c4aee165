"""Areas (SPEC 2.3)."""

from backlit.model.resources import Resource, Text


class Area(Resource):
    """A node of a project's area tree; `parent_id` is -1 for the root."""

    id: int
    project_id: int
    parent_id: int
    name: str
    path: Text = ""
    sequence: int = 0
