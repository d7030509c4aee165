"""Writing areas and iterations: places, paths, sub-trees, dates."""

from datetime import date, timedelta
from random import Random
from typing import Any

import httpx
import pytest
from sqlalchemy import Connection, Engine, Table, insert, select, update
from sqlalchemy.event import listen, remove

from backlit.model.trees import Node, Tree
from backlit.service.app import Service
from backlit.service.storage.schema import areas, iterations

Client = httpx.AsyncClient


async def nodes(client: Client, noun: str = "areas", project: int = 1) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = (await client.get(f"projects/{project}/{noun}")).json()["results"]
    return found


async def root_of(client: Client, noun: str = "areas", project: int = 1) -> int:
    root: int = (await nodes(client, noun, project))[0]["id"]
    return root


async def added(client: Client, noun: str = "areas", **body: Any) -> dict[str, Any]:
    given = {"name": "New", "projectId": 1, "parentId": await root_of(client, noun)} | body
    answer = await client.post(noun, json=given)
    assert answer.status_code == 201, answer.text
    node: dict[str, Any] = answer.json()
    return node


async def children(client: Client, parent: int, noun: str = "areas") -> list[str]:
    below = [node for node in await nodes(client, noun) if node["parentId"] == parent]
    assert [node["sequence"] for node in below] == list(range(1, len(below) + 1))
    return [node["name"] for node in below]


@pytest.mark.parametrize("noun", ["areas", "iterations"])
async def test_a_new_node_has_its_path_a_location_and_an_etag(maya: Client, noun: str) -> None:
    root = await root_of(maya, noun)

    answer = await maya.post(noun, json={"name": "New", "projectId": 1, "parentId": root, "path": "ignored", "id": 0})

    node = answer.json()
    assert answer.status_code == 201
    assert answer.headers["location"].endswith(f"/api/v1/{noun}/{node['id']}")
    assert (node["path"], node["createdBy"]) == ("Aurora\\New", "maya")
    read = await maya.get(f"{noun}/{node['id']}")
    assert (read.json(), read.headers["etag"]) == (node, answer.headers["etag"])
    assert (await children(maya, root, noun))[-1] == "New"


@pytest.mark.parametrize(("sequence", "place"), [(0, 0), (1, 0), (2, 1), (1000, -1), (None, -1), (-5, 0), (10**30, -1)])
async def test_sequence_says_where_among_the_siblings(maya: Client, sequence: int | None, place: int) -> None:
    parent = (await added(maya, name="Parent"))["id"]
    for name in ("a", "b", "c"):
        await added(maya, name=name, parentId=parent)

    await added(maya, name="x", parentId=parent, sequence=sequence)

    assert (await children(maya, parent))[place] == "x"


async def test_a_node_moves_among_its_siblings(maya: Client) -> None:
    parent = (await added(maya, name="Parent"))["id"]
    a, b, c = [await added(maya, name=name, parentId=parent) for name in ("a", "b", "c")]

    await maya.put(f"areas/{c['id']}", json={"sequence": 0})
    assert await children(maya, parent) == ["c", "a", "b"]
    await maya.put(f"areas/{c['id']}", json={"sequence": 2})
    assert await children(maya, parent) == ["a", "c", "b"]
    await maya.put(f"areas/{a['id']}", json={"sequence": 1000})
    assert await children(maya, parent) == ["c", "b", "a"]
    whole = (await maya.get(f"areas/{b['id']}")).json()
    assert (await maya.put(f"areas/{b['id']}", json=whole)).json() == whole


@pytest.mark.parametrize("noun", ["areas", "iterations"])
async def test_renaming_and_moving_change_every_path_below(maya: Client, noun: str) -> None:
    top = await added(maya, noun, name="Top")
    middle = await added(maya, noun, name="Middle", parentId=top["id"])
    leaf = await added(maya, noun, name="Leaf", parentId=middle["id"])
    other = await added(maya, noun, name="Other")

    renamed = await maya.put(f"{noun}/{top['id']}", json={"name": "Crown"})
    moved = await maya.put(f"{noun}/{middle['id']}", json={"parentId": other["id"]})

    assert (renamed.status_code, renamed.json()["path"]) == (200, "Aurora\\Crown")
    assert moved.json()["path"] == "Aurora\\Other\\Middle"
    assert (await maya.get(f"{noun}/{leaf['id']}")).json()["path"] == "Aurora\\Other\\Middle\\Leaf"


