"""Relations: their rules, their two sides, and who sees and makes them."""

import asyncio
from collections.abc import Mapping
from random import Random
from typing import Any

import httpx
import pytest
from sqlalchemy import Connection, delete, insert, select, update
from tests.model.relation_rules import RULES, TYPES
from tests.service.routes.reported import item

from backlit.model.relations import INVERSES, RELATION_WORDS, RelationType
from backlit.service.admin.below_check import faults_below_items
from backlit.service.app import Service
from backlit.service.storage.access import Role
from backlit.service.storage.objects_schema import relations
from backlit.service.storage.schema import grants, projects, users

pytestmark = pytest.mark.postgresql

Client = httpx.AsyncClient


async def items_by_letter(client: Client) -> dict[str, int]:
    found = {letter: await item(client, kind) for letter, kind in TYPES.items()}
    found["K"] = await item(client, "Task", ParentID=found["S"])
    for letter, kind in (("X", "Story"), ("Y", "Feature")):
        body = {"projectId": 2, "type": kind, "fields": {"Name": "Elsewhere"}}
        found[letter] = (await client.post("workitems", json=body)).json()["id"]
    return found


def written(sentence: str, items: Mapping[str, int]) -> dict[str, Any]:
    """Return the body of a relation such as `S Blocked By T`."""
    first, *words, last = sentence.split(" ")
    return {"workItemId": items[first], "type": " ".join(words), "targetId": items[last]}


async def relate(client: Client, item_id: int, kind: str, target_id: int) -> dict[str, Any]:
    answer = await client.post("relations", json={"workItemId": item_id, "type": kind, "targetId": target_id})
    assert answer.status_code == 201, answer.text
    relation: dict[str, Any] = answer.json()
    return relation


async def sides(client: Client, item_id: int) -> list[tuple[str, int]]:
    """Return the relations of an item from its own side."""
    found = (await client.get(f"workitems/{item_id}/relations")).json()["results"]
    assert {each["workItemId"] for each in found} <= {item_id}
    return [(each["type"], each["targetId"]) for each in found]


@pytest.mark.slow
@pytest.mark.long_but("sqlite")
async def test_each_rule_of_a_new_relation(maya: Client) -> None:
    items = await items_by_letter(maya)
    wrong = {}
    for given_relations, new, status, words in RULES:
        made = [
            (await maya.post("relations", json=written(each, items))).json()["id"]
            for each in given_relations.split(", ")
            if each
        ]
        answer = await maya.post("relations", json=written(new, items))
        said = answer.json().get("message", "")
        for letter, item_id in items.items():
            said = said.replace(f"#{item_id}", f"#{letter}")
        if answer.status_code != status or words not in said:
            wrong[given_relations, new] = (answer.status_code, said)
        made += [answer.json()["id"]] if answer.status_code == 201 else []
        for relation_id in made:
            assert (await maya.delete(f"relations/{relation_id}")).json() == {"id": relation_id}

    assert wrong == {}


async def test_relation_is_kept_in_one_direction_and_listed_from_both_sides(maya: Client) -> None:
    items = await items_by_letter(maya)
    blocked = await relate(maya, items["T"], "Blocked By", items["S"])
    related = await relate(maya, items["X"], "Related", items["S"])

    assert (blocked["workItemId"], blocked["type"], blocked["targetId"]) == (items["S"], "Blocks", items["T"])
    assert (related["workItemId"], related["projectId"]) == (items["S"], 1)
    assert (related["targetId"], related["targetProjectId"]) == (items["X"], 2)
    assert await sides(maya, items["S"]) == [("Blocks", items["T"]), ("Related", items["X"])]
    assert await sides(maya, items["T"]) == [("Blocked By", items["S"])]
    (own,) = (await maya.get(f"workitems/{items['X']}/relations")).json()["results"]
    assert (own["id"], own["projectId"], own["targetProjectId"]) == (related["id"], 2, 1)
    assert (await maya.get(f"relations/{blocked['id']}")).json() == blocked
    here = {"$filter": "projectId eq 2 or targetProjectId eq 2", "$orderby": "id"}
    assert (await maya.get("relations", params=here)).json()["results"] == [related]
    for text, number in (("type eq 'Blocked By'", 1), ("type eq 'Blocks'", 0), (f"targetId eq {items['S']}", 1)):
        answer = await maya.get(f"workitems/{items['T']}/relations", params={"$filter": text})
        assert answer.json()["totalResults"] == number, text


