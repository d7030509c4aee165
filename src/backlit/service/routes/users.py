"""Users."""

from backlit.model.errors import NotFound
from backlit.model.fields import ValueType
from backlit.service.http.endpoint import Answer, Call, resource_answer
from backlit.service.http.listing import list_resources
from backlit.service.storage.properties import properties_of
from backlit.service.tables import users

_TEXT = ValueType.TEXT
PROPERTIES = properties_of(name=_TEXT, firstName=_TEXT, lastName=_TEXT, displayName=_TEXT, email=_TEXT)


def listed(call: Call) -> Answer:
    """GET /users: the licensed ones."""
    return list_resources(users.licensed(call.connection), call.query, PROPERTIES)


def me(call: Call) -> Answer:
    """GET /users/me."""
    return _answer(call, call.caller.id)


def read(call: Call) -> Answer:
    """GET /users/{id}."""
    return _answer(call, call.path["id"])


def _answer(call: Call, user_id: int) -> Answer:
    user = users.read(call.connection, user_id)
    if user is None:
        raise NotFound(f"User {user_id} does not exist.")
    return resource_answer(user)
