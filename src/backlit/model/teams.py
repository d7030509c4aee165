"""Teams of a project (an extension; DECISIONS "Addresses")."""

from backlit.model.resources import Resource


class Team(Resource):
    """People who work on items together; its id is what an item's TeamID names."""

    id: int
    name: str
    project_id: int
