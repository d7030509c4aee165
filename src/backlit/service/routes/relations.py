"""Relations between items."""

from collections.abc import Mapping
from typing import Any

from sqlalchemy import RowMapping

from backlit.model.errors import BadRequest, Forbidden
from backlit.model.relations import NewRelation, RelatedItem, directed, must_fit
from backlit.model.resources import Relation
from backlit.service.http.endpoint import RequestContext
from backlit.service.http.listing import ListOptions
from backlit.service.routes.below import ObjectRoutes, Values
from backlit.service.tables.below import RELATIONS
from backlit.service.tables.list_statement import ListStatement
from backlit.service.tables.relations import StoredRelations, columns_seen_from, seen_from
from backlit.service.tables.work_items import WorkItemRow


class RelationRoutes(ObjectRoutes[Relation]):
    """The routes of relations, which have an item at each end."""

    objects = RELATIONS
    noun = "relations"
    name = "Relation"
    extension = "relations"

    def values_for_new(self, call: RequestContext, body: Mapping[str, Any]) -> Values:
        item, target = (self.item_named(call, body, key) for key in ("workItemId", "targetId"))
        self._must_be_without(self.faults_of_place(body, workItemId=item, targetId=target))
        return self._checked(call, directed(str(body.get("type")), _end(item), _end(target)))

    def changed_values(self, call: RequestContext, body: Mapping[str, Any], old: Relation) -> Values:
        if body.get("targetId") in (None, 0, old.target_id) and not isinstance(body.get("targetId"), bool):
            return {}
        item = self.item_named(call, {"workItemId": old.work_item_id}, "workItemId")
        target = self.item_named(call, body, "targetId")
        self._must_be_without(self.faults_of_place({}, targetId=target))
        return self._checked(call, directed(old.type, _end(item), _end(target), old.id))

    def query(self, call: RequestContext, options: ListOptions, item_id: int | None) -> ListStatement:
        columns = None if item_id is None else columns_seen_from(item_id)
        return self.objects.query(tuple(call.caller.project_ids), item_id, options.filter, options.order, columns)

    def shown(self, row: RowMapping, item_id: int | None) -> Relation:
        relation = self.objects.of_row(row)
        return relation if item_id is None else seen_from(relation, item_id)

    def _must_be_without(self, errors: Mapping[str, str]) -> None:
        if errors:
            raise BadRequest(" ".join(errors.values()), errors)

    def _checked(self, call: RequestContext, relation: NewRelation) -> Values:
        ends = relation.first, relation.second
        if not any(call.caller.can_write(end.project_id) for end in ends):
            raise Forbidden("You may read this project, but not change it.")
        must_fit(relation, StoredRelations(call.connection, call.caller))
        return {
            "project_id": relation.first.project_id,
            "work_item_id": relation.first.id,
            "type": relation.type.value,
            "target_id": relation.second.id,
            "target_project_id": relation.second.project_id,
        }


def _end(item: WorkItemRow | None) -> RelatedItem:
    assert item is not None
    return RelatedItem(item.id, item.type, item.project_id)


routes = RelationRoutes().routes()
