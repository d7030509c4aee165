"""Documents of `backlit admin`: what a workspace has, and what a command changed in it."""

from typing import Any

from pydantic import Field

from backlit.cli.documents.base import Day, Document


class AdminChange(Document):
    """A change of a workspace."""

    dry_run: bool | None = Field(default=None, description="true where nothing was changed.")


class AdminUserDocument(Document):
    """A user of a workspace; `projects` is the number of those with a grant."""

    id: int
    name: str
    display_name: str | None
    email: str | None
    is_licensed: bool
    has_password: bool
    projects: int


class AdminUserChangeDocument(AdminChange):
    """What was changed of a user; `changes` are those of the history that lost the user's names."""

    id: int
    name: str | None = None
    is_licensed: bool | None = None
    grants_removed: int | None = None
    changes: int | None = None


class AdminGrantDocument(Document):
    """The role of a user in a project."""

    user: str
    project_id: int
    project: str
    role: str


class AdminGrantChangeDocument(AdminChange):
    """A new role, after the role before; none of both for a grant that was removed."""

    user_id: int
    project_id: int
    role: str | None = None
    before: str | None = None


class AdminKeyDocument(AdminChange):
    """A new key; `forgotten` is whether the earlier ones ended."""

    forgotten: bool


class AdminProjectDocument(Document):
    """A project of a workspace; without `historyDays` its changes are kept for ever."""

    id: int
    name: str
    description: str
    start_date: Day
    end_date: Day
    default_iteration_length: int
    is_syncable: bool
    work_from_time: bool
    history_days: int | None
    items: int


class AdminProjectChangeDocument(AdminChange):
    """A new project with its roots, or what was changed of one; `itemsRendered` items were written again."""

    id: int
    name: str | None = None
    root_area_id: int | None = Field(default=None, alias="rootAreaId")
    root_iteration_id: int | None = Field(default=None, alias="rootIterationId")
    changed: list[str] | None = None
    items_rendered: int | None = None


class AdminNameDocument(AdminChange):
    """A team or a time entry type of a project."""

    id: int
    project_id: int
    project: str | None = None
    name: str
    items_changed: int | None = None


class AdminFieldDocument(AdminChange):
    """A project's own field, with what a change of it changed."""

    project_id: int
    key: str
    kind: str
    types: list[str]
    choices: list[str]
    default: Any
    due: bool
    items_changed: int | None = None
    items_rendered: int | None = None


class AdminValuesDocument(Document):
    """The values that a field of a type can have; `isOwn` is whether they are not the usual ones."""

    type: str
    key: str
    values: list[str]
    is_own: bool


class AdminValuesChangeDocument(AdminChange):
    """The values that a field of a type can have now; `newGroups` are the meanings of new statuses."""

    project_id: int
    type: str
    key: str
    values: list[str]
    items_changed: int
    new_groups: dict[str, str] | None = None


class AdminGroupsDocument(AdminChange):
    """The meanings that were set for a project's statuses."""

    project_id: int
    status_groups: dict[str, str]


class AdminWorkspaceDocument(Document):
    """Where a workspace is."""

    database: str
    files: str


class AdminTransferDocument(Document):
    """What was written to a file, or read from one: rows by table, and contents of attachments."""

    file: str | None = None
    rows: dict[str, int]
    contents: int


class AdminBackupDocument(Document):
    """A backup; `missing` contents of attachments could not be found."""

    format: str
    made_at: str
    contents: int
    missing: int
    directory: str


class AdminProblemDocument(Document):
    """A problem of a workspace."""

    table: str
    id: int | str | None
    field: str
    problem: str


class AdminCheckDocument(Document):
    """What a check of a workspace found, and the numbers of what it looked at."""

    problems: list[AdminProblemDocument]
    checked: dict[str, int]