async def test_target_of_a_relation_is_changed_under_the_same_rules(maya: Client) -> None:
    items = await items_by_letter(maya)
    parent = await relate(maya, items["S"], "Parent", items["F"])
    other = await relate(maya, items["T"], "Parent", items["G"])
    address = f"relations/{parent['id']}"

    moved = await maya.put(address, json={**parent, "targetId": items["G"], "type": "Blocks"})
    same = await maya.put(address, json=moved.json())
    refused = [await maya.put(address, json={"targetId": items[each]}) for each in "BY"]
    unseen = await maya.put(address, json={"targetId": 987_654})

    assert (moved.status_code, moved.json()["targetId"], moved.json()["type"]) == (200, items["G"], "Parent")
    assert same.json() == moved.json()
    assert [each.status_code for each in (*refused, unseen)] == [400] * 3
    assert set(unseen.json()["errors"]) == {"targetId"}
    assert await sides(maya, items["F"]) == []
    assert await sides(maya, items["G"]) == [("Child", items["S"]), ("Child", items["T"])]
    await maya.delete(f"relations/{other['id']}")
    related = await relate(maya, items["S"], "Related", items["T"])
    turned = await maya.put(f"relations/{related['id']}", json={"targetId": items["F"]})
    assert (turned.json()["workItemId"], turned.json()["targetId"]) == (items["F"], items["S"])


@pytest.mark.parametrize("act", ["create", "change", "delete", "delete the item"])
async def test_change_of_a_relation_moves_the_stamps_of_its_items(maya: Client, jon: Client, act: str) -> None:
    items = await items_by_letter(maya)
    relation = {} if act == "create" else await relate(maya, items["S"], "Blocks", items["T"])
    touched = {"create": "ST", "change": "STB", "delete": "ST", "delete the item": "T"}[act]
    before = {letter: await maya.get(f"workitems/{items[letter]}") for letter in "STBF"}

    if act == "create":
        await relate(jon, items["S"], "Blocks", items["T"])
    elif act == "change":
        await jon.put(f"relations/{relation['id']}", json={"targetId": items["B"]})
    elif act == "delete":
        await jon.delete(f"relations/{relation['id']}")
    else:
        await jon.delete(f"workitems/{items['S']}")

    kept = [letter for letter in "STBF" if not (act == "delete the item" and letter == "S")]
    after = {letter: await maya.get(f"workitems/{items[letter]}") for letter in kept}
    newer = [x for x in kept if after[x].json()["lastModifiedAt"] > before[x].json()["lastModifiedAt"]]
    assert "".join(newer) == touched
    assert {after[letter].json()["lastModifiedBy"] for letter in touched} == {"jon"}
    beside = {"lastModifiedAt": "", "lastModifiedBy": ""}
    assert all(after[x].json() | beside == before[x].json() | beside for x in kept)
    stale = await maya.put(
        f"workitems/{items['T']}", json={"Name": "x"}, headers={"if-match": before["T"].headers["etag"]}
    )
    assert stale.status_code == 412


