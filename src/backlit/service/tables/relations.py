"""Relations as the rules for new ones ask for them, and as they are seen from one of their ends."""

from collections.abc import Collection, Iterable, Mapping

from msgspec import Struct
from msgspec.structs import replace
from sqlalchemy import ColumnElement, Connection, case, func, literal, or_, select

from backlit.model.fields import ItemType
from backlit.model.relations import INVERSES, KnownRelation, RelationType
from backlit.model.resources import Relation
from backlit.service.storage.access import Caller
from backlit.service.storage.filter_sql import Columns
from backlit.service.storage.objects_schema import relations
from backlit.service.storage.schema import work_items
from backlit.service.tables.below import RELATIONS

_INVERSE_BY_TYPE: Mapping[str, str] = {kind.value: inverse for kind, inverse in INVERSES.items()}
_IDS_AT_ONCE = 500
"""Bound values of one statement; a walk may come by any number of items."""


class StoredRelations(Struct, frozen=True):
    """The relations of the database, for the rules of `model.relations`."""

    connection: Connection
    caller: Caller

    def from_items(self, kind: RelationType, item_ids: Collection[int]) -> Iterable[KnownRelation]:
        return self._of(kind, relations.c.work_item_id, item_ids)

    def to_items(self, kind: RelationType, item_ids: Collection[int]) -> Iterable[KnownRelation]:
        return self._of(kind, relations.c.target_id, item_ids)

    def features(self, item_ids: Collection[int]) -> Collection[int]:
        is_feature = work_items.c.type == ItemType.FEATURE.value
        return [
            item_id
            for some in _blocks(item_ids)
            for item_id in self.connection.execute(
                select(work_items.c.id).where(work_items.c.id.in_(some), is_feature)
            ).scalars()
        ]

    def count(self, item_id: int, *, besides: int | None) -> int:
        mine = or_(relations.c.work_item_id == item_id, relations.c.target_id == item_id)
        number = select(func.count()).select_from(relations).where(mine, relations.c.id != (besides or 0))
        return self.connection.execute(number).scalar_one()

    def are_visible(self, item_ids: Collection[int]) -> bool:
        project_ids = {
            project_id
            for some in _blocks(item_ids)
            for project_id in self.connection.execute(
                select(work_items.c.project_id).where(work_items.c.id.in_(some))
            ).scalars()
        }
        return all(self.caller.can_see(project_id) for project_id in project_ids)

    def _of(self, kind: RelationType, end: ColumnElement[int], item_ids: Collection[int]) -> Iterable[KnownRelation]:
        columns = relations.c.id, relations.c.work_item_id, relations.c.target_id
        for some in _blocks(item_ids):
            found = select(*columns).where(end.in_(some), relations.c.type == kind.value)
            yield from (KnownRelation(*row) for row in self.connection.execute(found.order_by(relations.c.id)).all())


def _blocks(item_ids: Collection[int]) -> Iterable[list[int]]:
    ids = list(item_ids)
    return (ids[start : start + _IDS_AT_ONCE] for start in range(0, len(ids), _IDS_AT_ONCE))


def seen_from(relation: Relation, item_id: int) -> Relation:
    """Return a relation of an item from its own side."""
    if relation.work_item_id == item_id:
        return relation
    return replace(
        relation,
        project_id=relation.target_project_id,
        work_item_id=relation.target_id,
        type=_INVERSE_BY_TYPE.get(relation.type, relation.type),
        target_id=relation.work_item_id,
        target_project_id=relation.project_id,
    )


def columns_seen_from(item_id: int) -> Columns:
    """Return the columns of the relations of an item from its own side, as `seen_from` has them."""
    is_first = relations.c.work_item_id == item_id
    inverse = case(_INVERSE_BY_TYPE, value=relations.c.type, else_=relations.c.type)
    turned: dict[str, ColumnElement[object]] = {
        "projectId": case((is_first, relations.c.project_id), else_=relations.c.target_project_id),
        "workItemId": literal(item_id),
        "type": case((is_first, relations.c.type), else_=inverse),
        "targetId": case((is_first, relations.c.target_id), else_=relations.c.work_item_id),
        "targetProjectId": case((is_first, relations.c.target_project_id), else_=relations.c.project_id),
    }
    kept = RELATIONS.columns
    return {**kept, **{key: (column, kept[key][1]) for key, column in turned.items()}}