@pytest.mark.parametrize("noun", ["areas", "iterations"])
async def test_the_root_keeps_the_name_of_its_project(maya: Client, noun: str) -> None:
    root = await root_of(maya, noun)

    renamed = await maya.put(f"{noun}/{root}", json={"name": "Boreal", "parentId": -1})
    same = await maya.put(f"{noun}/{root}", json=(await maya.get(f"{noun}/{root}")).json())

    assert (renamed.status_code, set(renamed.json()["errors"])) == (400, {"name"})
    assert (same.status_code, same.json()["path"]) == (200, "Aurora")


async def test_the_root_is_neither_moved_nor_deleted(maya: Client) -> None:
    root = await root_of(maya)
    below = await added(maya)

    assert (await maya.put(f"areas/{root}", json={"parentId": below["id"]})).status_code == 400
    gone = await maya.delete(f"areas/{root}")
    assert (gone.status_code, gone.json()["message"]) == (400, "The root area of a project cannot be deleted.")


@pytest.mark.parametrize("noun", ["areas", "iterations"])
async def test_circles_and_foreign_parents_are_refused(maya: Client, noun: str) -> None:
    top = await added(maya, noun)
    below = await added(maya, noun, parentId=top["id"])
    foreign = await root_of(maya, noun, project=2)
    before = await nodes(maya, noun)

    for parent in (top["id"], below["id"], foreign, 999_999, -1, "1", True):
        answer = await maya.put(f"{noun}/{top['id']}", json={"parentId": parent})
        assert (answer.status_code, set(answer.json()["errors"])) == (400, {"parentId"})
    for parent in (foreign, 999_999, -1, 1.5):
        answer = await maya.post(noun, json={"name": "x", "projectId": 1, "parentId": parent})
        assert (answer.status_code, set(answer.json()["errors"])) == (400, {"parentId"})
    assert await nodes(maya, noun) == before


async def test_bad_values_are_refused_by_key(maya: Client) -> None:
    node = await added(maya, "iterations")

    for key, value in [
        ("name", ""), ("name", 5), ("name", "x" * 501), ("name", "a\0"), ("sequence", "1"), ("sequence", True),
        ("isRelease", 1), ("startDate", "soon"), ("startDate", 5), ("minCapacity", "3"), ("maxCapacity", True),
    ]:  # fmt: skip
        answer = await maya.put(f"iterations/{node['id']}", json={key: value})
        assert (answer.status_code, set(answer.json()["errors"])) == (400, {key})
    assert set((await maya.post("areas", json={"projectId": 1})).json()["errors"]) == {"name", "parentId"}
    assert set((await maya.post("areas", json={"name": "x"})).json()["errors"]) == {"projectId"}
    for project_id in (99, True, "1", 0):
        refused = await maya.post("areas", json={"name": "x", "projectId": project_id})
        assert set(refused.json()["errors"]) == {"projectId"}


async def test_an_iteration_begins_in_7_days_and_ends_in_21(maya: Client) -> None:
    answer = await maya.post("iterations", json={"name": "Next", "projectId": 1, "startDate": None, "endDate": None})

    sprint = answer.json()
    start, end = date.fromisoformat(sprint["startDate"]), date.fromisoformat(sprint["endDate"])
    assert answer.status_code == 201
    assert end - start == timedelta(days=14)
    assert (sprint["parentId"], sprint["isRelease"]) == (await root_of(maya, "iterations"), False)
    assert (sprint["minCapacity"], sprint["maxCapacity"]) == (None, None)


async def test_an_iteration_never_ends_before_it_begins(maya: Client) -> None:
    given = {"startDate": "2026-03-02", "endDate": "2026-03-13T00:00:00", "isRelease": True, "minCapacity": 3}
    sprint = await added(maya, "iterations", **given)
    assert (sprint["startDate"], sprint["endDate"], sprint["isRelease"]) == ("2026-03-02", "2026-03-13", True)

    none = await added(maya, "iterations", minCapacity=0, maxCapacity=0)
    assert (none["minCapacity"], none["maxCapacity"]) == (0.0, 0.0)
    both = {"startDate": "2026-03-14", "endDate": "2026-03-14", "minCapacity": None, "maxCapacity": 12.5}
    changed = (await maya.put(f"iterations/{sprint['id']}", json=both)).json()
    assert changed.items() >= both.items()


LATE, EARLY = "2099-01-01", "2020-01-01"


