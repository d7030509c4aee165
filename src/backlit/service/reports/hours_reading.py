"""The time entries of a report, from the tables."""

from collections.abc import Mapping, Sequence
from datetime import date, datetime, time

from msgspec import Struct
from sqlalchemy import Connection, and_, select

from backlit.model.fields import ItemType
from backlit.model.relations import RelationType
from backlit.model.time_groups import TimeGroup
from backlit.model.working_days import DAY, days_between
from backlit.service.reports.context import DEFAULT_DAYS, ReportQuestion
from backlit.service.reports.logged_time import LoggedHours, logged_days
from backlit.service.storage.objects_schema import relations, time_entries
from backlit.service.storage.schema import work_items


class LoggedHoursReading(Struct, frozen=True):
    """What the time entries of one project are read with."""

    connection: Connection
    project_id: int

    def asked(self, question: ReportQuestion, today: date) -> Sequence[LoggedHours]:
        """Return the entries of the asked days; of an iteration those of all days."""
        entries = select(
            time_entries.c.date,
            time_entries.c.hours,
            time_entries.c.user_id,
            time_entries.c.type,
            work_items.c.iteration_id,
            work_items.c.team_id,
            work_items.c.parent_id,
        ).where(time_entries.c.project_id == self.project_id, work_items.c.id == time_entries.c.task_id)
        if question.iteration_id is None or question.week is not None:
            before = list(days_between(today - DAY * ((question.days or DEFAULT_DAYS) - 1), today))
            days = logged_days(question, before, today)
            first, last = (datetime.combine(day, time()) for day in (days[0], days[-1]))
            entries = entries.where(time_entries.c.date.between(first, last))
        features = self._features() if question.by is TimeGroup.FEATURE else {}
        return [
            LoggedHours(
                row.date.date(),
                row.hours,
                row.user_id,
                row.type,
                row.iteration_id,
                row.team_id,
                features.get(row.parent_id or 0),
            )
            for row in self.connection.execute(entries)
        ]

    def _features(self) -> Mapping[int, str]:
        """Return the name of the Feature above each item that has tasks with hours: the item itself, or its parent."""
        items, feature = work_items.alias(), work_items.alias()
        with_tasks = (
            select(work_items.c.parent_id)
            .join(time_entries, time_entries.c.task_id == work_items.c.id)
            .where(time_entries.c.project_id == self.project_id)
        )
        parent = and_(relations.c.work_item_id == items.c.id, relations.c.type == RelationType.PARENT.value)
        found = (
            select(items.c.id, items.c.type, items.c.name, feature.c.name)
            .select_from(items.outerjoin(relations, parent).outerjoin(feature, feature.c.id == relations.c.target_id))
            .where(items.c.id.in_(with_tasks))
        )
        return {
            item_id: own if item_type == ItemType.FEATURE else above
            for item_id, item_type, own, above in self.connection.execute(found)
            if item_type == ItemType.FEATURE or above is not None
        }
