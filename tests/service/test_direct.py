"""Requests in the routes' spelling, which go past the framework, and in another, which it serves: the same answers."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import httpx
import pytest
from sqlalchemy import update
from tests.service.signed_in import SignIn

from backlit.model.wrap import AccessToken, authorization_header, sign
from backlit.service.app import Service
from backlit.service.storage.schema import refresh_families, users
from backlit.service.tables import sign_ins

Client = httpx.AsyncClient

BASE = "http://backlit.test"
HIDDEN = 999_001
"""Stands for an item of a project that the reader does not see."""


@dataclass(frozen=True)
class Asked:
    """A request to an address below the resource root."""

    method: str
    path: str
    options: Mapping[str, Any] = field(default_factory=dict)

    async def at(self, client: Client, root: str) -> tuple[int, bytes, dict[str, str]]:
        """Send it; return status, body and headers without the request's id."""
        answer = await client.request(self.method, f"{BASE}{root}{self.path}", **dict(self.options))
        headers = {
            name: value for name, value in answer.headers.items() if name not in {"x-request-id", "backlit-revision"}
        }
        return answer.status_code, answer.content, headers


READS = (
    Asked("GET", "workitems/1"),
    Asked("HEAD", "workitems/1"),
    Asked("GET", "workitems/001"),
    Asked("GET", "workitems/1", {"headers": {"if-none-match": '"x"', "if-match": '"y"'}}),
    Asked("GET", "workitems/1", {"params": {"$select": "id,Name"}}),
    Asked("GET", "workitems/1", {"params": {"$select": "Nonsense"}}),
    Asked("GET", "workitems/1", {"params": {"$expand": "x"}}),
    Asked("GET", "workitems/1", {"params": {"$format": "json", "other": "1"}}),
    Asked("GET", f"workitems/{HIDDEN}"),
    Asked("GET", "workitems/0"),
    Asked("GET", "workitems/-1"),
    Asked("GET", "workitems/x"),
    Asked("GET", "workitems/1.0"),
    Asked("GET", "workitems/%31"),
    Asked("GET", "workitems/١"),
    Asked("GET", f"workitems/{2**63}"),
    Asked("GET", f"workitems/{10**30}"),
    Asked("GET", "workitems/1/"),
    Asked("GET", "workitems/1/tasks"),
    Asked("GET", "workitems/1/nonsense"),
    Asked("GET", "workitems/1", {"content": b"a body"}),
    Asked("GET", "workitems/1", {"content": b"x" * 2_000_000}),
    Asked("OPTIONS", "workitems/1"),
    Asked("PATCH", "workitems/1", {"json": {"Name": "x"}}),
    Asked("GET", "workitems"),
    Asked("GET", "workitems/"),
    Asked("GET", "workitems", {"params": {"$filter": "type eq 'Bug' and Status ne 'Done'", "$top": "3"}}),
    Asked("GET", "workitems", {"params": {"$filter": "type eq"}}),
    Asked("GET", "users/me"),
    Asked("GET", "users/2"),
    Asked("GET", "projects/1/areas"),
    Asked("GET", "workitems/1/attachments"),
    Asked("HEAD", "workitems/1/attachments"),
    Asked("GET", "nonsense/1"),
)
WRITES = (
    Asked("PUT", "workitems/1", {"json": {"Name": "Said in two ways"}}),
    Asked("PUT", "workitems/1", {"json": {"Name": "Said in two ways"}, "headers": {"if-match": '"stale"'}}),
    Asked("PUT", "workitems/1", {"json": {"Name": ""}}),
    Asked("PUT", "workitems/1", {"json": {"Nonsense": 1}}),
    Asked("PUT", "workitems/1", {"content": b"{"}),
    Asked("PUT", "workitems/1", {"content": b"{}", "headers": {"content-type": "text/plain"}}),
    Asked("PUT", "workitems/1", {"content": b" " * 2_000_000}),
    Asked("PUT", "workitems/1"),
    Asked("PUT", f"workitems/{HIDDEN}", {"json": {"Name": "x"}}),
    Asked("POST", "workitems", {"json": {"type": "Story"}}),
    Asked("POST", "workitems/1", {"json": {}}),
    Asked("DELETE", "workitems/987654"),
    Asked("POST", "workitems/1/rank", {"json": {"before": 1}}),
    Asked("POST", "workitems/1/attachments", {"files": {}}),
)