@pytest.mark.parametrize(
    ("sent", "blamed"),
    [
        ({"startDate": LATE}, {"endDate": f"endDate is needed for startDate ({LATE}), because its default"}),
        ({"endDate": EARLY}, {"startDate": f"startDate is needed for endDate ({EARLY}), because its default"}),
        ({"startDate": LATE, "endDate": EARLY}, {"endDate": f"endDate ({EARLY}) is before startDate ({LATE})."}),
        ({"minCapacity": -1}, {"minCapacity": "minCapacity may not be negative."}),
        (
            {"minCapacity": -1, "maxCapacity": -0.5},
            dict.fromkeys(("minCapacity", "maxCapacity"), "may not be negative"),
        ),
        ({"minCapacity": 5, "maxCapacity": 4}, {"minCapacity": "minCapacity (5) is more than maxCapacity (4)."}),
        ({"name": "a\\b"}, {"name": "name may not contain a backslash"}),
    ],
)
async def test_a_new_iteration_that_contradicts_itself_is_refused_by_the_field_to_mend(
    maya: Client, sent: dict[str, object], blamed: dict[str, str]
) -> None:
    answer = await maya.post("iterations", json={"name": "x", "projectId": 1} | sent)

    errors = answer.json()["errors"]
    assert (answer.status_code, errors.keys()) == (400, blamed.keys())
    assert all(words in errors[key] for key, words in blamed.items())


@pytest.mark.parametrize(
    ("sent", "blamed"),
    [
        ({"startDate": "2026-03-14"}, "startDate"),
        ({"endDate": "2026-03-01"}, "endDate"),
        ({"startDate": "2026-03-14", "endDate": "2026-03-01"}, "endDate"),
        ({"minCapacity": 8}, "minCapacity"),
        ({"maxCapacity": 2}, "maxCapacity"),
        ({"maxCapacity": -2}, "maxCapacity"),
        ({"name": "a\\b"}, "name"),
    ],
)
async def test_a_change_that_contradicts_what_is_stored_blames_what_was_sent(
    maya: Client, sent: dict[str, object], blamed: str
) -> None:
    given = {"startDate": "2026-03-02", "endDate": "2026-03-13", "minCapacity": 3, "maxCapacity": 7}
    sprint = await added(maya, "iterations", **given)

    answer = await maya.put(f"iterations/{sprint['id']}", json=sent)

    assert (answer.status_code, set(answer.json()["errors"])) == (400, {blamed})
    assert (await maya.get(f"iterations/{sprint['id']}")).json() == sprint


async def test_capacities_of_zero_are_none_and_contradict_nothing(maya: Client) -> None:
    for capacities in ({"minCapacity": 5, "maxCapacity": 0}, {"minCapacity": 0, "maxCapacity": 5}):
        sprint = await added(maya, "iterations", **capacities)
        assert sprint.items() >= capacities.items()


async def test_a_stored_name_with_a_backslash_stays_valid_until_it_changes(maya: Client, service: Service) -> None:
    area = await added(maya, "areas", name="Old")
    rename = update(areas).where(areas.c.id == area["id"]).values(name="a\\b")
    service.shared.database.write.submit(lambda connection: connection.execute(rename)).result()

    assert (await maya.put(f"areas/{area['id']}", json={"name": "a\\b", "sequence": 0})).status_code == 200
    assert (await maya.put(f"areas/{area['id']}", json={"name": "a\\c"})).status_code == 400
    assert (await maya.post("areas", json={"name": "a\\b", "projectId": 1, "parentId": area["id"]})).status_code == 400


