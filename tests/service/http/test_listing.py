"""Pages, totals, filters and orders, and the indexes that serve them."""

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import httpx
import pytest
from sqlalchemy import Engine
from sqlalchemy.event import listen, remove

from backlit.service.storage.database import engine_at
from backlit.service.storage.settings import ServiceSettings

if TYPE_CHECKING:
    from tests.service.signed_in import SignIn

Client = httpx.AsyncClient


async def page(client: Client, **options: object) -> dict[str, Any]:
    answer = await client.get("workitems", params={f"${name}": str(value) for name, value in options.items()})
    assert answer.status_code == 200, answer.text
    document: dict[str, Any] = answer.json()
    return document


def ids(document: dict[str, Any]) -> list[int]:
    return [item["id"] for item in document["results"]]


async def test_a_page_has_100_items_by_rank_unless_told_otherwise(maya: Client) -> None:
    first = await page(maya)

    ranks = [(item["fields"]["BacklogPriority"], item["id"]) for item in first["results"]]
    assert (first["totalResults"], first["top"], first["skip"], len(ranks)) == (160, 100, 0, 100)
    assert ranks == sorted(ranks)


async def test_pages_follow_each_other_without_gaps(maya: Client) -> None:
    whole = ids(await page(maya, top=1000))

    parts = [item for skip in range(0, 160, 30) for item in ids(await page(maya, top=30, skip=skip))]

    assert parts == whole
    assert len(set(whole)) == 160


async def test_a_page_past_the_end_has_the_whole_total(maya: Client) -> None:
    bugs = (await page(maya, filter="type eq 'Bug'", top=1000))["totalResults"]

    for skip in (0, bugs - 1, bugs, bugs + 100):
        found = await page(maya, filter="type eq 'Bug'", top=10, skip=skip)
        assert (found["totalResults"], len(found["results"])) == (bugs, min(10, max(0, bugs - skip)))


@pytest.mark.slow
async def test_a_deep_page_is_the_same_as_a_shallow_one(maya: Client, settings: ServiceSettings) -> None:
    for number in range(420):
        body = {"type": "Bug", "projectId": 1 + number % 2, "fields": {"Name": f"{number}"}}
        await maya.post("workitems", json=body)
    whole = ids(await page(maya, top=1000))

    assert ids(await page(maya, top=20, skip=540)) == whole[540:560]
    assert ids(await page(maya, top=20, skip=100_000)) == []
    assert (await page(maya, top=20, skip=100_000))["totalResults"] == 580


async def test_top_is_what_was_asked_for_and_at_most_1000_are_served(maya: Client) -> None:
    assert (await page(maya, top=5000))["top"] == 5000
    assert len((await page(maya, top=5000))["results"]) == 160
    nothing = await page(maya, top=0)
    assert (nothing["totalResults"], nothing["results"]) == (160, [])


@pytest.mark.parametrize("options", ["$top=-1", "$top=x", "$skip=-1", "$skip=1.5", "$top=²"])
async def test_a_bad_number_is_refused(maya: Client, options: str) -> None:
    assert (await maya.get(f"workitems?{options}")).status_code == 400


@pytest.mark.parametrize("found", ["Nonsense eq 1", "Name eq", "Name eq 'x' junk", "foo(Name)", "(" * 60, "Name eq 5"])
async def test_a_bad_filter_is_refused_naming_the_place(maya: Client, found: str) -> None:
    answer = await maya.get("workitems", params={"$filter": found})

    assert answer.status_code == 400
    assert "$filter" in answer.json()["errors"]


async def test_a_bad_order_is_refused(maya: Client) -> None:
    assert (await maya.get("workitems?$orderby=Nonsense")).status_code == 400
    assert (await maya.get("workitems?$orderby=Name sideways")).status_code == 400


async def test_filters_and_totals_agree(maya: Client) -> None:
    done = await page(maya, filter="Status eq 'Done' and type ne 'Task'", top=3)

    everything = (await page(maya, top=1000))["results"]
    wanted = [i for i in everything if i["fields"].get("Status") == "Done" and i["type"] != "Task"]
    assert done["totalResults"] == len(wanted)
    assert done["results"] == wanted[:3]


