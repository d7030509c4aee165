"""The check of a body with settings that the members of a project share, and their document."""

from collections.abc import Mapping
from typing import Any

from backlit.model.amounts import listed
from backlit.model.errors import BadRequest
from backlit.model.field_values import Misfit
from backlit.model.settings.setting_rules import SHARED_SETTINGS, SHOWN_CHARACTERS, ProjectStatuses
from backlit.model.statuses import StatusGroup
from backlit.service.tables.projects import ProjectSettings


def checked_settings(
    body: Mapping[str, Any], settings: ProjectSettings
) -> tuple[dict[str, Any], dict[str, str | None]]:
    """Return the changed columns of a body, and the groups of its statuses; raises BadRequest with every fault by key.

    The group None is the one that the status's name suggests.
    """
    statuses = ProjectStatuses(settings.group_by_status, settings.status_groups)
    values: dict[str, Any] = {}
    errors: dict[str, str] = {}
    for key, value in body.items():
        rule = SHARED_SETTINGS.get(key)
        if rule is None:
            errors[key] = (
                f"There is no setting {key[:SHOWN_CHARACTERS]!r}; the settings are {listed(list(SHARED_SETTINGS))}."
            )
            continue
        try:
            values[key] = rule.parse(value, statuses)
        except Misfit as misfit:
            errors[key] = misfit.sentence(key)
    if errors:
        raise BadRequest(" ".join(errors.values()), errors)
    groups: dict[str, str | None] = values.pop("statusGroups", {})
    return {str(SHARED_SETTINGS[key].column): value for key, value in values.items()}, groups


def settings_document(settings: ProjectSettings) -> dict[str, Any]:
    """Return the settings as the interface has them; the group of a status that nothing explains is null.

    The limit of a status that no type has any more is left out.
    """
    groups, limits = settings.group_by_status, settings.shared.wip_limits
    document = {
        **settings.shared.document(),
        "statusGroups": {
            status: None if group is StatusGroup.UNKNOWN else group.value for status, group in groups.items()
        },
        "wipLimits": {status: limit for status, limit in limits.items() if status in groups},
    }
    return {str(key): document[key] for key in SHARED_SETTINGS}