async def test_relation_is_visible_to_those_who_see_both_ends(service: Service, maya: Client, rex: Client) -> None:
    items = await items_by_letter(maya)
    hidden = await relate(maya, items["S"], "Blocks", items["X"])
    await relate(maya, items["X"], "Blocks", items["T"])
    seen = await relate(maya, items["S"], "Related", items["T"])
    refused = await rex.post("relations", json={"workItemId": items["B"], "type": "Blocks", "targetId": items["X"]})

    assert await sides(rex, items["S"]) == [("Related", items["T"])]
    assert (await rex.get("relations")).json()["results"] == [seen]
    assert (await rex.get(f"relations/{hidden['id']}")).status_code == 404
    assert (await rex.get(f"workitems/{items['X']}/relations")).status_code == 404
    assert (refused.status_code, set(refused.json()["errors"])) == (400, {"targetId"})
    history = (await rex.get(f"workitems/{items['S']}/history")).json()["results"]
    told = [each["fields"] for each in history if each["kind"] == "relation"]
    assert [bool(fields.get("targetId", [None, None])[1]) for fields in told] == [True, False]
    set_role(service, "rex", 1, Role.CONTRIBUTOR)
    circle = await rex.post("relations", json={"workItemId": items["T"], "type": "Blocks", "targetId": items["S"]})
    assert (circle.status_code, circle.json()["message"]) == (400, "That would be a circle.")


async def listed(client: Client, text: str, order: str = "id") -> list[int]:
    query = {"$filter": f"projectId eq 1 and ({text})", "$orderby": order, "$select": "id"}
    answer = await client.get("workitems", params=query)
    assert answer.status_code == 200, answer.text
    assert answer.json()["totalResults"] == len(answer.json()["results"])
    return [each["id"] for each in answer.json()["results"]]


async def test_virtual_properties_filter_order_and_select(maya: Client, rex: Client) -> None:
    items = await items_by_letter(maya)
    for left, kind, right in (("S", "Parent", "F"), ("T", "Parent", "F"), ("S", "Blocks", "T"), ("X", "Blocks", "B")):
        await relate(maya, items[left], kind, items[right])
    s, t, b, f = (items[letter] for letter in "STBF")

    assert await listed(maya, f"FeatureID eq {f}") == [s, t]
    assert await listed(maya, f"FeatureID eq {f} and RelationCount gt 1", "BacklogPriority desc") == [t, s]
    assert await listed(maya, f"FeatureID eq {2**63 - 1}") == []
    assert await listed(maya, f"featureid in ({f}) and id ne {s}") == [t]
    assert await listed(maya, "IsBlocked eq true") == [t, b]
    assert await listed(maya, "IsBlocked") == [t, b]
    assert await listed(rex, "IsBlocked eq true") == [t]
    assert await listed(maya, "RelationCount gt 0", "RelationCount desc, id") == [f, s, t, b]
    assert await listed(rex, f"RelationCount eq 0 and id eq {b}") == [b]
    assert set((await listed(maya, f"id ge {f}", "IsBlocked desc, FeatureID"))[:2]) == {t, b}
    chosen = {"$select": "FeatureID,isblocked,RelationCount,CriteriaCount,CriteriaPassed"}
    assert (await maya.get(f"workitems/{t}", params=chosen)).json() == {
        "FeatureID": f,
        "IsBlocked": True,
        "RelationCount": 2,
        "CriteriaCount": 0,
        "CriteriaPassed": 0,
    }
    here = {"$filter": f"id in ({b}, {f})", "$orderby": "id", "$select": "id,FeatureID,RelationCount"}
    assert (await rex.get("workitems", params=here)).json()["results"] == [
        {"id": f, "FeatureID": None, "RelationCount": 2},
        {"id": b, "FeatureID": None, "RelationCount": 0},
    ]
    await maya.put(f"workitems/{s}", json={"Status": "Done"})
    await maya.put(f"workitems/{items['X']}", json={"Status": "Deferred"})
    assert await listed(maya, "IsBlocked eq true") == []
    everything = (await maya.get(f"workitems/{t}", params={"$select": "*"})).json()
    assert everything == (await maya.get(f"workitems/{t}")).json()
    for key in ("FeatureID", "IsBlocked"):
        assert (await maya.put(f"workitems/{t}", json={key: f})).json()["errors"] == {key: "There is no such field."}
        inner = await maya.get("workitems", params={"$filter": f"fields/{key} eq null"})
        assert (inner.status_code, inner.json()["errors"].keys()) == (400, {"$filter"})


