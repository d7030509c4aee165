"""Who edits what: a lease that a client renews while an editor is open."""

from sqlalchemy import Connection
from starlette.requests import Request

from backlit.model.errors import BadRequest, NotFound
from backlit.service.http.endpoint import (
    ID_LIMIT,
    UNLOGGED_KEY,
    HandlerResponse,
    RequestContext,
    Routes,
    ServiceState,
    authenticated_context,
)
from backlit.service.http.presence import PresenceLease, PresenceMode
from backlit.service.tables import work_items

routes = Routes()

MAX_FIELD_LENGTH = 100
_KEYS = frozenset({"itemId", "mode", "field"})


@routes.in_memory("PUT", "/presence", "Presence", tag="presence", extension="presence")
async def update_presence(shared: ServiceState, request: Request, body: bytes) -> HandlerResponse:
    """PUT /presence: say for 30 seconds at which item the caller is; 204.

    `itemId` null ends it. The stream of changes tells it to those who see the project. It is kept in memory alone,
    and never logged.
    """
    request.scope[UNLOGGED_KEY] = True

    def read(connection: Connection) -> tuple[int, PresenceLease | None]:
        call = authenticated_context(shared, request, connection, body)
        if not shared.settings.has_presence:
            raise NotFound("This service does not tell who edits what.")
        return call.caller.id, _lease(call)

    user_id, lease = await shared.database.read(read)
    if lease is None:
        shared.presence.end(user_id)
    else:
        shared.presence.set(user_id, lease)
    return HandlerResponse(b"", 204)


def _lease(call: RequestContext) -> PresenceLease | None:
    """Read where the caller is; raise BadRequest, NotFound, and Forbidden for who may not edit there."""
    given = call.json()
    for key in given:
        if key not in _KEYS:
            raise _fault(key, f"There is no key {key[:40]}.")
    item_id, mode, field = given.get("itemId"), given.get("mode", PresenceMode.EDIT), given.get("field")
    if "itemId" not in given or not (item_id is None or _is_id(item_id)):
        raise _fault("itemId", "itemId must be the id of an item, or null.")
    if mode not in list(PresenceMode):
        raise _fault("mode", "mode must be view or edit.")
    if not isinstance(field, str | None) or len(field or "") > MAX_FIELD_LENGTH:
        raise _fault("field", f"field must be a text of at most {MAX_FIELD_LENGTH} characters, or null.")
    if item_id is None:
        return None
    what = f"Work item {item_id}"
    project_id = work_items.project_of(call.connection, item_id)
    if mode == PresenceMode.EDIT:
        call.caller.must_write(project_id, what)
    else:
        call.caller.must_see(project_id, what)
    assert project_id is not None
    return PresenceLease(project_id, item_id, PresenceMode(mode), field or None)


def _is_id(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= ID_LIMIT


def _fault(key: str, sentence: str) -> BadRequest:
    return BadRequest(sentence, {key: sentence})
