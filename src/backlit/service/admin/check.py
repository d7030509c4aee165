"""Consistency check of a workspace: rows, documents, figures and files."""

import hashlib
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import orjson
from msgspec import Struct, ValidationError
from sqlalchemy import Connection, Table, func, select, text

from backlit.model.amounts import counted
from backlit.model.errors import BadRequest
from backlit.model.fields import FIELD_BY_KEY, ItemType, Kind
from backlit.model.settings.shared_settings import SharedSettings
from backlit.model.statuses import CONFIGURABLE
from backlit.model.trees import Node, Tree
from backlit.service.admin.below_check import faults_below_items
from backlit.service.admin.history_check import differing_keys, history_faults
from backlit.service.admin.rendering import item_of_row, item_rows
from backlit.service.files.interface import ContentStore, is_digest
from backlit.service.rules.checks import checked
from backlit.service.rules.project_settings import checked_settings, settings_document
from backlit.service.storage.access import Role
from backlit.service.storage.columns import METADATA
from backlit.service.storage.schema import (
    ROOT_PARENT,
    areas,
    attachments,
    comments,
    custom_fields,
    grants,
    iterations,
    project_settings,
    project_totals,
    projects,
    status_groups,
    teams,
    users,
    value_lists,
    work_items,
)
from backlit.service.tables.below import BELOW_ITEMS
from backlit.service.tables.projects import ProjectSettings
from backlit.service.tables.projects import settings as settings_of
from backlit.service.tables.work_items import WorkItemRow, calculated, pert

_FIGURES = tuple(FIELD_BY_KEY[key].column for key in ("PertEstimate", "WorkRemaining", "WorkCompleted"))


NOUN_BY_TABLE = {
    "comments": "comments",
    "relations": "relations",
    "links": "links",
    "acceptance_criteria": "acceptanceCriteria",
    "time_entries": "timeEntries",
}
CHECKED_NOUNS = ("projects", "workItems", "nodes", *NOUN_BY_TABLE.values(), "attachments", "contents")


class Problem(Struct, frozen=True):
    """A problem with its place and a sentence."""

    table: str
    id: int | str | None
    field: str
    sentence: str

    def document(self) -> dict[str, Any]:
        return {"table": self.table, "id": self.id, "field": self.field, "problem": self.sentence}