async def compare(client: Client, asked: Asked) -> int:
    """Send a request in both ways; return its status."""
    directly, usually = await asked.at(client, "/api/v1/"), await asked.at(client, "/API//V1/")

    assert directly == usually, asked
    return directly[0]


@pytest.fixture
async def hidden(maya: Client, rex: Client) -> int:
    """An item that maya sees and rex does not."""
    found = await maya.get("workitems", params={"$filter": "projectId eq 2", "$top": "1"})
    item_id: int = found.json()["results"][0]["id"]
    assert (await rex.get(f"workitems/{item_id}")).status_code == 404
    return item_id


@pytest.mark.parametrize("person", ["maya", "jon", "rex"])
async def test_answers_are_the_same_with_and_without_the_framework(sign_in: SignIn, hidden: int, person: str) -> None:
    client = await sign_in(person)

    for asked in (*READS, *WRITES):
        found = Asked(asked.method, asked.path.replace(str(HIDDEN), str(hidden)), asked.options)
        await compare(client, found)


@pytest.mark.parametrize("asked", [READS[0], READS[1], READS[-7], WRITES[0], WRITES[6]])
async def test_callers_without_a_sign_in_are_refused_with_and_without_the_framework(
    service: Service, sign_in: SignIn, visitor: Client, asked: Asked
) -> None:
    jon = await sign_in("jon")
    database = service.shared.database.write
    claims = {"name": "maya", "email": "", "identity_provider": "backlit", "issuer": "", "audience": "uri:backlit"}
    key = database.submit(lambda connection: sign_ins.keys(connection)[0].secret).result()
    expired = sign(AccessToken(identifier="1", token_id="1.x", expires_on=1, **claims), key)
    headers = {
        "nobody": "",
        "expired": authorization_header(expired),
        "nonsense": "WRAP access_token=x",
        "other": "B x",
    }

    for name, header in headers.items():
        visitor.headers["authorization"] = header
        assert await compare(visitor, asked) == 401, name
    assert await compare(jon, asked) != 401
    database.submit(lambda connection: connection.execute(update(refresh_families).values(is_revoked=True))).result()
    assert await compare(jon, asked) == 401
    database.submit(lambda connection: connection.execute(update(users).values(is_licensed=False))).result()
    assert await compare(jon, asked) == 401


async def test_a_session_is_read_with_and_without_the_framework(service: Service, visitor: Client) -> None:
    secret = service.shared.database.write.submit(
        lambda connection: sign_ins.add_session(connection, 1, service.shared.clock.now())
    ).result()
    foreign = {"headers": {"origin": "http://elsewhere.test"}, "json": {"Name": "x"}}

    visitor.cookies.set(".ASPXAUTH", secret)
    assert await compare(visitor, READS[0]) == 200
    assert await compare(visitor, Asked("PUT", "workitems/1", foreign)) == 403
    visitor.cookies.set(".ASPXAUTH", "gone")
    assert await compare(visitor, READS[0]) == 401


async def test_other_roots_of_the_same_length_are_not_found(maya: Client) -> None:
    found = [(await maya.get(f"{BASE}/{root}/workitems/1")).status_code for root in ("api/v2", "api/vx", "xxx/xx")]

    assert found == [404, 404, 404]


async def test_errors_of_the_database_are_the_same_with_and_without_the_framework(
    service: Service, maya: Client
) -> None:
    service.shared.database.write.submit(
        lambda connection: connection.exec_driver_sql("ALTER TABLE work_items RENAME TO gone")
    ).result()

    for asked in (READS[0], WRITES[0]):
        directly, usually = await asked.at(maya, "/api/v1/"), await asked.at(maya, "/API//V1/")
        assert directly[0] == usually[0] == 500
        assert set(directly[2]) == set(usually[2])
