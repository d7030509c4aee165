"""The journal's schema and connection: migrated to this version, and patient with other processes."""

import contextlib
import math
import os
import secrets
import sqlite3
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

from backlit.model.errors import StorageError
from backlit.store.records.entry import UNDELIVERED
from backlit.store.sqlite.database import (
    connect,
    damaged_journal,
    drop_database,
    failure,
    is_damage,
    transaction,
    version_of,
)

REPORTED_AFTER_MILLISECONDS = 1000
OPENING_PATIENCE = 2.0
WRITE_LOCK_TIMEOUT = 600.0
"""Seconds that a write of user input waits for another process's lock."""


UNDELIVERED_SQL = f"state IN ({', '.join(repr(state.value) for state in UNDELIVERED)})"


_FIRST_SCHEMA = f"""
CREATE TABLE entries (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  created_at REAL NOT NULL,
  project_id INTEGER NOT NULL,
  item_id INTEGER NOT NULL,
  kind TEXT NOT NULL,
  payload TEXT NOT NULL,
  base TEXT NOT NULL,
  base_modified_at TEXT,
  state TEXT NOT NULL,
  reason TEXT NOT NULL DEFAULT '',
  attempts INTEGER NOT NULL DEFAULT 0,
  step INTEGER NOT NULL,
  known_id INTEGER,
  theirs TEXT NOT NULL DEFAULT '{{}}'
);
CREATE INDEX undelivered ON entries (id, state) WHERE {UNDELIVERED_SQL};
CREATE INDEX undelivered_by_item ON entries (item_id, id) WHERE {UNDELIVERED_SQL};
CREATE TABLE renames (temporary_id INTEGER PRIMARY KEY, real_id INTEGER NOT NULL);
CREATE TABLE drafts (key TEXT PRIMARY KEY, content TEXT NOT NULL, saved_at REAL NOT NULL);
CREATE TABLE settings (key TEXT PRIMARY KEY, value TEXT NOT NULL)
"""


_NEWS = """
CREATE TABLE news (
  item_id INTEGER PRIMARY KEY,
  project_id INTEGER NOT NULL,
  kind TEXT NOT NULL,
  type TEXT NOT NULL,
  name TEXT NOT NULL,
  base TEXT NOT NULL,
  comments TEXT NOT NULL,
  authors TEXT NOT NULL,
  noted_at TEXT
);
CREATE INDEX news_by_project ON news (project_id, noted_at, item_id);
CREATE TABLE news_marks (project_id INTEGER PRIMARY KEY, item_id INTEGER NOT NULL, comment_id INTEGER);
CREATE TABLE snapshots (
  project_id INTEGER NOT NULL,
  iteration_id INTEGER NOT NULL,
  day TEXT NOT NULL,
  statuses TEXT NOT NULL,
  work_remaining REAL NOT NULL,
  work_completed REAL NOT NULL,
  PRIMARY KEY (project_id, iteration_id, day)
) WITHOUT ROWID
"""


_HISTORY = """
CREATE TABLE steps (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  act INTEGER NOT NULL,
  state TEXT
);
CREATE INDEX acts ON steps (state, id) WHERE state IS NOT NULL;
CREATE INDEX steps_by_act ON steps (act, id);
CREATE INDEX entries_by_step ON entries (step, id);
INSERT INTO steps
  SELECT step, step, CASE WHEN sum(state <> 'discarded') > 0 THEN 'done' ELSE 'over' END FROM entries GROUP BY step;
CREATE TABLE withdrawn (entry_id INTEGER PRIMARY KEY, step INTEGER NOT NULL);
CREATE INDEX withdrawn_by_step ON withdrawn (step, entry_id);
CREATE TABLE trash (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  kept_at REAL NOT NULL,
  item_id INTEGER NOT NULL,
  entry_id INTEGER,
  content TEXT NOT NULL
);
CREATE INDEX trash_by_entry ON trash (entry_id);
CREATE INDEX trash_by_item ON trash (item_id, id);
CREATE INDEX renames_by_real_id ON renames (real_id)
"""


_RANKS = """
CREATE TABLE ranks (
  item_id INTEGER PRIMARY KEY,
  project_id INTEGER NOT NULL,
  number REAL NOT NULL,
  is_local INTEGER NOT NULL
)
"""


