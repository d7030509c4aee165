"""The OpenAPI document against the service that serves it.

`BACKLIT_OPENAPI_CASES=220 pytest -n 0 tests/service/openapi/test_document.py` tries 10,000 cases.
"""

import asyncio
import os
import shutil
import socket
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qs

import httpx
import pytest
from hypothesis import HealthCheck, Phase, assume, given, settings
from hypothesis.strategies import SearchStrategy, one_of
from msgspec.structs import replace
from uvicorn import Config, Server

from backlit.model.fields import ItemType
from backlit.model.wrap import TOKEN_PATH, authorization_header, parse_grant
from backlit.service.app import ROUTES, Service
from backlit.service.openapi.document import document
from backlit.service.routes.login import LOGOUT_PATH
from backlit.service.storage.settings import ServiceSettings

if TYPE_CHECKING:  # every process of a test run collects the tests, and few of them try the operations
    from schemathesis import BaseSchema, Case

CASES = int(os.environ.get("BACKLIT_OPENAPI_CASES", "2"))
DOCUMENT = document(ROUTES, "backlit")
METHODS = {"get", "post", "put", "delete"}
ENDLESS = ("/api/v1/changes/stream",)
"""What does not end by itself, and is tried by tests of its own."""
OPERATIONS = sorted(
    (
        (path, method)
        for path, methods in DOCUMENT["paths"].items()
        for method in methods
        if method in METHODS and path not in ENDLESS
    ),
    key=lambda found: (found[0] == LOGOUT_PATH, found[1] == "delete"),
)
"""Deletions last, so that there is something left to try the others on; signing out ends everything."""
LONGEST = 4000
"""Characters of a query; an address over 64 KB never reaches the service: the server in front refuses it."""
IDS = {"id": 30, "projectId": 3, "workItemId": 30, "parentId": 12, "before": 30, "after": 30}
"""How many things there are of which the body or the address may name one."""


CHECKED = [
    "not_a_server_error",
    "status_code_conformance",
    "content_type_conformance",
    "response_headers_conformance",
    "response_schema_conformance",
]


@dataclass(frozen=True)
class Served:
    base: str
    authorization: str


