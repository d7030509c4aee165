"""Options with `$`: each address says which it takes, refuses the others by name, and has a default page of its own."""

import httpx
import pytest
from sqlalchemy import Connection, func, insert, select

from backlit.service.app import ROUTES, Service
from backlit.service.http.endpoint import Route
from backlit.service.http.options import LIST_OPTIONS, NUMBER_LIMIT
from backlit.service.openapi.document import document
from backlit.service.storage.schema import attachments, comments, work_items
from backlit.service.tables.work_items import item_of

Client = httpx.AsyncClient

IDS = {"attachment": 1, "attachments": 1, "comments": 1, "projects": 1, "users": 1}
LONG_LISTS = ("workitems", "comments", "attachments", "relations", "links", "acceptancecriteria", "timeentries")
DEFAULT_TOPS = {f"/{noun}": 100 for noun in LONG_LISTS}
"""The lists that may be long; all others come whole, up to 1,000."""
MANY = 130


def address(route: Route) -> str:
    noun = route.path.split("/")[1]
    return route.path.lstrip("/").replace("{id}", str(IDS.get(noun, 2)))


async def sent(client: Client, route: Route, options: str) -> httpx.Response:
    return await client.request(route.method, f"{address(route)}?{options}", json={})


FEW = (
    "GET /workitems/{id}",
    "GET /comments",
    "GET /capabilities",
    "PUT /areas/{id}",
    "POST /workitems/{id}/attachments",
)
ROUTES_OF = {
    "one of each kind": [route for route in ROUTES if f"{route.method} {route.path}" in FEW],
    "all": ROUTES,
}
SOME_OR_ALL = pytest.mark.parametrize(
    "kind", [each if each != "all" else pytest.param(each, marks=pytest.mark.slow) for each in ROUTES_OF]
)


@SOME_OR_ALL
async def test_an_address_refuses_by_name_what_it_does_not_take(maya: Client, kind: str) -> None:
    for route in ROUTES_OF[kind]:
        for option in sorted({*LIST_OPTIONS, "$expand", "$TOP", "$format"} - route.options):
            answer = await sent(maya, route, f"{option}=abc")

            assert (answer.status_code, set(answer.json()["errors"])) == (400, {option}), (route, option)
            assert option in answer.json()["message"]


@SOME_OR_ALL
async def test_an_option_given_twice_is_refused_by_name(maya: Client, kind: str) -> None:
    values = {"$top": "1", "$skip": "1", "$filter": "id gt 0", "$orderby": "id", "$select": "id"}
    for route in ROUTES_OF[kind]:
        for option, value in (*((each, values[each]) for each in sorted(route.options)), ("$format", "json")):
            answer = await sent(maya, route, f"{option}={value}&{option}={value}")

            assert (answer.status_code, set(answer.json()["errors"])) == (400, {option}), (route, option)
            assert "twice" in answer.json()["message"]


async def test_names_without_a_dollar_are_no_options(maya: Client) -> None:
    for path in ("workitems", "workitems/1", "users/me", "capabilities"):
        assert (await maya.get(f"{path}?top=abc&top=1&filter=x&_=17")).status_code == 200


async def test_options_are_judged_after_the_caller(visitor: Client) -> None:
    assert (await visitor.get("workitems/1?$top=abc")).status_code == 401


@pytest.mark.parametrize("number", ["9" * 30, "9" * 5000, str(2**63), str(NUMBER_LIMIT + 1)])
async def test_a_huge_number_is_not_echoed(maya: Client, number: str) -> None:
    page = (await maya.get("workitems", params={"$top": number, "$skip": number})).json()

    assert (page["top"], page["skip"], page["results"]) == (NUMBER_LIMIT, NUMBER_LIMIT, [])


@pytest.mark.parametrize(
    ("path", "text", "at", "name"),
    [
        ("workitems", "id,Nonsense", 4, "nonsense"),
        ("workitems", "id, fields/Status , fields/id", 21, "id"),
        ("workitems", "id,,Name", 4, "missing"),
        ("workitems/1", "id,  Nonsense", 6, "nonsense"),
        ("workitems/1", "", 1, "missing"),
        ("users", "name,fields/name", 6, "name"),
        ("users/me", "name,Estimate", 6, "estimate"),
        ("projects/1/areas", "Wrong,Worse", 1, "wrong"),
    ],
)
async def test_a_fault_in_select_has_its_place(maya: Client, path: str, text: str, at: int, name: str) -> None:
    answer = await maya.get(path, params={"$select": text})

    assert answer.status_code == 400
    sentence = answer.json()["errors"]["$select"]
    assert sentence.startswith(f"$select has an error at character {at}: ")
    assert name in sentence


def fill(connection: Connection) -> int:
    """Give one item many comments, files and tasks; return its id."""
    item_id: int = connection.execute(select(comments.c.work_item_id).limit(1)).scalar_one()
    comment = dict(
        connection.execute(select(comments).where(comments.c.work_item_id == item_id).limit(1)).mappings().one()
    )
    del comment["id"]
    connection.execute(insert(comments), [comment] * MANY)
    file = {"name": "a.txt", "size": 1, "content_type": "text/plain", "digest": "0" * 64}
    shared = {key: value for key, value in comment.items() if key != "description"}
    connection.execute(insert(attachments), [shared | file] * MANY)
    task = dict(connection.execute(select(work_items).where(work_items.c.type == "Task").limit(1)).mappings().one())
    first = connection.execute(select(func.max(work_items.c.id))).scalar_one() + 1
    assert item_of(task["doc"])
    tasks = [task | {"id": first + number, "parent_id": item_id} for number in range(MANY)]
    connection.execute(insert(work_items), tasks)
    return item_id


async def test_what_belongs_to_one_item_comes_whole_and_long_lists_in_pages(service: Service, maya: Client) -> None:
    item_id = service.shared.database.write.submit(fill).result()

    for noun in ("comments", "attachments", "tasks"):
        page = (await maya.get(f"workitems/{item_id}/{noun}")).json()
        assert len(page["results"]) == page["top"] == page["totalResults"] >= MANY, noun
    for noun in ("workitems", "comments", "attachments"):
        page = (await maya.get(noun)).json()
        assert (len(page["results"]), page["top"]) == (100, 100), noun
        assert page["totalResults"] > 100


def test_the_document_has_the_default_page_of_each_list() -> None:
    paths = document(ROUTES, "backlit")["paths"]

    for route in ROUTES:
        if route.is_list:
            operation = paths[f"/api/v1{route.path}"]["get"]
            (top,) = [each for each in operation["parameters"] if each["name"] == "$top"]
            assert top["schema"]["default"] == DEFAULT_TOPS.get(route.path, 1000), route.path
            assert str(top["schema"]["default"]) in top["description"]
