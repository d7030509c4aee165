"""The service's tables; work items have one typed column for each key of the field table."""

from typing import Any

from sqlalchemy import (
    JSON,
    BigInteger,
    Boolean,
    Column,
    Date,
    DateTime,
    Float,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    SmallInteger,
    Table,
    case,
    false,
    func,
    select,
    true,
)
from sqlalchemy.sql.elements import Grouping
from sqlalchemy.types import TypeEngine

from backlit.model.fields import FIELDS, ValueType
from backlit.service.storage.columns import ID, METADATA, audit_columns, project_column
from backlit.service.storage.dialects import TEXT
from backlit.service.storage.objects_schema import acceptance_criteria, links, relations, time_entries

ROOT_PARENT = -1

_TYPE_BY_VALUE: dict[ValueType, TypeEngine[Any]] = {
    ValueType.TEXT: TEXT,
    ValueType.INTEGER: BigInteger(),
    ValueType.NUMBER: Float(),
    ValueType.BOOLEAN: Boolean(),
    ValueType.TAGS: JSON(none_as_null=True),
    ValueType.DATETIME: DateTime(),
}


schema_version = Table("schema_version", METADATA, Column("version", Integer, nullable=False))
files_place = Table("files_place", METADATA, Column("place", TEXT, nullable=False))
"""Place of the attached files, as the last server had it."""

users = Table(
    "users",
    METADATA,
    Column("id", ID, primary_key=True),
    Column("name", TEXT, nullable=False, unique=True),
    Column("first_name", TEXT, nullable=False),
    Column("last_name", TEXT, nullable=False),
    Column("display_name", TEXT, nullable=False),
    Column("email", TEXT, nullable=False),
    Column("password_hash", TEXT),
    Column("is_licensed", Boolean, nullable=False),
    *audit_columns(),
    sqlite_autoincrement=True,
)

projects = Table(
    "projects",
    METADATA,
    Column("id", ID, primary_key=True),
    Column("name", TEXT, nullable=False),
    Column("template", TEXT, nullable=False),
    Column("description", TEXT, nullable=False),
    Column("start_date", DateTime, nullable=False),
    Column("end_date", DateTime, nullable=False),
    Column("default_iteration_length", Integer, nullable=False),
    Column("is_syncable", Boolean, nullable=False),
    # Time entries change the work of their task.
    Column("work_from_time", Boolean, nullable=False, server_default=true()),
    # Incremented by each change of value lists, custom fields, teams or trees; the key of caches.
    Column("settings_revision", Integer, nullable=False),
    # Days for which changes are kept; null: for ever.
    Column("history_days", Integer),
    # The first revision from which no change of the project is missing, and its time; null: since its creation.
    Column("history_from", BigInteger, nullable=False, server_default="0"),
    Column("history_since", DateTime),
    # The revision of the last change of the backlog's order.
    Column("order_revision", BigInteger, nullable=False, server_default="0"),
    *audit_columns(),
    sqlite_autoincrement=True,
)
HISTORY_COLUMNS = ("history_days", "history_from", "history_since", "order_revision")
"""Columns of a project that describe its history, and are no part of it."""

project_totals = Table(
    "project_totals",
    METADATA,
    Column("project_id", ID, ForeignKey("projects.id"), primary_key=True, autoincrement=False),
    Column("item_count", BigInteger, nullable=False),
    Column("revision", BigInteger, nullable=False),
)

grants = Table(
    "grants",
    METADATA,
    Column("user_id", ID, ForeignKey("users.id"), primary_key=True, autoincrement=False),
    Column("project_id", ID, ForeignKey("projects.id"), primary_key=True, autoincrement=False),
    Column("role", TEXT, nullable=False),
)

teams = Table(
    "teams",
    METADATA,
    Column("id", ID, primary_key=True),
    project_column(),
    Column("name", TEXT, nullable=False),
    *audit_columns(),
    sqlite_autoincrement=True,
)

value_lists = Table(
    "value_lists",
    METADATA,
    Column("project_id", ID, ForeignKey("projects.id"), primary_key=True, autoincrement=False),
    Column("type", TEXT, primary_key=True),
    Column("key", TEXT, primary_key=True),
    Column("choices", JSON, nullable=False),
)

status_groups = Table(
    "status_groups",
    METADATA,
    Column("project_id", ID, ForeignKey("projects.id"), primary_key=True, autoincrement=False),
    Column("status", TEXT, primary_key=True),
    Column("meaning", TEXT, nullable=False),
)

