"""The OpenAPI 3.1 document, from the route table (an extension)."""

import inspect
from collections.abc import Iterator, Sequence
from importlib.metadata import version
from typing import Any

from pydantic.alias_generators import to_snake

from backlit.model.wrap import TOKEN_PATH
from backlit.service.auth import COOKIE
from backlit.service.http.endpoint import Route, Streamed
from backlit.service.http.listing import TOP_DEFAULT, TOP_LIMIT
from backlit.service.openapi.schemas import ID, Schema, list_of, reference, schemas
from backlit.service.routes.attachments import DOWNLOAD_PATH, STREAM_PATH

_JSON = "application/json"
_SENTENCES = {
    400: "Malformed or invalid; `errors` maps fields to their faults.",
    401: "No access token, or one that is an expired one; WWW-Authenticate names the token endpoint.",
    403: "The caller may read this resource, but not make this change.",
    404: "The resource does not exist, or the caller has no access to it.",
    412: "If-Match named a version that is no longer the current one.",
    413: "The body is too large.",
    415: "The body's content type is not one that is read here.",
    416: "The range lies outside the contents.",
    429: "Too many attempts to sign in; Retry-After says how long to wait.",
    431: "Address and headers together are too long.",
    503: "The service is too busy, or about to stop.",
}


def document(routes: Sequence[Route], name: str) -> Schema:
    """Return the document, with every status of each address."""
    paths: Schema = {}
    for route in routes:
        numbers = {"parameters": [_path_id()]} if "{id}" in route.path else {}
        paths.setdefault(f"/api/v1{route.path}", numbers)[route.method.lower()] = _operation(route)
    models = {route.resource for route in routes if not isinstance(route.resource, str)}
    return {
        "openapi": "3.1.0",
        "info": {"title": name, "version": version("backlit"), "license": {"name": "MIT", "identifier": "MIT"}},
        "servers": [{"url": "/"}],
        "security": [{"accessToken": []}, {"loginCookie": []}],
        "paths": paths | _others(),
        "components": {
            "schemas": schemas(models),
            "responses": {_named(status): _error(status) for status in _SENTENCES if status != 416},
            "securitySchemes": {
                "accessToken": {"type": "apiKey", "in": "header", "name": "Authorization", "description": _TOKEN},
                "loginCookie": {"type": "apiKey", "in": "cookie", "name": COOKIE},
            },
        },
    }


_TOKEN = "OAuth WRAP: `WRAP access_token=` and the url-encoded token."  # noqa: S105  a description


def _operation(route: Route) -> Schema:
    method, path, handler = route.method, route.path, route.handler
    function = handler.respond if isinstance(handler, Streamed) else handler
    verb, words = function.__name__, [part for part in path.split("/") if part and "{" not in part]
    resource = route.resource if isinstance(route.resource, str) else route.resource.__name__
    is_list = verb.startswith("list")
    found: Schema = {
        "operationId": "_".join([method.lower(), *words]) + ("_one" if path.endswith("{id}") else ""),
        "tags": [route.tag or _tag(resource)],
        "summary": (inspect.getdoc(function) or "").partition("\n")[0].replace("{noun}", words[-1]),
        "parameters": list(_parameters(method, verb, resource, is_list=is_list)),
    }
    if body := _body(resource, verb):
        found["requestBody"] = body
    if verb == "remove":
        answer = _answer("The id of what was deleted.", reference("Deleted"))
    elif is_list:
        answer = _answer("A page of the list.", list_of(resource))
    else:
        headers = () if isinstance(route.resource, str) else ("ETag",)
        answer = _answer("The resource.", reference(resource), headers + (("Location",) if _creates(verb) else ()))
    # The interface answers 201 to a change of a work item.
    status = 201 if _creates(verb) or (resource, verb) == ("WorkItem", "update") else 200
    refusals = {
        str(code): {"$ref": f"#/components/responses/{_named(code)}"} for code in _refusals(path, method, is_list)
    }
    return found | {"responses": {str(status): answer, **refusals}}


def _tag(resource: str) -> str:
    """Return the plural of a resource in snake case."""
    return to_snake(resource).removesuffix("s") + "s"


def _creates(verb: str) -> bool:
    return verb == "create" or verb.startswith("upload")


def _refusals(path: str, method: str, is_list: bool) -> list[int]:
    codes = [401, 431, 503]
    if is_list or method != "GET":
        codes.append(400)
    if "{id}" in path:
        codes.append(404)
    if method != "GET":
        codes += [403, 413]
    if method in {"POST", "PUT"}:
        codes.append(415)
    if method != "GET" and "{id}" in path:
        codes.append(412)
    return sorted(codes)


