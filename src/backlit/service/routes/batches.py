"""Several new resources in one request and one transaction, all or none."""

from collections.abc import Callable
from typing import Any

import orjson

from backlit.model.errors import BadRequest
from backlit.service.http.endpoint import HandlerResponse, RequestContext, json_answer

MAX_BATCH_SIZE = 200
OBJECT_BATCHES = "objectBatches"
"""The extension by which objects below items are made in batches."""


def answer_batch(call: RequestContext, create: Callable[[RequestContext, dict[str, Any]], bytes]) -> HandlerResponse:
    """Create the resources of `{"items": [...]}` by their bodies; 201 with their documents, in their order.

    Raises BadRequest that names the item, as in `items[3].Status`.
    """
    bodies = call.json().get("items")
    if not isinstance(bodies, list) or not 0 < len(bodies) <= MAX_BATCH_SIZE:
        sentence = f"items must be a list of 1 to {MAX_BATCH_SIZE} objects."
        raise BadRequest(sentence, {"items": sentence})
    results = []
    for number, body in enumerate(bodies):
        if not isinstance(body, dict):
            raise BadRequest(f"items[{number}] must be an object.", {f"items[{number}]": "Must be an object."})
        try:
            document = create(call, body)
        except BadRequest as error:
            errors = {f"items[{number}].{key}": sentence for key, sentence in error.errors.items()}
            raise BadRequest(f"items[{number}]: {error.message}", errors) from error
        results.append(orjson.Fragment(document))
    return json_answer({"results": results}, 201)
