"""The start and the close of an iteration, from which reports count."""

from typing import Any

from msgspec import Struct
from sqlalchemy import RowMapping

from backlit.model.errors import BadRequest, NotFound
from backlit.model.planning import EVENT_KEYS, IterationEvent
from backlit.model.resources import Iteration
from backlit.model.trees import ROOT_PARENT
from backlit.service.http.endpoint import HandlerResponse, RequestContext, Route, json_answer, must_match
from backlit.service.routes.trees import edited_node
from backlit.service.storage.schema import iterations
from backlit.service.tables import iteration_events, trees


class IterationEventRoutes(Struct, frozen=True):
    """The routes of one event; `{noun}` in the handlers' docstrings stands for it."""

    event: IterationEvent

    def routes(self) -> tuple[Route, ...]:
        path, resource = f"/iterations/{{id}}/{self.event.value}", "IterationEvents"
        return (
            Route("POST", path, self.record, resource, extension="iterationEvents"),
            Route("DELETE", path, self.withdraw, resource, extension="iterationEvents"),
        )

    def record(self, call: RequestContext) -> HandlerResponse:
        """POST /iterations/{id}/{noun}: record the {noun} now; one that was recorded before keeps its time."""
        row = self._found(call)
        if row["parent_id"] == ROOT_PARENT:
            raise BadRequest(
                f"{row['name']} is the root of its project's iterations, which has no {self.event}."
                " Name an iteration below it."
            )
        iteration_events.record(call.connection, row, self.event, call.stamp)
        return json_answer(_document(call, row))

    def withdraw(self, call: RequestContext) -> HandlerResponse:
        """DELETE /iterations/{id}/{noun}: withdraw the {noun}, if it was recorded."""
        row = self._found(call)
        iteration_events.withdraw(call.connection, row, self.event, call.stamp)
        return json_answer(_document(call, row))

    def _found(self, call: RequestContext) -> RowMapping:
        row, name = trees.row_of(call.connection, iterations, call.path["id"]), f"Iteration {call.path['id']}"
        call.caller.must_write(None if row is None else row["project_id"], name)
        if row is None:
            raise NotFound(f"{name} does not exist, or you have no access to it.")
        must_match(call.headers, edited_node(Iteration(**row)))
        return row


def _document(call: RequestContext, row: RowMapping) -> dict[str, Any]:
    times = iteration_events.times_of(call.connection, [row["id"]]).get(row["id"], {})
    return {"id": row["id"], **{key: times.get(key) for key in EVENT_KEYS.values()}}


routes = tuple(route for event in IterationEvent for route in IterationEventRoutes(event).routes())