PROJECT_FILTERS: Mapping[str, Callable[[dict[str, Any]], bool]] = {
    "projectId eq 1": lambda item: item["projectId"] == 1,
    "projectId eq 1 and type eq 'Story'": lambda item: (item["projectId"], item["type"]) == (1, "Story"),
    "projectId eq 2 and type eq 'Story'": lambda item: (item["projectId"], item["type"]) == (2, "Story"),
    "type eq 'Story' and projectId eq 1 and Status ne 'Done' and id gt 20": lambda item: (
        (item["projectId"], item["type"]) == (1, "Story") and item["fields"]["Status"] != "Done" and item["id"] > 20
    ),
    "projectId eq 1 or type eq 'Bug'": lambda item: item["projectId"] == 1 or item["type"] == "Bug",
    "projectId eq 1 and projectId eq 2": lambda _: False,
    "projectId ne 1 and id le 90": lambda item: item["projectId"] != 1 and item["id"] <= 90,
    "not (projectId eq 1)": lambda item: item["projectId"] != 1,
    "ParentID eq null and id lt 50": lambda item: item["fields"].get("ParentID") is None and item["id"] < 50,
}


async def test_a_filter_by_project_finds_what_fits_all_of_it(maya: Client) -> None:
    everything = (await page(maya, top=1000))["results"]

    for text, fits in PROJECT_FILTERS.items():
        wanted = [item["id"] for item in everything if fits(item)]
        whole, part = await page(maya, filter=text, top=1000), await page(maya, filter=text, top=2, skip=1)

        assert (ids(whole), whole["totalResults"]) == (wanted, len(wanted)), text
        assert (ids(part), part["totalResults"], part["skip"], part["top"]) == (wanted[1:3], len(wanted), 1, 2), text


async def test_tasks_are_paged_filtered_and_sorted_like_items(maya: Client) -> None:
    every = (await page(maya, filter="ParentID ne null", top=1000))["results"]
    parent = max((item["fields"]["ParentID"] for item in every), key=[i["fields"]["ParentID"] for i in every].count)
    own = [item for item in every if item["fields"]["ParentID"] == parent]

    async def tasks(**options: object) -> dict[str, Any]:
        query = {f"${name}": str(value) for name, value in options.items()}
        found: dict[str, Any] = (await maya.get(f"workitems/{parent}/tasks", params=query)).json()
        return found

    second = await tasks(top=1, skip=1)
    reverse = await tasks(orderby="id desc", filter=f"id gt {min(ids({'results': own}))}")

    assert len(own) > 1
    assert (ids(second), second["totalResults"]) == ([own[1]["id"]], len(own))
    assert ids(reverse) == sorted((item["id"] for item in own), reverse=True)[:-1]
    assert reverse["totalResults"] == len(own) - 1


@pytest.mark.parametrize("noun", ["areas", "iterations", "comments", "users"])
async def test_other_lists_are_paged_filtered_and_sorted_too(maya: Client, noun: str) -> None:
    async def listed(**options: object) -> dict[str, Any]:
        query = {f"${name}": str(value) for name, value in options.items()}
        found: dict[str, Any] = (await maya.get(noun, params=query)).json()
        return found

    whole = await listed(top=1000)
    every = [each["id"] for each in whole["results"]]
    name = "description" if noun == "comments" else "name"
    part, late = await listed(top=2, skip=1), await listed(skip=len(every) - 1)
    beyond = await listed(skip=len(every) + 5, top=3)
    found = await listed(filter=f"id gt {min(every)} and {name} ne ''", orderby=f"{name} desc,id", top=1000)
    words = [(each[name], each["id"]) for each in whole["results"] if each["id"] != min(every)]

    assert (whole["totalResults"], len(every) > 3) == (len(every), True)
    assert (part["top"], part["totalResults"], [each["id"] for each in part["results"]]) == (2, len(every), every[1:3])
    assert (beyond["totalResults"], beyond["results"]) == (len(every), [])
    assert (late["top"], late["totalResults"]) == (1, len(every))
    assert [each["id"] for each in late["results"]] == every[-1:]
    by_id = sorted(words, key=lambda each: each[1])
    assert [each["id"] for each in found["results"]] == [
        number for _, number in sorted(by_id, key=lambda each: each[0], reverse=True)
    ]
    assert found["totalResults"] == len(words)
    assert "skip" not in whole


