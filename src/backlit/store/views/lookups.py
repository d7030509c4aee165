"""Lookups for screens: people, places and facts of a project, cached until they change."""

import sqlite3
import threading
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from msgspec import json
from msgspec.structs import replace

from backlit.model.errors import BadRequest, Forbidden, NameNotFound
from backlit.model.fields import DUE_LABEL, FIELD_BY_KEY, Field, ItemType, Kind, custom_field
from backlit.model.planning import PersonalCapacity
from backlit.model.settings.shared_settings import StatedSettings
from backlit.model.settings.user_settings import OwnNames
from backlit.model.statuses import StatusGroups
from backlit.model.trees import Node, NodeTotals, Tree
from backlit.model.working_days import WorkingDays
from backlit.store.mirror.learnt import CUSTOM, STATUS, TAG, TEAM, widest
from backlit.store.mirror.schema import COUNTED_POINTS
from backlit.store.mirror.status_groups import project_in, status_groups
from backlit.store.records.changes import Signal, StoreChange, Subject
from backlit.store.records.item import Document, id_in, whole
from backlit.store.records.people import (
    CAPACITIES,
    ITERATION_EVENTS,
    LOOKED_UP_USER,
    TIME_ENTRY_TYPES,
    IterationEntry,
    Person,
    ProjectEntry,
    TreeKind,
    capacity_of,
    iteration_of,
    looked_up_user_of,
    person_of,
)
from backlit.store.views.order import BACKLOG_ORDER

if TYPE_CHECKING:
    from backlit.model.field_values import ValueLimits
    from backlit.store.files.files import LocalDatabase
    from backlit.store.records.entry import OutboxEntry

_T = TypeVar("_T")
_NOTHING = object()

_TOTALS_SQL = {
    TreeKind.AREAS: (
        f"SELECT area_id, count(*), total({COUNTED_POINTS}) FROM items INDEXED BY open_by_area"  # noqa: S608 # constants
        " WHERE project_id = ? AND is_open = 1 AND is_task = 0 GROUP BY area_id"
    ),
    TreeKind.ITERATIONS: (
        f"SELECT iteration_id, count(*), total({COUNTED_POINTS}) FROM items INDEXED BY open_by_iteration"  # noqa: S608 # constants
        " WHERE project_id = ? AND is_open = 1 AND is_task = 0 GROUP BY iteration_id"
    ),
}
_TREE_ROOT = -1
USUAL_CAPACITIES = 0
"""The key of the capacities that are usual in the project; no iteration has this id."""
READER = "reader"
"""The role of users who change nothing."""
MANAGER = "manager"
"""The role of users who change what all members of a project share."""
NO_PROJECT_OPEN = "No project is open yet. Wait for the first load, or ask a manager to add you to a project."
NO_PROJECT = "You are not in a project yet. Ask a manager to add you."


class LookupFiles(Protocol):
    """What lookups read: the local copy, and the unsent changes of its trees."""

    refusal: str
    """Why nothing is changed, as a sentence; empty without the read-only mode."""

    @property
    def mirror(self) -> sqlite3.Connection: ...

    @property
    def trees(self) -> AbstractContextManager[object]:
        """Held while the copy and the changes are read together."""

    def node_entries(self, project_id: int | None, tree: str) -> "Sequence[OutboxEntry]": ...


