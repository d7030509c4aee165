"""Ranking a work item (an extension)."""

from backlit.model.errors import BadRequest
from backlit.service.http.endpoint import Answer, Call
from backlit.service.http.etags import etag_of, must_match
from backlit.service.routes.work_items import found
from backlit.service.rules.work_item_checks import is_id
from backlit.service.tables import ranks, work_items
from backlit.service.tables.item_documents import Item, item_of

PLACES = ("before", "after", "top", "bottom")


def rank(call: Call) -> Answer:
    """POST /workitems/{id}/rank: {before: id}, {after: id}, {top: true} or {bottom: true}; 200 with the item."""
    body = call.json()
    document = found(call, call.path["id"], writing=True)
    must_match(call.headers, document)
    item = item_of(document)
    place, target = _place(call, body, item)
    ranks.move(
        call.connection,
        item,
        target,
        call.settings_of(item.project_id),
        after=place in {"after", "bottom"},
        by=call.caller.name,
        now=call.shared.clock.now(),
    )
    document = found(call, item.id)
    return Answer(document, 200, {"etag": etag_of(document)})


def _place(call: Call, body: dict[str, object], item: Item) -> tuple[str, Item | None]:
    """Return the requested place and the other item's id."""
    given = [place for place in PLACES if body.get(place) not in {None, False}] if _is_plain(body) else []
    if len(given) != 1:
        raise BadRequest(f"Give one of: {', '.join(PLACES)}.", dict.fromkeys(given, "Only one place can be given."))
    place, target_id = given[0], body[given[0]]
    if place in {"top", "bottom"}:
        if target_id is not True:
            raise BadRequest(f"{place} must be true.", {place: "Must be true."})
        return place, None
    row = work_items.read(call.connection, target_id) if is_id(target_id) else None
    if row is None or row[0] != item.project_id or target_id == item.id:
        sentence = f"{place} must be the id of another work item of the same project."
        raise BadRequest(sentence, {place: sentence})
    return place, item_of(row[1])


def _is_plain(body: dict[str, object]) -> bool:
    return all(isinstance(body.get(place), int | None) for place in PLACES)
