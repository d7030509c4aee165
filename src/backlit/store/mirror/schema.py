"""The mirror's schema. A change of VERSION rebuilds every mirror."""

VERSION = 16
REASSIGNED = "reassigned"
"""The note with the targets of items whose nodes were deleted."""
OWN_GROUPS = "own status groups"
"""The note with the user's setting of status groups."""

_COVERED = "area_id, iteration_id, points, type, status, owner_id, team_id, priority, severity, tags, modified_at"
"""Frequently filtered columns, part of the order's indexes, so that such a filter reads nothing else."""

# Why not SQLite's trigrams: they find no word of two Chinese signs; here each such sign is a word of its own (see
# `_searchable`). Why no prefix index: at 100,000 items the words would take 53 MB in place of 21, and twice the time,
# for queries that halve.
_TOKENS = "unicode61 remove_diacritics 2"

NAME_WORDS = "backlit_words(json_extract(CAST(new.doc AS TEXT), '$.fields.Name'))"
DESCRIPTION_WORDS = "backlit_words(json_extract(CAST(new.doc AS TEXT), '$.fields.Description'))"
"""The SQL of a document's text for the full text index."""

SHOWN = "state < 2"
"""The SQL of objects below items that do not wait for deletion."""
FEATURE = (
    "(SELECT target_id FROM relations WHERE relations.item_id = items.id AND type = 'Parent' AND state < 2"
    " ORDER BY relations.id LIMIT 1)"
)
"""The SQL of the parent of an item that is no task. A relation that waits to be sent has the lowest id."""

_BELOW = (
    "SELECT child.id, child.type, child.is_excluded FROM {} items AS child"
    " {} child.parent_id = {}.id AND child.is_task = 0"
)
_IS_COUNTED = "type <> 'Feedback' AND is_excluded = 0"
HAS_COUNTED_ITEMS = (
    "(items.type = 'Feature' AND ("  # noqa: S608 # constants
    "EXISTS (SELECT 1 FROM items AS child WHERE child.parent_id = items.id AND child.is_task = 0"
    " AND child.type <> 'Feedback' AND child.is_excluded = 0)"
    " OR EXISTS (WITH RECURSIVE below (id, type, is_excluded) AS ("
    f"{_BELOW.format('', 'WHERE', 'items')} UNION {_BELOW.format('below JOIN', 'ON', 'below')})"
    f" SELECT 1 FROM below WHERE {_IS_COUNTED})))"
)
"""True for a Feature with counted items below it, by the rule of `model.rollups`; a direct one nearly always does."""
COUNTED_POINTS = f"CASE WHEN items.points IS NULL OR {HAS_COUNTED_ITEMS} THEN NULL ELSE items.points END"
_UNLESS_DELETED = "CASE WHEN points IS NULL OR status = 'Deleted' COLLATE NOCASE THEN NULL ELSE {} END"
LISTED_POINTS = _UNLESS_DELETED.format("points")
LISTED_COUNTED_POINTS = _UNLESS_DELETED.format(COUNTED_POINTS)
"""The points of an item of a list that count there: a list with done items may have deleted ones too."""
TOTALS = f"count(*) - total(is_task), total({LISTED_COUNTED_POINTS}), total(is_task), total({LISTED_POINTS})"
"""The number of items other than tasks, the points that count, the number of tasks, and all points."""