async def test_children_are_tasks_and_items_below(maya: Client) -> None:
    items = await items_by_letter(maya)
    for left in "SG":
        await relate(maya, items[left], "Parent", items["F"])

    below = {letter: (await maya.get(f"workitems/{items[letter]}/children")).json() for letter in "FST"}
    tasks = (await maya.get(f"workitems/{items['F']}/tasks")).json()
    chosen = await maya.get(f"workitems/{items['F']}/children", params={"$filter": "type eq 'Story'", "$skip": "0"})

    found = {letter: [each["id"] for each in each_list["results"]] for letter, each_list in below.items()}
    assert found == {"F": sorted([items["G"], items["S"]], key=lambda each: each), "S": [items["K"]], "T": []}
    assert (below["F"]["totalResults"], below["F"]["skip"], tasks["totalResults"]) == (2, 0, 0)
    assert [each["id"] for each in chosen.json()["results"]] == [items["S"]]


async def test_rollup_counts_each_item_once(maya: Client) -> None:
    feature, inner, empty = [await item(maya, "Feature", Estimate="40") for _ in range(3)]
    below = {
        "done": await item(maya, Estimate="3", Status="Done"),
        "open": await item(maya, Estimate="5"),
        "word": await item(maya, "Bug", Estimate="XL", Status="Done"),
        "deferred": await item(maya, Estimate="100", Status="Deferred"),
    }
    feedback = await item(maya, "Feedback")
    for each in (*below.values(), feedback):
        await relate(maya, each, "Parent", inner if each == below["open"] else feature)
    for each in (inner, empty):
        await relate(maya, each, "Parent", feature)
    hours = {"done": (None, 4), "open": (2.5, 1), "deferred": (50, 50)}
    for name, (left, spent) in hours.items():
        await item(maya, "Task", ParentID=below[name], WorkRemaining=left, WorkCompleted=spent, Status="Done")
    await item(maya, "Task", ParentID=feature, WorkRemaining=1)

    rollups = {each: (await maya.get(f"workitems/{each}/rollup")).json() for each in (feature, inner, empty)}

    assert rollups[feature] == {
        "id": feature,
        "items": 4,
        "itemsDone": 2,
        "unestimated": 1,
        "points": 48.0,
        "pointsDone": 3.0,
        "progress": 3 / 48,
        "workRemaining": 3.5,
        "workCompleted": 5.0,
    }
    assert [rollups[inner][key] for key in ("items", "points", "progress")] == [1, 5.0, 0.0]
    nothing = {"items": 0, "itemsDone": 0, "unestimated": 0, "points": 0, "pointsDone": 0}
    assert rollups[empty] == {
        "id": empty,
        **nothing,
        "progress": None,
        "workRemaining": None,
        "workCompleted": None,
    }
    story = (await maya.get(f"workitems/{below['open']}/rollup")).json()
    assert [story[key] for key in ("items", "itemsDone", "points", "progress", "workRemaining")] == [1, 1, 0, 1.0, 2.5]