project_settings = Table(
    "project_settings",
    METADATA,
    Column("project_id", ID, ForeignKey("projects.id"), primary_key=True, autoincrement=False),
    Column("time_zone", TEXT, nullable=False),
    Column("working_days", JSON, nullable=False),
    Column("days_off", JSON, nullable=False),
    # Null: each client has its own.
    Column("estimate_scale", JSON(none_as_null=True)),
    Column("ready_rules", JSON(none_as_null=True)),
    Column("wip_limits", JSON, nullable=False),
)
"""What the members of a project share; a project without a row has the defaults."""

time_entry_types = Table(
    "time_entry_types",
    METADATA,
    Column("id", ID, primary_key=True),
    project_column(),
    Column("name", TEXT, nullable=False),
    *audit_columns(),
    Index("time_entry_types_by_project", "project_id", "id"),
    sqlite_autoincrement=True,
)

custom_fields = Table(
    "custom_fields",
    METADATA,
    Column("project_id", ID, ForeignKey("projects.id"), primary_key=True, autoincrement=False),
    Column("key", TEXT, primary_key=True),
    Column("kind", TEXT, nullable=False),
    Column("types", JSON, nullable=False),
    Column("choices", JSON, nullable=False),
    Column("default_value", TEXT),
    # The date by which items have to be done; of one field of a project at most.
    Column("is_due", Boolean, nullable=False, server_default=false()),
)
# No partial index, whose condition would load SQLAlchemy's dialects of both databases: 50 ms and 2 MB.
due_field_of_project = Index(
    "due_field_of_project", Grouping(case((custom_fields.c.is_due, custom_fields.c.project_id))), unique=True
)


def _tree(name: str, *columns: Column[Any]) -> Table:
    return Table(
        name,
        METADATA,
        Column("id", ID, primary_key=True),
        project_column(),
        Column("parent_id", ID, nullable=False),
        Column("name", TEXT, nullable=False),
        Column("path", TEXT, nullable=False),
        Column("sequence", Integer, nullable=False),
        *columns,
        *audit_columns(),
        # For all nodes of a project, the children of one, and their last.
        Index(f"{name}_by_parent", "project_id", "parent_id", "sequence"),
        sqlite_autoincrement=True,
    )


areas = _tree("areas")
iterations = _tree(
    "iterations",
    Column("is_release", Boolean, nullable=False),
    Column("start_date", Date, nullable=False),
    Column("end_date", Date, nullable=False),
    Column("min_capacity", Float),
    Column("max_capacity", Float),
)

iteration_events = Table(
    "iteration_events",
    METADATA,
    Column("iteration_id", ID, ForeignKey("iterations.id"), primary_key=True, autoincrement=False),
    # `start` or `close`, each once.
    Column("event", TEXT, primary_key=True),
    Column("at", DateTime, nullable=False),
    # Tells the event apart from changes of the same millisecond.
    Column("revision", BigInteger, nullable=False),
)
"""Starts and closes of iterations, as their members said so."""


def _capacities(name: str, place: str) -> Table:
    """Return the capacities of people in a project or an iteration; null is not said."""
    return Table(
        name,
        METADATA,
        Column(f"{place}_id", ID, ForeignKey(f"{place}s.id"), primary_key=True, autoincrement=False),
        Column("user_id", ID, ForeignKey("users.id"), primary_key=True, autoincrement=False),
        Column("points", Float),
        Column("hours", Float),
        Column("days_off", JSON, nullable=False),
    )


project_capacities = _capacities("project_capacities", "project")
"""What people usually do in a sprint."""
iteration_capacities = _capacities("iteration_capacities", "iteration")

_NEVER_NULL = {"Name", "Description", "BacklogPriority", "AreaID", "IterationID"}

