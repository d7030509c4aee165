"""Objects below items: what relations, links, acceptance criteria and time entries have in common."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, ClassVar, Generic

import orjson
from sqlalchemy import RowMapping

from backlit.model.errors import BadRequest, Forbidden, NotFound
from backlit.model.resources import Resource
from backlit.service.http.endpoint import (
    ContinueOnSlowQueue,
    HandlerResponse,
    RequestContext,
    Route,
    etag_of,
    json_answer,
    must_match,
    resource_answer,
)
from backlit.service.http.listing import ListOptions, envelope, options_of
from backlit.service.http.options import TOP_DEFAULT, TOP_LIMIT
from backlit.service.routes.batches import OBJECT_BATCHES, answer_batch
from backlit.service.routes.work_items import touch_items, visible_document
from backlit.service.rules.checks import ColumnParser, columns_and_faults, is_id, parsed_columns
from backlit.service.tables import work_items
from backlit.service.tables.below import ObjectT, ObjectTable
from backlit.service.tables.list_statement import ListStatement
from backlit.service.tables.work_items import WorkItemRow, item_of

Values = dict[str, Any]


class ObjectRoutes(ABC, Generic[ObjectT]):
    """The routes of one kind of objects: its table, its nouns in addresses and sentences, and its rules.

    `{noun}` in the handlers' docstrings stands for the noun in addresses.
    """

    objects: ObjectTable[ObjectT]
    noun: ClassVar[str]
    name: ClassVar[str]
    extension: ClassVar[str]
    tag: ClassVar[str | None] = None
    """The group in the OpenAPI document, where it is not the resource's name with an s."""
    items: ClassVar[str] = "workitems"
    """The noun of what has such objects."""
    item_key: ClassVar[str] = "workItemId"
    parsers: ClassVar[Mapping[str, tuple[str, ColumnParser]]]
    required: ClassVar[tuple[str, ...]] = ()
    max_of_item: ClassVar[int | None] = None
    nouns: ClassVar[str] = ""
    """The name of several, in the sentence about too many of an item."""

    def routes(self) -> tuple[Route, ...]:
        served = (
            ("GET", f"/{self.noun}", self.list_all),
            ("GET", f"/{self.items}/{{id}}/{self.noun}", self.list_of_item),
            ("GET", f"/{self.noun}/{{id}}", self.read),
            ("POST", f"/{self.noun}", self.create),
            ("PUT", f"/{self.noun}/{{id}}", self.update),
            ("DELETE", f"/{self.noun}/{{id}}", self.remove),
        )
        model, tops = self.objects.model, {f"/{self.noun}": TOP_DEFAULT}
        batch, tag = f"{model.__name__}Batch", self.tag or self.noun
        found: list[Route] = [
            Route(method, path, handler, model, self.tag, self.extension, tops.get(path, TOP_LIMIT))
            for method, path, handler in served
        ]
        return (*found, Route("POST", f"/{self.noun}/batch", self.create_batch, batch, tag, OBJECT_BATCHES))

    def list_all(self, call: RequestContext) -> HandlerResponse:
        """GET /{noun}: those of all items the caller may see."""
        return self._list(call, None)

    def list_of_item(self, call: RequestContext) -> HandlerResponse:
        """GET the {noun} of an item."""
        visible_document(call, call.path["id"])
        return self._list(call, call.path["id"])

    def read(self, call: RequestContext) -> HandlerResponse:
        """GET /{noun}/{id}."""
        return self._answer(self._found(call))

    def create(self, call: RequestContext) -> HandlerResponse:
        """POST /{noun}: 201 with Location."""
        added = self._create(call, call.json())
        return self._answer(added, 201, {"location": f"{call.root}/{self.noun}/{added.id}"})

    def create_batch(self, call: RequestContext) -> HandlerResponse:
        """POST /{noun}/batch: up to 200 new ones in one transaction, all or none; 201 with them in their order."""
        return answer_batch(call, lambda call, body: orjson.dumps(self._create(call, body).wire()))

    def _create(self, call: RequestContext, body: Mapping[str, Any]) -> ObjectT:
        added = self.add(call, self.values_for_new(call, body))
        self.was_changed(call, None, added)
        return added

    def update(self, call: RequestContext) -> HandlerResponse:
        """PUT /{noun}/{id}: the keys to change."""
        body = call.json()
        old = self._found_to_write(call)
        new = self.change(call, old, self.changed_values(call, body, old))
        self.was_changed(call, old, new)
        return self._answer(new)

    def remove(self, call: RequestContext) -> HandlerResponse:
        """DELETE /{noun}/{id}."""
        found = self._found_to_write(call)
        self.delete(call, found)
        self.was_changed(call, found, None)
        return json_answer({"id": found.id})

    @abstractmethod
    def values_for_new(self, call: RequestContext, body: Mapping[str, Any]) -> Values:
        """Return the columns of a new object that the caller may make; raise BadRequest or Forbidden."""

    def changed_values(self, _call: RequestContext, body: Mapping[str, Any], _old: ObjectT) -> Values:
        """Return the columns that a body changes; raise BadRequest."""
        return parsed_columns(body, self.parsers)

    def add(self, call: RequestContext, values: Values) -> ObjectT:
        return self.objects.add(call.connection, values, call.stamp)

    def change(self, call: RequestContext, old: ObjectT, values: Values) -> ObjectT:
        return self.objects.change(call.connection, old, values, call.stamp)

    def delete(self, call: RequestContext, found: ObjectT) -> None:
        self.objects.remove(call.connection, found, call.stamp)

    def was_changed(self, call: RequestContext, old: ObjectT | None, new: ObjectT | None) -> None:
        """Move the stamps of the items on, after a creation, a change or a deletion."""
        if old is not new:
            ends = (self.objects.items_of(each) for each in (old, new) if each is not None)
            touch_items(call, (item_id for items in ends for item_id, _ in items))

    def edited_part(self, found: ObjectT) -> bytes:
        """Return what the ETag stands for."""
        return orjson.dumps(found.wire())

    def must_write(self, call: RequestContext, found: ObjectT) -> None:
        """Raise Forbidden unless the caller may change an object that is visible: a contributor at one of its items."""
        if not any(call.caller.can_write(project_id) for _, project_id in self.objects.items_of(found)):
            raise Forbidden("You may read this project, but not change it.")

    def query(self, call: RequestContext, options: ListOptions, item_id: int | None) -> ListStatement:
        return self.objects.query(tuple(call.caller.project_ids), item_id, options.filter, options.order)

    def shown(self, row: RowMapping, _item_id: int | None) -> ObjectT:
        return self.objects.of_row(row)

    def parsed_for_new(self, call: RequestContext, body: Mapping[str, Any]) -> tuple[WorkItemRow, Values]:
        """Return the item of a new object, which the caller may write, and the columns of the body."""
        item = self.item_named(call, body, self.item_key)
        errors = self.faults_of_place(body, **{self.item_key: item})
        if item is not None:
            errors |= self.faults_of_item(item)
        values, faults = columns_and_faults(body, self.parsers)
        errors |= faults
        missing = [key for key in self.required if self.parsers[key][0] not in values and key not in errors]
        errors |= {key: f"{key} is required." for key in missing}
        if errors or item is None:
            raise BadRequest(" ".join(errors.values()), errors)
        call.caller.must_write(item.project_id, f"Work item {item.id}")
        self._must_have_room(call, item.id)
        return item, values

    def faults_of_place(self, body: Mapping[str, Any], **items: WorkItemRow | None) -> dict[str, str]:
        """Return the faults of the items that a body names, and of its project, which is that of the first one."""
        errors = {
            key: f"{key} must be the id of a work item that you may see." for key, item in items.items() if item is None
        }
        given, first = body.get("projectId"), next(iter(items.values()))
        # 0 counts as not given, as whole-object clients send it; False equals 0.
        is_given = given is not None and (given != 0 or isinstance(given, bool))
        if is_given and first is not None and (given != first.project_id or isinstance(given, bool)):
            errors["projectId"] = "projectId must be the project of the work item."
        return errors

    def faults_of_item(self, _item: WorkItemRow) -> dict[str, str]:
        """Return the reason why an item can have no such object, by key."""
        return {}

    def item_named(self, call: RequestContext, body: Mapping[str, Any], key: str) -> WorkItemRow | None:
        """Return the item that a body names; None where the caller sees none."""
        item_id = body.get(key)
        row = work_items.read(call.connection, item_id) if is_id(item_id) else None
        return None if row is None or not call.caller.can_see(row[0]) else item_of(row[1])

    def _must_have_room(self, call: RequestContext, item_id: int) -> None:
        most = self.max_of_item
        if most is not None and self.objects.count_of_item(call.connection, item_id) >= most:
            sentence = f"#{item_id} has {most} {self.nouns}, and can have no more."
            raise BadRequest(sentence, {self.item_key: sentence})

    def _list(self, call: RequestContext, item_id: int | None) -> HandlerResponse:
        options = options_of(call.query, self.objects.properties, default_top=call.default_top)
        if options.filter is None and not options.order:
            return self._page(options, item_id, call)
        raise ContinueOnSlowQueue(call, partial(self._page, options, item_id))

    def _page(self, options: ListOptions, item_id: int | None, call: RequestContext) -> HandlerResponse:
        return page_of(call, self.query(call, options, item_id), options, lambda row: self.shown(row, item_id))

    def _found(self, call: RequestContext) -> ObjectT:
        named = f"{self.name} {call.path['id']}"
        found = self.objects.read(call.connection, call.path["id"])
        if found is None:
            raise NotFound(f"{named} does not exist, or you have no access to it.")
        for _, project_id in self.objects.items_of(found):
            call.caller.must_see(project_id, named)
        return found

    def _found_to_write(self, call: RequestContext) -> ObjectT:
        """Return the object, in the version that If-Match asks for."""
        found = self._found(call)
        self.must_write(call, found)
        must_match(call.headers, self.edited_part(found))
        return found

    def _answer(self, found: ObjectT, status: int = 200, headers: Mapping[str, str] | None = None) -> HandlerResponse:
        return resource_answer(found, status, {"etag": etag_of(self.edited_part(found)), **(headers or {})})


def page_of(
    call: RequestContext, query: ListStatement, options: ListOptions, model: Callable[[RowMapping], Resource]
) -> HandlerResponse:
    """Return a page of a list; what is beyond a page that is not full needs no count."""
    documents = [orjson.dumps(model(row).wire()) for row in query.rows(call.connection, options.skip, options.limit)]
    is_last = (documents or not options.skip) and len(documents) < options.limit
    total = options.skip + len(documents) if is_last else query.count(call.connection)
    return envelope(documents, total, options)
