"""The OpenAPI 3.1 document, from the route table (an extension)."""

import inspect
import re
from collections.abc import Callable, Iterator, Mapping, Sequence

from backlit.model.field_values import Schema
from backlit.model.reports.names import ReportName
from backlit.model.time_groups import TimeGroup
from backlit.model.version import VERSION
from backlit.model.wrap import LOGIN_PATH, TOKEN_PATH
from backlit.service.auth.callers import LOGIN_COOKIE
from backlit.service.http.endpoint import EventHandler, Route
from backlit.service.http.options import NUMBER_LIMIT, TOP_LIMIT
from backlit.service.openapi.schemas import ID, list_of, reference, schemas
from backlit.service.routes.attachments import DOWNLOAD_PATH, STREAM_PATH
from backlit.service.routes.history import CHANGES_TOP, HISTORY_TOP, LONGEST_WAIT
from backlit.service.routes.login import LOGOUT_PATH
from backlit.service.routes.reports import MAX_REPORT_DAYS
from backlit.service.routes.tokens import CLIENT_ID

_JSON = "application/json"
_SENTENCES = {
    400: "Malformed or invalid; `errors` maps fields to their faults.",
    401: "No access token, or one that is an expired one; WWW-Authenticate names the token endpoint.",
    403: "The caller may read this resource, but not make this change.",
    404: "The resource does not exist, or the caller has no access to it.",
    408: "The body came too slowly.",
    412: "If-Match named a version that is no longer the current one.",
    413: "The body is too large.",
    415: "The body's content type is not one that is read here.",
    416: "The range lies outside the contents.",
    429: "Too many sign-ins, long reads of one user, unsent bodies, or more than a lease a second; see Retry-After.",
    431: "Address and headers together are too long.",
    500: "The service failed; its log has the cause under the id in the message.",
    503: "The service is too busy, or about to stop.",
    507: "The service's disk is full. Nothing of the change is stored.",
}


def document(routes: Sequence[Route], name: str) -> Schema:
    paths: Schema = {}
    for route in routes:
        numbers = {"parameters": [_path_id()]} if "{id}" in route.path else {}
        paths.setdefault(f"/api/v1{route.path}", numbers)[route.method.lower()] = _operation(route)
    everything = paths | _paths_outside_root()
    for path, methods in everything.items():
        for method, operation in methods.items():
            if method != "parameters":
                operation["responses"] = _refused(*_load_statuses(path, method)) | operation["responses"]
    models = {route.resource for route in routes if not isinstance(route.resource, str)}
    return {
        "openapi": "3.1.0",
        "info": {
            "title": name,
            "version": VERSION,
            "description": _ABOUT,
            "contact": {"name": "The operator of this server"},
            "license": {"name": "MIT", "identifier": "MIT"},
        },
        "servers": [{"url": "/"}],
        "security": [{"accessToken": []}, {"loginCookie": []}],
        "tags": [{"name": tag, "description": f"Addresses of {tag.replace('_', ' ')}."} for tag in _tags(everything)],
        "paths": everything,
        "components": {
            "schemas": schemas(models),
            "responses": {_named(status): _error(status) for status in _SENTENCES if status != 416},
            "securitySchemes": {
                "accessToken": {"type": "apiKey", "in": "header", "name": "Authorization", "description": _TOKEN},
                "loginCookie": {"type": "apiKey", "in": "cookie", "name": LOGIN_COOKIE},
            },
        },
    }


_ABOUT = (
    "Work items, comments, areas, iterations, attachments, users and projects of a backlog. Every DateTime is UTC,"
    " without a zone. Every address of one resource or of a list also takes `$select`, comma-separated keys such as"
    " `id,Name`: the answer then has these keys alone, whatever its schema requires, so that no operation names it as a"
    " parameter. An option with `$` that an address does not take is refused."
)
_TOKEN = "OAuth WRAP: `WRAP access_token=` and the url-encoded token."  # noqa: S105  a description


