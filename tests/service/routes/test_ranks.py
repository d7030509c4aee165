"""Ranking items in the backlog."""

from typing import Any

import httpx
import pytest

pytestmark = pytest.mark.postgresql

Client = httpx.AsyncClient


async def order(client: Client) -> list[int]:
    listed = await client.get("workitems", params={"$filter": "projectId eq 3", "$top": "1000"})
    return [item["id"] for item in listed.json()["results"]]


async def ranked(client: Client, item_id: int, **place: Any) -> dict[str, Any]:
    answer = await client.post(f"workitems/{item_id}/rank", json=place)
    assert answer.status_code == 200, answer.text
    document: dict[str, Any] = answer.json()
    stored = await client.get(f"workitems/{item_id}")
    assert (stored.json(), stored.headers["etag"]) == (document, answer.headers["etag"])
    return document


async def test_an_item_goes_before_or_after_another(maya: Client) -> None:
    first, second, third, *rest = await order(maya)

    await ranked(maya, first, after=third)
    assert await order(maya) == [second, third, first, *rest]
    await ranked(maya, first, before=second)
    assert await order(maya) == [first, second, third, *rest]
    await ranked(maya, second, before=rest[0])
    assert await order(maya) == [first, third, second, *rest]


async def test_an_item_goes_to_the_top_or_the_bottom(maya: Client) -> None:
    first, second, *rest = await order(maya)

    await ranked(maya, second, top=True)
    assert await order(maya) == [second, first, *rest]
    await ranked(maya, first, bottom=True)
    assert await order(maya) == [second, *rest, first]


async def test_an_item_that_is_there_already_is_left_as_it_is(maya: Client) -> None:
    first, second, *rest = await order(maya)
    before = (await maya.get(f"workitems/{first}")).json()

    assert await ranked(maya, first, before=second) == before
    assert await ranked(maya, first, top=True) == before
    assert await ranked(maya, rest[-1], bottom=True) == (await maya.get(f"workitems/{rest[-1]}")).json()


@pytest.mark.slow
async def test_rank_renumbers_neighbours_when_floats_run_out(maya: Client) -> None:
    expected = await order(maya)
    anchor = expected[5]

    for _ in range(70):
        moved = expected[-1]
        await ranked(maya, moved, after=anchor)
        expected.remove(moved)
        expected.insert(expected.index(anchor) + 1, moved)

    assert await order(maya) == expected
    listed = (await maya.get("workitems", params={"$filter": "projectId eq 3", "$top": "1000"})).json()["results"]
    numbers = [item["fields"]["BacklogPriority"] for item in listed]
    assert numbers == sorted(set(numbers))


async def test_a_bad_place_is_refused(maya: Client) -> None:
    item, *_ = await order(maya)
    bodies: list[dict[str, Any]] = [
        {},
        {"before": None},
        {"before": 1, "after": 2},
        {"before": 999_999},
        {"before": "1"},
        {"before": True},
        {"after": 3.5},
        {"after": [1]},
        {"top": 1},
        {"top": "yes"},
        {"bottom": False},
        {"top": True, "bottom": True},
    ]
    for body in bodies:
        assert (await maya.post(f"workitems/{item}/rank", json=body)).status_code == 400, body


async def test_an_item_is_not_ranked_beside_itself_or_one_of_another_project(maya: Client) -> None:
    item, *_ = await order(maya)

    for other in (item, 1):
        answer = await maya.post(f"workitems/{item}/rank", json={"before": other})
        assert (answer.status_code, set(answer.json()["errors"])) == (400, {"before"})


async def test_if_match_holds_for_ranks(maya: Client) -> None:
    item, other, *_ = await order(maya)

    late = await maya.post(f"workitems/{item}/rank", json={"after": other}, headers={"if-match": '"old"'})

    assert late.status_code == 412
