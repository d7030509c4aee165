"""The journal's schema: the migrations that make it. It imports nothing but strings, for listings of a fresh copy."""

from backlit.store.records.entry_values import UNDELIVERED_STATES

COMMANDS_PROJECT = "commands project"
"""The setting with the project that commands show where none is named."""
CLOCK = "clock offset"
"""The setting with the service's clock offset from this machine's UTC, in seconds."""
UNDELIVERED_SQL = f"state IN ({', '.join(map(repr, UNDELIVERED_STATES))})"


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


RELATIONS_SQL = "kind IN ('relate', 'move parent', 'unrelate')"
TARGET_SQL = "coalesce(json_extract(payload, '$.values.targetId'), json_extract(payload, '$.targetId'))"
"""The SQL of changes of relations, and of the other end that one names last."""
_RELATION_TARGETS = (
    f"CREATE INDEX relation_targets ON entries ({TARGET_SQL}) WHERE {RELATIONS_SQL} AND {UNDELIVERED_SQL}"
)


TRANSFORMS_SQL = "kind IN ('convert', 'move', 'move along', 'move task')"
_TRANSFORM_TARGETS = (
    f"CREATE INDEX transform_targets ON entries ({TARGET_SQL}) WHERE {TRANSFORMS_SQL} AND {UNDELIVERED_SQL}"
)


_GROOMING_KEPT = """
ALTER TABLE groom_queues ADD COLUMN common TEXT NOT NULL DEFAULT '{}';
ALTER TABLE groom_stops ADD COLUMN confirmed TEXT NOT NULL DEFAULT '[]'
"""


MIGRATIONS = (
    *(_FIRST_SCHEMA, _NEWS, _HISTORY, _RANKS, _STAYS, _GROOMING, _GROOMED_SINCE, _SCOPE, _SHARED, _STATUS_HISTORY),
    *(_STATUS_CHANGES, _CAUSES, _EXACT_NEWS, _IMPORTED, _READ, _NEW_TASKS, _RELATION_TARGETS),
    *(_TRANSFORM_TARGETS, _GROOMING_KEPT),
)
"""The migrations. A file of version n has run the first n. Append only. `;` and a line break end a statement."""