class Lookups:
    """Short reads of rarely changing data. Answers are cached until a change concerns them."""

    def __init__(self, files: LookupFiles, signal: Signal) -> None:
        self._files = files
        self._kept: dict[tuple[Subject, tuple[Subject, ...], int | None, str], object] = {}
        self._changes = 0
        self._lock = threading.Lock()
        self.project_id: int | None = None
        self.own_names = OwnNames()
        self.own_work = WorkingDays()
        """The working days of this machine, for projects whose service states none."""
        signal.subscribe(self._forget)

    def _forget(self, change: StoreChange) -> None:
        stale = {change.kind, Subject.ITEMS} if change.kind is Subject.TREES else {change.kind}
        with self._lock:
            self._changes += 1
            self._kept = {key: value for key, value in self._kept.items() if not stale & {key[0], *key[1]}}

    def keep(self, subject: Subject, name: str, make: Callable[[], _T], *others: Subject) -> _T:
        """Return the cached value, else compute it. A change of a subject discards it, or prevents caching."""
        key = (subject, others, self.project_id, name)
        changes = self._changes  # read first: what was kept before a change is never kept after it
        found = self._kept.get(key, _NOTHING)
        if found is not _NOTHING:
            return found  # type: ignore[return-value] # the result of `make`
        made = make()
        with self._lock:
            if changes == self._changes:
                self._kept[key] = made
        return made

    def of_project(self, project_id: int) -> "Lookups":
        """Return the same reads of another project, for one act: it hears of no changes."""
        from copy import copy  # with weakref 3 ms, which listings save

        other = copy(self)
        other.project_id = project_id
        return other

    def _resources(self, kind: str, project_id: int | None) -> list[Document]:
        found = self._files.mirror.execute(
            "SELECT doc FROM resources WHERE kind = ? AND project_id = ? ORDER BY id", (kind, project_id or 0)
        )
        return [json.decode(doc) for (doc,) in found]

    def resources(self, kind: str) -> list[Document]:
        """Return the current project's resources of a noun kind, as received."""
        return self._resources(kind, self.project_id)

    def projects(self) -> tuple[ProjectEntry, ...]:
        return self.keep(
            Subject.PEOPLE,
            "projects",
            lambda: tuple(
                ProjectEntry(id_in(each), str(each.get("name") or "")) for each in self._resources("project", 0)
            ),
        )

    def project_named(self, wanted: str) -> ProjectEntry:
        """Return the project of a name in any case or a number; raises BadRequest for an unknown or ambiguous one."""
        projects = self.projects()
        named = [each for each in projects if wanted.casefold() in {str(each.id), each.name.casefold()}]
        if len(named) != 1:
            known = ", ".join(f"{each.name} ({each.id})" for each in projects) or "none"
            raise NameNotFound(f"There is no single project {wanted!r}. There are: {known}. Name one by --project.")
        return named[0]

    def people(self) -> Mapping[int, Person]:
        """Return the licensed users by id. Unlicensed users may still own items."""
        return self.keep(
            Subject.PEOPLE,
            "people",
            lambda: {person.id: person for person in map(person_of, self._resources("user", 0))},
        )

    def addresses(self) -> Mapping[int, str]:
        """Return the e-mail addresses of the licensed users, by id, as far as the service tells them."""
        return self.keep(
            Subject.PEOPLE,
            "addresses",
            lambda: {id_in(each): str(each.get("email") or "") for each in self._resources("user", 0)},
        )

    def mentionable(self) -> Sequence[str]:
        """Return the user names that a text can mention."""
        return [person.username for person in self.people().values() if person.username]

    def known_people(self) -> Mapping[int, Person]:
        """Return the licensed and the looked-up users, by id. Unknown users have only an id."""
        return self.keep(
            Subject.PEOPLE,
            "known people",
            lambda: (
                {person.id: person for person in map(looked_up_user_of, self._resources(LOOKED_UP_USER, 0))}
                | dict(self.people())
            ),
        )

    def me(self) -> Person | None:
        found = self._files.mirror.execute("SELECT value FROM notes WHERE key = 'me'").fetchone()
        return person_of(json.decode(found[0])) if found else None

    def tree(self, kind: TreeKind) -> Tree:
        return self._nodes(kind)[1]

    def node_documents(self, kind: TreeKind) -> Mapping[int, Document]:
        return self._nodes(kind)[0]

    def _nodes(self, kind: TreeKind) -> tuple[Mapping[int, Document], Tree]:
        """Return the documents of a tree's nodes by id and their tree, both of one moment."""

        def make() -> tuple[dict[int, Document], Tree]:
            with self._files.trees:
                received, entries = self.resources(kind.value), self.node_entries(kind)
                events = self.resources(ITERATION_EVENTS) if kind is TreeKind.ITERATIONS else ()
            facts = {each.get("id"): each for each in events}
            nodes = [each | facts.get(each.get("id"), {}) for each in received]
            if entries:  # a listing of a copy without changes saves 20 ms of imports
                from backlit.store.mirror.overlay import laid_over_nodes

                nodes = laid_over_nodes(nodes, entries)
            return {id_in(each): each for each in nodes}, Tree(map(_node, nodes))

        return self.keep(Subject.TREES, kind.value, make)

    def node_entries(self, kind: TreeKind) -> "Sequence[OutboxEntry]":
        return self._files.node_entries(self.project_id, kind.value)

    def iterations(self) -> Mapping[int, IterationEntry]:
        def make() -> Mapping[int, IterationEntry]:
            documents, tree = self._nodes(TreeKind.ITERATIONS)
            return {node.id: iteration_of(documents[node.id], tree.path(node.id)) for node in tree.walk()}

        return self.keep(Subject.TREES, "entries", make)

    def capacities(self) -> Mapping[int, Mapping[int, PersonalCapacity]]:
        """Return what was said of people by their ids, for iterations and, under USUAL_CAPACITIES, the project."""
        return self.keep(
            Subject.TREES,
            CAPACITIES,
            lambda: {id_in(each): _capacities_in(each) for each in self.resources(CAPACITIES)},
        )

    def totals(self, kind: TreeKind) -> Mapping[int, NodeTotals]:
        """Return each area's or iteration's own open items (without tasks) and points, not rolled up."""
        return self.keep(
            Subject.ITEMS,
            f"totals {kind.value}",
            lambda: {
                node_id: NodeTotals(count, points)
                for node_id, count, points in self._files.mirror.execute(_TOTALS_SQL[kind], (self.project_id,))
                if node_id is not None
            },
        )

    def time_entry_types(self) -> tuple[str, ...]:
        def make() -> tuple[str, ...]:
            return tuple(str(each.get("name") or "") for each in self.resources(TIME_ENTRY_TYPES))

        return self.keep(Subject.TREES, TIME_ENTRY_TYPES, make)

    def _learnt(self, kind: str) -> list[tuple[str, str]]:
        return self._files.mirror.execute(
            "SELECT type, value FROM learnt WHERE project_id = ? AND kind = ? ORDER BY type, value",
            (self.project_id, kind),
        ).fetchall()

    def _capabilities(self) -> Mapping[str, object]:
        return self.keep(
            Subject.PEOPLE, "capabilities", lambda: project_in(self._capabilities_document(), self.project_id)
        )

    def _capabilities_document(self) -> dict[str, object]:
        found = self._files.mirror.execute("SELECT value FROM notes WHERE key = 'capabilities'").fetchone()
        told = json.decode(found[0]) if found else None
        return told if isinstance(told, dict) else {}

    def announces(self, extension: str) -> bool:
        from backlit.store.remote.capabilities import announces  # no list needs it

        return self.keep(Subject.PEOPLE, extension, lambda: announces(self._capabilities_document(), extension))

    def has_utc_times(self) -> bool:
        """Report whether the service announces that its DateTimes are UTC."""
        return self._capabilities_document().get("dateTimes") == "UTC"

    def limits(self) -> "ValueLimits":
        """Return the limits of values that the service states."""
        return self.keep(Subject.PEOPLE, "limits", lambda: _limits_in(self._capabilities_document()))

    def works_from_time(self) -> bool:
        """Return whether time entries change the work fields of their tasks in the current project."""
        return self._capabilities().get("workFromTime") is not False

    def stated_settings(self) -> StatedSettings:
        """Return the settings that the service states for everybody in the current project."""
        return self.keep(Subject.PEOPLE, "stated settings", lambda: StatedSettings.of_project(self._capabilities()))

    def working_days(self) -> WorkingDays:
        """Return the days on which the team of the current project works."""
        return self.stated_settings().work(self.own_work)

    def stated_groups(self) -> Mapping[str, object]:
        """Return the groups of statuses that the service states for the current project."""
        told = self._capabilities().get("statusGroups")
        return told if isinstance(told, dict) else {}

    def roles(self) -> Mapping[int, str]:
        """Return the user's role in each project, empty if the service does not state it."""
        told = self._capabilities_document()
        return {each.id: str(project_in(told, each.id).get("role") or "") for each in self.projects()}

    def role(self) -> str:
        return str(self._capabilities().get("role") or "")

    @property
    def is_read_only(self) -> bool:
        return bool(self._files.refusal) or self.role() == READER

    def need_project(self) -> int:
        if self.project_id is None:
            raise BadRequest(NO_PROJECT_OPEN)
        return self.project_id

    def need_writer(self) -> None:
        """Raise Forbidden for a user who only reads the current project, and for all in read-only mode.

        Raises BadRequest without a project.
        """
        self.need_project()
        if self._files.refusal:
            raise Forbidden(self._files.refusal)
        if self.is_read_only:
            raise Forbidden("This project is read only for you: you are a reader. A manager can change your role.")

    def teams(self) -> Mapping[int, str]:
        """Return the teams named by items. Only the service's own extension knows their names."""
        return self.keep(Subject.ITEMS, "teams", self._read_teams)

    def _read_teams(self) -> dict[int, str]:
        teams = {int(value): f"team {value}" for _, value in self._learnt(TEAM)}
        told = self._capabilities().get("teams")
        for team in told if isinstance(told, list) else ():
            if isinstance(team, dict) and isinstance(team.get("id"), int) and team.get("name"):
                teams[team["id"]] = str(team["name"])
        return {team_id: self.own_names.teams.get(team_id, teams[team_id]) for team_id in sorted(teams)}

    def tags(self) -> tuple[str, ...]:
        return self.keep(Subject.ITEMS, "tags", lambda: tuple(value for _, value in self._learnt(TAG)))

    def statuses(self, item_type: str) -> tuple[str, ...]:
        """Return the statuses of a type: the service's list, or the defaults and all seen ones."""
        return self.choices(FIELD_BY_KEY["Status"], item_type)

    def all_statuses(self) -> tuple[str, ...]:
        """Return the statuses of all types, each once."""
        return tuple(dict.fromkeys(status for each in ItemType for status in self.statuses(each)))

    def status_groups(self) -> StatusGroups:
        return self.keep(
            Subject.PEOPLE, "status groups", lambda: status_groups(self._files.mirror, self.project_id or 0)
        )

    def choices(self, field: Field, item_type: str) -> tuple[str, ...]:
        """Return the possible values of a field in the current project, empty if any value is valid."""
        told = _told_choices(self._capabilities(), field.key, item_type)
        if told:
            return told
        known = field.choices_for(item_type) if item_type in set(ItemType) else field.choices
        if field.kind is not Kind.STATUS or not known:
            return known
        seen = self.keep(Subject.ITEMS, "statuses", lambda: self._learnt(STATUS))
        return tuple(dict.fromkeys((*known, *(value for each, value in seen if each == item_type))))

    def is_free(self, field: Field, item_type: str) -> bool:
        """Report whether other values than the choices may be valid: without choices, or without listed statuses."""
        if field.kind is Kind.STATUS:
            return not _told_choices(self._capabilities(), field.key, item_type)
        return field.kind is Kind.CHOICE and not self.choices(field, item_type)

    def items_named(self, text: str) -> list[tuple[int, str]]:
        """Return up to four items of the project by a part of the name in any case; a whole name alone."""
        found: list[tuple[int, str]] = self._files.mirror.execute(
            "SELECT id, name FROM items WHERE project_id = ?1 AND instr(name_fold, ?2)"
            " ORDER BY name_fold <> ?2, is_open DESC, id LIMIT 4",
            (self.project_id or 0, text.casefold()),
        ).fetchall()
        whole_names = [each for each in found if each[1].casefold() == text.casefold()]
        return whole_names or found

    def features(self) -> list[int]:
        """Return the Features of the current project in backlog order."""
        sql = f"SELECT id FROM items WHERE project_id = ? AND type = '{ItemType.FEATURE}' ORDER BY {BACKLOG_ORDER}"  # noqa: S608 # constants
        return [item_id for (item_id,) in self._files.mirror.execute(sql, (self.project_id,))]

    def custom_fields(self) -> tuple[Field, ...]:
        """Return the custom fields, as the service defines them, or inferred from values."""
        return self.keep(Subject.ITEMS, "custom", self._read_custom_fields)

    def _read_custom_fields(self) -> tuple[Field, ...]:
        told = self._capabilities().get("customFields")
        fields = {}
        for key, kinds, types in _inferred(self._learnt(CUSTOM)):
            kind = self.own_names.kinds.get(key) or widest(kinds or {Kind.TEXT})
            fields[key] = custom_field(key, kind, types)
        for each in told if isinstance(told, list) else ():
            field = told_field(each)
            if field is not None:
                fields[field.key] = field
        due = self._capabilities().get("dueField", self.own_names.due)
        if isinstance(due, str) and due in fields:
            fields[due] = replace(fields[due], is_due=True, label=DUE_LABEL)
        return tuple(fields[key] for key in sorted(fields, key=str.casefold))

    def due_field(self) -> Field | None:
        return next((field for field in self.custom_fields() if field.is_due), None)


