"""Every call over the real service in this process."""

import asyncio
import json
import socket
import sys
from collections.abc import AsyncIterator, MutableMapping
from pathlib import Path

import pytest
import uvicorn

from backlit.client.client import Client
from backlit.client.tokens import TokenCache
from backlit.client.transport import Application, Receive, Send
from backlit.model.errors import BadRequest, NotFound, PreconditionFailed, SignInNeeded, Unauthorized
from backlit.model.wrap import TOKEN_PATH, TokenGrant
from backlit.service.app import Service

INSIDE = "http://backlit.local"


class Counting:
    """The service, and how often its token endpoint was asked."""

    def __init__(self, application: Application) -> None:
        self._application = application
        self.grants = 0

    async def __call__(self, scope: MutableMapping[str, object], receive: Receive, send: Send) -> None:
        self.grants += scope.get("path") == TOKEN_PATH
        await self._application(scope, receive, send)


def spoil(path: Path, **changes: object) -> None:
    entries = json.loads(path.read_text())
    (key,) = entries
    entries[key] |= changes
    path.write_text(json.dumps(entries))


@pytest.mark.slow
async def test_a_password_signs_in_and_out(visitor: Client) -> None:
    await visitor.auth.sign_in("maya", "lantern")
    me = await visitor.users.me()
    await visitor.auth.sign_out()

    assert me["name"] == "maya"
    assert not visitor.auth.signed_in
    with pytest.raises(SignInNeeded):
        await visitor.users.me()


async def test_signing_out_ends_the_sign_in_on_the_service_too(visitor: Client, tmp_path: Path) -> None:
    await visitor.auth.sign_in("maya", "lantern")
    kept = tmp_path / "private" / "tokens.json"
    before = kept.read_text()

    await visitor.auth.sign_out()

    kept.write_text(before)
    with pytest.raises(SignInNeeded):
        await visitor.users.me()


async def test_a_wrong_password_is_unauthorized(visitor: Client) -> None:
    with pytest.raises(Unauthorized):
        await visitor.auth.sign_in("maya", "lamp")


async def test_a_sign_in_by_another_process_is_noticed(service: Service, visitor: Client, tokens: TokenCache) -> None:
    assert not visitor.auth.signed_in
    async with Client.inside(service.asgi, tokens) as other:
        await other.auth.sign_in_with_code(service.invite("jon"))

    assert (await visitor.users.me())["name"] == "jon"


async def test_a_code_works_once(service: Service, visitor: Client) -> None:
    code = service.invite("maya")
    await visitor.auth.sign_in_with_code(f" {code} ")

    with pytest.raises(Unauthorized):
        await visitor.auth.sign_in_with_code(code)


async def test_work_items_are_listed_paged_filtered_and_ordered(client: Client) -> None:
    first = await client.work_items.page(top=10, order="id")
    stories = await client.work_items.page(filter="type eq 'Story' and projectId eq 1", top=3, order="id desc")
    seen = [item["id"] async for page in client.work_items.pages(top=50, order="id") for item in page.results]

    assert len(first.results) == 10
    assert first.total == len(seen) == len(set(seen))
    assert {item["type"] for item in stories.results} == {"Story"}


async def test_a_work_item_is_created_changed_and_deleted(client: Client) -> None:
    item = await client.work_items.create({"type": "Story", "projectId": 1, "fields": {"Name": "Née 'x' & <y>"}})
    fetched = await client.work_items.fetch(item["id"])
    changed = await client.work_items.update(item["id"], {"Status": "In Progress", "Tags": ["a"]})
    document = await client.work_items.get(item["id"])
    await client.work_items.delete(item["id"])

    assert fetched.document["fields"]["Name"] == "Née 'x' & <y>"
    assert changed["fields"]["Status"] == "In Progress"
    assert document["fields"]["Tags"] == ["a"]
    with pytest.raises(NotFound):
        await client.work_items.get(item["id"])


async def test_a_change_to_an_older_version_is_refused(client: Client) -> None:
    page = await client.work_items.page(top=1, filter="type eq 'Story' and projectId eq 1")
    before = await client.work_items.fetch(page.results[0]["id"])
    await client.work_items.update(page.results[0]["id"], {"Name": "changed"})

    assert before.etag is not None
    with pytest.raises(PreconditionFailed):
        await client.work_items.update(page.results[0]["id"], {"Name": "late"}, if_match=before.etag)


async def test_change_errors_are_reported_by_key(client: Client) -> None:
    page = await client.work_items.page(top=1, filter="type eq 'Story' and projectId eq 1")
    with pytest.raises(BadRequest) as caught:
        await client.work_items.update(page.results[0]["id"], {"Status": "Perhaps", "Name": ""})

    assert {"Status", "Name"} <= set(caught.value.errors)


async def test_comments_are_written_read_and_deleted(client: Client) -> None:
    item = (await client.work_items.page(top=1, filter="projectId eq 1")).results[0]
    comment = await client.comments.create({"projectId": 1, "workItemId": item["id"], "description": "Seen."})
    listed = await client.work_items.comments(item["id"]).page()
    await client.comments.delete(comment["id"])

    assert comment["type"] == "Service"
    assert comment["id"] in [each["id"] for each in listed.results]
    with pytest.raises(NotFound):
        await client.comments.get(comment["id"])