def _operation(route: Route) -> Schema:
    method, path, function = route.method, route.path, route.function
    verb, words = function.__name__, [part for part in path.split("/") if part and "{" not in part]
    resource = route.resource if isinstance(route.resource, str) else route.resource.__name__
    found: Schema = {
        "operationId": "_".join([method.lower(), *words]).replace("-", "_") + ("_one" if path.endswith("{id}") else ""),
        "tags": [route.tag or _tag(resource)],
        **_summary_and_description(function, words[-1]),
        "parameters": list(_parameters(route, verb, resource)),
    }
    if body := _body(resource, verb):
        found["requestBody"] = body
    if resource == "Presence":
        return found | {"responses": {"204": {"description": "It is noted."}, **_refused(*_refusals(path, method))}}
    if verb == "remove":
        answer = _answer("The id of what was deleted.", reference("Deleted"))
    elif route.is_list:
        answer = _answer("A page of the list.", list_of(resource))
    elif isinstance(route.handler, EventHandler):
        answer = {"description": "The events.", "content": {_EVENTS: {"schema": reference(resource)}}}
    else:
        headers: tuple[str, ...] = () if isinstance(route.resource, str) and resource not in _VERSIONED else ("ETag",)
        headers += ("Location",) if _creates(verb) and verb != "create_batch" else ()
        answer = _answer("The resource.", reference(resource), headers)
    # The interface answers 201 to a change of a work item.
    status = 201 if _creates(verb) or (resource, verb) == ("WorkItem", "update") else 200
    return found | {"responses": {str(status): answer, **_refused(*_refusals(path, method))}}


_VERSIONED = {"Capacities", "ProjectSettings"}
"""Schemas beside the resources whose documents have an ETag."""


def _summary_and_description(function: Callable[..., object], noun: str) -> Schema:
    """Return a summary without the address, and the description."""
    text = inspect.cleandoc(function.__doc__ or "").replace("{noun}", noun)
    summary = text.partition("\n")[0]
    return {"summary": summary.rstrip("."), "description": text}


def _tags(paths: Schema) -> list[str]:
    operations = (operation for methods in paths.values() for operation in methods.values())
    return sorted({tag for operation in operations if isinstance(operation, dict) for tag in operation["tags"]})


def _tag(resource: str) -> str:
    return re.sub("(?<=[a-z])(?=[A-Z])", "_", resource).lower().removesuffix("s") + "s"


def _creates(verb: str) -> bool:
    return verb in {"create", "create_batch"} or verb.startswith("upload")


def _refusals(path: str, method: str) -> list[int]:
    codes = [400, 401, 431, 503]
    if "{id}" in path or path == "/presence":
        codes.append(404)
    if method != "GET":
        codes += [403, 413]
    if method in {"POST", "PUT"}:
        codes.append(415)
    if method != "GET" and "{id}" in path:
        codes.append(412)
    return sorted(codes)


def _load_statuses(path: str, method: str) -> list[int]:
    if method == "get":
        return [429, 500] if path.startswith("/api/v1/") else [500]
    return [408, 429, 500, 507]


def _parameters(route: Route, verb: str, resource: str) -> Iterator[Schema]:
    if route.is_list:
        number: Schema = {"type": "integer", "format": "int32", "minimum": 0, "maximum": NUMBER_LIMIT}
        limit = f"How many at most; {route.default_top} unless given, never more than {TOP_LIMIT}."
        yield _query("$top", {**number, "default": route.default_top}, limit)
        yield _query("$skip", {**number, "default": 0}, "How many to pass over.")
        yield _query("$filter", {"type": "string", "maxLength": 8192}, "OData, for example: Status eq 'Done'")
        yield _query("$orderby", {"type": "string"}, "For example: lastModifiedAt desc, id")
    for name, schema, description in _OF_HISTORY.get(resource, ()):
        yield _query(name, schema, description)
    if verb == "remove" and resource in {"Area", "Iteration"}:
        yield _query(
            "reassignmentId", {"type": "integer", "minimum": 0}, "Where items below go; to the root unless given."
        )
    if resource == "Report":
        days: Schema = {"type": "integer", "minimum": 1, "maximum": MAX_REPORT_DAYS}
        report = ReportName(route.path.rpartition("/")[2])
        units = report.units
        unit: Schema = {"type": "string", "enum": [unit.value for unit in units]}
        if report is ReportName.TIME:
            by: Schema = {"type": "string", "enum": [group.value for group in TimeGroup]}
            yield _query("by", by, "What the rows are; people unless given.")
            week: Schema = {"type": "string", "examples": ["2026-W47"]}
            yield _query("week", week, "A week; the present one unless another time or an iteration is given.")
        yield _query("iteration", ID, "The id of a sprint or of a group of them; all unless given.")
        yield _query("team", ID, "The id of a team; all unless given.")
        yield _query("unit", unit, "What is counted; points unless given, or items where nothing has points.")
        yield _query(
            "days", days, "The last days of the whole backlog; of cycle times, the days in which work was done."
        )
    if verb.startswith("upload"):
        yield _query("type", {"type": "string", "examples": ["Service", "Feedback"]}, "Service unless given.")
    if (route.method in {"PUT", "DELETE"} or verb in _OF_AN_ITEM) and resource != "Presence":
        yield {"name": "If-Match", "in": "header", "schema": {"type": "string"}, "description": "An ETag, or `*`."}