async def test_a_total_that_was_counted_before_follows_the_changes(maya: Client) -> None:
    before = (await page(maya, filter="Name ne 'counted'", top=1))["totalResults"]
    assert (await page(maya, filter="Name ne 'counted'", top=1, skip=3))["totalResults"] == before

    await maya.put("workitems/9", json={"Name": "counted"})

    assert (await page(maya, filter="Name ne 'counted'", top=1))["totalResults"] == before - 1


async def test_the_default_page_of_some_projects_has_the_items_of_those(sign_in: "SignIn", maya: Client) -> None:
    priya = await sign_in("priya")
    mine = {project["id"] for project in (await priya.get("projects")).json()["results"]}

    seen = await page(priya, top=1000)
    everything = await page(maya, top=1000)

    assert 1 < len(mine) < 3
    assert seen["results"] == [item for item in everything["results"] if item["projectId"] in mine]
    assert seen["totalResults"] == len(seen["results"])


async def test_the_largest_numbers_match_nothing_and_larger_ones_are_refused(maya: Client) -> None:
    for number in (2**63 - 1, -(2**63) + 1, "1e300"):
        for name in ("id", "projectId", "Priority", "BusinessValue_cf"):
            assert (await page(maya, filter=f"{name} eq {number}"))["totalResults"] == 0
    assert (await page(maya, filter="id lt 1e300"))["totalResults"] == 160
    assert (await maya.get("workitems", params={"$filter": f"id eq {2**63}"})).status_code == 400


async def test_custom_fields_and_tags_filter_and_sort(maya: Client) -> None:
    everything = (await page(maya, top=1000))["results"]

    stores = await page(maya, filter="channel_cf eq 'Store'", orderby="BusinessValue_cf desc,id", top=1000)
    tagged = await page(maya, filter="Tags/any(t: t eq 'ux')", top=1000)

    assert sorted(ids(stores)) == sorted(i["id"] for i in everything if i["fields"].get("Channel_cf") == "Store")
    values = [item["fields"]["BusinessValue_cf"] for item in stores["results"]]
    known = [value for value in values if value is not None]
    assert values == sorted(known, reverse=True) + [None] * (len(values) - len(known))
    assert ids(tagged) == [i["id"] for i in everything if "ux" in (i["fields"].get("Tags") or [])]


@pytest.mark.parametrize("direction", ["asc", "desc"])
async def test_nulls_come_last_in_both_directions(maya: Client, direction: str) -> None:
    owners = [
        i["fields"].get("AssignedToID") for i in (await page(maya, orderby=f"AssignedToID {direction}"))["results"]
    ]

    firsts = [owner for owner in owners if owner is not None]
    assert firsts == sorted(firsts, reverse=direction == "desc")
    assert owners == firsts + [None] * (len(owners) - len(firsts))


async def test_a_fill_walk_by_id_finds_everything_once(maya: Client) -> None:
    seen: list[int] = []
    last = 0
    while found := ids(await page(maya, filter=f"projectId eq 1 and id gt {last}", orderby="id", top=50)):
        seen.extend(found)
        last = found[-1]

    assert seen == sorted(ids(await page(maya, filter="projectId eq 1", top=1000)))


async def test_a_delta_finds_what_changed_since(maya: Client) -> None:
    newest = (await page(maya, orderby="lastModifiedAt desc", top=1))["results"][0]["lastModifiedAt"]
    await maya.put("workitems/7", json={"Name": "changed"})

    delta = await page(maya, filter=f"lastModifiedAt ge datetime'{newest}'", orderby="lastModifiedAt")

    assert ids(delta)[-1] == 7


