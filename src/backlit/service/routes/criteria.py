"""Acceptance criteria of items, in an order of their own."""

from collections.abc import Mapping
from typing import Any, ClassVar

import orjson

from backlit.model.field_values import Misfit, parse_name, parse_text
from backlit.model.fields import ItemType
from backlit.model.resources import AcceptanceCriterion, CriterionStatus
from backlit.service.http.endpoint import RequestContext
from backlit.service.routes.below import ObjectRoutes, Values
from backlit.service.rules.checks import TEXT_LIMIT, ColumnParser, parse_sequence
from backlit.service.tables.below import CRITERIA
from backlit.service.tables.changes import note
from backlit.service.tables.siblings import LAST_SEQUENCE, Siblings
from backlit.service.tables.work_items import WorkItemRow

_STATUSES = tuple(CriterionStatus)


def _description(value: object) -> str:
    return "" if value is None else parse_text(value, TEXT_LIMIT)


def _status(value: object) -> str:
    if not isinstance(value, str) or value not in _STATUSES:
        raise Misfit(f"must be one of: {', '.join(_STATUSES)}.")
    return value


class CriterionRoutes(ObjectRoutes[AcceptanceCriterion]):
    """The routes of acceptance criteria."""

    objects = CRITERIA
    noun = "acceptancecriteria"
    name = "Acceptance criterion"
    extension = "acceptanceCriteria"
    tag = "acceptance_criteria"
    parsers: ClassVar[Mapping[str, tuple[str, ColumnParser]]] = {
        "title": ("title", parse_name),
        "description": ("description", _description),
        "status": ("status", _status),
        "sequence": ("sequence", parse_sequence),
    }
    required = ("title",)
    max_of_item = 200
    nouns = "acceptance criteria"

    def values_for_new(self, call: RequestContext, body: Mapping[str, Any]) -> Values:
        item, values = self.parsed_for_new(call, body)
        preset = {"description": "", "status": CriterionStatus.NOT_EXECUTED.value, "sequence": LAST_SEQUENCE}
        return {"project_id": item.project_id, "work_item_id": item.id, **preset, **values}

    def faults_of_item(self, item: WorkItemRow) -> dict[str, str]:
        if item.type != ItemType.TASK:
            return {}
        return {"workItemId": f"#{item.id} is a Task; a Task has no acceptance criteria."}

    def add(self, call: RequestContext, values: Values) -> AcceptanceCriterion:
        sequence, shifted = self._siblings(call, values["work_item_id"]).insert(values["sequence"])
        added = super().add(call, {**values, "sequence": sequence})
        self._note(call, [*self.objects.renumbered(shifted, call.stamp)])
        return added

    def change(self, call: RequestContext, old: AcceptanceCriterion, values: Values) -> AcceptanceCriterion:
        if values.get("sequence", old.sequence) == old.sequence:
            return super().change(call, old, values)
        sequence, shifted = self._siblings(call, old.work_item_id).move(old.sequence, values["sequence"])
        new = super().change(call, old, {**values, "sequence": sequence})
        self._note(call, [*self.objects.renumbered(shifted, call.stamp)])
        return new

    def delete(self, call: RequestContext, found: AcceptanceCriterion) -> None:
        super().delete(call, found)
        shifted = self._siblings(call, found.work_item_id).close(found.sequence)
        self._note(call, [*self.objects.renumbered(shifted, call.stamp)])

    def edited_part(self, found: AcceptanceCriterion) -> bytes:
        # Siblings shift the number without an edit, as of areas.
        return orjson.dumps({key: value for key, value in found.wire().items() if key != "sequence"})

    def _siblings(self, call: RequestContext, item_id: int) -> Siblings:
        table = self.objects.table
        columns = ("id", "project_id", "work_item_id", "sequence")
        return Siblings(call.connection, table, (table.c.work_item_id == item_id,), columns)

    @staticmethod
    def _note(call: RequestContext, renumbered: list[Any]) -> None:
        if renumbered:
            note(call.connection, call.stamp, *renumbered)


routes = CriterionRoutes().routes()
