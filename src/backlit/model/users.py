"""Users (SPEC 2.6)."""

from backlit.model.resources import Resource, Text


class User(Resource):
    """A licensed user; `name` is the username."""

    id: int
    name: str
    first_name: Text = ""
    last_name: Text = ""
    display_name: Text = ""
    email: Text = ""