def _capacities_in(document: Document) -> dict[int, PersonalCapacity]:
    rows = document.get("capacities")
    found = (capacity_of(row) for row in (rows if isinstance(rows, list) else ()) if isinstance(row, dict))
    return dict(each for each in found if each is not None)


def _limits_in(told: object) -> "ValueLimits":
    from backlit.model.field_values import ValueLimits  # no list needs it

    limits = told.get("limits") if isinstance(told, Mapping) else None
    if not isinstance(limits, Mapping):
        return ValueLimits()
    return ValueLimits(*(whole(limits.get(name)) for name in ("text", "tag", "tags")))


def _told_choices(capabilities: Mapping[str, object], key: str, item_type: str) -> tuple[str, ...]:
    lists = capabilities.get("values")
    of_type = lists.get(item_type) if isinstance(lists, dict) else None
    values = of_type.get(key) if isinstance(of_type, dict) else None
    return tuple(str(value) for value in values) if isinstance(values, list) else ()


def _inferred(learnt: list[tuple[str, str]]) -> list[tuple[str, set[Kind], tuple[ItemType, ...]]]:
    kinds: dict[str, set[Kind]] = {}
    types: dict[str, list[ItemType]] = {}
    for item_type, value in learnt:
        key, _, kind = value.partition("\n")
        kinds.setdefault(key, set()).update({Kind(kind)} if kind else ())
        if item_type in set(ItemType):
            types.setdefault(key, []).append(ItemType(item_type))
    return [(key, kinds[key], tuple(dict.fromkeys(types.get(key, ())))) for key in kinds]