@pytest.mark.slow
@pytest.mark.long_but("sqlite")
async def test_no_sequence_of_changes_breaks_a_rule(maya: Client, service: Service) -> None:
    random = Random(17)
    items = {letter: item_id for letter, item_id in (await items_by_letter(maya)).items() if letter not in "XY"}
    made: list[int] = []
    statuses = set()
    for _ in range(300):
        one, two = random.sample(sorted(items), 2)
        body = {"workItemId": items[one], "type": random.choice(RELATION_WORDS), "targetId": items[two]}
        act = random.choice(["create", "create", "create", "change", "delete", "remove"])
        if act == "create" or not made:
            answer = await maya.post("relations", json=body)
            made += [answer.json()["id"]] if answer.status_code == 201 else []
        elif act == "change":
            answer = await maya.put(f"relations/{random.choice(made)}", json={"targetId": items[two]})
        elif act == "delete":
            answer = await maya.delete(f"relations/{made.pop(random.randrange(len(made)))}")
        else:
            answer = await maya.delete(f"workitems/{items[one]}")
            again = {"ParentID": items["S"]} if one == "K" else {}
            items[one] = await item(maya, {"K": "Task", **TYPES}[one], **again)
            kept = (await maya.get(f"workitems/{items['K']}")).status_code == 200
            items["K"] = items["K"] if kept else await item(maya, "Task", ParentID=items["S"])
            made = [each["id"] for each in (await maya.get("relations")).json()["results"]]
        statuses.add(answer.status_code)

    faults = service.shared.database.write.submit(lambda connection: list(faults_below_items(connection))).result()
    every = (await maya.get("relations")).json()["results"]
    both = {(x, kind, y) for x in items.values() for kind, y in await sides(maya, x)}
    assert faults == []
    assert statuses == {200, 201, 400, 409}
    assert both == {
        end
        for each in every
        for end in (
            (each["workItemId"], each["type"], each["targetId"]),
            (each["targetId"], INVERSES[RelationType(each["type"])], each["workItemId"]),
        )
    }


async def test_two_writers_cannot_close_a_circle_together(maya: Client, jon: Client) -> None:
    items = await items_by_letter(maya)
    bodies = [written(each, items) for each in ("S Blocks T", "T Blocks S")]

    answers = await asyncio.gather(
        *(client.post("relations", json=body) for client, body in zip((maya, jon), bodies, strict=True))
    )

    assert sorted(answer.status_code for answer in answers) == [201, 400]


async def test_item_has_at_most_500_relations(maya: Client, service: Service) -> None:
    items = await items_by_letter(maya)
    relation = await relate(maya, items["S"], "Blocks", items["T"])

    def fill(connection: Connection) -> None:
        row = dict(connection.execute(select(relations).where(relations.c.id == relation["id"])).mappings().one())
        del row["id"]
        connection.execute(insert(relations), [row | {"target_id": 10_000 + number} for number in range(499)])

    service.shared.database.write.submit(fill).result()
    refused = await maya.post("relations", json=written("B Related S", items))
    changed = await maya.put(f"relations/{relation['id']}", json={"targetId": items["B"]})

    assert (refused.status_code, refused.json()["message"]) == (
        400,
        f"#{items['S']} has 500 relations, and can have no more.",
    )
    assert changed.status_code == 200


async def test_relation_is_made_by_a_contributor_at_one_end(service: Service, maya: Client, rex: Client) -> None:
    items = await items_by_letter(maya)
    reader, contributor = Role.READER, Role.CONTRIBUTOR
    for here, there, status, authors in (
        (contributor, reader, 201, ["rex", "maya"]),
        (reader, contributor, 201, ["maya", "rex"]),
        (reader, reader, 403, []),
        (contributor, None, 400, []),
    ):
        set_role(service, "rex", 1, here)
        set_role(service, "rex", 2, there)
        for each in "SX":
            await maya.put(f"workitems/{items[each]}", json={"Name": f"{here} {there}"})

        answer = await rex.post("relations", json=written("S Blocks X", items))

        assert answer.status_code == status, (here, there)
        if authors:
            assert [(await maya.get(f"workitems/{items[x]}")).json()["lastModifiedBy"] for x in "SX"] == authors
            assert (await rex.delete(f"relations/{answer.json()['id']}")).status_code == 200


def set_role(service: Service, name: str, project_id: int, role: Role | None) -> None:
    def write(connection: Connection) -> None:
        user_id = connection.execute(select(users.c.id).where(users.c.name == name)).scalar_one()
        mine = (grants.c.user_id == user_id, grants.c.project_id == project_id)
        connection.execute(delete(grants).where(*mine))
        if role is not None:
            connection.execute(insert(grants).values(user_id=user_id, project_id=project_id, role=role.value))
        connection.execute(update(projects).values(settings_revision=projects.c.settings_revision + 1))

    service.shared.database.write.submit(write).result()