async def test_tasks_are_found_below_their_item(client: Client) -> None:
    task = (await client.work_items.page(top=1, filter="type eq 'Task'")).results[0]
    tasks = await client.work_items.tasks(task["fields"]["ParentID"]).page()

    assert task["id"] in [each["id"] for each in tasks.results]


async def test_trees_are_read_whole_and_by_project(client: Client) -> None:
    areas = await client.areas.of_project(1).page()
    iterations = await client.iterations.of_project(1).page()
    everything = await client.areas.page(top=1000)

    assert [area["name"] for area in areas.results if area["parentId"] == -1] == ["Aurora"]
    assert any(iteration["isRelease"] for iteration in iterations.results)
    assert {area["id"] for area in areas.results} <= {area["id"] for area in everything.results}
    assert (await client.areas.get(areas.results[0]["id"]))["path"].startswith("Aurora")


async def test_people_and_projects_are_read(client: Client) -> None:
    me = await client.users.me()
    people = await client.users.page()
    projects = await client.projects.page()

    assert me in people.results
    assert (await client.users.get(me["id"]))["name"] == "maya"
    assert (await client.projects.get(1))["name"] == projects.results[0]["name"] == "Aurora"


async def test_the_service_tells_what_it_can(client: Client) -> None:
    assert await client.capabilities() is not None


@pytest.mark.parametrize("spent", [{"access": "no longer good"}, {"grantedAt": 0}], ids=["refused", "expired"])
async def test_twenty_requests_with_a_spent_token_make_one_refresh(
    service: Service, client: Client, tokens: TokenCache, tmp_path: Path, spent: dict[str, object]
) -> None:
    spoil(tmp_path / "private" / "tokens.json", **spent)
    counting = Counting(service.asgi)
    async with Client.inside(counting, tokens) as late:
        people = await asyncio.gather(*(late.users.me() for _ in range(20)))

    assert {person["name"] for person in people} == {"maya"}
    assert counting.grants == 1


async def test_a_refresh_by_another_client_of_the_profile_is_taken_over(
    service: Service, client: Client, tokens: TokenCache, tmp_path: Path
) -> None:
    spoil(tmp_path / "private" / "tokens.json", access="no longer good")
    counting = Counting(service.asgi)
    async with Client.inside(counting, tokens) as one, Client.inside(counting, tokens) as other:
        assert one.auth.signed_in
        assert other.auth.signed_in
        await asyncio.gather(*(each.users.me() for each in (one, other) for _ in range(5)))

    assert counting.grants == 1


@pytest.fixture
async def address(service: Service) -> AsyncIterator[tuple[str, Counting]]:
    counting = Counting(service.asgi)
    config = uvicorn.Config(counting, port=0, lifespan="off", log_level="error", access_log=False)
    server = uvicorn.Server(config)
    with socket.create_server(("127.0.0.1", 0)) as listener:
        serving = asyncio.create_task(server.serve([listener]))
        yield f"http://127.0.0.1:{listener.getsockname()[1]}", counting
        server.should_exit = True
        await serving


CHILD = """
import asyncio, pathlib, sys
from backlit.client.client import Client
from backlit.client.tokens import TokenCache

async def main(url, path):
    async with Client.at(url, TokenCache(pathlib.Path(path), url)) as client:
        for person in await asyncio.gather(*(client.users.me() for _ in range(5))):
            print(person["name"])

asyncio.run(main(*sys.argv[1:]))
"""


@pytest.mark.slow
async def test_processes_with_a_spent_token_make_one_refresh_between_them(
    address: tuple[str, Counting], tmp_path: Path
) -> None:
    url, counting = address
    path = tmp_path / "shared" / "tokens.json"
    async with Client.at(url, TokenCache(path, url)) as client:
        await client.auth.sign_in("maya", "lantern")
    spoil(path, access="no longer good")
    counting.grants = 0

    children = [
        await asyncio.create_subprocess_exec(sys.executable, "-c", CHILD, url, str(path), stdout=-1) for _ in range(3)
    ]
    outputs = [(await child.communicate())[0].split() for child in children]

    assert outputs == [[b"maya"] * 5] * 3
    assert counting.grants == 1


async def test_an_answer_cut_short_on_the_wire_is_asked_for_again(tmp_path: Path) -> None:
    asked = 0

    async def lie(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        nonlocal asked
        asked += 1
        await reader.readuntil(b"\r\n\r\n")
        length = 10 if asked > 1 else 500
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n" % length + b'{"id": 12}')
        await writer.drain()
        writer.close()

    server = await asyncio.start_server(lie, "127.0.0.1")
    url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
    cache = TokenCache(tmp_path / "tokens.json", url)
    cache.save(TokenGrant("a", "r", 3600))
    async with server, Client.at(url, cache) as client:
        document = await client.work_items.get(12)

    assert document == {"id": 12}
    assert asked == 2