_TRIGGERS = f"""
CREATE TRIGGER documents_come AFTER INSERT ON documents
WHEN NOT EXISTS (SELECT 1 FROM words_due WHERE id = new.id) BEGIN
  INSERT INTO item_words (rowid, name, description) VALUES (new.id, {NAME_WORDS}, {DESCRIPTION_WORDS}) ;
  INSERT INTO custom_values SELECT key, new.id, value FROM json_each(CAST(new.doc AS TEXT), '$.fields')
    WHERE key GLOB '*_cf' AND value IS NOT NULL ;
END;
CREATE TRIGGER documents_go AFTER DELETE ON documents BEGIN
  INSERT INTO item_words (item_words, rowid, name, description) SELECT
    'delete',
    old.id,
    backlit_words(json_extract(CAST(old.doc AS TEXT), '$.fields.Name')),
    backlit_words(json_extract(CAST(old.doc AS TEXT), '$.fields.Description'))
    WHERE NOT EXISTS (SELECT 1 FROM words_due WHERE id = old.id) ;
  DELETE FROM words_due WHERE id = old.id ;
  DELETE FROM custom_values WHERE item_id = old.id
    AND key IN (SELECT key FROM json_each(CAST(old.doc AS TEXT), '$.fields') WHERE key GLOB '*_cf') ;
END;
CREATE TRIGGER comments_come AFTER INSERT ON comments BEGIN
  INSERT INTO comment_words (rowid, text) VALUES (new.id, backlit_words(new.text)) ;
END;
CREATE TRIGGER comments_go AFTER DELETE ON comments BEGIN
  INSERT INTO comment_words (comment_words, rowid, text) VALUES ('delete', old.id, backlit_words(old.text)) ;
END;
CREATE TRIGGER relations_come AFTER INSERT ON relations WHEN new.type = 'Parent' BEGIN
  UPDATE items SET parent_id = {FEATURE} WHERE id = new.item_id AND is_task = 0 ;
END;
CREATE TRIGGER relations_go AFTER DELETE ON relations WHEN old.type = 'Parent' BEGIN
  UPDATE items SET parent_id = {FEATURE} WHERE id = old.item_id AND is_task = 0 ;
END;
""".strip("\n;").replace(" ;\n", " ; ")  # noqa: S608 # constants
"""Triggers that maintain everything derived from documents, comments and relations. Rows are replaced, never updated.

Items in words_due get their custom values at the insert and their full text later (FullText).
"""

_OBJECT = """id INTEGER PRIMARY KEY,
  item_id INTEGER NOT NULL,
  project_id INTEGER NOT NULL,
  state INTEGER NOT NULL,
  doc BLOB"""
"""The columns of all objects below items but comments and files, the first ones of their tables."""

OBJECT_TABLES = ("relations", "criteria", "links", "time_entries")
_OBJECT_INDEXES = "\n".join(
    f"CREATE INDEX {each}_by_item ON {each} (item_id);\nCREATE INDEX laid_{each} ON {each} (item_id) WHERE state > 0;"
    for each in OBJECT_TABLES
)