def _parameters(method: str, verb: str, resource: str, *, is_list: bool) -> Iterator[Schema]:
    if is_list:
        limit = f"How many at most; {TOP_DEFAULT} work items unless given, never more than {TOP_LIMIT}."
        yield _query("$top", {"type": "integer", "minimum": 0}, limit)
        yield _query("$skip", {"type": "integer", "minimum": 0}, "How many to pass over.")
        yield _query("$filter", {"type": "string", "maxLength": 8192}, "OData, for example: Status eq 'Done'")
        yield _query("$orderby", {"type": "string"}, "For example: lastModifiedAt desc, id")
    if verb == "remove" and resource in {"Area", "Iteration"}:
        yield _query(
            "reassignmentId", {"type": "integer", "minimum": 0}, "Where items below go; to the root unless given."
        )
    if verb.startswith("upload"):
        yield _query("type", {"type": "string", "examples": ["Service", "Feedback"]}, "Service unless given.")
    if method in {"PUT", "DELETE"} or verb == "rank":
        yield {"name": "If-Match", "in": "header", "schema": {"type": "string"}, "description": "An ETag, or `*`."}


def _query(name: str, schema: Schema, description: str) -> Schema:
    return {"name": name, "in": "query", "schema": schema, "description": description}


def _path_id() -> Schema:
    return {"name": "id", "in": "path", "required": True, "schema": ID}


def _body(resource: str, verb: str) -> Schema | None:
    if verb.startswith("upload"):
        return {"required": True, "content": {"multipart/form-data": {"schema": reference("Upload")}}}
    names = {"create": "New{}", "update": "{}Changes", "rank": "Rank"}
    if verb not in names:
        return None
    name = names[verb].format(resource)
    return {"required": True, "content": {_JSON: {"schema": reference(name)}}}


def _answer(description: str, schema: Schema, headers: tuple[str, ...] = ()) -> Schema:
    found: Schema = {"description": description, "content": {_JSON: {"schema": schema}}}
    named = {name: {"schema": {"type": "string"}, "required": True} for name in headers}
    return found | ({"headers": named} if named else {})


def _error(status: int) -> Schema:
    headers = ("WWW-Authenticate",) if status == 401 else ()
    return _answer(_SENTENCES[status], reference("Error"), headers)


def _named(status: int) -> str:
    return f"Refused{status}"


def _others() -> Schema:
    """Return the paths beside the resource root."""

    def get(summary: str, schema: Schema, *codes: int, is_open: bool = True) -> Schema:
        refusals = {str(code): {"$ref": f"#/components/responses/{_named(code)}"} for code in (*codes, 431, 503)}
        answers = {"200": _answer(summary, schema), **refusals}
        return {"get": {"summary": summary, "responses": answers, **({"security": []} if is_open else {})}}

    ready = get("Whether the database answers.", reference("Status"))
    ready["get"]["responses"]["503"] = _answer("It does not.", {"type": "object"})
    return {
        "/healthz": get("Whether the process runs.", reference("Status")),
        "/readyz": ready,
        "/openapi.json": get("This document.", {"type": "object"}),
        "/Authentication/Restrict": get("Whether the caller is signed in.", reference("Signed"), 401, is_open=False),
        TOKEN_PATH: {"post": _token_operation()},
        **{f"{path}/{{id}}/{{name}}": _contents(sentence) for path, sentence in _CONTENTS.items()},
    }


_CONTENTS = {STREAM_PATH: "Contents of an attachment, shown where that is safe.", DOWNLOAD_PATH: "Contents, as a file."}


def _token_operation() -> Schema:
    schema = {"schema": reference("Credentials")}
    kinds = ("application/x-www-form-urlencoded", "multipart/form-data")
    refusals = {
        str(code): {"$ref": f"#/components/responses/{_named(code)}"} for code in (400, 401, 413, 415, 429, 431, 503)
    }
    granted: Schema = {"content": {kinds[0]: {"schema": {"type": "string"}}}, "description": "The tokens."}
    return {
        "summary": "Get an access token by password, verification code or refresh token.",
        "security": [],
        "requestBody": {"required": True, "content": dict.fromkeys(kinds, schema)},
        "responses": {"200": granted, **refusals},
    }


def _contents(summary: str) -> Schema:
    name = {"name": "name", "in": "path", "required": True, "schema": {"type": "string", "minLength": 1}}
    contents: Schema = {"content": {"*/*": {"schema": {}}}}
    refusals = {str(code): {"$ref": f"#/components/responses/{_named(code)}"} for code in (401, 404, 431, 503)}
    answers: Any = {
        "200": contents | {"description": "All of it."},
        "206": contents | {"description": "The range that was asked for."},
        "416": {"description": _SENTENCES[416]},
    }
    ranges = {"name": "Range", "in": "header", "schema": {"type": "string"}, "description": "One range of bytes."}
    operation = {"summary": summary, "parameters": [ranges], "responses": {**answers, **refusals}}
    return {"parameters": [_path_id(), name], "get": operation}