_REVISION: Schema = {"type": "integer", "format": "int64", "minimum": 0}
_WAIT: Schema = {"type": "integer", "format": "int32", "minimum": 0, "maximum": LONGEST_WAIT, "default": 0}
_CHANGES: Schema = {"type": "integer", "format": "int32", "minimum": 1, "maximum": NUMBER_LIMIT}
_MOST = f"How many at most; never more than {TOP_LIMIT}."
_OF_HISTORY: Mapping[str, Sequence[tuple[str, Schema, str]]] = {
    "ItemHistory": (
        ("$top", {**_CHANGES, "default": HISTORY_TOP}, _MOST),
        ("before", _REVISION, "Only changes before this revision, as `next` of a page says."),
        ("fields", {"type": "string"}, "Only changes of these keys, comma-separated: Status,Estimate"),
    ),
    "ActivityList": (
        ("$top", {**_CHANGES, "default": HISTORY_TOP}, _MOST),
        ("before", _REVISION, "Only activities before this id, as `next` of a page says."),
        ("projectId", {"type": "integer", "format": "int64", "minimum": 1}, "Only activities of this project."),
        ("by", {"type": "integer", "format": "int64", "minimum": 1}, "Only activities of this user."),
        ("isRead", {"enum": ["false"]}, "Only the unread activities of others."),
    ),
    "ChangeStream": (
        ("after", {"type": "string"}, "A cursor, in place of the header Last-Event-ID."),
        ("projects", {"type": "string"}, "Only changes of these projects, comma-separated ids."),
        ("wait", _WAIT, "Seconds after which the stream ends; unless given it goes on."),
    ),
    "ChangeList": (
        ("$top", {**_CHANGES, "default": CHANGES_TOP}, _MOST),
        ("after", {"type": "string"}, "The cursor of an earlier answer; without it, the present one is returned."),
        ("wait", _WAIT, "Seconds to wait for a change where there is none yet; the answer may then have none."),
        ("projectId", {"type": "integer", "format": "int64", "minimum": 1}, "Only changes of this project."),
        ("kind", {"type": "string"}, "Only changes of these kinds, comma-separated: item,comment"),
    ),
}


def _query(name: str, schema: Schema, description: str) -> Schema:
    return {"name": name, "in": "query", "schema": schema, "description": description}


def _path_id() -> Schema:
    return {"name": "id", "in": "path", "required": True, "schema": ID, "description": "The resource's id."}


_OF_AN_ITEM = ("rank", "convert", "move")
_BODIES = {"rank": "Rank", "convert": "Conversion", "move": "Move", "share": "SharedMessage"}


def _body(resource: str, verb: str) -> Schema | None:
    if verb.startswith("upload"):
        return {"required": True, "content": {"multipart/form-data": {"schema": reference("Upload")}}}
    names = {"create": "New{}", "update": "{}Changes", **_BODIES}
    name = names.get(verb.partition("_")[0], "").format(resource)
    if not name:
        return None
    return {"required": True, "content": {_JSON: {"schema": reference(name)}}}


def _answer(description: str, schema: Schema, headers: tuple[str, ...] = ()) -> Schema:
    found: Schema = {"description": description, "content": {_JSON: {"schema": schema}}}
    return found | ({"headers": _headers(*headers)} if headers else {})


def _headers(*names: str) -> Schema:
    return {name: {"schema": {"type": "string"}, "required": True, "description": f"{name}."} for name in names}


def _error(status: int) -> Schema:
    headers = ("WWW-Authenticate",) if status == 401 else ()
    return _answer(_SENTENCES[status], reference("Error"), headers)


def _named(status: int) -> str:
    return f"Refused{status}"


