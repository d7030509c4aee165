"""The limits of `$filter` over HTTP: the same on both databases, and refused with a place before SQL is made."""

import httpx
import pytest

from backlit.model.odata.operands import DEPTH_LIMIT
from backlit.model.odata.parser import NODE_LIMIT

pytestmark = pytest.mark.postgresql

ITEM = 7


def nested(opening: str, middle: str, closing: str, levels: int) -> str:
    return opening * levels + middle + closing * levels


def in_turns(levels: int) -> str:
    """`and` and `or` in turns, each inside the parentheses of the one before."""
    parts = (f"id {'gt 0 and' if level % 2 else 'lt 0 or'} (" for level in range(levels))
    return "".join(parts) + f"id eq {ITEM}" + ")" * levels


def forms(levels: int) -> dict[str, str]:
    """Filters of so many levels that one item matches, each nested by something else; `levels` is even."""
    half, one = levels // 2, f"id eq {ITEM}"
    both = ",".join([nested("trim(", "Name", ")", levels - 1)] * 2)
    return {
        "sums": "id" + " add 1" * levels + f" eq {ITEM + levels}",
        "sums to the right": nested("(1 add ", "id", ")", levels) + f" eq {ITEM + levels}",
        "parentheses": nested("(", one, ")", levels),
        "negations": "not " * levels + one,
        "negated conditions": f"{one} and " + nested("not (id lt 0 or ", "id gt 0", ")", half // 2 * 2),
        "conditions that are false": one + " eq false" * levels,
        "conditions in turns": in_turns(levels),
        "functions of numbers": nested("round(", "id", ")", levels) + f" eq {ITEM}",
        "functions of texts": f"{one} and " + nested("tolower(", "Name", ")", levels) + " ne 'X'",
        "last arguments": f"{one} and " + nested("replace('x','y',", "Name", ")", levels) + " ne 'X'",
        "both arguments": f"startswith({both}) and {one}",
        "minus signs": nested("-(", "id", ")", half // 2 * 2) + f" eq {ITEM}",
        "dates": nested("floor(", "year(createdAt)", ")", levels - 1) + f" gt 0 and {one}",
        "tags": f"{one} or Tags/any(t: " + nested("tolower(", "t", ")", levels - 1) + " eq 'no such tag')",
        "sums inside conditions": in_turns(levels) + " and id" + " add 1" * levels + f" eq {ITEM + levels}",
    }


TOO_DEEP = {
    "sums": "id" + " add 1" * 89 + " eq 1",
    "differences": nested("(1 sub ", "id", ")", 89) + " eq 1",
    "parentheses": nested("(", "id eq 1", ")", 89),
    "negations": "not " * 89 + "id eq 1",
    "conditions that are false": "id eq 1" + " eq false" * 89,
    "functions": nested("trim(", "Name", ")", 89) + " eq 'x'",
    "minus signs": nested("-(", "id", ")", 89) + " eq 1",
    "tags": "Tags/any(t: " + nested("(", "t eq 'x'", ")", 89) + ")",
}
TOO_MANY = {
    "values": f"id in ({','.join(map(str, range(NODE_LIMIT)))})",
    "conditions": " or ".join(["id eq 1"] * (NODE_LIMIT + 1)),
    "sums": " and ".join(["id add 1 add 1 add 1 add 1 eq 1"] * 41),
}


@pytest.mark.slow
async def test_filters_at_the_limit_of_depth_are_answered(maya: httpx.AsyncClient) -> None:
    for name, text in forms(DEPTH_LIMIT).items():
        answer = await maya.get("workitems", params={"$filter": text})

        assert answer.status_code == 200, (name, answer.text)
        assert [item["id"] for item in answer.json()["results"]] == [ITEM], name


async def test_filters_at_the_limit_of_nodes_are_answered(maya: httpx.AsyncClient) -> None:
    for text in (
        f"id in ({','.join(map(str, range(NODE_LIMIT - 1)))})",
        " or ".join(f"Name ne '{number}'" for number in range(NODE_LIMIT)),
        " or ".join(f"not(month(createdAt) eq {number})" for number in range(NODE_LIMIT // 3)),
    ):
        answer = await maya.get("workitems", params={"$filter": text})

        assert answer.status_code == 200, answer.text


async def test_filters_beyond_the_limits_are_refused_with_their_place(maya: httpx.AsyncClient) -> None:
    for sentence, texts in (("the nesting is deeper than 50", TOO_DEEP), ("the filter has more than 200", TOO_MANY)):
        for name, text in texts.items():
            answer = await maya.get("workitems", params={"$filter": text})

            assert answer.status_code == 400, (name, answer.text)
            assert answer.json()["message"].startswith("$filter has an error at character "), name
            assert sentence in answer.json()["errors"]["$filter"], name


@pytest.mark.parametrize("path", ["iterations", "users", "comments"])
async def test_other_lists_have_the_same_limits(maya: httpx.AsyncClient, path: str) -> None:
    sums = "id" + " add 1" * DEPTH_LIMIT

    answers = [await maya.get(path, params={"$filter": text}) for text in (f"{sums} gt 1", f"{sums} add 1 gt 1")]

    assert [answer.status_code for answer in answers] == [200, 400]
    assert answers[0].json()["totalResults"] > 0


async def test_long_orders_are_answered(maya: httpx.AsyncClient) -> None:
    answer = await maya.get("workitems", params={"$orderby": ",".join(["id", "Name desc", "fields/Status"] * 200)})

    assert answer.status_code == 200
