"""Projects (SPEC 2.8; their fields are those of DECISIONS "Addresses")."""

from backlit.model.resources import Resource, ServerTime, Text


class Project(Resource):
    """A project; all but id and name may be missing on other servers."""

    id: int
    name: str
    template: Text = ""
    description: Text = ""
    start_date: ServerTime | None = None
    end_date: ServerTime | None = None
    default_iteration_length: int | None = None