# Fields have columns of their own and not one document: a filter that matches nothing walks 1,000,000 items in 0.95 s,
# out of JSON in 2.4 s, and the file is a third smaller. SQLite's binary JSON would be quicker, but begins with 3.45,
# and Python may be built with an older one.
work_items = Table(
    "work_items",
    METADATA,
    Column("id", ID, primary_key=True),
    Column("type", TEXT, nullable=False),
    project_column(),
    *audit_columns(),
    *(Column(f.column, _TYPE_BY_VALUE[f.value_type], nullable=f.key not in _NEVER_NULL) for f in FIELDS),
    Column("cf", JSON(none_as_null=True)),
    # Written out of the columns, a page of 100 takes 0.8 ms of CPU; joined from these, 0.08.
    # The item's JSON as sent to clients: a page joins these.
    Column("doc", LargeBinary, nullable=False),
    # The project stands in the indexes of both orders, so that a caller of some projects skips on the index alone: with
    # it, the page after 990,000 items, half of them visible, took 89 ms in place of 1,510.
    Index("items_by_rank", "backlog_priority", "id", "project_id"),
    Index("items_by_project_rank", "project_id", "backlog_priority", "id"),
    Index("items_by_project_id", "project_id", "id"),
    Index("items_by_change", "last_modified_at", "id", "project_id"),
    Index("items_by_project_change", "project_id", "last_modified_at", "id"),
    Index("items_by_status", "project_id", "status", "type"),
    Index("items_by_owner", "assigned_to_id"),
    Index("items_by_parent", "parent_id"),
    Index("items_by_iteration", "iteration_id"),
    Index("items_by_area", "area_id"),
    sqlite_autoincrement=True,
)

item_splits = Table(
    "item_splits",
    METADATA,
    Column("item_id", ID, ForeignKey("work_items.id"), primary_key=True, autoincrement=False),
    # The item that was split, which may be gone since.
    Column("source_id", ID, nullable=False),
)
"""Parts of items that were split: reports count a part as work of its source."""

views = Table(
    "views",
    METADATA,
    Column("id", ID, primary_key=True),
    project_column(),
    Column("owner_id", ID, ForeignKey("users.id"), nullable=False),
    Column("name", TEXT, nullable=False),
    Column("spec", JSON, nullable=False),
    Column("is_shared", Boolean, nullable=False),
    *audit_columns(),
    Index("views_by_project", "project_id", "id"),
    sqlite_autoincrement=True,
)

comments = Table(
    "comments",
    METADATA,
    Column("id", ID, primary_key=True),
    project_column(),
    Column("work_item_id", ID, nullable=False),
    Column("description", TEXT, nullable=False),
    Column("type", TEXT, nullable=False),
    *audit_columns(),
    Index("comments_by_item", "work_item_id", "id"),
    Index("comments_by_project", "project_id", "id"),
    sqlite_autoincrement=True,
)
# For the clock, which has to be ahead of the newest comment: without it each start scans all comments.
comments_by_change = Index("comments_by_change", comments.c.last_modified_at)

attachments = Table(
    "attachments",
    METADATA,
    Column("id", ID, primary_key=True),
    project_column(),
    Column("work_item_id", ID, nullable=False),
    Column("comment_id", ID),
    Column("name", TEXT, nullable=False),
    Column("description", TEXT),
    Column("size", BigInteger, nullable=False),
    Column("content_type", TEXT, nullable=False),
    # SHA-256 of the contents, in hex: their address in the file store.
    Column("digest", TEXT, nullable=False),
    Column("type", TEXT, nullable=False),
    *audit_columns(),
    Index("attachments_by_item", "work_item_id", "id"),
    Index("attachments_by_comment", "comment_id", "id"),
    Index("attachments_by_project", "project_id", "id"),
    Index("attachments_by_digest", "digest"),
    sqlite_autoincrement=True,
)


signing_keys = Table(
    "signing_keys",
    METADATA,
    Column("id", Integer, primary_key=True),
    Column("secret", LargeBinary, nullable=False),
    Column("created_at", DateTime, nullable=False),
)

refresh_families = Table(
    "refresh_families",
    METADATA,
    Column("id", Integer, primary_key=True),
    Column("user_id", ID, ForeignKey("users.id"), nullable=False),
    Column("is_revoked", Boolean, nullable=False),
    Index("families_by_user", "user_id"),
)

refresh_tokens = Table(
    "refresh_tokens",
    METADATA,
    Column("digest", LargeBinary, primary_key=True),
    Column("family_id", Integer, ForeignKey("refresh_families.id"), nullable=False),
    Column("expires_at", DateTime, nullable=False),
    # Time of its exchange; the token works for a grace period afterwards.
    Column("used_at", DateTime),
    Index("tokens_by_family", "family_id"),
)

