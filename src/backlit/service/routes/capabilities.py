"""Capabilities of this service beyond the interface (an extension)."""

from importlib.metadata import version
from typing import Any

from backlit.model.fields import Field, ItemType
from backlit.service.auth.access_tokens import LIFETIME
from backlit.service.http.endpoint import Answer, Call, json_answer
from backlit.service.http.listing import TOP_DEFAULT, TOP_LIMIT
from backlit.service.rules.work_item_checks import TAG_LIMIT, TEXT_LIMIT
from backlit.service.tables.projects import ProjectSettings

EXTENSIONS = ("capabilities", "commentAttachments", "etag", "healthz", "openapi", "rank", "readyz", "teams")
BODY_LIMIT = 4 * 1024 * 1024
"""Bytes of a request's body."""


def read(call: Call) -> Answer:
    """GET /capabilities: version, limits and the settings of the projects granted to the caller."""
    return json_answer(
        {
            "name": call.shared.settings.name,
            "version": version("backlit"),
            "extensions": EXTENSIONS,
            "limits": {
                "topDefault": TOP_DEFAULT,
                "top": TOP_LIMIT,
                "body": BODY_LIMIT,
                "text": TEXT_LIMIT,
                "tag": TAG_LIMIT,
                "upload": call.shared.settings.max_upload,
                "accessTokenLifetime": LIFETIME,
            },
            "projects": [_project(call, project_id) for project_id in sorted(call.caller.project_ids)],
        }
    )


def _project(call: Call, project_id: int) -> dict[str, Any]:
    settings = call.settings_of(project_id)
    return {
        "id": project_id,
        "role": call.caller.roles[project_id],
        "values": {item_type.value: _values(settings, item_type) for item_type in ItemType},
        "customFields": [_custom_field(field) for field in settings.custom],
        "teams": [{"id": team_id, "name": name} for team_id, name in settings.teams],
    }


def _values(settings: ProjectSettings, item_type: ItemType) -> dict[str, tuple[str, ...]]:
    lists = {f.key: settings.choices(item_type, f) for f in settings.fields_by_type[item_type]}
    return {key: choices for key, choices in lists.items() if choices}


def _custom_field(field: Field) -> dict[str, Any]:
    return {
        "key": field.key,
        "kind": field.kind,
        "types": field.types,
        "choices": field.choices,
        "default": field.default,
    }
