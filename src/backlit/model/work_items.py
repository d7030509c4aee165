"""Work items (SPEC 2.1); what their `fields` may hold is in the field table."""

from typing import Any

from backlit.model.resources import Resource


class WorkItem(Resource):
    """A work item; `type` is text, as a server may have types that the field table does not know."""

    id: int
    type: str
    project_id: int
    fields: dict[str, Any]
