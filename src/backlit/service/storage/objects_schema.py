"""The tables of objects below items, beside comments and attachments."""

from typing import Any

from sqlalchemy import Column, DateTime, Float, ForeignKey, Index, Integer, Table

from backlit.service.storage.columns import ID, METADATA, audit_columns, project_column
from backlit.service.storage.dialects import TEXT


def _below_items(name: str, *columns: Column[Any], item: str = "work_item_id") -> Table:
    return Table(
        name,
        METADATA,
        Column("id", ID, primary_key=True),
        project_column(),
        Column(item, ID, nullable=False),
        *columns,
        *audit_columns(),
        Index(f"{name}_by_project", "project_id", "id"),
        # For the clock, as of comments.
        Index(f"{name}_by_change", "last_modified_at"),
        sqlite_autoincrement=True,
    )


relations = _below_items(
    "relations",
    Column("type", TEXT, nullable=False),
    Column("target_id", ID, nullable=False),
    Column("target_project_id", ID, ForeignKey("projects.id"), nullable=False),
)
"""Relations of two items: `work_item_id` *type* `target_id`, each once."""
Index("relations_by_item", relations.c.work_item_id, relations.c.type, relations.c.target_id, unique=True)
Index("relations_by_target", relations.c.target_id, relations.c.type, relations.c.work_item_id)

links = _below_items("links", Column("display_text", TEXT, nullable=False), Column("url", TEXT, nullable=False))
Index("links_by_item", links.c.work_item_id, links.c.id)

acceptance_criteria = _below_items(
    "acceptance_criteria",
    Column("title", TEXT, nullable=False),
    Column("description", TEXT, nullable=False),
    Column("status", TEXT, nullable=False),
    Column("sequence", Integer, nullable=False),
)
Index("criteria_by_item", acceptance_criteria.c.work_item_id, acceptance_criteria.c.sequence)

time_entries = _below_items(
    "time_entries",
    Column("user_id", ID, ForeignKey("users.id"), nullable=False),
    # A day, as its midnight.
    Column("date", DateTime, nullable=False),
    Column("week", Integer, nullable=False),
    Column("hours", Float, nullable=False),
    # Null only where the project has no types.
    Column("type", TEXT),
    Column("note", TEXT),
    item="task_id",
)
Index("time_entries_by_task", time_entries.c.task_id, time_entries.c.id)
Index("time_entries_by_user", time_entries.c.user_id, time_entries.c.date)
