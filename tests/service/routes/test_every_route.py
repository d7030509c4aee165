"""Every route of the table walked by everybody: nobody, a stranger, a reader, a contributor and a manager."""

import httpx
import pytest
from sqlalchemy import Connection, delete, insert, select, update
from tests.service.every_call import (
    CALLS,
    EVENTS,
    GRANTS,
    HIDDEN,
    OTHER,
    SECRET,
    UNKNOWN,
    Client,
    ask,
    attachment,
    comment,
    item,
    node,
    right_for,
)
from tests.service.signed_in import SignIn

from backlit.service.app import Service
from backlit.service.storage.access import Role
from backlit.service.storage.schema import custom_fields, grants, projects, users

FREE = {"/users", "/users/me", "/users/{id}", "/capabilities", "/activities/unread", "/activities/share"}
"""What is the same, or the caller's own, for whoever is signed in."""
MANAGED = {"/areas", "/areas/{id}", "/iterations", "/iterations/{id}", "/projects/{id}/settings", "/views/{id}"}


@pytest.fixture
async def people(service: Service, sign_in: SignIn, visitor: Client) -> dict[str, Client]:
    service.shared.database.write.submit(set_the_scene).result()
    clients = {name: await sign_in(name) for name in GRANTS}
    return {"nobody": visitor, **clients}


def set_the_scene(connection: Connection) -> None:
    """Grant each person one project, and write the secret word into the name of the hidden one."""
    connection.execute(delete(grants))
    for name, (project_id, role) in GRANTS.items():
        user_id = connection.execute(select(users.c.id).where(users.c.name == name)).scalar_one()
        connection.execute(insert(grants).values(user_id=user_id, project_id=project_id, role=role.value))
    values = {"name": SECRET, "settings_revision": projects.c.settings_revision + 1}
    connection.execute(update(projects).where(projects.c.id == HIDDEN).values(values))
    of_field = {"project_id": HIDDEN, "key": f"{SECRET}_cf", "kind": "text", "types": ["Story"], "choices": []}
    connection.execute(insert(custom_fields).values(of_field))


def status_for(person: str, method: str, path: str) -> int:
    """The access of each role to everything but comments of others, which have a test of their own."""
    done = {"GET": 200, "DELETE": 200, "POST": 201, "PUT": 201 if path == "/workitems/{id}" else 200}[method]
    done = 200 if path.endswith(("/rank", "/convert", "/move", *EVENTS)) else done
    if person == "nobody":
        return 401
    if path == "/presence":
        return {"ada": 404, "rex": 403}.get(person, 204)
    if path in FREE or (method == "GET" and "{id}" not in path):
        return 200
    if person == "ada":
        return 404 if "{id}" in path else 400
    if method == "GET" or person == "maya" or path == "/activities/{id}":
        return done
    is_refused = person == "rex" or path in MANAGED or (method, path) == ("DELETE", "/comments/{id}")
    return 403 if is_refused else done


@pytest.mark.slow
@pytest.mark.parametrize("person", ["nobody", *GRANTS])
async def test_everybody_gets_from_every_route_what_is_due(people: dict[str, Client], person: str) -> None:
    wrong = {}
    for method, path in CALLS:
        sent = await right_for(people["maya"], method, path)
        answer = await ask(people[person], method, path, sent)
        due = status_for(person, method, path)
        if answer.status_code != due:
            wrong[f"{method} {path}"] = (answer.status_code, due, answer.text[:200])

    assert wrong == {}


@pytest.mark.slow
async def test_responses_hide_invisible_projects(people: dict[str, Client]) -> None:
    leaks = []
    for method, path in CALLS:
        sent = await right_for(people["maya"], method, path)
        if path == "/users/{id}":
            continue
        for person in ("ada", "nobody"):
            answer = await ask(people[person], method, path, sent)
            if SECRET in answer.text or any(SECRET in value for value in answer.headers.values()):
                leaks.append((person, method, path, answer.text[:200]))

    assert leaks == []


@pytest.mark.slow
async def test_invisible_resources_answer_like_missing_ones(people: dict[str, Client]) -> None:
    differences = []
    for method, path in CALLS:
        if "{id}" not in path or path in FREE:
            continue
        sent = await right_for(people["maya"], method, path)
        unseen = await ask(people["ada"], method, path, sent)
        missing = await ask(people["ada"], method, path, sent, UNKNOWN)
        if plain(unseen, sent.target) != plain(missing, UNKNOWN):
            differences.append((method, path, unseen.text, missing.text))

    assert differences == []


def plain(answer: httpx.Response, target: int) -> tuple[int, str, list[str]]:
    """An answer without the id that was asked for and what is different in every answer."""
    headers = [name for name in answer.headers if name != "x-request-id"]
    return answer.status_code, answer.text.replace(str(target), "ID"), headers


@pytest.mark.parametrize("noun", ["workitems", "comments", "areas", "iterations"])
async def test_creating_in_an_invisible_project_fails_like_in_one_that_does_not_exist(
    people: dict[str, Client], noun: str
) -> None:
    sent = await right_for(people["maya"], "POST", f"/{noun}")
    body = sent.options["json"]

    unseen = await people["ada"].post(noun, json=body)
    missing = await people["ada"].post(noun, json=body | {"projectId": UNKNOWN, "workItemId": UNKNOWN})

    assert (unseen.status_code, unseen.json()) == (missing.status_code, missing.json())


LISTS = [path.strip("/") for method, path in CALLS if "{" not in path and method == "GET" and "/changes" not in path]
"""Lists whose every byte is the caller's; the revision of /changes and of its stream is the workspace's."""