def _paths_outside_root() -> Schema:
    status, page = _answer("How it is.", reference("Status")), {"description": "The page.", "content": _HTML}
    seen_other = {"description": "Done; the page is at Location.", "headers": _headers("Location")}
    form = {"content": {_FORM: {"schema": reference("LoginForm")}}, "required": True}
    ending = {"content": {_FORM: {"schema": reference("Logout")}}}
    client = _query(CLIENT_ID, {"type": "string"}, "The client that gets the code; this service's own unless given.")
    login: Schema = {
        "parameters": [client],
        "get": _other("get_login", "Show the login page, or a code to who is signed in", 431),
    }
    login["get"]["responses"] |= {"200": page, "400": page, "503": page}
    login["post"] = _other("post_login", "Sign a browser in", 413, 431) | {"requestBody": form}
    login["post"]["responses"] |= {"303": seen_other, **dict.fromkeys(("200", "400", "403", "429", "503"), page)}
    login["post"]["responses"] |= {"415": _answer(_SENTENCES[415], reference("Error"))}
    logout = _other("post_logout", "End a browser's session, or a program's sign-in", 400, 401, 413, 415, 431, 503)
    logout["responses"] |= {"200": _answer("Signed out.", reference("Signed")), "303": seen_other, "403": page}
    token_page = _other("get_token_page", "Show a code to a browser that is signed in", 400, 401, 431, 503)
    token_page["responses"]["200"] = page
    return {
        "/healthz": {"get": _other("get_healthz", "Whether the process runs", 431, 503, answer=status)},
        "/readyz": {"get": _ready(status)},
        "/openapi.json": {
            "get": _other(
                "get_openapi", "This document", 431, 503, answer=_answer("The document.", {"type": "object"})
            )
        },
        "/Authentication/Restrict": {
            "get": _other(
                "get_restrict", "Whether the caller is signed in", 401, 431, 503,
                answer=_answer("The caller is.", reference("Signed")), is_open=False,
            )
        },
        LOGIN_PATH: login,
        LOGOUT_PATH: {"post": logout | {"requestBody": ending}},
        TOKEN_PATH: {"get": token_page | {"parameters": [{**client, "required": True}]}, "post": _token_operation()},
        f"{STREAM_PATH}/{{id}}/{{name}}": _contents("get_attachment_stream", "Contents, shown where that is safe"),
        f"{DOWNLOAD_PATH}/{{id}}/{{name}}": _contents("get_attachment_download", "Contents, as a file"),
    }  # fmt: skip


_EVENTS = "text/event-stream"
_HTML: Schema = {"text/html": {"schema": {"type": "string"}}}
_FORM = "application/x-www-form-urlencoded"
_SIGN_IN, _SERVER = "sign_in", "server"


def _other(name: str, summary: str, *codes: int, answer: Schema | None = None, is_open: bool = True) -> Schema:
    """Return an operation beside the resource root; an open one needs no sign-in."""
    tag = _SERVER if answer is not None and is_open else _SIGN_IN
    found: Schema = {"operationId": name, "tags": [tag], "summary": summary, "description": f"{summary}."}
    answers = {"200": answer} if answer is not None else {}
    return found | {"responses": answers | _refused(*codes)} | ({"security": []} if is_open else {})


def _refused(*codes: int) -> Schema:
    return {str(code): {"$ref": f"#/components/responses/{_named(code)}"} for code in codes}


def _ready(status: Schema) -> Schema:
    ready = _other("get_readyz", "Whether the service reaches its database and its files", 431, answer=status)
    ready["responses"]["503"] = _answer("It does not.", {"type": "object"})
    return ready


def _token_operation() -> Schema:
    schema = {"schema": reference("Credentials")}
    summary = "Get an access token by password, verification code or refresh token"
    found = _other("post_token", summary, 400, 401, 413, 415, 429, 431, 503)
    # Generators that cannot read forms take the first content, whose text a form decoder reads.
    text: Schema = {"type": "string", "description": "The tokens of `Grant` as a form, for a form decoder."}
    granted: Schema = {
        "content": {"text/plain": {"schema": text}, _FORM: {"schema": reference("Grant")}},
        "description": "The tokens as a form; as plain text for a caller that accepts this alone.",
    }
    found["responses"]["200"] = granted
    # It reads multipart/form-data too, but generated clients get lost in two forms of one body.
    return found | {"requestBody": {"required": True, "content": {_FORM: schema}}}


def _contents(operation_id: str, summary: str) -> Schema:
    name = {"name": "name", "in": "path", "required": True, "schema": {"type": "string", "minLength": 1}}
    name["description"] = "The name that a browser saves; any text."
    binary: Schema = {"schema": {"type": "string", "format": "binary"}}
    contents: Schema = {"content": {"application/octet-stream": binary, "*/*": binary}}
    ranges = {"name": "Range", "in": "header", "schema": {"type": "string"}, "description": "One range of bytes."}
    if_range = {"name": "If-Range", "in": "header", "schema": {"type": "string"}}
    if_range["description"] = "An ETag: the range is of that version, or the whole file is sent."
    return {
        "parameters": [_path_id(), name],
        "get": {
            "operationId": operation_id,
            "tags": ["attachments"],
            "summary": summary,
            "description": f"{summary}.",
            "parameters": [ranges, if_range],
            "responses": {
                "200": contents | {"description": "All of it."},
                "206": contents | {"description": "The range that was asked for."},
                "416": {"description": _SENTENCES[416]},
                **_refused(401, 404, 431, 503),
            },
        },
    }
