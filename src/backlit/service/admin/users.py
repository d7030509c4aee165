"""Users with passwords, licences and roles in projects, and the keys that sign their tokens."""

import re
import secrets
import unicodedata
from collections.abc import Mapping
from typing import Any

import orjson
from sqlalchemy import Connection, func, select, update

from backlit.model.errors import BadRequest, Conflict, NotFound
from backlit.model.resources import User
from backlit.service.admin.workspace import administrator_stamp, checked_name, project_id_of, user_id_of
from backlit.service.auth.callers import hash_password
from backlit.service.storage.access import Role
from backlit.service.storage.clock import clock_of
from backlit.service.storage.dialects import Lock, hold_lock, in_any_case
from backlit.service.storage.schema import changes, grants, projects, users
from backlit.service.tables import sign_ins
from backlit.service.tables import users as accounts
from backlit.service.tables.changes import ChangeKind, Stamp

SHORTEST_PASSWORD = 8
LONGEST_PASSWORD = 1024

_NAME = re.compile(r"[^\s\\/:]+")
_HIDDEN = frozenset({"Cc", "Cf", "Cn", "Co", "Cs", "Zl", "Zp"})
"""Categories of control, format and bidirectional signs, and of what is no letter anywhere."""
_ALIKE = frozenset({"LATIN", "CYRILLIC", "GREEK", "ARMENIAN", "CHEROKEE"})
"""Alphabets with letters that look like those of another."""
_EMAIL = re.compile(r"[^\s@]+@[^\s@]+")
_SHOWN = (users.c.id, users.c.name, users.c.display_name, users.c.email, users.c.is_licensed, users.c.password_hash)


def listed(connection: Connection) -> list[dict[str, Any]]:
    counts = select(grants.c.user_id, func.count().label("projects")).group_by(grants.c.user_id)
    granted = {row.user_id: row.projects for row in connection.execute(counts)}
    rows = connection.execute(select(*_SHOWN).order_by(users.c.id))
    return [
        {
            "id": row.id,
            "name": row.name,
            "displayName": row.display_name,
            "email": row.email,
            "isLicensed": row.is_licensed,
            "hasPassword": row.password_hash is not None,
            "projects": granted.get(row.id, 0),
        }
        for row in rows
    ]


def check_new(connection: Connection, name: str, email: str) -> None:
    """Raise BadRequest or Conflict where a user cannot be added under the name; before a password is asked for."""
    must_be_usable(name, email)
    must_be_distinct(name.strip())
    if connection.execute(select(users.c.id).where(in_any_case(users.c.name, name.strip()))).first():
        raise Conflict(f"There is a user {name!r} already. For another password: backlit admin users password {name}")


def must_be_distinct(name: str) -> None:
    """Raise BadRequest for a name that looks like another: with hidden signs, other forms of letters or two scripts."""
    if any(unicodedata.category(letter) in _HIDDEN for letter in name):
        raise BadRequest(f"The user name {name!a} has signs that cannot be seen. Leave them out.")
    plain = unicodedata.normalize("NFKC", name)
    if plain != name:
        raise BadRequest(f"The user name {name!r} has letters in an unusual form. Write {plain!r}.")
    scripts = {unicodedata.name(letter, "").partition(" ")[0] for letter in name} & _ALIKE
    if len(scripts) > 1:
        alphabets = " and ".join(sorted(script.capitalize() for script in scripts))
        raise BadRequest(f"The user name {name!r} mixes {alphabets} letters, which look alike. Use one alphabet.")


def must_be_usable(name: str, email: str) -> None:
    if not _NAME.fullmatch(checked_name(name, "The user name")):
        raise BadRequest(f"The user name {name!r} must not contain blanks, slashes or colons.")
    if email and not _EMAIL.fullmatch(email):
        raise BadRequest(f"The email address {email!r} is invalid. Write it as name@example.org, or leave it out.")


def add(
    connection: Connection, name: str, password: str | None, *, texts: Mapping[str, str], is_licensed: bool = True
) -> dict[str, Any]:
    """Add a user; `texts` may have first_name, last_name, display_name and email."""
    email = texts.get("email", "")
    check_new(connection, name, email)
    first, last = (texts.get(part, "").strip() for part in ("first_name", "last_name"))
    user = User(
        id=0,
        name=name.strip(),
        first_name=first,
        last_name=last,
        display_name=texts.get("display_name", "").strip() or f"{first} {last}".strip() or name.strip(),
        email=email,
    )
    password_hash = None if password is None else hash_password(checked_password(password))
    stamp = administrator_stamp(connection)
    user_id = accounts.add(connection, user, stamp, password_hash, is_licensed=is_licensed)
    return {"id": user_id, "name": user.name, "isLicensed": is_licensed}