class Checker:
    """Checker of a whole workspace in batches; a quick check skips the contents of files."""

    def __init__(self, connection: Connection, files: ContentStore, *, is_quick: bool = False) -> None:
        self._connection, self._files, self._is_quick = connection, files, is_quick
        self._unreadable: set[int] = set()
        self.checked = dict.fromkeys(CHECKED_NOUNS, 0)

    def problems(self) -> Iterator[Problem]:
        yield from self._of_database()
        yield from self._of_settings()
        yield from self._of_names()
        for project_id in self._connection.execute(select(projects.c.id).order_by(projects.c.id)).scalars().all():
            self.checked["projects"] += 1
            bad_trees = [*self._of_tree(areas, project_id), *self._of_tree(iterations, project_id)]
            yield from bad_trees
            has_roots = not any(problem.field == "parent_id" and problem.id is None for problem in bad_trees)
            if has_roots and project_id not in self._unreadable:
                yield from self._of_items(project_id)
        yield from self._of_objects_below()
        yield from self._of_attachments()
        yield from self._of_contents()
        yield from (Problem(*fault) for fault in history_faults(self._connection))

    def _of_database(self) -> Iterator[Problem]:
        if self._connection.dialect.name == "sqlite":
            for line in self._connection.execute(text("PRAGMA integrity_check")).scalars():
                if line != "ok":
                    yield Problem("", None, "", f"The database file is damaged: {line}.")
        for table in METADATA.sorted_tables:
            for key in table.foreign_keys:
                column, there = key.parent, key.column
                lost = select(*table.primary_key or (column,)).where(
                    column.is_not(None), column.not_in(select(there).where(there.is_not(None)))
                )
                for row in self._connection.execute(lost):
                    sentence = f"A row of {table.name} refers to one of {there.table.name} that does not exist."
                    yield Problem(table.name, row[0] if isinstance(row[0], int) else None, column.name, sentence)

    def _of_settings(self) -> Iterator[Problem]:
        types, roles = set(ItemType), set(Role)
        for row in self._connection.execute(select(grants)):
            if row.role not in roles:
                yield Problem("grants", row.user_id, "role", f"The role {row.role!r} does not exist.")
        for row in self._connection.execute(select(value_lists)):
            field = FIELD_BY_KEY.get(row.key)
            if field is None or row.type not in types or not field.applies_to(row.type) or not _is_list(row.choices):
                yield Problem(
                    "value_lists", row.key, "choices", f"The values of {row.key} of {row.type} are malformed."
                )
        for row in self._connection.execute(select(status_groups)):
            if row.meaning not in CONFIGURABLE:
                sentence = f"The status {row.status!r} has the group {row.meaning!r}, which does not exist."
                yield Problem("status_groups", row.status, "meaning", sentence)
        yield from self._of_shared_settings()
        for row in self._connection.execute(select(custom_fields)):
            known = row.kind in set(Kind) and set(row.types) <= types and isinstance(row.choices, list)
            if not (known and row.key.endswith("_cf")):
                self._unreadable.add(row.project_id)
                yield Problem("custom_fields", row.key, "kind", f"The custom field {row.key} is malformed.")

    def _of_shared_settings(self) -> Iterator[Problem]:
        for row in self._connection.execute(select(project_settings)).mappings():
            project_id = row["project_id"]
            try:
                SharedSettings.of_row(dict(row))
            except ValidationError as error:
                self._unreadable.add(project_id)
                yield Problem("project_settings", project_id, "", f"The project's settings are malformed: {error}.")
                continue
            settings = settings_of(self._connection, project_id)
            try:
                checked_settings(settings_document(settings), settings)
            except BadRequest as error:
                for key, sentence in error.errors.items():
                    yield Problem("project_settings", project_id, key, sentence)

    def _of_names(self) -> Iterator[Problem]:
        """Find names used twice in any case, which a sign-in or a command could not tell apart."""
        for table, places in ((users, ()), (projects, ()), (teams, (teams.c.project_id,))):
            name = func.backlit_lower(table.c.name)
            twice = select(func.max(table.c.id), name).group_by(name, *places).having(func.count() > 1)
            for second, lowered in self._connection.execute(twice):
                yield Problem(str(table.name), second, "name", f"The name {lowered!r} occurs twice.")

    def _of_tree(self, nodes: Table, project_id: int) -> Iterator[Problem]:
        found = self._connection.execute(select(nodes).where(nodes.c.project_id == project_id).order_by(nodes.c.id))
        rows = {row["id"]: row for row in found.mappings()}
        self.checked["nodes"] += len(rows)
        roots = [node_id for node_id, row in rows.items() if row["parent_id"] == ROOT_PARENT]
        if len(roots) != 1:
            sentence = f"Project {project_id} has {len(roots)} roots in {nodes.name}; it needs one."
            yield Problem(nodes.name, None, "parent_id", sentence)
            return
        name = self._connection.execute(select(projects.c.name).where(projects.c.id == project_id)).scalar_one()
        if rows[roots[0]]["name"] != name:
            sentence = f"The root is named {rows[roots[0]]['name']!r}, not {name!r} after its project."
            yield Problem(nodes.name, roots[0], "name", f"{sentence} Use: projects change {project_id} --name NAME")
        tree = Tree(Node(row["id"], row["parent_id"], row["name"], row["sequence"]) for row in rows.values())
        for node_id, row in rows.items():
            if tree[node_id].parent_id != row["parent_id"]:
                yield Problem(
                    nodes.name, node_id, "parent_id", f"{row['name']!r} is not below the root of its project."
                )
            elif row["path"] != tree.path(node_id):
                sentence = f"The path is {row['path']!r} and should be {tree.path(node_id)!r}."
                yield Problem(nodes.name, node_id, "path", sentence)
            if nodes is iterations and row["end_date"] < row["start_date"]:
                yield Problem(nodes.name, node_id, "end_date", f"{row['name']!r} ends before it starts.")

    def _of_items(self, project_id: int) -> Iterator[Problem]:
        place = _ItemChecker(self._connection, project_id)
        count = 0
        for rows in item_rows(self._connection, project_id):
            count += len(rows)
            figures = self._figures([row.id for row in rows])
            for row in rows:
                item = item_of_row(row)
                for field, sentence in place.faults(item, bytes(row.doc), figures.get(item.id, [])):
                    yield Problem("work_items", item.id, field, sentence)
            yield from self._of_parents(rows, project_id)
            documents = {row.id: _fields_in(bytes(row.doc)) for row in rows}
            for item_id, key in differing_keys(self._connection, documents):
                yield Problem("work_items", item_id, key, f"{key} differs from the last change in the history.")
        self.checked["workItems"] += count
        mine = select(project_totals.c.item_count).where(project_totals.c.project_id == project_id)
        kept = self._connection.execute(mine).scalar()
        if kept != count:
            sentence = f"The counter is {kept}, but the project has {counted(count, 'item')}."
            yield Problem("project_totals", project_id, "item_count", sentence)

    def _figures(self, ids: list[int]) -> dict[int, list[Any]]:
        columns = [work_items.c[name] for name in _FIGURES]
        found: dict[int, list[Any]] = {}
        tasks = select(work_items.c.parent_id, *columns).where(work_items.c.parent_id.in_(ids))
        for row in self._connection.execute(tasks.order_by(work_items.c.id)):
            found.setdefault(row[0], []).append(row[1:])
        return found

    def _of_parents(self, rows: Any, project_id: int) -> Iterator[Problem]:
        wanted = {row.parent_id for row in rows if row.type == ItemType.TASK}
        parents = select(work_items.c.id).where(
            work_items.c.id.in_(wanted), work_items.c.project_id == project_id, work_items.c.type != ItemType.TASK.value
        )
        good = set(self._connection.execute(parents).scalars())
        for row in rows:
            if row.type == ItemType.TASK and row.parent_id not in good:
                yield Problem(
                    "work_items", row.id, "parent_id", f"The task's parent {row.parent_id} does not exist or is a task."
                )

    def _of_objects_below(self) -> Iterator[Problem]:
        for objects in BELOW_ITEMS:
            self.checked[NOUN_BY_TABLE[objects.table.name]] = self._counted(objects.table)
        yield from (Problem(*fault) for fault in faults_below_items(self._connection))

    def _of_attachments(self) -> Iterator[Problem]:
        self.checked["attachments"] = self._counted(attachments)
        lost = select(attachments.c.id).outerjoin(work_items, work_items.c.id == attachments.c.work_item_id)
        for attachment_id in self._connection.execute(lost.where(_is_elsewhere(attachments))).scalars():
            yield Problem("attachments", attachment_id, "work_item_id", "Its work item is not in the project.")
        lost = select(attachments.c.id).outerjoin(comments, comments.c.id == attachments.c.comment_id)
        other = comments.c.id.is_(None) | (comments.c.work_item_id != attachments.c.work_item_id)
        for attachment_id in self._connection.execute(
            lost.where(attachments.c.comment_id.is_not(None), other)
        ).scalars():
            yield Problem("attachments", attachment_id, "comment_id", "Its comment is not on the work item.")

    def _of_contents(self) -> Iterator[Problem]:
        named = select(
            attachments.c.digest, func.min(attachments.c.id), func.min(attachments.c.size), func.max(attachments.c.size)
        )
        for digest, first, size, other in self._connection.execute(named.group_by(attachments.c.digest)):
            self.checked["contents"] += 1
            if not is_digest(digest):
                sentence = f"The digest {digest[:80]!r} is not 64 lower-case hexadecimal digits; delete the attachment."
                yield Problem("attachments", first, "digest", sentence)
            elif not self._files.has(digest):
                yield Problem("attachments", first, "digest", f"The contents {digest} are missing.")
            elif size != other:
                yield Problem(
                    "attachments", first, "size", f"The contents {digest} have two sizes, {size} and {other}."
                )
            elif not self._is_quick:
                yield from self._of_bytes(digest, first, size)

    def _of_bytes(self, digest: str, first: int, size: int) -> Iterator[Problem]:
        found, read = hashlib.sha256(), 0
        for piece in self._files.read(digest, 0, size + 1):
            found.update(piece)
            read += len(piece)
        if read != size or found.hexdigest() != digest:
            yield Problem("attachments", first, "digest", f"The contents {digest} are damaged.")

    def _counted(self, table: Table) -> int:
        return self._connection.execute(select(func.count()).select_from(table)).scalar_one()


