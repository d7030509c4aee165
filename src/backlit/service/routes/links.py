"""Links of items: web addresses."""

from collections.abc import Mapping
from typing import Any, ClassVar

from backlit.model.field_values import parse_link, parse_name
from backlit.model.resources import Link
from backlit.service.http.endpoint import RequestContext
from backlit.service.routes.below import ObjectRoutes, Values
from backlit.service.rules.checks import ColumnParser
from backlit.service.tables.below import LINKS


class LinkRoutes(ObjectRoutes[Link]):
    """The routes of links."""

    objects = LINKS
    noun = "links"
    name = "Link"
    extension = "links"
    parsers: ClassVar[Mapping[str, tuple[str, ColumnParser]]] = {
        "displayText": ("display_text", parse_name),
        "url": ("url", parse_link),
    }
    required = ("displayText", "url")
    max_of_item = 200
    nouns = "links"

    def values_for_new(self, call: RequestContext, body: Mapping[str, Any]) -> Values:
        item, values = self.parsed_for_new(call, body)
        return {"project_id": item.project_id, "work_item_id": item.id, **values}


routes = LinkRoutes().routes()
