"""The OpenAPI document against the service that serves it.

`BACKLIT_OPENAPI_CASES=220 pytest -n 0 tests/service/test_openapi.py` tries 10,000 cases.
"""

import asyncio
import os
import shutil
import socket
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import pytest
import requests
import schemathesis
from hypothesis import HealthCheck, Phase, assume, given, settings
from hypothesis.strategies import SearchStrategy, one_of
from schemathesis import Case, GenerationMode
from schemathesis.core.result import Ok
from uvicorn import Config, Server

from backlit.model.wrap import TOKEN_PATH, authorization_header, parse_grant
from backlit.service.app import ROUTES, Service
from backlit.service.openapi.document import document
from backlit.service.routes.login import LOGOUT_PATH
from backlit.service.storage.settings import ServiceSettings

CASES = int(os.environ.get("BACKLIT_OPENAPI_CASES", "2"))
DOCUMENT = document(ROUTES, "backlit")
SCHEMA = schemathesis.openapi.from_dict(DOCUMENT)
OPERATIONS = sorted(
    (one.ok() for one in SCHEMA.get_all_operations() if isinstance(one, Ok)),
    key=lambda found: (found.path == LOGOUT_PATH, found.method == "delete"),
)
"""Deletions last, so that there is something left to try the others on; signing out ends everything."""
LONGEST = 4000
"""Characters of a query; an address over 64 KB never reaches the service: the server in front refuses it."""
IDS = {"id": 30, "projectId": 3, "workItemId": 30, "parentId": 12, "before": 30, "after": 30}
"""How many things there are of which the body or the address may name one."""


@dataclass(frozen=True)
class Served:
    base: str
    authorization: str


@pytest.fixture(scope="module")
def served(sample_file: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """A real server over a copy of the sample, and the header of somebody who manages all of it."""
    place = tmp_path_factory.mktemp("openapi")
    shutil.copy(sample_file, place / "service.db")
    service = Service(ServiceSettings(f"sqlite:///{place}/service.db", place / "files", login_attempts=10**6))
    listener = socket.create_server(("127.0.0.1", 0))
    server = Server(Config(service.asgi, log_config=None))
    thread = threading.Thread(target=lambda: asyncio.run(server.serve([listener])))
    thread.start()
    base = f"http://127.0.0.1:{listener.getsockname()[1]}"
    while not server.started:
        threading.Event().wait(0.01)
    form = {"wrap_client_id": "uri:backlit", "wrap_verification_code": service.invite("maya")}
    grant = parse_grant(httpx.post(f"{base}{TOKEN_PATH}", data=form).text)
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


def cases_of(operation: Any) -> SearchStrategy[Case[Any]]:
    takes_anything = operation.body or operation.query or operation.path_parameters
    modes = [GenerationMode.POSITIVE, *([GenerationMode.NEGATIVE] if takes_anything else [])]
    found: SearchStrategy[Case[Any]] = one_of(*(operation.as_strategy(generation_mode=mode) for mode in modes))
    return found


@pytest.mark.filterwarnings("default")
@pytest.mark.parametrize("operation", OPERATIONS, ids=lambda found: f"{found.method.upper()} {found.path}")
def test_every_answer_is_one_of_those_documented(served: Served, operation: Any) -> None:
    session = requests.Session()

    @settings(
        max_examples=CASES,
        deadline=None,
        database=None,
        derandomize=CASES < 10,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(case=cases_of(operation))
    def answered(case: Case[Any]) -> None:
        assume(len(str(case.query)) < LONGEST)
        case.path_parameters = lead_somewhere(case.path_parameters)
        case.body = lead_somewhere(case.body)
        case.call_and_validate(
            base_url=served.base,
            session=session,
            headers={"Authorization": served.authorization},
            checks=CHECKS,
            timeout=30,
        )

    answered()
    session.close()


CHECKS: list[Any] = [
    schemathesis.checks.not_a_server_error,
    schemathesis.checks.CHECKS.get_one("status_code_conformance"),
    schemathesis.checks.CHECKS.get_one("content_type_conformance"),
    schemathesis.checks.CHECKS.get_one("response_headers_conformance"),
    schemathesis.checks.CHECKS.get_one("response_schema_conformance"),
]


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