class _ItemChecker:
    """References and settings of one project's items."""

    def __init__(self, connection: Connection, project_id: int) -> None:
        def ids(table: Table, *where: Any) -> frozenset[int]:
            return frozenset(connection.execute(select(table.c.id).where(*where)).scalars())

        self._settings: ProjectSettings = settings_of(connection, project_id)
        self._known: Mapping[str, frozenset[int]] = {
            "AreaID": ids(areas, areas.c.project_id == project_id),
            "IterationID": ids(iterations, iterations.c.project_id == project_id),
            "TeamID": ids(teams, teams.c.project_id == project_id),
            "AssignedToID": ids(users),
        }
        self._checks: tuple[Callable[[WorkItemRow, list[Any]], Iterator[tuple[str, str]]], ...] = (
            self._references,
            self._figures,
            self._custom,
            self._values,
        )

    def faults(self, item: WorkItemRow, document: bytes, tasks: list[Any]) -> Iterator[tuple[str, str]]:
        fields = self._settings.fields_by_type.get(item.type)
        if fields is None:
            yield "type", f"The type {item.type!r} does not exist."
            return
        for check in self._checks:
            yield from check(item, tasks)
        if item.document(fields) != document:
            yield "doc", "The rendered document differs from the columns."

    def _references(self, item: WorkItemRow, _tasks: list[Any]) -> Iterator[tuple[str, str]]:
        for key, known in self._known.items():
            value = item.values[key]
            if value is not None and value not in known:
                yield FIELD_BY_KEY[key].column, f"{key} is {value}, which the project does not have."
        for key in ("AreaID", "IterationID"):
            if item.values[key] is None:
                yield FIELD_BY_KEY[key].column, f"{key} is missing."

    def _figures(self, item: WorkItemRow, tasks: list[Any]) -> Iterator[tuple[str, str]]:
        is_task = item.type == ItemType.TASK
        key, expected = ("PertEstimate", pert(item.values)) if is_task else ("CalculatedEstimate", calculated(tasks))
        value = item.values[key]
        if (value is None) != (expected is None) or abs((value or 0.0) - (expected or 0.0)) > 1e-6:
            yield FIELD_BY_KEY[key].column, f"{key} is {value} and should be {expected}."

    def _custom(self, item: WorkItemRow, _tasks: list[Any]) -> Iterator[tuple[str, str]]:
        known = {field.key for field in self._settings.custom if field.applies_to(item.type)}
        for key in item.values:
            if key not in FIELD_BY_KEY and key not in known:
                yield "cf", f"It has a value of {key}, which is not a custom field of its type."

    def _values(self, item: WorkItemRow, _tasks: list[Any]) -> Iterator[tuple[str, str]]:
        """Return the faults of values by the interface's rules; other checks cover references and figures."""
        shown = {field.key for field in self._settings.fields_by_type[item.type]}
        given = {key: value for key, value in item.values.items() if key in shown and value is not None}
        try:
            checked(item.type, given, self._settings, lambda _kind, _id: True, creating=False)
        except BadRequest as error:
            for key, sentence in error.errors.items():
                yield FIELD_BY_KEY[key].column if key in FIELD_BY_KEY else "cf", sentence


def _fields_in(document: bytes) -> Mapping[str, Any]:
    """Return the fields of a rendered document; none of a damaged one, which another check finds."""
    try:
        read = orjson.loads(document)
    except orjson.JSONDecodeError:
        return {}
    fields = read.get("fields") if isinstance(read, dict) else None
    return fields if isinstance(fields, dict) else {}


def _is_elsewhere(table: Table) -> Any:
    return work_items.c.id.is_(None) | (work_items.c.project_id != table.c.project_id)


def _is_list(choices: object) -> bool:
    return isinstance(choices, list) and bool(choices) and all(isinstance(value, str) for value in choices)