def told_field(definition: object) -> Field | None:
    if not isinstance(definition, dict) or not str(definition.get("key", "")).endswith("_cf"):
        return None
    types = definition.get("types")
    known = tuple(ItemType(each) for each in types if each in set(ItemType)) if isinstance(types, list) else ()
    kind = definition.get("kind")
    choices = definition.get("choices")
    return custom_field(
        str(definition["key"]),
        Kind(kind) if kind in set(Kind) else Kind.TEXT,
        known or tuple(ItemType),
        tuple(str(each) for each in choices) if isinstance(choices, list) else (),
    )


def _node(document: Mapping[str, object]) -> Node:
    return Node(
        id=id_in(document),
        parent_id=whole(document.get("parentId")) or _TREE_ROOT,
        name=str(document.get("name") or ""),
        sequence=id_in(document, "sequence"),
    )


_TOTALS = (
    f"SELECT project_id, count(*), total({COUNTED_POINTS}) FROM items INDEXED BY open_by_area"  # noqa: S608 # constants
    " WHERE is_open = 1 AND is_task = 0 GROUP BY project_id"
)
_OWN_COUNTS = (
    "SELECT project_id, count(*) FROM items INDEXED BY open_items_in_order"
    " WHERE is_open = 1 AND is_task = 0 AND owner_id = ? GROUP BY project_id"
)


class ProjectLookups:
    """Reads about projects. Projects that were never opened here have no items yet."""

    def __init__(self, files: "LocalDatabase", lookups: Lookups) -> None:
        self._files = files
        self._lookups = lookups

    async def totals(self) -> Mapping[int, NodeTotals]:
        return {project_id: NodeTotals(*totals) for project_id, *totals in await self._read(_TOTALS)}

    async def own_counts(self) -> Mapping[int, int]:
        """Return how many open items of the user each project has, without tasks."""
        me = self._lookups.me()
        return dict(await self._read(_OWN_COUNTS, me.id if me is not None else 0))

    async def _read(self, sql: str, *values: int) -> Sequence[tuple[Any, ...]]:
        return await self._files.read(lambda mirror: mirror.execute(sql, values).fetchall())

    def count_local_positions(self) -> int:
        return self._files.journal.ranks.count_local(self._lookups.project_id)

    def document(self) -> Document:
        found = self._files.mirror.execute(
            "SELECT doc FROM resources WHERE kind = 'project' AND project_id = 0 AND id = ?",
            (self._lookups.project_id,),
        ).fetchone()
        document = json.decode(found[0]) if found else {}
        return document if isinstance(document, dict) else {}