async def test_a_list_of_a_project_one_may_not_see_is_empty(maya: Client, rex: Client) -> None:
    assert (await page(maya, filter="id gt 0", top=1))["totalResults"] == 160
    assert (await page(rex, filter="id gt 0", top=1))["totalResults"] < 160
    assert (await page(rex, filter="projectId eq 2"))["totalResults"] == 0
    assert {i["projectId"] for i in (await page(rex, top=1000))["results"]} == {1}
    assert (await page(rex))["totalResults"] == (await page(rex, filter="id gt 0"))["totalResults"]


WALKS = {
    "the default page": ("", "items_by_project_rank"),
    "the fill walk": ("$filter=projectId eq 1 and id gt 50&$orderby=id&$top=1000", "items_by_project_id"),
    "the delta of a project": (
        "$filter=projectId eq 1 and lastModifiedAt ge datetime'2026-01-01T00:00:00'&$orderby=lastModifiedAt",
        "items_by_project_change",
    ),
}


@pytest.mark.parametrize("walk", WALKS)
async def test_an_index_serves(rex: Client, settings: ServiceSettings, walk: str) -> None:
    options, index = WALKS[walk]

    assert index in await plan(rex, settings, options)


SHARED_WALKS = {
    "the default page of some projects": ("", "items_by_rank"),
    "the walk over some projects": ("$filter=id gt 50&$orderby=id&$top=1000", "INTEGER PRIMARY KEY"),
    "the delta of some projects": (
        "$filter=lastModifiedAt ge datetime'2026-01-01T00:00:00'&$orderby=lastModifiedAt",
        "items_by_change",
    ),
}


@pytest.mark.parametrize("username", ["maya", "priya"])
@pytest.mark.parametrize("walk", SHARED_WALKS)
async def test_an_index_serves_several_projects(
    sign_in: "SignIn", settings: ServiceSettings, walk: str, username: str
) -> None:
    options, index = SHARED_WALKS[walk]

    assert index in await plan(await sign_in(username), settings, options)


async def plan(client: Client, settings: ServiceSettings, options: str) -> str:
    """How the database finds the page of a list, with the statement that the service ran; it never sorts."""
    seen: list[tuple[str, Any]] = []

    def see(*event: Any) -> None:
        seen.append((event[2], event[3]))

    listen(Engine, "before_cursor_execute", see)
    try:
        assert (await client.get(f"workitems?{options}")).status_code == 200
    finally:
        remove(Engine, "before_cursor_execute", see)
    statement, values = next((sql, values) for sql, values in seen if sql.startswith("SELECT work_items.doc"))
    engine = engine_at(settings.database)
    is_sqlite = engine.dialect.name == "sqlite"
    with engine.connect() as connection:
        if not is_sqlite:  # a sample this small is otherwise read and sorted
            connection.exec_driver_sql("SET enable_seqscan = off; SET enable_bitmapscan = off; SET enable_sort = off")
        rows = connection.exec_driver_sql(f"EXPLAIN {'QUERY PLAN ' if is_sqlite else ''}{statement}", values).all()
    engine.dispose()
    found = "; ".join(row[-1] for row in rows)
    assert "TEMP B-TREE" not in found
    assert "Sort" not in found
    return found if is_sqlite else found.replace("work_items_pkey", "INTEGER PRIMARY KEY")


@pytest.mark.parametrize("path", ["workitems", "users", "comments", "projects/1/areas", "users/me"])
async def test_an_option_that_the_service_does_not_have_is_refused_by_name(maya: Client, path: str) -> None:
    for option in ("$expand", "$search", "$apply", "$skiptoken", "$levels", "$format"):
        answer = await maya.get(path, params={option: "x"})

        assert (answer.status_code, set(answer.json()["errors"])) == (400, {option})


async def test_options_that_change_nothing_are_taken(maya: Client) -> None:
    for form, count, inline in (("json", "true", "allpages"), ("JSON", "False", "AllPages")):
        options = {"$format": form, "$count": count, "$inlinecount": inline}
        assert (await maya.get("workitems", params=options)).status_code == 200


@pytest.mark.parametrize("option", ["$top", "$skip"])
async def test_an_empty_number_is_refused_by_name(maya: Client, option: str) -> None:
    answer = await maya.get("workitems", params={option: ""})

    assert (answer.status_code, set(answer.json()["errors"])) == (400, {option})


