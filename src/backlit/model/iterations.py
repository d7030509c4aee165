"""Iterations and releases (SPEC 2.4)."""

from backlit.model.resources import Flag, Resource, ServerDate, Text


class Iteration(Resource):
    """A node of a project's iteration tree; both dates are inclusive, capacities are story points."""

    id: int
    project_id: int
    parent_id: int
    name: str
    path: Text = ""
    sequence: int = 0
    is_release: Flag = False
    start_date: ServerDate | None = None
    end_date: ServerDate | None = None
    min_capacity: float | None = None
    max_capacity: float | None = None
