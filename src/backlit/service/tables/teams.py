"""Teams of projects."""

from collections.abc import Collection

from sqlalchemy import Connection, select

from backlit.model.teams import Team
from backlit.service.schema import teams


def listed(connection: Connection, project_ids: Collection[int]) -> list[Team]:
    """List the teams of projects by id."""
    rows = connection.execute(select(teams).where(teams.c.project_id.in_(project_ids)).order_by(teams.c.id))
    return [Team(**row) for row in rows.mappings()]