@pytest.mark.postgresql
@pytest.mark.parametrize(("noun", "key"), [("areas", "AreaID"), ("iterations", "IterationID")])
async def test_deleting_a_sub_tree_gives_its_items_to_another_node(maya: Client, noun: str, key: str) -> None:
    root = await root_of(maya, noun)
    kept = await added(maya, noun, name="Kept")
    top = await added(maya, noun, name="Top", parentId=kept["id"])
    leaf = await added(maya, noun, name="Leaf", parentId=top["id"])
    bodies = [
        {"type": "Story", "projectId": 1, "fields": {"Name": "x", key: node["id"]}} for node in (top, leaf, top, leaf)
    ]
    first, second, third, fourth = [(await maya.post("workitems", json=body)).json() for body in bodies]

    refused = [
        await maya.delete(f"{noun}/{top['id']}", params={"reassignmentId": text})
        for text in (leaf["id"], top["id"], 999_999, "x", "-1", await root_of(maya, noun, project=2), 10**25)
    ]
    to_kept = await maya.delete(f"{noun}/{leaf['id']}", params={"reassignmentId": kept["id"]})
    to_root = await maya.delete(f"{noun}/{top['id']}", params={"reassignmentId": " 0 "})

    assert {(answer.status_code, *answer.json()["errors"]) for answer in refused} == {(400, "reassignmentId")}
    assert (to_kept.status_code, to_kept.json()) == (200, {"id": leaf["id"]})
    assert to_root.status_code == 200
    for item, place in ((first, root), (second, kept["id"]), (third, root), (fourth, kept["id"])):
        now = (await maya.get(f"workitems/{item['id']}")).json()
        assert now["fields"] == item["fields"] | {key: place}
        assert now["lastModifiedAt"] > item["lastModifiedAt"]
        listed = await maya.get("workitems", params={"$filter": f"{key} eq {place} and id eq {item['id']}"})
        assert listed.json()["results"] == [now]
    assert (await maya.get(f"{noun}/{leaf['id']}")).status_code == 404
    await children(maya, root, noun)


async def test_only_managers_write_trees(jon: Client, maya: Client) -> None:
    node = await added(maya)
    body = {"name": "x", "projectId": 1, "parentId": node["id"]}

    answers = [
        await jon.post("areas", json=body),
        await jon.put(f"areas/{node['id']}", json={"name": "x"}),
        await jon.delete(f"areas/{node['id']}"),
    ]

    assert [answer.status_code for answer in answers] == [403, 403, 403]
    assert (await maya.get(f"areas/{node['id']}")).json() == node


async def test_if_match_holds_for_nodes_and_comments(maya: Client) -> None:
    node = await added(maya)
    etag = (await maya.get(f"areas/{node['id']}")).headers["etag"]
    changed = await maya.put(f"areas/{node['id']}", json={"name": "b"}, headers={"if-match": etag})
    comment = await maya.post("comments", json={"projectId": 1, "workItemId": 1, "description": "x"})
    stale, comment_path = {"if-match": etag}, f"comments/{comment.json()['id']}"

    assert changed.status_code == 200
    assert (await maya.put(f"areas/{node['id']}", json={"name": "c"}, headers=stale)).status_code == 412
    assert (await maya.delete(f"areas/{node['id']}", headers=stale)).status_code == 412
    assert (await maya.delete(comment_path, headers=stale)).status_code == 412
    assert (await maya.delete(comment_path, headers={"if-match": comment.headers["etag"]})).status_code == 200


@pytest.mark.parametrize("path", ["areas/1", "iterations/1", "users/1", "users/me", "projects/1", "workitems/1"])
async def test_every_single_resource_has_an_etag(maya: Client, path: str) -> None:
    assert (await maya.get(path)).headers["etag"]


@pytest.mark.slow
@pytest.mark.postgresql
@pytest.mark.parametrize("seed", range(3))
@pytest.mark.long_but("sqlite-1", "postgresql-2")
async def test_any_series_of_writes_leaves_numbers_and_paths_right(maya: Client, seed: int) -> None:
    random = Random(seed)
    for step in range(40):
        ids = [node["id"] for node in await nodes(maya)]
        node, parent = random.choice(ids), random.choice(ids)
        place = random.choice([{}, {"sequence": random.randrange(6)}])
        match random.randrange(5):
            case 0 | 1:
                await maya.post("areas", json={"name": f"n{step}", "projectId": 1, "parentId": parent} | place)
            case 2:
                await maya.put(f"areas/{node}", json={"parentId": parent} | place)
            case 3:
                await maya.put(f"areas/{node}", json={"name": f"r{step}"} | place)
            case _:
                await maya.delete(f"areas/{node}", params={"reassignmentId": parent})

    found = await nodes(maya)
    tree = Tree(Node(node["id"], node["parentId"], node["name"], node["sequence"]) for node in found)
    assert [node.id for node in tree.walk()] == [node["id"] for node in found]
    for node in found:
        assert node["path"] == tree.path(node["id"])
        siblings = [other["sequence"] for other in found if other["parentId"] == node["parentId"]]
        assert siblings == list(range(1, len(siblings) + 1))
    items = (await maya.get("workitems", params={"$filter": "projectId eq 1", "$top": "1000"})).json()["results"]
    assert {item["fields"]["AreaID"] for item in items} <= {node["id"] for node in found}