verification_codes = Table(
    "verification_codes",
    METADATA,
    Column("digest", LargeBinary, primary_key=True),
    Column("user_id", ID, ForeignKey("users.id"), nullable=False),
    Column("client_id", TEXT, nullable=False),
    Column("expires_at", DateTime, nullable=False),
)

login_sessions = Table(
    "login_sessions",
    METADATA,
    Column("digest", LargeBinary, primary_key=True),
    Column("user_id", ID, ForeignKey("users.id"), nullable=False),
    Column("expires_at", DateTime, nullable=False),
    Index("sessions_by_user", "user_id"),
)

login_attempts = Table(
    "login_attempts",
    METADATA,
    Column("id", ID, primary_key=True),
    # Digest of user name and address, or of the address alone: people sometimes type their password as their name.
    Column("digest", LargeBinary, nullable=False),
    Column("at", DateTime, nullable=False),
    Index("attempts_by_digest", "digest", "at"),
    Index("attempts_by_time", "at"),
)

changes = Table(
    "changes",
    METADATA,
    # Dense, as one writer counts on from the last: a change that is rolled back gives its number back.
    Column("revision", ID, primary_key=True, autoincrement=False),
    Column("at", DateTime, nullable=False),
    # No column refers to another table: a change outlives what it names. Null: users.
    Column("project_id", ID),
    Column("kind", SmallInteger, nullable=False),
    Column("act", SmallInteger, nullable=False),
    Column("object_id", ID, nullable=False),
    # The item of an item, a comment or a file.
    Column("item_id", ID),
    # Null: `backlit admin`.
    Column("user_id", ID),
    Column("cause", SmallInteger, nullable=False),
    # The client's own time, where it sent one.
    Column("made_at", DateTime),
    # The first revision of the same request; null for the first itself.
    Column("request", BigInteger),
    # JSON: old and new value by key.
    Column("fields", TEXT, nullable=False),
    Index("changes_by_item", "item_id", "revision"),
    Index("changes_by_project", "project_id", "revision"),
)

change_texts = Table(
    "change_texts",
    METADATA,
    Column("digest", LargeBinary, primary_key=True),
    Column("body", LargeBinary, nullable=False),
)
"""Long texts of changes, compressed with zlib, each once."""

iteration_log = Table(
    "iteration_log",
    METADATA,
    Column("iteration_id", ID, primary_key=True, autoincrement=False),
    Column("revision", ID, primary_key=True, autoincrement=False),
    Column("item_id", ID, primary_key=True, autoincrement=False),
    Column("at", DateTime, nullable=False),
    # Null: no member from here on.
    Column("status", TEXT),
    Column("points", Float),
    # Rows in the order of their key: a creation writes one page less, and an iteration is read from end to end.
    sqlite_with_rowid=False,
)
"""The members of iterations over time, from which a burndown is read; revision 0 is the state at an upgrade."""

workspace = Table(
    "workspace",
    METADATA,
    # The last revision given, as far as `changes` no longer has it.
    Column("last_revision", BigInteger, nullable=False),
    # The last revision that changed what somebody may see.
    Column("access_revision", BigInteger, nullable=False),
    # Keeps revisions that a caller may not see from being guessed out of cursors.
    Column("cursor_key", LargeBinary, nullable=False),
)
"""One row."""

mentions = Table(
    "mentions",
    METADATA,
    Column("user_id", ID, ForeignKey("users.id"), primary_key=True, autoincrement=False),
    # The first revision of the request that mentions the user.
    Column("activity_id", ID, primary_key=True, autoincrement=False),
    Index("mentions_by_activity", "activity_id"),
)

activity_marks = Table(
    "activity_marks",
    METADATA,
    Column("user_id", ID, ForeignKey("users.id"), primary_key=True, autoincrement=False),
    # All activities up to this one are read.
    Column("read_to", BigInteger, nullable=False),
)

read_activities = Table(
    "read_activities",
    METADATA,
    Column("user_id", ID, ForeignKey("users.id"), primary_key=True, autoincrement=False),
    Column("activity_id", ID, primary_key=True, autoincrement=False),
)
"""Activities after a user's mark that are read."""

OBJECTS_BELOW_ITEMS = [relations, links, acceptance_criteria, time_entries]

_GIVEN = select(func.max(changes.c.revision).label("revision")).union_all(select(workspace.c.last_revision)).subquery()
LAST_REVISION = select(func.max(_GIVEN.c.revision)).scalar_subquery()
"""The last revision given, whether its change was trimmed or not."""