async def test_select_leaves_the_named_keys(maya: Client) -> None:
    items = (await page(maya, top=2, select="ID, fields/name,Status"))["results"]
    people = (await maya.get("users?$select=name,displayName")).json()["results"]
    one = (await maya.get("workitems/1?$select=type")).json()

    assert [set(item) for item in items] == [{"id", "fields"}] * 2
    assert set(items[0]["fields"]) == {"Name", "Status"}
    assert [set(person) for person in people] == [{"name", "displayName"}] * len(people)
    assert (await maya.get("users?$select=Estimate")).status_code == 400
    assert set(one) == {"type"}


async def test_select_of_a_key_that_a_type_lacks_leaves_empty_fields(maya: Client) -> None:
    found = await page(maya, top=1, filter="type eq 'Story'", select="Severity")

    assert found["results"] == [{"fields": {}}]


async def test_select_takes_everything_and_whole_fields(maya: Client) -> None:
    whole = (await page(maya, top=3))["results"]

    assert (await page(maya, top=3, select="*"))["results"] == whole
    assert (await page(maya, top=3, select="fields"))["results"] == [{"fields": item["fields"]} for item in whole]


@pytest.mark.parametrize("path", ["workitems", "users", "attachments", "workitems/1", "users/me"])
async def test_select_of_an_unknown_key_is_refused(maya: Client, path: str) -> None:
    for select in ("nonsense", "id,", ""):
        answer = await maya.get(path, params={"$select": select})

        assert (answer.status_code, set(answer.json()["errors"])) == (400, {"$select"}), select


NO_RESULTS = [
    f"{computed} {comparison}"
    for computed in ("id div 0", "id divby 0", "id mod (id sub id)", "1 div 0", "tolower(null)", "null add 1")
    for comparison in ("eq null", "ne null", "in (null)")
]
"""Comparisons with what has no result, of which none is true."""


async def test_texts_and_numbers_are_computed_in_filters(maya: Client) -> None:
    everything = (await page(maya, top=1000))["results"]
    names = {item["id"]: item["fields"]["Name"] for item in everything}

    for text, wanted in {
        "substring(Name, 1, 3) eq 'ass'": [i for i, name in names.items() if name[1:4] == "ass"],
        "replace(fields/Name, 'e', '') ne Name": [i for i, name in names.items() if "e" in name],
        "id mod 7 eq 3": [i for i in names if i % 7 == 3],
        "id div 50 eq 2": [i for i in names if i // 50 == 2],
        "id div 0 eq 1": [],
        **{text: [] for text in NO_RESULTS},
        **{f"not ({text})": sorted(names) for text in NO_RESULTS},
        "(id sub 10) mul 2 gt id add 100": [i for i in names if (i - 10) * 2 > i + 100],
        "-id gt -5": [i for i in names if i < 5],
    }.items():
        assert sorted(ids(await page(maya, top=1000, filter=text))) == sorted(wanted), text
    ordered = [item["fields"]["Name"] for item in (await page(maya, orderby="fields/Name desc"))["results"]]
    assert ordered == sorted(ordered, reverse=True)


async def test_a_filter_cannot_make_texts_without_bounds(maya: Client) -> None:
    grown = "Name"
    for _ in range(12):
        grown = f"replace({grown}, 'a', '{'a' * 200}')"

    assert ids(await page(maya, filter=f"length({grown}) gt 0 and contains(Name, 'a')")) == []


async def test_deeply_nested_rounding_is_answered(maya: Client) -> None:
    for depth in (20, 48):
        nested = "round(" * depth + "id" + ")" * depth
        answer = await maya.get("workitems", params={"$filter": f"{nested} eq 7"})

        assert ids(answer.json()) == [7]


@pytest.mark.parametrize(
    "path",
    [
        "/API/V1/Users/Me",
        "/api/v1/WorkItems/1",
        "/Api/Projects/1/TimeEntryTypes",
        "/HealthZ",
        "/AUTHENTICATION/restrict",
    ],
)
async def test_addresses_answer_in_any_case(maya: Client, path: str) -> None:
    assert (await maya.get(f"http://backlit.test{path}")).status_code == 200
