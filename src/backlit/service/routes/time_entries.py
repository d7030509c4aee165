"""Time entries of tasks, which change the work of their task."""

from collections.abc import Mapping
from datetime import datetime, time
from typing import Any, ClassVar

from backlit.model.errors import BadRequest, Forbidden, NotFound
from backlit.model.field_values import Misfit, parse_day, parse_hours, parse_text
from backlit.model.fields import ItemType
from backlit.model.resources import TimeEntry
from backlit.service.http.endpoint import HandlerResponse, RequestContext
from backlit.service.routes.below import ObjectRoutes, Values
from backlit.service.routes.work_items import touch_items, visible_document
from backlit.service.rules.checks import TEXT_LIMIT, ColumnParser, is_id, parse_capacity, parsed_columns
from backlit.service.tables import users, work_items
from backlit.service.tables.below import TIME_ENTRIES
from backlit.service.tables.projects import time_entry_types_of
from backlit.service.tables.work_items import WorkItemRow, item_of

_DECIMALS = 6
"""Decimals of the work that entries leave in a task: sums of fractions have more."""


def _date(value: object) -> datetime:
    return datetime.combine(parse_day(value), time())


def _text_or_none(value: object) -> str | None:
    return None if value is None else parse_text(value, TEXT_LIMIT)


def _user_id(value: object) -> int:
    if not is_id(value):
        raise Misfit("must be the id of a user.")
    return value


class TimeEntryRoutes(ObjectRoutes[TimeEntry]):
    """The routes of time entries."""

    objects = TIME_ENTRIES
    noun = "timeentries"
    name = "Time entry"
    extension = "timeEntries"
    tag = "time_entries"
    items = "tasks"
    item_key = "taskId"
    parsers: ClassVar[Mapping[str, tuple[str, ColumnParser]]] = {
        "date": ("date", _date),
        "hours": ("hours", parse_hours),
        "type": ("type", _text_or_none),
        "note": ("note", _text_or_none),
        "userId": ("user_id", _user_id),
    }
    required = ("date", "hours")

    def list_of_item(self, call: RequestContext) -> HandlerResponse:
        """GET the {noun} of a task."""
        if item_of(visible_document(call, call.path["id"])).type != ItemType.TASK:
            raise NotFound(f"Task {call.path['id']} does not exist, or you have no access to it.")
        return super().list_of_item(call)

    def values_for_new(self, call: RequestContext, body: Mapping[str, Any]) -> Values:
        task, values = self.parsed_for_new(call, body)
        _given_work(call)
        user_id = values.setdefault("user_id", call.caller.id)
        self._must_have_type(call, task.project_id, values.setdefault("type", None))
        if user_id != call.caller.id:
            self._must_log_for(call, task.project_id, user_id)
        return {"project_id": task.project_id, "task_id": task.id, "note": None, **_with_week(values)}

    def changed_values(self, call: RequestContext, body: Mapping[str, Any], old: TimeEntry) -> Values:
        values = parsed_columns(body, {key: self.parsers[key] for key in self.parsers if key != "userId"})
        if values.get("type", old.type) != old.type:
            self._must_have_type(call, old.project_id, values["type"])
        return _with_week(values)

    def faults_of_item(self, item: WorkItemRow) -> dict[str, str]:
        return {} if item.type == ItemType.TASK else {"taskId": f"#{item.id} is no Task; time is logged on tasks."}

    def must_write(self, call: RequestContext, found: TimeEntry) -> None:
        super().must_write(call, found)
        if found.user_id != call.caller.id and not call.caller.is_manager_of(found.project_id):
            raise Forbidden("Only the user and managers of the project can change a time entry.")

    def was_changed(self, call: RequestContext, old: TimeEntry | None, new: TimeEntry | None) -> None:
        entry = new or old
        assert entry is not None
        row = work_items.read(call.connection, entry.task_id)
        if row is None:
            return
        task, settings = item_of(row[1]), call.settings_of(entry.project_id)
        difference = (new.hours if new else 0.0) - (old.hours if old else 0.0)
        work = _work(task, difference, _given_work(call)) if settings.work_from_time else {}
        values = {**task.values, **work}
        if values == task.values:
            touch_items(call, [task.id] if old is not new else [])
            return
        work_items.change(call.connection, task, values, settings, call.stamp)
        work_items.roll_up(call.connection, values["ParentID"], settings, call.stamp)

    def _must_have_type(self, call: RequestContext, project_id: int, name: str | None) -> None:
        names = [each.name for each in time_entry_types_of(call.connection, project_id)]
        if name in names or (name is None and not names):
            return
        sentence = f"type must be one of: {', '.join(names)}." if names else "The project has no types of time entries."
        raise BadRequest(sentence, {"type": sentence})

    def _must_log_for(self, call: RequestContext, project_id: int, user_id: int) -> None:
        if not call.caller.is_manager_of(project_id):
            raise Forbidden("Only managers of the project can log time for others.")
        if not users.is_member(call.connection, user_id, project_id):
            sentence = f"The project has no user {user_id}."
            raise BadRequest(sentence, {"userId": sentence})


def _given_work(call: RequestContext) -> dict[str, float | None]:
    """Return the work that the body says is left; raise BadRequest."""
    if call.request.method == "DELETE":
        return {}
    return parsed_columns(call.json(), {"workRemaining": ("WorkRemaining", parse_capacity)})


def _work(task: WorkItemRow, hours: float, given: Mapping[str, float | None]) -> dict[str, float | None]:
    """Return the work of a task after so many more hours."""
    if not hours:
        return dict(given)
    remaining = task.values.get("WorkRemaining")
    return {
        "WorkCompleted": round(max((task.values.get("WorkCompleted") or 0.0) + hours, 0.0), _DECIMALS),
        "WorkRemaining": None if remaining is None else round(max(remaining - hours, 0.0), _DECIMALS),
        **given,
    }


def _with_week(values: Values) -> Values:
    return values | {"week": values["date"].isocalendar().week} if "date" in values else values


routes = TimeEntryRoutes().routes()