# The indexes are there during the first load: to make seven of them after it saves 3 % of its CPU, as the two wide ones
# of the order cost most, and the first rows need them.
SCHEMA = f"""
CREATE TABLE items (
  id INTEGER PRIMARY KEY,
  project_id INTEGER NOT NULL,
  type TEXT NOT NULL,
  name TEXT NOT NULL,
  name_fold TEXT NOT NULL,
  status TEXT,
  own_open INTEGER NOT NULL,
  is_open INTEGER NOT NULL,
  is_excluded INTEGER NOT NULL,
  is_task INTEGER NOT NULL,
  estimate TEXT,
  points REAL,
  work_remaining REAL,
  work_completed REAL,
  owner_id INTEGER,
  iteration_id INTEGER,
  area_id INTEGER,
  parent_id INTEGER,
  own_priority REAL NOT NULL,
  rank_priority REAL NOT NULL,
  rank_id INTEGER NOT NULL,
  sign INTEGER NOT NULL,
  team_id INTEGER,
  priority INTEGER,
  severity TEXT,
  tags TEXT,
  created_at INTEGER,
  modified_at INTEGER
);
CREATE INDEX items_in_order ON items
  (project_id, rank_priority, rank_id, is_task, own_priority, id, {_COVERED}, name_fold);
CREATE INDEX open_items_in_order ON items
  (project_id, rank_priority, rank_id, is_task, own_priority, id, {_COVERED}, is_open, name_fold)
  WHERE is_open = 1;
CREATE INDEX items_by_parent ON items (parent_id) WHERE parent_id IS NOT NULL;
CREATE INDEX items_by_iteration ON items (iteration_id, is_task);
CREATE INDEX items_by_project ON items (project_id, id);
CREATE INDEX open_by_area ON items (project_id, area_id, points, type, is_open, is_task)
  WHERE is_open = 1 AND is_task = 0;
CREATE INDEX open_by_iteration ON items (project_id, iteration_id, points, type, is_open, is_task)
  WHERE is_open = 1 AND is_task = 0;
CREATE INDEX items_by_change ON items (project_id, modified_at DESC, id, is_open);
CREATE INDEX items_with_sign ON items (id) WHERE sign > 0;
CREATE TABLE documents (id INTEGER PRIMARY KEY, doc BLOB NOT NULL, base BLOB);
CREATE TABLE words_due (id INTEGER PRIMARY KEY);
CREATE TABLE hidden (id INTEGER PRIMARY KEY, root INTEGER NOT NULL, project_id INTEGER NOT NULL);
CREATE INDEX hidden_by_root ON hidden (root);
CREATE TABLE comments (
  id INTEGER PRIMARY KEY,
  item_id INTEGER NOT NULL,
  project_id INTEGER NOT NULL,
  text TEXT NOT NULL,
  author TEXT NOT NULL,
  created_at TEXT,
  is_internal INTEGER NOT NULL,
  pending INTEGER NOT NULL,
  doc BLOB
);
CREATE INDEX comments_by_item ON comments (item_id, id);
CREATE INDEX comments_pending ON comments (item_id) WHERE pending = 1;
CREATE INDEX comments_by_project ON comments (project_id, created_at, id);
CREATE TABLE attachments (
  id INTEGER PRIMARY KEY,
  item_id INTEGER NOT NULL,
  project_id INTEGER NOT NULL,
  comment_id INTEGER,
  doc BLOB NOT NULL
);
CREATE INDEX attachments_by_item ON attachments (item_id, id);
CREATE INDEX attachments_by_project ON attachments (project_id, id);
CREATE TABLE relations (
  {_OBJECT},
  type TEXT,
  target_id INTEGER,
  target_project_id INTEGER
);
CREATE INDEX relations_by_target ON relations (target_id);
CREATE TABLE criteria (
  {_OBJECT},
  title TEXT,
  description TEXT,
  status TEXT,
  sequence INTEGER
);
CREATE TABLE links (
  {_OBJECT},
  text TEXT,
  url TEXT
);
CREATE TABLE time_entries (
  {_OBJECT},
  user_id INTEGER,
  day TEXT,
  hours REAL,
  type TEXT,
  note TEXT
);
{_OBJECT_INDEXES}
CREATE TABLE objects_due (item_id INTEGER PRIMARY KEY);
CREATE TABLE item_changes (
  item_id INTEGER PRIMARY KEY,
  read_at REAL NOT NULL,
  older INTEGER,
  is_complete INTEGER NOT NULL,
  rows BLOB NOT NULL
);
CREATE INDEX item_changes_by_age ON item_changes (read_at);
CREATE TABLE custom_values (key TEXT, item_id INTEGER, value, PRIMARY KEY (key, item_id)) WITHOUT ROWID;
CREATE VIRTUAL TABLE item_words USING fts5 (name, description, content = '', tokenize = '{_TOKENS}');
CREATE VIRTUAL TABLE comment_words USING fts5 (text, content = '', tokenize = '{_TOKENS}');
{_TRIGGERS};
CREATE TABLE resources (
  kind TEXT NOT NULL,
  project_id INTEGER NOT NULL,
  id INTEGER NOT NULL,
  doc TEXT NOT NULL,
  PRIMARY KEY (kind, project_id, id)
) WITHOUT ROWID;
CREATE TABLE learnt (
  project_id INTEGER NOT NULL,
  kind TEXT NOT NULL,
  type TEXT NOT NULL,
  value TEXT NOT NULL,
  PRIMARY KEY (project_id, kind, type, value)
) WITHOUT ROWID;
CREATE TABLE ranks (item_id INTEGER PRIMARY KEY, number REAL NOT NULL);
CREATE TABLE notes (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
PRAGMA user_version = {VERSION};
"""
