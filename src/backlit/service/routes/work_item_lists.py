"""Lists of work items: which lane, which access, which total."""

from functools import partial

from backlit.model.fields import Field
from backlit.model.filters import And, Comparison, Filter, Literal, Operator, Property
from backlit.service.http.endpoint import Answer, Call
from backlit.service.http.listing import ListOptions, envelope, options_of
from backlit.service.storage.filter_sql import condition, item_columns, sort_columns
from backlit.service.tables import projects, work_items
from backlit.service.tables.work_items import DEFAULT_ORDER

_INDEXED = frozenset({"id", "projectId", "lastModifiedAt", "BacklogPriority", "ParentID", "AssignedToID"})
_RANGES = frozenset({"id", "BacklogPriority", "lastModifiedAt"})


def list_items(call: Call, parent_id: int | None = None) -> Answer:
    """Answer with a page of the items the caller may see, or of the tasks of one of them."""
    custom = custom_fields(call)
    options = options_of(call.query, custom=custom)
    if not _is_quick(options):
        call.may_take_long()
    named, rest = _project_named(options.filter)
    visible = [p for p in sorted(call.caller.project_ids) if named is None or p == named]
    access = None if len(visible) > 1 and len(visible) == projects.count(call.connection) else tuple(visible)
    if parent_id is None and rest is None and not options.order:
        documents = work_items.default_page(call.connection, access, options.skip, options.limit)
        return envelope(documents, projects.items_in(call.connection, visible), options, with_skip=True)
    columns = item_columns(custom)
    conditions = [*work_items.within(access), *work_items.below(parent_id)]
    if rest is not None:
        conditions.append(condition(rest, columns))
    order = sort_columns(options.order, columns) if options.order else DEFAULT_ORDER
    documents = work_items.documents(call.connection, conditions, order, options.skip, options.limit)
    if parent_id is None and rest is None:
        total = projects.items_in(call.connection, visible)
    elif (documents or not options.skip) and len(documents) < options.limit:
        total = options.skip + len(documents)
    elif parent_id is not None or rest is None:
        total = work_items.count(call.connection, conditions)
    else:
        revision = projects.revision_of(call.connection, visible)
        count = partial(work_items.count, call.connection, conditions)
        total = call.shared.totals.get((tuple(visible), rest), revision, count)
    return envelope(documents, total, options, with_skip=True)


def custom_fields(call: Call) -> tuple[Field, ...]:
    """Return the custom fields of all projects the caller sees; of two with one name, the first project's."""
    found: dict[str, Field] = {}
    for project_id in call.caller.project_ids:
        for field in call.settings_of(project_id).custom:
            found.setdefault(field.key.lower(), field)
    return tuple(found.values())


def _project_named(found: Filter | None) -> tuple[int | None, Filter | None]:
    """Take `projectId eq n` out of a conjunction, so that it chooses the index."""
    parts = found.parts if isinstance(found, And) else () if found is None else (found,)
    for part in parts:
        match part:
            case Comparison(Operator.EQ, Property("projectId"), Literal(int(value))) if not isinstance(value, bool):
                rest = tuple(other for other in parts if other is not part)
                return value, And(rest) if len(rest) > 1 else rest[0] if rest else None
    return None, found


def _is_quick(options: ListOptions) -> bool:
    """Return True for a list served by indexes, which may run on the fast lane."""
    if any(key.name not in _RANGES for key in options.order):
        return False
    parts = options.filter.parts if isinstance(options.filter, And) else (options.filter,)
    return options.filter is None or all(_is_indexed(part) for part in parts)


def _is_indexed(part: Filter | None) -> bool:
    match part:
        case Comparison(operator, Property(name), Literal(value)):
            is_range = name in _RANGES and operator is not Operator.NE
            return value is not None and (is_range or (name in _INDEXED and operator is Operator.EQ))
    return False