@pytest.fixture(scope="module")
def served(sample_file: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """A real server over a copy of the sample, and the header of somebody who manages all of it."""
    place = tmp_path_factory.mktemp("openapi")
    shutil.copy(sample_file, place / "service.db")
    settings = ServiceSettings(f"sqlite:///{place}/service.db", place / "files")
    service = Service(replace(settings, login_failures=10**6, login_failures_per_address=10**6))
    listener = socket.create_server(("127.0.0.1", 0))
    server = Server(Config(service.asgi, log_config=None))
    thread = threading.Thread(target=lambda: asyncio.run(server.serve([listener])))
    thread.start()
    base = f"http://127.0.0.1:{listener.getsockname()[1]}"
    while not server.started:
        threading.Event().wait(0.01)
    form = {"wrap_client_id": "uri:backlit", "wrap_verification_code": service.invite("maya")}
    grant = parse_grant(httpx.post(f"{base}{TOKEN_PATH}", data=form).text, "tracker.example")
    yield Served(base, authorization_header(grant.access_token))
    server.should_exit = True
    thread.join()


def lead_somewhere(value: Any, key: str = "") -> Any:
    """Turn most ids, which are drawn from all numbers, into such as exist."""
    if isinstance(value, dict):
        return {name: lead_somewhere(part, name) for name, part in value.items()}
    if key.endswith("ID") and isinstance(value, int) and not isinstance(value, bool):
        return value % 12
    if key in IDS and isinstance(value, int) and not isinstance(value, bool) and value % 5:
        return 1 + value % IDS[key]
    return value


@cache
def schema() -> "BaseSchema":
    import schemathesis

    return schemathesis.openapi.from_dict(DOCUMENT)


def cases_of(path: str, method: str) -> "SearchStrategy[Case[Any]]":
    from schemathesis import GenerationMode

    operation = schema()[path][method]
    takes_anything = operation.body or operation.query or operation.path_parameters
    modes = [GenerationMode.POSITIVE, *([GenerationMode.NEGATIVE] if takes_anything else [])]
    found: SearchStrategy[Case[Any]] = one_of(*(operation.as_strategy(generation_mode=mode) for mode in modes))
    return found


@pytest.mark.filterwarnings("default")
@pytest.mark.parametrize(
    ("path", "method"), OPERATIONS, ids=[f"{method.upper()} {path}" for path, method in OPERATIONS]
)
def test_every_answer_is_one_of_those_documented(served: Served, path: str, method: str) -> None:
    import requests
    from schemathesis.checks import CHECKS

    cases = cases_of(path, method)
    checks: list[Any] = CHECKS.get_by_names(CHECKED)
    session = requests.Session()

    @settings(
        max_examples=CASES,
        database=None,
        derandomize=CASES < 10,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(case=cases)
    def answered(case: "Case[Any]") -> None:
        assume(len(str(case.query)) < LONGEST)
        case.path_parameters = lead_somewhere(case.path_parameters)
        case.body = lead_somewhere(case.body)
        case.call_and_validate(
            base_url=served.base,
            session=session,
            headers={"Authorization": served.authorization},
            checks=checks,
            timeout=30,
        )

    answered()
    session.close()


async def test_the_document_is_served_as_it_is_made(visitor: httpx.AsyncClient) -> None:
    answer = await visitor.get("http://backlit.test/openapi.json")

    assert (answer.status_code, answer.json()) == (200, DOCUMENT)


def test_the_document_has_every_route() -> None:
    documented = {(path, method.upper()) for path, methods in DOCUMENT["paths"].items() for method in methods}

    routes = {(f"/api/v1{route.path}", route.method) for route in ROUTES}
    assert routes <= documented
    names = [
        operation["operationId"]
        for methods in DOCUMENT["paths"].values()
        for operation in methods.values()
        if isinstance(operation, dict) and "operationId" in operation
    ]
    operations = sum(
        "responses" in operation for methods in DOCUMENT["paths"].values() for operation in methods.values()
    )
    assert len(names) == len(set(names)) == operations


def test_files_are_binary_for_generated_clients() -> None:
    schemas, paths = DOCUMENT["components"]["schemas"], DOCUMENT["paths"]
    contents = paths["/attachments/download/{id}/{name}"]["get"]["responses"]["200"]["content"]

    assert schemas["Upload"]["properties"]["files"]["format"] == "binary"
    assert {kind["schema"]["format"] for kind in contents.values()} == {"binary"}


def test_custom_fields_are_kept_by_generated_clients() -> None:
    schemas = DOCUMENT["components"]["schemas"]
    bags = [schema["properties"]["fields"] for schema in schemas.values() if "fields" in schema.get("properties", {})]

    assert len(bags) > len(ItemType)
    for bag in (*bags, schemas["WorkItemChanges"]):
        assert bag["additionalProperties"] is True
        assert "patternProperties" not in bag


async def test_the_tokens_are_read_as_a_form_or_as_text(visitor: httpx.AsyncClient, service: Service) -> None:
    content = DOCUMENT["paths"][TOKEN_PATH]["post"]["responses"]["200"]["content"]
    grant = DOCUMENT["components"]["schemas"]["Grant"]

    assert [*content] == ["text/plain", "application/x-www-form-urlencoded"]
    assert content["text/plain"]["schema"]["type"] == "string"
    assert content["application/x-www-form-urlencoded"]["schema"]["$ref"].endswith("/Grant")
    for accept, kind in {
        "text/plain": "text/plain",
        "text/plain;q=0.5, application/xml": "text/plain",
        **dict.fromkeys(("*/*", "application/json", "text/plain, */*", "text/plain, application/*"), "application/"),
        "application/x-www-form-urlencoded, text/plain": "application/x-www-form-urlencoded",
    }.items():
        code = await asyncio.to_thread(service.invite, "maya")
        form = {"wrap_client_id": "uri:backlit", "wrap_verification_code": code}
        answer = await visitor.post(f"http://backlit.test{TOKEN_PATH}", data=form, headers={"accept": accept})
        assert answer.headers["content-type"].startswith(kind), accept
        assert set(parse_qs(answer.text)) == set(grant["required"]), accept


def test_no_required_key_is_lost_by_an_option_that_the_document_offers() -> None:
    for methods in DOCUMENT["paths"].values():
        for operation in methods.values():
            names = {each["name"] for each in operation.get("parameters", ())} if isinstance(operation, dict) else set()
            assert "$select" not in names
    assert "`$select`" in DOCUMENT["info"]["description"]


def test_every_operation_has_words_and_a_tag_and_every_alternative_a_name() -> None:
    operations = [one for methods in DOCUMENT["paths"].values() for one in methods.values() if "responses" in one]
    tags = {tag["name"] for tag in DOCUMENT["tags"]}

    assert all(one["summary"] and one["description"] and set(one["tags"]) <= tags for one in operations)
    assert [each["$ref"].rpartition("/")[2] for each in DOCUMENT["components"]["schemas"]["Rank"]["oneOf"]] == [
        "RankBefore",
        "RankAfter",
        "RankTop",
        "RankBottom",
    ]
