"""The last hours of the sample: changes by others, written as the service writes every change."""

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import Connection, select

from backlit.model.fields import ItemType
from backlit.service.sample.past import Sprint
from backlit.service.storage.schema import work_items
from backlit.service.tables import work_items as items
from backlit.service.tables.below import COMMENTS
from backlit.service.tables.changes import Stamp
from backlit.service.tables.projects import ProjectSettings

LAST_HOURS = timedelta(hours=4)
"""Time before the sample is made in which only these changes happen."""
_LARGER = {"1": "3", "2": "5", "3": "8", "5": "13", "8": "13"}
_ADDED = "Also on slow connections.\nAlso without a mouse."
_TRIED = "Tried it on staging: the second retry still loses the basket after ten minutes."
_ASKED = "Legal asks whether the note can stay below the button. Can you decide, maya?"


class RecentChanges:
    """What two people did in the last hours in one project."""

    def __init__(
        self, connection: Connection, settings: ProjectSettings, user_ids: Mapping[str, int], now: datetime
    ) -> None:
        self._connection = connection
        self._settings = settings
        self._user_ids = user_ids
        self._now = now

    def write(self, current: Sprint, following: Sprint) -> None:
        """Change four stories, of the backlog and of two sprints, as far as there are such."""
        estimated, asked = (*self._stories(self._settings.root_iteration_id), None, None)[:2]
        if estimated is not None and estimated.values.get("Estimate") in _LARGER:
            text = f"{estimated.values.get('Description') or ''}\n{_ADDED}".strip()
            estimate = _LARGER[estimated.values["Estimate"]]
            self._change(estimated, {"Estimate": estimate, "Description": text}, "jon", 190)
        for story in self._stories(current.id)[:1]:
            self._comment(story, _TRIED, "lena", 130)
        if asked is not None:
            self._comment(asked, _ASKED, "jon", 64)
        for story in self._stories(following.id)[:1]:
            taken = {"AssignedToID": self._user_ids["lena"], "PriorityClass": "1 - Must Have"}
            self._change(story, taken, "lena", 2)

    def _stories(self, iteration_id: int) -> list[items.WorkItemRow]:
        """Return estimated stories that are not done, as they are ranked."""
        table = work_items.c
        mine = table.iteration_id == iteration_id, table.type == ItemType.STORY.value
        is_open = table.status.in_(("Not Done", "In Progress")), table.estimate.is_not(None)
        ranked = select(table.doc).where(*mine, *is_open).order_by(table.backlog_priority, table.id).limit(4)
        return [items.item_of(document) for document in self._connection.execute(ranked).scalars()][-2:]

    def _stamp(self, name: str, minutes: int) -> Stamp:
        return Stamp(self._user_ids[name], name, self._now - timedelta(minutes=minutes))

    def _change(self, item: items.WorkItemRow, values: Mapping[str, Any], name: str, minutes: int) -> None:
        stamp = self._stamp(name, minutes)
        items.change(self._connection, item, {**item.values, **values}, self._settings, stamp)

    def _comment(self, item: items.WorkItemRow, text: str, name: str, minutes: int) -> None:
        values = {"project_id": item.project_id, "work_item_id": item.id, "description": text, "type": "Service"}
        COMMENTS.add(self._connection, values, self._stamp(name, minutes))