_STAYS = """
CREATE TABLE stays (
  project_id INTEGER NOT NULL,
  item_id INTEGER NOT NULL,
  status TEXT NOT NULL,
  since TEXT NOT NULL,
  before TEXT,
  PRIMARY KEY (project_id, item_id)
) WITHOUT ROWID
"""


_GROOMING = """
CREATE TABLE groom_queues (project_id INTEGER PRIMARY KEY, place INTEGER NOT NULL, began_on TEXT NOT NULL);
CREATE TABLE groom_stops (
  project_id INTEGER NOT NULL,
  place INTEGER NOT NULL,
  item_id INTEGER NOT NULL,
  is_skipped INTEGER NOT NULL DEFAULT 0,
  asked TEXT,
  before TEXT,
  PRIMARY KEY (project_id, place)
) WITHOUT ROWID
"""


_GROOMED_SINCE = "ALTER TABLE groom_stops ADD COLUMN since INTEGER NOT NULL DEFAULT 0"


_SCOPE = """
CREATE TABLE scope_followed (
  project_id INTEGER NOT NULL,
  iteration_id INTEGER NOT NULL,
  since TEXT NOT NULL,
  until TEXT,
  PRIMARY KEY (project_id, iteration_id)
) WITHOUT ROWID;
CREATE TABLE scope_items (
  project_id INTEGER NOT NULL,
  item_id INTEGER NOT NULL,
  iteration_id INTEGER NOT NULL,
  points REAL NOT NULL,
  PRIMARY KEY (project_id, item_id)
) WITHOUT ROWID;
CREATE TABLE scope_moves (
  project_id INTEGER NOT NULL,
  iteration_id INTEGER NOT NULL,
  day TEXT NOT NULL,
  item_id INTEGER NOT NULL,
  before REAL,
  after REAL,
  PRIMARY KEY (project_id, iteration_id, day, item_id)
) WITHOUT ROWID
"""


_SHARED = """
CREATE TABLE shared (entry_id INTEGER NOT NULL, step INTEGER NOT NULL, PRIMARY KEY (entry_id, step)) WITHOUT ROWID;
CREATE INDEX shared_by_step ON shared (step, entry_id)
"""


_STATUS_HISTORY = "ALTER TABLE stays RENAME TO status_history"


_STATUS_CHANGES = """
CREATE TABLE status_changes (
  project_id INTEGER NOT NULL,
  item_id INTEGER NOT NULL,
  since TEXT NOT NULL,
  status TEXT NOT NULL,
  before TEXT,
  PRIMARY KEY (project_id, item_id, since)
) WITHOUT ROWID;
INSERT INTO status_changes SELECT project_id, item_id, since, status, before FROM status_history
"""


_CAUSES = "ALTER TABLE entries ADD COLUMN cause TEXT NOT NULL DEFAULT ''"

_EXACT_NEWS = """
ALTER TABLE news ADD COLUMN since TEXT;
ALTER TABLE news ADD COLUMN changes TEXT NOT NULL DEFAULT '[]';
ALTER TABLE news ADD COLUMN is_unsure INTEGER NOT NULL DEFAULT 0
"""


_IMPORTED = """
CREATE TABLE imported (
  project_id INTEGER NOT NULL,
  source TEXT NOT NULL,
  key TEXT NOT NULL,
  item_id INTEGER NOT NULL,
  step INTEGER NOT NULL,
  content TEXT NOT NULL,
  PRIMARY KEY (project_id, source, key)
) WITHOUT ROWID
"""


_READ = """
CREATE TABLE news_read (
  project_id INTEGER NOT NULL,
  item_id INTEGER NOT NULL,
  until TEXT NOT NULL,
  PRIMARY KEY (project_id, item_id)
) WITHOUT ROWID;
ALTER TABLE news ADD COLUMN sentences TEXT NOT NULL DEFAULT '[]'
"""


_NEW_TASKS = f"""
CREATE INDEX new_tasks ON entries (json_extract(payload, '$.fields.ParentID'))
  WHERE kind = 'add' AND {UNDELIVERED_SQL}
"""


MIGRATIONS = (
    *(_FIRST_SCHEMA, _NEWS, _HISTORY, _RANKS, _STAYS, _GROOMING, _GROOMED_SINCE, _SCOPE, _SHARED, _STATUS_HISTORY),
    *(_STATUS_CHANGES, _CAUSES, _EXACT_NEWS, _IMPORTED, _READ, _NEW_TASKS),
)
"""The migrations. A file of version n has run the first n. Append only. `;` and a line break end a statement."""