def set_password(connection: Connection, name: str, password: str) -> dict[str, Any]:
    """Change a user's password and revoke all sign-ins."""
    user_id = user_id_of(connection, name)
    password_hash = hash_password(checked_password(password))
    accounts.set_password(connection, user_id, password_hash, administrator_stamp(connection))
    return {"id": user_id}


def license_(connection: Connection, name: str, *, is_licensed: bool) -> dict[str, Any]:
    """Grant or revoke a user's licence; without one, tokens stop working at once."""
    user_id = user_id_of(connection, name)
    accounts.change(connection, user_id, {"is_licensed": is_licensed}, administrator_stamp(connection))
    if not is_licensed:
        sign_ins.revoke_all(connection, user_id)
    return {"id": user_id, "isLicensed": is_licensed}


def deactivate(connection: Connection, name: str) -> dict[str, Any]:
    """Revoke a user's licence, password, sign-ins and grants; the user's items and comments remain."""
    user_id = user_id_of(connection, name)
    stamp = administrator_stamp(connection)
    accounts.change(connection, user_id, {"is_licensed": False, "password_hash": None}, stamp)
    sign_ins.revoke_all(connection, user_id)
    granted = select(grants.c.project_id).where(grants.c.user_id == user_id).order_by(grants.c.project_id)
    project_ids = connection.execute(granted).scalars().all()
    for project_id in project_ids:
        accounts.grant(connection, user_id, project_id, None, stamp)
    return {"id": user_id, "grantsRemoved": len(project_ids)}


def forget(connection: Connection, name: str) -> dict[str, Any]:
    """Replace the names of a deactivated user in the history by the number; raise Conflict for an active one.

    The user, the items and the comments stay as they are, and so does who made which change.
    """
    user_id = user_id_of(connection, name)
    account = connection.execute(select(users).where(users.c.id == user_id)).one()
    if account.is_licensed or account.password_hash is not None:
        raise Conflict(f"{name} is an active user. First: backlit admin users deactivate {name}")
    personal = changes.c.kind.in_([int(ChangeKind.USER), int(ChangeKind.GRANT)])
    mine = select(changes.c.revision, changes.c.fields).where(personal, changes.c.object_id == user_id)
    count = 0
    for revision, text in connection.execute(mine).all():
        old = orjson.loads(text)
        fields = _without_names(old, f"user {user_id}")
        if fields != old:
            written = orjson.dumps(fields).decode()
            connection.execute(update(changes).where(changes.c.revision == revision).values(fields=written))
            count += 1
    return {"id": user_id, "changes": count}


_NAME_KEYS = frozenset({"name", "firstName", "lastName", "displayName", "email"})


def _without_names(fields: dict[str, Any], instead: str) -> dict[str, Any]:
    def hidden(value: Any) -> Any:
        return [hidden(each) for each in value] if isinstance(value, list) else instead if value else value

    return {
        key: _without_names(value, instead)
        if isinstance(value, dict)
        else hidden(value)
        if key in _NAME_KEYS
        else value
        for key, value in fields.items()
    }


def checked_password(password: str) -> str:
    if len(password) < SHORTEST_PASSWORD:
        raise BadRequest(f"The password has {len(password)} characters; it needs {SHORTEST_PASSWORD} or more.")
    if len(password) > LONGEST_PASSWORD:
        raise BadRequest(f"The password has {len(password)} characters; it may have {LONGEST_PASSWORD}.")
    return password


def list_grants(connection: Connection, user: str | None = None, project: str | None = None) -> list[dict[str, Any]]:
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


def set_grant(
    connection: Connection, user: str, project: str, role: Role, stamp: Stamp | None = None
) -> dict[str, Any]:
    """Give a user a role in a project, by a command of its own or as a part of the one with the stamp."""
    user_id, project_id = user_id_of(connection, user), project_id_of(connection, project)
    before = accounts.grant(connection, user_id, project_id, role, stamp or administrator_stamp(connection))
    return {"userId": user_id, "projectId": project_id, "role": role.value, "before": before}


def remove_grant(connection: Connection, user: str, project: str) -> dict[str, Any]:
    user_id, project_id = user_id_of(connection, user), project_id_of(connection, project)
    if accounts.grant(connection, user_id, project_id, None, administrator_stamp(connection)) is None:
        raise NotFound(
            f"{user} has no access to the project."
            f" To list the users with access: backlit admin grants list --project {project}"
        )
    return {"userId": user_id, "projectId": project_id}


def rotate_key(connection: Connection, *, forget: bool = False) -> None:
    """Create a new current key; `forget` also revokes the previous one, for example after a leak."""
    hold_lock(connection, Lock.KEYS)
    for _ in range(2 if forget else 1):
        sign_ins.add_key(connection, secrets.token_bytes(32), clock_of(connection).now())
