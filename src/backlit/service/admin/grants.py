"""Grants: roles of users in projects."""

from typing import Any

from sqlalchemy import Connection, delete, insert, select, update

from backlit.model.errors import NotFound
from backlit.service.admin.workspace import project_id_of, user_id_of
from backlit.service.storage.access import Role
from backlit.service.storage.schema import grants, projects, users


def listed(connection: Connection, user: str | None = None, project: str | None = None) -> list[dict[str, Any]]:
    """List grants by project and user, optionally of one user or project."""
    rows = (
        select(users.c.name.label("user"), projects.c.id, projects.c.name.label("project"), grants.c.role)
        .select_from(grants.join(users).join(projects))
        .order_by(projects.c.id, users.c.id)
    )
    if user is not None:
        rows = rows.where(users.c.id == user_id_of(connection, user))
    if project is not None:
        rows = rows.where(projects.c.id == project_id_of(connection, project))
    found = connection.execute(rows)
    return [{"user": r.user, "projectId": r.id, "project": r.project, "role": r.role} for r in found]


def set_role(connection: Connection, user: str, project: str, role: Role) -> dict[str, Any]:
    """Give a user a role in a project."""
    keys = {"user_id": user_id_of(connection, user), "project_id": project_id_of(connection, project)}
    this = (grants.c.user_id == keys["user_id"], grants.c.project_id == keys["project_id"])
    before = connection.execute(select(grants.c.role).where(*this)).scalar()
    if before is None:
        connection.execute(insert(grants).values(**keys, role=role.value))
    else:
        connection.execute(update(grants).where(*this).values(role=role.value))
    return {"userId": keys["user_id"], "projectId": keys["project_id"], "role": role.value, "before": before}


def remove(connection: Connection, user: str, project: str) -> dict[str, Any]:
    """Remove a user from a project; raise NotFound without a grant."""
    user_id, project_id = user_id_of(connection, user), project_id_of(connection, project)
    this = (grants.c.user_id == user_id, grants.c.project_id == project_id)
    if not connection.execute(delete(grants).where(*this)).rowcount:
        raise NotFound(
            f"{user} has no access to the project."
            f" To list the users with access: backlit admin grants list --project {project}"
        )
    return {"userId": user_id, "projectId": project_id}