@pytest.mark.parametrize("noun", LISTS)
async def test_counts_do_not_move_with_what_is_invisible(people: dict[str, Client], noun: str) -> None:
    before = await people["ada"].get(noun)
    for maker in (item, comment, attachment):
        await maker(people["maya"])
    for tree in ("areas", "iterations"):
        await node(people["maya"], tree)
    after = await people["ada"].get(noun)

    assert after.content == before.content


@pytest.mark.parametrize(
    ("noun", "text"),
    [
        ("workitems", f"projectId eq {HIDDEN}"),
        ("workitems", f"contains(Name, '{SECRET}')"),
        ("workitems", f"projectId eq {HIDDEN} or not (projectId eq {OTHER})"),
        ("comments", f"substringof('{SECRET}', description)"),
        ("areas", f"name eq '{SECRET}'"),
        ("iterations", f"startswith(path, '{SECRET}')"),
        ("attachments", f"name eq '{SECRET}.txt'"),
        ("projects", f"name eq '{SECRET}'"),
        ("teams", f"projectId eq {HIDDEN}"),
    ],
)
async def test_no_filter_finds_what_is_invisible(people: dict[str, Client], noun: str, text: str) -> None:
    for maker in (item, comment, attachment):
        await maker(people["maya"])
    found = await people["ada"].get(noun, params={"$filter": text})
    skipped = await people["ada"].get(noun, params={"$filter": text, "$skip": "1", "$orderby": "id desc"})

    for answer in (found, skipped):
        assert answer.status_code == 200, answer.text
        assert (answer.json()["totalResults"], answer.json()["results"]) == (0, [])


async def test_a_custom_field_of_an_invisible_project_is_an_unknown_one(people: dict[str, Client]) -> None:
    def without_name(answer: httpx.Response) -> tuple[int, str]:
        return answer.status_code, answer.text.replace(SECRET, "Nonsense")

    for option in ("$filter", "$orderby"):
        end = " eq 'x'" if option == "$filter" else ""
        hidden = await people["ada"].get("workitems", params={option: f"{SECRET}_cf{end}"})
        unknown = await people["ada"].get("workitems", params={option: f"Nonsense_cf{end}"})
        known = await people["maya"].get("workitems", params={option: f"{SECRET}_cf{end}"})
        assert without_name(hidden) == without_name(unknown)
        assert (hidden.status_code, known.status_code) == (400, 200)


async def test_references_to_invisible_resources_are_rejected(people: dict[str, Client], service: Service) -> None:
    maya, stranger = people["maya"], people["ada"]
    raise_role = update(grants).where(grants.c.project_id == OTHER).values(role=Role.MANAGER.value)
    service.shared.database.write.submit(lambda connection: connection.execute(raise_role)).result()
    hidden = {
        "AreaID": await node(maya, "areas"),
        "IterationID": await node(maya, "iterations"),
        "ParentID": await item(maya),
    }

    for key, value in hidden.items():
        kind = "Task" if key == "ParentID" else "Story"
        answers = []
        for refused in (value, UNKNOWN):
            body = {"type": kind, "projectId": OTHER, "fields": {"Name": "x", key: refused}}
            answers.append(await stranger.post("workitems", json=body))
        assert [answer.status_code for answer in answers] == [400, 400]
        assert set(answers[0].json()["errors"]) == {key}
        assert answers[0].text.replace(str(value), "ID") == answers[1].text.replace(str(UNKNOWN), "ID")
    for noun, value in (("areas", hidden["AreaID"]), ("iterations", hidden["IterationID"])):
        own = (await stranger.get(noun)).json()["results"]
        moved = await stranger.post(noun, json={"projectId": OTHER, "name": "x", "parentId": value})
        away = await stranger.delete(f"{noun}/{own[-1]['id']}", params={"reassignmentId": value})
        assert [moved.status_code, away.status_code] == [400, 400]
        assert SECRET not in moved.text + away.text


async def test_comments_are_deleted_by_their_author_or_a_manager(people: dict[str, Client], service: Service) -> None:
    item_id = await item(people["maya"])
    body = {"projectId": HIDDEN, "workItemId": item_id, "description": "x"}
    own, other, left = [(await people["jon"].post("comments", json=body)).json()["id"] for _ in range(3)]

    assert (await people["rex"].delete(f"comments/{own}")).status_code == 403
    assert (await people["jon"].delete(f"comments/{own}")).status_code == 200
    assert (await people["maya"].delete(f"comments/{other}")).status_code == 200
    lowered = update(grants).where(grants.c.role == Role.CONTRIBUTOR.value).values(role=Role.READER.value)
    service.shared.database.write.submit(lambda connection: connection.execute(lowered)).result()
    assert (await people["jon"].delete(f"comments/{left}")).status_code == 403


async def test_contents_of_attachments_are_as_invisible_as_they_are(people: dict[str, Client]) -> None:
    found = (await people["maya"].get(f"attachments/{await attachment(people['maya'])}")).json()

    for address in (found["url"], found["downloadUrl"]):
        statuses = {person: (await client.get(address)).status_code for person, client in people.items()}
        assert statuses == {"nobody": 401, "maya": 200, "jon": 200, "rex": 200, "ada": 404}
        unseen = await people["ada"].get(address)
        missing = await people["ada"].get(address.replace(f"/{found['id']}/", f"/{UNKNOWN}/"))
        assert plain(unseen, found["id"]) == plain(missing, UNKNOWN)
        assert SECRET not in unseen.text