class JournalConnection(sqlite3.Connection):
    """A connection that reports when it waits for other processes, and counts the committed changes.

    SQLite's own count includes rolled-back changes.
    """

    kept = 0
    patience = OPENING_PATIENCE
    """Seconds that a write waits for another process."""
    _gives_up_at = math.inf
    _on_waiting: Callable[[bool], None] = staticmethod(lambda _: None)

    def execute(self, sql: str, values: Any = (), /) -> sqlite3.Cursor:
        """Run a statement. Counts a commit."""
        cursor = self._executed(sql, values)
        if sql == "COMMIT":
            self.kept = self.total_changes
        return cursor

    def report_waiting(self, on_waiting: Callable[[bool], None]) -> None:
        """Let writes wait long for other processes.

        Calls `on_waiting` with True at the start and False at the end of a wait.
        """
        self._on_waiting, self.patience = on_waiting, WRITE_LOCK_TIMEOUT

    def give_up(self) -> None:
        """Stop waiting for other processes. Can be called on any thread."""
        self._gives_up_at = time.monotonic()

    def copy_to(self, path: Path) -> None:
        """Copy the whole journal to another file, even if its own file was deleted."""
        with closing(sqlite3.connect(path)) as copy:
            self.backup(copy)
        path.chmod(0o600)

    def _executed(self, sql: str, values: Any) -> sqlite3.Cursor:
        """Run a statement as soon as no other process writes. SQLite waits up to a second at each attempt."""
        until = 0.0
        while True:
            try:
                cursor = super().execute(sql, values)
            except sqlite3.OperationalError as error:
                if error.sqlite_errorcode & 0xFF != sqlite3.SQLITE_BUSY or self.in_transaction:
                    raise
                until = until or self._waiting_until()
                if time.monotonic() >= min(until, self._gives_up_at):
                    raise
            else:
                if until:
                    self._on_waiting(False)
                return cursor

    def _waiting_until(self) -> float:
        self._on_waiting(True)
        return time.monotonic() + self.patience


def opened(path: Path, patience: float = OPENING_PATIENCE) -> JournalConnection:
    """Open the journal and migrate it. `patience` is the time in seconds that writes wait. Raises StorageError."""
    try:
        if not path.exists():
            _create(path)
        if not path.stat().st_size:  # SQLite would take it for a new database, and what was in it for never written
            raise damaged_journal("the file is empty", path)
        # FULL, because the journal has the only copy of a change until it is sent: it has to survive a power cut.
        connection = connect(path, "FULL", JournalConnection, REPORTED_AFTER_MILLISECONDS)
        assert isinstance(connection, JournalConnection)
        if version_of(connection) < len(MIGRATIONS):
            with transaction(connection):
                _bring_up(connection)
        version = version_of(connection)
    except sqlite3.DatabaseError as error:
        raise (damaged_journal if is_damage(error) else failure)(error, path) from error
    except OSError as error:
        raise StorageError(f"{path} cannot be opened: {error.strerror}.") from error
    if version > len(MIGRATIONS):
        connection.close()
        raise StorageError(f"A newer version of backlit wrote the journal {path}. Start the newer version.")
    with contextlib.suppress(OSError):  # another user's file, or a read-only disk
        path.chmod(0o600)
    connection.patience = patience
    return connection


def _create(path: Path) -> None:
    """Create the journal whole under its name, so that an empty file is a damaged one and never a beginning."""
    made = path.with_name(f"{path.name}.{secrets.token_hex(4)}.new")
    try:
        with closing(connect(made, "FULL")) as connection, transaction(connection):
            _bring_up(connection)
        made.chmod(0o600)
        try:
            os.link(made, path)
        except FileExistsError:
            return  # another process was faster
        except OSError:  # a file system without links
            made.rename(path)
    finally:
        drop_database(made)


def _bring_up(connection: sqlite3.Connection) -> None:
    """Run the missing migrations. Another process may have run them in the meantime."""
    for step in MIGRATIONS[version_of(connection) :]:
        for statement in step.split(";\n"):
            connection.execute(statement)
    connection.execute(f"PRAGMA user_version = {len(MIGRATIONS)}")
