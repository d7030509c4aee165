"""Columns that many tables have."""

from datetime import datetime

from sqlalchemy import BigInteger, Column, DateTime, ForeignKey, Integer, MetaData

from backlit.service.storage.dialects import TEXT

METADATA = MetaData()

# SQLite gives ids by itself only to a column that is spelled INTEGER; its integers have 64 bits all the same.
ID = BigInteger().with_variant(Integer, "sqlite")


def audit(by: str, created: datetime, changed: datetime | None = None) -> dict[str, object]:
    return {"created_by": by, "created_at": created, "last_modified_by": by, "last_modified_at": changed or created}


def audit_columns() -> tuple[Column[object], ...]:
    return (
        Column("created_by", TEXT, nullable=False),
        Column("created_at", DateTime, nullable=False),
        Column("last_modified_by", TEXT, nullable=False),
        Column("last_modified_at", DateTime, nullable=False),
    )


def project_column() -> Column[int]:
    return Column("project_id", ID, ForeignKey("projects.id"), nullable=False)
