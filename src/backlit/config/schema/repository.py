"""The model of a repository's file, `.backlit.toml`: views, the profile and project of commands, and some settings."""

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from msgspec.structs import replace
from pydantic import PlainValidator, ValidationInfo, create_model

from backlit.config.schema.documents import Table, fault
from backlit.config.schema.settings import CommonSettings, ConfigFile
from backlit.config.schema.views import ViewsFile, views_in
from backlit.config.view_files import CheckedViews
from backlit.model.settings.user_settings import toml_in


def _refuse(_value: object, info: ValidationInfo) -> None:
    sentence = f"The file of a repository cannot set {json.dumps(info.field_name)}, as others write it."
    raise fault(f"{sentence} Set it in config.toml.", effect="It is ignored.", is_about_key=True)


_OWN = frozenset(ConfigFile.model_fields) - frozenset(CommonSettings.model_fields) - {"view", "profile", "project"}
"""Settings that the user alone decides: what runs a program, who is told something, and what may be changed."""

if TYPE_CHECKING:

    class _OwnSettings(Table):
        """The settings that the file cannot set."""

else:
    _OwnSettings = create_model(
        "_OwnSettings",
        __base__=Table,
        **{name: (Annotated[None, PlainValidator(_refuse)], None) for name in sorted(_OWN)},
    )


class RepositoryFile(ViewsFile, CommonSettings, _OwnSettings):
    """The file of a repository; `config.settings.read_pins` checks what chooses the profile and the project."""

    instead_of_unknown = ""
    misplaced = _OWN

    profile: Any = None
    project: Any = None


def check_repository_file(path: Path, content: bytes) -> CheckedViews:
    """Return the right views and settings of a repository's file, and a sentence for each fault."""
    views, file = views_in(path, content, RepositoryFile)
    return views if file is None else replace(views, settings=file.shared_changes(toml_in(content, path)))