@pytest.mark.parametrize("seed", range(2))
async def test_an_order_is_no_edit_of_the_siblings(maya: Client, seed: int) -> None:
    random = Random(seed)
    parents = [(await added(maya, name=name))["id"] for name in ("A", "B")]
    after = {node["id"]: node for node in await nodes(maya)}
    for step in range(16):
        before = after
        below = [node["id"] for node in before.values() if node["parentId"] in parents]
        place: dict[str, int] = {"sequence": random.randrange(8)}
        written = random.choice(below) if step > 6 else 0
        match random.randrange(3) if written else -1:
            case 0:
                await maya.put(f"areas/{written}", json=place)
            case 1:
                await maya.put(f"areas/{written}", json=place | {"parentId": random.choice(parents)})
            case 2:
                await maya.delete(f"areas/{written}")
            case _:
                body = {"name": f"n{step}", "projectId": 1, "parentId": random.choice(parents)} | place
                assert (await maya.post("areas", json=body)).status_code == 201

        after = {node["id"]: node for node in await nodes(maya)}
        for node_id in before.keys() & after.keys() - {written}:
            assert after[node_id] == before[node_id] | {"sequence": after[node_id]["sequence"]}
        for parent in parents:
            numbers = [node["sequence"] for node in after.values() if node["parentId"] == parent]
            assert numbers == list(range(1, len(numbers) + 1))


async def test_a_version_of_a_node_outlasts_a_shift(maya: Client) -> None:
    parent = (await added(maya, name="Parent"))["id"]
    node = await added(maya, name="shifted", parentId=parent)
    version = {"if-match": (await maya.get(f"areas/{node['id']}")).headers["etag"]}

    await added(maya, name="first", parentId=parent, sequence=0)
    shifted = await maya.get(f"areas/{node['id']}")
    renamed = await maya.put(f"areas/{node['id']}", json={"name": "renamed"}, headers=version)

    assert (shifted.headers["etag"], shifted.json()["sequence"]) == (version["if-match"], 2)
    assert renamed.status_code == 200


@pytest.mark.parametrize("noun", ["areas", "iterations"])
async def test_a_write_runs_as_many_statements_among_many_siblings(maya: Client, service: Service, noun: str) -> None:
    parent, other = [(await added(maya, noun, name=name))["id"] for name in ("Parent", "Other")]
    last = await added(maya, noun, name="last", parentId=parent)

    few = await counts_of_writes(maya, noun, parent, other, last["id"])
    table = areas if noun == "areas" else iterations
    service.shared.database.write.submit(lambda connection: copy_children(connection, table, parent, 300)).result()
    many = await counts_of_writes(maya, noun, parent, other, last["id"])

    assert many == few
    assert max(few) <= 17


async def counts_of_writes(client: Client, noun: str, parent: int, other: int, node: int) -> list[int]:
    """How many statements each kind of write runs below a parent; only their history takes a list of values."""
    run: list[str] = []

    def count(*event: Any) -> None:
        run.append(event[2])
        assert not event[5] or "INTO changes" in event[2], "a statement for each sibling"

    counts = []
    listen(Engine, "before_cursor_execute", count)
    try:
        for method, path, body in (
            ("POST", noun, {"name": "new", "projectId": 1, "parentId": parent}),
            ("POST", noun, {"name": "new", "projectId": 1, "parentId": parent, "sequence": 0}),
            ("PUT", f"{noun}/{node}", {"sequence": 0}),
            ("PUT", f"{noun}/{node}", {"name": "renamed"}),
            ("PUT", f"{noun}/{node}", {"parentId": other}),
            ("PUT", f"{noun}/{node}", {"parentId": parent, "sequence": 1, "name": "last"}),
        ):
            run.clear()
            assert (await client.request(method, path, json=body)).is_success
            counts.append(len(run))
    finally:
        remove(Engine, "before_cursor_execute", count)
    return counts


def copy_children(connection: Connection, table: Table, parent: int, count: int) -> None:
    found = connection.execute(select(table).where(table.c.parent_id == parent).order_by(table.c.sequence.desc()))
    last = dict(found.mappings().first() or {})
    del last["id"]
    connection.execute(insert(table), [last | {"sequence": last["sequence"] + place} for place in range(1, count + 1)])
