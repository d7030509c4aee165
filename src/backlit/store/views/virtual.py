"""The SQL of properties that are true or false by other tables than that of the items: relations, criteria, time."""

from collections.abc import Mapping

from msgspec import Struct

from backlit.model.filters import VIRTUAL
from backlit.model.resources import CriterionStatus
from backlit.store.mirror.schema import SHOWN
from backlit.store.records.changes import Subject
from backlit.store.views.relations import BLOCKERS

_BELOW = (
    "items.id IN (WITH RECURSIVE below (id) AS (SELECT child.id FROM items AS child WHERE child.parent_id = ?"
    " UNION SELECT child.id FROM items AS child JOIN below ON child.parent_id = below.id) SELECT id FROM below)"
)
_PARENT_OF = "items.id = (SELECT child.parent_id FROM items AS child WHERE child.id = ?)"
_HAS_CHILD = "EXISTS (SELECT 1 FROM items AS child WHERE child.parent_id = items.id)"
_BLOCKS_OPEN = (
    "items.own_open = 1 AND EXISTS (SELECT 1 FROM relations JOIN items AS waiting ON waiting.id = relations.target_id"  # noqa: S608 # constants
    f" WHERE relations.item_id = items.id AND relations.type = 'Blocks' AND {SHOWN} AND waiting.own_open = 1)"
)
_IS_BLOCKED = f"EXISTS (SELECT 1 {BLOCKERS} AND relations.target_id = items.id)"  # constants
_IS_TASK_BELOW = "SELECT 1 FROM items AS task WHERE task.parent_id = items.id AND task.is_task = 1"


def _exists(table: str, condition: str = "") -> str:
    return f"EXISTS (SELECT 1 FROM {table} WHERE {table}.item_id = items.id{condition})"  # noqa: S608 # constants


def _shown(table: str, condition: str = "") -> str:
    return _exists(table, f" AND {table}.{SHOWN}{condition}")


def _first(kind: str, end: str = "item_id", other: str = "target_id") -> Mapping[str, str]:
    """Return the SQL for the items at one end of a type of relations: of an item at the other end, and of any."""
    mine = f"SELECT {end} FROM relations WHERE type = '{kind}' AND {SHOWN}"  # noqa: S608 # constants
    return {"#": f"items.id IN ({mine} AND {other} = ?)", "any": f"items.id IN ({mine})"}


def _either(kind: str) -> Mapping[str, str]:
    first, second = _first(kind), _first(kind, "target_id", "item_id")
    return {
        "#": f"({first['#']} OR {second['#']})",
        "any": f"({first['any']} OR {second['any']})",
    }


def _criteria(status: CriterionStatus) -> str:
    return _shown("criteria", f" AND criteria.status = '{status}'")


class VirtualProperty(Struct, frozen=True):
    """A test: its SQL by the word behind it, `#` for the number of an item, and what it depends on."""

    by_word: Mapping[str, str]
    reads: frozenset[str]


_TREE = frozenset({"ParentID"})
_RELATIONS = frozenset({Subject.RELATIONS.value, "Status"})
_CRITERIA = frozenset({Subject.CRITERIA.value})
_NOT_PASSED = _shown("criteria", f" AND criteria.status <> '{CriterionStatus.PASS}'")
_ALL_PASSED = f"({_shown('criteria')} AND NOT {_NOT_PASSED})"
_TIME = frozenset({Subject.TIME_ENTRIES.value})
_DESCRIPTION = "CAST(documents.doc AS TEXT)"
# What has no such text at all is not parsed: of 100,000 documents nearly all.
_MENTIONS = (
    f"(EXISTS (SELECT 1 FROM documents WHERE documents.id = items.id AND {_DESCRIPTION} LIKE '%@' || ? || '%'"  # noqa: S608 # constants
    f" AND backlit_mentions(json_extract({_DESCRIPTION}, '$.fields.Description'), ?))"
    " OR EXISTS (SELECT 1 FROM comments WHERE comments.item_id = items.id AND backlit_mentions(comments.text, ?)))"
)
PROPERTIES: Mapping[str, VirtualProperty] = {
    "feature": VirtualProperty({"#": _BELOW}, _TREE),
    "child": VirtualProperty(
        {"#": _PARENT_OF, "any": _HAS_CHILD, "none": f"(items.type = 'Feature' AND NOT {_HAS_CHILD})"}, _TREE
    ),
    "blocks": VirtualProperty({"#": _first("Blocks")["#"], "any": _BLOCKS_OPEN}, _RELATIONS),
    "blocked": VirtualProperty({"#": _first("Blocks", "target_id", "item_id")["#"], "any": _IS_BLOCKED}, _RELATIONS),
    "related": VirtualProperty(_either("Related"), _RELATIONS),
    "duplicates": VirtualProperty(_first("Duplicates"), _RELATIONS),
    "duplicated": VirtualProperty(_first("Duplicates", "target_id", "item_id"), _RELATIONS),
    "has": VirtualProperty(
        {
            "relations": f"({_shown('relations')} OR items.id IN (SELECT target_id FROM relations WHERE {SHOWN}))",  # noqa: S608 # constants
            "criteria": _shown("criteria"),
            "links": _shown("links"),
            "tasks": f"EXISTS ({_IS_TASK_BELOW})",
            "comments": _exists("comments"),
            "files": _exists("attachments"),
            "time": _shown("time_entries"),
        },
        frozenset(
            {
                *("ParentID", Subject.COMMENTS.value, Subject.ATTACHMENTS.value, Subject.RELATIONS.value),
                *(Subject.CRITERIA.value, Subject.LINKS.value, Subject.TIME_ENTRIES.value),
            }
        ),
    ),
    "criteria": VirtualProperty(
        {
            "open": _criteria(CriterionStatus.NOT_EXECUTED),
            "failed": _criteria(CriterionStatus.FAIL),
            "passed": _ALL_PASSED,
            "any": _shown("criteria"),
        },
        _CRITERIA,
    ),
    "logged": VirtualProperty(
        {
            "by": _shown("time_entries", " AND time_entries.user_id = ?"),
            "since": _shown("time_entries", " AND time_entries.day >= ?"),
        },
        _TIME,
    ),
    "mentions": VirtualProperty({"of": _MENTIONS}, frozenset({"Description", Subject.COMMENTS.value})),
}


def virtual_sql(name: str) -> tuple[str, tuple[object, ...]]:
    """Return the SQL of a virtual property, and the values of its question marks."""
    test, _, word = name.removeprefix(VIRTUAL).partition(" ")
    by_word = PROPERTIES[test].by_word
    if word in by_word:
        return by_word[word], ()
    kind, _, value = word.partition(" ")
    sql = by_word[kind if value else "#"]
    given: object = value or word
    given = int(str(given)) if str(given).isdecimal() else given
    return sql, (given,) * sql.count("?")


def virtual_reads(names: frozenset[str] | set[str]) -> set[str]:
    """Return what virtual properties among some names depend on: fields, and subjects of changes."""
    tests = (name.removeprefix(VIRTUAL).partition(" ")[0] for name in names if name.startswith(VIRTUAL))
    return {each for test in tests for each in PROPERTIES[test].reads}
